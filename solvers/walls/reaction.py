"""What matter does to the walls that hold it: impulses and moments by collider, for bodies that are free to move."""

import numpy as np


class WallReaction:
    """Gathers what a step's walls have got. Impulses [kg m/s] and moments about the origin [kg m²/s], float64 (colliders, 3)."""

    def __init__(self, colliders: int) -> None:
        self.impulse = np.zeros((colliders, 3))
        self.moment = np.zeros((colliders, 3))

    def add(self, collider: np.ndarray, impulse: np.ndarray, place: np.ndarray) -> None:
        """Impulses (n, 3) at places (n, 3) [m] on colliders (n,); −1 is nobody. Summed in the given order."""
        known = collider >= 0
        chosen, given, where = collider[known], impulse[known].astype(np.float64), place[known].astype(np.float64)
        np.add.at(self.impulse, chosen, given)
        np.add.at(self.moment, chosen, np.cross(where, given))

    def take(self) -> tuple[np.ndarray, np.ndarray]:
        """Everything so far; it begins anew."""
        taken = self.impulse.copy(), self.moment.copy()
        self.impulse[:], self.moment[:] = 0.0, 0.0
        return taken
