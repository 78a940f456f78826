"""What each particle looks like: how crowded it is, how its neighbours spread, and the blob it therefore becomes.

Anisotropic blobs follow the idea of Yu & Turk, "Reconstructing surfaces of particle-based fluids using anisotropic
kernels" (2013): the weighted covariance C of the neighbours gives the blob its axes, and positions are smoothed.
Two things differ. The squared semi-axes are R² (ε + (1 − ε) C/C_bulk), which limits their ratio to 1/√ε without an
eigenvalue solve. And positions are moved by the *difference* between a particle's pull towards its neighbours and the
mean pull of the surface around it, so that bumps go but a flat surface, and with it the volume, stays.

Lengths are in particle spacings.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..jit import parallel_kernel, prange
from ..simd import load8, splat8, sqrt8, sum8
from .cells import Cells, column
from .lanes import TAIL_MASKS, where_less8

if TYPE_CHECKING:
    from .calibrate import Calibration

_CHUNK = 64
"""Cells per parallel task; a constant, so that nothing depends on the thread count."""

AXIS_RATIO = 2.0
"""Longest over shortest axis of a blob at most."""
_SMOOTHED = np.float32(0.9)
"""Part of a bump that position smoothing removes (λ of Yu & Turk)."""
_BUMP = np.float32(0.3)
"""Size of the largest bump that is smoothed [spacings]."""
_LONELY, _CROWD = np.float32(3.0), np.float32(6.0)
"""Sum of neighbour weights, oneself included, below which a blob stays a ball, and above which it is fully shaped."""
_BULK_VARIANCE = np.float32(0.15)
"""Variance along one axis of a full neighbourhood weighted by 1 − q³, over R²: ∫(1−q³)q⁴ / (3 ∫(1−q³)q²)."""


class Spread(NamedTuple):
    """How the neighbours of each particle lie, in sorted order."""

    pull: np.ndarray
    """Weighted mean offset of the neighbours, float32 (3, n + 8)."""
    deficit: np.ndarray
    """Missing part of the density, 0 in the bulk, float32 (n + 8,)."""
    shaped: np.ndarray
    """0 for a droplet that stays a ball, 1 for a particle in company, float32 (n,)."""
    axes: np.ndarray
    """Squared semi-axes as a symmetric matrix xx, yy, zz, xy, xz, yz, float32 (n, 6)."""


@parallel_kernel
def _crowding(cells: Cells, parent, radius, density):
    cell_count = cells.key.size
    zero = splat8(np.float32(0.0))
    one = splat8(np.float32(1.0))
    inverse = splat8(np.float32(1.0) / radius)
    for chunk in prange((cell_count + _CHUNK - 1) // _CHUNK):
        run = np.empty((9, 2), np.int64)
        for cell in range(chunk * _CHUNK, min(cell_count, (chunk + 1) * _CHUNK)):
            key = cells.key[cell]
            iz = key % cells.nz
            iy = (key // cells.nz) % cells.ny
            ix = key // (cells.nz * cells.ny)
            for k in range(9):
                run[k, 0], run[k, 1] = column(cells, ix + k // 3 - 1, iy + k % 3 - 1, iz - 1, iz + 1)
            for i in range(cells.start[cell], cells.start[cell + 1]):
                if parent[i] >= 0:
                    continue
                x = splat8(cells.x[i])
                y = splat8(cells.y[i])
                z = splat8(cells.z[i])
                total = zero
                for k in range(9):
                    end = run[k, 1]
                    for j in range(run[k, 0], end, 8):
                        dx = load8(cells.x, j) - x
                        dy = load8(cells.y, j) - y
                        dz = load8(cells.z, j) - z
                        t = one - sqrt8(dx * dx + dy * dy + dz * dz) * inverse
                        t = where_less8(t, zero, zero, t) * load8(TAIL_MASKS, 8 * min(end - j, 8))
                        total = total + t * t
                density[i] = sum8(total)


def crowding(cells: Cells, parent: np.ndarray, radius: float) -> np.ndarray:
    """Σ(1−q)² over all neighbours and oneself (droplets (3.2)), float32 (n,). Mirror images (parent ≥ 0) are left at 0."""
    density = np.zeros(len(parent), np.float32)
    _crowding(cells, parent, np.float32(radius), density)
    return density


@parallel_kernel
def _spread(cells: Cells, parent, density, radius, blob_radius, flattest, bulk_density, about: Spread):
    pull = about.pull
    deficit = about.deficit
    shaped = about.shaped
    axes = about.axes
    cell_count = cells.key.size
    zero = splat8(np.float32(0.0))
    one = splat8(np.float32(1.0))
    inverse = splat8(np.float32(1.0) / radius)
    unit = np.float32(1.0)
    stretch = blob_radius / radius
    for chunk in prange((cell_count + _CHUNK - 1) // _CHUNK):
        run = np.empty((9, 2), np.int64)
        for cell in range(chunk * _CHUNK, min(cell_count, (chunk + 1) * _CHUNK)):
            key = cells.key[cell]
            iz = key % cells.nz
            iy = (key // cells.nz) % cells.ny
            ix = key // (cells.nz * cells.ny)
            found = False
            for i in range(cells.start[cell], cells.start[cell + 1]):
                axes[i, 0] = axes[i, 1] = axes[i, 2] = blob_radius * blob_radius
                missing = unit - density[i] / bulk_density
                if parent[i] >= 0 or missing <= np.float32(0.0):
                    continue
                deficit[i] = missing
                if not found:
                    found = True
                    for k in range(9):
                        run[k, 0], run[k, 1] = column(cells, ix + k // 3 - 1, iy + k % 3 - 1, iz - 1, iz + 1)
                x = splat8(cells.x[i])
                y = splat8(cells.y[i])
                z = splat8(cells.z[i])
                w0 = zero
                wx = zero
                wy = zero
                wz = zero
                wxx = zero
                wyy = zero
                wzz = zero
                wxy = zero
                wxz = zero
                wyz = zero
                for k in range(9):
                    end = run[k, 1]
                    for j in range(run[k, 0], end, 8):
                        dx = load8(cells.x, j) - x
                        dy = load8(cells.y, j) - y
                        dz = load8(cells.z, j) - z
                        q = sqrt8(dx * dx + dy * dy + dz * dz) * inverse
                        w = one - q * q * q
                        w = where_less8(w, zero, zero, w) * load8(TAIL_MASKS, 8 * min(end - j, 8))
                        w0 = w0 + w
                        ux = w * dx
                        uy = w * dy
                        uz = w * dz
                        wx = wx + ux
                        wy = wy + uy
                        wz = wz + uz
                        wxx = wxx + ux * dx
                        wyy = wyy + uy * dy
                        wzz = wzz + uz * dz
                        wxy = wxy + ux * dy
                        wxz = wxz + ux * dz
                        wyz = wyz + uy * dz
                weight = sum8(w0)
                scale = unit / weight
                mx = sum8(wx) * scale
                my = sum8(wy) * scale
                mz = sum8(wz) * scale
                pull[0, i] = mx
                pull[1, i] = my
                pull[2, i] = mz
                share = min(max((weight - _LONELY) / (_CROWD - _LONELY), np.float32(0.0)), unit)
                shaped[i] = share
                gain = share * (unit - flattest) / _BULK_VARIANCE * stretch * stretch
                base = blob_radius * blob_radius * (unit - share + share * flattest)
                axes[i, 0] = base + gain * (sum8(wxx) * scale - mx * mx)
                axes[i, 1] = base + gain * (sum8(wyy) * scale - my * my)
                axes[i, 2] = base + gain * (sum8(wzz) * scale - mz * mz)
                axes[i, 3] = gain * (sum8(wxy) * scale - mx * my)
                axes[i, 4] = gain * (sum8(wxz) * scale - mx * mz)
                axes[i, 5] = gain * (sum8(wyz) * scale - my * mz)


def spread(cells: Cells, parent: np.ndarray, density: np.ndarray, known: "Calibration") -> Spread:
    """Pull and axes of every particle that is not in the bulk; see `Spread`."""
    radii = np.float32(known.crowd_radius), np.float32(known.radius)
    count = len(density)
    pull = np.zeros((3, count + 8), np.float32)
    about = Spread(pull, np.zeros(count + 8, np.float32), np.zeros(count, np.float32), np.zeros((count, 6), np.float32))
    _spread(cells, parent, density, *radii, np.float32(known.flattest), np.float32(known.bulk_density), about)
    return about


@parallel_kernel
def _smoothing_shift(cells: Cells, parent, about: Spread, radius, least_deficit, shift):
    cell_count = cells.key.size
    zero = splat8(np.float32(0.0))
    one = splat8(np.float32(1.0))
    inverse = splat8(np.float32(1.0) / radius)
    for chunk in prange((cell_count + _CHUNK - 1) // _CHUNK):
        run = np.empty((9, 2), np.int64)
        pull_x = about.pull[0]
        pull_y = about.pull[1]
        pull_z = about.pull[2]
        for cell in range(chunk * _CHUNK, min(cell_count, (chunk + 1) * _CHUNK)):
            key = cells.key[cell]
            iz = key % cells.nz
            iy = (key // cells.nz) % cells.ny
            ix = key // (cells.nz * cells.ny)
            found = False
            for i in range(cells.start[cell], cells.start[cell + 1]):
                if parent[i] >= 0 or about.deficit[i] < least_deficit or about.shaped[i] <= np.float32(0.0):
                    continue
                if not found:
                    found = True
                    for k in range(9):
                        run[k, 0], run[k, 1] = column(cells, ix + k // 3 - 1, iy + k % 3 - 1, iz - 1, iz + 1)
                x = splat8(cells.x[i])
                y = splat8(cells.y[i])
                z = splat8(cells.z[i])
                w0 = zero
                wx = zero
                wy = zero
                wz = zero
                for k in range(9):
                    end = run[k, 1]
                    for j in range(run[k, 0], end, 8):
                        dx = load8(cells.x, j) - x
                        dy = load8(cells.y, j) - y
                        dz = load8(cells.z, j) - z
                        q = sqrt8(dx * dx + dy * dy + dz * dz) * inverse
                        w = one - q * q * q
                        w = where_less8(w, zero, zero, w) * load8(TAIL_MASKS, 8 * min(end - j, 8)) * load8(about.deficit, j)
                        w0 = w0 + w
                        wx = wx + w * load8(pull_x, j)
                        wy = wy + w * load8(pull_y, j)
                        wz = wz + w * load8(pull_z, j)
                own = about.deficit[i]
                scale = np.float32(1.0) / max(sum8(w0) - own, np.float32(1.0e-6))
                mx = about.pull[0, i] - (sum8(wx) - own * about.pull[0, i]) * scale
                my = about.pull[1, i] - (sum8(wy) - own * about.pull[1, i]) * scale
                mz = about.pull[2, i] - (sum8(wz) - own * about.pull[2, i]) * scale
                # A bump is small; what sticks out farther is an edge or a droplet, and stays.
                large = (mx * mx + my * my + mz * mz) / (_BUMP * _BUMP)
                part = _SMOOTHED * about.shaped[i] / (np.float32(1.0) + large * large)
                shift[0, i] = part * mx
                shift[1, i] = part * my
                shift[2, i] = part * mz


def smoothing_shift(cells: Cells, parent: np.ndarray, about: Spread, known: "Calibration") -> np.ndarray:
    """How far each surface particle moves to even out bumps, float32 (3, n): λ (pull − mean pull of the surface around)."""
    shift = np.zeros((3, len(parent)), np.float32)
    _smoothing_shift(cells, parent, about, np.float32(known.crowd_radius), np.float32(known.least_deficit), shift)
    return shift
