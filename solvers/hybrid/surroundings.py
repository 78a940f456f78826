"""What the oracle has to know of the colliders: which edges of the grid standing ones cut, and where moving ones are."""

from collections.abc import Callable

import numpy as np

from ..scene import Collider, Mesh, Scene
from ..walls import Walls
from ..walls import wall_table as columns
from .oracle import Box, cross_edges
from .rims import rim_points

_TOLERANCE = 1.0e-4
"""A wall this close to a node, in cells, cuts the edges on both sides of it."""
RIM = 2.0
"""How much farther around a rim than below a surface grains are single, in cells: a continuum this close to an opening a few
cells wide is held by the nodes it shares with what rests beside it, and throttles the flow."""
_WIDE = 16.0
"""Distance in cells that stands for 'no moving collider near'."""


def _stands(collider: Collider) -> bool:
    free = getattr(collider.params, "free", False)
    return collider.motion is None and not collider.mesh.deforming and "enabled" not in collider.animated and not free


class Surroundings:
    """The colliders of a scene."""

    def __init__(self) -> None:
        self._corners = np.zeros((0, 3, 3))
        """Triangles of standing colliders [m]."""
        self._moving = np.zeros(0, bool)
        self._meshes: list[Mesh] = []
        self._rims: np.ndarray | None = None
        """Points on the rims of standing colliders [m], float64 (n, 3), once they are known."""
        self._kept: dict[str, tuple[Box, np.ndarray]] = {}
        """What depends on standing colliders only, for the last box."""

    def survey(self, scene: Scene) -> None:
        """Take the scene's colliders in."""
        self._moving = np.array([not _stands(collider) for collider in scene.colliders], bool)
        parts = [c.mesh.at(0)[c.mesh.triangles] for c in scene.colliders if _stands(c) and c.params.enabled]
        self._corners = np.concatenate([np.zeros((0, 3, 3)), *parts])
        self._meshes = [c.mesh for c in scene.colliders if _stands(c) and c.params.enabled]
        self._rims = None
        self._kept.clear()

    def _once(self, name: str, box: Box, find: Callable[[Box], np.ndarray]) -> np.ndarray:
        """The array that `find` makes for a box, kept as long as the box stays the same; not to be written."""
        known = self._kept.get(name)
        if known is None or known[0].shape != box.shape or (known[0].low != box.low).any():
            known = self._kept[name] = (box, find(box))
        return known[1]

    def cut_edges(self, box: Box) -> np.ndarray:
        """Edges of the box's nodes that a standing collider crosses, bool (3, i, j, k): from each node along x, y, z."""
        return self._once("cut", box, self._find_cuts)

    def near_rims(self, box: Box) -> np.ndarray:
        """Distance [cells] of every node to the nearest rim of a standing collider less `RIM`, within two cells; else `_WIDE`."""
        return self._once("rims", box, self._find_rims)

    def _find_cuts(self, box: Box) -> np.ndarray:
        blocked = np.zeros((3, *box.shape), np.bool_)
        if len(self._corners):
            cross_edges(self._corners / box.cell - box.low, blocked, _TOLERANCE)
        return blocked

    def moving_boxes(self, walls: Walls, margin: float) -> list[tuple[np.ndarray, np.ndarray]]:
        """Lowest and highest corner of the reach of every active collider that moves, widened by `margin` [m]."""
        active = np.flatnonzero(walls.table.collider[:, columns.ACTIVE] != 0)
        pairs = zip(active, walls.boxes(margin), strict=True)
        return [corners for number, corners in pairs if self._moving[number]]

    def near_moving(self, box: Box, walls: Walls) -> np.ndarray:
        """Distance [cells] of every node to the nearest collider that moves, within a cell; else `_WIDE`. float32 (i, j, k)."""
        distance = np.full(box.shape, _WIDE, np.float32)
        if not self._moving.any():
            return distance
        touched = np.zeros(box.shape, bool)
        for low, high in self.moving_boxes(walls, box.cell):
            first = np.maximum(np.floor(low / box.cell).astype(np.int64) + 1 - box.low, 0)
            last = np.maximum(np.ceil(high / box.cell).astype(np.int64) - box.low, 0)
            touched[first[0] : last[0], first[1] : last[1], first[2] : last[2]] = True
        chosen = np.flatnonzero(touched.reshape(-1))
        if len(chosen):
            near = walls.near(box.places(chosen).astype(np.float32))
            row = near.row[: len(chosen)]
            use = np.flatnonzero(row >= 0)
            slots = np.arange(3)[None] < near.count[row[use], None]
            slots &= self._moving[np.clip(near.collider[row[use]], 0, len(self._moving) - 1)]
            apart = np.where(slots, np.maximum(near.plane[row[use], :, 3], 0.0) / box.cell, _WIDE).min(axis=1)
            distance.reshape(-1)[chosen[use]] = apart
        return distance

    def _find_rims(self, box: Box) -> np.ndarray:
        if self._rims is None:
            self._rims = rim_points(self._meshes, box.cell)
        distance = np.full(box.shape, _WIDE, np.float32)
        place = self._rims / box.cell - box.low
        place = place[np.all((place > 1.0) & (place < np.array(box.shape) - 3.0), axis=1)]
        base = np.floor(place).astype(np.int64)
        for i, j, k in np.ndindex(4, 4, 4):
            node = base + np.array([i - 1, j - 1, k - 1])
            np.minimum.at(distance, tuple(node.T), (np.linalg.norm(node - place, axis=1) - RIM).astype(np.float32))
        return distance


def whole_cells(inside: np.ndarray, cut: np.ndarray) -> np.ndarray:
    """Cells with all corners inside and no edge cut, bool by cell number."""
    ni, nj, nk = inside.shape
    whole = np.zeros(inside.shape, bool)
    body = np.ones((ni - 1, nj - 1, nk - 1), bool)
    for a, b, c in np.ndindex(2, 2, 2):
        body &= inside[a : ni - 1 + a, b : nj - 1 + b, c : nk - 1 + c]
    for axis in range(3):
        for a, b in np.ndindex(2, 2):
            shift = [a, b]
            shift.insert(axis, 0)
            i, j, k = shift
            body &= ~cut[axis, i : ni - 1 + i, j : nj - 1 + j, k : nk - 1 + k]
    whole[:-1, :-1, :-1] = body
    return whole.reshape(-1)
