"""Sorted material points, and who is near a place."""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel


class Cloud(NamedTuple):
    """Sorted particles and how to find who is near a place."""

    position: np.ndarray
    torn: np.ndarray
    plastic: np.ndarray
    body: np.ndarray
    id: np.ndarray
    mass: np.ndarray
    origin: np.ndarray
    start: np.ndarray
    cell: np.ndarray
    around: np.ndarray
    """These four as in `Tiles`."""
    per_cell: np.float32
    half: np.float32


@inlined
def cell_at(cloud, tile, i, j, k):
    """Place in `Tiles.cell` of the cell (i, j, k), at most one tile away from `tile`; −1 if it holds nothing."""
    di = i - cloud.origin[tile, 0]
    dj = j - cloud.origin[tile, 1]
    dk = k - cloud.origin[tile, 2]
    ti, tj, tk = (di >> 2) + 1, (dj >> 2) + 1, (dk >> 2) + 1
    if ti < 0 or ti > 2 or tj < 0 or tj > 2 or tk < 0 or tk > 2:
        return np.int64(-1)
    other = np.int64(cloud.around[tile, ti * 9 + tj * 3 + tk])
    if other < 0 or other >= len(cloud.start) - 1:
        return np.int64(-1)
    return other * 64 + ((di & 3) << 4 | (dj & 3) << 2 | (dk & 3))


@inlined
def span(x, radius, cloud):
    """First and last cell along one axis that particles within `radius` of x lie in."""
    low = np.int32(np.floor((x - radius) * cloud.per_cell - cloud.half))
    return low, np.int32(np.floor((x + radius) * cloud.per_cell - cloud.half))


@kernel
def nearest_to(cloud, tile, x, y, z, radius, own, whole_only):
    """Nearest particle within `radius` of a place other than `own`, or −1; `whole_only` leaves out torn ones."""
    best, found = radius * radius, np.int64(-1)
    i0, i1 = span(x, radius, cloud)
    j0, j1 = span(y, radius, cloud)
    k0, k1 = span(z, radius, cloud)
    for i in range(i0, i1 + 1):
        for j in range(j0, j1 + 1):
            for k in range(k0, k1 + 1):
                cell = cell_at(cloud, tile, np.int32(i), np.int32(j), np.int32(k))
                if cell < 0:
                    continue
                for q in range(cloud.cell[cell], cloud.cell[cell + 1]):
                    if q == own or (whole_only and cloud.torn[q] > np.float32(0.5)):
                        continue
                    dx, dy, dz = cloud.position[0, q] - x, cloud.position[1, q] - y, cloud.position[2, q] - z
                    gap = dx * dx + dy * dy + dz * dz
                    if gap < best:
                        best, found = gap, np.int64(q)
    return found
