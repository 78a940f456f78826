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
    convex: np.ndarray
    """int32 (m,)."""
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


def _images(
    corner: tuple[int, ...], plane: np.ndarray, count: np.ndarray, convex: np.ndarray, position: np.ndarray, reach: float
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
        used &= convex == 0
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
    inside = np.ones(len(row), bool)
    for p in range(3):
        outside = _distance(plane[row, p], image) > 1.0e-4
        inside &= ~(outside & (convex[row] == 1) & (count[row] > p))
    return row[inside], image[inside], turn[inside]


def make_ghosts(walls: Any, world: np.ndarray, local: np.ndarray, spacing: float, reach: float) -> Ghosts:
    """Images of the particles at `world` [m], float32 (n, 3), which are `local` in spacings, for blobs of radius `reach`."""
    near = walls.near(world)
    particle = np.flatnonzero(near.row >= 0)
    if len(particle) == 0:
        return no_ghosts(len(world))
    row = near.row[particle]
    plane = np.zeros((len(particle), 3, 4), np.float32)
    plane[:, :, :3] = near.plane[row, :, :3]
    count = near.count[row].astype(np.int32)
    convex = near.shape[row].astype(np.int32)
    position = local[particle]
    gap = near.plane[row, :, 3] / np.float32(spacing)
    plane[:, :, 3] = gap - np.einsum("ijk,ik->ij", plane[:, :, :3], position)
    gap[np.arange(3)[None, :] >= count[:, None]] = np.inf
    cut = np.full(len(world), -1, np.int32)
    cut[particle] = np.arange(len(particle), dtype=np.int32)
    wall_distance = np.full(len(world), np.inf, np.float32)
    wall_distance[particle] = gap.min(axis=1)
    parts = [_images(corner, plane, count, convex, position, reach) for corner in _CORNERS]
    rows, images, turns = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Ghosts(images.astype(np.float32), particle[rows], turns.astype(np.float32), cut, plane, count, convex, wall_distance)
