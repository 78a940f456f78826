"""Grains and continuum agree in velocity at the nodes of the grid, equation (8).

Grains of the hybrid zone give mass and momentum to the nodes by the material points' own weights, with all that other grains
have done to them since the last time. The nodes then have v = (M_c v_c + M_d v_d)/(M_c + M_d), masses carrying the weight ½
already, and both sides take it. A grain of the hybrid zone therefore follows the continuum exactly: to the grains outside it is a
piece of rough ground that moves with the continuum and hands on their push. Stress between hybrid grains is the continuum's
affair; they do not touch each other. What one side gives the other takes, so that momentum changes by rounding only; sums
over grains are in the order of the grains.

(Grains that take only the change of the nodes' velocity, and push each other at half strength, were tried first: the innermost
have nobody behind them and sink into the continuum, for the mean of a cell cannot hold its innermost grain.)
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..jit import inlined, kernel, parallel_kernel, prange
from ..mpm.tiles import Tiles
from ..walls.borrow import borrowed

if TYPE_CHECKING:
    from .continuum import Continuum

_STENCIL = 27
_NARROW = 0.02
"""Least spread of nodes, in cells squared, that a gradient is taken over."""
_PART = 512
"""Grains that one thread handles at a time."""


class Meeting(NamedTuple):
    """Nodes with mass that grains reach, and with what weight. Where the continuum has no material, it can neither hold nor carry
    a grain: such nodes are left out."""

    node: np.ndarray
    """Index into the flat nodes, or -1, int32 (n, 27)."""
    weight: np.ndarray
    """float64 (n, 27)."""
    reach: np.ndarray
    """Sum of the weights of the nodes that are not left out, (n,)."""
    middle: np.ndarray
    """Mean place of those nodes from the first one [cells], (3, n)."""


@inlined
def _key(i, j, k):
    """One number for a tile's place that sorts like (i, j, k), each in −2²⁰ … 2²⁰."""
    return ((np.int64(i) + (1 << 20)) << 42) | ((np.int64(j) + (1 << 20)) << 21) | (np.int64(k) + (1 << 20))


@inlined
def _find(keys, key):
    """Place of `key` in sorted keys or -1."""
    low, high = np.int64(0), np.int64(len(keys))
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < len(keys) and keys[low] == key else np.int64(-1)


@inlined
def _weights(x, half):
    """First node and three weights of a box of half width `half` seen through a hat, as in `mpm.transfer`."""
    base = np.floor(x - half)
    f = x - base
    u = max(f - (1.0 - half), 0.0)
    q = u * u * (0.25 / half)
    return np.int64(base), 1.0 - f + q, f - 2.0 * q, q


@kernel
def _meet_some(first, end, position, per_cell, half, keys, tile_of, nodes, meeting):
    """Fill the rows first … end − 1 of a `Meeting` for positions (3, n)."""
    for p in range(first, end):
        i0, x0, x1, x2 = _weights(position[0, p] * per_cell, half)
        j0, y0, y1, y2 = _weights(position[1, p] * per_cell, half)
        k0, z0, z1, z2 = _weights(position[2, p] * per_cell, half)
        last, found = np.int64(-1), np.int64(-1)
        total, x, y, z = 0.0, 0.0, 0.0, 0.0
        for s in range(27):
            a, b, c = s // 9, s // 3 % 3, s % 3
            wx = x0 if a == 0 else x1 if a == 1 else x2
            wy = y0 if b == 0 else y1 if b == 1 else y2
            wz = z0 if c == 0 else z1 if c == 1 else z2
            i, j, k = i0 + a, j0 + b, k0 + c
            key = _key(i >> 2, j >> 2, k >> 2)
            if key != last:
                last, found = key, _find(keys, key)
            n = np.int64(-1) if found < 0 else tile_of[found] * 64 + ((i & 3) << 4 | (j & 3) << 2 | (k & 3))
            if n >= 0 and not nodes[n, 3] > 0.0:
                n = np.int64(-1)
            w = wx * wy * wz
            meeting.node[p, s], meeting.weight[p, s] = n, w
            if n >= 0:
                total, x, y, z = total + w, x + w * a, y + w * b, z + w * c
        meeting.reach[p] = total
        if total > 0.0:
            meeting.middle[0, p], meeting.middle[1, p], meeting.middle[2, p] = x / total, y / total, z / total


@parallel_kernel
def _meet(position, per_cell, half, keys, tile_of, all_node, all_meeting):
    """Fill a `Meeting`."""
    count = position.shape[1]
    for part in prange((count + _PART - 1) // _PART):
        nodes, meeting = borrowed(all_node), borrowed(all_meeting)
        _meet_some(part * _PART, min(count, (part + 1) * _PART), position, per_cell, half, keys, tile_of, nodes, meeting)


@kernel
def _give(meeting, all_node, mass, velocity, affine, cell):
    """Mass and affine momentum of grains onto the nodes (n, 4), in the order of the grains."""
    node, reach, middle = borrowed(all_node), meeting.reach, meeting.middle
    for p in range(len(mass)):
        if reach[p] <= 0.0:
            continue
        for s in range(27):
            n = meeting.node[p, s]
            if n >= 0:
                share = meeting.weight[p, s] * mass[p] / reach[p]
                x, y, z = cell * (s // 9 - middle[0, p]), cell * (s // 3 % 3 - middle[1, p]), cell * (s % 3 - middle[2, p])
                for axis in range(3):
                    along = affine[axis, p] * x + affine[3 + axis, p] * y + affine[6 + axis, p] * z
                    node[n, axis] += share * (velocity[axis, p] + along)
                node[n, 3] += share


@kernel
def _take_some(first, end, meeting, node, per_cell, velocity, affine):
    """Rows first … end − 1 of `_take`."""
    reach, middle = meeting.reach, meeting.middle
    for p in range(first, end):
        if reach[p] <= 0.0:
            continue
        u, v, t = 0.0, 0.0, 0.0
        xx, yy, zz, ux, uy, uz, vx, vy, vz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for s in range(27):
            n = meeting.node[p, s]
            if n >= 0:
                w = meeting.weight[p, s] / reach[p]
                a, b, c = w * node[n, 0], w * node[n, 1], w * node[n, 2]
                x, y, z = s // 9 - middle[0, p], s // 3 % 3 - middle[1, p], s % 3 - middle[2, p]
                u, v, t = u + a, v + b, t + c
                xx, yy, zz = xx + w * x * x, yy + w * y * y, zz + w * z * z
                ux, vx, tx = ux + a * x, vx + b * x, tx + c * x
                uy, vy, ty = uy + a * y, vy + b * y, ty + c * y
                uz, vz, tz = uz + a * z, vz + b * z, tz + c * z
        velocity[0, p], velocity[1, p], velocity[2, p] = u, v, t
        xx, yy, zz = per_cell / max(xx, _NARROW), per_cell / max(yy, _NARROW), per_cell / max(zz, _NARROW)
        affine[0, p], affine[1, p], affine[2, p] = ux * xx, vx * xx, tx * xx
        affine[3, p], affine[4, p], affine[5, p] = uy * yy, vy * yy, ty * yy
        affine[6, p], affine[7, p], affine[8, p] = uz * zz, vz * zz, tz * zz


@parallel_kernel
def _take(all_meeting, all_node, per_cell, velocity, affine):
    """Velocity of the nodes around each grain, and its gradient (9, n) as in `mpm.transfer`: Σ w v (x_i − x̄) / Σ w (x_i − x̄)²."""
    count = velocity.shape[1]
    for part in prange((count + _PART - 1) // _PART):
        node, meeting = borrowed(all_node), borrowed(all_meeting)
        _take_some(part * _PART, min(count, (part + 1) * _PART), meeting, node, per_cell, velocity, affine)


def _sorted_tiles(tiles: Tiles) -> tuple[np.ndarray, np.ndarray]:
    """Keys of the tiles in rising order, and the tile of each."""
    place = tiles.origin.astype(np.int64) >> 2
    keys = ((place[:, 0] + (1 << 20)) << 42) | ((place[:, 1] + (1 << 20)) << 21) | (place[:, 2] + (1 << 20))
    order = np.argsort(keys, kind="stable")
    return keys[order], order.astype(np.int64)


class Coupling:
    """One meeting of hybrid grains with the nodes: `give` between scatter and update, `take` between update and gather."""

    def __init__(self, position: np.ndarray, continuum: "Continuum") -> None:
        """Grains at `position` float64 (3, n)."""
        grid = continuum.grid
        assert grid.tiles is not None
        self.cell = grid.cell
        self.nodes = grid.nodes.reshape(-1, 4)
        count = position.shape[1]
        self.meeting = Meeting(
            np.empty((count, _STENCIL), np.int32), np.empty((count, _STENCIL)), np.zeros(count), np.zeros((3, count))
        )
        keys, tile_of = _sorted_tiles(grid.tiles)
        _meet(np.ascontiguousarray(position), 1.0 / grid.cell, grid.transfer.half, keys, tile_of, self.nodes, self.meeting)

    def give(self, mass: np.ndarray, velocity: np.ndarray, affine: np.ndarray) -> None:
        """Add the grains' mass [kg] (n,) and momentum, by velocity [m/s] (3, n) and gradient [1/s] (9, n), float64, to the
        nodes'."""
        _give(self.meeting, self.nodes, mass, velocity, affine, self.cell)

    def take(self, velocity: np.ndarray, affine: np.ndarray) -> None:
        """Bring velocities and gradients of the grains to those of the nodes. Grains beyond all nodes keep theirs."""
        _take(self.meeting, self.nodes, 1.0 / self.cell, velocity, affine)
