"""The blob of each particle, ready to be added up on the voxels: w (1−q)² with q² = dᵀ A⁻¹ d (droplets (3.14), made anisotropic).

The weight w(ρ) R³/√det A makes one level, F = 1, right for every crowd ρ, see `calibrate`; the root keeps a flat blob's mass.
Lengths are in particle spacings.
"""

import math
from typing import NamedTuple

import numpy as np

from ..jit import parallel_kernel, prange
from .cells import Cells

X, Y, Z, EXTENT_X, EXTENT_Y, EXTENT_Z, XX, YY, ZZ, XY, XZ, YZ, WEIGHT = range(13)
"""Columns of a blob. XX … YZ are the entries of A⁻¹, the mixed ones doubled; the extents are half the bounding box."""
BLOB_WIDTH = 16
"""One cache line."""


TABLE_SIZE = 512


class WeightTable(NamedTuple):
    """Weight of a blob over the logarithm of its particle's density, from 1 on."""

    value: np.ndarray
    """float32 (512,)."""
    per_log: np.float32
    """Entries per unit of the natural logarithm."""


@parallel_kernel
def _make_blobs(cells: Cells, density, axes, shift, radius, table: WeightTable, blob):
    for i in prange(density.size):
        xx, yy, zz = axes[i, 0], axes[i, 1], axes[i, 2]
        xy, xz, yz = axes[i, 3], axes[i, 4], axes[i, 5]
        cxx = yy * zz - yz * yz
        cyy = xx * zz - xz * xz
        czz = xx * yy - xy * xy
        cxy = xz * yz - xy * zz
        cxz = xy * yz - xz * yy
        cyz = xy * xz - yz * xx
        determinant = xx * cxx + xy * cxy + xz * cxz
        scale = np.float32(1.0) / determinant
        blob[i, X] = cells.x[i] + shift[0, i]
        blob[i, Y] = cells.y[i] + shift[1, i]
        blob[i, Z] = cells.z[i] + shift[2, i]
        blob[i, EXTENT_X] = math.sqrt(xx)
        blob[i, EXTENT_Y] = math.sqrt(yy)
        blob[i, EXTENT_Z] = math.sqrt(zz)
        blob[i, XX] = cxx * scale
        blob[i, YY] = cyy * scale
        blob[i, ZZ] = czz * scale
        blob[i, XY] = np.float32(2.0) * cxy * scale
        blob[i, XZ] = np.float32(2.0) * cxz * scale
        blob[i, YZ] = np.float32(2.0) * cyz * scale
        flatness = radius * radius * radius / math.sqrt(determinant)
        place = min(math.log(max(density[i], np.float32(1.0))) * table.per_log, np.float32(TABLE_SIZE - 1.001))
        entry = int(place)
        part = place - np.float32(entry)
        weight = table.value[entry] + part * (table.value[entry + 1] - table.value[entry])
        blob[i, WEIGHT] = weight * flatness


def make_blobs(
    cells: Cells, density: np.ndarray, axes: np.ndarray, shift: np.ndarray, radius: float, weights: WeightTable
) -> np.ndarray:
    """Rows of numbers, float32 (n, 16), in the order of the cells."""
    blob = np.zeros((len(density), BLOB_WIDTH), np.float32)
    _make_blobs(cells, density, axes, shift, np.float32(radius), weights, blob)
    return blob
