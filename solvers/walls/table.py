"""Which triples can be nearest: a look-up in constant time.

Space near the surface is cut into cells (as large as voxels) and blocks of 4 × 4 × 4 cells. A hash table finds the
block, the block knows for each cell the short list of triples of which one is nearest to any point of the cell. Far
from the surface there is no block: one failed look-up and nothing else. Memory follows the surface.

A point within `reach` of the surface lies within reach + a√3/2 of the centre of a voxel that the surface crosses
(a: voxel edge), which is inside the paper's search radius L_max = sqrt(6 h² + 5 a²/2) (21) for reach = h.
"""

import math
from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel, parallel_kernel, prange
from .borrow import borrowed
from .voxelise import Triples

BLOCK = 4
_CELLS = BLOCK**3
_BATCH, _ROOM = 2048, 2048
"""Blocks worked on at a time, and numbers their lists usually need; more is found out and given."""
_SIMILAR = math.cos(math.radians(15.0))
_SMOOTH = math.cos(math.radians(15.0))
DIRECTIONS = 3
"""List flags: how many more directions than one the triples of the list face, up to two."""
HAS_EDGES = 4
"""List flag: free edges of a sheet are near."""
HEAD_BITS = 3
"""The head of a list is its length shifted by this, plus flags."""


class Lookup(NamedTuple):
    """Candidate lists of one collider."""

    slots: np.ndarray
    """Hash table of blocks, int64 (power of two, 2): key or -1, first of the block's 64 cells in `lists`."""
    lists: np.ndarray
    """int32: for every cell of every block the place of its list or -1; then the lists, each a head
    (length · 8 + flags) followed by its triples."""
    block_count: int


@inlined
def block_key(i, j, k):
    """Key of a block; indices between -2^20 and 2^20."""
    return ((np.int64(i) + 1048576) << 42) | ((np.int64(j) + 1048576) << 21) | (np.int64(k) + 1048576)


@inlined
def _slot_of(key, mask):
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(32)) & mask


@inlined
def find_block(slots, first, mask, key):
    """Value of the block with this key in the table that begins at row `first`, or -1."""
    slot = _slot_of(key, mask)
    while True:
        here = slots[first + slot, 0]
        if here == key:
            return slots[first + slot, 1]
        if here < 0:
            return np.int64(-1)
        slot = (slot + 1) & mask


@kernel
def _fill_slots(keys, values, slots):
    mask = len(slots) - 1
    for block in range(len(keys)):
        slot = _slot_of(keys[block], mask)
        while slots[slot, 0] >= 0:
            slot = (slot + 1) & mask
        slots[slot, 0] = keys[block]
        slots[slot, 1] = values[block]


def hash_table(keys: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Open-addressing table from block keys to numbers, int64 (power of two, 2)."""
    slots = np.full((1 << max(3, int(2 * len(keys)).bit_length()), 2), -1, dtype=np.int64)
    _fill_slots(keys, values.astype(np.int64), slots)
    return slots


def _keys(index: np.ndarray) -> np.ndarray:
    shifted = index.astype(np.int64) + 1048576
    return (shifted[:, 0] << 42) | (shifted[:, 1] << 21) | shifted[:, 2]


def _places(keys: np.ndarray) -> np.ndarray:
    mask = (1 << 21) - 1
    return np.stack([keys >> 42, (keys >> 21) & mask, keys & mask], axis=1) - 1048576


class _Source(NamedTuple):
    """Triples ordered by block, and the table that finds them."""

    row: np.ndarray
    """Centre, normal and distance, float32 (n, 7)."""
    owner: np.ndarray
    """Primitive, is it an edge, place in the unordered triples, is the primitive measured itself; int32 (n, 4)."""
    start: np.ndarray
    """First triple of each occupied block, int64 (blocks + 1,)."""
    slots: np.ndarray


class _Sizes(NamedTuple):
    cell: np.float32
    radius: np.float32
    """Farthest centre that matters to a point of a cell."""
    similar: np.float32
    smooth: np.float32
    slack: np.float32
    """How far centres may move while the lists are in use."""
    rings: int
    """Blocks to look around."""


@kernel
def _gather(place, source, sizes, near, found):
    """Triples within the radius of a block, in a fixed order: rows into `near`; returns how many there are."""
    width = sizes.cell * np.float32(BLOCK)
    x, y, z = np.float32(place[0]) * width, np.float32(place[1]) * width, np.float32(place[2]) * width
    mask = len(source.slots) - 1
    limit = sizes.radius * sizes.radius
    zero = np.float32(0.0)
    count = 0
    for i in range(-sizes.rings, sizes.rings + 1):
        for j in range(-sizes.rings, sizes.rings + 1):
            for k in range(-sizes.rings, sizes.rings + 1):
                block = find_block(source.slots, np.int64(0), mask, block_key(place[0] + i, place[1] + j, place[2] + k))
                if block < 0:
                    continue
                for item in range(source.start[block], source.start[block + 1]):
                    cx, cy, cz = source.row[item, 0], source.row[item, 1], source.row[item, 2]
                    dx = max(x - cx, cx - x - width, zero)
                    dy = max(y - cy, cy - y - width, zero)
                    dz = max(z - cz, cz - z - width, zero)
                    if dx * dx + dy * dy + dz * dz <= limit:
                        if count < len(found):
                            near[0, count], near[1, count], near[2, count] = cx, cy, cz
                            found[count] = item
                        count += 1
    return count


@kernel
def _near_cell(x, y, z, source, sizes, near, found, total, kept, offset):
    """Triples that may matter to the cell around (x, y, z), nearest centre first; returns how many."""
    square = near[3]
    for index in range(total):
        dx, dy, dz = near[0, index] - x, near[1, index] - y, near[2, index] - z
        square[index] = dx * dx + dy * dy + dz * dz
    best, least = 0, np.float32(np.inf)
    for index in range(total):
        if square[index] < least:
            best, least = index, square[index]
    half, corner = np.float32(0.5) * sizes.cell, np.float32(0.8661) * sizes.cell
    outer = (sizes.radius + corner) * (sizes.radius + corner)
    if least > outer:
        return 0
    limit = sizes.radius * sizes.radius
    # A similar triple that is farther than the nearest one from every point of the cell is never needed.
    near_limit = np.sqrt(least) + corner + np.float32(2.0) * sizes.slack
    # Wide triangles are measured themselves, and may be nearer than their centres by up to half a voxel's diagonal.
    wide_limit = near_limit + corner
    near_limit, wide_limit = min(near_limit * near_limit, limit), min(wide_limit * wide_limit, limit)
    row, owner, zero = source.row, source.owner, np.float32(0.0)
    nx, ny, nz = row[found[best], 3], row[found[best], 4], row[found[best], 5]
    plain = owner[found[best], 1] == 0
    count = 0
    for index in range(total):
        if square[index] > outer:
            continue
        dx = max(abs(near[0, index] - x) - half, zero)
        dy = max(abs(near[1, index] - y) - half, zero)
        dz = max(abs(near[2, index] - z) - half, zero)
        gap = dx * dx + dy * dy + dz * dz
        item = found[index]
        if gap > limit:
            continue
        if gap > (wide_limit if owner[item, 3] == 1 else near_limit) and plain and owner[item, 1] == 0:
            if row[item, 3] * nx + row[item, 4] * ny + row[item, 5] * nz >= sizes.similar:
                continue
        slot = count
        while slot > 0 and offset[slot - 1] > square[index]:
            offset[slot], kept[slot] = offset[slot - 1], kept[slot - 1]
            slot -= 1
        offset[slot], kept[slot] = square[index], item
        count += 1
    return count


@inlined
def _cosine(row, a, b):
    return row[a, 3] * row[b, 3] + row[a, 4] * row[b, 4] + row[a, 5] * row[b, 5]


@inlined
def _apart(row, a, b, sizes):
    """Do two triples lie on different planes?"""
    dx, dy, dz = row[b, 0] - row[a, 0], row[b, 1] - row[a, 1], row[b, 2] - row[a, 2]
    step = dx * row[a, 3] + dy * row[a, 4] + dz * row[a, 5] + row[a, 6] - row[b, 6]
    return abs(step) > np.float32(1.0e-3) * sizes.cell or _cosine(row, a, b) < np.float32(0.999999)


@kernel
def _prune(source, sizes, kept, offset, count):
    """Drop triples that a similar one beats everywhere in the cell; returns how many stay and the list's flags."""
    row, owner = source.row, source.owner
    stays, flags, first_face, second_face, third_face = 0, 0, -1, -1, -1
    single = True
    for index in range(count):
        item = kept[index]
        beaten = False
        for other in range(stays):
            rival = kept[other]
            if owner[item, 3] == 1 and owner[item, 0] == owner[rival, 0]:
                beaten = True
                break
            if owner[item, 1] != owner[rival, 1] or _cosine(row, item, rival) < sizes.similar:
                continue
            if owner[item, 3] == 1 and (owner[item, 1] == 1 or _apart(row, item, rival, sizes)):
                continue
            # |p−r_i|² − |p−r_k|² is linear in p: its least value over the cell decides.
            dx, dy, dz = row[item, 0] - row[rival, 0], row[item, 1] - row[rival, 1], row[item, 2] - row[rival, 2]
            reach = sizes.cell * (abs(dx) + abs(dy) + abs(dz))
            if sizes.slack > np.float32(0.0):
                reach += np.float32(4.0) * sizes.slack * (np.sqrt(offset[index]) + np.float32(2.0) * sizes.cell)
            if offset[index] - offset[other] > reach * np.float32(1.00001):
                beaten = True
                break
        if beaten:
            continue
        kept[stays], offset[stays] = item, offset[index]
        stays += 1
        if owner[item, 1] == 1:
            flags |= HAS_EDGES
        elif first_face < 0:
            first_face = item
        else:
            # Directions more than 15° apart are counted; walls that are more than 30° apart are among them.
            if _cosine(row, item, first_face) < sizes.smooth:
                if second_face < 0:
                    second_face = item
                elif third_face < 0 and _cosine(row, item, second_face) < sizes.smooth:
                    third_face = item
            if owner[item, 0] != owner[first_face, 0]:
                single = False
    if first_face < 0:
        return 0, 0
    flags += (1 if second_face >= 0 else 0) + (1 if third_face >= 0 else 0)
    if single:
        # One triangle is all there is: its nearest triple stands for it.
        write = 0
        for index in range(stays):
            item = kept[index]
            if owner[item, 1] == 1 or item == first_face:
                kept[write] = item
                write += 1
        stays = write
    return stays, flags


@kernel
def _block_lists(place, source, sizes, room):
    """Cells (64) and lists of a block into `room`; equal neighbours share a list. Returns the room needed."""
    near = np.empty((4, 512), np.float32)
    found = np.empty(512, np.int32)
    total = _gather(place, source, sizes, near, found)
    if total > len(found):
        near = np.empty((4, total), np.float32)
        found = np.empty(total, np.int32)
        total = _gather(place, source, sizes, near, found)
    kept, last = np.empty(total, np.int32), np.empty(total, np.int32)
    offset = np.empty(total, np.float32)
    used, last_count, last_at = _CELLS, -1, -1
    for cell in range(_CELLS):
        i, j, k = cell // (BLOCK * BLOCK), cell // BLOCK % BLOCK, cell % BLOCK
        x = (np.float32(place[0] * BLOCK + i) + np.float32(0.5)) * sizes.cell
        y = (np.float32(place[1] * BLOCK + j) + np.float32(0.5)) * sizes.cell
        z = (np.float32(place[2] * BLOCK + k) + np.float32(0.5)) * sizes.cell
        count = _near_cell(x, y, z, source, sizes, near, found, total, kept, offset)
        count, flags = _prune(source, sizes, kept, offset, count)
        room[cell] = -1
        if count == 0:
            continue
        same = count == last_count
        if same:
            for index in range(count):
                a, b = kept[index], last[index]
                if source.owner[a, 0] != source.owner[b, 0] or (count > 1 and a != b):
                    same = False
                    break
        if not same:
            last_at, last_count = used, count
            if used + count < len(room):
                room[used] = (count << HEAD_BITS) + flags
                for index in range(count):
                    room[used + 1 + index] = source.owner[kept[index], 2]
            for index in range(count):
                last[index] = kept[index]
            used += count + 1
        room[cell] = last_at
    return used


@parallel_kernel
def _fill_rooms(all_places, all_source, sizes, all_rooms, used):
    for block in prange(len(all_places)):
        places, source, rooms = borrowed(all_places), borrowed(all_source), borrowed(all_rooms)
        used[block] = _block_lists(places[block], source, sizes, rooms[block])


@parallel_kernel
def _collect(rooms, used, cell_at, list_at, lists):
    """Copy rooms to their places: cells to cell_at, lists to list_at; cells learn where the lists went."""
    for block in prange(len(used)):
        shift = list_at[block] - _CELLS
        for cell in range(_CELLS):
            here = rooms[block, cell]
            lists[cell_at[block] + cell] = here + shift if here >= 0 else -1
        for item in range(_CELLS, used[block]):
            lists[item + shift] = rooms[block, item]


def _active_blocks(
    voxel_block: np.ndarray, low: np.ndarray, high: np.ndarray, cell: float, radius: float, rings: int
) -> np.ndarray:
    """Keys of the blocks within `radius` of the centres that lie between low and high in every occupied block."""
    around = np.stack(np.meshgrid(*[np.arange(-rings, rings + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    width = cell * BLOCK
    active = []
    for shift in around:
        place = voxel_block + shift
        gap = np.maximum(np.maximum(place * width - high, low - (place + 1) * width), 0.0)
        active.append(_keys(place[np.einsum("ij,ij->i", gap, gap) <= radius * radius]))
    return np.unique(np.concatenate(active))


def _all_rooms(places: np.ndarray, source: _Source, sizes: _Sizes) -> tuple[list[np.ndarray], np.ndarray]:
    """Rooms of all blocks, in batches of rows long enough for their lists, and the room used by each block."""
    batches, used = [], np.zeros(len(places), dtype=np.int64)
    for first in range(0, len(places), _BATCH):
        batch = places[first : first + _BATCH]
        length = _ROOM
        while True:
            rooms, needed = np.empty((len(batch), length), dtype=np.int32), np.zeros(len(batch), dtype=np.int64)
            _fill_rooms(batch, source, sizes, rooms, needed)
            if needed.max() <= length:
                break
            length = int(needed.max())
        used[first : first + len(batch)] = needed
        keep = needed > _CELLS
        batches.append(np.ascontiguousarray(rooms[keep, : int(needed.max())]))
    return batches, used


def build_lookup(
    triples: Triples, is_edge: np.ndarray, wide: np.ndarray, voxel: float, reach: float, slack: float = 0.0
) -> Lookup:
    """Lists for all points within `reach` of the surface; triples may move by `slack` before the lists are rebuilt.

    `is_edge` and `wide` (primitives that are measured themselves) are bool per primitive.
    """
    radius = reach + voxel * math.sqrt(0.75) + 2.0 * slack
    rings = math.ceil(radius / (voxel * BLOCK))
    block = _keys(triples.voxel // BLOCK)
    order = np.argsort(block, kind="stable").astype(np.int32)
    keys, start = np.unique(block[order], return_index=True)
    if len(order) == 0:
        return Lookup(hash_table(keys, keys), np.zeros(0, dtype=np.int32), 0)
    start = np.append(start, len(order)).astype(np.int64)
    row = np.column_stack([triples.centre, triples.normal, triples.distance]).astype(np.float32)[order]
    low, high = np.minimum.reduceat(row[:, :3], start[:-1]), np.maximum.reduceat(row[:, :3], start[:-1])
    active = _active_blocks(_places(keys), low, high, voxel, radius, rings)
    primitive = triples.primitive[order]
    owner = np.stack([primitive, is_edge[primitive], order, wide[primitive]], axis=1).astype(np.int32)
    source = _Source(row, owner, start, hash_table(keys, np.arange(len(keys))))
    sizes = _Sizes(
        np.float32(voxel), np.float32(radius), np.float32(_SIMILAR), np.float32(_SMOOTH), np.float32(slack), rings
    )  # fmt: skip
    batches, used = _all_rooms(_places(active), source, sizes)
    active, used = active[used > _CELLS], used[used > _CELLS]
    cell_at = np.arange(len(active), dtype=np.int64) * _CELLS
    list_at = len(active) * _CELLS + np.cumsum(used - _CELLS) - (used - _CELLS)
    lists = np.empty(len(active) * _CELLS + int((used - _CELLS).sum()), dtype=np.int32)
    first = 0
    for rooms in batches:
        part = slice(first, first + len(rooms))
        _collect(rooms, used[part], cell_at[part], list_at[part], lists)
        first += len(rooms)
    return Lookup(hash_table(active, cell_at), lists, len(active))
