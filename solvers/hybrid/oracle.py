"""Where grains are needed one by one: packing fraction → surface → depth → zones, section 2.2 and 2.3.

Everything lives on the nodes of the grid in a box around the dense part of the material. The depth of a node is its distance
from the nearest *surface*, that is, from a node with little packing, measured through the material: paths do not lead
through colliders that stand still (the layered oracle), so that a floor or a tank's wall is no surface, but an opening in it
is. Colliders that move are surfaces wherever they are, and so are the rims of those that stand (`rims`).
"""

import math
from typing import NamedTuple

import numpy as np

from ..errors import TsubuError
from ..jit import exact_kernel, kernel, parallel_kernel, prange
from ..materials.grains_params import PACKING

THRESHOLD = 0.2
"""Φ_ρ: packing fraction of the surface."""
CENTRE = 2.5
"""φ₀: depth of the middle of the hybrid zone, in cells."""
HALF_WIDTH = 0.5
"""r_h: half of its thickness, in cells."""
KEEP = 0.35
"""Grains and points change their zone only when they are this far, in cells, on the other side of a border."""
_FAR = 16.0
"""Depths are known up to this, in cells."""
_MANY_NODES, _MOST_NODES = 8_000_000, 60_000_000
"""Beyond the one, grains that stand far from most others are left out of the map, beyond the other it has no room."""
_MOST_GRAINS = 0.005
"""Part of the grains that may then be left out at either end of an axis."""
_SWEEPS = 2


class Box(NamedTuple):
    """Nodes low … low + shape − 1 of the grid."""

    low: np.ndarray
    """int64 (3,)"""
    shape: tuple[int, int, int]
    cell: float

    def cell_of(self, position: np.ndarray) -> np.ndarray:
        """Flat index of the cell that holds each position (3, n), or -1 outside; cell (i, j, k) has the number of its
        lowest node."""
        place = np.floor(position.astype(np.float64) / self.cell).astype(np.int64) - self.low[:, None]
        inside = np.all((place >= 0) & (place < np.array(self.shape)[:, None] - 1), axis=0)
        flat = (place[0] * self.shape[1] + place[1]) * self.shape[2] + place[2]
        return np.where(inside, flat, -1)

    @property
    def nodes(self) -> int:
        return self.shape[0] * self.shape[1] * self.shape[2]

    def places(self, flat: np.ndarray) -> np.ndarray:
        """Positions [m] of nodes, float64 (n, 3)."""
        index = np.stack(np.unravel_index(flat, self.shape), axis=1)
        return (index + self.low) * self.cell


@kernel
def deposit(position, value, low, per_cell, out):
    """Spread `value` (n, c) at positions (3, n) over the nodes `out` (i, j, k, c) with hat weights; outside ones are left out."""
    for p in range(position.shape[1]):
        x = position[0, p] * per_cell - low[0]
        y = position[1, p] * per_cell - low[1]
        z = position[2, p] * per_cell - low[2]
        i, j, k = np.int64(np.floor(x)), np.int64(np.floor(y)), np.int64(np.floor(z))
        if i < 0 or j < 0 or k < 0 or i + 1 >= out.shape[0] or j + 1 >= out.shape[1] or k + 1 >= out.shape[2]:
            continue
        fx, fy, fz = x - i, y - j, z - k
        for s in range(8):
            a, b, c = s >> 2, s >> 1 & 1, s & 1
            w = (fx if a else 1.0 - fx) * (fy if b else 1.0 - fy) * (fz if c else 1.0 - fz)
            for column in range(value.shape[1]):
                out[i + a, j + b, k + c, column] += w * value[p, column]


@kernel
def interpolate(position, field, low, per_cell, out):
    """The reverse of `deposit`: `field` (i, j, k, c) at positions (3, n) into `out` (n, c); zero outside."""
    for p in range(position.shape[1]):
        x = position[0, p] * per_cell - low[0]
        y = position[1, p] * per_cell - low[1]
        z = position[2, p] * per_cell - low[2]
        i, j, k = np.int64(np.floor(x)), np.int64(np.floor(y)), np.int64(np.floor(z))
        out[p, :] = 0.0
        if i < 0 or j < 0 or k < 0 or i + 1 >= field.shape[0] or j + 1 >= field.shape[1] or k + 1 >= field.shape[2]:
            continue
        fx, fy, fz = x - i, y - j, z - k
        for s in range(8):
            a, b, c = s >> 2, s >> 1 & 1, s & 1
            w = (fx if a else 1.0 - fx) * (fy if b else 1.0 - fy) * (fz if c else 1.0 - fz)
            for column in range(field.shape[3]):
                out[p, column] += w * field[i + a, j + b, k + c, column]


def box_around(grains: np.ndarray, points: np.ndarray, cell: float, owner: str) -> Box:
    """Box of the cells that hold grains (3, n) in company or material points (3, m), with two empty cells around.

    A grain alone in its cell and without neighbours flies by itself: it needs no zone other than discrete. Without grains and
    points there is nothing to map: the box is empty.
    """
    cells = np.floor(grains / cell).astype(np.int64)
    if not cells.size and not points.size:
        return Box(np.zeros(3, np.int64), (2, 2, 2), cell)
    if cells.size:
        first = cells.min(axis=1, keepdims=True)
        size = [int(n) for n in (cells - first).max(axis=1) + 1]
        flat = ((cells[0] - first[0]) * size[1] + cells[1] - first[1]) * size[2] + cells[2] - first[2]
        _, place, counts = np.unique(flat, return_index=True, return_counts=True)
        company = place[counts > 1]
        cells = cells[:, company if len(company) or points.size else place]
    ends = cells[:, :0]
    if points.size:
        corners = np.stack([points.min(axis=1), points.max(axis=1)], axis=1).astype(np.float64)
        ends = np.floor(corners / cell).astype(np.int64)
    low, shape = _extent(cells, ends)
    if math.prod(shape) > _MANY_NODES and cells.size:
        # Grains that have rolled or fallen far away stay single: they need no map.
        lowest, highest = np.quantile(cells, (_MOST_GRAINS, 1.0 - _MOST_GRAINS), axis=1)
        most = ((cells >= lowest[:, None] - 4.0) & (cells <= highest[:, None] + 4.0)).all(axis=0)
        low, shape = _extent(cells[:, most], ends)
        if math.prod(shape) > _MOST_NODES and points.size:
            low, shape = _extent(cells[:, :0], ends)
    if math.prod(shape) > _MOST_NODES:
        raise TsubuError(
            f"{owner}: the grains spread over {shape[0]} × {shape[1]} × {shape[2]} cells of {cell:g} m, more than the hybrid "
            "method's map can hold. Lower the world's limit, add colliders that keep the grains together, or choose All grains."
        )
    return Box(low, shape, cell)


def _extent(cells: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, tuple[int, int, int]]:
    """Lowest node and shape of a box around cells, int64 (3, n) and (3, m), and two more."""
    both = np.concatenate([cells, ends], axis=1)
    low, high = both.min(axis=1) - 2, both.max(axis=1) + 4
    size = [int(n) for n in high - low]
    return low, (size[0], size[1], size[2])


@exact_kernel
def _cross_axis(a, b, c, axis, blocked, tolerance):
    """Mark the edges along `axis` that a triangle with corners in node units crosses; an end that it touches counts."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    area = (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u])
    if abs(area) < 1.0e-14:
        return
    shape = (blocked.shape[1], blocked.shape[2], blocked.shape[3])
    first_u = max(0, int(np.ceil(min(a[u], b[u], c[u]) - tolerance)))
    last_u = min(shape[u] - 1, int(np.floor(max(a[u], b[u], c[u]) + tolerance)))
    first_v = max(0, int(np.ceil(min(a[v], b[v], c[v]) - tolerance)))
    last_v = min(shape[v] - 1, int(np.floor(max(a[v], b[v], c[v]) + tolerance)))
    slack = -tolerance
    index = np.zeros(3, np.int64)
    for iu in range(first_u, last_u + 1):
        for iv in range(first_v, last_v + 1):
            wb = ((iu - a[u]) * (c[v] - a[v]) - (iv - a[v]) * (c[u] - a[u])) / area
            wc = ((b[u] - a[u]) * (iv - a[v]) - (b[v] - a[v]) * (iu - a[u])) / area
            if wb < slack or wc < slack or 1.0 - wb - wc < slack:
                continue
            height = a[axis] + wb * (b[axis] - a[axis]) + wc * (c[axis] - a[axis])
            index[u], index[v] = iu, iv
            for edge in range(int(np.floor(height - tolerance)), int(np.floor(height + tolerance)) + 1):
                if 0 <= edge < shape[axis] - 1:
                    index[axis] = edge
                    blocked[axis, index[0], index[1], index[2]] = True


@exact_kernel
def cross_edges(corners, blocked, tolerance):
    """blocked (3, i, j, k): whether a triangle of `corners` (m, 3, 3), in node units, crosses the edge from a node along axis."""
    for t in range(len(corners)):
        for axis in range(3):
            _cross_axis(corners[t, 0], corners[t, 1], corners[t, 2], axis, blocked, tolerance)


@kernel
def _wall_axes(blocked, i, j, k):
    """Along how many axes a node has a blocked edge."""
    count = 0
    for axis in range(3):
        bi, bj, bk = i - (axis == 0), j - (axis == 1), k - (axis == 2)
        behind = bi >= 0 and bj >= 0 and bk >= 0 and blocked[axis, bi, bj, bk]
        if blocked[axis, i, j, k] or behind:
            count += 1
    return count


@kernel
def mark_inside(packing, blocked, threshold, inside):
    """Nodes at least as full as the threshold; beside a wall only a half, quarter or eighth of a node's room can be filled."""
    for i in range(packing.shape[0]):
        for j in range(packing.shape[1]):
            for k in range(packing.shape[2]):
                share = 0.5 ** _wall_axes(blocked, i, j, k)
                inside[i, j, k] = packing[i, j, k] >= threshold * share


@kernel
def start_depths(packing, inside, blocked, near_moving, threshold, far, depth):
    """Depth [cells] of nodes beside the surface by where the packing crosses the threshold; others are far or outside (0).

    `near_moving` (i, j, k): distance to a moving collider [cells], `far` where there is none: the nearest surface as well.
    """
    for i in range(packing.shape[0]):
        for j in range(packing.shape[1]):
            for k in range(packing.shape[2]):
                if not inside[i, j, k]:
                    depth[i, j, k] = 0.0
                    continue
                best = np.float64(near_moving[i, j, k])
                for axis in range(3):
                    for side in range(2):
                        di, dj, dk = (axis == 0) * (2 * side - 1), (axis == 1) * (2 * side - 1), (axis == 2) * (2 * side - 1)
                        a, b, c = i + di, j + dj, k + dk
                        if a < 0 or b < 0 or c < 0 or a >= packing.shape[0] or b >= packing.shape[1] or c >= packing.shape[2]:
                            best = min(best, 1.0)
                            continue
                        shut = blocked[axis, min(i, a), min(j, b), min(k, c)]
                        if not inside[a, b, c] and not shut:
                            here, there = packing[i, j, k] - threshold, packing[a, b, c] - threshold
                            part = here / (here - there) if here > 0.0 and there < 0.0 else 0.5
                            best = min(best, min(max(part, 0.0), 1.0))
                depth[i, j, k] = min(best, far)


@kernel
def _neighbour(depth, inside, blocked, axis, i, j, k):
    """Smaller of the two neighbours' depths along an axis, walls and the outside apart."""
    best = 1.0e9
    for side in range(2):
        step = 2 * side - 1
        a, b, c = i + (axis == 0) * step, j + (axis == 1) * step, k + (axis == 2) * step
        if a < 0 or b < 0 or c < 0 or a >= depth.shape[0] or b >= depth.shape[1] or c >= depth.shape[2]:
            continue
        if inside[a, b, c] and not blocked[axis, min(i, a), min(j, b), min(k, c)]:
            best = min(best, np.float64(depth[a, b, c]))
    return best


@kernel
def _solved(x, y, z):
    """Depth from those of the neighbours along three axes: |∇φ| = 1 (Godunov)."""
    if x > y:
        x, y = y, x
    if y > z:
        y, z = z, y
    if x > y:
        x, y = y, x
    value = x + 1.0
    if value > y:
        value = 0.5 * (x + y + np.sqrt(max(2.0 - (x - y) ** 2, 0.0)))
        if value > z:
            total = x + y + z
            value = (total + np.sqrt(max(total * total - 3.0 * (x * x + y * y + z * z - 1.0), 0.0))) / 3.0
    return value


@kernel
def sweep_depths(depth, inside, blocked, rounds):
    """Carry the depth inwards (fast sweeping), in at most so many rounds of eight sweeps."""
    ni, nj, nk = depth.shape
    changed = False
    for sweep in range(8 * rounds):
        if sweep % 8 == 0:
            if sweep > 0 and not changed:
                return
            changed = False
        for p in range(ni):
            i = p if sweep & 1 else ni - 1 - p
            for q in range(nj):
                j = q if sweep & 2 else nj - 1 - q
                for r in range(nk):
                    k = r if sweep & 4 else nk - 1 - r
                    if inside[i, j, k]:
                        x = _neighbour(depth, inside, blocked, 0, i, j, k)
                        y = _neighbour(depth, inside, blocked, 1, i, j, k)
                        z = _neighbour(depth, inside, blocked, 2, i, j, k)
                        value = _solved(x, y, z)
                        if value < depth[i, j, k]:
                            depth[i, j, k] = value
                            changed = True


def depths(packing: np.ndarray, blocked: np.ndarray, near_moving: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Depth [cells] of every node below the nearest surface, 0 outside, float32 (i, j, k); which nodes are inside."""
    inside = np.empty(packing.shape, np.bool_)
    mark_inside(packing, blocked, THRESHOLD, inside)
    depth = np.empty(packing.shape, np.float32)
    start_depths(packing, inside, blocked, near_moving, THRESHOLD, _FAR, depth)
    sweep_depths(depth, inside, blocked, _SWEEPS)
    return depth, inside


@kernel
def close_packed(position, volume_ratio, loose, low, per_cell, packing):
    """Overwrite the packing of all corners of the cells of points (3, n) with close packing: a continuum is dense, unless it
    has come apart (J beyond `loose`): then it is a surface."""
    ni, nj, nk = packing.shape
    for p in range(position.shape[1]):
        if volume_ratio[p] >= loose:
            continue
        i = np.int64(np.floor(position[0, p] * per_cell)) - low[0]
        j = np.int64(np.floor(position[1, p] * per_cell)) - low[1]
        k = np.int64(np.floor(position[2, p] * per_cell)) - low[2]
        if i < 0 or j < 0 or k < 0 or i + 1 >= ni or j + 1 >= nj or k + 1 >= nk:
            continue
        for s in range(8):
            a, b, c = i + (s >> 2), j + (s >> 1 & 1), k + (s & 1)
            packing[a, b, c] = max(packing[a, b, c], PACKING)


def keep_single(packing: np.ndarray, strange: np.ndarray, box: Box) -> None:
    """The cells of grains that never become a continuum, `strange` [m] (3, n), count as outside: who is near them is single."""
    cell = box.cell_of(strange)
    flat = packing.reshape(-1)
    for a, b, c in np.ndindex(2, 2, 2):
        flat[cell[cell >= 0] + (a * box.shape[1] + b) * box.shape[2] + c] = 0.0


def cell_depths(depth: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Mean depth of those corners of each cell that are inside, by the number of its lowest node; 0 where none is."""
    total, count = np.zeros(depth.shape), np.zeros(depth.shape, np.int32)
    ni, nj, nk = depth.shape
    for a, b, c in np.ndindex(2, 2, 2):
        corner = np.s_[a : ni - 1 + a, b : nj - 1 + b, c : nk - 1 + c]
        total[:-1, :-1, :-1] += depth[corner]
        count[:-1, :-1, :-1] += inside[corner]
    return (total / np.maximum(count, 1)).reshape(-1)


@parallel_kernel
def depth_at(position, depth, inside, low, per_cell, out):
    """Depth [cells] at positions (3, n) from the nodes around that are inside; 0 where none is, or beyond the box."""
    for p in prange(position.shape[1]):
        x = position[0, p] * per_cell - low[0]
        y = position[1, p] * per_cell - low[1]
        z = position[2, p] * per_cell - low[2]
        i, j, k = np.int64(np.floor(x)), np.int64(np.floor(y)), np.int64(np.floor(z))
        out[p] = 0.0
        if i < 0 or j < 0 or k < 0 or i + 1 >= depth.shape[0] or j + 1 >= depth.shape[1] or k + 1 >= depth.shape[2]:
            continue
        fx, fy, fz = x - i, y - j, z - k
        total, weight = 0.0, 0.0
        for s in range(8):
            a, b, c = s >> 2, s >> 1 & 1, s & 1
            if inside[i + a, j + b, k + c]:
                w = (fx if a else 1.0 - fx) * (fy if b else 1.0 - fy) * (fz if c else 1.0 - fz)
                total += w * depth[i + a, j + b, k + c]
                weight += w
        out[p] = total / weight if weight > 1.0e-6 else 0.0


DISCRETE, HYBRID, CONTINUUM = 0, 1, 2
OUTER, INNER = CENTRE - HALF_WIDTH, CENTRE + HALF_WIDTH
"""Depths between which grains and points stand side by side."""


def grain_zones(depth: np.ndarray, zone: np.ndarray) -> np.ndarray:
    """New zones of grains at a depth [cells] (n,), from those they had: int32 (n,).

    Whole grains never vanish: they become hybrid first. KEEP on either side of a border stops them from going to and fro.
    """
    from_discrete = np.where(depth > OUTER + KEEP, HYBRID, DISCRETE)
    from_hybrid = np.where(depth > INNER + KEEP, CONTINUUM, np.where(depth < OUTER - KEEP, DISCRETE, HYBRID))
    return np.where(zone == DISCRETE, from_discrete, from_hybrid).astype(np.int32)


def point_zones(depth: np.ndarray, zone: np.ndarray) -> np.ndarray:
    """New zones of points, likewise: whole ones never vanish."""
    from_continuum = np.where(depth < INNER - KEEP, HYBRID, CONTINUUM)
    from_hybrid = np.where(depth > INNER + KEEP, CONTINUUM, np.where(depth < OUTER - KEEP, DISCRETE, HYBRID))
    return np.where(zone == CONTINUUM, from_continuum, from_hybrid).astype(np.int32)
