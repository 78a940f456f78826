"""Who is near whom, in the order that makes every later pass fast.

Particles are sorted into rows along x: row (j, k) holds everything with y in [j w, (j+1) w) and z in [k w, (k+1) w),
w ≥ h, ordered by x within the row. Neighbours of a particle then lie in nine rows, in a contiguous stretch of each,
and eight consecutive particles can be read at once. The *block list* of a particle names those stretches: start
index and eight bits, one for each lane that is truly within the kernel radius h.

Cost and memory follow the particles and the y-z extent of the scene, not its volume.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel, parallel_kernel, prange
from ..simd import less8, load8, splat8
from ..state import State

CHUNK = 1024
"""Particles that share one stretch of the block list; a constant, so that nothing depends on the thread count."""
_SORT_CHUNKS = 16
_MOST_ROWS = 1 << 21
_MOST_CELLS = 1 << 22

LANE_MASKS = np.array([[float(bits >> lane & 1) for lane in range(8)] for bits in range(256)], dtype=np.float32).ravel()
"""1 where the bit of the lane is set: LANE_MASKS[8 bits : 8 bits + 8]."""


class Rows(NamedTuple):
    """Geometry of the rows of one step."""

    low_x: np.float32
    low_y: np.float32
    low_z: np.float32
    per_bucket: np.float32
    """Buckets per metre along x."""
    per_row: np.float32
    """Rows per metre along y and z."""
    buckets: int
    rows_y: int
    rows_z: int


class Blocks(NamedTuple):
    """The block lists of all particles."""

    first: np.ndarray
    """First block of each particle, int64 (n,)."""
    last: np.ndarray
    """One past its last block, int64 (n,)."""
    start: np.ndarray
    """Index of the particle in lane 0, int32."""
    bits: np.ndarray
    """Lanes within the kernel radius, uint8."""
    cube: np.ndarray
    """(1 − q)³ · 65535 by lane, 0 in lanes that are no neighbours, uint16, eight a block. Positions stand still while pressure is
    solved, so `passes.density_pass` fills it once and every later pass reads it. Empty unless asked for."""


@parallel_kernel
def _histogram(key, chunks, table):
    size = (key.size + chunks - 1) // chunks
    for c in prange(chunks):
        table[c, :] = 0
        for i in range(c * size, min(key.size, (c + 1) * size)):
            table[c, key[i]] += 1


@kernel
def _offsets(table, starts):
    total = 0
    for value in range(table.shape[1]):
        starts[value] = total
        for c in range(table.shape[0]):
            count = table[c, value]
            table[c, value] = total
            total += count
    starts[table.shape[1]] = total


@parallel_kernel
def _place(key, before, chunks, table, after):
    size = (key.size + chunks - 1) // chunks
    for c in prange(chunks):
        for i in range(c * size, min(key.size, (c + 1) * size)):
            slot = table[c, key[i]]
            table[c, key[i]] = slot + 1
            after[slot] = before[i]


@parallel_kernel
def _bucket_keys(x, rows, key, order):
    for i in prange(key.size):
        bucket = np.int32((x[i] - rows.low_x) * rows.per_bucket)
        key[i] = min(max(bucket, 0), rows.buckets - 1)
        order[i] = i


@parallel_kernel
def _row_keys(y, z, order, rows, key):
    for i in prange(key.size):
        p = order[i]
        j = min(max(np.int32((y[p] - rows.low_y) * rows.per_row), 0), rows.rows_y - 1)
        k = min(max(np.int32((z[p] - rows.low_z) * rows.per_row), 0), rows.rows_z - 1)
        key[i] = k * rows.rows_y + j


@parallel_kernel
def _gather(source, order, target):
    for i in prange(order.size):
        target[i] = source[order[i]]


@parallel_kernel
def _cell_starts(buckets, row_starts, bucket_count, starts):
    """starts[row * bucket_count + bucket]: first particle of that row at or beyond that bucket."""
    rows = row_starts.size - 1
    for r in prange(rows):
        p, stop = row_starts[r], row_starts[r + 1]
        for bucket in range(bucket_count):
            while p < stop and buckets[p] < bucket:
                p += 1
            starts[r * bucket_count + bucket] = p
    starts[rows * bucket_count] = row_starts[rows]


@inlined
def _hits(x, y, z, a, b, i, h2):
    """Lanes a … a+7 that lie before b, are not i and are closer to i than h."""
    dx = splat8(x[i]) - load8(x, a)
    dy = splat8(y[i]) - load8(y, a)
    dz = splat8(z[i]) - load8(z, a)
    hits = less8(dx * dx + dy * dy + dz * dz, h2)
    hits &= (1 << min(b - a, 8)) - 1
    own = i - a
    return hits & ~(np.int64(0 <= own < 8) << (own & 7))


@inlined
def _gap(offset, position, low, per_row, row):
    """Distance from `position` to the row `row + offset` across the rows [m]; 0 inside it."""
    place = (position - low) * per_row - np.float32(row)  # 0…1 within the own row
    if offset == 0:
        return np.float32(0.0)
    across = place if offset < 0 else np.float32(1.0) - place
    return max(across, np.float32(0.0)) / per_row


@parallel_kernel
def _list_blocks(x, y, z, count, h, rows, cell_starts, capacity, first, last, start, bits, used):
    """Fill the block lists. `used[chunk]` tells how many blocks a chunk needs: more than `capacity` means try again."""
    h2 = splat8(h * h)
    slack = np.float32(1.001) * h
    for c in prange((count + CHUNK - 1) // CHUNK):
        room = c * capacity
        end = room + capacity
        needed = 0
        for i in range(c * CHUNK, min(count, (c + 1) * CHUNK)):
            j = min(max(np.int32((y[i] - rows.low_y) * rows.per_row), 0), rows.rows_y - 1)
            k = min(max(np.int32((z[i] - rows.low_z) * rows.per_row), 0), rows.rows_z - 1)
            first[i] = room
            for rk in range(max(k - 1, 0), min(k + 2, rows.rows_z)):
                gap_z = _gap(rk - k, z[i], rows.low_z, rows.per_row, k)
                for rj in range(max(j - 1, 0), min(j + 2, rows.rows_y)):
                    gap_y = _gap(rj - j, y[i], rows.low_y, rows.per_row, j)
                    # the ball of radius h cuts this row in a stretch no longer than this
                    half = np.sqrt(max(slack * slack - gap_y * gap_y - gap_z * gap_z, np.float32(0.0)))
                    low = np.int32((x[i] - half - rows.low_x) * rows.per_bucket)
                    high = np.int32((x[i] + half - rows.low_x) * rows.per_bucket) + 1
                    row = (rk * rows.rows_y + rj) * rows.buckets
                    a = np.int64(cell_starts[row + max(low, 0)])
                    b = np.int64(cell_starts[row + min(high, rows.buckets)])
                    while a < b:
                        hits = _hits(x, y, z, a, b, i, h2)
                        start[room] = a  # written always, kept only if someone is near: cheaper than a branch
                        bits[room] = hits
                        found = np.int64(hits != 0)
                        needed += found
                        room = min(room + found, end - 1)
                        a += 8
            last[i] = room
        used[c] = needed


class Neighbourhood:
    """Sorts a state into rows and lists the neighbours within `h`. Scratch: can be thrown away at any time."""

    def __init__(self, h: float, cubes: bool = False) -> None:
        self.h = h
        self.cubes = cubes
        """Whether the block lists need room for `Blocks.cube`."""
        self._capacity = CHUNK * 12
        self._key = np.empty(0, np.int32)
        self._order = np.empty((2, 0), np.int32)
        self._cells = np.empty(0, np.int32)
        self._tables: dict[str, np.ndarray] = {}
        self._blocks = Blocks(
            np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.uint8), np.empty(0, np.uint16)
        )

    def _rows(self, position: np.ndarray) -> Rows:
        low, high = position.min(axis=1), position.max(axis=1)
        size = (high - low).astype(np.float64)
        # Rows may be wider than h, never narrower: a far-flung drop coarsens the table instead of exhausting memory.
        width = 1.001 * self.h
        while (size[1] / width + 1) * (size[2] / width + 1) > _MOST_ROWS:
            width *= 1.5
        rows = (int(size[1] / width) + 1) * (int(size[2] / width) + 1)
        bucket = max(self.h / 4.0, size[0] * rows / max(_MOST_CELLS - rows, rows))
        x, y, z = (np.float32(part) for part in low)
        buckets, rows_y, rows_z = int(size[0] / bucket) + 1, int(size[1] / width) + 1, int(size[2] / width) + 1
        return Rows(x, y, z, np.float32(1.0 / bucket), np.float32(1.0 / width), buckets, rows_y, rows_z)

    def _table(self, name: str, chunks: int, values: int) -> np.ndarray:
        if self._tables.get(name, np.empty((0, 0))).shape != (chunks, values):
            self._tables[name] = np.empty((chunks, values), np.int32)
        return self._tables[name]

    def _sorted_by(self, key: np.ndarray, values: int, name: str, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Stable counting sort; returns where each value starts. The chunk count cannot change the result."""
        chunks = int(min(_SORT_CHUNKS, max(1, 4 * key.size // values)))
        table = self._table(name, chunks, values)
        starts = np.empty(values + 1, np.int32)
        _histogram(key, chunks, table)
        _offsets(table, starts)
        _place(key, before, chunks, table, after)
        return starts

    def sort(self, state: State) -> tuple[Rows, np.ndarray]:
        """Reorder `state` by rows; returns the rows and where each begins."""
        n = state.count
        x, y, z = state.live("position")
        rows = self._rows(state.live("position"))
        if self._key.size != n:
            self._key, self._order = np.empty(n, np.int32), np.empty((2, n), np.int32)
        key, (first, second) = self._key, self._order
        _bucket_keys(x, rows, key, first)
        self._sorted_by(key, rows.buckets, "bucket", first, second)
        _row_keys(y, z, second, rows, key)
        starts = self._sorted_by(key, rows.rows_y * rows.rows_z, "row", second, first)
        target = state.spare_arrays()
        for name in state.layout:
            source = state[name]
            for part in range(source.shape[0]) if source.ndim == 2 else (...,):
                _gather(source[part], first, target[name][part])
        state.swap()
        return rows, starts

    def find(self, state: State) -> Blocks:
        """Sort `state` and list the neighbours of every particle."""
        rows, starts = self.sort(state)
        n = state.count
        x, y, z = state["position"]
        second = self._order[1]
        _bucket_keys(x[:n], rows, self._key, second)
        cells = rows.buckets * rows.rows_y * rows.rows_z + 1
        if self._cells.size < cells:
            self._cells = np.empty(cells + cells // 4, np.int32)
        _cell_starts(self._key, starts, rows.buckets, self._cells)
        chunks = (n + CHUNK - 1) // CHUNK
        used = np.empty(chunks, np.int64)
        while True:
            blocks = self._room_for(n, chunks)
            _list_blocks(x, y, z, n, np.float32(self.h), rows, self._cells, self._capacity, *blocks[:4], used)
            most = int(used.max(initial=0))
            if most < self._capacity:
                return blocks
            self._capacity = most + most // 8

    def _room_for(self, n: int, chunks: int) -> Blocks:
        if self._blocks.first.size != n:
            self._blocks = self._blocks._replace(first=np.empty(n, np.int64), last=np.empty(n, np.int64))
        size = chunks * self._capacity
        if self._blocks.start.size < size:
            cube = np.empty(8 * size if self.cubes else 0, np.uint16)
            self._blocks = self._blocks._replace(start=np.empty(size, np.int32), bits=np.empty(size, np.uint8), cube=cube)
        return self._blocks
