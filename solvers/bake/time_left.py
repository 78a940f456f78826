"""How long the rest of a bake takes, foretold from the frames that are done.

A frame costs about so much per particle. Particles are extrapolated along their trend, because emitters add to them; the
cost of one follows its trend for a moment and then stays, because splashes speed up and calm down again.
"""

from collections.abc import Sequence

import numpy as np

_LOOKED_AT = 10
"""Frames that the trends come from."""
_RECENT = 5
_TREND_FRAMES = 2.0
"""Frames after which the trend of the cost has worn off."""
_MOST_CHANGE = 2.0


def seconds_left(history: Sequence[tuple[int, float]], frames: int) -> float | None:
    """Seconds that `frames` more frames take; `history`: particles and seconds of those done, oldest first. None: not known."""
    if not history:
        return None
    if len(history) > 3:
        history = history[1:]  # the first one still loads and warms up
    count, seconds = (np.array(column, dtype=np.float64) for column in zip(*history[-_LOOKED_AT:], strict=True))
    count = np.maximum(count, 1.0)
    ahead = np.arange(1, frames + 1)
    coming = np.maximum(count[-1] + _slope(count) * ahead, 1.0)
    cost = seconds / count
    now = float(np.median(cost[-_RECENT:]))
    trend = _slope(cost) if len(cost) > 3 else 0.0
    foretold = now + trend * _TREND_FRAMES * (1.0 - np.exp(-ahead / _TREND_FRAMES))
    return float(np.sum(coming * np.clip(foretold, now / _MOST_CHANGE, now * _MOST_CHANGE)))


def _slope(values: np.ndarray) -> float:
    """Change per frame of the line that fits best; 0 for a single value."""
    place = np.arange(len(values)) - 0.5 * (len(values) - 1)
    return float(place @ values / (place @ place)) if len(values) > 1 else 0.0
