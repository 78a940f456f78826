"""What a solver lays on the table when its kind meets another. No kernels here: solvers import it."""

from typing import NamedTuple

import numpy as np


class Matter(NamedTuple):
    """Particles as others meet them: views into the solver's state where they are written."""

    position: np.ndarray
    """[m], (3, n)."""
    velocity: np.ndarray
    """[m/s], (3, n); an exchange writes into it."""
    mass: np.ndarray
    """[kg], (n,)."""
    volume: np.ndarray
    """Space that a particle takes with its share of gaps [m³], (n,)."""
    spacing: float
    """Distance of the particles [m]."""

    @property
    def count(self) -> int:
        return self.position.shape[1]
