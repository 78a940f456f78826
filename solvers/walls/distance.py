"""Signed distance to the walls, for surfaces and for placing particles."""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel, parallel_kernel, prange
from .borrow import borrowed
from .geometry import point_on_triangle
from .planes import FREE_EDGE
from .table import HEAD_BITS
from .topology import SHEET
from .voxelise import Triples
from .wall_table import ACTIVE, FIRST_PRIMITIVE, FIRST_TRIPLE, ROTATION, VOXEL, WallTable, list_at, to_local

_HALF_DIAGONAL = 0.8661


class Crossings(NamedTuple):
    """All triangles that cross the voxels of each triple, of all colliders."""

    span: np.ndarray
    """First and last + 1 in `triangle`, int64 (n, 2)."""
    triangle: np.ndarray
    """Rows of `WallTable.corner`, int32 (p,)."""


def merged_crossings(triples: list[Triples], first_primitive: list[int]) -> Crossings:
    """Crossings of all colliders, one after the other as in the wall table."""
    spans, triangles, total = [np.zeros((0, 2), dtype=np.int64)], [np.zeros(0, dtype=np.int32)], 0
    for part, first in zip(triples, first_primitive, strict=True):
        spans.append(part.span.astype(np.int64) + total)
        triangles.append(part.crossing + np.int32(first))
        total += len(part.crossing)
    return Crossings(np.concatenate(spans), np.concatenate(triangles).astype(np.int32))


@inlined
def _height(x, y, z, corner, p):
    """Distance of a point to the plane of the triangle in row p, along its normal."""
    ux, uy, uz = corner[p, 3] - corner[p, 0], corner[p, 4] - corner[p, 1], corner[p, 5] - corner[p, 2]
    vx, vy, vz = corner[p, 6] - corner[p, 0], corner[p, 7] - corner[p, 1], corner[p, 8] - corner[p, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = np.sqrt(nx * nx + ny * ny + nz * nz)
    if not size > np.float32(0.0):
        return np.float32(0.0)
    return ((x - corner[p, 0]) * nx + (y - corner[p, 1]) * ny + (z - corner[p, 2]) * nz) / size


@kernel
def _distance_to(table, span, triangle, c, line, x, y, z, voxel):
    """Signed distance of a local point to collider c, whose candidate list for the point is `line`."""
    best, facing, sign = np.float32(np.inf), np.float32(-1.0), np.float32(1.0)
    half = np.float32(_HALF_DIAGONAL) * voxel
    for place in range(line + 1, line + 1 + (table.lists[line] >> HEAD_BITS)):
        item = table.collider[c, FIRST_TRIPLE] + table.lists[place]
        wide = table.triple[item, 10] != np.float32(0.0)
        if table.triple[item, 7] == np.float32(FREE_EDGE):
            continue
        begin, end = span[item, 0], span[item, 1]
        if wide:
            begin, end = np.int64(0), np.int64(1)
        else:
            # What crosses a voxel is at least |x − r| − a√3/2 away.
            rx, ry, rz = x - table.triple[item, 0], y - table.triple[item, 1], z - table.triple[item, 2]
            bound = np.sqrt(best) + half
            if rx * rx + ry * ry + rz * rz > bound * bound:
                continue
        for pair in range(begin, end):
            p = table.collider[c, FIRST_PRIMITIVE] + np.int64(table.triple[item, 8]) if wide else np.int64(triangle[pair])
            px, py, pz = point_on_triangle(x, y, z, table.corner, p)
            gap = (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz)
            if gap > best * np.float32(1.0001):
                continue
            over = _height(x, y, z, table.corner, p)
            # Triangles that share the nearest point: the one seen most squarely tells the sign.
            if gap < best * np.float32(0.9999) or abs(over) > facing:
                facing = abs(over)
                outside = over >= np.float32(0.0) or table.triple[item, 7] == np.float32(SHEET)
                sign = np.float32(1.0) if outside else np.float32(-1.0)
            best = min(gap, best)
    return sign * np.sqrt(best)


@parallel_kernel
def signed_distances(all_table, all_span, all_triangle, points, limit, distance):
    """Distance of every point to the nearest triangle of all colliders, at most `limit`; negative inside closed walls."""
    for i in prange(len(points)):
        table, span, triangle = borrowed(all_table), borrowed(all_span), borrowed(all_triangle)
        answer = limit
        for c in range(len(table.collider)):
            if table.collider[c, ACTIVE] != 0:
                x, y, z = to_local(table.frame, c, ROTATION, points[i, 0], points[i, 1], points[i, 2])
                line = list_at(table, c, x, y, z)
                if line >= 0:
                    answer = min(answer, _distance_to(table, span, triangle, c, line, x, y, z, np.float32(table.frame[c, VOXEL])))
        distance[i] = max(answer, -limit)


def wall_distances(table: WallTable, crossings: Crossings, points: np.ndarray, limit: float) -> np.ndarray:
    """Signed distances [m], float32 (n,)."""
    distance = np.empty(len(points), dtype=np.float32)
    points = np.ascontiguousarray(points, dtype=np.float32)
    signed_distances(table, crossings.span, crossings.triangle, points, np.float32(limit), distance)
    return distance
