"""Grains and continuum agree in velocity at the nodes of the grid, equation (8).

Grains of the hybrid zone give mass and momentum to the nodes by the material points' own weights. Both sides then take the
velocity of an inelastic meeting, v = (M_c v_c + M_d v_d)/(M_c + M_d): masses carry the weight ½ already. What each node
gives to one side it takes from the other, so that momentum changes by rounding only; sums over grains are float64 and in
the order of the grains.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..jit import inlined, kernel
from ..mpm.tiles import Tiles
from ..walls.borrow import borrowed

if TYPE_CHECKING:
    from .continuum import Continuum

_STENCIL = 27
STRICT = 0.0
"""How far grains take the nodes' velocity itself rather than its change. The former is the constraint of (6), but one collapsing
column reached only two thirds of its run-out with 1 and eight tenths with 0.1; 0 came nearest to All grains and is kept."""


class Meeting(NamedTuple):
    """Nodes that grains reach, and with what weight."""

    node: np.ndarray
    """Index into the flat nodes, or -1 where the grid has none, int64 (n, 27)."""
    weight: np.ndarray
    """float64 (n, 27)."""


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
def _stencils(position, per_cell, half, keys, tile_of, node, weight):
    """Fill a `Meeting` for positions (3, n)."""
    for p in range(position.shape[1]):
        i0, x0, x1, x2 = _weights(position[0, p] * per_cell, half)
        j0, y0, y1, y2 = _weights(position[1, p] * per_cell, half)
        k0, z0, z1, z2 = _weights(position[2, p] * per_cell, half)
        last, found = np.int64(-1), np.int64(-1)
        for s in range(27):
            a, b, c = s // 9, s // 3 % 3, s % 3
            wx = x0 if a == 0 else x1 if a == 1 else x2
            wy = y0 if b == 0 else y1 if b == 1 else y2
            wz = z0 if c == 0 else z1 if c == 1 else z2
            i, j, k = i0 + a, j0 + b, k0 + c
            key = _key(i >> 2, j >> 2, k >> 2)
            if key != last:
                last, found = key, _find(keys, key)
            weight[p, s] = wx * wy * wz
            node[p, s] = -1 if found < 0 else tile_of[found] * 64 + ((i & 3) << 4 | (j & 3) << 2 | (k & 3))


def meet(position: np.ndarray, tiles: Tiles, cell: float, half: float) -> Meeting:
    """Nodes and weights of grains at `position` [m], float64 (3, n)."""
    place = tiles.origin.astype(np.int64) >> 2
    keys = ((place[:, 0] + (1 << 20)) << 42) | ((place[:, 1] + (1 << 20)) << 21) | (place[:, 2] + (1 << 20))
    order = np.argsort(keys, kind="stable")
    count = position.shape[1]
    meeting = Meeting(np.empty((count, _STENCIL), np.int64), np.empty((count, _STENCIL)))
    _stencils(np.ascontiguousarray(position), 1.0 / cell, half, keys[order], order.astype(np.int64), *meeting)
    return meeting


@kernel
def _give(meeting, mass, velocity, carried):
    """Mass and momentum of grains onto the nodes, float64 (nodes, 4), in the order of the grains."""
    for p in range(len(mass)):
        for s in range(27):
            n = meeting.node[p, s]
            if n >= 0:
                share = meeting.weight[p, s] * mass[p]
                carried[n, 3] += share
                for axis in range(3):
                    carried[n, axis] += share * velocity[axis, p]


@kernel
def _agree(all_node, carried):
    """Equation (8) where both sides have mass: the node gets the common velocity and the total mass.

    Momenta of `carried` become mean velocities; where the continuum is absent its mass becomes 0.
    """
    node = borrowed(all_node)
    for n in range(len(carried)):
        own, other = np.float64(node[n, 3]), carried[n, 3]
        if own > 0.0 and other > 0.0:
            for axis in range(3):
                node[n, axis] = np.float32((own * node[n, axis] + carried[n, axis]) / (own + other))
            node[n, 3] = np.float32(own + other)
        if other > 0.0:
            for axis in range(3):
                carried[n, axis] /= other
        if own <= 0.0:
            carried[n, 3] = 0.0


@kernel
def _take(meeting, all_node, carried, strict, velocity, change):
    """New velocities (3, n), a blend of v + Σ w (v_i − v_d) and Σ w v_i, and the change Σ w (v_i − v_d) alone.

    Where the grid has no material, v_i is the grains' own mean, or the grain's own velocity beyond the tiles.
    """
    node = borrowed(all_node)
    for p in range(velocity.shape[1]):
        missing = 1.0
        for axis in range(3):
            change[axis, p] = 0.0
        x, y, z = 0.0, 0.0, 0.0
        for s in range(27):
            n, w = meeting.node[p, s], meeting.weight[p, s]
            if n < 0:
                continue
            missing -= w
            shared = carried[n, 3] > 0.0
            u = np.float64(node[n, 0]) if shared else carried[n, 0]
            v = np.float64(node[n, 1]) if shared else carried[n, 1]
            t = np.float64(node[n, 2]) if shared else carried[n, 2]
            change[0, p] += w * (u - carried[n, 0])
            change[1, p] += w * (v - carried[n, 1])
            change[2, p] += w * (t - carried[n, 2])
            x, y, z = x + w * u, y + w * v, z + w * t
        x, y, z = x + missing * velocity[0, p], y + missing * velocity[1, p], z + missing * velocity[2, p]
        velocity[0, p] += (1.0 - strict) * change[0, p] + strict * (x - velocity[0, p])
        velocity[1, p] += (1.0 - strict) * change[1, p] + strict * (y - velocity[1, p])
        velocity[2, p] += (1.0 - strict) * change[2, p] + strict * (z - velocity[2, p])


def material_places(position: np.ndarray, tiles: Tiles, cell: float, half: float) -> np.ndarray:
    """Mean place [m] of the points (3, n) that reach each node, float64 (nodes, 3); NaN where none does."""
    carried = np.zeros((64 * tiles.count, 4))
    place = position.astype(np.float64)
    _give(meet(place, tiles, cell, half), np.ones(place.shape[1]), place, carried)
    return carried[:, :3] / np.where(carried[:, 3:] > 0.0, carried[:, 3:], np.nan)


class Coupling:
    """One meeting of hybrid grains with the nodes: `give`, let walls act on the nodes, `take`."""

    def __init__(self, position: np.ndarray, continuum: "Continuum") -> None:
        """Grains at `position` float64 (3, n)."""
        grid = continuum.grid
        assert grid.tiles is not None
        self.meeting = meet(position, grid.tiles, grid.cell, grid.transfer.half)
        self.nodes = grid.nodes.reshape(-1, 4)
        self.carried = np.zeros((len(self.nodes), 4))

    def give(self, mass: np.ndarray, velocity: np.ndarray) -> None:
        """Grains' mass [kg] (n,) and velocity [m/s] (3, n), float64, meet the nodes' velocities."""
        _give(self.meeting, mass, velocity, self.carried)
        _agree(self.nodes, self.carried)

    def take(self, velocity: np.ndarray) -> np.ndarray:
        """Bring the grains' velocities float64 (3, n) to those of the nodes; returns the part of the change that nodes see."""
        change = np.empty_like(velocity)
        _take(self.meeting, self.nodes, self.carried, STRICT, velocity, change)
        return change
