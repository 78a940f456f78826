"""Settings of colliders that an artist has painted: a weight at every vertex, looked up where a particle touches.

A weight runs from 0 (the collider's own value) to 1 (its painted value). The voxel of a particle names triangles, from
which one walks to whichever neighbour is nearer until none is: meshes finer than a voxel, which keeps one triangle only, are
read as exactly as coarse ones. Weights are interpolated within the triangle and move with it.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ..jit import inlined, parallel_kernel, prange
from .borrow import borrowed
from .geometry import nearest_on_triangle, point_on_triangle
from .planes import FREE_EDGE
from .table import HEAD_BITS
from .topology import Topology, joined_vertices
from .wall_table import FIRST_PRIMITIVE, FIRST_TRIPLE, ROTATION, list_at, to_local

_MOST_STEPS = 64
"""Triangles that the walk passes at most."""


def neighbours(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """The triangle across each side (first–second, second–third, third–first corner), int32 (m, 3); −1 at free edges.

    Where more than two meet, the next one in order counts.
    """
    corner = joined_vertices(vertices)[triangles]
    begin, end = corner.ravel(), corner[:, [1, 2, 0]].ravel()
    key = np.minimum(begin, end) * np.int64(len(vertices)) + np.maximum(begin, end)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    across = np.full(len(key), -1, np.int32)
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    across[order[same + 1]] = order[same] // 3
    across[order[same]] = order[same + 1] // 3
    return across.reshape(-1, 3)


@inlined
def _gap(x, y, z, corner, p):
    """Squared distance from a point to the triangle in row p."""
    px, py, pz = point_on_triangle(x, y, z, corner, p)
    return (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz)


@inlined
def _nearest_triangle(table, across, c, line, x, y, z):
    """Row in `table.corner` of the triangle of collider c nearest to a local point with candidate list `line`, or −1."""
    first = table.collider[c, FIRST_PRIMITIVE]
    base = table.collider[c, FIRST_TRIPLE]
    best, gap = np.int64(-1), np.float32(np.inf)
    for place in range(line + 1, line + 1 + (table.lists[line] >> HEAD_BITS)):
        item = np.int64(base + table.lists[place])
        if table.triple[item, 7] != np.float32(FREE_EDGE):
            p = np.int64(first + np.int64(table.triple[item, 8]))
            here = _gap(x, y, z, table.corner, p)
            if here < gap:
                best, gap = p, here
    if best < 0:
        return best
    for _ in range(_MOST_STEPS):
        at = best
        for side in range(12):
            # across its three sides, and on across theirs: around a corner no direct neighbour may be nearer
            other = np.int64(across[at, side % 3])
            if side >= 3 and other >= 0:
                other = np.int64(across[other, side // 3 - 1])
            if other >= 0:
                here = _gap(x, y, z, table.corner, other)
                if here < gap:
                    best, gap = other, here
        if best == at:
            break
    return best


@parallel_kernel
def _weights_near(all_table, all_across, weight, painted, position, particle, plane, collider, count, result):
    for row in prange(len(particle)):
        table, across = borrowed(all_table), borrowed(all_across)
        i = particle[row]
        for slot in range(3):
            result[row, slot] = np.float32(0.0)
        if i < 0:
            continue
        for slot in range(count[row]):
            c = np.int64(collider[row, slot])
            if c < 0 or not painted[c]:
                continue
            # one plane: the nearest place of the mesh; in a corner: the place on each of its walls
            away = plane[row, slot, 3] if count[row] > 1 else np.float32(0.0)
            x = position[i, 0] - away * plane[row, slot, 0]
            y = position[i, 1] - away * plane[row, slot, 1]
            z = position[i, 2] - away * plane[row, slot, 2]
            lx, ly, lz = to_local(table.frame, c, ROTATION, x, y, z)
            line = list_at(table, c, lx, ly, lz)
            if line < 0:  # a plane that goes on beyond its triangle: ask where the particle is
                lx, ly, lz = to_local(table.frame, c, ROTATION, position[i, 0], position[i, 1], position[i, 2])
                line = list_at(table, c, lx, ly, lz)
            if line < 0:
                continue
            p = _nearest_triangle(table, across, c, line, lx, ly, lz)
            if p >= 0:
                b, d = nearest_on_triangle(lx, ly, lz, table.corner, p)
                result[row, slot] = (np.float32(1.0) - b - d) * weight[p, 0] + b * weight[p, 1] + d * weight[p, 2]


class Paint:
    """The weights of all colliders, in the order of the walls' merged table."""

    def __init__(self, weights: Sequence[Mapping[str, np.ndarray]], vertices: Sequence[np.ndarray], surfaces: Sequence[Topology]):
        """Of every collider: weights (n,) by setting, vertices (n, 3) of its first frame, its surface."""
        self.settings = frozenset(name for given in weights for name in given)
        self._weight: dict[str, np.ndarray] = {}
        self._painted = {name: np.array([name in given for given in weights]) for name in self.settings}
        if not self.settings:
            return
        across, first = [], 0
        for places, surface in zip(vertices, surfaces, strict=True):
            found = neighbours(places, surface.triangles)
            edges = np.full((len(surface.free_edge), 3), -1, np.int32)
            across += [np.where(found >= 0, found + first, -1), edges]
            first += len(found) + len(edges)
        self._across = np.concatenate(across).astype(np.int32)
        for name in self.settings:
            rows = []
            for given, surface in zip(weights, surfaces, strict=True):
                corners = given[name][surface.triangles] if name in given else np.zeros((len(surface.triangles), 3))
                rows += [corners, np.zeros((len(surface.free_edge), 3))]
            self._weight[name] = np.concatenate(rows).astype(np.float32)

    def near(self, name: str, table, near, position: np.ndarray) -> np.ndarray:
        """Weights of a setting at the planes of `near`, which belongs to `position` (n, 3) [m]; float32 (m, 3)."""
        result = np.empty((len(near.count), 3), np.float32)
        _weights_near(
            table, self._across, self._weight[name], self._painted[name], position, near.particle, near.plane, near.collider,
            near.count, result,
        )  # fmt: skip
        return result
