"""What is simulated: meshes, bodies, colliders, emitters and the world they live in.

Everything is in SI units, z is up. A scene written in Python and a job folder written by Blender hold the same
thing; `solvers.job` turns one into the other. Their settings stand in `scene_params`; import both from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .meet.pairs import MeetingParams
from .scene_params import PAINTABLE, PAINTED_FLOW, ColliderParams, EmitterParams, SurfaceParams, WorldParams

__all__ = [
    "PAINTABLE",
    "PAINTED_FLOW",
    "Body",
    "Collider",
    "ColliderParams",
    "Emitter",
    "EmitterParams",
    "Mesh",
    "Scene",
    "SurfaceParams",
    "WorldParams",
]


@dataclass(frozen=True)
class Mesh:
    """Triangles in space."""

    vertices: np.ndarray
    """[m], float64 (n, 3); or (frames, n, 3) for a mesh that deforms, one row per frame of the scene."""
    triangles: np.ndarray
    """Vertex indices, int32 (m, 3), counter-clockwise seen from outside."""

    @property
    def deforming(self) -> bool:
        return self.vertices.ndim == 3

    def at(self, frame_index: int) -> np.ndarray:
        """Vertices of one frame of the scene, float64 (n, 3)."""
        if not self.deforming:
            return self.vertices
        return self.vertices[min(max(frame_index, 0), len(self.vertices) - 1)]

    @staticmethod
    def box(low: tuple[float, float, float], high: tuple[float, float, float], *, inward: bool = False) -> "Mesh":
        """A closed box; `inward` turns the normals to the inside, as the walls of a tank."""
        corner = np.array([low, high], dtype=np.float64)
        index = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
        vertices = np.stack([corner[index[:, axis], axis] for axis in range(3)], axis=1)
        quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        triangles = np.array([(q[0], q[a], q[a + 1]) for q in quads for a in (1, 2)], dtype=np.int32)
        return Mesh(vertices, triangles[:, ::-1].copy() if inward else triangles)

    @staticmethod
    def open_box(low: tuple[float, float, float], high: tuple[float, float, float]) -> "Mesh":
        """A tank without a lid: five faces whose normals point inwards."""
        tank = Mesh.box(low, high, inward=True)
        top = np.all(tank.vertices[tank.triangles, 2] >= high[2], axis=1)
        return Mesh(tank.vertices, np.ascontiguousarray(tank.triangles[~top]))

    @staticmethod
    def sphere(centre: tuple[float, float, float], radius: float, subdivisions: int = 3) -> "Mesh":
        """A closed icosphere."""
        golden = (1.0 + 5.0**0.5) / 2.0
        vertices = [(-1, golden, 0), (1, golden, 0), (-1, -golden, 0), (1, -golden, 0), (0, -1, golden), (0, 1, golden)]
        vertices += [(0, -1, -golden), (0, 1, -golden), (golden, 0, -1), (golden, 0, 1), (-golden, 0, -1), (-golden, 0, 1)]
        faces = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6)]
        faces += [(7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10)]
        faces += [(8, 6, 7), (9, 8, 1)]
        points = [np.array(v, dtype=np.float64) / np.linalg.norm(v) for v in vertices]
        for _ in range(subdivisions):
            middle: dict[tuple[int, int], int] = {}

            def halfway(a: int, b: int, middle: dict[tuple[int, int], int] = middle) -> int:
                key = (min(a, b), max(a, b))
                if key not in middle:
                    point = points[a] + points[b]
                    middle[key] = len(points)
                    points.append(point / np.linalg.norm(point))
                return middle[key]

            split = []
            for a, b, c in faces:
                ab, bc, ca = halfway(a, b), halfway(b, c), halfway(c, a)
                split += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
            faces = split
        return Mesh(np.array(points) * radius + np.array(centre), np.array(faces, dtype=np.int32))

    @staticmethod
    def rectangle(corner: tuple[float, float, float], u: tuple[float, float, float], v: tuple[float, float, float]) -> "Mesh":
        """An open sheet spanned by the edges u and v; its normal is u × v."""
        origin, first, second = (np.array(part, dtype=np.float64) for part in (corner, u, v))
        vertices = np.array([origin, origin + first, origin + first + second, origin + second])
        return Mesh(vertices, np.array([(0, 1, 2), (0, 2, 3)], dtype=np.int32))


@dataclass(frozen=True)
class Body:
    """A mesh filled with a material at the first frame."""

    name: str
    kind: str
    mesh: Mesh
    params: Any = None
    """The kind's parameter group, or None for its defaults."""
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Initial velocity [m/s]."""
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Initial angular velocity about the centre of the mesh's bounding box [rad/s]."""
    output: str = ""
    """Name of the point and surface files; bodies with the same output share one surface. "": the kind decides."""


@dataclass(frozen=True)
class Collider:
    """A surface that everything collides with."""

    name: str
    mesh: Mesh
    params: ColliderParams = field(default_factory=ColliderParams)
    motion: np.ndarray | None = None
    """World matrix per frame, float64 (frames, 4, 4), applied to `mesh`; None: the mesh stands still in world space."""
    animated: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Parameter values per frame, by name."""
    weights: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Weights 0…1 of the mesh's vertices, float64 (n,), by name of a setting in `PAINTABLE`."""


@dataclass(frozen=True)
class Emitter:
    """A mesh from which a material flows."""

    name: str
    kind: str
    mesh: Mesh
    params: EmitterParams = field(default_factory=EmitterParams)
    material: Any = None
    """The kind's parameter group, or None for its defaults."""
    motion: np.ndarray | None = None
    animated: Mapping[str, np.ndarray] = field(default_factory=dict)
    output: str = ""
    weights: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Weights 0…1 of the mesh's vertices, float64 (n,), by name of a setting in `PAINTED_FLOW`."""


@dataclass(frozen=True)
class Scene:
    """Everything a bake needs."""

    name: str
    bodies: tuple[Body, ...] = ()
    colliders: tuple[Collider, ...] = ()
    emitters: tuple[Emitter, ...] = ()
    world: WorldParams = field(default_factory=WorldParams)
    surface: SurfaceParams = field(default_factory=SurfaceParams)
    meeting: Any = field(default_factory=MeetingParams)
    """A `MeetingParams`: how different kinds treat each other."""

    @property
    def walls(self) -> tuple[Collider, ...]:
        """The colliders that block: all but drains."""
        return tuple(collider for collider in self.colliders if not collider.params.drain)

    @property
    def frame_count(self) -> int:
        return self.world.frame_end - self.world.frame_start + 1

    def time_of(self, frame: int) -> float:
        """Seconds from the first frame."""
        return (frame - self.world.frame_start) / self.world.frames_per_second
