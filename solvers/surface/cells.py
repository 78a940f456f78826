"""Particles sorted into cubic cells, without a table of the bounding box.

Only occupied cells are stored, in the order of their key (ix·ny + iy)·nz + iz, so that the cells of one column lie one
behind the other and the particles of a stretch of a column are contiguous. A column is found by bisection. Memory
follows the particles, however far they are from each other.
"""

from typing import NamedTuple

import numpy as np

from ..errors import InvalidScene
from ..jit import inlined, kernel

_DIGIT = 11
_PADDING = 8
MARGIN = 2
"""Cells left free below the first, so that a neighbouring column never wraps around."""
_MOST_ALONG_AXIS = 1 << 20


class Cells(NamedTuple):
    """Sorted particles. Lengths are in particle spacings."""

    x: np.ndarray
    """Coordinates, float32 (n + 8,): eight more than there are particles, so that eight can always be read at once."""
    y: np.ndarray
    z: np.ndarray
    order: np.ndarray
    """Which input particle is at each sorted place, int64 (n,)."""
    key: np.ndarray
    """Keys of the occupied cells, ascending, int64 (c,)."""
    start: np.ndarray
    """First particle of each cell, int64 (c + 1,)."""
    size: np.float32
    """Edge of a cell."""
    ny: int
    nz: int


@kernel
def _sort_digit(key, shift, count, order, other):
    mask = count.size - 2
    for i in range(key.size):
        count[((key[i] >> shift) & mask) + 1] += 1
    for digit in range(mask):
        count[digit + 1] += count[digit]
    for i in range(key.size):
        digit = (key[order[i]] >> shift) & mask
        other[count[digit]] = order[i]
        count[digit] += 1


def sorted_order(key: np.ndarray, bits: int) -> np.ndarray:
    """Stable order of non-negative int64 keys below 2**bits: a radix sort of eleven bits at a time."""
    order = np.arange(len(key))
    other = np.empty_like(order)
    for shift in range(0, bits, _DIGIT):
        _sort_digit(key, shift, np.zeros((1 << _DIGIT) + 1, np.int64), order, other)
        order, other = other, order
    return order


@kernel
def _runs_of_equals(sorted_key, value, start):
    n = sorted_key.size
    count = 0
    for i in range(n):
        if i == 0 or sorted_key[i] != sorted_key[i - 1]:
            value[count] = sorted_key[i]
            start[count] = i
            count += 1
    start[count] = n
    return count


def runs_of_equals(sorted_key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct values of an ascending array and where each begins, with the length of the array at the end."""
    value = np.empty(len(sorted_key), np.int64)
    start = np.empty(len(sorted_key) + 1, np.int64)
    count = _runs_of_equals(sorted_key, value, start)
    return value[:count].copy(), start[: count + 1].copy()


@inlined
def first_at_least(key, target):
    """Index of the first element of an ascending array that is not below `target`."""
    low = 0
    high = key.size
    while low < high:
        middle = (low + high) >> 1
        if key[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def column(cells, ix, iy, iz_low, iz_high):
    """First and one-past-last particle of the cells (ix, iy, iz_low … iz_high)."""
    base = (ix * cells.ny + iy) * cells.nz
    first = first_at_least(cells.key, base + iz_low)
    last = first
    while last < cells.key.size and cells.key[last] <= base + iz_high:
        last += 1
    return cells.start[first], cells.start[last]


def padded(values: np.ndarray, fill: float) -> np.ndarray:
    """A float32 copy with eight more elements, so that kernels may read beyond the last."""
    result = np.full(len(values) + _PADDING, fill, np.float32)
    result[: len(values)] = values
    return result


def sort_into_cells(position: np.ndarray, size: float) -> Cells:
    """Sorts non-negative coordinates, float32 (n, 3), into cells of edge `size`."""
    index = (position * np.float32(1.0 / size)).astype(np.int64) + MARGIN
    shape = index.max(axis=0) + 1 + MARGIN if len(index) else np.full(3, 2 * MARGIN)
    if shape.max() > _MOST_ALONG_AXIS:
        raise InvalidScene(
            f"Surface: the particles spread over {shape.max() * size:.3g} particle spacings; the most that can be surfaced is "
            f"{_MOST_ALONG_AXIS * size:.3g}. Set a smaller world limit so that runaway particles are dropped."
        )
    ny, nz = int(shape[1]), int(shape[2])
    key = (index[:, 0] * ny + index[:, 1]) * nz + index[:, 2]
    order = sorted_order(key, int(np.prod(shape.astype(object))).bit_length())
    value, start = runs_of_equals(key[order])
    x, y, z = (padded(position[order, axis], 1.0e9) for axis in range(3))
    return Cells(x, y, z, order, value, start, np.float32(size), ny, nz)
