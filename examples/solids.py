"""Shapes for grains to meet: a tyre with lugs, a lumpy animal."""

import numpy as np

from solvers import Mesh


def tyre(centre: tuple[float, float, float], radius: float, width: float, lugs: int = 20) -> Mesh:
    """A closed wheel about the y axis with arrow-shaped lugs; `radius` to their tops."""
    turns = 6 * lugs
    angle = 2.0 * np.pi * np.arange(turns) / turns
    across = np.array([-0.5, -0.47, -0.25, 0.0, 0.25, 0.47, 0.5])
    shoulder = np.array([0.86, 0.96, 1.0, 1.0, 1.0, 0.96, 0.86])
    rings = []
    for y, part in zip(across, shoulder, strict=True):
        phase = lugs * (angle + 0.35 * abs(y)) / (2.0 * np.pi) % 1.0
        deep = 0.90 + 0.10 * np.clip(4.0 * (0.30 - np.abs(phase - 0.5)) + 0.5, 0.0, 1.0)
        rings.append((radius * part * deep, np.full(turns, width * y)))
    for inner, y in ((0.58, 0.5), (0.54, 0.30), (0.20, 0.26)):
        rings.insert(0, (np.full(turns, radius * inner), np.full(turns, -width * y)))
        rings.append((np.full(turns, radius * inner), np.full(turns, width * y)))
    places = [np.stack([r * np.cos(angle), y, -r * np.sin(angle)], axis=1) for r, y in rings]
    hubs = np.array([[0.0, -0.26 * width, 0.0], [0.0, 0.26 * width, 0.0]])
    vertices = np.concatenate([*places, hubs]) + np.array(centre)
    here, ahead = np.arange(turns), np.roll(np.arange(turns), -1)
    faces = []
    for k in range(len(rings) - 1):
        a, b = k * turns, (k + 1) * turns
        faces += [np.stack([here + a, here + b, ahead + a], 1), np.stack([ahead + a, here + b, ahead + b], 1)]
    first, last = np.full(turns, len(rings) * turns), np.full(turns, len(rings) * turns + 1)
    end = (len(rings) - 1) * turns
    faces += [np.stack([first, here, ahead], 1), np.stack([last, ahead + end, here + end], 1)]
    return _outward(Mesh(vertices, np.concatenate(faces).astype(np.int32)))


def _outward(mesh: Mesh) -> Mesh:
    from solvers.mesh.triangles import volume

    if volume(mesh.vertices, mesh.triangles) < 0.0:
        return Mesh(mesh.vertices, np.ascontiguousarray(mesh.triangles[:, ::-1]))
    return mesh


_BUNNY = (
    # direction, how far it stands out, how wide
    ((0.0, 0.0, -1.0), 0.35, 0.9),
    ((0.75, 0.0, 0.55), 0.45, 0.55),
    ((0.55, 0.28, 1.0), 0.75, 0.16),
    ((0.55, -0.28, 1.0), 0.75, 0.16),
    ((-0.95, 0.0, -0.25), 0.30, 0.25),
    ((0.6, 0.5, -0.75), 0.30, 0.25),
    ((0.6, -0.5, -0.75), 0.30, 0.25),
)


def bunny(centre: tuple[float, float, float], radius: float, subdivisions: int = 4) -> Mesh:
    """A lumpy animal: a ball with a head, two ears, paws and a tail grown out of it; closed, star-shaped from its centre."""
    ball = Mesh.sphere((0.0, 0.0, 0.0), 1.0, subdivisions)
    out = np.ones(len(ball.vertices))
    for direction, height, width in _BUNNY:
        way = np.array(direction) / np.linalg.norm(direction)
        out += height * np.exp(-((ball.vertices - way) ** 2).sum(axis=1) / width**2)
    return Mesh(ball.vertices * (radius * out / 1.4)[:, None] + np.array(centre), ball.triangles)

