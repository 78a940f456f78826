"""Mirror images of the particles near a wall, so that the surface goes straight into the wall instead of curling up at it.

A particle within reach of a wall plane gets an image behind it; in a concave corner also images of images. The images shape
the density, the blobs and their smoothing; then every particle, image or not, is cut off behind its own walls, so that nothing
shows on the other side of a thin one.
"""

from typing import Any, NamedTuple

import numpy as np

_CORNERS = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
_PARALLEL = 0.7
"""Planes whose normals have a larger |cosine| form no corner."""


class Ghosts(NamedTuple):
    """Images and cuts. Lengths are in particle spacings, in local coordinates."""

    position: np.ndarray
    """float32 (g, 3)."""
    parent: np.ndarray
    """Index of the particle, int64 (g,)."""
    turn: np.ndarray
    """How vectors are mirrored, float32 (g, 3, 3)."""
    cut: np.ndarray
    """Row of each particle in the arrays below, −1 without a wall, int32 (n,)."""
    plane: np.ndarray
    """Normal and offset, distance = n·x + offset, float32 (m, 3, 4)."""
    count: np.ndarray
    """Number of planes, int32 (m,)."""
    shape: np.ndarray
    """How the half-spaces behind the planes make up the wall, int32 (m,); see `walls.NearWalls`."""
    wall_distance: np.ndarray
    """Distance to the nearest wall plane, +inf without one, float32 (n,)."""


def no_ghosts(count: int) -> Ghosts:
    """For a scene without walls."""
    nothing = np.zeros((0, 3), np.float32)
    rows = np.zeros(1, np.int32)
    cut = np.full(count, -1, np.int32)
    far = np.full(count, np.inf, np.float32)
    turn = np.zeros((0, 3, 3), np.float32)
    return Ghosts(nothing, np.zeros(0, np.int64), turn, cut, np.zeros((1, 3, 4), np.float32), rows, rows, far)


def _distance(plane: np.ndarray, position: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", plane[:, :3], position) + plane[:, 3]


def _wall_distance(plane: np.ndarray, count: np.ndarray, shape: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Signed distance to the wall that the planes make up: least over a union, greatest over an intersection."""
    first, second, third = (_distance(plane[:, p], position) for p in range(3))
    inner = np.isin(shape, (1, 2))
    other = np.where(count > 2, np.where(inner, np.maximum(second, third), np.minimum(second, third)), second)
    both = np.where(np.isin(shape, (1, 3)), np.maximum(first, other), np.minimum(first, other))
    return np.where(count > 1, both, first)


def _without_backs(plane: np.ndarray, count: np.ndarray, shape: np.ndarray) -> None:
    """Forgets the far side of thin plates: a particle and its images end behind the side that faces it."""
    cosine = np.einsum("ik,ijk->ij", plane[:, 0, :3], plane[:, :, :3])
    back = (cosine < -_PARALLEL) & (np.arange(3)[None, :] < count[:, None]) & np.isin(shape, (1, 3))[:, None]
    count[(shape == 3) & back.any(axis=1)] = 1  # first ∩ (anything) = first
    moved = (shape == 1) & back[:, 1] & (count == 3)
    plane[moved, 1] = plane[moved, 2]
    count[shape == 1] -= back.sum(axis=1, dtype=np.int32)[shape == 1]


def _images(
    corner: tuple[int, ...], plane: np.ndarray, count: np.ndarray, shape: np.ndarray, position: np.ndarray, reach: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Images across all planes of `corner`: which particles have one, where it is, how vectors turn."""
    used = count > max(corner)
    gap2 = np.zeros(len(position), np.float32)
    for p in corner:
        gap = _distance(plane[:, p], position)
        used &= gap > 0.0
        gap2 += gap * gap
    used &= gap2 < reach * reach
    if len(corner) > 1:
        used &= (shape == 0) | ((shape == 2) & (corner[0] == 0) & (len(corner) == 2))
        for a in corner:
            for b in corner:
                if a < b:
                    used &= np.abs(np.einsum("ij,ij->i", plane[:, a, :3], plane[:, b, :3])) < _PARALLEL
    row = np.flatnonzero(used)
    image = position[row].copy()
    turn = np.tile(np.eye(3, dtype=np.float32), (len(row), 1, 1))
    for p in corner:
        normal = plane[row, p, :3]
        image -= 2.0 * _distance(plane[row, p], image)[:, None] * normal
        turn -= 2.0 * normal[:, :, None] * np.einsum("ij,ijk->ik", normal, turn)[:, None, :]
    # Around a convex edge the wall is only where all planes say so: an image that falls into the open is none.
    inside = _wall_distance(plane[row], count[row], shape[row], image) < 1.0e-4
    return row[inside], image[inside], turn[inside]


def make_ghosts(walls: Any, world: np.ndarray, local: np.ndarray, spacing: float, reach: float) -> Ghosts:
    """Images of the particles at `world` [m], float32 (n, 3), which are `local` in spacings, for blobs of radius `reach`."""
    near = walls.near(world)
    particle = np.flatnonzero(near.row >= 0)
    particle = particle[near.count[near.row[particle]] > 0]
    if len(particle) == 0:
        return no_ghosts(len(world))
    row = near.row[particle]
    count = near.count[row].astype(np.int32)
    known = np.arange(3)[None, :] < count[:, None]
    plane = np.where(known[:, :, None], near.plane[row, :, :4], np.float32(0.0))
    shape = near.shape[row].astype(np.int32)
    position = local[particle]
    gap = plane[:, :, 3] / np.float32(spacing)
    plane[:, :, 3] = gap - np.einsum("ijk,ik->ij", plane[:, :, :3], position)
    _without_backs(plane, count, shape)
    cut = np.full(len(world), -1, np.int32)
    cut[particle] = np.arange(len(particle), dtype=np.int32)
    wall_distance = np.full(len(world), np.inf, np.float32)
    wall_distance[particle] = np.where(count > 0, gap[:, 0], np.inf)
    parts = [_images(corner, plane, count, shape, position, reach) for corner in _CORNERS]
    rows, images, turns = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Ghosts(images.astype(np.float32), particle[rows], turns.astype(np.float32), cut, plane, count, shape, wall_distance)
