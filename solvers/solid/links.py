"""Which slaves a master sees, and the weight of each: the neighbourhood structure, both ways.

Distances are measured between *anchors*: for an elastic body the places at rest, for one that flows the places of the last
rebuild. The lists therefore follow from the anchors alone, and can be made again at any time.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, parallel_kernel, prange

_BITS = 17
_SIDE = 1 << _BITS


class Links(NamedTuple):
    """Lists in compressed rows. Sums over them have one fixed order."""

    start: np.ndarray
    """First entry of each master, int64 (masters + 1,)."""
    slave: np.ndarray
    """Slave of each entry, int32 (entries,)."""
    weight: np.ndarray
    """Share of the master that the slave carries, float32 (entries,); the shares of a master add up to 1."""
    back_start: np.ndarray
    """First entry of each slave in the lists below, int64 (slaves + 1,)."""
    back_master: np.ndarray
    """Master of each entry, sorted by slave, int32 (entries,)."""
    back_entry: np.ndarray
    """The same entry's place in `slave`, int32 (entries,)."""


@inlined
def _lower(keys, key):
    """First place in the sorted `keys` that is not less than `key`."""
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


def cell_keys(place: np.ndarray, group: np.ndarray, origin: np.ndarray, edge: float) -> np.ndarray:
    """A number for the cell of each place (n, 3) within its group, int64 (n,): neighbours along z follow each other."""
    cell = np.floor((place - origin) / edge).astype(np.int64) + 1
    return ((group.astype(np.int64) * _SIDE + cell[:, 0]) * _SIDE + cell[:, 1]) * _SIDE + cell[:, 2]


@parallel_kernel
def _visit(key, place, keys, order, others, reach, start, slave, square, fill):
    """Counts (or, with `fill`, lists) the others within reach of each place, in the order of their cells."""
    limit = reach * reach
    for m in prange(len(place)):
        at = start[m] if fill else 0
        for column in range(9):
            first = key[m] + ((column // 3 - 1) * _SIDE + column % 3 - 1) * _SIDE - 1
            k = _lower(keys, first)
            while k < len(keys) and keys[k] <= first + 2:
                s = order[k]
                dx, dy, dz = others[s, 0] - place[m, 0], others[s, 1] - place[m, 1], others[s, 2] - place[m, 2]
                gap = dx * dx + dy * dy + dz * dz
                if gap < limit:
                    if fill:
                        slave[at] = s
                        square[at] = gap
                    at += 1
                k += 1
        if not fill:
            start[m + 1] = at


def within(
    place: np.ndarray, group: np.ndarray, others: np.ndarray, other_group: np.ndarray, reach: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All of `others` (k, 3) closer than `reach` to each place (n, 3) of the same group.

    Returns row starts int64 (n + 1,), indices int32 and squared distances float64 of the entries.
    """
    if len(place) == 0 or len(others) == 0:
        return np.zeros(len(place) + 1, np.int64), np.empty(0, np.int32), np.empty(0)
    origin = np.minimum(place.min(axis=0), others.min(axis=0)) - reach
    keys = cell_keys(others, other_group, origin, reach)
    order = np.argsort(keys, kind="stable")
    key, keys = cell_keys(place, group, origin, reach), keys[order]
    start = np.zeros(len(place) + 1, np.int64)
    none, nothing = np.empty(1, np.int32), np.empty(1)
    _visit(key, place, keys, order, others, reach, start, none, nothing, False)
    np.cumsum(start, out=start)
    index, square = np.empty(int(start[-1]), np.int32), np.empty(int(start[-1]))
    _visit(key, place, keys, order, others, reach, start, index, square, True)
    return start, index, square


@parallel_kernel
def _weigh(start, square, reach, weight):
    """Kernel (1 − q²)³, normalised per master: Σ w = 1, so that mass is conserved exactly."""
    for m in prange(len(start) - 1):
        inverse = 1.0 / (reach[m] * reach[m])
        total = 0.0
        for k in range(start[m], start[m + 1]):
            q = 1.0 - square[k] * inverse
            total += q * q * q
        for k in range(start[m], start[m + 1]):
            q = 1.0 - square[k] * inverse
            weight[k] = q * q * q / total


def back_lists(start: np.ndarray, slave: np.ndarray, slaves: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The lists of masters by slave that belong to the lists of slaves by master, see `Links`."""
    back_entry = np.argsort(slave, kind="stable").astype(np.int32)
    master = np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))
    back_start = np.zeros(slaves + 1, np.int64)
    np.cumsum(np.bincount(slave, minlength=slaves), out=back_start[1:])
    return back_start, master[back_entry], back_entry


def link(place: np.ndarray, group: np.ndarray, slaves: np.ndarray, slave_group: np.ndarray, reach: np.ndarray) -> Links:
    """Links from anchors: masters at `place` (n, 3), slaves (k, 3), each to slaves of its own group, within the group's
    `reach`."""
    counts = np.zeros(len(place), np.int64)
    parts = []
    for number in np.unique(group):
        own, theirs = np.flatnonzero(group == number), np.flatnonzero(slave_group == number)
        zeros = np.zeros(max(len(own), len(theirs)), np.int32)
        found = within(place[own], zeros[: len(own)], slaves[theirs], zeros[: len(theirs)], float(reach[number]))
        counts[own] = np.diff(found[0])
        parts.append((own, theirs, found))
    start = np.zeros(len(place) + 1, np.int64)
    np.cumsum(counts, out=start[1:])
    slave, square = np.empty(int(start[-1]), np.int32), np.empty(int(start[-1]))
    for own, theirs, (first, index, gap) in parts:
        # entries of a master follow each other, masters of a group need not
        to = np.repeat(start[own] - first[:-1], counts[own]) + np.arange(len(index))
        slave[to], square[to] = theirs[index], gap
    weight = np.empty(len(slave), np.float32)
    _weigh(start, square, reach[group], weight)
    return Links(start, slave, weight, *back_lists(start, slave, len(slaves)))
