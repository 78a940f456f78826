"""The measured dam front: the tables agree with each other, and the error measure is what it says."""

import numpy as np
import pytest

from benchmarks import martin_moyce


def test_two_columns_one_curve() -> None:
    """Table 2 (a = 2.25 in) and figure 3 (a = 1.125 in) are the same curve within 5 %, so both use T = t √(2g/a)."""
    measured = martin_moyce.FRONT
    other = martin_moyce.FRONT_FIGURE_3
    overlap = other[(other[:, 0] > measured[0, 0]) & (other[:, 0] < measured[-1, 0])]
    assert len(overlap) >= 5
    np.testing.assert_allclose(np.interp(overlap[:, 0], *measured.T), overlap[:, 1], rtol=0.05)


def test_tables_are_monotone() -> None:
    """The front only advances, the column only sinks: a slip of the pen would show."""
    for table, sign in ((martin_moyce.FRONT, 1.0), (martin_moyce.FRONT_FIGURE_3, 1.0), (martin_moyce.HEIGHT, -1.0)):
        assert np.all(np.diff(table[:, 0]) > 0.0) and np.all(sign * np.diff(table[:, 1]) > 0.0)


def test_front_time_of_their_column() -> None:
    """For n² = 2 the scaling is t √(2g/a)."""
    base = martin_moyce.BASE
    assert martin_moyce.front_time(np.array(0.1), base, 2.0 * base) == pytest.approx(0.1 * (2.0 * 9.81 / base) ** 0.5)


def test_front_error_measures_the_mean_relative_distance() -> None:
    """The measured curve itself has no error, one that is 10 % ahead has 0.1, and too short a curve is refused."""
    time, place = martin_moyce.FRONT.T
    assert martin_moyce.front_error(time, place) == 0.0
    assert martin_moyce.front_error(time, 1.1 * place) == pytest.approx(0.1)
    with pytest.raises(ValueError, match="only 2 measured points"):
        martin_moyce.front_error(np.array([0.0, 1.0]), np.array([1.0, 1.3]))
