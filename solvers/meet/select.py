"""Which particles can touch another kind: a coarse map of who is where, so that only an interface costs anything."""

import numpy as np

from ..jit import kernel, parallel_kernel, prange

CHUNK = 4096


@parallel_kernel
def mark_blocks(position, count, low, inverse, shape, bit, blocks):
    """Set `bit` in every block of the map that holds a particle.

    position: (3, n); low: (3,) corner of the map [m]; inverse: 1 / block edge; blocks: uint32, flat, C order of `shape`.
    Threads may write the same byte, but always the same value: one kind is marked at a time into a map of its own.
    """
    for chunk in prange((count + CHUNK - 1) // CHUNK):
        for i in range(chunk * CHUNK, min(count, (chunk + 1) * CHUNK)):
            a = int(np.floor((position[0, i] - low[0]) * inverse))
            b = int(np.floor((position[1, i] - low[1]) * inverse))
            c = int(np.floor((position[2, i] - low[2]) * inverse))
            if 0 <= a < shape[0] and 0 <= b < shape[1] and 0 <= c < shape[2]:
                blocks[(a * shape[1] + b) * shape[2] + c] = bit


@kernel
def spread_marks(blocks, shape, spread):
    """Bits of each block and of its 26 neighbours together."""
    for a in range(shape[0]):
        for b in range(shape[1]):
            for c in range(shape[2]):
                bits = 0
                for i in range(max(a - 1, 0), min(a + 2, shape[0])):
                    for j in range(max(b - 1, 0), min(b + 2, shape[1])):
                        for k in range(max(c - 1, 0), min(c + 2, shape[2])):
                            bits |= blocks[(i * shape[1] + j) * shape[2] + k]
                spread[(a * shape[1] + b) * shape[2] + c] = bits


@kernel
def in_company(position, count, low, inverse, shape, bit, spread, chosen):
    """Indices of the particles in blocks near which another kind is, in order; returns how many."""
    found = 0
    for i in range(count):
        a = int(np.floor((position[0, i] - low[0]) * inverse))
        b = int(np.floor((position[1, i] - low[1]) * inverse))
        c = int(np.floor((position[2, i] - low[2]) * inverse))
        if 0 <= a < shape[0] and 0 <= b < shape[1] and 0 <= c < shape[2]:
            if spread[(a * shape[1] + b) * shape[2] + c] & ~bit:
                chosen[found] = i
                found += 1
    return found
