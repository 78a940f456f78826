"""Meshes that more than one test needs."""

import numpy as np

from solvers.scene import Mesh


def naive_winding(vertices: np.ndarray, triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Sum of the solid angles of all triangles over 4π, one point at a time."""
    corners = vertices[triangles]
    result = np.zeros(len(points))
    for i, point in enumerate(points):
        a, b, c = (corners[:, corner] - point for corner in range(3))
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        top = np.sum(a * np.cross(b, c), axis=1)
        base = la * lb * lc + np.sum(a * b, axis=1) * lc + np.sum(b * c, axis=1) * la + np.sum(c * a, axis=1) * lb
        result[i] = np.arctan2(top, base).sum() / (2.0 * np.pi)
    return result


def joined(*meshes: Mesh) -> Mesh:
    """Several meshes as one."""
    first = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes])
    triangles = [mesh.triangles + start for mesh, start in zip(meshes, first, strict=False)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(triangles).astype(np.int32))


def flipped(mesh: Mesh) -> Mesh:
    return Mesh(mesh.vertices, np.ascontiguousarray(mesh.triangles[:, ::-1]))


def holed(mesh: Mesh, part: float, seed: int = 1) -> Mesh:
    """The mesh without a random part of its triangles."""
    kept = np.random.default_rng(seed).random(len(mesh.triangles)) >= part
    return Mesh(mesh.vertices, np.ascontiguousarray(mesh.triangles[kept]))


def lumpy(subdivisions: int = 3) -> Mesh:
    """A closed, irregular, slightly self-intersecting blob."""
    ball = Mesh.sphere((0.1, 0.2, 0.3), 1.0, subdivisions)
    return Mesh(ball.vertices * (1.0 + 0.45 * np.sin(6.0 * ball.vertices[:, [1, 2, 0]])), ball.triangles)


def torus(large: float, small: float, around: int, across: int) -> Mesh:
    """A closed ring about z."""
    u, v = np.meshgrid(2 * np.pi * np.arange(around) / around, 2 * np.pi * np.arange(across) / across, indexing="ij")
    ring = large + small * np.cos(v)
    vertices = np.stack([ring * np.cos(u), ring * np.sin(u), small * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = i * across + j, (i + 1) % around * across + j
    c, d = (i + 1) % around * across + (j + 1) % across, i * across + (j + 1) % across
    triangles = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    return Mesh(vertices, triangles.astype(np.int32))


def rotated(mesh: Mesh, seed: int = 5) -> Mesh:
    """The mesh turned at random."""
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return Mesh(mesh.vertices @ (turn * np.sign(np.linalg.det(turn))).T, mesh.triangles)


def nearest_neighbour(points: np.ndarray) -> np.ndarray:
    """Distance of every point to the nearest other one."""
    square = np.sum((points[:, None] - points[None]) ** 2, axis=-1)
    np.fill_diagonal(square, np.inf)
    return np.sqrt(square.min(axis=1))
