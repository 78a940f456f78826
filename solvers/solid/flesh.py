"""What belongs together through material, in bodies that remember their shape.

Distance alone would let the two sides of a narrow gap see the same slaves: they would pull on each other across it, and what is
pressed together would not open again. So a slave carries one piece of material only: the masters that are connected within its
reach, neighbour by neighbour. Where several pieces come near a site (a slot, the arms of a C, a fold), each gets a slave of its
own there, and nothing but contact acts between them.
"""

import numpy as np

from ..jit import kernel
from .links import Links, back_lists, within

NEIGHBOUR = 1.8
"""Masters closer than this at rest, in spacings, are joined by material (√3: across the cell of a lattice). A gap that is
narrower is none."""


@kernel
def _spread(first, listed, near_start, near_index, mark, queue):
    """Marks what is connected with `first` among those marked `listed` with `listed` + 1; returns how many, in `queue`."""
    queue[0] = first
    mark[first] = listed + 1
    done, found = 0, 1
    while done < found:
        m = queue[done]
        done += 1
        for k in range(near_start[m], near_start[m + 1]):
            n = near_index[k]
            if mark[n] == listed:
                mark[n] = listed + 1
                queue[found] = n
                found += 1
    return found


@kernel
def _pieces(start, index, square, limit, near_start, near_index, mark, queue, fill, site, root):
    """Counts (or, with `fill`, lists) the pieces near each site of which a master lies nearer than the root of `limit`: the site,
    and one of the piece's masters, or -1 where the site sees one piece only."""
    total = 0
    for s in range(len(start) - 1):
        listed = 3 * s + 1
        for k in range(start[s], start[s + 1]):
            mark[index[k]] = listed
        begin, pieces = total, 0
        for k in range(start[s], start[s + 1]):
            if mark[index[k]] == listed:
                found = _spread(index[k], listed, near_start, near_index, mark, queue)
                pieces += 1
                near = False
                for j in range(start[s], start[s + 1]):
                    near = near or (square[j] < limit and mark[index[j]] == listed + 1)
                for i in range(found):
                    mark[queue[i]] = listed + 2
                if near:
                    if fill:
                        site[total], root[total] = s, index[k]
                    total += 1
        if fill and pieces == 1 and total > begin:
            root[begin] = -1
    return total


def parted(sites: np.ndarray, masters: np.ndarray, spacing: float, reach: float, rim: float) -> tuple[np.ndarray, np.ndarray]:
    """Slaves for `sites` (k, 3) seen by `masters` (n, 3) within `reach` [m]: the site of each, int64, and a master of the piece
    it carries, int64, -1 where the site sees but one. A piece none of whose masters lies within `rim` [m] gets none."""
    start, index, square = within(sites, np.zeros(len(sites), np.int32), masters, np.zeros(len(masters), np.int32), reach)
    group = np.zeros(len(masters), np.int32)
    near_start, near_index, _ = within(masters, group, masters, group, NEIGHBOUR * spacing)
    mark, queue = np.zeros(len(masters), np.int64), np.zeros(len(masters), np.int64)
    none = np.empty(0, np.int64)
    count = _pieces(start, index, square, rim * rim, near_start, near_index, mark, queue, False, none, none)
    mark[...] = 0
    site, root = np.empty(count, np.int64), np.empty(count, np.int64)
    _pieces(start, index, square, rim * rim, near_start, near_index, mark, queue, True, site, root)
    return site, root


@kernel
def _reached(start, index, root, near_start, near_index, mark, queue, keep):
    for s in range(len(start) - 1):
        if root[s] < 0:
            continue
        listed = 2 * s + 1
        for k in range(start[s], start[s + 1]):
            mark[index[k]] = listed
        if mark[root[s]] == listed:
            _spread(root[s], listed, near_start, near_index, mark, queue)
        for k in range(start[s], start[s + 1]):
            keep[k] = mark[index[k]] == listed + 1


def connected(
    start: np.ndarray, index: np.ndarray, root: np.ndarray, masters: np.ndarray, body: np.ndarray, spacing: float
) -> np.ndarray:
    """Entries of the lists `start`, `index` of `masters` (n, 3) that are connected with the list's `root` through others of the
    list, bool; all where the root is -1."""
    near_start, near_index, _ = within(masters, body, masters, body, NEIGHBOUR * spacing)
    keep = np.ones(len(index), np.bool_)
    mark, queue = np.zeros(len(masters), np.int64), np.zeros(len(masters), np.int64)
    _reached(start, index, root, near_start, near_index, mark, queue, keep)
    return keep


def cut(links: Links, root: np.ndarray, masters: np.ndarray, body: np.ndarray, spacing: float) -> Links:
    """Links without those across gaps. `root` (k,): a master of the piece that each slave carries, -1: it carries all."""
    kept = np.ones(len(links.slave), bool)
    kept[links.back_entry] = connected(links.back_start, links.back_master, root, masters, body, spacing)
    master = np.repeat(np.arange(len(masters)), np.diff(links.start))[kept]
    start = np.zeros(len(masters) + 1, np.int64)
    np.cumsum(np.bincount(master, minlength=len(masters)), out=start[1:])
    weight = links.weight[kept].astype(np.float64)
    weight /= np.bincount(master, weight, len(masters))[master]
    slave = links.slave[kept]
    return Links(start, slave, weight.astype(np.float32), *back_lists(start, slave, len(root)))


@kernel
def _common(start, slave, i, j):
    for k in range(start[i], start[i + 1]):
        for n in range(start[j], start[j + 1]):
            if slave[k] == slave[n]:
                return True
    return False


@kernel
def _share(start, slave, first, second, out):
    for p in range(len(first)):
        out[p] = _common(start, slave, first[p], second[p])


def share_slaves(links: Links, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether the masters of each pair are seen by a common slave: one flesh, bool (p,)."""
    out = np.zeros(len(first), np.bool_)
    _share(links.start, links.slave, first, second, out)
    return out
