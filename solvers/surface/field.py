"""The density volume F on the voxels of the blocks, droplets (3.14), and its 3-D Gaussian filter (size none, 3 or 5)."""

import math
from typing import NamedTuple

import numpy as np

from ..jit import inlined, parallel_kernel, prange
from ..simd import load8, max8, min8, splat8, sqrt8, store8
from .blobs import EXTENT_X, EXTENT_Y, EXTENT_Z, WEIGHT, XX, XY, XZ, YY, YZ, ZZ, X, Y, Z
from .blocks import EDGE, Blocks
from .cells import MARGIN as _MARGIN
from .cells import Cells, column
from .lanes import STEPS, where_less8

PATCH_ROW = 3 * EDGE
"""Voxels along z of a patch: a block and its two neighbours."""
FILTERS = {"none": (1.0,), "3": (0.25, 0.5, 0.25), "5": (0.0625, 0.25, 0.375, 0.25, 0.0625)}
"""Binomial weights along one axis: the Gaussian of that many voxels."""
SATIN = 0.7
"""Width σ of the Gaussian "satin" [spacings]: bumps as small as particles and pits between them go, ridges of six spacings keep
three quarters of their height."""
_WIDEST = 2.4
"""Widest Gaussian of one pass [voxels]: its filter ends within the neighbouring block."""


class Filter(NamedTuple):
    """A filter along each axis, applied some times."""

    taps: np.ndarray
    """Weights around the middle, float32 (2 k + 1,)."""
    passes: int

    @property
    def whole(self) -> np.ndarray:
        """Weights of all passes together, float64."""
        line = np.ones(1)
        for _ in range(self.passes):
            line = np.convolve(line, self.taps.astype(np.float64))
        return line

    @property
    def reach(self) -> int:
        """Voxels on each side within which nearly all of the weight lies: widths of many passes add up as squares do."""
        return math.ceil(math.sqrt(self.passes) * (len(self.taps) // 2))


def filter_of(smoothing: str, voxel: float) -> Filter:
    """The filter called `smoothing` for voxels of this edge [spacings]."""
    if smoothing != "satin":
        return Filter(np.array(FILTERS["3" if smoothing == "kind" else smoothing], np.float32), 1)
    width = SATIN / voxel
    passes = max(1, math.ceil((width / _WIDEST) ** 2))
    width /= math.sqrt(passes)
    place = np.arange(-math.ceil(3.0 * width), math.ceil(3.0 * width) + 1)
    line = np.exp(-0.5 * (place / width) ** 2)
    return Filter((line / line.sum()).astype(np.float32), passes)


class Cuts(NamedTuple):
    """Wall planes beyond which a particle adds nothing. Lengths in particle spacings, local coordinates."""

    of: np.ndarray
    """Row of each sorted particle in the arrays below, −1 without a wall, int32 (n,)."""
    plane: np.ndarray
    """Normal and offset of up to three planes, float32 (m, 3, 4); distance = n·x + offset."""
    count: np.ndarray
    """Number of planes, int32 (m,)."""
    shape: np.ndarray
    """How the half-spaces make up the wall, int32 (m,); see `walls.NearWalls`."""
    depth: np.float32
    """How far beyond the plane the cut is."""


@inlined
def _plane_row(cuts, row, p, x, y, z0, voxel):
    """Distances of eight voxels along z to one plane."""
    nz = cuts.plane[row, p, 2]
    start = cuts.plane[row, p, 0] * x + cuts.plane[row, p, 1] * y + nz * z0 + cuts.plane[row, p, 3]
    return splat8(start) + splat8(nz * voxel) * load8(STEPS, 0)


@inlined
def _wall_row(cuts, row, x, y, z0, voxel):
    """Distances of eight voxels along z to the wall that the planes of one particle make up."""
    distance = _plane_row(cuts, row, 0, x, y, z0, voxel)
    shape = cuts.shape[row]
    if cuts.count[row] > 1:
        other = _plane_row(cuts, row, 1, x, y, z0, voxel)
        if cuts.count[row] > 2:
            third = _plane_row(cuts, row, 2, x, y, z0, voxel)
            other = max8(other, third) if shape == 1 or shape == 2 else min8(other, third)
        distance = max8(distance, other) if shape == 1 or shape == 3 else min8(distance, other)
    return distance


@inlined
def _cut_row(distance, depth, voxel):
    """Eight factors: 1 on the fluid's side of the cut, 0 beyond, with a ramp one voxel wide."""
    ramp = (distance + splat8(depth)) * splat8(np.float32(1.0) / voxel) + splat8(np.float32(0.5))
    return min8(max8(ramp, splat8(np.float32(0.0))), splat8(np.float32(1.0)))


@parallel_kernel
def density_volume(cells: Cells, blob, cuts: Cuts, blocks: Blocks, part, voxel, reach, volume, behind):
    """Adds F to the voxels of the blocks part[0] … part[1] − 1 of `volume`, float32 flat (b·512,).

    `reach`: farthest a blob extends from its particle [spacings].

    `behind`, float32 (2, b·512), gets the wall distance as the particles at each voxel see it, times and beside its weight.
    """
    edge = voxel * np.float32(EDGE)
    width = voxel * np.float32(EDGE - 1)
    per_voxel = np.float32(1.0) / voxel
    per_cell = np.float32(1.0) / cells.size
    zero = splat8(np.float32(0.0))
    one = splat8(np.float32(1.0))
    for b in prange(part[0], part[1]):
        behind_distance, behind_weight = behind[0], behind[1]
        bx = np.float32(blocks.index[b, 0]) * edge
        by = np.float32(blocks.index[b, 1]) * edge
        bz = np.float32(blocks.index[b, 2]) * edge
        steps = load8(STEPS, 0) * splat8(voxel)
        x_low, x_high = cell_range(bx, width, reach, per_cell)
        y_low, y_high = cell_range(by, width, reach, per_cell)
        z_low, z_high = cell_range(bz, width, reach, per_cell)
        for cx in range(x_low, x_high + 1):
            for cy in range(y_low, y_high + 1):
                first, last = column(cells, cx, cy, z_low, z_high)
                for i in range(first, last):
                    x = blob[i, X] - bx
                    y = blob[i, Y] - by
                    z = blob[i, Z] - bz
                    ex, ey, ez = blob[i, EXTENT_X], blob[i, EXTENT_Y], blob[i, EXTENT_Z]
                    if z - ez > width or z + ez < np.float32(0.0):
                        continue
                    i_low = max(0, int(math.ceil((x - ex) * per_voxel)))
                    i_high = min(EDGE - 1, int(math.floor((x + ex) * per_voxel)))
                    j_low = max(0, int(math.ceil((y - ey) * per_voxel)))
                    j_high = min(EDGE - 1, int(math.floor((y + ey) * per_voxel)))
                    xx, yy, zz = blob[i, XX], blob[i, YY], blob[i, ZZ]
                    xy, xz, yz = blob[i, XY], blob[i, XZ], blob[i, YZ]
                    weight = splat8(blob[i, WEIGHT])
                    dz = steps - splat8(z)
                    bend = splat8(zz) * dz
                    least = np.float32(0.25) / zz
                    cut = cuts.of[i]
                    for ii in range(i_low, i_high + 1):
                        dx = np.float32(ii) * voxel - x
                        for jj in range(j_low, j_high + 1):
                            dy = np.float32(jj) * voxel - y
                            constant = dx * (xx * dx + xy * dy) + yy * dy * dy
                            slope = xz * dx + yz * dy
                            if constant - slope * slope * least >= np.float32(1.0):
                                continue
                            q2 = splat8(constant) + dz * (splat8(slope) + bend)
                            t = one - sqrt8(where_less8(q2, zero, zero, q2))
                            t = where_less8(t, zero, zero, t)
                            at = ((b * EDGE + ii) * EDGE + jj) * EDGE
                            add = weight * t * t
                            if cut >= 0:
                                distance = _wall_row(cuts, cut, bx + x + dx, by + y + dy, bz, voxel)
                                sharp = add * add  # the nearest particle knows best
                                store8(behind_distance, at, load8(behind_distance, at) + sharp * distance)
                                store8(behind_weight, at, load8(behind_weight, at) + sharp)
                                add = add * _cut_row(distance, cuts.depth, voxel)
                            store8(volume, at, load8(volume, at) + add)


@inlined
def cell_range(low, width, reach, per_cell):
    """First and last cell (with the margin of `sort_into_cells`) that may hold particles reaching [low, low + width]."""
    first = int((low - reach) * per_cell + np.float32(_MARGIN))
    last = int((low + width + reach) * per_cell + np.float32(_MARGIN))
    return max(0, first), max(0, last)


@inlined
def load_patch(volume, beside, b, halo, patch, missing_is_nan):
    """Copies a block and what is around it to `patch`: rows of 24 along z, the block's own voxels at 8 … 15.

    There are (8 + 2 halo)² rows. A missing neighbour repeats the edge of the block, or is NaN.
    """
    size = EDGE + 2 * halo
    for i in range(size):
        vi = i - halo
        for j in range(size):
            vj = j - halo
            row = (i * size + j) * PATCH_ROW
            table = ((vi + EDGE) // EDGE * 3 + (vj + EDGE) // EDGE) * 3
            for nk in range(3):
                source = beside[b, table + nk]
                if source >= 0:
                    base = ((source * EDGE + (vi & 7)) * EDGE + (vj & 7)) * EDGE
                    store8(patch, row + 8 * nk, load8(volume, base))
                elif missing_is_nan:
                    store8(patch, row + 8 * nk, splat8(np.float32(np.nan)))
                else:
                    base = ((b * EDGE + min(max(vi, 0), 7)) * EDGE + min(max(vj, 0), 7)) * EDGE
                    if nk == 1:
                        store8(patch, row + 8, load8(volume, base))
                    else:
                        store8(patch, row + 8 * nk, splat8(volume[base + (7 if nk == 2 else 0)]))


@parallel_kernel
def gaussian_filter(volume, beside, taps, result):
    """Writes the volume after a separable filter with up to 17 weights along each axis to `result`."""
    halo = taps.size // 2
    size = EDGE + 2 * halo
    for b in prange(beside.shape[0]):
        patch = np.empty(size * size * PATCH_ROW, np.float32)
        load_patch(volume, beside, b, halo, patch, False)
        along_z = np.empty(size * size * EDGE, np.float32)
        for row in range(size * size):
            total = splat8(np.float32(0.0))
            for t in range(taps.size):
                total = total + splat8(taps[t]) * load8(patch, row * PATCH_ROW + EDGE - halo + t)
            store8(along_z, row * EDGE, total)
        for i in range(size):
            for j in range(EDGE):
                total = splat8(np.float32(0.0))
                for t in range(taps.size):
                    total = total + splat8(taps[t]) * load8(along_z, (i * size + j + t) * EDGE)
                store8(patch, (i * EDGE + j) * EDGE, total)
        for i in range(EDGE):
            for j in range(EDGE):
                total = splat8(np.float32(0.0))
                for t in range(taps.size):
                    total = total + splat8(taps[t]) * load8(patch, ((i + t) * EDGE + j) * EDGE)
                store8(result, ((b * EDGE + i) * EDGE + j) * EDGE, total)
