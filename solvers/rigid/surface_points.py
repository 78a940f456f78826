"""Points of a mesh that can touch another surface first: its corners, and points along its edges.

A corner meets a face, an edge meets an edge. Faces in between need no points: where another body's corner meets them, it is the
corner that is asked.
"""

from typing import NamedTuple

import numpy as np

from ..mesh.triangles import area_vectors, corners_of, normals, welded

_FLAT = np.cos(np.radians(1.0))
"""An edge between faces that differ by less than 1° is none."""
_STEPS = 12
"""Points along an edge as long as the mesh is wide from its middle."""
_MOST = 3000
"""More corners than this are thinned."""


class SurfacePoints(NamedTuple):
    """Where a body can touch, in its rest pose."""

    place: np.ndarray
    """[m], float64 (n, 3)."""
    inward: np.ndarray
    """Unit vectors into the body, float64 (n, 3)."""


def surface_points(vertices: np.ndarray, triangles: np.ndarray) -> SurfacePoints:
    """Corners and points along edges of a mesh whose normals point outwards."""
    triangles = np.asarray(triangles, dtype=np.int64)
    names = welded(vertices, triangles)
    count = int(names.max()) + 1
    place = np.zeros((count, 3))
    place[names.reshape(-1)] = vertices[triangles.reshape(-1)]
    outward = np.zeros((count, 3))
    area = area_vectors(corners_of(vertices, triangles))
    for corner in range(3):
        np.add.at(outward, names[:, corner], area)
    middle = 0.5 * (place.min(axis=0) + place.max(axis=0))
    arm = float(np.linalg.norm(place - middle, axis=1).max())
    chosen = _thinned(place, middle, arm)
    edges, normal = _sharp_edges(names, normals(vertices, triangles))
    along, side = _along_edges(place, edges, normal, arm / _STEPS)
    return SurfacePoints(np.concatenate([place[chosen], along]), -_unit(np.concatenate([outward[chosen], side])))


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1.0e-300)


def _thinned(place: np.ndarray, middle: np.ndarray, arm: float) -> np.ndarray:
    """All corners, or of a fine mesh the outermost one in every cell of a lattice."""
    cells, chosen = 48.0, np.arange(len(place))
    while len(chosen) > _MOST:
        cell = np.floor((place - middle) * (cells / (2.0 * arm))).astype(np.int64)
        order = np.lexsort((-np.linalg.norm(place - middle, axis=1), *cell.T))
        first = np.concatenate([[True], np.any(np.diff(cell[order], axis=0) != 0, axis=1)])
        chosen, cells = np.sort(order[first]), 0.8 * cells
    return chosen


def _sharp_edges(names: np.ndarray, normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of corners (n, 2) and the sum of the normals of the faces that meet there (n, 3); free edges count as sharp."""
    pair = np.sort(np.stack([names, np.roll(names, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    face = np.repeat(np.arange(len(names)), 3)
    edges, group, count = np.unique(pair, axis=0, return_inverse=True, return_counts=True)
    total = np.zeros((len(edges), 3))
    np.add.at(total, group.reshape(-1), normal[face])
    # Two unit normals at an angle: |a + b|² = 2 + 2 cos.
    sharp = (count != 2) | ((total * total).sum(axis=1) < 2.0 + 2.0 * _FLAT)
    return edges[sharp & (edges[:, 0] != edges[:, 1])], total[sharp & (edges[:, 0] != edges[:, 1])]


def _along_edges(place: np.ndarray, edges: np.ndarray, normal: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Points between the ends of long edges, and the normals there."""
    begin, end = place[edges[:, 0]], place[edges[:, 1]]
    parts = np.ceil(np.linalg.norm(end - begin, axis=1) / step - 1.0e-9).astype(np.int64)
    parts = np.minimum(parts, 1 + _MOST // max(1, np.count_nonzero(parts > 1)))
    inside = np.maximum(parts - 1, 0)
    row = np.repeat(np.arange(len(edges)), inside)
    number = np.arange(len(row)) - np.repeat(np.cumsum(inside) - inside, inside) + 1
    share = (number / parts[row])[:, None]
    return begin[row] + share * (end - begin)[row], normal[row]
