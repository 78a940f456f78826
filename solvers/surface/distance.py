"""From the density volume to a narrow-band signed distance.

Voxels next to the surface F = 1 know their distance from F and its gradient, and the point of the surface they look at.
Every other voxel of the band finds the nearest of those points, looking along z, then y, then x, and takes the distance to the
tangent plane there. Each block works on its own voxels and four more on each side, so blocks do not depend on each other.
"""

import math

import numpy as np

from ..jit import inlined, parallel_kernel, prange
from ..simd import less8, load8, max8, min8, splat8, sqrt8, store8
from .blocks import EDGE
from .field import PATCH_ROW, load_patch
from .lanes import STEPS, where_less8

HALF_WIDTH = 3
"""Half the width of the band in voxels."""
_HALO = 4
_SIDE = EDGE + 2 * _HALO
_ROWS = _SIDE * _SIDE
_FAR = np.float32(1.0e6)
_NORMAL_X, _NORMAL_Y, _NORMAL_Z, _OWN = range(4)
"""What each voxel beside the surface keeps: the normal there, and its own signed distance."""


@inlined
def _crossed_rows(patch, crossed):
    """Marks the rows of the patch in which the surface passes between a voxel and one of its six neighbours."""
    one = splat8(np.float32(1.0))
    huge = splat8(np.float32(1.0e30))
    outside = np.empty(_ROWS, np.int64)
    inside = np.empty(_ROWS, np.int64)
    for row in range(_ROWS):
        off = 0
        known = 0
        for part in range(3):
            value = load8(patch, row * PATCH_ROW + 8 * part)
            off |= less8(value, one) << (8 * part)
            known |= less8(value, huge) << (8 * part)
        outside[row] = off
        inside[row] = known & ~off
    found = False
    for row in range(_ROWS):
        crossed[row] = False
        i, j = row // _SIDE, row % _SIDE
        if 0 < i < _SIDE - 1 and 0 < j < _SIDE - 1:
            off, on = outside[row], inside[row]
            beside_off = (off << 1) | (off >> 1) | outside[row - 1] | outside[row + 1]
            beside_off |= outside[row - _SIDE] | outside[row + _SIDE]
            beside_on = (on << 1) | (on >> 1) | inside[row - 1] | inside[row + 1]
            beside_on |= inside[row - _SIDE] | inside[row + _SIDE]
            crossed[row] = (((on & beside_off) | (off & beside_on)) & 0x0FFFF0) != 0
            found |= crossed[row]
    return found


@inlined
def _surface_points(patch, at, i, j, k, point, known):
    """Of eight voxels along z from patch[at]: the point of the surface, patch coordinates, and what `known` holds."""
    one = splat8(np.float32(1.0))
    zero = splat8(np.float32(0.0))
    half = splat8(np.float32(0.5))
    tiny = splat8(np.float32(1.0e-12))
    step_x = _SIDE * PATCH_ROW
    a, b = load8(patch, at - step_x) - one, load8(patch, at + step_x) - one
    c, d = load8(patch, at - PATCH_ROW) - one, load8(patch, at + PATCH_ROW) - one
    e, f = load8(patch, at - 1) - one, load8(patch, at + 1) - one
    here = load8(patch, at) - one
    here = where_less8(here * here, tiny * tiny, tiny, here)
    # The steepest neighbour on the other side bounds the distance: θ = here / (here − there) along that axis.
    ratio = one / here
    ratio = min8(min8(min8(a * ratio, b * ratio), min8(c * ratio, d * ratio)), min8(e * ratio, f * ratio))
    limit = one / (one - ratio)
    gx, gy, gz = half * (b - a), half * (d - c), half * (f - e)
    slope = one / sqrt8(gx * gx + gy * gy + gz * gz + tiny * tiny)
    depth = max8(min8(here * slope, limit), zero - limit)
    nx, ny, nz = zero - gx * slope, zero - gy * slope, zero - gz * slope
    far = splat8(_FAR)
    store8(point, at, where_less8(ratio, zero, splat8(np.float32(i)) + depth * nx, far))
    store8(point, at + _ROWS * PATCH_ROW, splat8(np.float32(j)) + depth * ny)
    store8(point, at + 2 * _ROWS * PATCH_ROW, splat8(np.float32(k)) + load8(STEPS, 0) + depth * nz)
    store8(known, at, nx)
    store8(known, at + _ROWS * PATCH_ROW, ny)
    store8(known, at + 2 * _ROWS * PATCH_ROW, nz)
    store8(known, at + 3 * _ROWS * PATCH_ROW, where_less8(ratio, zero, zero - depth, far))


@inlined
def _offer(best, x, y, z, from_x, from_y, from_z, name):
    """Keeps, lane by lane, the nearer of two points. best: squared distance, x, y, z and name of the nearest so far."""
    dx, dy, dz = from_x - x, from_y - y, from_z - z
    d2 = dx * dx + dy * dy + dz * dz
    return (
        where_less8(d2, best[0], d2, best[0]),
        where_less8(d2, best[0], from_x, best[1]),
        where_less8(d2, best[0], from_y, best[2]),
        where_less8(d2, best[0], from_z, best[3]),
        where_less8(d2, best[0], name, best[4]),
    )


@inlined
def _keep(store, row, best):
    store8(store, row * 32, best[1])
    store8(store, row * 32 + 8, best[2])
    store8(store, row * 32 + 16, best[3])
    store8(store, row * 32 + 24, best[4])


@inlined
def _nearest_points(point, crossed, nearest):
    """For the 64 rows of the block: the nearest surface point of each voxel and the patch index of the voxel that knows it.

    nearest: flat (16·16·32,); rows are (i, j) of the patch, then x, y, z and index of eight voxels.
    """
    plane = _ROWS * PATCH_ROW
    z = load8(STEPS, 0) + splat8(np.float32(_HALO))
    far = splat8(_FAR)
    filled = np.zeros(_ROWS, np.bool_)
    # Along z.
    for row in range(_ROWS):
        if crossed[row]:
            x = splat8(np.float32(row // _SIDE))
            y = splat8(np.float32(row % _SIDE))
            best = (splat8(_FAR * _FAR), far, far, far, far)
            for step in range(-HALF_WIDTH, HALF_WIDTH + 1):
                at = row * PATCH_ROW + EDGE + step
                name = splat8(np.float32(at)) + load8(STEPS, 0)
                best = _offer(best, x, y, z, load8(point, at), load8(point, at + plane), load8(point, at + 2 * plane), name)
            _keep(nearest, row, best)
            filled[row] = True
    # Along y, for the eight middle rows; the result lies behind the first table.
    second = _ROWS * 32
    again = np.zeros(_ROWS, np.bool_)
    for i in range(1, _SIDE - 1):
        for j in range(_HALO, _HALO + EDGE):
            row = i * _SIDE + j
            best = (splat8(_FAR * _FAR), far, far, far, far)
            for step in range(-HALF_WIDTH, HALF_WIDTH + 1):
                if filled[row + step]:
                    at = (row + step) * 32
                    best = _offer(
                        best, splat8(np.float32(i)), splat8(np.float32(j)), z,
                        load8(nearest, at), load8(nearest, at + 8), load8(nearest, at + 16), load8(nearest, at + 24),
                    )  # fmt: skip
                    again[row] = True
            if again[row]:
                _keep(nearest, _ROWS + row, best)
    # Along x.
    for i in range(_HALO, _HALO + EDGE):
        for j in range(_HALO, _HALO + EDGE):
            row = i * _SIDE + j
            best = (splat8(_FAR * _FAR), far, far, far, far)
            for step in range(-HALF_WIDTH, HALF_WIDTH + 1):
                if again[row + step * _SIDE]:
                    at = second + (row + step * _SIDE) * 32
                    best = _offer(
                        best, splat8(np.float32(i)), splat8(np.float32(j)), z,
                        load8(nearest, at), load8(nearest, at + 8), load8(nearest, at + 16), load8(nearest, at + 24),
                    )  # fmt: skip
            _keep(nearest, row, best)


@parallel_kernel
def signed_distance(volume, beside, part, result):
    """Distance to the surface in voxels, negative inside, ±3 beyond the band, of the blocks part[0] … part[1] − 1.

    It is written to `result`, float32 flat (b·512,).
    """
    width = np.float32(HALF_WIDTH)
    plane = _ROWS * PATCH_ROW
    for b in prange(part[0], part[1]):
        patch = np.empty(plane, np.float32)
        load_patch(volume, beside, b, _HALO, patch, True)
        # The root of F is straight near a lone blob, (1−q)², so that F = 1 is found between voxels without bias.
        for start in range(0, plane, 8):
            store8(patch, start, sqrt8(load8(patch, start)))
        crossed = np.empty(_ROWS, np.bool_)
        found = _crossed_rows(patch, crossed)
        point = np.empty(3 * plane if found else 1, np.float32)
        known = np.empty(4 * plane if found else 1, np.float32)
        nearest = np.empty(2 * _ROWS * 32 if found else 1, np.float32)
        if found:
            for row in range(_ROWS):
                if crossed[row]:
                    for half in range(2):
                        k = 8 * half
                        _surface_points(patch, row * PATCH_ROW + _HALO + k, row // _SIDE, row % _SIDE, k, point, known)
            _nearest_points(point, crossed, nearest)
        for row in range(EDGE * EDGE):
            i, j = row // EDGE + _HALO, row % EDGE + _HALO
            at = (i * _SIDE + j) * PATCH_ROW + EDGE
            for k in range(EDGE):
                value = width
                if found:
                    own = known[at + k + _OWN * plane] if crossed[i * _SIDE + j] else _FAR
                    if own < _FAR:
                        value = abs(own)
                    else:
                        near = (i * _SIDE + j) * 32 + k
                        dx, dy = np.float32(i) - nearest[near], np.float32(j) - nearest[near + 8]
                        dz = np.float32(k + _HALO) - nearest[near + 16]
                        straight = math.sqrt(dx * dx + dy * dy + dz * dz)
                        if straight < width + np.float32(0.5):
                            name = int(nearest[near + 24])
                            flat = dx * known[name] + dy * known[name + plane] + dz * known[name + 2 * plane]
                            value = min(max(abs(flat), np.float32(0.5) * straight), width)
                if patch[at + k] >= np.float32(1.0):
                    value = -value
                result[(b * EDGE * EDGE + row) * EDGE + k] = value
