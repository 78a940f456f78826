"""Transfers written out plainly in double precision, node by node: the reference of the kernels."""

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np


class Cloud(NamedTuple):
    """Particles: positions and velocities (n, 3), C and τ (n, 3, 3), mass and volume (n,)."""

    x: np.ndarray
    v: np.ndarray
    c: np.ndarray
    tau: np.ndarray
    mass: np.ndarray
    volume: np.ndarray


def random_cloud(count: int, seed: int, low: float = -0.1, high: float = 0.15) -> Cloud:
    """Particles with everything at random."""
    rng = np.random.default_rng(seed)
    tau = 100.0 * rng.normal(size=(count, 3, 3))
    single = [
        rng.uniform(low, high, (count, 3)), rng.normal(size=(count, 3)), rng.normal(size=(count, 3, 3)),
        tau + tau.transpose(0, 2, 1), 1e-3 * rng.uniform(1, 2, count), 1e-6 * rng.uniform(1, 2, count),
    ]  # fmt: skip
    return Cloud(*(part.astype(np.float32).astype(np.float64) for part in single))


def as_state(cloud: Cloud) -> dict[str, np.ndarray]:
    """The same particles for `State.append`."""
    t = cloud.tau
    return {
        "position": cloud.x.T.astype(np.float32),
        "velocity": cloud.v.T.astype(np.float32),
        "affine": np.stack([cloud.c[:, r, c] for c in range(3) for r in range(3)]).astype(np.float32),
        "stress": np.stack([t[:, 0, 0], t[:, 1, 1], t[:, 2, 2], t[:, 0, 1], t[:, 0, 2], t[:, 1, 2]]).astype(np.float32),
        "mass": cloud.mass.astype(np.float32),
        "volume": cloud.volume.astype(np.float32),
    }


def _hat(x: float) -> float:
    return max(0.0, 1.0 - abs(x))


def _box_hat(x: float, half: float) -> float:
    """Average of the hat function over [x − half, x + half], by exact integration between its kinks."""
    cuts = sorted({x - half, x + half, *(k for k in (-1.0, 0.0, 1.0) if x - half < k < x + half)})
    area = sum(0.5 * (_hat(a) + _hat(b)) * (b - a) for a, b in zip(cuts, cuts[1:], strict=False))
    return area / (2.0 * half)


def weights(x: np.ndarray, cell: float, half: float, slopes: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First node (3,), weights and gradients [1/m] along each axis (3, 3): [node, axis]."""
    place = x / cell
    base = np.floor(place - half).astype(int)
    w, g = np.empty((3, 3)), np.empty((3, 3))
    for axis in range(3):
        offset = [base[axis] + i - place[axis] for i in range(3)]
        w[:, axis] = [_box_hat(d, half) for d in offset]
        if slopes:  # the box average of the hat's slope is the difference of the hat at its two ends
            g[:, axis] = [(_hat(d - half) - _hat(d + half)) / (2.0 * half) / cell for d in offset]
        else:
            spread = sum(w[i, axis] * offset[i] ** 2 for i in range(3))
            g[:, axis] = [w[i, axis] * offset[i] / spread / cell for i in range(3)]
    return base, w, g


def stencil(cloud: Cloud, p: int, cell: float, half: float, slopes: bool):
    """Node, weight, gradient (3,) and offset (3,) [m] of all nodes around a particle."""
    base, w, g = weights(cloud.x[p], cell, half, slopes)
    for i in range(3):
        for j in range(3):
            for k in range(3):
                node = base + [i, j, k]
                gradient = np.array([g[i, 0] * w[j, 1] * w[k, 2], w[i, 0] * g[j, 1] * w[k, 2], w[i, 0] * w[j, 1] * g[k, 2]])
                yield tuple(node), w[i, 0] * w[j, 1] * w[k, 2], gradient, node * cell - cloud.x[p]


def scatter(cloud: Cloud, cell: float, half: float, apic: bool, dt: float) -> tuple[Any, Any]:
    """Momentum (3,) and mass of every node."""
    momentum: dict[tuple, np.ndarray] = defaultdict(lambda: np.zeros(3))
    mass: dict[tuple, float] = defaultdict(float)
    for p in range(len(cloud.x)):
        for node, w, g, offset in stencil(cloud, p, cell, half, not apic):
            affine = cloud.c[p] @ offset if apic else 0.0
            momentum[node] += w * cloud.mass[p] * (cloud.v[p] + affine) - dt * cloud.volume[p] * cloud.tau[p] @ g
            mass[node] += w * cloud.mass[p]
    return momentum, mass
