"""What the foam benchmarks share: shapes built by script, and which foam hangs together."""

from collections.abc import Sequence

import numpy as np

from solvers.scene import Mesh

LINK = 1.5
"""Whole particles whose voxels of this many spacings touch hang together."""


def plates_of(parts: Sequence[tuple[tuple[float, float, float], tuple[float, float, float]]]) -> Mesh:
    """One mesh of several closed boxes (low, high) that do not overlap."""
    vertices, triangles, first = [], [], 0
    for low, high in parts:
        box = Mesh.box(low, high)
        vertices.append(box.vertices)
        triangles.append(box.triangles + first)
        first += len(box.vertices)
    return Mesh(np.concatenate(vertices), np.concatenate(triangles).astype(np.int32))


def head_mesh(size: float) -> Mesh:
    """A head that looks along −x: brow, eyes, nose, lips and chin pushed out of or into a ball; `size` is its height [m]."""
    ball = Mesh.sphere((0.0, 0.0, 0.0), 1.0, 5)
    way = ball.vertices / np.linalg.norm(ball.vertices, axis=1)[:, None]
    x, y, z = way.T
    radius = np.ones(len(way))
    front = np.clip(-x, 0.0, 1.0)

    def bump(side: float, height: float, wide: float, tall: float, much: float) -> None:
        nonlocal radius
        radius = radius + much * front**2 * np.exp(-(((y - side) / wide) ** 2) - ((z - height) / tall) ** 2)

    bump(0.0, 0.34, 0.42, 0.10, 0.07)  # brow
    for side in (-0.27, 0.27):
        bump(side, 0.17, 0.14, 0.11, -0.10)  # eye sockets
        bump(side * 1.3, -0.15, 0.22, 0.18, 0.05)  # cheeks
    bump(0.0, 0.08, 0.07, 0.18, 0.10)  # bridge of the nose
    bump(0.0, -0.10, 0.11, 0.09, 0.24)  # tip of the nose
    bump(0.0, -0.38, 0.20, 0.045, 0.08)  # upper lip
    bump(0.0, -0.50, 0.17, 0.045, 0.07)  # lower lip
    bump(0.0, -0.78, 0.22, 0.13, 0.10)  # chin
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
