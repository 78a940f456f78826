"""Where free bodies touch walls and each other: their surface points against everybody else's planes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ..dem.wall_contact import DISTANCE, SLOT, WORK_COLUMNS, wall_contacts
from ..jit import inlined, kernel
from ..mesh import is_closed, oriented, volume, welded
from ..scene import Collider
from ..walls import Walls
from ..walls import wall_table as columns
from ..walls.planes import INTERSECTION
from ..walls.wall_table import ACTIVE
from .impulses import BOUNCE, CONTACT_COLUMNS, FRICTION, GAP, NORMAL, OTHER, POINT
from .surface_points import SurfacePoints, surface_points

_SQUARELY = 0.1
"""Cosine between a contact's normal and the way into the body, above which the contact can hold it."""
_LEVEL = 0.05
"""How far in front of a side a point may stand and still count as level with it, in the reach of the walls."""
_INWARD = 0.25
"""How far inside its surface a body is asked for its side of a sheet, in the reach of the walls or its smallest half width."""
_OUTWARD = np.stack([np.cos(0.1 + np.arange(8) * np.pi / 4.0), np.sin(0.1 + np.arange(8) * np.pi / 4.0)], axis=1)
"""Eight directions in which a contact can be the outermost, turned a little so that corners of a square are no ties."""


class Contacts(NamedTuple):
    """What touches or may touch within a step."""

    pair: np.ndarray
    """Numbers of the colliders, int64 (m, 2): whose normal points towards it comes first."""
    rows: np.ndarray
    """float64 (m, CONTACT_COLUMNS), see `impulses`."""


@inlined
def _facing(planes, slot, inward, i):
    """Whether a plane can hold a point whose body lies in the direction `inward`; any plane can if that is zero."""
    along = planes[slot, 0] * inward[i, 0] + planes[slot, 1] * inward[i, 1] + planes[slot, 2] * inward[i, 2]
    size = inward[i, 0] * inward[i, 0] + inward[i, 1] * inward[i, 1] + inward[i, 2] * inward[i, 2]
    return along > _SQUARELY or size == 0.0


@inlined
def _without_sides(planes, count, inward, i, tolerance):
    """Leave out planes of a convex edge that the point has no business with: it lies behind them or just level, and its body
    does not face them. Two boxes of one size on each other touch at such edges. Returns the number of planes left."""
    left = 0
    for slot in range(count):
        if planes[slot, DISTANCE] > tolerance or _facing(planes, slot, inward, i):
            for column in range(8):
                planes[left, column] = planes[slot, column]
            left += 1
    return left


@kernel
def _gather(points, owner, near, numbers, limit, tolerance, pair, rows):
    """One contact for every plane, edge or corner within `limit` [m] of a point; returns how many.

    points: `SurfacePoints` at the present pose; owner: collider to which they belong; near: answer of `Walls.near`; numbers (3,):
    room to work in.
    """
    work, planes = np.empty((3, WORK_COLUMNS)), np.empty((3, 8))
    found = 0
    for i in range(len(points.place)):
        r = near.row[i]
        if r < 0:
            continue
        count = near.count[r]
        for slot in range(count):
            for column in range(8):
                planes[slot, column] = near.plane[r, slot, column]
        shape = near.shape[r]
        for slot in range(count):
            numbers[slot] = near.collider[r, slot]
        if shape == INTERSECTION:
            first = numbers[0]
            count = _without_sides(planes, count, points.inward, i, tolerance)
            for slot in range(count):
                numbers[slot] = first
        for slot in range(wall_contacts(planes, count, shape, work) if count else 0):
            if work[slot, DISTANCE] > limit or not _facing(work, slot, points.inward, i):
                continue
            into = rows[found]
            for axis in range(3):
                into[POINT + axis], into[NORMAL + axis] = points.place[i, axis], work[slot, axis]
                into[OTHER + axis] = work[slot, 4 + axis]
            into[GAP] = work[slot, DISTANCE]
            pair[found, 0], pair[found, 1] = owner, numbers[np.int64(work[slot, SLOT])]
            found += 1
    return found


@contextmanager
def only(walls: Walls, chosen: np.ndarray) -> Iterator[None]:
    """Within this, only the active colliders among `chosen`, bool (k,), are walls."""
    active = walls.table.collider[:, ACTIVE].copy()
    walls.table.collider[:, ACTIVE] = np.where(chosen, active, 0)
    try:
        yield
    finally:
        walls.table.collider[:, ACTIVE] = active


class ContactFinder:
    """Surface points of all colliders, and the question to the walls."""

    def __init__(self, colliders: Sequence[Collider]) -> None:
        self.free = np.array([collider.params.free for collider in colliders], bool)
        self.bounce = np.array([collider.params.bounce if collider.params.free else 0.0 for collider in colliders])
        self.rest: list[np.ndarray] = []
        """Vertices in the first frame [m], float64 (n, 3) each."""
        self.points: list[SurfacePoints] = []
        self.depth: list[float] = []
        for collider in colliders:
            vertices = collider.mesh.at(0)
            if collider.motion is not None:
                vertices = vertices @ collider.motion[0][:3, :3].T + collider.motion[0][:3, 3]
            self.rest.append(vertices)
            self.points.append(_points_of(vertices, collider.mesh.triangles))
            self.depth.append(0.5 * float(np.ptp(vertices, axis=0).min()))

    def find(self, walls: Walls, limit: float, dt: float) -> Contacts:
        """All contacts with a gap below `limit` [m] at the beginning of a step of `dt` [s], at whose end prescribed walls are."""
        active = walls.table.collider[:, ACTIVE] != 0
        boxes = dict(zip(np.flatnonzero(active).tolist(), walls.boxes(limit), strict=True))
        parts = [Contacts(np.zeros((0, 2), np.int64), np.zeros((0, CONTACT_COLUMNS)))]
        for k in np.flatnonzero(self.free & active):
            with only(walls, np.arange(len(active)) != k):
                parts.append(self._free_against_all(walls, int(k), limit))
        with only(walls, self.free):
            for number in np.flatnonzero(~self.free & active):
                parts.append(self._standing_against_free(walls, int(number), boxes, limit))
        pair = np.concatenate([part.pair for part in parts])
        rows = np.concatenate([part.rows for part in parts])
        friction = walls.table.frame[:, columns.FRICTION]
        rows[:, FRICTION] = np.sqrt(friction[pair[:, 0]] * friction[pair[:, 1]])
        rows[:, BOUNCE] = self.bounce[pair].max(axis=1, initial=0.0)
        self._to_beginning(pair, rows, dt)
        return reduced(Contacts(pair, rows))

    def _to_beginning(self, pair: np.ndarray, rows: np.ndarray, dt: float) -> None:
        """Gaps to prescribed walls, which are posed at the end of the step, as they are at its beginning."""
        closing = dt * np.einsum("ij,ij->i", rows[:, NORMAL : NORMAL + 3], rows[:, OTHER : OTHER + 3])
        rows[:, GAP] += np.where(self.free[pair[:, 1]], 0.0, closing) - np.where(self.free[pair[:, 0]], 0.0, closing)

    def _free_against_all(self, walls: Walls, k: int, limit: float) -> Contacts:
        """Points of free collider k against the planes of all others."""
        points = self._posed(walls, k)
        inside = points.place + _INWARD * min(walls.reach, self.depth[k]) * points.inward
        return _ask(walls, points, k, inside, limit)

    def _posed(self, walls: Walls, number: int) -> SurfacePoints:
        rest = self.points[number]
        return SurfacePoints(walls.placed(number, rest.place), walls.turned(number, rest.inward))

    def _standing_against_free(self, walls: Walls, number: int, boxes: dict[int, tuple], limit: float) -> Contacts:
        """Points of a collider that is not free against the planes of those that are."""
        near = [box for other, box in boxes.items() if self.free[other]]
        points = SurfacePoints(np.zeros((0, 3)), np.zeros((0, 3)))
        low, high = boxes[number]
        if any((low < top).all() and (bottom < high).all() for bottom, top in near) and not walls.is_deforming(number):
            points = self._posed(walls, number)
            close = np.zeros(len(points.place), bool)
            for bottom, top in near:
                close |= np.all((points.place > bottom) & (points.place < top), axis=1)
            points = SurfacePoints(points.place[close], points.inward[close])
        found = _ask(walls, points, number, None, limit)
        found.rows[:, OTHER : OTHER + 3] = walls.velocity_at(number, found.rows[:, POINT : POINT + 3])
        return found


def reduced(contacts: Contacts) -> Contacts:
    """Of many contacts of two bodies with about the same normal only those that hold: the deepest and the outermost.

    A face on a face has dozens of points; impulses find their balance much sooner among a few.
    """
    key = np.concatenate([np.sort(contacts.pair, axis=1), np.rint(2.0 * np.abs(contacts.rows[:, NORMAL : NORMAL + 3]))], axis=1)
    _, group, count = np.unique(key, axis=0, return_inverse=True, return_counts=True)
    group = group.reshape(-1)
    keep = count[group] <= len(_OUTWARD) + 1
    for number in np.flatnonzero(count > len(_OUTWARD) + 1):
        members = np.flatnonzero(group == number)
        rows = contacts.rows[members]
        normal = rows[0, NORMAL : NORMAL + 3]
        side = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
        flat = rows[:, POINT : POINT + 3] @ np.stack([side, np.cross(normal, side)], axis=1)
        keep[members[np.argmin(rows[:, GAP])]] = True
        keep[members[np.argmax(flat @ _OUTWARD.T, axis=0)]] = True
    return Contacts(contacts.pair[keep], contacts.rows[keep])


def _points_of(vertices: np.ndarray, triangles: np.ndarray) -> SurfacePoints:
    """Surface points; those of an open mesh have no inside."""
    if not is_closed(welded(vertices, triangles)):
        points = surface_points(vertices, triangles)
        return points._replace(inward=np.zeros_like(points.inward))
    triangles = oriented(vertices, triangles)
    return surface_points(vertices, triangles[:, ::-1] if volume(vertices, triangles) < 0.0 else triangles)


def _ask(walls: Walls, points: SurfacePoints, owner: int, inside: np.ndarray | None, limit: float) -> Contacts:
    """Contacts of the points of collider `owner` with the walls that are active."""
    most = 3 * len(points.place)
    pair, rows = np.empty((most, 2), np.int64), np.zeros((most, CONTACT_COLUMNS))
    if most:
        near = walls.near(points.place.astype(np.float32), None if inside is None else inside.astype(np.float32))
        most = _gather(points, owner, near, np.zeros(3, np.int64), limit, _LEVEL * walls.reach, pair, rows)
    return Contacts(pair[:most], rows[:most])
