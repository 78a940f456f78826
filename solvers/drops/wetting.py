"""From a contact angle in degrees to the wall's forces.

The path through the three strengths (`law.wall_force`) is chosen, the angle along it is measured: a ball of liquid is set down on
a plane, spreads, and the cap it becomes is measured on its surface (`benchmarks/drop_calibration.py` prints this table).
"""

import numpy as np

TABLE = np.array(
    [
        # angle [°], pull, dislike, tail
        (0.0, 1.05, 0.0, 0.08),
        (37.0, 1.0, 0.2, 0.08),
        (48.0, 1.0, 0.7, 0.08),
        (81.0, 0.6, 0.0, 0.0),
        (111.0, 0.4, 0.0, 0.0),
        (140.0, 0.25, 0.0, 0.0),
        (180.0, 0.0, 0.0, 0.0),
    ]
)
"""Measured angles and the strengths that lead to them."""


def strengths(angle: np.ndarray) -> np.ndarray:
    """pull, dislike, tail for contact angles [°] (k,), float32 (k, 3)."""
    return np.stack([np.interp(angle, TABLE[:, 0], TABLE[:, column]) for column in (1, 2, 3)], axis=-1).astype(np.float32)


GRIP = 1.0
"""Grip of a particle of the contact line, per (cos θ_receding − cos θ_advancing) / 2."""


def grip(angle: np.ndarray, hysteresis: np.ndarray) -> np.ndarray:
    """Force, in γ × spacing, that holds a particle of the contact line, float32 (k,).

    Half of γ (cos θ_r − cos θ_a) acts on each side of a drop that is about to slide.
    """
    low, high = np.clip(angle - 0.5 * hysteresis, 0.0, 180.0), np.clip(angle + 0.5 * hysteresis, 0.0, 180.0)
    return (GRIP * 0.5 * (np.cos(np.radians(low)) - np.cos(np.radians(high)))).astype(np.float32)
