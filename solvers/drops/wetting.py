"""From a contact angle in degrees to the wall's forces.

The path through the three strengths (`law.wall_force`) is chosen, the angle along it is measured: a ball of liquid is set down on
a plane, spreads, and the cap it becomes is measured on its surface (`benchmarks/drop_calibration.py` prints this table.
600 particles throughout, 1000 and 1500 at some settings, which differ by 5° at most, were averaged; around 40° larger drops stand
lower, by 6° with 2500 particles, which counted there too).
"""

import numpy as np

from ..walls import NearWalls, Walls

TABLE = np.array(
    [
        # angle [°], pull, dislike, tail
        (0.0, 1.0, 0.0, 0.04),
        (12.4, 1.0, 0.5, 0.04),
        (13.0, 1.0, 0.65, 0.04),
        (19.7, 1.0, 0.8, 0.04),
        (31.2, 1.0, 1.0, 0.04),
        (38.0, 1.0, 1.25, 0.04),
        (50.8, 1.0, 1.5, 0.04),
        (55.6, 0.65, 0.0, 0.0),
        (74.5, 0.55, 0.0, 0.0),
        (93.0, 0.45, 0.0, 0.0),
        (115.7, 0.35, 0.0, 0.0),
        (130.2, 0.28, 0.0, 0.0),
        (143.6, 0.23, 0.0, 0.0),
        (156.8, 0.19, 0.0, 0.0),
        (164.0, 0.16, 0.0, 0.0),
        (180.0, 0.0, 0.0, 0.0),
    ]
)
"""Measured angles and the strengths that lead to them."""


def strengths(angle: np.ndarray) -> np.ndarray:
    """pull, dislike, tail for contact angles [°] (k,), float32 (k, 3)."""
    return np.stack([np.interp(angle, TABLE[:, 0], TABLE[:, column]) for column in (1, 2, 3)], axis=-1).astype(np.float32)


GRIP = 0.17
"""Grip of a particle of the contact line, per (cos θ_receding − cos θ_advancing) / 2."""


def grip(angle: np.ndarray, hysteresis: np.ndarray) -> np.ndarray:
    """Force, in γ × spacing, that holds a particle of the contact line, float32 (k,).

    Half of γ (cos θ_r − cos θ_a) acts on each side of a drop that is about to slide.
    """
    low, high = np.clip(angle - 0.5 * hysteresis, 0.0, 180.0), np.clip(angle + 0.5 * hysteresis, 0.0, 180.0)
    return (GRIP * 0.5 * (np.cos(np.radians(low)) - np.cos(np.radians(high)))).astype(np.float32)


TRAIL = 3.0
"""Force, in γ × spacing, that holds a particle of a trail: more than its drop can pull."""
LEAVES = 20.0
"""Receding angle [°] below which a drop leaves a trail; at 0° all of its lowest layer stays behind."""


def may_stay(receding: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Which particles, by their numbers (k,), a drop can leave behind where the receding angle is `receding` [°] (k,).

    A film thinner than a particle is out of reach; a share of the particles stands for it.
    """
    chosen = (number.astype(np.uint32) * np.uint32(2654435761) >> np.uint32(8)) / 2.0**24
    return chosen < 1.0 - receding / LEAVES


def wetting_of(walls: Walls, near: NearWalls, position: np.ndarray) -> np.ndarray:
    """pull, dislike, tail, grip at each plane of `near`, which belongs to `position` (n, 3) [m]; float32 (m, 3, 4)."""
    if len(near.count) == 0:
        return np.zeros((0, 3, 4), np.float32)
    hysteresis = walls.setting("hysteresis")
    if walls.is_painted("contact_angle"):
        angle = walls.setting_at("contact_angle", near, position)
        each = np.concatenate([strengths(angle), grip(angle, hysteresis[near.collider])[..., None]], axis=-1)
    else:
        angle = walls.setting("contact_angle")
        each = np.concatenate([strengths(angle), grip(angle, hysteresis)[..., None]], axis=-1)[near.collider]
    return np.where(near.collider[:, :, None] >= 0, each, np.float32(0.0)).astype(np.float32)
