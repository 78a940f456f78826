"""The grid between scatter and gather: nodes of four floats in tiles.

`node` is float32 (tiles, 64, 4). After the scatter it holds momentum [kg m/s] and mass [kg]; after the update velocity
[m/s] and mass. Node n of a tile is cell origin + (n // 16, n // 4 % 4, n % 4).
"""

import numpy as np

from ..jit import inlined, parallel_kernel, prange
from ..simd import load8, splat8, store8
from ..walls.borrow import borrowed
from .tiles import BLOCK, BLOCK_FLOATS, NODES, TILE


@inlined
def _add_block(block, source, node, tile, di, dj, dk):
    """Add to the nodes of `tile` what the block of the tile `source`, at offset (di, dj, dk) from it, holds for them.

    Block index b of a tile is its node b − 1; a node n of ours is node n − 4 d of a tile at offset d.
    """
    ilow, ihigh = max(0, 4 * di - 1), min(TILE, 4 * di + BLOCK - 1)
    jlow, jhigh = max(0, 4 * dj - 1), min(TILE, 4 * dj + BLOCK - 1)
    klow, khigh = max(0, 4 * dk - 1), min(TILE, 4 * dk + BLOCK - 1)
    floats = 4 * (khigh - klow)  # 4, 12 or 16
    for i in range(ilow, ihigh):
        for j in range(jlow, jhigh):
            a = (tile * NODES + i * 16 + j * 4 + klow) * 4
            b = (((i - 4 * di + 1) * BLOCK + (j - 4 * dj + 1)) * BLOCK + (klow - 4 * dk + 1)) * 4
            b += source * BLOCK_FLOATS
            whole = floats - floats % 8
            for c in range(0, whole, 8):
                store8(node, a + c, load8(node, a + c) + load8(block, b + c))
            for c in range(whole, floats):
                node[a + c] += block[b + c]


@parallel_kernel
def sum_blocks(all_block, all_around, holding, all_node):
    """Momentum and mass of every node from the blocks that reach it, always in the same order. All but `around` are flat."""
    for tile in prange(all_node.size // (4 * NODES)):
        block, around, node = borrowed(all_block), borrowed(all_around), borrowed(all_node)
        for c in range(tile * NODES * 4, (tile + 1) * NODES * 4, 8):
            store8(node, c, splat8(np.float32(0.0)))
        for offset in range(27):
            source = np.int64(around[tile, offset])
            if source >= 0 and source < holding:
                _add_block(block, source, node, tile, offset // 9 - 1, offset // 3 % 3 - 1, offset % 3 - 1)


@parallel_kernel
def node_velocities(node, dt, gravity, least_mass):
    """Momentum becomes velocity, and gravity acts: v = p/m + Δt g. Nodes of no more than `least_mass` [kg] rest."""
    for tile in prange(len(node)):
        for n in range(NODES):
            mass = node[tile, n, 3]
            inverse = np.float32(1.0) / mass if mass > least_mass else np.float32(0.0)
            pull = dt if mass > least_mass else np.float32(0.0)
            for c in range(3):
                node[tile, n, c] = node[tile, n, c] * inverse + pull * gravity[c]


@parallel_kernel
def node_changes(node, before):
    """before ← velocity now − velocity before: what FLIP adds to the particles."""
    for tile in prange(len(node)):
        for n in range(NODES):
            for c in range(3):
                before[tile, n, c] = node[tile, n, c] - before[tile, n, c]
            before[tile, n, 3] = np.float32(0.0)
