"""Who may touch whom: grains sorted by cell, and a half list of pairs with a skin that lasts many steps.

Cells have the edge of the longest reach of a pair; a cell's number counts along the scene's longest axis last, so that
chunks of consecutive grains are slices across it and touch few grains of other chunks. Only cells that hold grains cost
anything. The memory of contacts goes along: from list to list, and through any new order of the grains.
"""

import math
from typing import NamedTuple

import numpy as np

from ..errors import TsubuError
from ..jit import kernel, parallel_kernel, prange
from ..walls.borrow import borrowed
from .pairs import PairList, Room, make_room

_CHUNK_GRAINS, _MOST_CHUNKS = 1024, 64
"""Grains that a chunk has at least, and the number of chunks at most; fixed, so that nothing depends on the threads."""
_PAIRS_PER_GRAIN = 6.5
_MOST_ALONG_AXIS = float(1 << 20)
_GOLDEN = 0.6180339887498949


class Contacts(NamedTuple):
    """The memory of all contacts, apart from any list: what a checkpoint holds."""

    first: np.ndarray
    second: np.ndarray
    """Grains in the order of the state, int32 (m,), sorted by the first."""
    spring: np.ndarray
    """ξ [m] of first against second and θ [rad], float32 (m, 6)."""


def no_contacts() -> Contacts:
    return Contacts(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros((0, 6), np.float32))


def renumbered(contacts: Contacts, new_index: np.ndarray) -> Contacts:
    """Contacts after grains were taken away; `new_index` int (n,) is -1 for those that are gone. Keeps the order."""
    first, second = new_index[contacts.first], new_index[contacts.second]
    stay = (first >= 0) & (second >= 0)
    return Contacts(first[stay].astype(np.int32), second[stay].astype(np.int32), contacts.spring[stay])


class Cells(NamedTuple):
    """The cells of one list."""

    low: np.ndarray
    """Lower corner of cell (0, 0, 0) [m], float64 (3,)."""
    edge: float
    stride: np.ndarray
    """What one cell along x, y, z adds to a cell's number, int64 (3,)."""


def make_cells(position: np.ndarray, edge: float, owner: str) -> Cells:
    """Cells around positions (3, n), with an empty layer on all sides."""
    low, high = position.min(axis=1), position.max(axis=1)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise TsubuError(f"{owner}: the grains became unstable (a position is not a number). Check for colliders that overlap.")
    edge = max(edge, float((high - low).max()) / _MOST_ALONG_AXIS)
    counts = np.floor((high - low) / edge).astype(np.int64) + 3
    stride = np.zeros(3, np.int64)
    step = 1
    for axis in np.argsort(counts, kind="stable"):
        stride[axis] = step
        step *= int(counts[axis])
    return Cells(low - edge, edge, stride)


@parallel_kernel
def cell_numbers(position, low, per_edge, stride, number):
    """Number of the cell of every position (3, n)."""
    for i in prange(len(number)):
        key = np.int64(0)
        for axis in range(3):
            key += stride[axis] * np.int64((position[axis, i] - low[axis]) * per_edge)
        number[i] = key


@kernel
def _lower(number, key):
    """First place whose number is not below `key`."""
    low, high = np.int64(0), np.int64(len(number))
    while low < high:
        middle = (low + high) // 2
        if number[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _remembered(pairs, at, i, j, order, old_begin, old, rolls):
    """Take the memory of pair (i, j) over from the old contacts."""
    first, second, sign = order[i], order[j], np.float32(1.0)
    if first > second:
        first, second, sign = second, first, np.float32(-1.0)
    for k in range(3):
        pairs.spring[at, k] = np.float32(0.0)
        if rolls:
            pairs.roll[at, k] = np.float32(0.0)
    pairs.spring[at, 3] = np.float32(-1.0)
    for m in range(old_begin[first], old_begin[first + 1]):
        if old.second[m] == second:
            for k in range(3):
                pairs.spring[at, k] = sign * old.spring[m, k]
                if rolls:
                    pairs.roll[at, k] = sign * old.spring[m, 3 + k]
            pairs.spring[at, 3] = np.float32(0.0)
            return


@kernel
def _list_chunk(c, place, number, fixed, offsets, skin, pairs, order, old_begin, old, rolls, left, right):
    """Pairs of one chunk, two fixed grains apart; their count is more than there is room for if it does not suffice."""
    begin, end = pairs.begin[c], pairs.begin[c + 1]
    room = len(pairs.first) // len(pairs.count)
    at, last = c * room, (c + 1) * room - 1
    reach, found, total, present = end, np.int64(0), len(number), np.int64(-1)
    for i in range(begin, end):
        if number[i] != present:
            for row in range(5):
                low = number[i] + offsets[row] - 1
                if present < 0:
                    left[row] = right[row] = _lower(number, low)
                while left[row] < total and number[left[row]] < low:
                    left[row] += 1
                right[row] = max(left[row], right[row])
                while right[row] < total and number[right[row]] <= low + 2:
                    right[row] += 1
            present = number[i]
        x, y, z, radius = place[i, 0], place[i, 1], place[i, 2], place[i, 3] + skin
        for row in range(5):
            for j in range(i + 1 if row == 0 else left[row], right[row]):
                dx, dy, dz = place[j, 0] - x, place[j, 1] - y, place[j, 2] - z
                near = radius + place[j, 3]
                if dx * dx + dy * dy + dz * dz < near * near and fixed[i] * fixed[j] == 0:
                    if at < last:
                        pairs.first[at], pairs.second[at] = i, j
                        _remembered(pairs, at, i, j, order, old_begin, old, rolls)
                        at += 1
                    found += 1
                    reach = max(reach, j + 1)
    pairs.reach[c], pairs.count[c] = reach, found


@parallel_kernel
def list_pairs(all_place, number, fixed, offsets, skin, all_pairs, order, old_begin, all_old, rolls, stretch):
    """Fill the list of every chunk; `stretch` int64 (chunks, 2, 8) is room to work in."""
    for turn in prange(len(all_pairs.count)):
        place, pairs, old = borrowed(all_place), borrowed(all_pairs), borrowed(all_old)
        c = pairs.turn[turn]
        _list_chunk(
            c, place, number, fixed, offsets, skin, pairs, order, old_begin, old, rolls, stretch[c, 0], stretch[c, 1]
        )


class Verlet:
    """The list of pairs of one order of the grains, and the arrays it lives in."""

    def __init__(self) -> None:
        self.pairs: PairList | None = None
        self.room: Room = make_room(1)
        self.force_rows = 0
        self._pairs_per_chunk = 0

    def _empty(self, count: int, chunks: int, room: int, rolls: bool) -> PairList:
        begin = np.arange(chunks + 1, dtype=np.int64) * count // chunks
        stride = max(1, round(chunks * _GOLDEN))
        while math.gcd(stride, chunks) != 1:
            stride += 1
        turn = (np.arange(chunks, dtype=np.int64) * stride) % chunks
        old, size = self.pairs, chunks * room
        if old is not None and len(old.first) == size and len(old.count) == chunks and (len(old.roll) == size) == rolls:
            return old._replace(begin=begin)
        self.pairs = None
        return PairList(
            np.zeros(size, np.int32), np.zeros(size, np.int32), np.zeros((size, 4), np.float32),
            np.zeros((size if rolls else 1, 4), np.float32), np.zeros(chunks, np.int64), begin, np.zeros(chunks, np.int64),
            np.zeros(chunks + 1, np.int64), turn,
        )  # fmt: skip

    def build(
        self,
        place: np.ndarray,
        number: np.ndarray,
        fixed: np.ndarray,
        stride: np.ndarray,
        skin: float,
        order: np.ndarray,
        old: Contacts,
        rolls: bool,
    ) -> None:
        """List the pairs of grains that lie sorted by cell `number`; `order` int64 (n,) tells where each grain was among
        those that the `old` contacts name. Two `fixed` grains, int32 (n,), cannot push each other: they are no pair."""
        count = len(number)
        chunks = int(min(max(count // _CHUNK_GRAINS, 1), _MOST_CHUNKS))
        along, across, ahead = np.sort(stride)
        del along
        offsets = np.array([0, across, ahead - across, ahead, ahead + across], np.int64)
        old_begin = np.searchsorted(old.first, np.arange(count + 1, dtype=np.int64)).astype(np.int64)
        wanted = int(count / chunks * _PAIRS_PER_GRAIN) + 256
        while True:
            room = max(wanted, self._pairs_per_chunk if self._pairs_per_chunk < 2 * wanted else 0)
            pairs = self._empty(count, chunks, room, rolls)
            stretch = np.zeros((chunks, 2, 8), np.int64)
            list_pairs(place, number, fixed, offsets, skin, pairs, order, old_begin, old, rolls, stretch)
            self._pairs_per_chunk = room
            most = int(pairs.count.max())
            if most < room:
                break
            wanted = int(1.1 * most) + 256
        np.maximum.accumulate(pairs.reach, out=pairs.reach)
        sizes = pairs.reach - pairs.begin[:-1]
        pairs.force_begin[1:] = np.cumsum(sizes)
        self.force_rows = int(pairs.force_begin[-1])
        self.pairs = pairs
        if len(self.room.offset) != chunks:
            self.room = make_room(chunks)

    def contacts(self, stamp: float) -> Contacts:
        """Memory of the pairs in touch at step `stamp`, in the order of the list."""
        pairs = self.pairs
        if pairs is None:
            return no_contacts()
        room = len(pairs.first) // len(pairs.count)
        parts = []
        for c, count in enumerate(pairs.count):
            place = c * room + np.flatnonzero(pairs.spring[c * room : c * room + count, 3] == np.float32(stamp))
            parts.append(place)
        chosen = np.concatenate(parts)
        spring = np.zeros((len(chosen), 6), np.float32)
        spring[:, :3] = pairs.spring[chosen, :3]
        if len(pairs.roll) > 1:
            spring[:, 3:] = pairs.roll[chosen, :3]
        return Contacts(pairs.first[chosen], pairs.second[chosen], spring)
