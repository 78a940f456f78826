"""The depth below which a scene has nothing left to meet."""

from typing import NamedTuple

import numpy as np


class Depth(NamedTuple):
    """What goes down below it falls for ever: it shortens nobody's step."""

    down: np.ndarray
    """Unit vector of gravity (3,)."""
    limit: float
    """How far along `down` [m] nothing more can be met."""

    def passed(self, position: np.ndarray, velocity: np.ndarray, arm: float = 0.0) -> np.ndarray:
        """Which of the places (3, n) [m] and velocities (3, n) [m/s] fall for ever, with all within `arm` [m] of them."""
        return (self.down @ position - arm > self.limit) & (self.down @ velocity > 0.0)
