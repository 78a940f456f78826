"""Which tiles of the grid are in use, and the particles sorted by tile and cell.

The grid has no box: space is cut into tiles of 4 × 4 × 4 cells, found by hashing, so that cost and memory follow the
particles. A particle belongs to the tile that holds the first node of its stencil when it was sorted; it may wander up to
one cell before the next sort. Its nodes therefore lie in a *block* of 8 × 8 × 8 nodes, one before the tile to three after.

Each tile scatters into a block of its own, and each node sums the blocks that reach it in a fixed order: no two threads
ever write the same number, and the sums do not depend on how many threads there are.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel, parallel_kernel, prange
from ..state import State

TILE = 4
"""Cells along the edge of a tile."""
NODES = TILE**3
BLOCK = 8
"""Nodes along the edge of a block: 4 of the tile, 2 of the stencil, and one on either side for wandering."""
BLOCK_FLOATS = 4 * BLOCK**3 + 16
"""A block with room for reading past its last node."""
MOST_DRIFT = 0.95
"""Farthest a particle may wander between two sorts, in cells."""
_PARTS = 32
"""The tiles are cut into this many parts of equal work; fixed, whatever the number of threads."""
_FAR = 1 << 20
_EMPTY = np.int64(-1)


class Tiles(NamedTuple):
    """The tiles of one sort. Tiles that hold particles come first; the others are only reached by stencils."""

    origin: np.ndarray
    """Cell of each tile's corner, int32 (tiles, 3)."""
    start: np.ndarray
    """First particle of each particle tile, and one past the last, int64 (particle tiles + 1,)."""
    cell: np.ndarray
    """First particle of each cell of the particle tiles, 64 a tile, and one past the last, int64 (64 particle tiles + 1,)."""
    around: np.ndarray
    """Tile at each of the 27 offsets (−1 … 1 along x, y, z; z fastest) or −1, int32 (tiles, 27)."""
    part: np.ndarray
    """First particle tile of each part of equal work, int64 (parts + 1,)."""

    @property
    def count(self) -> int:
        return len(self.origin)

    @property
    def holding(self) -> int:
        """Tiles that hold particles."""
        return len(self.start) - 1


@inlined
def _key(i, j, k):
    """One number for a tile's place, i, j, k in −2²⁰ … 2²⁰."""
    return ((np.int64(i) + _FAR) << 42) | ((np.int64(j) + _FAR) << 21) | (np.int64(k) + _FAR)


@inlined
def _slot(keys, key):
    """Where `key` is in the hash table, or the empty place where it belongs."""
    mask = len(keys) - 1
    place = (key ^ (key >> 21) * np.int64(0x9E3779B1) ^ (key >> 42) * np.int64(0x85EBCA6B)) & mask
    while keys[place] != _EMPTY and keys[place] != key:
        place = (place + 1) & mask
    return place


@kernel
def _assign(position, count, per_cell, half, keys, index, origin, place):
    """Tile and cell of every particle: place = 64 tile + cell. Returns the number of tiles, or −1 if the table is too small."""
    found, last_key, last_tile = 0, _EMPTY, 0
    most = len(origin)
    for p in range(count):
        i = np.int32(np.floor(position[0, p] * per_cell - half))
        j = np.int32(np.floor(position[1, p] * per_cell - half))
        k = np.int32(np.floor(position[2, p] * per_cell - half))
        key = _key(i >> 2, j >> 2, k >> 2)
        if key != last_key:
            slot = _slot(keys, key)
            if keys[slot] == _EMPTY:
                if found == most:
                    return -1
                keys[slot], index[slot] = key, found
                origin[found, 0], origin[found, 1], origin[found, 2] = (i >> 2) << 2, (j >> 2) << 2, (k >> 2) << 2
                found += 1
            last_key, last_tile = key, index[slot]
        place[p] = last_tile * NODES + ((i & 3) << 4 | (j & 3) << 2 | (k & 3))
    return found


@kernel
def _sorted_order(place, cell, order):
    """Stable counting sort of 0 … n−1 by `place`; `cell` is filled with where every cell begins."""
    cell[:] = 0
    for p in range(len(place)):
        cell[place[p] + 1] += 1
    for value in range(len(cell) - 1):
        cell[value + 1] += cell[value]
    offset = cell.copy()
    for p in range(len(place)):
        order[offset[place[p]]] = p
        offset[place[p]] += 1


@kernel
def _surround(keys, index, origin, holding, around):
    """Add the tiles around those that hold particles, then fill in who is where. Returns the number of tiles."""
    found = holding
    for tile in range(holding):
        i, j, k = origin[tile, 0] >> 2, origin[tile, 1] >> 2, origin[tile, 2] >> 2
        for offset in range(27):
            di, dj, dk = offset // 9 - 1, offset // 3 % 3 - 1, offset % 3 - 1
            key = _key(i + di, j + dj, k + dk)
            slot = _slot(keys, key)
            if keys[slot] == _EMPTY:
                keys[slot], index[slot] = key, found
                origin[found, 0], origin[found, 1], origin[found, 2] = (i + di) << 2, (j + dj) << 2, (k + dk) << 2
                found += 1
    for tile in range(found):
        i, j, k = origin[tile, 0] >> 2, origin[tile, 1] >> 2, origin[tile, 2] >> 2
        for offset in range(27):
            slot = _slot(keys, _key(i + offset // 9 - 1, j + offset // 3 % 3 - 1, k + offset % 3 - 1))
            around[tile, offset] = index[slot] if keys[slot] != _EMPTY else -1
    return found


@parallel_kernel
def _permute(source, order, target):
    """target[:, i] = source[:, order[i]] for all components, bits as they are."""
    chunks = (order.size + 4095) // 4096
    for c in prange(chunks):
        for component in range(source.shape[0]):
            for i in range(c * 4096, min(order.size, (c + 1) * 4096)):
                target[component, i] = source[component, order[i]]


def _bits(array: np.ndarray) -> np.ndarray:
    """An array of the state as int32 (components, capacity)."""
    return array.view(np.int32).reshape(-1, array.shape[-1])


def _equal_parts(start: np.ndarray) -> np.ndarray:
    """Cut the particle tiles where the work (particles, and a little for the tile itself) is divided evenly."""
    work = np.diff(start) + 30
    reached = np.concatenate([[0], np.cumsum(work)])
    goals = reached[-1] * np.arange(1, _PARTS) / _PARTS
    inner = np.searchsorted(reached, goals)
    return np.concatenate([[0], inner, [len(work)]]).astype(np.int64)


def find_tiles(state: State, cell: float, half: float) -> Tiles:
    """Sort `state` by tile and cell; every array of the state is reordered. `half` is the particle's half width in cells."""
    count = state.count
    place, order = np.empty(count, np.int32), np.empty(count, np.int32)
    room = max(64, count // 64)
    while True:
        slots = 1 << int(np.ceil(np.log2(27 * room * 2)))
        keys, index = np.full(slots, _EMPTY, np.int64), np.empty(slots, np.int32)
        origin = np.empty((27 * room, 3), np.int32)
        per_cell = np.float32(1.0 / cell)
        holding = _assign(state["position"], count, per_cell, np.float32(half), keys, index, origin[:room], place)
        if holding >= 0:
            break
        room *= 4
    cells = np.empty(holding * NODES + 1, np.int64)
    _sorted_order(place, cells, order)
    start = cells[::NODES].copy()
    around = np.empty((27 * holding, 27), np.int32)
    total = _surround(keys, index, origin, holding, around)
    target = state.spare_arrays()
    for name in state.layout:
        _permute(_bits(state[name]), order, _bits(target[name]))
    state.swap()
    return Tiles(origin[:total].copy(), start, cells, around[:total].copy(), _equal_parts(start))
