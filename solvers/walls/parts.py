"""One collider made ready for look-ups, and the merging of all of them into one table."""

import math
from typing import NamedTuple

import numpy as np

from ..errors import InvalidScene
from .planes import FREE_EDGE
from .table import Lookup, build_lookup
from .topology import CLOSED, Topology
from .voxelise import Triples, triangle_corners, triangle_normals, voxelise
from .wall_table import WallTable

_MOST_TRIANGLES = 1 << 23
_MOST_VOXELS = 2.0e6
"""A surface that would need more voxels gets larger ones: flat walls stay exact, memory stays bounded."""


class Shape(NamedTuple):
    """A collider's surface in one pose, with all that finds the planes near a point."""

    origin: np.ndarray
    """World place of the local origin [m], float64 (3,)."""
    voxel: float
    """Edge of voxels and cells [m]."""
    triples: Triples
    lookup: Lookup
    corners: np.ndarray
    """Corners of triangles, then of free edges (second end twice), local, float64 (p, 9)."""
    low: np.ndarray
    high: np.ndarray
    """Local bounds of the band, float64 (3,)."""
    wide: np.ndarray
    """Which primitives are measured themselves instead of by their voxels, bool (p,): free edges and wide triangles."""
    slack: float
    """How far the surface may move before it is voxelised again [m]."""


def checked_vertices(vertices: np.ndarray, triangles: np.ndarray, name: str) -> None:
    """Refuse meshes that have no surface, with the reason."""
    if len(vertices) == 0 or len(triangles) == 0:
        raise InvalidScene(f"Collider {name}: the mesh has no faces; give it faces or remove it from the colliders.")
    if not np.isfinite(vertices).all():
        bad = int(np.argmax(~np.isfinite(vertices).all(axis=1)))
        raise InvalidScene(f"Collider {name}: vertex {bad} is at {vertices[bad].tolist()}; every vertex must be finite.")
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        raise InvalidScene(
            f"Collider {name}: a triangle uses vertex {int(triangles.max())}, but there are only {len(vertices)} vertices; "
            "the mesh is damaged, export it again."
        )
    if len(triangles) >= _MOST_TRIANGLES:
        raise InvalidScene(f"Collider {name}: it has {len(triangles)} triangles, more than {_MOST_TRIANGLES}. Decimate the mesh.")


def voxel_size(corners: np.ndarray, reach: float) -> float:
    """Half the reach, or more for very large surfaces."""
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 3:6] - corners[:, 0:3], corners[:, 6:9] - corners[:, 0:3]), axis=1).sum()
    return max(0.5 * reach, math.sqrt(1.5 * float(area) / _MOST_VOXELS))


def edge_corners(vertices: np.ndarray, topology: Topology) -> np.ndarray:
    """Ends of the free edges, float64 (e, 6)."""
    return np.concatenate([vertices[topology.free_edge[:, 0]], vertices[topology.free_edge[:, 1]]], axis=1)


def edge_normals(edges: np.ndarray, normals: np.ndarray, topology: Topology) -> np.ndarray:
    """Unit vectors in the plane of the triangle, square to its free edge, away from the sheet, float64 (e, 3)."""
    outward = np.cross(edges[:, 3:6] - edges[:, 0:3], normals[topology.free_edge[:, 2]])
    size = np.linalg.norm(outward, axis=1)
    return outward / np.where(size > 0.0, size, 1.0)[:, None]


def build_shape(vertices: np.ndarray, topology: Topology, reach: float, slack: float, voxel: float | None = None) -> Shape:
    """Voxelise a surface (world vertices) and prepare its look-up for points within `reach`.

    `slack` [m] is how far it may move before this is done again.
    """
    used = vertices[topology.triangles.ravel()]
    low = used.min(axis=0)
    size = voxel_size(triangle_corners(vertices, topology.triangles), reach) if voxel is None else voxel
    # An offset of 1.37 voxels keeps walls at round coordinates off the borders between voxels.
    origin = low - 1.37 * size
    local = vertices - origin
    corners = triangle_corners(local, topology.triangles)
    normals = triangle_normals(corners)
    edges = edge_corners(local, topology)
    triples = voxelise(corners, normals, edges, edge_normals(edges, normals, topology), size)
    is_edge = np.arange(len(corners) + len(edges)) >= len(corners)
    wide = np.concatenate([_wide(corners, size), np.ones(len(edges), dtype=bool)])
    lookup = build_lookup(triples, is_edge, wide, size, reach, slack)
    both = np.concatenate([corners, np.concatenate([edges, edges[:, 3:6]], axis=1)])
    band = reach + 3.0 * size + 2.0 * slack
    low, high = used.min(axis=0) - origin - band, used.max(axis=0) - origin + band
    return Shape(origin, size, triples, lookup, both, low, high, wide, slack)


class Place(NamedTuple):
    """Where a collider's rows begin in the merged table."""

    triple: int
    primitive: int


def _triple_rows(shape: Shape, topology: Topology) -> np.ndarray:
    """Rows of `WallTable.triple`, float32 (n, 11)."""
    kind = np.concatenate([topology.kind, np.full(len(topology.free_edge), FREE_EDGE, dtype=np.int8)])
    component = np.concatenate([topology.component, topology.component[topology.free_edge[:, 2]]])
    t = shape.triples
    rows = [t.centre, t.distance, t.normal, kind[t.primitive], t.primitive, component[t.primitive], shape.wide[t.primitive]]
    return np.column_stack(rows).astype(np.float32)


def _wide(corners: np.ndarray, voxel: float) -> np.ndarray:
    """Which triangles are a voxel wide across their longest edge, bool (m,): they win voxels of their own."""
    a, b, c = corners[:, 0:3], corners[:, 3:6], corners[:, 6:9]
    longest = np.max([np.linalg.norm(b - a, axis=1), np.linalg.norm(c - b, axis=1), np.linalg.norm(a - c, axis=1)], axis=0)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) >= voxel * longest


def merge(shapes: list[Shape], topologies: list[Topology], deforming: bool) -> tuple[WallTable, list[Place]]:
    """One table of all colliders; frames and switches are filled in by `Walls.pose`."""
    triples, corners, slots, lists = [], [], [], []
    rows, places = [], []
    triple_base = primitive_base = slot_base = list_base = 0
    for shape, topology in zip(shapes, topologies, strict=True):
        look = shape.lookup
        triples.append(_triple_rows(shape, topology))
        corners.append(shape.corners)
        slots.append(look.slots)
        lists.append(look.lists)
        is_open = int(np.any(topology.kind != CLOSED))
        rows.append((slot_base, len(look.slots) - 1, 0, 1, is_open, list_base, triple_base, primitive_base))
        places.append(Place(triple_base, primitive_base))
        triple_base += len(shape.triples.primitive)
        primitive_base += len(shape.corners)
        slot_base += len(look.slots)
        list_base += len(look.lists)
    corner = _joined(corners, np.float32, (0, 9))
    if deforming:
        corner = np.concatenate([corner, np.zeros_like(corner)], axis=1)
    table = WallTable(
        _joined(triples, np.float32, (0, 11)), corner, _joined(slots, np.int64, (0, 2)), _joined(lists, np.int32),
        np.array(rows, dtype=np.int64).reshape(-1, 8), np.zeros((len(shapes), 43)),
    )  # fmt: skip
    return table, places


def _joined(arrays: list[np.ndarray], dtype: type, shape: tuple[int, ...] = (0,)) -> np.ndarray:
    return np.ascontiguousarray(np.concatenate(arrays), dtype=dtype) if arrays else np.zeros(shape, dtype=dtype)
