"""The inside of a collider in time: what drains swallow and where nothing can be born."""

import numpy as np

from .mesh.winding import Solid, make_solid
from .scene import Collider


class Enclosure:
    """A collider's mesh that may move and deform."""

    def __init__(self, collider: Collider, frames_per_second: float) -> None:
        self.name = collider.name
        self._collider = collider
        self._rate = frames_per_second
        self._solids: dict[int, Solid] = {}

    def _row(self, time: float, rows: int) -> tuple[int, int, float]:
        place = time * self._rate
        low = int(np.clip(np.floor(place), 0, rows - 1))
        return low, min(low + 1, rows - 1), min(max(place - low, 0.0), 1.0)

    def is_on(self, time: float) -> bool:
        """Whether the collider is active at `time` [s]."""
        keyed = self._collider.animated.get("enabled")
        return self._collider.params.enabled if keyed is None else bool(keyed[self._row(time, len(keyed))[0]])

    def inside(self, place: np.ndarray, time: float, pose: np.ndarray | None = None) -> np.ndarray:
        """Which of the places (3, n) [m] are in it at `time` [s], bool (n,). `pose` (4, 4): of a free body, from its start."""
        mesh, motion = self._collider.mesh, self._collider.motion
        points = place.T.astype(np.float64)
        if pose is not None:
            points = (points - pose[:3, 3]) @ pose[:3, :3]
        if motion is not None:
            low, high, part = self._row(0.0 if pose is not None else time, len(motion))
            matrix = (1.0 - part) * motion[low] + part * motion[high]
            points = (points - matrix[:3, 3]) @ np.linalg.inv(matrix[:3, :3]).T
        frame = int(round(time * self._rate)) if mesh.deforming else 0
        vertices = mesh.at(frame)
        result = np.zeros(len(points), bool)
        near = np.flatnonzero(((points > vertices.min(axis=0)) & (points < vertices.max(axis=0))).all(axis=1))
        if len(near):
            if frame not in self._solids:
                self._solids = {frame: make_solid(vertices, mesh.triangles)}
            result[near] = self._solids[frame].inside(points[near])
        return result
