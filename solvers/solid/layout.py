"""Where slaves lie: around every master alike, inside the body and beyond its surface.

A new body gets a cubic lattice over everything within reach of a master, so that each master sees nearly the same number. Where
masters come (an emitter) or part (a tear), free sites are covered again; crowded ones are thinned.
"""

import numpy as np

from ..jit import kernel
from .links import within

REACH = 1.75
"""Kernel radius h in slave spacings."""
CLOSEST = 0.15
"""Of two slaves closer than this, in h, one is deleted (§ 4.3)."""
CROWDED = 0.4
"""The same where every free site is covered again: just closer than such a site lies to its neighbours, so that what is stirred
keeps about two slaves in the room of one."""
RIM = 0.8
"""Slaves of a body that remembers its shape lie within this part of h of a master: farther ones would carry next to nothing and
swing on their own. Where velocities go through the masters they cannot, and every master sees the same number."""
_FREE = 0.75
"""A site is covered again if no slave is closer than this, in slave spacings."""
ADJACENT = 2.5
"""Masters are adjacent that lie within this many particle radii at rest (§ 4.2)."""
_NEAR_SHARE = 0.5
"""(22): where between master (0) and lost slave (1), in reaches, the new slave is put."""
_MOST_SITES = 1 << 22
_DENSEST = 32
"""Most sites of a cubic lattice within h = 1.75 spacings of any point: the middle of a cell."""


def _zeros(count: int) -> np.ndarray:
    return np.zeros(count, np.int32)


def sites_around(masters: np.ndarray, origin: np.ndarray, spacing: float, reach: float) -> np.ndarray:
    """Sites of the lattice through `origin` within `reach` of a master (n, 3), float64 (k, 3), in order of x, y, z."""
    low = np.floor((masters.min(axis=0) - reach - origin) / spacing).astype(np.int64)
    high = np.ceil((masters.max(axis=0) + reach - origin) / spacing).astype(np.int64)
    found = []
    span = high - low + 1
    slab = max(1, _MOST_SITES // max(1, int(span[1] * span[2])))
    for first in range(int(low[0]), int(high[0]) + 1, slab):
        xs = np.arange(first, min(first + slab, int(high[0]) + 1))
        index = np.stack(np.meshgrid(xs, np.arange(low[1], high[1] + 1), np.arange(low[2], high[2] + 1), indexing="ij"), -1)
        places = origin + index.reshape(-1, 3) * spacing
        start, _, _ = within(places, _zeros(len(places)), masters, _zeros(len(masters)), reach)
        found.append(places[np.diff(start) > 0])
    return np.concatenate(found)


def first_layout(masters: np.ndarray, master_spacing: float, spacing: float, reach: float) -> np.ndarray:
    """Slaves of a new body: the lattice whose cells hold the masters symmetrically."""
    origin = masters.min(axis=0) - 0.5 * master_spacing
    return sites_around(masters, origin, spacing, reach)


def uncovered(masters: np.ndarray, slaves: np.ndarray, spacing: float, reach: float) -> np.ndarray:
    """Lattice sites within reach of `masters` that no slave is near: slaves to be added, float64 (k, 3)."""
    if len(masters) == 0:
        return np.empty((0, 3))
    sites = sites_around(masters, np.zeros(3), spacing, reach)
    start, _, _ = within(sites, _zeros(len(sites)), slaves, _zeros(len(slaves)), _FREE * spacing)
    return sites[np.diff(start) == 0]


@kernel
def _thin(start, index, keep):
    for s in range(len(start) - 1):
        if keep[s]:
            for k in range(start[s], start[s + 1]):
                if index[k] > s:
                    keep[index[k]] = False


def uncrowded(slaves: np.ndarray, distance: float) -> np.ndarray:
    """Which slaves (k, 3) stay, bool (k,): of two closer than `distance` the younger goes."""
    start, index, _ = within(slaves, _zeros(len(slaves)), slaves, _zeros(len(slaves)), distance)
    keep = np.ones(len(slaves), np.bool_)
    _thin(start, index, keep)
    return keep


def separated(rest: np.ndarray, place: np.ndarray, radius: float, distance: float) -> np.ndarray:
    """Pairs of masters, int64 (p, 2), adjacent at rest (n, 3) and now farther apart than `distance`, each once."""
    start, index, _ = within(rest, _zeros(len(rest)), rest, _zeros(len(rest)), ADJACENT * radius)
    first = np.repeat(np.arange(len(rest)), np.diff(start))
    once = first < index
    pairs = np.stack([first[once], index[once].astype(np.int64)], axis=1)
    gap = np.linalg.norm(place[pairs[:, 0]] - place[pairs[:, 1]], axis=1)
    return pairs[gap > distance]


def after_separation(
    pairs: np.ndarray, place: np.ndarray, slaves: np.ndarray, start: np.ndarray, slave: np.ndarray, reach: float
) -> np.ndarray:
    """The paper's rule: new slaves for masters whose neighbour has left and taken slaves along, float64 (k, 3).

    `start`, `slave`: the lists as they were before; a slave that has gone out of reach is replaced by one at
    (n x_s + m x_m)/(m + n) (22), unless as many slaves are in reach there as anywhere in a first layout.
    """
    wanted: list[np.ndarray] = []
    for master in np.unique(pairs):
        own = slave[start[master] : start[master + 1]]
        away = slaves[own] - place[master]
        distance = np.linalg.norm(away, axis=1)
        lost = distance > reach
        if lost.any():
            # m : n such that the new one lies half a reach from the master
            wanted.append(place[master] + away[lost] * (_NEAR_SHARE * reach / distance[lost])[:, None])
    if not wanted:
        return np.empty((0, 3))
    new = np.concatenate(wanted)
    count, _, _ = within(new, _zeros(len(new)), slaves, _zeros(len(slaves)), reach)
    new = new[np.diff(count) < _DENSEST]
    return new[uncrowded(new, CLOSEST * reach)] if len(new) else new
