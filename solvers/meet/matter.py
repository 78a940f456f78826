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
    backing: float = 1.0
    """How many times its own mass a layer at the surface is for something that rests on it: a liquid that cannot be compressed
    answers as a whole, and its next step gives on what the layer got."""
    sound: float = 0.0
    """Speed of the fastest elastic wave [m/s]: how much matter answers a push together, see `touch`."""

    @property
    def count(self) -> int:
        return self.position.shape[1]
