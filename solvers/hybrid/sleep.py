"""Rest: a heap in which nothing has gone anywhere for some frames falls asleep, and any push wakes it.

A heap of single grains comes to rest by itself, to round-off. A continuum does not quite: sound goes to and fro in it, and every
swing lets it yield a little. What is asleep stands still, costs nothing and looks the same for ever.
"""

from typing import Any, NamedTuple

import numpy as np

from ..scene import Scene

FRAMES = 4
"""Calm frames in a row after which everything sleeps."""
_SWING, _DRIFT = 0.003, 0.1
"""Way of a calm grain or point in a frame, in grain sizes: that of a swing, and more for every second."""
_LOOSE, _MOST = 0.01, 10.0
"""Part of all that may lie loose and be shaken, and how much farther than the others."""


class Places(NamedTuple):
    """Who is where."""

    number: np.ndarray
    """Numbers, first those of grains, then those of points, int64 (n,), in rising order each."""
    position: np.ndarray
    """[m], float64 (3, n)."""


def places(grains: Any, points: Any) -> Places:
    """Where all grains and points are, in order of their numbers."""
    numbers, positions = [], []
    for state in (grains, points):
        order = np.argsort(state.live("id"), kind="stable")
        numbers.append(state.live("id")[order].astype(np.int64))
        positions.append(state.live("position")[:, order].astype(np.float64))
    return Places(np.concatenate(numbers), np.concatenate(positions, axis=1))


def calm(before: Places, after: Places, size: float, seconds: float) -> bool:
    """Whether the same grains and points are, but for a swing, where they were `seconds` ago; a few loose ones may rattle."""
    if len(before.number) != len(after.number) or (before.number != after.number).any():
        return False
    way = np.sort(((after.position - before.position) ** 2).sum(axis=0))
    limit = (_SWING + _DRIFT * seconds) * size
    return bool(way[int((1.0 - _LOOSE) * (len(way) - 1))] < limit**2 and way[-1] < (_MOST * limit) ** 2)


def may_sleep(scene: Scene) -> bool:
    """Whether only moving colliders, other materials and new grains can disturb the rest: what is free pushes without notice, and
    what is animated beyond motion may let go."""
    return not any(collider.params.free or collider.animated for collider in scene.colliders)


def stop(*states: Any) -> None:
    """Take all motion from grains and points."""
    for state in states:
        for name in ("velocity", "spin", "affine", "impulse"):
            if name in state.layout:
                state.live(name)[:] = 0.0


def moving(*states: Any) -> bool:
    """Whether anybody moves or has been pushed."""
    return any(bool(state.live("velocity").any()) for state in states)
