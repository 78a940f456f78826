"""What walls add to the sums of one step."""

import numpy as np

from ..walls import NearWalls, Walls
from ..walls.density import wall_density
from ..walls.planes import INTERSECTION, INTERSECTION_OF_FIRST, OPPOSITE, UNION, UNION_OF_FIRST
from .motion import interleave
from .passes import Walled


class WallTerms:
    """Asks the walls once per step and turns planes into kernel integrals. Scratch."""

    def __init__(self, h: float, kernel: str) -> None:
        self.h = h
        self.kernel = kernel
        self.points = np.empty((0, 3), np.float32)
        """Where the particles were when `find` was called [m], (n, 3)."""

    def find(self, walls: Walls, position: np.ndarray, count: int) -> tuple[NearWalls, Walled]:
        """Planes near each of the first `count` particles of `position` (3, n), and their weights."""
        if len(self.points) != count:
            self.points = np.empty((count, 3), np.float32)
        interleave(position, count, self.points)
        near = walls.near(self.points, self.points)  # sides as they were before the walls moved
        weight, slope = wall_density(near, self.h, self.kernel)
        return near, Walled(near.row, weight, slope, np.ascontiguousarray(near.plane[:, 0, 4:7]))


def drag_weight(near: NearWalls, h: float) -> np.ndarray:
    """Wall weight of the viscosity term (16) without µ: 15/(2h²) (1+α)(1−α)³ for the nearest plane [1/m²]."""
    distance = np.where(near.count > 0, near.plane[:, 0, 3], np.float32(h))
    alpha = np.clip(distance / np.float32(h), 0.0, 1.0)
    return (7.5 / h**2 * (1.0 + alpha) * (1.0 - alpha) ** 3).astype(np.float32)


def caught(near: NearWalls, spacing: float) -> np.ndarray:
    """Particles between walls that face each other less than a spacing apart, indices.

    There is no room for them: whatever their pressure, they cannot yield, and it would grow without end. They have none.
    The two sides of a thin plate do not face each other, and beside a convex edge only that face counts which the particle has
    in front of it.
    """
    rows = np.flatnonzero((near.count > 1) & (near.particle >= 0) & (near.shape != INTERSECTION))
    shape = near.shape[rows]
    written = np.arange(3) < near.count[rows, None]
    plane = np.where(written[:, :, None], near.plane[rows], np.float32(0.0))
    distance = np.where(written, plane[:, :, 3], np.float32(np.inf))
    # the face of an edge that holds the particle: the farther one
    edge = 1 + (distance[:, 2] > distance[:, 1])
    found = np.zeros(len(rows), bool)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        facing = np.einsum("ij,ij->i", plane[:, one, :3], plane[:, other, :3]) < OPPOSITE
        if one == 0:
            holds = (shape == UNION) | ((shape == UNION_OF_FIRST) & (edge == other))
        else:
            holds = (shape == UNION) | ((shape == INTERSECTION_OF_FIRST) & (distance[:, 1:].min(axis=1) > distance[:, 0]))
        found |= holds & facing & (distance[:, one] + distance[:, other] < np.float32(spacing))
    return near.particle[rows[found]]
