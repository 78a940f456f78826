"""The time left: exact where the rest is like what was, near where it grows steadily."""

import numpy as np
import pytest

from solvers.bake.time_left import seconds_left


def test_steady_frames() -> None:
    """Frames of half a second: ten more take five, whatever the first one took."""
    assert seconds_left([(1000, 9.0)] + [(1000, 0.5)] * 6, 10) == pytest.approx(5.0)
    assert seconds_left([(1000, 0.5)], 10) == pytest.approx(5.0)
    assert seconds_left([(1000, 0.5)] * 5, 0) == 0.0


def test_nothing_is_known_before_the_first_frame() -> None:
    """No frame, no answer."""
    assert seconds_left([], 10) is None


def test_emitters_add_particles() -> None:
    """Cost per particle fixed, 100 more in each frame: frames 11 to 40 take the sum of a growing series."""
    history = [(100 * frame, 0.001 * 100 * frame) for frame in range(1, 11)]
    real = sum(0.1 * frame for frame in range(11, 41))
    assert seconds_left(history, 30) == pytest.approx(real, rel=1e-6)


def test_a_frame_costs_something_without_particles() -> None:
    """0.3 s a frame and 0.1 ms a particle, 100 more in each: a quarter off at most from the tenth frame on."""
    cost = [(100 * frame, 0.3 + 1e-4 * 100 * frame) for frame in range(1, 61)]
    for done in range(10, 58):
        told = seconds_left(cost[:done], 60 - done)
        assert told == pytest.approx(sum(seconds for _, seconds in cost[done:]), rel=0.25)


def test_growing_cost_wears_off() -> None:
    """A cost that doubles within ten frames is not foretold to explode: at most twice the present one."""
    cost = np.linspace(1.0, 2.0, 10)
    told = seconds_left([(1000, value) for value in cost], 100)
    assert told is not None and 100 * 1.8 < told < 100 * 2.4


def test_empty_first_frames() -> None:
    """Frames without a particle divide by nothing."""
    told = seconds_left([(0, 0.1)] * 4, 10)
    assert told is not None and np.isfinite(told)
