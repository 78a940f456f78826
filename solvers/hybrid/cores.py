"""Cores too small to be a continuum stay single grains.

A handful of material points saves no grain, has no neighbours to share a remainder with, and leads a few hybrid grains by nodes
that hardly anything fills: what is released from it can throw a small heap apart. So a part of the material begins to turn only
when it is deep enough in enough places.
"""

import numpy as np

from ..jit import kernel
from .oracle import INNER, KEEP, OUTER, Box

_BEGINS = 27
"""Nodes as deep as pure continuum with which a core begins."""


@kernel
def label_parts(deep, stack, label):
    """Number of the connected part of each node that is `deep` (i, j, k), int32, −1 elsewhere; returns how many parts there are.

    `stack` int64: as many as there are deep nodes.
    """
    ni, nj, nk = deep.shape
    parts = 0
    for start in range(ni * nj * nk):
        i, j, k = start // (nj * nk), start // nk % nj, start % nk
        if not deep[i, j, k] or label[i, j, k] >= 0:
            continue
        label[i, j, k], stack[0], size = parts, start, 1
        while size > 0:
            size -= 1
            node = stack[size]
            i, j, k = node // (nj * nk), node // nk % nj, node % nk
            for side in range(6):
                step = 2 * (side & 1) - 1
                a, b, c = i + step * (side // 2 == 0), j + step * (side // 2 == 1), k + step * (side // 2 == 2)
                if a < 0 or b < 0 or c < 0 or a >= ni or b >= nj or c >= nk:
                    continue
                if deep[a, b, c] and label[a, b, c] < 0:
                    label[a, b, c], stack[size] = parts, (a * nj + b) * nk + c
                    size += 1
        parts += 1
    return parts


def without_small_cores(depth: np.ndarray, box: Box, place: np.ndarray) -> None:
    """Makes the nodes of small cores that hold no points yet less deep, float32 (i, j, k) [cells].

    place: of all material points [m], (3, n).
    """
    deep = depth > OUTER - KEEP
    count = int(deep.sum())
    if count == 0:
        return
    label = np.full(depth.shape, -1, np.int32)
    parts = label_parts(deep, np.empty(count, np.int64), label)
    number = label[deep]
    enough = np.bincount(number, depth[deep] >= INNER, parts) >= _BEGINS
    node = np.rint(place.astype(np.float64) / box.cell).astype(np.int64) - box.low[:, None]
    at = label[tuple(np.clip(node, 0, np.array(box.shape)[:, None] - 1))]
    enough[at[at >= 0]] = True
    most = np.where(enough, np.inf, OUTER - KEEP - 0.01).astype(np.float32)
    depth[deep] = np.minimum(depth[deep], most[number])
