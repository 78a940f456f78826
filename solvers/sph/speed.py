"""How fast the particles are that a step has to care for."""

import numpy as np

from ..depth import Depth
from ..errors import TsubuError
from ..state import State
from .motion import fastest
from .neighbours import CHUNK


def largest_speed(state: State, depth: Depth | None, name: str) -> float:
    """Largest speed [m/s] of those that may still hit something; `name` is whose they are, told if one is not a number."""
    count = state.count
    if count == 0:
        return 0.0
    result = np.empty((count + CHUNK - 1) // CHUNK, np.float32)
    fastest(state["velocity"], count, CHUNK, result)
    speed = float(np.sqrt(result.max()))
    if not np.isfinite(speed):
        raise TsubuError(
            f"{name}: the liquid became unstable (a velocity is not a number). "
            "Lower the Courant number, or check for colliders that overlap or move very fast."
        )
    if depth is None:
        return speed
    velocity = state.live("velocity")
    gone = depth.passed(state.live("position"), velocity)
    return float(np.sqrt((velocity[:, ~gone] ** 2).sum(axis=0).max(initial=0.0))) if gone.any() else speed
