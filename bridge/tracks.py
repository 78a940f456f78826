"""What one part does over the frame range: its places, its shape if that changes, its keyed settings."""

from typing import Any, NamedTuple

import numpy as np

from ..solvers.errors import InvalidScene
from ..solvers.params import declarations
from ..solvers.scene import Mesh
from .generated import Units, engine_value
from .parts import Part, Surface, check_finite, check_matrix, check_surface, may_deform, read_surface

_SAME_SCALE = 1.0e-5
"""Relative change of an object's axes below which it moves rigidly."""


class Geometry(NamedTuple):
    """A track in the form that the engine takes, metres."""

    mesh: Mesh
    motion: np.ndarray | None
    """float64 (frames, 4, 4), None if the mesh stands still or its vertices are given frame by frame."""


class Track:
    """The record of one part, frame by frame. Keeps numpy arrays only, nothing of Blender."""

    def __init__(self, part: Part, name: str, frame: int, params: type | None, metres: float) -> None:
        """`params`: group whose animatable settings are followed, None for bodies; `metres` in a Blender unit."""
        self.name = name
        self.metres = metres
        self.holder_name = part.holder.name
        check_matrix(part, frame)
        self.first = read_surface(part)
        check_surface(self.first, part, frame)
        self.matrices = [part.matrix]
        self.shapes: list[np.ndarray] | None = None
        """World vertices [m] of every frame, float64 (n, 3) each, once the shape has been seen to change."""
        self.followed = [entry for entry in declarations(params) if entry.animatable] if params is not None else []
        self.values: dict[str, list[Any]] = {entry.name: [] for entry in self.followed}
        # A made-up mesh (geometry nodes) has no object of its own to ask.
        original = part.evaluated.original
        self.may_deform = len(part.key) > 1 or may_deform(original)

    def follow(self, part: Part, frame: int) -> None:
        """Adds one more frame."""
        check_matrix(part, frame)
        self.matrices.append(part.matrix)
        if not self.may_deform:
            return
        surface = read_surface(part, want_triangles=False)
        if surface.counts != self.first.counts:
            before, now = self.first.counts, surface.counts
            raise InvalidScene(
                f"{self.holder_name}: it has {before[0]} vertices and {before[1]} faces in the first frame, but {now[0]} and "
                f"{now[1]} in frame {frame}; a collider or emitter must keep its faces. Check its modifiers (Build, Boolean, "
                "Remesh, Decimate)."
            )
        vertices = surface.vertices
        if self.shapes is None and np.array_equal(vertices, self.first.vertices):
            return
        check_finite(vertices, self.holder_name, frame)
        if self.shapes is None:
            self.shapes = [placed(self.first.vertices, matrix, self.metres) for matrix in self.matrices[:-1]]
        self.shapes.append(placed(vertices, part.matrix, self.metres))

    def note_settings(self, group: Any, units: Units) -> None:
        """Writes down the values that settings have in this frame."""
        for entry in self.followed:
            self.values[entry.name].append(engine_value(getattr(group, entry.name), entry, units))

    @property
    def _flips(self) -> bool:
        return np.linalg.det(self.matrices[0][:3, :3]) < 0.0

    def _triangles(self) -> np.ndarray:
        """A mirrored object turns inside out: its triangles are wound the other way round."""
        triangles = self.first.triangles
        return np.ascontiguousarray(triangles[:, ::-1]) if self._flips else triangles

    def still(self) -> Mesh:
        """The mesh of the first frame in world space."""
        return Mesh(placed(self.first.vertices, self.matrices[0], self.metres), self._triangles())

    def geometry(self) -> Geometry:
        """Mesh and motion. Rigid motion stays a matrix per frame; whatever stretches gets its vertices frame by frame."""
        matrices = np.array(self.matrices)
        moves = bool(np.any(matrices != matrices[0]))
        if self.shapes is None and not moves:
            return Geometry(self.still(), None)
        if self.shapes is None and _is_rigid(matrices):
            matrices[:, :3, 3] *= self.metres
            return Geometry(Mesh(self.first.vertices.astype(np.float64) * self.metres, self._triangles()), matrices)
        shapes = self.shapes or [placed(self.first.vertices, matrix, self.metres) for matrix in matrices]
        return Geometry(Mesh(np.array(shapes), self._triangles()), None)

    def constant(self, name: str) -> bool:
        values = self.values.get(name, [])
        return all(value == values[0] for value in values)

    def animated(self) -> dict[str, np.ndarray]:
        """Values per frame of the settings that change."""
        return {
            entry.name: np.array(self.values[entry.name], dtype=np.float64)
            for entry in self.followed
            if not self.constant(entry.name)
        }

    def rotations(self) -> np.ndarray:
        """Object axes without their scale in every frame, float64 (frames, 3, 3)."""
        axes = np.array(self.matrices)[:, :3, :3]
        return axes / np.linalg.norm(axes, axis=1, keepdims=True)


def placed(vertices: np.ndarray, matrix: np.ndarray, metres: float) -> np.ndarray:
    """World positions [m], float64 (n, 3)."""
    return (vertices.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]) * metres


def _is_rigid(matrices: np.ndarray) -> bool:
    """Whether the axes keep their lengths and angles through all frames."""
    axes = matrices[:, :3, :3]
    # Gram matrices hold lengths and angles and nothing else.
    gram = np.swapaxes(axes, 1, 2) @ axes
    size = np.abs(gram[0]).max()
    turns_over = np.linalg.det(axes[0]) * np.linalg.det(axes) < 0.0
    return bool(np.abs(gram - gram[0]).max() <= _SAME_SCALE * size and not turns_over.any())


def longest_side(surface: Surface, matrix: np.ndarray) -> float:
    """Longest side of the bounding box in world space, Blender units; 0 without vertices."""
    if len(surface.vertices) == 0:
        return 0.0
    world = placed(surface.vertices, matrix, 1.0)
    return float((world.max(axis=0) - world.min(axis=0)).max())
