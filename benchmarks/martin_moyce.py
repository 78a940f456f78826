"""The collapsing water column, as measured in 1952.

J. C. Martin and W. J. Moyce, "Part IV. An experimental study of the collapse of liquid columns on a rigid horizontal
plane", Philosophical Transactions of the Royal Society of London A 244 (882), 312-324 (1952).

A column of base a and height n²a stands against a wall in a channel; at t = 0 its other side is set free.

    Z = z / a              place of the front, measured from the wall
    T = n t √(g / a)       time of the front            (n² = 2: T = t √(2 g / a))
    H = η / (n² a)         height of the water at the wall
    τ = t √(g / a)         time of the height

`FRONT` is their table 2 and `HEIGHT` their table 6: n² = 2, a = 2.25 in (5.715 cm). `FRONT_FIGURE_3` holds points read
off their figure 3 for n² = 2 and a = 1.125 in (2.8575 cm), as published with PySPH: two columns, one curve.

The membrane that held the water needed time to let go, so the measured front starts late: simulations, which have no
membrane, commonly lead by about 0.2 in T.
"""

import math

import numpy as np

N_SQUARED = 2.0
BASE = 0.05715
"""Base a of the column [m]."""

FRONT = np.array(
    [
        (0.41, 1.11), (0.84, 1.22), (1.19, 1.44), (1.43, 1.67), (1.63, 1.89), (1.83, 2.11), (1.98, 2.33), (2.20, 2.56),
        (2.32, 2.78), (2.51, 3.00), (2.65, 3.22), (2.83, 3.44), (2.98, 3.67), (3.11, 3.89), (3.33, 4.11),
    ]
)  # fmt: skip
"""(T, Z), n² = 2, a = 2.25 in."""

HEIGHT = np.array(
    [
        (0.56, 0.94), (0.77, 0.89), (0.93, 0.83), (1.08, 0.78), (1.28, 0.72), (1.46, 0.67), (1.66, 0.61), (1.84, 0.56),
        (2.00, 0.50), (2.21, 0.44), (2.45, 0.39), (2.70, 0.33), (3.06, 0.28), (3.44, 0.22), (4.20, 0.17), (5.25, 0.11),
        (7.40, 0.06),
    ]
)  # fmt: skip
"""(τ, H), n² = 2, a = 2.25 in."""

FRONT_FIGURE_3 = np.array(
    [
        (0.849, 1.245), (1.212, 1.443), (1.602, 1.884), (2.283, 2.689), (2.950, 3.728), (3.598, 4.528), (3.905, 4.999),
        (4.592, 5.841), (4.961, 6.271), (5.316, 6.717),
    ]
)  # fmt: skip
"""(T, Z), n² = 2, a = 1.125 in."""


def front_time(seconds: np.ndarray, base: float, height: float, gravity: float = 9.81) -> np.ndarray:
    """T of a column of the given base and height [m]; seconds is any array."""
    return np.asarray(seconds) * math.sqrt(height / base) * math.sqrt(gravity / base)


def front_error(time: np.ndarray, place: np.ndarray) -> float:
    """Mean relative distance |Z − Z_measured| / Z_measured over the measured times that the simulation covers.

    `time` is T (ascending) and `place` is Z of the simulation. Measured points after its last time are left out;
    fewer than five remaining points are refused, because they would say nothing about the flow.
    """
    covered = FRONT[(FRONT[:, 0] >= time[0]) & (FRONT[:, 0] <= time[-1])]
    if len(covered) < 5:
        raise ValueError(f"The simulation covers T = {time[0]:g} to {time[-1]:g}: only {len(covered)} measured points.")
    simulated = np.interp(covered[:, 0], time, place)
    return float(np.mean(np.abs(simulated - covered[:, 1]) / covered[:, 1]))


def front_lag(time: np.ndarray, place: np.ndarray) -> tuple[float, float]:
    """The delay of the measured front behind the simulated one, in T, and the mean error that is left without it.

    The membrane's delay is the same for all points of one experiment: it shifts the curve, it does not bend it.
    """
    lags = np.linspace(0.0, 0.6, 61)
    errors = [front_error(np.asarray(time) + lag, place) for lag in lags]
    best = int(np.argmin(errors))
    return float(lags[best]), float(errors[best])
