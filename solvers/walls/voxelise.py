"""The discrete boundary: triples ⟨n, r, d⟩ in every voxel that a triangle crosses.

After section 5 of 『再構築ポリゴン壁を用いたSPHの壁境界計算手法』 (笠 晃一, IPSJ SIG Technical Report 2014-CG-156).
Where several triangles cross a voxel the one nearest to its centre is kept and, beyond the paper, also the nearest of
every other direction (normals more than 30° apart): corners and plates thinner than a voxel keep all their sides.

A triangle is walked column by column along the axis its normal is closest to, so that the work follows the area.
"""

import math
from typing import NamedTuple

import numpy as np

from ..jit import exact_kernel, kernel, parallel_kernel, prange
from .borrow import borrowed
from .geometry import nearest_on_triangle, point_on_triangle, triangle_meets_box

DISTINCT = math.cos(math.radians(30.0))
"""Planes whose normals have a smaller cosine than this are different walls, not parts of one smooth surface."""
_PER_VOXEL = 4
_ROWS_PER_TASK = 32


class Triples(NamedTuple):
    """The discrete boundary of one collider, sorted by voxel. Lengths in metres from the collider's own origin."""

    voxel: np.ndarray
    """Voxel indices, int32 (n, 3)."""
    centre: np.ndarray
    """r, the voxel's centre, float64 (n, 3)."""
    normal: np.ndarray
    """n, unit normal of the primitive, float64 (n, 3)."""
    distance: np.ndarray
    """d, signed distance of the centre to the primitive's plane, float64 (n,)."""
    primitive: np.ndarray
    """Triangle, or number of triangles + free edge, int32 (n,)."""
    weight: np.ndarray
    """Barycentric weights of the second and third corner at the primitive's point nearest to the centre, float64 (n, 2)."""
    span: np.ndarray
    """First and last + 1 of the triangles in `crossing` that cross the triple's voxel, int32 (n, 2)."""
    crossing: np.ndarray
    """All triangles of all voxels, int32 (p,)."""


def triangle_corners(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """The nine coordinates of every triangle, float64 (m, 9)."""
    return np.ascontiguousarray(vertices[triangles].reshape(len(triangles), 9))


def triangle_normals(corners: np.ndarray) -> np.ndarray:
    """Unit normals, float64 (m, 3); zero where a triangle has no area."""
    first, second = corners[:, 3:6] - corners[:, 0:3], corners[:, 6:9] - corners[:, 0:3]
    cross = np.cross(first, second)
    size = np.linalg.norm(cross, axis=1)
    edge = np.maximum(np.linalg.norm(first, axis=1), np.linalg.norm(second, axis=1))
    solid = size > 1.0e-12 * edge * edge
    return np.where(solid[:, None], cross / np.where(solid, size, 1.0)[:, None], 0.0)


@exact_kernel
def _row_span(t, u, v, low, high):
    """Extent along axis v of the part of triangle t with low <= axis u <= high."""
    least, most = np.inf, -np.inf
    for side in range(3):
        a, b = 3 * side, 3 * ((side + 1) % 3)
        au, bu, av, bv = t[a + u], t[b + u], t[a + v], t[b + v]
        if max(au, bu) < low or min(au, bu) > high:
            continue
        slope = (bv - av) / (bu - au) if bu != au else 0.0
        va = av + (min(max(au, low), high) - au) * slope
        vb = bv + (min(max(bu, low), high) - bu) * slope
        least, most = min(least, va, vb), max(most, va, vb)
    return least, most


@exact_kernel
def _walk(t, normal, edge, first_row, last_row, size, keys, owners, triangle, at, write):
    """Voxels of edge `edge` met by triangle t in rows first_row … last_row of its axis u; returns how many."""
    w = 0
    if abs(normal[1]) > abs(normal[w]):
        w = 1
    if abs(normal[2]) > abs(normal[w]):
        w = 2
    u, v = (w + 1) % 3, (w + 2) % 3
    slack = 1.0e-9 * edge
    slope_u, slope_v = -normal[u] / normal[w], -normal[v] / normal[w]
    spread = 0.5 * edge * (abs(slope_u) + abs(slope_v)) + slack
    w_low, w_high = min(t[w], t[3 + w], t[6 + w]) - slack, max(t[w], t[3 + w], t[6 + w]) + slack
    found = 0
    for i in range(first_row, last_row + 1):
        least, most = _row_span(t, u, v, i * edge - slack, (i + 1) * edge + slack)
        if least > most:
            continue
        for j in range(math.floor((least - slack) / edge), math.floor((most + slack) / edge) + 1):
            mu, mv = (i + 0.5) * edge, (j + 0.5) * edge
            level = t[w] + (mu - t[u]) * slope_u + (mv - t[v]) * slope_v
            bottom, top = max(level - spread, w_low), min(level + spread, w_high)
            for k in range(math.floor(bottom / edge), math.floor(top / edge) + 1):
                mw = (k + 0.5) * edge
                x = mu if u == 0 else (mv if v == 0 else mw)
                y = mu if u == 1 else (mv if v == 1 else mw)
                z = mu if u == 2 else (mv if v == 2 else mw)
                if triangle_meets_box(t, x, y, z, 0.5 * edge * (1.0 + 1.0e-9)):
                    if write:
                        a = i if u == 0 else (j if v == 0 else k)
                        b = i if u == 1 else (j if v == 1 else k)
                        c = i if u == 2 else (j if v == 2 else k)
                        keys[at + found] = (np.int64(a) * size[1] + b) * size[2] + c
                        owners[at + found] = triangle
                    found += 1
    return found


@parallel_kernel
def _walk_tasks(all_corners, all_normals, edge, tasks, all_size, start, all_keys, all_owners, write):
    """Run every task (triangle, first row, last row). Counts go to `start` unless `write`."""
    for task in prange(len(tasks)):
        corners, normals, size = borrowed(all_corners), borrowed(all_normals), borrowed(all_size)
        keys, owners = borrowed(all_keys), borrowed(all_owners)
        triangle = tasks[task, 0]
        found = _walk(
            corners[triangle], normals[triangle], edge, tasks[task, 1], tasks[task, 2], size, keys, owners, triangle,
            start[task], write,
        )  # fmt: skip
        if not write:
            start[task] = found


@kernel
def _pick(first, last, centre, corners, normals, owners, distinct, kept):
    """Choose the nearest triangle of each direction among pairs first … last of one voxel; returns how many."""
    count = 0
    while count < _PER_VOXEL:
        best, best_distance = -1, np.inf
        for pair in range(first, last):
            normal = normals[owners[pair]]
            new = True
            for other in range(count):
                chosen = normals[owners[kept[other]]]
                if normal[0] * chosen[0] + normal[1] * chosen[1] + normal[2] * chosen[2] >= distinct:
                    new = False
            if new:
                x, y, z = point_on_triangle(centre[0], centre[1], centre[2], corners, owners[pair])
                distance = (x - centre[0]) ** 2 + (y - centre[1]) ** 2 + (z - centre[2]) ** 2
                if distance < best_distance * (1.0 - 1.0e-12):
                    best, best_distance = pair, distance
        if best < 0:
            break
        kept[count] = best
        count += 1
    return count


@parallel_kernel
def _resolve(key, start, size, edge, all_corners, all_normals, all_owners, distinct, chosen, count):
    """Conflict rule of every voxel: chosen (voxels, 4) triangles and their count."""
    for voxel in prange(len(start) - 1):
        corners, normals, owners = borrowed(all_corners), borrowed(all_normals), borrowed(all_owners)
        here = key[start[voxel]]
        centre = np.empty(3)
        centre[2] = (here % size[2] + 0.5) * edge
        centre[1] = (here // size[2] % size[1] + 0.5) * edge
        centre[0] = (here // size[2] // size[1] + 0.5) * edge
        kept = np.empty(_PER_VOXEL, np.int64)
        found = _pick(start[voxel], start[voxel + 1], centre, corners, normals, owners, distinct, kept)
        count[voxel] = found
        for slot in range(found):
            chosen[voxel, slot] = owners[kept[slot]]


def _tasks(corners: np.ndarray, normals: np.ndarray, edge: float) -> np.ndarray:
    """Strips of at most 32 voxel rows, int64 (k, 3): triangle, first row, last row."""
    solid = np.flatnonzero(np.any(normals != 0.0, axis=1))
    axis = (np.argmax(np.abs(normals[solid]), axis=1) + 1) % 3
    along = corners.reshape(-1, 3, 3)[solid[:, None], np.arange(3)[None, :], axis[:, None]]
    first = np.floor(along.min(axis=1) / edge - 1.0e-9).astype(np.int64)
    last = np.floor(along.max(axis=1) / edge + 1.0e-9).astype(np.int64)
    strips = (last - first) // _ROWS_PER_TASK + 1
    index = np.repeat(np.arange(len(solid)), strips)
    begin = first[index] + (np.arange(len(index)) - np.repeat(np.cumsum(strips) - strips, strips)) * _ROWS_PER_TASK
    return np.stack([solid[index], begin, np.minimum(begin + _ROWS_PER_TASK - 1, last[index])], axis=1)


def crossed_voxels(corners: np.ndarray, normals: np.ndarray, edge: float, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of a voxel and a triangle that meet: keys int64 (p,) sorted, triangles int32 (p,).

    Coordinates are at least one voxel inside the grid of `size` voxels; a key is (i·size[1] + j)·size[2] + k.
    """
    tasks = _tasks(corners, normals, edge)
    start = np.zeros(len(tasks), dtype=np.int64)
    nothing, nobody = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    _walk_tasks(corners, normals, edge, tasks, size, start, nothing, nobody, False)
    total = int(start.sum())
    start = np.cumsum(start) - start
    key, owner = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int32)
    _walk_tasks(corners, normals, edge, tasks, size, start, key, owner, True)
    order = np.argsort(key, kind="stable")
    return key[order], owner[order]


def _face_triples(
    corners: np.ndarray, normals: np.ndarray, edge: float, size: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Keys and triangles of the triples, and the spans of the triangles that cross their voxels."""
    key, owner = crossed_voxels(corners, normals, edge, size)
    if len(key) == 0:
        return key, owner, np.zeros((0, 2), dtype=np.int32), owner
    start = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1], [True])))
    chosen = np.full((len(start) - 1, _PER_VOXEL), -1, dtype=np.int32)
    count = np.empty(len(start) - 1, dtype=np.int32)
    _resolve(key, start, size, edge, corners, normals, owner, DISTINCT, chosen, count)
    span = np.stack([start[:-1], start[1:]], axis=1).astype(np.int32)
    return np.repeat(key[start[:-1]], count), chosen[chosen >= 0], np.repeat(span, count, axis=0), owner


def _edge_triples(edges: np.ndarray, edge: float, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Voxels along free edges (e, 6): keys and edge numbers, at most one edge of each voxel."""
    if len(edges) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    begin, step = edges[:, 0:3], edges[:, 3:6] - edges[:, 0:3]
    samples = np.ceil(np.linalg.norm(step, axis=1) / (0.25 * edge)).astype(np.int64) + 1
    index = np.repeat(np.arange(len(edges)), samples)
    part = (np.arange(len(index)) - np.repeat(np.cumsum(samples) - samples, samples)) / np.maximum(samples[index] - 1, 1)
    point = begin[index] + part[:, None] * step[index]
    voxel = np.floor(point / edge).astype(np.int64)
    key = (voxel[:, 0] * size[1] + voxel[:, 1]) * size[2] + voxel[:, 2]
    offset = np.einsum("ij,ij->i", point - (voxel + 0.5) * edge, point - (voxel + 0.5) * edge)
    # The nearest sample of every pair (voxel, edge): a corner of a sheet keeps both of its edges.
    order = np.lexsort((offset, index, key))
    key, index = key[order], index[order]
    first = np.concatenate(([True], (key[1:] != key[:-1]) | (index[1:] != index[:-1])))
    return key[first], index[first].astype(np.int32)


@parallel_kernel
def _nearest_weights(corners, primitive, centre, weight):
    for item in prange(len(primitive)):
        b, c = nearest_on_triangle(centre[item, 0], centre[item, 1], centre[item, 2], corners, primitive[item])
        weight[item, 0], weight[item, 1] = b, c


def voxelise(corners: np.ndarray, normals: np.ndarray, edges: np.ndarray, edge_normals: np.ndarray, voxel: float) -> Triples:
    """Triples of triangles `corners` (m, 9) and free edges (e, 6), both at least one voxel above zero on every axis."""
    highest = max(corners.max(initial=0.0), edges.max(initial=0.0))
    size = np.full(3, int(highest / voxel) + 3, dtype=np.int64)
    face_key, face, span, crossing = _face_triples(corners, normals, voxel, size)
    edge_key, rim = _edge_triples(edges, voxel, size)
    key = np.concatenate([face_key, edge_key])
    primitive = np.concatenate([face, rim + np.int32(len(corners))]).astype(np.int32)
    order = np.argsort(key, kind="stable")
    key, primitive = key[order], primitive[order]
    span = np.concatenate([span, np.zeros((len(rim), 2), dtype=np.int32)])[order]
    index = np.stack([key // size[2] // size[1], key // size[2] % size[1], key % size[2]], axis=1)
    centre = (index + 0.5) * voxel
    both = np.concatenate([corners, np.concatenate([edges, edges[:, 3:6]], axis=1)])
    weight = np.zeros((len(key), 2))
    _nearest_weights(both, primitive, centre, weight)
    normal = np.concatenate([normals, edge_normals])[primitive]
    distance = np.einsum("ij,ij->i", centre - both[primitive, 0:3], normal)
    return Triples(index.astype(np.int32), centre, normal, distance, primitive, weight, span, crossing)
