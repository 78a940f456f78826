"""What water does to walls: the opposite of every wall term of a step, so that momentum of water and walls together is kept."""

import numpy as np

from ..walls import NearWalls
from ..walls.reaction import WallReaction
from .passes import Walled

_BLUR = 1.0e-3
"""Normals closer than the root of this count as one where an impulse is shared out."""


class WaterReaction:
    """Adds the terms of one step to the walls' account."""

    def __init__(self, account: WallReaction, near: NearWalls, h: float, position: np.ndarray, mass: np.ndarray) -> None:
        """position: (3, n) [m]; mass: (n,) [kg]. The arrays of `near` are read now: walls reuse them."""
        self.account = account
        self._rows = np.flatnonzero((near.particle >= 0) & (near.count > 0))
        self._particle = near.particle[self._rows]
        self._mass = mass[self._particle].astype(np.float64)[:, None]
        known = np.arange(3)[None, :] < near.count[self._rows][:, None]
        # what lies behind the last plane of a row has never been written
        self._collider = np.where(known, near.collider[self._rows], -1)
        plane = np.where(known[:, :, None], near.plane[self._rows], np.float32(0.0))
        self._normal = plane[:, :, :3].astype(np.float64)
        alpha = np.where(known, np.clip(plane[:, :, 3] / h, 0.0, 1.0), 1.0)
        # as a half-space pushes, see `half_space.pressure_weight`; all of a row is shared out, whatever the corner
        strength = np.where(known, np.maximum((1.0 - alpha) ** 4 * (1.0 + 4.0 * alpha), 1.0e-6), 0.0)
        self._share = strength / strength.sum(axis=1, keepdims=True)
        """Part of a row's wall terms that belongs to each of its planes."""
        a = alpha.astype(np.float64)
        self._steepness = -(3 + a**2 * (-21 + a**2 * (105 + a * (-168 + a * (105 - 24 * a))))) / (2.0 * h) * known
        """Slope of each plane's density weight along its normal [1/m], see `half_space.density_slope_wendland`."""
        first = self._collider[:, :1]
        self._mixed = np.flatnonzero(known[:, 1] & (known & (self._collider != first)).any(axis=1))
        """Rows with planes of several colliders."""
        self._place = position[:, self._particle].T.astype(np.float64)

    def _give(self, impulse: np.ndarray) -> None:
        """Impulses (rows, 3) on the walls, shared between the planes of a row."""
        for plane in range(3):
            self.account.add(self._collider[:, plane], impulse * self._share[:, plane, None], self._place)

    def _give_along_normals(self, strength: np.ndarray, slope: np.ndarray) -> None:
        """Impulses J = strength · slope, (rows, 1) and (rows, 3), on the walls: where colliders meet, each gets its own part.

        In the corner of a box and the floor that it stands on, the floor pushes water up and the box pushes it aside; in the gap
        below the box, the pushes of both cancel. Shared out as a whole, a part of the floor's push would press the box down, and
        nothing would lift it. J = Σ aᵢ nᵢ with aᵢ ≤ 0, since no wall is ever pulled; what that leaves open is decided by what
        each plane would get as a half-space of its own. The rest goes by the shares.
        """
        impulse = strength * slope
        parts = impulse[:, None, :] * self._share[:, :, None]
        rows = self._mixed
        if len(rows):
            normal, whole = self._normal[rows], impulse[rows]
            alone = _BLUR * strength[rows] * self._steepness[rows]
            for _ in range(3):  # each time without the walls that would be pulled
                along = np.einsum("rpi,ri->rp", normal, whole)
                matrix = np.einsum("rpi,rqi->rpq", normal, normal) + _BLUR * np.eye(3)
                size = np.linalg.solve(matrix, (along + alone)[:, :, None])
                normal = np.where(size > 0.0, 0.0, normal)
            explained = np.minimum(size, 0.0) * normal
            rest = whole - explained.sum(axis=1)
            parts[rows] = explained + rest[:, None, :] * self._share[rows][:, :, None]
        for plane in range(3):
            self.account.add(self._collider[:, plane], parts[:, plane], self._place)

    def pressure(self, pressure: np.ndarray, specific: np.ndarray, walled: Walled, dt: float) -> None:
        """Of a kick by −p/ρ₀ ∇λ, see `passes.pressure_pass`."""
        push = (pressure[self._particle] * specific[self._particle]).astype(np.float64)[:, None]
        self._give_along_normals(dt * self._mass * push, walled.slope[self._rows].astype(np.float64))

    def drag(self, pull: np.ndarray, velocity: np.ndarray, walled: Walled, dt: float) -> None:
        """Of viscosity: pull [1/s] by row, towards the wall's velocity, see `passes.viscosity_pass`."""
        towards = walled.velocity[self._rows].astype(np.float64) - velocity[:, self._particle].T
        self._give(-dt * self._mass * pull[self._rows].astype(np.float64)[:, None] * towards)

    def stops(self, stopped: np.ndarray) -> None:
        """Of particles stopped at planes: `stopped` (rows, 3) is the approach that each plane took away [m/s], ≤ 0."""
        for plane in range(3):
            impulse = self._mass * stopped[self._rows, plane, None] * self._normal[:, plane]
            self.account.add(self._collider[:, plane], impulse, self._place)
