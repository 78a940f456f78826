"""What water does to walls: the opposite of every wall term of a step, so that momentum of water and walls together is kept."""

import numpy as np

from ..walls import NearWalls
from ..walls.reaction import WallReaction
from .passes import Walled


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
        self._place = position[:, self._particle].T.astype(np.float64)

    def _give(self, impulse: np.ndarray) -> None:
        """Impulses (rows, 3) on the walls, shared between the planes of a row."""
        for plane in range(3):
            self.account.add(self._collider[:, plane], impulse * self._share[:, plane, None], self._place)

    def pressure(self, pressure: np.ndarray, specific: np.ndarray, walled: Walled, dt: float) -> None:
        """Of a kick by −p/ρ₀ ∇λ, see `passes.pressure_pass`."""
        push = (pressure[self._particle] * specific[self._particle]).astype(np.float64)[:, None]
        self._give(dt * self._mass * push * walled.slope[self._rows])

    def drag(self, pull: np.ndarray, velocity: np.ndarray, walled: Walled, dt: float) -> None:
        """Of viscosity: pull [1/s] by row, towards the wall's velocity, see `passes.viscosity_pass`."""
        towards = walled.velocity[self._rows].astype(np.float64) - velocity[:, self._particle].T
        self._give(-dt * self._mass * pull[self._rows].astype(np.float64)[:, None] * towards)

    def stops(self, stopped: np.ndarray) -> None:
        """Of particles stopped at planes: `stopped` (rows, 3) is the approach that each plane took away [m/s], ≤ 0."""
        for plane in range(3):
            impulse = self._mass * stopped[self._rows, plane, None] * self._normal[:, plane]
            self.account.add(self._collider[:, plane], impulse, self._place)
