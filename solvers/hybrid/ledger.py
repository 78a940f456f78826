"""Mass and momentum by cell: what conversions take from one side they give to the other, to rounding.

Before anything changes, the ledger sums up every cell. Grains come and go in units of their own mass, so that a cell is left with
a remainder, positive or negative; the material points around share it, near and far by their mass. A remainder that its own
cell had to take would be a tenth of the cell's mass, a shock of pressure; shared by some hundred points, it is lost in
the noise.
"""

from typing import NamedTuple

import numpy as np

_REACH = 3
"""Cells in each direction over which a remainder is spread."""
_LEAST = 0.7
"""Smallest part of its mass that giving may leave to a point; otherwise remainders are spread farther."""


class Sums(NamedTuple):
    """Mass [kg] (cells,) and momentum [kg m/s] (3, cells)."""

    mass: np.ndarray
    momentum: np.ndarray


def cell_sums(cell: np.ndarray, mass: np.ndarray, velocity: np.ndarray, cells: int) -> Sums:
    """Sums by cell number of masses (n,) and velocities (3, n), in double precision; those in no cell (-1) are left out."""
    known = cell >= 0
    cell, mass, velocity = cell[known], mass[known].astype(np.float64), velocity[:, known].astype(np.float64)
    momentum = np.stack([np.bincount(cell, mass * velocity[axis], cells) for axis in range(3)])
    return Sums(np.bincount(cell, mass, cells), momentum)


def box_sums(values: np.ndarray, reach: int) -> np.ndarray:
    """Sum of `values` (…, i, j, k) over the cells within `reach` along each axis."""
    for axis in (-3, -2, -1):
        size = values.shape[axis]
        running = np.concatenate([np.zeros_like(np.take(values, [0], axis)), np.cumsum(values, axis=axis)], axis=axis)
        index = np.arange(size)
        upper, lower = np.minimum(index + reach + 1, size), np.maximum(index - reach, 0)
        values = np.take(running, upper, axis=axis) - np.take(running, lower, axis=axis)
    return values


def spread(rest: Sums, points: np.ndarray, shape: tuple[int, int, int]) -> tuple[Sums, np.ndarray]:
    """What the points of each cell get of the remainders `rest`, and the numbers of cells that found no points around.

    `points`: mass of the points of every cell (cells,). A cell's remainder goes to the cells around it in proportion to that.
    """
    owing = np.concatenate([rest.mass[None], rest.momentum]).reshape(4, *shape)
    reach = _REACH
    while True:
        near = box_sums(points.reshape(shape), reach)
        # rounding of the running sums must not pass for points
        served = near > 1.0e-9 * points.max(initial=0.0)
        density = np.where(served, owing / np.where(served, near, 1.0), 0.0)
        extra = (points.reshape(shape) * box_sums(density, reach)).reshape(4, -1)
        extra[:, points <= 0.0] = 0.0
        if (extra[0] >= (_LEAST - 1.0) * points).all() or reach >= max(shape):
            break
        reach *= 2
    left = np.flatnonzero(~served.reshape(-1) & (rest.mass != 0.0))
    return Sums(extra[0], extra[1:]), left
