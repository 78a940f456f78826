"""Velocity at the nodes around the surface, for motion blur.

The mean velocity of the particles around a node is that of their centre, which near a surface lies deeper than the node. It is
carried to the node by the slope of a line fitted along that way, so that rotation and shear are kept up to the surface.
"""

import math

import numpy as np

from ..jit import inlined, parallel_kernel, prange
from ..simd import load8, splat8, sqrt8, sum8
from .blocks import EDGE, Blocks
from .cells import Cells, column
from .distance import HALF_WIDTH
from .field import cell_range
from .lanes import TAIL_MASKS, where_less8

_STIFF = np.float32(0.02)
"""Variance [spacing²] below which the fitted slope fades: a single layer of particles tells nothing across itself."""
_FARTHEST = np.float32(1.5)
"""Longest way over which velocity is carried [spacings]."""


@inlined
def _beside_band(phi, beside, b, i, j, k):
    """Whether a voxel or one of the 26 around it lies in the band: then the surface may be in a cell that uses this node."""
    for di in range(-1, 2):
        for dj in range(-1, 2):
            for dk in range(-1, 2):
                vi, vj, vk = i + di, j + dj, k + dk
                source = beside[b, ((vi + EDGE) // EDGE * 3 + (vj + EDGE) // EDGE) * 3 + (vk + EDGE) // EDGE]
                at = ((source * EDGE + (vi & 7)) * EDGE + (vj & 7)) * EDGE + (vk & 7)
                if source >= 0 and abs(phi[at]) < np.float32(HALF_WIDTH):
                    return True
    return False


@parallel_kernel
def node_velocity(cells: Cells, speed, blocks: Blocks, part, phi, voxel, step, radius, velocity, near):
    """Writes the velocity at every `step`-th voxel of the blocks, float32 (b, n³, 3), and whether the node is used, bool (b, n³).

    Only of the blocks part[0] … part[1] − 1. `speed`: velocities in cell order, float32 (3, n + 8); `phi`: flat distance in
    voxels; lengths in particle spacings.
    """
    nodes = EDGE // step
    per_cell = np.float32(1.0) / cells.size
    nothing = np.float32(0.0)
    for b in prange(part[0], part[1]):
        zero = splat8(nothing)
        one = splat8(np.float32(1.0))
        inverse = splat8(np.float32(1.0) / radius)
        speed_x, speed_y, speed_z = speed[0], speed[1], speed[2]
        runs = np.empty((256, 2), np.int64)
        for node in range(nodes * nodes * nodes):
            i = node // (nodes * nodes) * step
            j = node // nodes % nodes * step
            k = node % nodes * step
            if not _beside_band(phi, blocks.beside, b, i, j, k):
                continue
            px = np.float32(blocks.index[b, 0] * EDGE + i) * voxel
            py = np.float32(blocks.index[b, 1] * EDGE + j) * voxel
            pz = np.float32(blocks.index[b, 2] * EDGE + k) * voxel
            x_low, x_high = cell_range(px, nothing, radius, per_cell)
            y_low, y_high = cell_range(py, nothing, radius, per_cell)
            z_low, z_high = cell_range(pz, nothing, radius, per_cell)
            run_count = 0
            for cx in range(x_low, x_high + 1):
                for cy in range(y_low, y_high + 1):
                    first, last = column(cells, cx, cy, z_low, z_high)
                    if last > first and run_count < 256:
                        runs[run_count, 0], runs[run_count, 1] = first, last
                        run_count += 1
            x, y, z = splat8(px), splat8(py), splat8(pz)
            w0, wx, wy, wz = zero, zero, zero, zero
            for r in range(run_count):
                for p in range(runs[r, 0], runs[r, 1], 8):
                    dx = load8(cells.x, p) - x
                    dy = load8(cells.y, p) - y
                    dz = load8(cells.z, p) - z
                    w = one - sqrt8(dx * dx + dy * dy + dz * dz) * inverse
                    w = where_less8(w, zero, zero, w) * load8(TAIL_MASKS, 8 * min(runs[r, 1] - p, 8))
                    w = w * w
                    w0 = w0 + w
                    wx = wx + w * dx
                    wy = wy + w * dy
                    wz = wz + w * dz
            weight = sum8(w0)
            if weight <= nothing:
                continue
            near[b, node] = True
            mx, my, mz = sum8(wx) / weight, sum8(wy) / weight, sum8(wz) / weight
            way = math.sqrt(mx * mx + my * my + mz * mz)
            scale = np.float32(1.0) / max(way, np.float32(1.0e-6))
            ex, ey, ez = splat8(mx * scale), splat8(my * scale), splat8(mz * scale)
            middle = splat8(way)
            vx, vy, vz = zero, zero, zero
            sx, sy, sz, cc = zero, zero, zero, zero
            for r in range(run_count):
                for p in range(runs[r, 0], runs[r, 1], 8):
                    dx = load8(cells.x, p) - x
                    dy = load8(cells.y, p) - y
                    dz = load8(cells.z, p) - z
                    w = one - sqrt8(dx * dx + dy * dy + dz * dz) * inverse
                    w = where_less8(w, zero, zero, w) * load8(TAIL_MASKS, 8 * min(runs[r, 1] - p, 8))
                    w = w * w
                    c = dx * ex + dy * ey + dz * ez - middle
                    ux = w * load8(speed_x, p)
                    uy = w * load8(speed_y, p)
                    uz = w * load8(speed_z, p)
                    vx = vx + ux
                    vy = vy + uy
                    vz = vz + uz
                    sx = sx + ux * c
                    sy = sy + uy * c
                    sz = sz + uz * c
                    cc = cc + w * c * c
            carry = -min(way, _FARTHEST) / (sum8(cc) + _STIFF * weight)
            velocity[b, node, 0] = sum8(vx) / weight + carry * sum8(sx)
            velocity[b, node, 1] = sum8(vy) / weight + carry * sum8(sy)
            velocity[b, node, 2] = sum8(vz) / weight + carry * sum8(sz)
