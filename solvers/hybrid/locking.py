"""One rate of volume change for a cell: what keeps dense flow from locking.

Grains hardly change their volume while they shear. Eight points a cell that each demand it have more demands than the cell's
nodes have freedom, so that the material sticks (volumetric locking; Hughes, "Generalization of selective integration
procedures to anisotropic and nonlinear media"; Mast, Mackenzie-Helnwein, Arduino, Miller, Shin, "Mitigating kinematic locking
in the material point method"). Therefore the trace of every point's velocity gradient is replaced by the divergence in the
middle of its cell, from the cell's eight corners; shape changes stay each point's own.
"""

import numpy as np

from ..jit import parallel_kernel, prange
from ..walls.borrow import borrowed

_THIRD = np.float32(1.0 / 3.0)
_QUARTER = np.float32(0.25)


@parallel_kernel
def share_divergence(all_position, all_velocity, all_affine, all_tiles, all_node, per_cell, dt):
    """Change the diagonal of `affine` float32 (9, n) after a gather; `node` float32 (tiles, 64, 4) holds velocities.

    The cell is that of the place before the step, x − v Δt: there the gather has read its nodes.
    """
    for part in prange(len(all_tiles.part) - 1):
        position, velocity, affine = borrowed(all_position), borrowed(all_velocity), borrowed(all_affine)
        node, around, origin, start = (
            borrowed(all_node), borrowed(all_tiles.around), borrowed(all_tiles.origin), borrowed(all_tiles.start),
        )  # fmt: skip
        for tile in range(all_tiles.part[part], all_tiles.part[part + 1]):
            for p in range(start[tile], start[tile + 1]):
                # +4: tiles at offsets −1 … 1 have their nodes at 0 … 11
                i = np.int64(np.floor((position[0, p] - dt * velocity[0, p]) * per_cell)) - origin[tile, 0] + 4
                j = np.int64(np.floor((position[1, p] - dt * velocity[1, p]) * per_cell)) - origin[tile, 1] + 4
                k = np.int64(np.floor((position[2, p] - dt * velocity[2, p]) * per_cell)) - origin[tile, 2] + 4
                rate, known = np.float32(0.0), True
                for corner in range(8):
                    a, b, c = corner >> 2, corner >> 1 & 1, corner & 1
                    u, v, w = i + a, j + b, k + c
                    owner = np.int64(around[tile, (u >> 2) * 9 + (v >> 2) * 3 + (w >> 2)])
                    n = (u & 3) << 4 | (v & 3) << 2 | (w & 3)
                    if owner < 0 or node[owner, n, 3] <= np.float32(0.0):
                        known = False
                        break
                    rate += node[owner, n, 0] if a else -node[owner, n, 0]
                    rate += node[owner, n, 1] if b else -node[owner, n, 1]
                    rate += node[owner, n, 2] if c else -node[owner, n, 2]
                if known:
                    own = affine[0, p] + affine[4, p] + affine[8, p]
                    change = _THIRD * (_QUARTER * per_cell * rate - own)
                    affine[0, p] += change
                    affine[4, p] += change
                    affine[8, p] += change
