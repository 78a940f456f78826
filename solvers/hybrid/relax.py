"""Grains pushed apart until they hardly overlap, and the packing that new grains are copied from."""

from typing import NamedTuple

import numpy as np

from ..jit import kernel, parallel_kernel, prange
from ..materials.grains_params import PACKING, GrainsParams, grain_volume
from ..mesh.noise import unit
from ..walls import Walls
from ..walls.borrow import borrowed
from ..walls.planes import INTERSECTION

_SKIN = 0.3
"""Pairs are listed that are closer than this, in the largest radius."""
_LIST_EVERY = 10
_PUSH = 0.7
"""Part of its overlaps that a grain gives way in one sweep."""
_STREAM = 310
TEMPLATE_CELLS = 6
"""Edge of the periodic packing in cells of the grid."""
_TEMPLATE_SWEEPS = 600


@kernel
def _neighbours(place, radius, movable, reach, period, begin, found):
    """Neighbours of movable grains within `reach` of their surfaces, as rows of `found`; returns how many, more than there is
    room for if it does not suffice. `period` [m]: edge of a periodic box from 0, or 0."""
    count = len(place)
    edge = 2.0 * np.max(radius) + reach
    low, size = np.zeros(3), np.ones(3, np.int64)
    for axis in range(3):
        if period > 0.0:
            size[axis] = max(1, int(period / edge))
        else:
            low[axis] = np.min(place[:, axis])
            size[axis] = int((np.max(place[:, axis]) - low[axis]) / edge) + 1
    per = np.full(3, 1.0 / edge)
    if period > 0.0:
        for axis in range(3):
            per[axis] = size[axis] / period
    head, link = np.full(size[0] * size[1] * size[2], -1, np.int64), np.empty(count, np.int64)
    cell = np.empty((count, 3), np.int64)
    for p in range(count - 1, -1, -1):
        for axis in range(3):
            cell[p, axis] = min(max(int((place[p, axis] - low[axis]) * per[axis]), 0), size[axis] - 1)
        at = (cell[p, 0] * size[1] + cell[p, 1]) * size[2] + cell[p, 2]
        link[p], head[at] = head[at], p
    total = 0
    for p in range(count):
        begin[p] = total
        if not movable[p]:
            continue
        for s in range(27):
            i, j, k = cell[p, 0] + s // 9 - 1, cell[p, 1] + s // 3 % 3 - 1, cell[p, 2] + s % 3 - 1
            if period > 0.0:
                i, j, k = i % size[0], j % size[1], k % size[2]
            elif i < 0 or j < 0 or k < 0 or i >= size[0] or j >= size[1] or k >= size[2]:
                continue
            q = head[(i * size[1] + j) * size[2] + k]
            while q >= 0:
                if q != p:
                    gap = 0.0
                    for axis in range(3):
                        d = place[p, axis] - place[q, axis]
                        if period > 0.0:
                            d -= period * np.floor(d / period + 0.5)
                        gap += d * d
                    near = radius[p] + radius[q] + reach
                    if gap < near * near:
                        if total < len(found):
                            found[total] = q
                        total += 1
                q = link[q]
    begin[count] = total
    return total


@parallel_kernel
def _sweep(place, radius, movable, period, begin, found, moved):
    """One sweep: every movable grain gives way to half of each overlap with movable ones and all of it with others."""
    for p in prange(len(place)):
        x, y, z = 0.0, 0.0, 0.0
        for m in range(begin[p], begin[p + 1]):
            q = found[m]
            dx, dy, dz = place[p, 0] - place[q, 0], place[p, 1] - place[q, 1], place[p, 2] - place[q, 2]
            if period > 0.0:
                dx -= period * np.floor(dx / period + 0.5)
                dy -= period * np.floor(dy / period + 0.5)
                dz -= period * np.floor(dz / period + 0.5)
            reach = radius[p] + radius[q]
            square = dx * dx + dy * dy + dz * dz
            if square < reach * reach and square > 0.0:
                gap = np.sqrt(square)
                share = _PUSH * (reach - gap) / gap * (0.5 if movable[q] else 1.0)
                x, y, z = x + share * dx, y + share * dy, z + share * dz
        moved[p, 0], moved[p, 1], moved[p, 2] = x, y, z
    for p in prange(len(place)):
        if movable[p]:
            for axis in range(3):
                to = place[p, axis] + moved[p, axis]
                place[p, axis] = to - period * np.floor(to / period) if period > 0.0 else to


@kernel
def _worst(place, radius, movable, period, begin, found, worst):
    """Largest overlap of each movable grain, in the sum of both radii."""
    for p in range(len(place)):
        worst[p] = 0.0
        for m in range(begin[p], begin[p + 1]):
            q = found[m]
            gap = 0.0
            for axis in range(3):
                d = place[p, axis] - place[q, axis]
                if period > 0.0:
                    d -= period * np.floor(d / period + 0.5)
                gap += d * d
            worst[p] = max(worst[p], 1.0 - np.sqrt(gap) / (radius[p] + radius[q]))


def _listed(place: np.ndarray, radius: np.ndarray, movable: np.ndarray, period: float) -> tuple[np.ndarray, np.ndarray]:
    begin = np.empty(len(place) + 1, np.int64)
    room = 24 * int(np.count_nonzero(movable)) + 64
    while True:
        found = np.empty(room, np.int64)
        total = _neighbours(place, radius, movable, _SKIN * float(radius.max()), period, begin, found)
        if total <= room:
            return begin, found
        room = total


def overlaps(place: np.ndarray, radius: np.ndarray, movable: np.ndarray, period: float = 0.0) -> np.ndarray:
    """Largest overlap of each movable grain with any other, in the sum of the radii, float64 (n,); 0 for the others."""
    worst = np.zeros(len(place))
    if len(place):
        _worst(place, radius, movable, period, *_listed(place, radius, movable, period), worst)
    return worst


@kernel
def _room_for(place, radius, chosen, others, begin, found, room):
    """Radius `room` (n,) at which each chosen grain just touches `others` around it; two chosen ones give way half each."""
    for p in range(len(place)):
        room[p] = radius[p]
        if not chosen[p]:
            continue
        for m in range(begin[p], begin[p + 1]):
            q = found[m]
            if not others[q]:
                continue
            gap = 0.0
            for axis in range(3):
                gap += (place[p, axis] - place[q, axis]) ** 2
            overlap = radius[p] + radius[q] - np.sqrt(gap)
            room[p] = min(room[p], radius[p] - overlap * (0.5 if chosen[q] else 1.0))


def room_for(place: np.ndarray, radius: np.ndarray, chosen: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Radii [m] (n,), at most `radius`, at which the chosen grains (n,) do not overlap `others` (n,); the rest keep theirs."""
    room = radius.copy()
    if chosen.any():
        _room_for(place, radius, chosen, others, *_listed(place, radius, chosen, 0.0), room)
    return room


@kernel
def _hold_out(place, radius, movable, row, all_plane, count, shape, asked):
    """Movable grains leave the walls that were near them at `asked` float32 (n, 3); rows as in `NearWalls`."""
    plane = borrowed(all_plane)
    for p in range(len(place)):
        at = row[p]
        if at < 0 or not movable[p]:
            continue
        if shape[at] == INTERSECTION and count[at] > 1:
            # A convex edge: distance from the edge itself where the grain is in front of both planes.
            best, square, most = 0, 0.0, -1.0e30
            for slot in range(count[at]):
                d = np.float64(plane[at, slot, 3])
                for axis in range(3):
                    d += plane[at, slot, axis] * (place[p, axis] - asked[p, axis])
                square += max(d, 0.0) ** 2
                if d > most:
                    best, most = slot, d
            lack = radius[p] - (np.sqrt(square) if square > 0.0 else most)
            if lack > 0.0:
                for axis in range(3):
                    place[p, axis] += lack * plane[at, best, axis]
            continue
        for slot in range(count[at]):
            d = np.float64(plane[at, slot, 3])
            for axis in range(3):
                d += plane[at, slot, axis] * (place[p, axis] - asked[p, axis])
            if d < radius[p]:
                for axis in range(3):
                    place[p, axis] += (radius[p] - d) * plane[at, slot, axis]


def relax(
    place: np.ndarray, radius: np.ndarray, movable: np.ndarray, sweeps: int, period: float = 0.0, walls: Walls | None = None,
    enough: float = 0.0,
) -> None:  # fmt: skip
    """Push movable grains (n,) apart, all others standing: `place` float64 (n, 3) is changed, `radius` float64 (n,).

    `walls` hold them too. Ends early where no overlap exceeds `enough`, in the sum of the radii: such grains stay where they are.
    """
    if len(place) == 0 or not movable.any():
        return
    moved, worst = np.zeros_like(place), np.zeros(len(place))
    begin, found = np.empty(0, np.int64), np.empty(0, np.int64)
    if walls is not None:
        chosen = np.flatnonzero(movable)
        asked = np.zeros((len(place), 3), np.float32)
        asked[chosen] = place[chosen]
        near = walls.near(np.ascontiguousarray(asked[chosen]))
        row = np.full(len(place), -1, np.int32)
        row[chosen] = near.row[: len(chosen)]
        planes = (row, near.plane.copy(), near.count.copy(), near.shape.copy(), asked)
        _hold_out(place, radius, movable, *planes)
    for sweep in range(sweeps):
        if sweep % _LIST_EVERY == 0:
            begin, found = _listed(place, radius, movable, period)
            if enough > 0.0:
                _worst(place, radius, movable, period, begin, found, worst)
                if worst.max() < enough:
                    return
        _sweep(place, radius, movable, period, begin, found, moved)
        if walls is not None:
            _hold_out(place, radius, movable, *planes)


class Template(NamedTuple):
    """A periodic random packing, fixed in space: new grains are copied from it, so that neighbouring cells fit together."""

    period: float
    """Edge of the box [m]."""
    place: np.ndarray
    """float64 (n, 3), from 0 to the period."""
    radius: np.ndarray
    """float64 (n,)"""
    cell_begin: np.ndarray
    """First grain of each of the TEMPLATE_CELLS³ cells, and one past the last, int64."""


def make_template(params: GrainsParams, cell: float, seed: int) -> Template:
    """Grains of a member at the target packing, hardly overlapping."""
    period = TEMPLATE_CELLS * cell
    count = round(PACKING * period**3 / grain_volume(params))
    number = np.arange(count)[:, None]
    place = np.stack([unit(number, seed, _STREAM + axis) for axis in range(3)], axis=1) * period
    # Even quantiles in random order: the template has exactly the mean volume that grains have.
    order = np.argsort(unit(number, seed, _STREAM + 3), kind="stable")
    radius = 0.5 * params.size * (1.0 + params.size_spread * (2.0 * (order + 0.5) / count - 1.0))
    relax(place, radius, np.ones(count, np.bool_), _TEMPLATE_SWEEPS, period)
    index = np.minimum((place / cell).astype(np.int64), TEMPLATE_CELLS - 1)
    flat = (index[:, 0] * TEMPLATE_CELLS + index[:, 1]) * TEMPLATE_CELLS + index[:, 2]
    order = np.argsort(flat, kind="stable")
    begin = np.searchsorted(flat[order], np.arange(TEMPLATE_CELLS**3 + 1)).astype(np.int64)
    return Template(period, place[order], radius[order], begin)


def from_template(template: Template, cells: np.ndarray, cell: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Grains of the template in the grid's cells, int64 (m, 3): places (n, 3), radii (n,) and which row of `cells` each is in."""
    inner = cells % TEMPLATE_CELLS
    flat = (inner[:, 0] * TEMPLATE_CELLS + inner[:, 1]) * TEMPLATE_CELLS + inner[:, 2]
    counts = template.cell_begin[flat + 1] - template.cell_begin[flat]
    row = np.repeat(np.arange(len(cells)), counts)
    within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = template.cell_begin[flat][row] + within
    shift = (cells - inner).astype(np.float64)[row] * cell
    return template.place[chosen] + shift, template.radius[chosen], row
