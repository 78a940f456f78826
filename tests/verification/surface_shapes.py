"""Clouds of particles in spacings, and measurements on surface volumes."""

from typing import Any

import numpy as np

from solvers.scene import SurfaceParams
from solvers.surface import SurfaceVolume, make_surface
from solvers.watch import Silent

SPACING = 0.01


def lattice(low: tuple[int, int, int], high: tuple[int, int, int]) -> np.ndarray:
    """Integer points from `low` to below `high`, float64 (n, 3)."""
    axes = [np.arange(a, b) for a, b in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3).astype(np.float64)


def ball(radius: float) -> np.ndarray:
    side = int(radius) + 2
    points = lattice((-side, -side, -side), (side + 1, side + 1, side + 1)) + 0.13
    return points[np.linalg.norm(points, axis=1) < radius]


def sheet(side: int, stretch: float = 1.0) -> np.ndarray:
    """One layer of particles, off the voxel planes."""
    return lattice((0, 0, 0), (side, side, 1)) * stretch + [0.0, 0.0, 0.21]


def jittered(points: np.ndarray, amount: float, seed: int = 0) -> np.ndarray:
    return points + np.random.default_rng(seed).uniform(-amount, amount, points.shape)


def surface_of(points: np.ndarray, walls: Any = None, velocity: np.ndarray | None = None, **settings: Any) -> SurfaceVolume:
    """Surface of points given in spacings."""
    position = (points * SPACING).astype(np.float32)
    cloud = {"position": position, "velocity": np.zeros_like(position) if velocity is None else velocity.astype(np.float32)}
    return make_surface(cloud, SPACING, SurfaceParams(**settings), walls, Silent())


def dense(volume: SurfaceVolume) -> tuple[np.ndarray, np.ndarray]:
    """Signed distance in spacings on a box of voxels, and the voxel index of its corner. Gaps are filled along z by sign."""
    low = volume.origin.min(axis=0) - 8
    nx, ny, nz = (int(side) for side in volume.origin.max(axis=0) + 16 - low)
    field = np.full((nx, ny, nz), np.nan)
    for (i, j, k), block in zip(volume.origin - low, volume.phi, strict=True):
        field[i : i + 8, j : j + 8, k : k + 8] = block
    field[:, :, 0] = volume.background
    for k in range(1, field.shape[2]):
        gap = np.isnan(field[:, :, k])
        field[:, :, k][gap] = np.copysign(volume.background, field[:, :, k - 1][gap])
    return field / SPACING, low


def enclosed(volume: SurfaceVolume) -> float:
    """Enclosed volume in cubic spacings: each voxel counts with the part that its distance tells."""
    field, _ = dense(volume)
    voxel = volume.voxel_size / SPACING
    return float(np.clip(0.5 - field / voxel, 0.0, 1.0).sum() * voxel**3)


def sample(volume: SurfaceVolume, points: np.ndarray) -> np.ndarray:
    """Trilinear distance [spacings] at points [spacings]."""
    field, low = dense(volume)
    place = points / (volume.voxel_size / SPACING) - low
    base = np.clip(np.floor(place).astype(int), 0, np.array(field.shape) - 2)
    part = place - base
    total = np.zeros(len(points))
    for corner in np.ndindex(2, 2, 2):
        weight = np.prod(np.where(corner, part, 1.0 - part), axis=1)
        total += weight * field[tuple((base + corner).T)]
    return total


def top_heights(volume: SurfaceVolume, low: float, high: float) -> np.ndarray:
    """Height [spacings] of the highest crossing above every voxel column with low ≤ x, y ≤ high; NaN without one."""
    field, corner = dense(volume)
    voxel = volume.voxel_size / SPACING
    place = [(np.arange(field.shape[axis]) + corner[axis]) * voxel for axis in (0, 1)]
    columns = field[np.ix_(*((along >= low) & (along <= high) for along in place))]
    crossing = (columns[:, :, :-1] < 0.0) & (columns[:, :, 1:] >= 0.0)
    k = crossing.shape[2] - 1 - np.argmax(crossing[:, :, ::-1], axis=2)
    below = np.take_along_axis(columns, k[..., None], 2)[..., 0]
    above = np.take_along_axis(columns, k[..., None] + 1, 2)[..., 0]
    height = (corner[2] + k + below / (below - above)) * voxel
    return np.where(crossing.any(axis=2), height, np.nan)


def roughness(volume: SurfaceVolume, low: float, high: float) -> float:
    """Typical curvature of the upper surface [1/spacing]."""
    h = top_heights(volume, low, high)
    voxel = volume.voxel_size / SPACING
    bend = 4.0 * h[1:-1, 1:-1] - h[2:, 1:-1] - h[:-2, 1:-1] - h[1:-1, 2:] - h[1:-1, :-2]
    return float(np.std(bend) / voxel**2)


def sample_velocity(volume: SurfaceVolume, points: np.ndarray) -> np.ndarray:
    """Trilinear velocity at points [spacings], as Blender samples the grid: 0 where there is no node."""
    assert volume.velocity is not None and volume.velocity_origin is not None
    low, nodes = volume.velocity_origin.min(axis=0), volume.velocity.shape[1]
    field = np.zeros((*(volume.velocity_origin.max(axis=0) + nodes + 1 - low), 3))
    for (i, j, k), block in zip(volume.velocity_origin - low, volume.velocity, strict=True):
        field[i : i + nodes, j : j + nodes, k : k + nodes] = block
    place = points / (volume.velocity_step * volume.voxel_size / SPACING) - low
    base = np.floor(place).astype(int)
    total = np.zeros((len(points), 3))
    for corner in np.ndindex(2, 2, 2):
        weight = np.prod(np.where(corner, place - base, 1.0 - place + base), axis=1)
        total += weight[:, None] * field[tuple((base + corner).T)]
    return total
