"""Weights that put the surface where the liquid is.

Two arrangements fix the two unknowns. A lone particle must show as a ball of its own volume, and the flat surface of a
resting lattice must lie half a spacing above its outermost layer. Both are measured with the blobs and the filter in use, so
blend radius, voxel size, filter and anisotropy change the look and not the volume.
"""

from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from .blobs import WEIGHT, XX, XY, XZ, YY, YZ, ZZ, Weights, Z, make_blobs
from .cells import sort_into_cells
from .field import FILTERS
from .shape import crowding, smoothing_shift, spread

_BALL = (3.0 / (4.0 * np.pi)) ** (1.0 / 3.0)
"""Radius of a ball of volume 1."""
_SHALLOW = 0.15
"""A particle that lacks this part of the bulk density lies at the surface."""
_DEEPEST_LAYERS = 12


class Setting(NamedTuple):
    """What the weights depend on. Lengths in particle spacings."""

    radius: float
    voxel: float
    smoothing: str
    anisotropic: bool


class Calibration(NamedTuple):
    """Everything the kernels need to know about one setting."""

    radius: float
    """Reach of an isotropic blob, large enough for the voxels."""
    bulk_density: float
    """Σ(1−q)² in a full lattice."""
    shallow_density: float
    """Below it a particle lies at the surface."""
    least_deficit: float
    """Missing part of the density from which positions are smoothed."""
    weights: Weights
    ball: float
    """Radius at which a lone particle is shown."""


def _lattice_density(radius: float) -> float:
    reach = int(np.ceil(radius))
    offset = np.array(list(product(range(-reach, reach + 1), repeat=3)), np.float64)
    return float((np.maximum(0.0, 1.0 - np.linalg.norm(offset, axis=1) / radius) ** 2).sum())


def filter_taps(smoothing: str, voxel: float) -> tuple[np.ndarray, np.ndarray]:
    """Offsets, float (t, 3), and weights, float (t,), of the 3-D filter."""
    line = np.array(FILTERS[smoothing])
    steps = (np.arange(len(line)) - len(line) // 2) * voxel
    offset = np.array(list(product(steps, repeat=3)))
    return offset, np.array([a * b * c for a, b, c in product(line, repeat=3)])


def _ball_weight(setting: Setting, radius: float, ball: float) -> float:
    """1 / the filtered blob at distance `ball`, averaged over directions."""
    offset, weight = filter_taps(setting.smoothing, setting.voxel)
    corners = np.array([d for d in product((-1.0, 0.0, 1.0), repeat=3) if any(d)])
    points = ball * corners / np.linalg.norm(corners, axis=1)[:, None]
    q = np.linalg.norm(points[:, None] + offset[None], axis=2) / radius
    return float(1.0 / (np.maximum(0.0, 1.0 - q) ** 2 @ weight).mean())


def _flat_contributions(setting: Setting, radius: float, bulk: float, least_deficit: float) -> tuple[np.ndarray, np.ndarray]:
    """Of every particle of a flat lattice: its density and what it adds, unweighted, to F half a spacing above the top layer."""
    half = int(np.ceil(2.0 * radius)) + 1
    layers = min(int(np.ceil(2.0 * radius)) + 1, _DEEPEST_LAYERS)
    side = 2 * half + 1
    position = np.array(list(product(range(side), range(side), range(layers))), np.float32) + np.float32(0.5)
    cells = sort_into_cells(position, radius)
    parent = np.full(len(position), -1, np.int64)
    density = crowding(cells, parent, radius)
    axes = np.zeros((len(position), 6), np.float32)
    axes[:, :3] = radius**2
    shift = np.zeros((3, len(position)), np.float32)
    if setting.anisotropic:
        about = spread(cells, parent, density, radius, bulk)
        axes = about.axes
        shift = smoothing_shift(cells, parent, about, radius, least_deficit)
    blob = make_blobs(cells, density, axes, shift, radius, Weights(1.0, 0.0, 1.0)).astype(np.float64)
    # One column in the middle stands for all of its layer: points over its square replace the sum over the layer.
    middle = (np.abs(cells.x[: len(position)] - half - 0.5) < 0.5) & (np.abs(cells.y[: len(position)] - half - 0.5) < 0.5)
    chosen = blob[middle]
    offset, weight = filter_taps(setting.smoothing, setting.voxel)
    heights, at = np.unique(offset[:, 2], return_inverse=True)
    height_weight = np.bincount(at.ravel(), weights=weight)
    reach = int(np.ceil(1.5 * radius)) + 1
    fine = 0.25 * (np.arange(-4 * reach, 4 * reach) + 0.5)
    gx, gy = np.meshgrid(fine, fine, indexing="ij")
    added = np.zeros(len(chosen))
    for number, row in enumerate(chosen):
        for height, part in zip(heights, height_weight, strict=True):
            dz = layers + height - row[Z]
            q2 = row[XX] * gx**2 + row[YY] * gy**2 + row[ZZ] * dz**2 + row[XY] * gx * gy + row[XZ] * gx * dz + row[YZ] * gy * dz
            added[number] += part * row[WEIGHT] * (np.maximum(0.0, 1.0 - np.sqrt(np.maximum(q2, 0.0))) ** 2).sum() / 16.0
    return density[middle].astype(np.float64), added


@lru_cache(maxsize=16)
def calibrate(setting: Setting) -> Calibration:
    """Solves for the weights of a setting by bisection of β."""
    radius = max(setting.radius, 1.25 * setting.voxel)
    ball = max(_BALL, 0.87 * setting.voxel)  # no ball may slip between the voxels
    ball = min(ball, 0.8 * radius)
    bulk = _lattice_density(radius)
    alone = _ball_weight(setting, radius, ball)
    least_deficit = 0.5 * _SHALLOW
    density, added = _flat_contributions(setting, radius, bulk, least_deficit)
    low, high = -2.0, 6.0
    for _ in range(60):
        power = 0.5 * (low + high)
        if alone * (added * density**-power).sum() > 1.0:
            low = power
        else:
            high = power
    weights = Weights(alone, 0.5 * (low + high), 1.0)
    return Calibration(radius, bulk, (1.0 - _SHALLOW) * bulk, least_deficit, weights, ball)
