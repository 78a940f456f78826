"""Pouring grains into voids: where there is room, and how fast they begin."""

import numpy as np

from ..jit import kernel
from ..state import State
from .oracle import Box
from .relax import Template, from_template

_DEEPEST = 0.4
"""A template grain that overlaps a present one by more than this, in the sum of the radii, is left out."""
REACH = 6.0
"""Velocities are averaged within this many mean radii (section 2.4)."""
_DECAY = 2.0
"""Distance over which their weight falls by e, in mean radii."""


def pour(
    template: Template, box: Box, cells: np.ndarray, wanted: np.ndarray, grains: State
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """New grains for hybrid cells (numbers, int64 (m,)), at most `wanted` (m,) in each, where present ones leave most room.

    Returns places float64 (n, 3), radii float32 (n,) and cells (n,). None touches a grain of the discrete zone.
    """
    index = np.stack(np.unravel_index(cells, box.shape), axis=1) + box.low
    place, radius, row = from_template(template, index, box.cell)
    old, old_radius, free = _neighbourhood(box, cells, grains)
    touches = _overlap_with(place, radius, old[free], old_radius[free]) > 0.0
    worst = np.where(touches, 1.0, _overlap_with(place, radius, old, old_radius))
    order = np.lexsort((np.arange(len(place)), np.maximum(worst, 0.02), row))
    begin = np.searchsorted(row[order], row[order], side="left")
    rank = np.arange(len(order)) - begin
    chosen = np.sort(order[(rank < wanted[row[order]]) & (worst[order] < _DEEPEST)])
    return place[chosen], radius[chosen].astype(np.float32), cells[row[chosen]]


def _neighbourhood(box: Box, cells: np.ndarray, grains: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places (n, 3), radii (n,) of the grains in and around cells, and which of them are discrete (n,)."""
    marked = np.zeros(box.shape, bool)
    marked.reshape(-1)[cells] = True
    for axis in range(3):
        ahead, behind = np.roll(marked, 1, axis), np.roll(marked, -1, axis)
        marked = marked | ahead | behind
    cell = box.cell_of(grains.live("position"))
    near = (cell >= 0) & marked.reshape(-1)[np.maximum(cell, 0)]
    free = grains.live("zone")[near] == 0
    return grains.live("position")[:, near].T.copy(), grains.live("radius")[near].astype(np.float64), free


def _overlap_with(place: np.ndarray, radius: np.ndarray, old: np.ndarray, old_radius: np.ndarray) -> np.ndarray:
    """Largest overlap of each grain with an old one, in the sum of the radii, float64 (n,); 0 where it touches none."""
    worst = np.zeros(len(place))
    if len(place) and len(old):
        both, radii = np.concatenate([place, old]), np.concatenate([radius, old_radius])
        _deepest(both, radii, len(place), 2.0 * float(radii.max()), worst)
    return worst


@kernel
def _deepest(place, radius, count, edge, worst):
    """`worst` of the first `count` grains against the others, by cells of `edge`."""
    low, size = np.zeros(3), np.zeros(3, np.int64)
    for axis in range(3):
        low[axis] = np.min(place[:, axis])
        size[axis] = int((np.max(place[:, axis]) - low[axis]) / edge) + 1
    head, link = np.full(size[0] * size[1] * size[2], -1, np.int64), np.full(len(place), -1, np.int64)
    for p in range(len(place) - 1, count - 1, -1):
        i, j, k = int((place[p, 0] - low[0]) / edge), int((place[p, 1] - low[1]) / edge), int((place[p, 2] - low[2]) / edge)
        at = (i * size[1] + j) * size[2] + k
        link[p], head[at] = head[at], p
    for p in range(count):
        i, j, k = int((place[p, 0] - low[0]) / edge), int((place[p, 1] - low[1]) / edge), int((place[p, 2] - low[2]) / edge)
        for s in range(27):
            a, b, c = i + s // 9 - 1, j + s // 3 % 3 - 1, k + s % 3 - 1
            if a < 0 or b < 0 or c < 0 or a >= size[0] or b >= size[1] or c >= size[2]:
                continue
            q = head[(a * size[1] + b) * size[2] + c]
            while q >= 0:
                gap = 0.0
                for axis in range(3):
                    gap += (place[p, axis] - place[q, axis]) ** 2
                worst[p] = max(worst[p], 1.0 - np.sqrt(gap) / (radius[p] + radius[q]))
                q = link[q]


@kernel
def _average(place, source, velocity, mass, begin, shape, cell, reach, decay, result):
    """Mass- and distance-weighted mean of source velocities (n, 3), sorted by cell, at each place; zero where none is near."""
    for p in range(len(place)):
        i0, j0, k0 = cell[p] // (shape[1] * shape[2]), cell[p] // shape[2] % shape[1], cell[p] % shape[2]
        total = 0.0
        result[p, 0] = result[p, 1] = result[p, 2] = 0.0
        for i in range(max(i0 - 2, 0), min(i0 + 3, shape[0])):
            for j in range(max(j0 - 2, 0), min(j0 + 3, shape[1])):
                for k in range(max(k0 - 2, 0), min(k0 + 3, shape[2])):
                    number = (i * shape[1] + j) * shape[2] + k
                    for q in range(begin[number], begin[number + 1]):
                        gap = 0.0
                        for axis in range(3):
                            gap += (source[q, axis] - place[p, axis]) ** 2
                        gap = np.sqrt(gap)
                        if gap < reach:
                            weight = mass[q] * np.exp(-gap / decay)
                            total += weight
                            for axis in range(3):
                                result[p, axis] += weight * velocity[q, axis]
        if total > 0.0:
            for axis in range(3):
                result[p, axis] /= total


def mean_velocities(place: np.ndarray, sources: tuple[State, State], box: Box, mean_radius: float) -> np.ndarray:
    """Velocity of new grains at `place` (n, 3): exponentially weighted mean of grains and points within six mean radii."""
    position = np.concatenate([state.live("position").astype(np.float64) for state in sources], axis=1)
    velocity = np.concatenate([state.live("velocity").astype(np.float64) for state in sources], axis=1)
    grains, points = sources
    mass = np.concatenate([grains.live("radius").astype(np.float64) ** 3 * grains.live("weight"), points.live("volume") * 0.143])
    cell = box.cell_of(position)
    order = np.argsort(cell, kind="stable")
    order = order[cell[order] >= 0]
    begin = np.searchsorted(cell[order], np.arange(box.nodes + 1)).astype(np.int64)
    result = np.empty((len(place), 3))
    _average(
        place, np.ascontiguousarray(position[:, order].T), np.ascontiguousarray(velocity[:, order].T), mass[order], begin,
        np.array(box.shape, np.int64), box.cell_of(place.T), REACH * mean_radius, _DECAY * mean_radius, result,
    )  # fmt: skip
    return result
