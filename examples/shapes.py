"""Meshes that several examples use."""

import numpy as np

from solvers import Mesh


def lathe(profile: list[tuple[float, float]], segments: int = 96) -> Mesh:
    """A closed solid of revolution about z: `profile` runs over (radius, height) [m] from axis to axis, outside on its right.

    The first and the last point lie on the axis (radius 0).
    """
    rings = profile[1:-1]
    angle = np.linspace(0.0, 2.0 * np.pi, segments, endpoint=False)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    vertices = [(0.0, 0.0, profile[0][1]), (0.0, 0.0, profile[-1][1])]
    vertices += [(radius * x, radius * y, height) for radius, height in rings for x, y in circle]
    triangles: list[tuple[int, int, int]] = []

    def at(ring: int, index: int) -> int:
        return 2 + ring * segments + index % segments

    for index in range(segments):
        triangles.append((0, at(0, index + 1), at(0, index)))
        triangles.append((1, at(len(rings) - 1, index), at(len(rings) - 1, index + 1)))
        for ring in range(len(rings) - 1):
            a, b, c, d = at(ring, index), at(ring, index + 1), at(ring + 1, index + 1), at(ring + 1, index)
            triangles += [(a, b, c), (a, c, d)]
    return Mesh(np.array(vertices, dtype=np.float64), np.array(triangles, dtype=np.int32))


def bowl(radius: float, thickness: float, opening: float = 0.5 * np.pi, steps: int = 32) -> Mesh:
    """A spherical bowl that stands on z = 0: inner radius, wall thickness [m], angle from the bottom to the rim."""
    outer = radius + thickness
    turn = np.linspace(0.0, opening, steps)
    outside = [(outer * np.sin(a), outer - outer * np.cos(a)) for a in turn]
    inside = [(radius * np.sin(a), outer - radius * np.cos(a)) for a in turn[::-1]]
    profile = [(float(r), float(z)) for r, z in outside + inside]
    return lathe([(0.0, profile[0][1]), *profile[1:-1], (0.0, profile[-1][1])])


def cylinder(centre: tuple[float, float, float], radius: float, height: float, segments: int = 48) -> Mesh:
    """A closed upright cylinder, `centre` in the middle."""
    half = 0.5 * height
    solid = lathe([(0.0, -half), (radius, -half), (radius, half), (0.0, half)], segments)
    return Mesh(solid.vertices + np.array(centre), solid.triangles)


def wedge(low: tuple[float, float, float], high: tuple[float, float, float]) -> Mesh:
    """A ramp that rises along x from the edge low.x to the full height at high.x."""
    x0, y0, z0 = low
    x1, y1, z1 = high
    vertices = np.array([(x0, y0, z0), (x1, y0, z0), (x1, y0, z1), (x0, y1, z0), (x1, y1, z0), (x1, y1, z1)], dtype=np.float64)
    faces = [(0, 1, 2), (3, 5, 4), (0, 3, 4), (0, 4, 1), (1, 4, 5), (1, 5, 2), (0, 2, 5), (0, 5, 3)]
    return Mesh(vertices, np.array(faces, dtype=np.int32))


def prism(outline: np.ndarray, height: float) -> Mesh:
    """A closed upright prism over a star-shaped outline (n, 2) [m] around the origin, counter-clockwise, its middle at z = 0."""
    count, half = len(outline), 0.5 * height
    rings = [np.column_stack([outline, np.full(count, z)]) for z in (-half, half)]
    vertices = np.concatenate([*rings, [[0.0, 0.0, -half], [0.0, 0.0, half]]])
    triangles: list[tuple[int, int, int]] = []
    for i in range(count):
        j = (i + 1) % count
        triangles += [(i, j, count + j), (i, count + j, count + i), (2 * count, j, i), (2 * count + 1, count + i, count + j)]
    return Mesh(vertices, np.array(triangles, dtype=np.int32))


def tray(low: tuple[float, float, float], high: tuple[float, float, float], thickness: float) -> Mesh:
    """A box without a lid around the room low–high, its walls and floor `thickness` [m] thick."""
    outer = [(low[axis] - thickness, high[axis] + thickness) for axis in range(2)]
    inner = [(low[axis], high[axis]) for axis in range(2)]
    rings = [(outer, low[2] - thickness), (outer, high[2]), (inner, high[2]), (inner, low[2])]
    vertices = [(x[i], y[j], z) for (x, y), z in rings for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
    quads = [(3, 2, 1, 0), (12, 13, 14, 15)]  # from below, and the floor inside
    for ring in (0, 4, 8):
        quads += [(ring + i, ring + (i + 1) % 4, ring + 4 + (i + 1) % 4, ring + 4 + i) for i in range(4)]
    triangles = [(q[0], q[a], q[a + 1]) for q in quads for a in (1, 2)]
    return Mesh(np.array(vertices, dtype=np.float64), np.array(triangles, dtype=np.int32))
