"""Mass and momentum by cell: what conversions take from one side they give to the other, to rounding.

Before anything changes, the ledger sums up every cell. Grains come and go in units of their own mass; material points are
then scaled to what is left of their cell's mass and shifted to what is left of its momentum. A cell that keeps no points
passes its remainder on to points in the cells around.
"""

from typing import NamedTuple

import numpy as np

_LEAST = 0.3
"""Smallest part of its mass that giving may leave to the points of a cell."""


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


def _around(shape: tuple[int, int, int], reach: int) -> np.ndarray:
    """Offsets of the cells within `reach` along every axis, the middle included."""
    span = np.arange(-reach, reach + 1)
    i, j, k = np.meshgrid(span, span, span, indexing="ij")
    return ((i * shape[1] + j) * shape[2] + k).ravel()


def passed_on(owing: np.ndarray, rest: Sums, points: np.ndarray, shape: tuple[int, int, int]) -> tuple[Sums, np.ndarray]:
    """What cells with points get of the remainders `rest` of the cells `owing` (numbers), and which of those found nobody.

    `points`: mass of the points of every cell (cells,). Takers share by mass: next neighbours first, then two cells away.
    """
    cells = len(points)
    extra = Sums(np.zeros(cells), np.zeros((3, cells)))
    left = owing
    for reach in (1, 2):
        if len(left) == 0:
            break
        near = left[:, None] + _around(shape, reach)
        near = np.where((near >= 0) & (near < cells), near, left[:, None])
        share = points[near]
        total = share.sum(axis=1)
        served = (total > 0.0) & (total + rest.mass[left] > _LEAST * total)
        share = share[served] / total[served, None]
        takers = near[served]
        np.add.at(extra.mass, takers, share * rest.mass[left[served], None])
        for axis in range(3):
            np.add.at(extra.momentum[axis], takers, share * rest.momentum[axis, left[served], None])
        left = left[~served]
    return extra, left


def even_out(extra: Sums, points: np.ndarray) -> None:
    """Cells that would be left with too little pass their debt to all cells with points, by mass."""
    poor = (points > 0.0) & (points + extra.mass < _LEAST * points)
    if not poor.any():
        return
    debt = float((extra.mass[poor] - (_LEAST - 1.0) * points[poor]).sum())
    extra.mass[poor] = (_LEAST - 1.0) * points[poor]
    rich = (points > 0.0) & ~poor
    total = float((points + extra.mass)[rich].sum())
    if total + debt > _LEAST * total:
        extra.mass[rich] += debt * (points + extra.mass)[rich] / total
