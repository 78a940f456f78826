"""The arrays that material laws work on, by component, float32 (components, capacity) unless said otherwise."""

from typing import NamedTuple

import numpy as np


class FoamPoints(NamedTuple):
    """What the foam law reads and writes."""

    elastic: np.ndarray
    """b̄, six components."""
    volume: np.ndarray
    """Volume ratio J, (capacity,)."""
    gradient: np.ndarray
    """Velocity gradient [1/s], nine components, columns first."""
    stress: np.ndarray
    """Kirchhoff stress [Pa], six components."""
    plastic: np.ndarray
    """Accumulated equivalent plastic strain, (capacity,)."""
    stretch: np.ndarray
    """Plastic strain gathered in tension, (capacity,)."""
    torn: np.ndarray
    """1 where the material has come apart, else 0, (capacity,)."""
    density: np.ndarray
    """Density that the grid sees [kg/m³], (capacity,)."""
    body: np.ndarray
    """Row of the material table, int32 (capacity,)."""


class GrainPoints(NamedTuple):
    """What the law of grains reads and writes."""

    elastic: np.ndarray
    volume: np.ndarray
    gradient: np.ndarray
    stress: np.ndarray
    plastic: np.ndarray
    density: np.ndarray
    body: np.ndarray
