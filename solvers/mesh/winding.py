"""Inside or outside: the generalized winding number of any triangle mesh, exact where it decides.

"Robust Inside-Outside Segmentation using Generalized Winding Numbers" (Jacobson, Kavan, Sorkine-Hornung 2013): a
point is inside where the mesh winds around it more than one half. A closed mesh winds a whole number of times, which
the signed crossings of one ray count exactly. An open mesh is closed by a cone over each hole; the winding of the
cones, by their solid angles, is then taken away again, which is exact too and costs only the edges of the holes.
"""

from dataclasses import dataclass

import numpy as np

from .tree import Tree, angle_below, angle_sum, build_tree, dipole_moments, ray_winding
from .triangles import corners_of, open_edges, oriented, volume, welded

_TOLERANCES = (0.4, 1.0e-2, 1.0e-4, 0.0)
"""Errors allowed in the winding number, tried in turn until the decision no longer depends on them; 0 is the full sum."""
_NEGLIGIBLE = 0.499
"""Below half a turn, holes cannot tell inside from outside."""
_APEX_OFFSET = np.array([0.61, -0.43, 0.67]) * 1.0e-5
"""Where a hole's cone has its tip beside the hole's middle, in sizes of the hole: off every plane that points lie in."""
_BATCH = 1 << 20


@dataclass(frozen=True)
class Solid:
    """A mesh made ready to be asked many times. Axes are turned so that rays run along the mesh's shortest extent."""

    tree: Tree
    """The mesh with its holes closed, axes turned."""
    caps: Tree | None
    """The cones over the holes alone; None for a closed mesh."""
    surface: Tree
    """The mesh as it is, axes turned."""
    turn: int
    """Axis of the mesh that became x."""
    either_sign: bool
    """The mesh came with its normals inwards: negative winding counts as inside too."""
    closed_volume: float
    """Integral of the winding number of the mesh with its holes closed [m³], not negative."""
    open_edge_count: int

    def turned(self, points: np.ndarray) -> np.ndarray:
        """Points or vectors (…, 3) in the turned axes."""
        return np.ascontiguousarray(np.roll(np.asarray(points, dtype=np.float64), -self.turn, axis=-1))

    def turned_back(self, points: np.ndarray) -> np.ndarray:
        """The inverse of `turned`."""
        return np.ascontiguousarray(np.roll(points, self.turn, axis=-1))

    def counts(self, winding: np.ndarray) -> np.ndarray:
        """Whether winding numbers mean inside, bool."""
        return np.abs(winding) > 0.5 if self.either_sign else winding > 0.5

    def inside(self, points: np.ndarray) -> np.ndarray:
        """Whether each point [m], float64 (n, 3), is inside, bool (n,)."""
        points = self.turned(points)
        result = np.empty(len(points), dtype=bool)
        for begin in range(0, len(points), _BATCH):
            part = points[begin : begin + _BATCH]
            result[begin : begin + _BATCH] = self.inside_turned(part, ray_winding(self.tree, part))
        return result

    def holes_negligible(self, points: np.ndarray, radius: float) -> np.ndarray:
        """Whether the holes surely turn no decision within `radius` [m] of each point, in turned axes, bool (n,)."""
        if self.caps is None:
            return np.ones(len(points), dtype=bool)
        return angle_below(self.caps, dipole_moments(self.caps), points, radius, _NEGLIGIBLE)

    def inside_turned(self, points: np.ndarray, closed_winding: np.ndarray) -> np.ndarray:
        """`inside` for points in turned axes whose winding number in the closed mesh is known, bool (n,)."""
        if self.caps is None:
            return self.counts(closed_winding)
        result = self.counts(closed_winding)
        unsure = np.flatnonzero(~self.holes_negligible(points, 0.0))
        unsure = self._decide(result, points, unsure, self.caps, closed_winding)
        # On a cone itself ray and angle may take different sides; the mesh alone is smooth there.
        self._decide(result, points, unsure, self.surface, None)
        return result

    def _decide(
        self, result: np.ndarray, points: np.ndarray, unsure: np.ndarray, tree: Tree, closed_winding: np.ndarray | None
    ) -> np.ndarray:
        """Decide the points `unsure` by solid angles of a tree, of the cones if `closed_winding` is given; returns what
        stays open: points on a triangle of the tree."""
        moments = dipole_moments(tree) if len(unsure) else np.empty((0, 18))
        for tolerance in _TOLERANCES:
            if len(unsure) == 0:
                break
            seen = angle_sum(tree, moments, points[unsure], tolerance)
            winding = seen[:, 0] if closed_winding is None else closed_winding[unsure] - seen[:, 0]
            result[unsure] = self.counts(winding)
            measure = np.abs(winding) if self.either_sign else winding
            unsure = unsure[~(np.abs(measure - 0.5) > seen[:, 1])]
        return unsure


def _patches(edges: np.ndarray, count: int) -> np.ndarray:
    """For every edge the smallest vertex it is connected to through other edges, int64 (k,)."""
    label = np.arange(count)
    while True:
        least = np.minimum(label[edges[:, 0]], label[edges[:, 1]])
        updated = label.copy()
        np.minimum.at(updated, label[edges[:, 0]], least)
        np.minimum.at(updated, label[edges[:, 1]], least)
        updated = updated[updated]
        if np.array_equal(updated, label):
            return label[edges[:, 0]]
        label = updated


def hole_caps(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Corners [m] of cones that close every hole, float64 (k, 3, 3), k the number of open edges."""
    shared = welded(vertices, triangles)
    edges = open_edges(shared)
    if len(edges) == 0:
        return np.empty((0, 3, 3))
    place = np.empty((int(shared.max()) + 1, 3))
    place[shared] = np.asarray(vertices, dtype=np.float64)[triangles]
    _, hole = np.unique(_patches(edges, len(place)), return_inverse=True)
    hole = hole.reshape(-1)
    holes = int(hole.max()) + 1
    low, high = np.full((holes, 3), np.inf), np.full((holes, 3), -np.inf)
    middle = place[edges].mean(axis=1)
    np.minimum.at(low, hole, place[edges].min(axis=1))
    np.maximum.at(high, hole, place[edges].max(axis=1))
    number = np.bincount(hole, minlength=holes)[:, None]
    apex = np.stack([np.bincount(hole, weights=middle[:, axis], minlength=holes) for axis in range(3)], axis=1) / number
    apex += _APEX_OFFSET * np.linalg.norm(high - low, axis=1, keepdims=True)
    return np.stack([place[edges[:, 1]], place[edges[:, 0]], apex[hole]], axis=1)


def _signed_volume(corners: np.ndarray) -> float:
    return volume(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))


def make_solid(vertices: np.ndarray, triangles: np.ndarray) -> Solid:
    """Prepare a mesh (vertices [m] float64 (n, 3), triangles int (m, 3), checked by `check_mesh`) for many questions."""
    vertices = np.asarray(vertices, dtype=np.float64)
    triangles = oriented(vertices, triangles)
    corners, caps = corners_of(vertices, triangles), hole_caps(vertices, triangles)
    closed = np.concatenate([corners, caps])
    signed = _signed_volume(closed)
    if signed < 0.0:
        corners, caps, closed = corners[:, ::-1], caps[:, ::-1], closed[:, ::-1]
    turn = int(np.argmin(np.ptp(corners.reshape(-1, 3), axis=0)))
    surface = build_tree(np.roll(corners, -turn, axis=-1))
    if len(caps) == 0:
        return Solid(surface, None, surface, turn, signed < 0.0, abs(signed), 0)
    tree, cap_tree = build_tree(np.roll(closed, -turn, axis=-1)), build_tree(np.roll(caps, -turn, axis=-1))
    return Solid(tree, cap_tree, surface, turn, signed < 0.0, abs(signed), len(caps))


def inside(vertices: np.ndarray, triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Whether each point [m], float64 (n, 3), is inside the mesh, bool (n,).

    Inside is where the winding number exceeds one half; a mesh that is inside out as a whole counts as turned right.
    Points within rounding of the surface may fall on either side, always on the same one.
    """
    return make_solid(vertices, triangles).inside(points)


def winding_number(vertices: np.ndarray, triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Generalized winding number, float64 (n,), of the triangles exactly as given, summed over every one of them."""
    tree = build_tree(corners_of(vertices, triangles))
    points = np.ascontiguousarray(points, dtype=np.float64)
    return angle_sum(tree, dipole_moments(tree), points, 0.0)[:, 0]
