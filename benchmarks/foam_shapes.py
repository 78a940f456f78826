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


def head_mesh(size: float) -> Mesh:
    """A head that looks along −x: brow, eyes, nose, lips and chin pushed out of or into a ball; `size` is its height [m]."""
    ball = Mesh.sphere((0.0, 0.0, 0.0), 1.0, 4)
    way = ball.vertices / np.linalg.norm(ball.vertices, axis=1)[:, None]
    x, y, z = way.T
    radius = np.ones(len(way))
    front = np.clip(-x, 0.0, 1.0)

    def bump(side: float, height: float, wide: float, tall: float, much: float) -> None:
        nonlocal radius
        radius = radius + much * front**2 * np.exp(-(((y - side) / wide) ** 2) - ((z - height) / tall) ** 2)

    bump(0.0, 0.34, 0.42, 0.12, 0.10)  # brow
    for side in (-0.27, 0.27):
        bump(side, 0.16, 0.16, 0.12, -0.16)  # eye sockets
        bump(side * 1.3, -0.15, 0.22, 0.18, 0.05)  # cheeks
    bump(0.0, 0.08, 0.09, 0.20, 0.14)  # bridge of the nose
    bump(0.0, -0.12, 0.14, 0.11, 0.34)  # tip of the nose
    bump(0.0, -0.38, 0.22, 0.05, 0.14)  # upper lip
    bump(0.0, -0.51, 0.18, 0.05, 0.13)  # lower lip
    bump(0.0, -0.78, 0.24, 0.14, 0.30)  # chin
    scale = 0.5 * size * np.array([0.84, 0.70, 1.0])
    jaw = 1.0 - 0.22 * np.clip(-z, 0.0, 1.0)
    vertices = way * radius[:, None] * np.stack([jaw, jaw, np.ones_like(jaw)], axis=1) * scale
    return Mesh(vertices, ball.triangles)


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
