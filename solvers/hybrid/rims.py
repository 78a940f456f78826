"""Where standing colliders end: sharp edges that stick out into the material, and the borders of open sheets.

Grains jam at the rim of an opening, and flow parts at an edge: the continuum knows neither, so that the oracle takes rims for
surfaces. An edge that another collider hides or closes is no rim.
"""

import numpy as np

from ..mesh.triangles import is_closed, volume, welded
from ..mesh.winding import inside
from ..scene import Mesh

_SHARP = np.cos(np.radians(30.0))
_PROBE = 0.25
"""How far from a rim there has to be free space on all its sides, in cells."""


def _numbered_edges(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sides of triangles sorted by edge: which side (3 · triangle + corner), where each edge begins, how many it has."""
    start = triangles.reshape(-1)
    end = np.roll(triangles, -1, axis=1).reshape(-1)
    key = np.minimum(start, end) * (int(triangles.max(initial=0)) + 1) + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    _, first, count = np.unique(key[order], return_index=True, return_counts=True)
    return order, first, count


def sharp_edges(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends (e, 2, 3) of convex edges sharper than 30° and of open borders, and two directions (e, 2, 3) into free space."""
    corners = vertices[triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal = area / np.maximum(np.linalg.norm(area, axis=1, keepdims=True), 1.0e-300)
    order, first, count = _numbered_edges(welded(vertices, triangles))
    side_ends = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 3)
    opposite = np.roll(corners, -2, axis=1).reshape(-1, 3)
    one, two = order[first[count == 2]], order[first[count == 2] + 1]
    apart = ((opposite[two] - side_ends[one, 0]) * normal[one // 3]).sum(axis=1)
    convex = (apart < 0.0) & ((normal[one // 3] * normal[two // 3]).sum(axis=1) < _SHARP)
    ends, ways = side_ends[one[convex]], np.stack([normal[one // 3], normal[two // 3]], axis=1)[convex]
    border = order[first[count == 1]]
    along = side_ends[border, 1] - side_ends[border, 0]
    out = np.cross(along, normal[border // 3])
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1.0e-300)
    return np.concatenate([ends, side_ends[border]]), np.concatenate([ways, np.stack([out, out], axis=1)])


def is_solid(mesh: Mesh) -> bool:
    """Whether a standing mesh encloses room that no grain can be in: closed, with its normals outwards."""
    vertices, triangles = mesh.at(0), mesh.triangles
    return is_closed(welded(vertices, triangles)) and volume(vertices, triangles) > 0.0


def rim_points(meshes: list[Mesh], cell: float) -> np.ndarray:
    """Points (n, 3) half a cell apart on those edges of standing colliders that border free space on both sides."""
    edges = [sharp_edges(mesh.at(0), mesh.triangles) for mesh in meshes]
    none = np.zeros((0, 2, 3))
    ends, ways = (np.concatenate([none, *(pair[which] for pair in edges)]) for which in range(2))
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    pieces = np.maximum(np.ceil(2.0 * length / cell), 1.0).astype(np.int64) + 1
    edge = np.repeat(np.arange(len(ends)), pieces)
    part = (np.arange(len(edge)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / (pieces - 1)[edge]
    points = ends[edge, 0] + part[:, None] * (ends[edge, 1] - ends[edge, 0])
    free = np.ones(len(points), bool)
    for which in range(2):
        probe = points + _PROBE * cell * ways[edge, which]
        for mesh in meshes:
            if is_solid(mesh):
                free &= ~inside(mesh.at(0), mesh.triangles, probe)
    return points[free]
