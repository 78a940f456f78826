"""What the foam benchmarks share: shapes built by script, and which foam hangs together."""

from collections.abc import Sequence

import numpy as np

from solvers.scene import Mesh

LINK = 1.5
"""Whole particles whose voxels of this many spacings touch hang together."""


def voxel_solid(filled: np.ndarray, low: Sequence[float], size: Sequence[float]) -> Mesh:
    """The closed surface of the filled voxels (i, j, k) of edges `size` [m] from the corner `low` on: a plate with holes."""
    inside = np.pad(filled.astype(bool), 1)
    corners: dict[tuple[int, int, int], int] = {}
    triangles: list[tuple[int, int, int]] = []
    for cell in np.argwhere(inside):
        for axis in range(3):
            for side in (0, 1):
                beside = cell.copy()
                beside[axis] += 2 * side - 1
                if inside[tuple(beside)]:
                    continue
                first, second = np.eye(3, dtype=int)[(axis + 1) % 3], np.eye(3, dtype=int)[(axis + 2) % 3]
                start = cell + side * np.eye(3, dtype=int)[axis]
                quad = [start, start + first, start + first + second, start + second]
                index = [corners.setdefault((int(c[0]), int(c[1]), int(c[2])), len(corners)) for c in quad]
                index = index if side else index[::-1]
                triangles += [(index[0], index[1], index[2]), (index[0], index[2], index[3])]
    vertices = (np.array(list(corners), dtype=np.float64) - 1.0) * np.asarray(size) + np.asarray(low)
    return Mesh(vertices, np.array(triangles, dtype=np.int32))


def hanging(points: np.ndarray, seeds: np.ndarray, spacing: float) -> np.ndarray:
    """Which of `points` (n, 3) hang together with those where the mask `seeds` is true, bool (n,)."""
    if not len(points):
        return np.zeros(0, bool)
    voxel = np.floor((points - points.min(axis=0)) / (LINK * spacing)).astype(int) + 1
    filled = np.zeros(voxel.max(axis=0) + 2, bool)
    filled[tuple(voxel.T)] = True
    reached = np.zeros_like(filled)
    reached[tuple(voxel[seeds].T)] = True
    while True:
        grown = reached.copy()
        for axis in range(3):
            wide = grown.copy()
            ahead, behind = [slice(None)] * 3, [slice(None)] * 3
            ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
            wide[tuple(ahead)] |= grown[tuple(behind)]
            wide[tuple(behind)] |= grown[tuple(ahead)]
            grown = wide
        grown &= filled
        if (grown == reached).all():
            return reached[tuple(voxel.T)]
        reached = grown


def smooth_step(t: np.ndarray) -> np.ndarray:
    """0 … 1 with zero slope at both ends, for t in 0 … 1."""
    t = np.clip(t, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)
