"""Particles and their mirror images, sorted and turned into blobs."""

from typing import NamedTuple

import numpy as np

from ..walls.ghosts import Ghosts
from .blobs import EXTENT_X, EXTENT_Z, WEIGHT, X, make_blobs
from .calibrate import Calibration
from .cells import Cells, sort_into_cells
from .shape import crowding, smoothing_shift, spread

WALL_NEAR = 0.9
"""A particle this close to a wall [spacings] makes the surface touch it."""


_COMPANY = 1.5
"""Σ(1−q)², oneself included, from which a particle is part of a body, a sheet or a thread. One that flies alone has 1."""


class Particles(NamedTuple):
    """Particles, then images, in cell order."""

    cells: Cells
    parent: np.ndarray
    """−1 for a particle, else the unsorted index of the one it mirrors, int64 (n,)."""
    place: np.ndarray
    """Sorted place of each unsorted particle or image, int64 (n,)."""
    density: np.ndarray
    """Σ(1−q)², float32 (n,)."""


def sort_particles(local: np.ndarray, ghosts: Ghosts, known: Calibration) -> Particles:
    """Sorts positions [spacings], float32 (n, 3), with their images and counts how crowded each is."""
    everything = np.concatenate([local, ghosts.position]) if len(ghosts.position) else local
    cells = sort_into_cells(everything, known.crowd_radius)
    place = np.empty(len(everything), np.int64)
    place[cells.order] = np.arange(len(everything))
    parent = np.concatenate([np.full(len(local), -1, np.int64), ghosts.parent])[cells.order]
    density = crowding(cells, parent, known.crowd_radius)
    density[place[len(local) :]] = density[place[ghosts.parent]]
    return Particles(cells, parent, place, density)


def _mirror_vectors(particles: Particles, ghosts: Ghosts, vectors: np.ndarray) -> None:
    """Fills the images' columns of `vectors`, (3, n), from their particles."""
    image = particles.place[len(ghosts.cut) :]
    vectors[:, image] = np.einsum("gij,jg->ig", ghosts.turn, vectors[:, particles.place[ghosts.parent]])


def _mirror_axes(particles: Particles, ghosts: Ghosts, axes: np.ndarray) -> None:
    """The same for symmetric matrices, (n, 6): A → H A Hᵀ."""
    full = axes[particles.place[ghosts.parent]][:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)
    turned = np.einsum("gij,gjk,glk->gil", ghosts.turn, full, ghosts.turn)
    axes[particles.place[len(ghosts.cut) :]] = turned.reshape(-1, 9)[:, [0, 4, 8, 1, 2, 5]]


def shaped_blobs(particles: Particles, ghosts: Ghosts, known: Calibration, anisotropic: bool, spray: float = 1.0) -> np.ndarray:
    """Blobs of all particles and images, float32 (n, 16). An image has the mirrored blob of its particle.

    `spray`: size of particles that fly alone, in the size that they have by their volume.
    """
    cells, parent, place, density = particles
    axes = np.zeros((len(density), 6), np.float32)
    axes[:, :3] = known.radius**2
    shift = np.zeros((3, len(density)), np.float32)
    if anisotropic:
        about = spread(cells, parent, density, known)
        about.deficit[place[len(ghosts.cut) :]] = about.deficit[place[ghosts.parent]]
        _mirror_vectors(particles, ghosts, about.pull)
        axes = about.axes
        _mirror_axes(particles, ghosts, axes)
        shift = smoothing_shift(cells, parent, about, known)
        _mirror_vectors(particles, ghosts, shift)
    blob = make_blobs(cells, density, axes, shift, known.radius, known.weights)
    if spray < 1.0:
        _shrink_spray(blob, density, spray)
    return blob


def _shrink_spray(blob: np.ndarray, density: np.ndarray, spray: float) -> None:
    """Gives lone particles the weight of smaller drops: a ball w (1−q)² = 1 ends at q = 1 − w^(−1/2)."""
    company = np.clip((density - 1.0) / (_COMPANY - 1.0), 0.0, 1.0)
    ends = 1.0 - 1.0 / np.sqrt(np.maximum(blob[:, WEIGHT], 1.0))
    smaller = (1.0 - ends * (spray + (1.0 - spray) * company)) ** -2
    blob[:, WEIGHT] = np.where(company < 1.0, np.minimum(blob[:, WEIGHT], smaller), blob[:, WEIGHT])


def surface_particles(particles: Particles, ghosts: Ghosts, known: Calibration) -> np.ndarray:
    """Particles that the surface is close to, bool (n,), in cell order."""
    marked = (particles.density < np.float32(known.shallow_density)) & (particles.parent < 0)
    marked[particles.place[: len(ghosts.cut)]] |= ghosts.wall_distance < WALL_NEAR
    return marked


def farthest_reach(particles: Particles, blob: np.ndarray) -> float:
    """Farthest that a blob extends from its particle's place along an axis [spacings]."""
    axes = (particles.cells.x, particles.cells.y, particles.cells.z)
    moved = max(float(np.abs(blob[:, X + axis] - axes[axis][: len(blob)]).max()) for axis in range(3))
    return float(blob[:, EXTENT_X : EXTENT_Z + 1].max()) + moved
