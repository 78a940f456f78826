"""Which blocks of 8³ voxels the surface can pass through, and who is beside whom.

A particle well surrounded by others is deep inside; the surface lies close to the others. Only blocks near those are made,
so cost and memory follow the surface.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel, parallel_kernel, prange
from .cells import Cells, first_at_least, runs_of_equals, sorted_order

EDGE = 8
"""Voxels along the edge of a block: a leaf of OpenVDB."""
MARGIN = 2
"""Blocks left free below the lowest block index, so that neighbours never wrap around."""


class Blocks(NamedTuple):
    """The blocks in ascending order of their key (bx·ny + by)·nz + bz."""

    key: np.ndarray
    """int64 (b,)."""
    index: np.ndarray
    """Block coordinates, int64 (b, 3); block (i, j, k) begins at voxel 8 (i, j, k) of the local grid."""
    beside: np.ndarray
    """The 27 blocks around each, itself in the middle, int32 (b, 27); −1 where there is none."""


@inlined
def _block_of(value, edge):
    return np.int64(np.floor(value / edge))


@kernel
def reached_keys(cells: Cells, marked, reach, edge, ny, nz, keys):
    """Writes the keys, with repeats, of all blocks within `reach` of the box around the marked particles of a cell.

    Returns how many there are; nothing is written beyond the end of `keys`.
    """
    count = 0
    far = np.float32(1.0e30)
    for cell in range(cells.key.size):
        ax, ay, az = far, far, far
        bx, by, bz = -far, -far, -far
        for i in range(cells.start[cell], cells.start[cell + 1]):
            if marked[i]:
                ax, bx = min(ax, cells.x[i]), max(bx, cells.x[i])
                ay, by = min(ay, cells.y[i]), max(by, cells.y[i])
                az, bz = min(az, cells.z[i]), max(bz, cells.z[i])
        if ax > bx:
            continue
        for i in range(_block_of(ax - reach, edge), _block_of(bx + reach, edge) + 1):
            for j in range(_block_of(ay - reach, edge), _block_of(by + reach, edge) + 1):
                for k in range(_block_of(az - reach, edge), _block_of(bz + reach, edge) + 1):
                    if count < keys.size:
                        keys[count] = (i * ny + j) * nz + k
                    count += 1
    return count


@parallel_kernel
def _beside(key, ny, nz, table):
    """Writes the `Blocks.beside` table."""
    for b in prange(key.size):
        for column in range(9):
            base = key[b] + ((column // 3 - 1) * ny + column % 3 - 1) * nz
            found = first_at_least(key, base - 1)
            for k in range(3):
                table[b, 3 * column + k] = -1
                if found < key.size and key[found] == base - 1 + k:
                    table[b, 3 * column + k] = found
                    found += 1


def find_blocks(cells: Cells, marked: np.ndarray, reach: float, voxel: float, shape: np.ndarray) -> Blocks:
    """Blocks within `reach` of a marked particle. `shape`: number of blocks along each axis, with room on both sides."""
    ny, nz = int(shape[1]), int(shape[2])
    keys = np.empty(32 * len(cells.key), np.int64)
    needed = reached_keys(cells, marked, np.float32(reach), np.float32(voxel * EDGE), ny, nz, keys)
    if needed > len(keys):
        keys = np.empty(needed, np.int64)
        reached_keys(cells, marked, np.float32(reach), np.float32(voxel * EDGE), ny, nz, keys)
    keys = keys[:needed]
    order = sorted_order(keys, int(np.prod(shape.astype(object))).bit_length())
    key = runs_of_equals(keys[order])[0]
    index = np.stack([key // (ny * nz), key // nz % ny, key % nz], axis=1)
    table = np.empty((len(key), 27), np.int32)
    _beside(key, ny, nz, table)
    return Blocks(key, index, table)
