"""How long the rest of a bake takes, foretold from the frames that are done.

A frame costs about so much per particle; the cost of one follows its trend for a moment and then stays, because splashes
speed up and calm down again. Where emitters add particles, their number is extrapolated along its trend, and the cost of a
frame is what every frame costs and what each particle adds, or a power of their number where steps become shorter.
"""

from collections.abc import Sequence

import numpy as np

_LOOKED_AT = 10
"""Frames that the trends come from."""
_RECENT = 5
_TREND_FRAMES = 2.0
"""Frames after which the trend of the cost has worn off."""
_MOST_CHANGE = 2.0
_GROWS = 0.005
"""Part by which the particles must grow in a frame to be growing."""
_MOST_POWER = 2.0
_FADING = 0.9
"""How much less the frame before counts for the power than a frame."""


def seconds_left(history: Sequence[tuple[int, float]], frames: int) -> float | None:
    """Seconds that `frames` more frames take; `history`: particles and seconds of those done, oldest first. None: not known."""
    if not history:
        return None
    if len(history) > 3:
        history = history[1:]  # the first one still loads and warms up
    every = np.maximum(np.array(history, dtype=np.float64), (1.0, 1.0e-6))
    count, seconds = every[-_LOOKED_AT:].T
    ahead = np.arange(1, frames + 1)
    coming = np.maximum(count[-1] + _slope(count) * ahead, 1.0)
    if _slope(count) > _GROWS * count[-1] and len(history) > 3:
        return _of_growing(every[:, 0] / count[-1], every[:, 1], coming / count[-1])
    cost = seconds / count
    now = float(np.median(cost[-_RECENT:]))
    trend = _slope(cost) if len(cost) > 3 else 0.0
    foretold = now + trend * _TREND_FRAMES * (1.0 - np.exp(-ahead / _TREND_FRAMES))
    return float(np.sum(coming * np.clip(foretold, now / _MOST_CHANGE, now * _MOST_CHANGE)))


def _slope(values: np.ndarray) -> float:
    """Change per frame of the line that fits best; 0 for a single value."""
    place = np.arange(len(values)) - 0.5 * (len(values) - 1)
    return float(place @ values / (place @ place)) if len(values) > 1 else 0.0


def _of_growing(count: np.ndarray, seconds: np.ndarray, coming: np.ndarray) -> float:
    """Seconds of frames with `coming` particles: fixed cost and cost of each; a power law if the cost of each grows."""
    weight = _FADING ** np.arange(len(count))[::-1]
    slope, mean = _line(count, seconds, weight)
    if slope >= 0.0 and mean[1] >= slope * mean[0]:
        return float(np.sum(mean[1] + slope * (coming - mean[0])))
    power, mean = _line(np.log(count), np.log(seconds), weight)
    power = min(max(power, 0.0), _MOST_POWER)
    return float(np.sum(np.exp(mean[1] - power * mean[0]) * coming**power))


def _line(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[float, tuple[float, float]]:
    """Slope of the line that fits best, and the weighted means that it goes through."""
    x_mean, y_mean = float(np.average(x, weights=weight)), float(np.average(y, weights=weight))
    spread = float(np.average((x - x_mean) ** 2, weights=weight))
    return float(np.average((x - x_mean) * (y - y_mean), weights=weight)) / max(spread, 1.0e-12), (x_mean, y_mean)
