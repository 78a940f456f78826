"""Points on and across a mesh, from which a material enters the scene."""

import math

import numpy as np

from ..errors import InvalidScene
from ..jit import kernel, parallel_kernel, prange
from ..scene import Mesh
from .noise import hashed, unit
from .tree import Tree, build_tree, cast_row
from .triangles import area_vectors, check_mesh, corners_of

_CANDIDATES = 10
"""Random points of which one is kept."""
_DISTANCES = np.array([0.83, 0.77, 0.7, 0.6, 0.45, 0.3, 0.0])
"""Least distances in spacings, tried in turn. Random discs that no further one fits between have 0.697 / d² of them
on a unit of area; 0.83 leaves just about one per spacing²."""
_SUB = 4
_FLAT = 1.0e-4
_ROUNDING = 1.0e-6


@kernel
def _thinned(points, order, distances, wanted):
    """Greedy choice, int64 (≤ wanted,), of points in the given order that keep their distance [m] from all before them.

    Points chosen so far are found through a hash table of cells as wide as the first, largest distance.
    """
    count = points.shape[0]
    size = 16
    while size < 2 * count:
        size *= 2
    head = np.full(size, -1, dtype=np.int64)
    link = np.full(count, -1, dtype=np.int64)
    taken = np.zeros(count, dtype=np.bool_)
    chosen = np.empty(wanted, dtype=np.int64)
    found = 0
    inverse = 1.0 / distances[0]
    for distance in distances:
        for candidate in order:
            if taken[candidate]:
                continue
            x, y, z = points[candidate, 0], points[candidate, 1], points[candidate, 2]
            i, j, k = int(math.floor(x * inverse)), int(math.floor(y * inverse)), int(math.floor(z * inverse))
            free = True
            for near in range(27):
                cell = (i + near % 3 - 1) * 73856093 ^ (j + near // 3 % 3 - 1) * 19349663 ^ (k + near // 9 - 1) * 83492791
                other = head[cell & (size - 1)]
                while other >= 0 and free:
                    dx, dy, dz = points[other, 0] - x, points[other, 1] - y, points[other, 2] - z
                    free = dx * dx + dy * dy + dz * dz >= distance * distance
                    other = link[other]
                if not free:
                    break
            if not free:
                continue
            slot = (i * 73856093 ^ j * 19349663 ^ k * 83492791) & (size - 1)
            link[candidate] = head[slot]
            head[slot] = candidate
            taken[candidate] = True
            chosen[found] = candidate
            found += 1
            if found == wanted:
                return chosen
    return chosen[:found]


@parallel_kernel
def _cast_lines(corners, boxes, lines, place):
    for i in prange(lines.shape[0]):
        places, _, count = cast_row(corners, boxes, lines[i, 0], lines[i, 1])
        if count > 0:
            place[i] = places[0]


def _first_crossings(tree: Tree, lines: np.ndarray) -> np.ndarray:
    """Lowest x [m] at which each line (y, z), float64 (n, 2), meets the mesh, float64 (n,); NaN if it does not."""
    place = np.full(len(lines), np.nan)
    _cast_lines(tree.corners, tree.boxes, np.ascontiguousarray(lines), place)
    return place


def _check(vertices: np.ndarray, triangles: np.ndarray, spacing: float, owner: str) -> None:
    check_mesh(Mesh(np.asarray(vertices), np.asarray(triangles)), owner)
    if not (math.isfinite(spacing) and spacing > 0.0):
        raise InvalidScene(f"{owner}: the particle spacing is {spacing} m; give a length above zero.")


def surface_points(vertices: np.ndarray, triangles: np.ndarray, spacing: float, seed: int = 0, owner: str = "Mesh") -> np.ndarray:
    """Points spread over the surface [m], float64 (n, 3): one per spacing² of area, none too close to another.

    Their order is random: the first few are spread over the whole surface too. Equal seeds give equal points.
    """
    _check(vertices, triangles, spacing, owner)
    corners = corners_of(vertices, triangles)
    sums = np.cumsum(np.linalg.norm(area_vectors(corners), axis=1))
    wanted = max(1, round(float(sums[-1]) / spacing**2))
    number = np.arange(_CANDIDATES * wanted).reshape(-1, 1)
    share = (number[:, 0] + unit(number, seed, 0)) / len(number)
    triangle = np.minimum(np.searchsorted(sums, share * sums[-1], side="right"), len(corners) - 1)
    # Uniform in a triangle: a + √s ((1 − t)(b − a) + t (c − a)).
    root, along = np.sqrt(unit(number, seed, 1))[:, None], unit(number, seed, 2)[:, None]
    a, b, c = (corners[triangle, corner] for corner in range(3))
    points = a + root * ((1.0 - along) * (b - a) + along * (c - a))
    order = np.argsort(hashed(number, seed, 3), kind="stable")
    return points[_thinned(points - corners.min(axis=(0, 1)), order, _DISTANCES * spacing, wanted)]


def _frame(direction: np.ndarray, owner: str) -> np.ndarray:
    """Right-handed unit vectors in rows, the first along `direction`."""
    along = np.asarray(direction, dtype=np.float64).reshape(3)
    length = float(np.linalg.norm(along))
    if not (math.isfinite(length) and length > 0.0):
        raise InvalidScene(f"{owner}: the direction of flow is {tuple(along.tolist())}; give a direction of some length.")
    along = along / length
    axis = np.zeros(3)
    axis[(int(np.argmax(np.abs(along))) + 1) % 3] = 1.0
    first = axis - along * along[axis == 1.0][0]
    first = first / float(np.linalg.norm(first))
    return np.stack([along, first, np.cross(along, first)])


def footprint(
    vertices: np.ndarray, triangles: np.ndarray, direction: np.ndarray, spacing: float, owner: str = "Emitter"
) -> np.ndarray:
    """Places of one layer of particles that flows out of a mesh along `direction` [m], float64 (n, 3).

    A square lattice across the flow that covers the mesh's outline: n × spacing² is the outline's area to within half
    a particle, at least one particle. The layer lies in a flat mesh itself, else in the plane through the middle of
    the mesh's extent along the flow. One layer enters each time the flow has moved by one spacing.
    """
    _check(vertices, triangles, spacing, owner)
    frame = _frame(direction, owner)
    world = corners_of(vertices, triangles)
    # Not a matrix product: its rounding depends on the linear-algebra library.
    corners = np.ascontiguousarray(np.stack([np.sum(world * axis, axis=-1) for axis in frame], axis=-1))
    tree = build_tree(corners)
    lines = _outline_lattice(tree, spacing)
    if len(lines) == 0:
        across = np.abs(area_vectors(corners)[:, 0])
        if float(across.max()) <= 1.0e-9 * float(np.linalg.norm(area_vectors(corners), axis=1).max()):
            raise InvalidScene(
                f"{owner}: the mesh has no width across the direction of flow {tuple(np.round(frame[0], 3).tolist())}; "
                "turn the mesh to face the flow, or change the direction."
            )
        lines = corners[int(np.argmax(across))].mean(axis=0)[None, 1:]
    depth = np.full(len(lines), 0.5 * (tree.boxes[1, 0] + tree.boxes[1, 3]))
    if _is_flat(corners):
        hit = _first_crossings(tree, lines)
        depth = np.where(np.isfinite(hit), hit, depth)
    local = np.concatenate([depth[:, None], lines], axis=1)
    return np.sum(local[:, :, None] * frame[None], axis=1)


@parallel_kernel
def _values_ahead(corners, values, lines, result):
    """Value of the foremost triangle on each line along x, `lines` (n, 2) its y and z; of the nearest corner if there is none."""
    for i in prange(lines.shape[0]):
        y, z = lines[i, 0], lines[i, 1]
        front, value, gap, nearest = -np.inf, 0.0, np.inf, 0.0
        for t in range(corners.shape[0]):
            ay, az = corners[t, 0, 1] - y, corners[t, 0, 2] - z
            by, bz = corners[t, 1, 1] - y, corners[t, 1, 2] - z
            cy, cz = corners[t, 2, 1] - y, corners[t, 2, 2] - z
            for corner in range(3):
                dy, dz = corners[t, corner, 1] - y, corners[t, corner, 2] - z
                if dy * dy + dz * dz < gap:
                    gap, nearest = dy * dy + dz * dz, values[t, corner]
            # twice the areas opposite of the corners: all of one sign where the line goes through
            a, b, c = by * cz - bz * cy, cy * az - cz * ay, ay * bz - az * by
            total = a + b + c
            if total == 0.0 or a * total < 0.0 or b * total < 0.0 or c * total < 0.0:
                continue
            x = (a * corners[t, 0, 0] + b * corners[t, 1, 0] + c * corners[t, 2, 0]) / total
            if x > front:
                front, value = x, (a * values[t, 0] + b * values[t, 1] + c * values[t, 2]) / total
        result[i] = value if front > -np.inf else nearest


def painted(
    vertices: np.ndarray, triangles: np.ndarray, weights: np.ndarray, direction: np.ndarray, points: np.ndarray,
    owner: str = "Emitter",
) -> np.ndarray:  # fmt: skip
    """Vertex weights (v,) where the flow through `points` (n, 3) leaves the mesh: on its foremost face, float64 (n,)."""
    frame = _frame(direction, owner)
    corners = np.stack([np.sum(corners_of(vertices, triangles) * axis, axis=-1) for axis in frame], axis=-1)
    lines = np.stack([np.sum(np.asarray(points) * axis, axis=-1) for axis in frame[1:]], axis=-1)
    result = np.empty(len(lines))
    _values_ahead(np.ascontiguousarray(corners), np.ascontiguousarray(weights[triangles]), np.ascontiguousarray(lines), result)
    return result


def _is_flat(corners: np.ndarray) -> bool:
    """Whether all triangles lie in one plane."""
    vectors = area_vectors(corners)
    size = np.linalg.norm(vectors, axis=1)
    largest = int(np.argmax(size))
    height = np.abs(np.sum((corners - corners[largest, 0]) * (vectors[largest] / size[largest]), axis=-1))
    return float(height.max()) <= _FLAT * float(np.ptp(corners.reshape(-1, 3), axis=0).max())


def _outline_lattice(tree: Tree, spacing: float) -> np.ndarray:
    """Places (y, z) [m] on a square lattice within the outline seen along x, float64 (n, 2), n by the outline's area."""
    low, high = tree.boxes[1, 1:3], tree.boxes[1, 4:6]
    shape = np.maximum(np.ceil((high - low) / spacing - _ROUNDING), 1.0).astype(np.int64)
    origin = 0.5 * (low + high) - 0.5 * shape * spacing
    index = _grid(shape)
    centre = origin + (index + 0.5) * spacing
    central = np.isfinite(_first_crossings(tree, centre))
    offset = (_grid(np.array([_SUB, _SUB])) + 0.5) / _SUB
    samples = origin + (index[:, None, :] + offset) * spacing
    hit = np.isfinite(_first_crossings(tree, samples.reshape(-1, 2))).reshape(len(index), -1)
    number = hit.sum(axis=1)
    if number.sum() == 0:
        return centre[central]
    wanted = max(1, round(float(number.sum()) / _SUB**2))
    order = np.lexsort((hashed(index, 0, 0), -number, ~central))[:wanted]
    order = np.sort(order[central[order] | (number[order] > 0)])
    middle = np.divide((samples * hit[:, :, None]).sum(axis=1), number[:, None], out=centre.copy(), where=number[:, None] > 0)
    astray = np.isnan(_first_crossings(tree, middle)) & (number > 0)
    middle[astray] = samples[astray, np.argmax(hit[astray], axis=1)]
    return np.where(central[order, None], centre[order], middle[order])


def _grid(shape: np.ndarray) -> np.ndarray:
    """All index pairs below `shape`, the first running fastest, int64 (n, 2)."""
    return np.indices((int(shape[1]), int(shape[0]))).reshape(2, -1)[::-1].T
