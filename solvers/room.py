"""Where a body finds room at the start: not in solids, not in bodies that come earlier in the scene."""

from collections.abc import Iterable

import numpy as np

from .mesh import is_closed, volume, welded
from .mesh.winding import make_solid
from .scene import Body, Collider


def _within_box(points: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    return ((points > vertices.min(axis=0)) & (points < vertices.max(axis=0))).all(axis=1)


def buried(points: np.ndarray, colliders: Iterable[Collider]) -> np.ndarray:
    """Which places [m], float64 (n, 3), lie in a solid collider at the first frame, bool (n,).

    However deep: walls by themselves push only what is near their surface.
    """
    result = np.zeros(len(points), bool)
    for collider in colliders:
        vertices, triangles = collider.mesh.at(0), collider.mesh.triangles
        if collider.motion is not None:
            vertices = vertices @ collider.motion[0, :3, :3].T + collider.motion[0, :3, 3]
        near = np.flatnonzero(_within_box(points, vertices) & ~result)
        if len(near) and is_closed(welded(vertices, triangles)) and volume(vertices, triangles) > 0.0:
            result[near] = make_solid(vertices, triangles).inside(points[near])
    return result


def taken(points: np.ndarray, earlier: Iterable[Body]) -> np.ndarray:
    """Which places [m], float64 (n, 3), lie in one of these bodies, bool (n,): of two that overlap the later yields."""
    result = np.zeros(len(points), bool)
    for other in earlier:
        near = np.flatnonzero(_within_box(points, other.mesh.at(0)))
        if len(near):
            result[near] |= make_solid(other.mesh.at(0), other.mesh.triangles).inside(points[near])
    return result
