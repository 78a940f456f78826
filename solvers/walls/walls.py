"""The walls of a scene: every solver asks this one object what is near its particles."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..errors import InvalidScene
from ..jit import parallel_kernel, prange
from ..scene import Collider
from ..watch import Watch
from . import wall_table as columns
from .distance import Crossings, merged_crossings, wall_distances
from .motion import Track
from .paint import Paint
from .parts import Place, Shape, build_shape, checked_vertices, edge_normals, merge
from .planes import PICKS, WORK_ROWS
from .query import CHUNK, count_near, find_near
from .table import Lookup, build_lookup
from .topology import SHEET, Topology, surface_topology
from .voxelise import DISTINCT, triangle_corners, triangle_normals
from .wall_table import DEFORMING, RIGID, STILL, WallTable

_MOST_REBUILDS = 16
"""Voxelisations of a deforming collider in one frame, at most."""


class NearWalls(NamedTuple):
    """Planes near particles, as found by `Walls.near`.

    The arrays are reused by the next call. With n particles and m rows (some rows may stay unused: count 0):
    """

    row: np.ndarray
    """Row of each particle in the arrays below, or -1 away from walls, int32 (n,)."""
    plane: np.ndarray
    """Up to three planes, float32 (m, 3, 8): unit normal towards the fluid, signed distance [m], velocity of the wall at
    the contact [m/s], friction. Nearest first: plane 0 is the one that holds the particle (shapes 0 and 1)."""
    count: np.ndarray
    """Number of planes, int32 (m,)."""
    shape: np.ndarray
    """How the half-spaces behind the planes make up the wall, int32 (m,): 0 their union (flat wall, concave corner),
    1 their intersection (convex edge, thin plate, rim of a sheet), 2 first ∪ (second ∩ third), 3 first ∩ (second ∪ third).
    The signed distance of the wall is the minimum over a union and the maximum over an intersection."""
    collider: np.ndarray
    """Collider of each plane or -1, int32 (m, 3)."""
    particle: np.ndarray
    """Particle of each row or -1, int32 (m,)."""


class _Wall:
    """One collider: its surface, its animation, and the pose for which it was voxelised."""

    def __init__(self, collider: Collider, reach: float):
        self.track = Track(collider)
        self.reach = reach
        vertices = self.track.vertices(0)
        triangles = np.asarray(collider.mesh.triangles, dtype=np.int32)
        checked_vertices(vertices, triangles, collider.name)
        self.topology: Topology = surface_topology(vertices, triangles, collider.params.two_sided)
        if not self.track.deforming and not np.any(triangle_normals(triangle_corners(vertices, triangles))):
            raise InvalidScene(
                f"Collider {collider.name}: all {len(triangles)} triangles have no area; check its scale (is one axis 0?)."
            )
        self.wide: tuple[Shape, float, Lookup] | None = None
        self.key: tuple[int, int] = (0, 0)
        self.parts = 1
        self.base: np.ndarray | None = None
        self.shape: Shape = self._build(vertices, 0.0) if not self.track.deforming else self._build_part(0, 0)
        pivot = self.track.rigid.pivots[0] if self.track.rigid else np.zeros(3)
        self.rest_offset = self.shape.origin - pivot
        self.arm = float(np.linalg.norm(vertices - pivot, axis=1).max())

    def _build(self, vertices: np.ndarray, slack: float) -> Shape:
        return build_shape(vertices, self.topology, self.reach, slack)

    def _build_part(self, index: int, part: int) -> Shape:
        """Voxelise at the start of one of the equal parts of a frame, with slack for the motion until its end."""
        begin, end = self.track.vertices(index), self.track.vertices(index + 1)
        name = self.track.collider.name
        checked_vertices(end, self.topology.triangles, name)
        farthest = math.sqrt(float(np.max(np.einsum("ij,ij->i", end - begin, end - begin), initial=0.0)))
        self.parts = min(max(1, math.ceil(farthest / (0.25 * self.reach))), _MOST_REBUILDS)
        blend = part / self.parts
        base, slack = (1.0 - blend) * begin + blend * end, farthest / self.parts
        self.key = (index, part)
        if self.base is not None and slack == self.shape.slack and np.array_equal(base, self.base):
            return self.shape
        self.base = base
        return self._build(base, slack)

    def lookup_within(self, limit: float) -> Lookup:
        """Look-up of the present shape for points within `limit` of it."""
        if self.wide is None or self.wide[0] is not self.shape or self.wide[1] != limit:
            triangles = len(self.topology.triangles)
            is_edge = np.arange(len(self.shape.corners)) >= triangles
            lookup = build_lookup(self.shape.triples, is_edge, self.shape.wide, self.shape.voxel, limit, self.shape.slack)
            self.wide = (self.shape, limit, lookup)
        return self.wide[2]

    def place_deforming(self, place: float) -> bool:
        """Voxelise again if `place` lies in another part of the frame axis; the answer says whether that happened.

        The parts are fixed, so the pose depends on the time only and never on earlier poses.
        """
        place = min(max(place, 0.0), float(self.track.frames - 1))
        index = min(int(place), max(self.track.frames - 2, 0))
        earlier = self.shape
        if index != self.key[0]:
            self.shape = self._build_part(index, 0)
        part = min(int((place - index) * self.parts), self.parts - 1)
        if part != self.key[1]:
            self.shape = self._build_part(index, part)
        return self.shape is not earlier

    def vertices_at(self, place: float) -> np.ndarray:
        place = min(max(place, 0.0), float(self.track.frames - 1))
        index = min(int(place), max(self.track.frames - 2, 0))
        part = place - index
        return (1.0 - part) * self.track.vertices(index) + part * self.track.vertices(index + 1)

    def vertex_velocity(self, place: float, frames_per_second: float) -> np.ndarray:
        if place < 0.0 or place > self.track.frames - 1:
            return np.zeros_like(self.track.vertices(0))
        index = min(int(place), max(self.track.frames - 2, 0))
        return (self.track.vertices(index + 1) - self.track.vertices(index)) * frames_per_second


@parallel_kernel
def _refresh(first, corners, normals, base_corners, primitive, weight, centre, triple):
    """Move triples with their triangles: r follows the nearest point, n and d are taken anew."""
    for item in prange(len(primitive)):
        p = primitive[item]
        b, c = weight[item, 0], weight[item, 1]
        a = 1.0 - b - c
        distance = 0.0
        for axis in range(3):
            now = a * corners[p, axis] + b * corners[p, 3 + axis] + c * corners[p, 6 + axis]
            then = a * base_corners[p, axis] + b * base_corners[p, 3 + axis] + c * base_corners[p, 6 + axis]
            triple[first + item, axis] = centre[item, axis] + now - then
            triple[first + item, 4 + axis] = normals[p, axis]
            distance += (centre[item, axis] - then) * normals[p, axis]
        triple[first + item, 3] = distance


class Walls:
    """All colliders of a scene as reconstructed polygon walls.

    After 『再構築ポリゴン壁を用いたSPHの壁境界計算手法』 (笠 晃一, IPSJ SIG Technical Report 2014-CG-156).
    """

    def __init__(
        self, colliders: Sequence[Collider], *, reach: float, frames_per_second: float, frame_start: int, watch: Watch
    ):
        """Voxelise every collider. `reach` [m] is the farthest wall a particle can feel (its kernel radius h)."""
        if not (math.isfinite(reach) and reach > 0.0):
            raise InvalidScene(f"Walls: the reach is {reach} m; it must be a positive number.")
        self.reach = float(reach)
        self.frame_start = frame_start
        self.frames_per_second = float(frames_per_second)
        self._walls: list[_Wall] = []
        for number, collider in enumerate(colliders):
            watch.poll()
            watch.report(phase="preparing", done=number / len(colliders), message=f"Voxelising {collider.name}")
            self._walls.append(_Wall(collider, self.reach))
        self._scratch: dict[str, np.ndarray] = {}
        self._wide: tuple[tuple[int, ...], np.ndarray, np.ndarray] | None = None
        self._paint = Paint(
            [wall.track.collider.weights for wall in self._walls],
            [wall.track.vertices(0) for wall in self._walls],
            [wall.topology for wall in self._walls],
        )
        self._merge()
        self.pose(0.0, 0.0)

    def _merge(self) -> None:
        deforming = any(wall.track.deforming for wall in self._walls)
        self._crossings: Crossings | None = None
        self._placed = False
        self.table: WallTable
        self._places: list[Place]
        self.table, self._places = merge([wall.shape for wall in self._walls], [wall.topology for wall in self._walls], deforming)

    def pose(self, time: float, dt: float) -> None:
        """Put every collider where it is at `time` [s from the first frame], the end of a step of length `dt` [s].

        Velocities are those of the step. The pose depends on nothing but these two numbers.
        """
        place = time * self.frames_per_second
        before = (time - dt) * self.frames_per_second
        self._place = place
        if any([wall.place_deforming(place) for wall in self._walls if wall.track.deforming]):
            self._merge()
        for number, wall in enumerate(self._walls):
            if wall.track.changes or not self._placed:
                self._set_frame(number, wall, place, before)
            self.table.frame[number, columns.STEP] = dt
            if wall.track.deforming:
                self._deform(wall, self._places[number], place, 0.5 * (place + before))
        self._placed = True

    def _set_frame(self, number: int, wall: _Wall, place: float, before: float) -> None:
        """Fill a collider's rows of the table for a place on the frame axis and one a step earlier."""
        frame, row, rigid = self.table.frame[number], self.table.collider[number], wall.track.rigid
        frame[columns.LOW : columns.LOW + 3], frame[columns.HIGH : columns.HIGH + 3] = wall.shape.low, wall.shape.high
        frame[columns.VOXEL], frame[columns.PER_METRE] = wall.shape.voxel, 1.0 / wall.shape.voxel
        frame[columns.FRICTION] = wall.track.setting("friction", place)
        row[columns.ACTIVE] = int(wall.track.setting("enabled", place) > 0.5)
        row[columns.MOTION] = RIGID if rigid else DEFORMING if wall.track.deforming else STILL
        for column, at in ((columns.ROTATION, place), (columns.BEFORE, before)):
            rotation, offset = np.eye(3), wall.shape.origin
            if rigid:
                rotation, pivot = rigid.pose(at)
                offset = rotation @ wall.rest_offset + pivot
            frame[column : column + 9], frame[column + 9 : column + 12] = rotation.ravel(), offset
        if rigid:
            velocity, spin = rigid.velocity(0.5 * (place + before), self.frames_per_second)
            frame[columns.VELOCITY : columns.VELOCITY + 3], frame[columns.SPIN : columns.SPIN + 3] = velocity, spin
            frame[columns.PIVOT : columns.PIVOT + 3] = rigid.pose(place).pivot

    @property
    def moving(self) -> bool:
        """Whether anything about the walls changes in time."""
        return any(wall.track.changes or wall.track.collider.params.free for wall in self._walls)

    @property
    def sheets(self) -> bool:
        """Whether any collider is an open sheet that blocks from both sides."""
        return bool(self.is_sheet.any())

    @cached_property
    def is_sheet(self) -> np.ndarray:
        """Which colliders have open sheets that block from both sides, bool (k,)."""
        return np.array([bool(np.any(wall.topology.kind == SHEET)) for wall in self._walls], dtype=bool)

    @property
    def contacts(self) -> list[str]:
        """How each collider treats foam and sand: separate, slip or stick."""
        return [wall.track.collider.params.contact for wall in self._walls]

    def setting(self, name: str) -> np.ndarray:
        """A numeric setting of every collider at the present pose, float64 (k,)."""
        return np.array([wall.track.setting(name, self._place) for wall in self._walls])

    def is_painted(self, name: str) -> bool:
        """Whether a setting differs from place to place on any collider."""
        return name in self._paint.settings

    def setting_at(self, name: str, near: NearWalls, position: np.ndarray) -> np.ndarray:
        """A numeric setting where each plane of `near` touches, float32 (m, 3); `near` must belong to `position` (n, 3) [m]."""
        if len(near.count) == 0:
            return np.zeros((0, 3), np.float32)
        own = self.setting(name)[near.collider].astype(np.float32)  # −1, no plane: any value
        if not self.is_painted(name):
            return own
        painted = self.setting(f"{name}_painted")[near.collider].astype(np.float32)
        return own + self._paint.near(name, self.table, near, position) * (painted - own)

    def boxes(self, margin: float) -> list[tuple[np.ndarray, np.ndarray]]:
        """Lowest and highest corner of every active collider's reach at the present pose, widened by `margin` [m]."""
        found = []
        for frame, row in zip(self.table.frame, self.table.collider, strict=True):
            if row[columns.ACTIVE] == 0:
                continue
            low, high = frame[columns.LOW : columns.LOW + 3], frame[columns.HIGH : columns.HIGH + 3]
            rotation = frame[columns.ROTATION : columns.ROTATION + 9].reshape(3, 3)
            centre = rotation @ (0.5 * (low + high)) + frame[columns.OFFSET : columns.OFFSET + 3]
            half = np.abs(rotation) @ (0.5 * (high - low)) + margin
            found.append((centre - half, centre + half))
        return found

    def place(
        self, number: int, rotation: np.ndarray, rest: np.ndarray, pivot: np.ndarray, velocity: np.ndarray, spin: np.ndarray
    ) -> None:
        """Put collider `number` where its point `rest` [m] is at `pivot`, turned by `rotation`; to be called after `pose`."""
        frame, wall = self.table.frame[number], self._walls[number]
        self.table.collider[number, columns.MOTION] = RIGID
        offset = rotation @ (wall.shape.origin - rest) + pivot
        for column in (columns.ROTATION, columns.BEFORE):
            frame[column : column + 9], frame[column + 9 : column + 12] = rotation.ravel(), offset
        frame[columns.VELOCITY : columns.VELOCITY + 3], frame[columns.SPIN : columns.SPIN + 3] = velocity, spin
        frame[columns.PIVOT : columns.PIVOT + 3] = pivot

    def is_deforming(self, number: int) -> bool:
        return self._walls[number].track.deforming

    def placed(self, number: int, rest: np.ndarray) -> np.ndarray:
        """Where points (n, 3) [m] of collider `number` in its first frame are at the present pose; it must not deform."""
        frame = self.table.frame[number]
        return self.turned(number, rest - self._walls[number].shape.origin) + frame[columns.OFFSET : columns.OFFSET + 3]

    def turned(self, number: int, rest: np.ndarray) -> np.ndarray:
        """Directions (n, 3) of collider `number` in its first frame as they are at the present pose."""
        return rest @ self.table.frame[number, columns.ROTATION : columns.ROTATION + 9].reshape(3, 3).T

    def velocity_at(self, number: int, place: np.ndarray) -> np.ndarray:
        """Velocity [m/s] of collider `number` at places (n, 3); it must not deform."""
        if self.table.collider[number, columns.MOTION] == STILL:
            return np.zeros_like(place)
        frame = self.table.frame[number]
        arm = place - frame[columns.PIVOT : columns.PIVOT + 3]
        return frame[columns.VELOCITY : columns.VELOCITY + 3] + np.cross(frame[columns.SPIN : columns.SPIN + 3], arm)

    def speed_at(self, time: float) -> float:
        """Largest speed of any point of a wall at `time` [m/s]; an upper bound for turning ones. Independent of the pose."""
        place, fastest = time * self.frames_per_second, 0.0
        for wall in self._walls:
            if wall.track.rigid:
                velocity, spin = wall.track.rigid.velocity(place, self.frames_per_second)
                fastest = max(fastest, float(np.linalg.norm(velocity) + np.linalg.norm(spin) * wall.arm))
            elif wall.track.deforming:
                velocity = wall.vertex_velocity(place, self.frames_per_second)
                fastest = max(fastest, float(np.sqrt((velocity**2).sum(axis=1).max())))
        return fastest

    def _deform(self, wall: _Wall, at: Place, place: float, middle: float) -> None:
        """Refresh triples, corners and corner velocities of a deforming collider, in O(points)."""
        topology, shape = wall.topology, wall.shape
        corners = _primitive_corners(wall.vertices_at(place) - shape.origin, topology)
        normals = _primitive_normals(corners, topology)
        t = shape.triples
        _refresh(at.triple, corners, normals, shape.corners, t.primitive, t.weight, t.centre, self.table.triple)
        rows = slice(at.primitive, at.primitive + len(corners))
        self.table.corner[rows, :9] = corners
        self.table.corner[rows, 9:] = _primitive_corners(wall.vertex_velocity(middle, self.frames_per_second), topology)

    def _array(self, name: str, length: int, row: tuple[int, ...], dtype: type) -> np.ndarray:
        """Reused memory of at least `length` rows."""
        kept = self._scratch.get(name)
        if kept is None or len(kept) < length:
            kept = np.empty((length + length // 4 + 16, *row), dtype=dtype)
            self._scratch[name] = kept
        return kept[:length]

    def near(self, position: np.ndarray, side_of: np.ndarray | None = None) -> NearWalls:
        """Planes within reach of every position, float32 (n, 3) [m].

        `side_of` float32 (n, 3): where the particles were one step earlier. Sheets that block from both sides then push
        back a particle that has just come through; without it a particle belongs to the side on which it is.
        """
        position = np.ascontiguousarray(position, dtype=np.float32)
        chunks = -(-len(position) // CHUNK)
        row = self._array("row", len(position), (), np.int32)
        start = np.zeros(chunks + 1, dtype=np.int64)
        count_near(self.table, position, row, start[1:])
        np.cumsum(start, out=start)
        rows = int(start[-1])
        before = np.zeros((1, 3), dtype=np.float32) if side_of is None else np.ascontiguousarray(side_of, dtype=np.float32)
        found = NearWalls(
            row, self._array("plane", rows, (3, 8), np.float32), self._array("count", rows, (), np.int32),
            self._array("shape", rows, (), np.int32), self._array("collider", rows, (3,), np.int32),
            self._array("particle", rows, (), np.int32),
        )  # fmt: skip
        reach, distinct = np.float32(self.reach), np.float32(DISTINCT)
        work = self._array("work", chunks, (WORK_ROWS, 16), np.float32)
        pick = self._array("pick", chunks, (PICKS,), np.int64)
        find_near(self.table, position, before, side_of is not None, start, reach, distinct, work, pick, *found)
        if self.is_painted("friction"):
            found.plane[:, :, 7] = self.setting_at("friction", found, position)
        return found

    def signed_distance(self, points: np.ndarray, limit: float) -> np.ndarray:
        """Distance to the nearest wall [m], float32 (n,), for points float32 (n, 3).

        Positive on the fluid's side, negative inside closed colliders, never negative at sheets; `limit` [m] is the
        largest value, given wherever the walls are farther.
        """
        if not (math.isfinite(limit) and limit > 0.0):
            raise InvalidScene(f"Walls: the distance limit is {limit} m; it must be a positive number.")
        table = self.table if limit <= self.reach else self._wide_table(limit)
        if self._crossings is None:
            triples = [wall.shape.triples for wall in self._walls]
            self._crossings = merged_crossings(triples, [place.primitive for place in self._places])
        return wall_distances(table, self._crossings, points, limit)

    def _wide_table(self, limit: float) -> WallTable:
        """The table with look-ups that reach as far as `limit`, built when first asked for."""
        lookups = [wall.lookup_within(limit) for wall in self._walls]
        collider, frame = self.table.collider.copy(), self.table.frame.copy()
        first_slot = first_list = 0
        for number, look in enumerate(lookups):
            collider[number, columns.FIRST_SLOT] = first_slot
            collider[number, columns.SLOT_MASK] = len(look.slots) - 1
            collider[number, columns.FIRST_LIST] = first_list
            first_slot += len(look.slots)
            first_list += len(look.lists)
        frame[:, columns.LOW : columns.LOW + 3] -= limit - self.reach
        frame[:, columns.HIGH : columns.HIGH + 3] += limit - self.reach
        if not lookups:
            return self.table
        key = tuple(id(look) for look in lookups)
        if self._wide is None or self._wide[0] != key:
            self._wide = (key, np.concatenate([look.slots for look in lookups]), np.concatenate([look.lists for look in lookups]))
        return self.table._replace(slots=self._wide[1], lists=self._wide[2], collider=collider, frame=frame)


def _primitive_corners(vertices: np.ndarray, topology: Topology) -> np.ndarray:
    """Corners of triangles and free edges, float64 (p, 9)."""
    first, second = vertices[topology.free_edge[:, 0]], vertices[topology.free_edge[:, 1]]
    return np.concatenate([triangle_corners(vertices, topology.triangles), np.concatenate([first, second, second], axis=1)])


def _primitive_normals(corners: np.ndarray, topology: Topology) -> np.ndarray:
    """Normals of triangles, then outward normals of free edges, float64 (p, 3)."""
    count = len(topology.triangles)
    normals = triangle_normals(corners[:count])
    return np.concatenate([normals, edge_normals(corners[count:, 0:6], normals, topology)])
