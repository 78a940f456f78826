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
from .voxelise import DISTINCT, Triples

BLOCK = 4
_CELLS = BLOCK**3
_SIMILAR = math.cos(math.radians(10.0))
_SMOOTH = math.cos(math.radians(15.0))
SEVERAL_WALLS = 1
"""List flag: the triples of the list face different ways."""
HAS_EDGES = 2
"""List flag: free edges of a sheet are near."""


class Lookup(NamedTuple):
    """Candidate lists of one collider."""

    slot_key: np.ndarray
    """Hash table of blocks: key or -1, int64 (power of two,)."""
    slot_block: np.ndarray
    """Block of the slot, int32."""
    cell_list: np.ndarray
    """List of each cell or -1, int32 (blocks * 64,)."""
    list_start: np.ndarray
    """First entry of each list, int32 (lists + 1,)."""
    list_flag: np.ndarray
    """SEVERAL_WALLS | HAS_EDGES, int8 (lists,)."""
    entry: np.ndarray
    """Triples, int32 (entries,)."""


@inlined
def block_key(i, j, k):
    """Key of a block; indices between -2^20 and 2^20."""
    return ((np.int64(i) + 1048576) << 42) | ((np.int64(j) + 1048576) << 21) | (np.int64(k) + 1048576)


@inlined
def _slot_of(key, mask):
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(32)) & mask


@inlined
def find_block(slot_key, slot_block, first, mask, key):
    """Block with this key in the table that begins at `first`, or -1."""
    slot = _slot_of(key, mask)
    while True:
        here = slot_key[first + slot]
        if here == key:
            return slot_block[first + slot]
        if here < 0:
            return np.int32(-1)
        slot = (slot + 1) & mask


@kernel
def _fill_slots(keys, slot_key, slot_block):
    mask = len(slot_key) - 1
    for block in range(len(keys)):
        slot = _slot_of(keys[block], mask)
        while slot_key[slot] >= 0:
            slot = (slot + 1) & mask
        slot_key[slot] = keys[block]
        slot_block[slot] = block


def hash_table(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Open-addressing table of block keys: slot keys and block numbers."""
    size = 1 << max(3, int(2 * len(keys)).bit_length())
    slot_key, slot_block = np.full(size, -1, dtype=np.int64), np.full(size, -1, dtype=np.int32)
    _fill_slots(keys, slot_key, slot_block)
    return slot_key, slot_block


def _keys(index: np.ndarray) -> np.ndarray:
    shifted = index.astype(np.int64) + 1048576
    return (shifted[:, 0] << 42) | (shifted[:, 1] << 21) | shifted[:, 2]


def _places(keys: np.ndarray) -> np.ndarray:
    mask = (1 << 21) - 1
    return np.stack([keys >> 42, (keys >> 21) & mask, keys & mask], axis=1) - 1048576


class _Source(NamedTuple):
    """Triples ordered by block, and the table that finds them."""

    centre: np.ndarray
    normal: np.ndarray
    is_edge: np.ndarray
    primitive: np.ndarray
    order: np.ndarray
    start: np.ndarray
    slot_key: np.ndarray
    slot_block: np.ndarray


class _Sizes(NamedTuple):
    cell: np.float32
    radius: np.float32
    """Farthest centre that matters to a point of a cell."""
    similar: np.float32
    smooth: np.float32
    rings: int
    """Blocks to look around."""


@kernel
def _gather(place, source, sizes, found):
    """Triples within the radius of a block, in a fixed order; returns how many (found may be too short)."""
    width = sizes.cell * np.float32(BLOCK)
    x, y, z = np.float32(place[0]) * width, np.float32(place[1]) * width, np.float32(place[2]) * width
    mask = len(source.slot_key) - 1
    limit = sizes.radius * sizes.radius
    zero = np.float32(0.0)
    count = 0
    for i in range(-sizes.rings, sizes.rings + 1):
        for j in range(-sizes.rings, sizes.rings + 1):
            for k in range(-sizes.rings, sizes.rings + 1):
                block = find_block(
                    source.slot_key, source.slot_block, 0, mask, block_key(place[0] + i, place[1] + j, place[2] + k)
                )
                if block < 0:
                    continue
                for item in range(source.start[block], source.start[block + 1]):
                    dx = max(x - source.centre[item, 0], source.centre[item, 0] - x - width, zero)
                    dy = max(y - source.centre[item, 1], source.centre[item, 1] - y - width, zero)
                    dz = max(z - source.centre[item, 2], source.centre[item, 2] - z - width, zero)
                    if dx * dx + dy * dy + dz * dz <= limit:
                        if count < len(found):
                            found[count] = item
                        count += 1
    return count


@inlined
def _cosine(normal, a, b):
    return normal[a, 0] * normal[b, 0] + normal[a, 1] * normal[b, 1] + normal[a, 2] * normal[b, 2]


@kernel
def _near_cell(x, y, z, source, sizes, found, total, kept, offset):
    """Triples within the radius of the cell around (x, y, z), nearest centre first; returns how many."""
    half = np.float32(0.5) * sizes.cell
    limit = sizes.radius * sizes.radius
    zero = np.float32(0.0)
    count = 0
    for index in range(total):
        item = found[index]
        cx = abs(x - source.centre[item, 0])
        cy = abs(y - source.centre[item, 1])
        cz = abs(z - source.centre[item, 2])
        dx, dy, dz = max(cx - half, zero), max(cy - half, zero), max(cz - half, zero)
        if dx * dx + dy * dy + dz * dz > limit:
            continue
        square = cx * cx + cy * cy + cz * cz
        slot = count
        while slot > 0 and offset[slot - 1] > square:
            offset[slot], kept[slot] = offset[slot - 1], kept[slot - 1]
            slot -= 1
        offset[slot], kept[slot] = square, item
        count += 1
    return count


@kernel
def _prune(source, sizes, kept, offset, count):
    """Drop triples that a similar one beats everywhere in the cell; returns how many stay and the list's flags."""
    stays = 0
    flags = 0
    faces = 0
    single = True
    first_face = -1
    for index in range(count):
        item = kept[index]
        beaten = False
        for other in range(stays):
            rival = kept[other]
            if source.is_edge[item] != source.is_edge[rival]:
                continue
            if source.is_edge[item] and source.primitive[item] != source.primitive[rival]:
                continue
            if _cosine(source.normal, item, rival) < sizes.similar:
                continue
            # |p−r_i|² − |p−r_k|² is linear in p: its least value over the cell decides.
            reach = sizes.cell * (
                abs(source.centre[item, 0] - source.centre[rival, 0])
                + abs(source.centre[item, 1] - source.centre[rival, 1])
                + abs(source.centre[item, 2] - source.centre[rival, 2])
            )
            if offset[index] - offset[other] > reach * np.float32(1.00001):
                beaten = True
                break
        if beaten:
            continue
        kept[stays], offset[stays] = item, offset[index]
        stays += 1
        if source.is_edge[item]:
            flags |= HAS_EDGES
        else:
            if first_face < 0:
                first_face = item
            elif _cosine(source.normal, item, first_face) < sizes.smooth:
                flags |= SEVERAL_WALLS
            if source.primitive[item] != source.primitive[first_face]:
                single = False
            faces += 1
    if faces == 0:
        return 0, 0
    if single:
        # One triangle is all there is: its nearest triple stands for it.
        write = 0
        seen = False
        for index in range(stays):
            item = kept[index]
            if source.is_edge[item] or not seen:
                kept[write] = item
                write += 1
            if not source.is_edge[item]:
                seen = True
        stays = write
    return stays, flags


@kernel
def _block_lists(place, source, sizes, lists, write_at, list_at, entry, cell_list, list_start, list_flag, write):
    """Lists of the 64 cells of a block; equal neighbours share one. Returns the number of lists and of entries."""
    found = np.empty(256, np.int32)
    total = _gather(place, source, sizes, found)
    if total > len(found):
        found = np.empty(total, np.int32)
        total = _gather(place, source, sizes, found)
    kept, last = np.empty(total, np.int32), np.empty(total, np.int32)
    offset = np.empty(total, np.float32)
    list_count, entry_count, last_count = 0, 0, -1
    for cell in range(_CELLS):
        i, j, k = cell // (BLOCK * BLOCK), cell // BLOCK % BLOCK, cell % BLOCK
        x = (np.float32(place[0] * BLOCK + i) + np.float32(0.5)) * sizes.cell
        y = (np.float32(place[1] * BLOCK + j) + np.float32(0.5)) * sizes.cell
        z = (np.float32(place[2] * BLOCK + k) + np.float32(0.5)) * sizes.cell
        count = _near_cell(x, y, z, source, sizes, found, total, kept, offset)
        count, flags = _prune(source, sizes, kept, offset, count)
        if count == 0:
            if write:
                cell_list[lists * _CELLS + cell] = -1
            continue
        same = count == last_count
        if same:
            for index in range(count):
                if source.primitive[kept[index]] != source.primitive[last[index]] or (count > 1 and kept[index] != last[index]):
                    same = False
                    break
        if not same:
            if write:
                list_start[list_at + list_count] = write_at + entry_count
                list_flag[list_at + list_count] = flags
                for index in range(count):
                    entry[write_at + entry_count + index] = source.order[kept[index]]
            for index in range(count):
                last[index] = kept[index]
            last_count = count
            list_count += 1
            entry_count += count
        if write:
            cell_list[lists * _CELLS + cell] = list_at + list_count - 1
    return list_count, entry_count


@parallel_kernel
def _all_lists(places, source, sizes, entry_at, list_at, entry, cell_list, list_start, list_flag, write):
    for block in prange(len(places)):
        lists, entries = _block_lists(
            places[block], source, sizes, block, entry_at[block], list_at[block], entry, cell_list, list_start, list_flag, write
        )
        if not write:
            list_at[block] = lists
            entry_at[block] = entries


def _active_blocks(voxel_block: np.ndarray, low: np.ndarray, high: np.ndarray, cell: float, radius: float, rings: int) -> np.ndarray:
    """Keys of the blocks within `radius` of the centres that lie between low and high in every occupied block."""
    around = np.stack(np.meshgrid(*[np.arange(-rings, rings + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    width = cell * BLOCK
    active = []
    for shift in around:
        place = voxel_block + shift
        gap = np.maximum(np.maximum(place * width - high, low - (place + 1) * width), 0.0)
        active.append(_keys(place[np.einsum("ij,ij->i", gap, gap) <= radius * radius]))
    return np.unique(np.concatenate(active))


def build_lookup(triples: Triples, is_edge: np.ndarray, voxel: float, reach: float, slack: float = 0.0) -> Lookup:
    """Lists for all points within `reach` of the surface; triples may move by `slack` before the lists are rebuilt."""
    centre = triples.centre.astype(np.float32)
    radius = reach + voxel * math.sqrt(0.75) + 2.0 * slack
    rings = math.ceil((radius + slack) / (voxel * BLOCK))
    block = _keys(triples.voxel // BLOCK)
    order = np.argsort(block, kind="stable").astype(np.int32)
    keys, start = np.unique(block[order], return_index=True)
    start = np.append(start, len(order)).astype(np.int64)
    ordered = centre[order]
    if len(order) == 0:
        empty = np.zeros(0, dtype=np.int32)
        return Lookup(*hash_table(keys), empty, np.zeros(1, dtype=np.int32), np.zeros(0, dtype=np.int8), empty)
    low, high = np.minimum.reduceat(ordered, start[:-1]), np.maximum.reduceat(ordered, start[:-1])
    places = _places(_active_blocks(_places(keys), low, high, voxel, radius, rings))
    source = _Source(
        ordered, triples.normal.astype(np.float32)[order], is_edge[triples.primitive[order]], triples.primitive[order], order,
        start, *hash_table(keys),
    )  # fmt: skip
    sizes = _Sizes(np.float32(voxel), np.float32(radius), np.float32(_SIMILAR), np.float32(_SMOOTH), rings)
    none = np.zeros(0, dtype=np.int32)
    lists, entries = np.zeros(len(places), dtype=np.int64), np.zeros(len(places), dtype=np.int64)
    _all_lists(places, source, sizes, entries, lists, none, none, none, np.zeros(0, dtype=np.int8), False)
    used = lists > 0
    places, lists, entries = places[used], lists[used], entries[used]
    total_lists, total_entries = int(lists.sum()), int(entries.sum())
    entry, cell_list = np.empty(total_entries, dtype=np.int32), np.empty(len(places) * _CELLS, dtype=np.int32)
    list_start, list_flag = np.empty(total_lists + 1, dtype=np.int32), np.empty(total_lists, dtype=np.int8)
    list_start[-1] = total_entries
    list_at, entry_at = np.cumsum(lists) - lists, np.cumsum(entries) - entries
    _all_lists(places, source, sizes, entry_at, list_at, entry, cell_list, list_start, list_flag, True)
    return Lookup(*hash_table(_keys(places)), cell_list, list_start, list_flag, entry)


__all__ = ["DISTINCT", "Lookup", "build_lookup", "find_block", "block_key", "BLOCK", "SEVERAL_WALLS", "HAS_EDGES"]
