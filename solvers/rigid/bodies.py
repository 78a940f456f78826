"""Free rigid bodies: colliders that grains and other colliders push, with mass and inertia from their mesh.

A body is carried by its centre of mass, its orientation, its velocity and its angular momentum. Within a step of the world the
solver that pushes it moves it in many small steps (rows of `table`); afterwards orientation and spin are brought up to date from
the angular momentum, which is what forces really change: it is conserved whatever the body's shape.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..dem.wall_contact import (
    BODY_COLUMNS,
    FREE,
    INVERSE_INERTIA,
    INVERSE_MASS,
    MOVED,
    PIVOT,
    SPEED,
    SPIN,
    TURNED,
)
from ..depth import Depth
from ..errors import InvalidScene
from ..mesh import is_closed, oriented, volume, welded
from ..scene import Collider, ColliderParams
from ..walls import Walls
from ..walls.motion import quaternion, rotation_matrix
from . import impulses
from .contacts import ContactFinder
from .overlap import refuse_deep_overlap

_RECOVER, _RECOVER_SPEED = 0.2, 1.0
"""Part of an overlap that is undone in a step, and how fast at most, in the body's arm per second."""
_ROW = 13
"""Numbers of a body's state: centre (3), quaternion (4), velocity (3), angular momentum (3)."""


def mass_properties(vertices: np.ndarray, triangles: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume [m³], centre of mass [m] (3,) and inertia tensor over density [m⁵] (3, 3) about it, of a closed mesh.

    Sums over tetrahedra from the origin: ∫ x xᵀ dV of one with corners a, b, c is det/120 (Σ x xᵀ + s sᵀ), s = a + b + c.
    """
    middle = vertices.mean(axis=0)
    corner = (vertices - middle)[triangles]
    six = np.einsum("ij,ij->i", corner[:, 0], np.cross(corner[:, 1], corner[:, 2]))
    enclosed = float(six.sum()) / 6.0
    total = corner.sum(axis=1)
    centre = (six[:, None] * total).sum(axis=0) / (24.0 * enclosed)
    second = np.einsum("i,ikp,ikq->pq", six, corner, corner) + np.einsum("i,ip,iq->pq", six, total, total)
    second = second / 120.0 - enclosed * np.outer(centre, centre)
    return enclosed, centre + middle, np.trace(second) * np.eye(3) - second


@dataclass(frozen=True)
class _Shape:
    """What never changes of a body."""

    number: int
    """Which collider it is."""
    mass: float
    volume: float
    """[m³]."""
    inertia: np.ndarray
    """About the centre of mass in the rest pose [kg m²], (3, 3)."""
    inverse: np.ndarray
    """Of the inertia [1/(kg m²)], (3, 3)."""
    centre: np.ndarray
    """Centre of mass in the rest pose [m]."""
    arm: float
    """Farthest point from the centre [m]."""
    driven: bool


class RigidBodies:
    """The free colliders of a scene."""

    def __init__(self, colliders: Sequence[Collider]) -> None:
        self.names = [collider.name for collider in colliders]
        self._colliders = tuple(colliders)
        self.shapes = [_shape(number, collider) for number, collider in enumerate(colliders) if collider.params.free]
        self.state = np.zeros((len(self.shapes), _ROW))
        self._table = np.zeros((len(colliders) if self.shapes else 0, BODY_COLUMNS))
        self._spin = np.zeros((len(self.shapes), 3))
        self.depth: Depth | None = None
        """Set by the world where it is known."""
        self._finder = ContactFinder(colliders if self.shapes else ())
        self._body_of = np.full(len(colliders), -1)
        self._body_of[[shape.number for shape in self.shapes]] = np.arange(len(self.shapes))
        for row, shape in zip(self.state, self.shapes, strict=True):
            params: ColliderParams = colliders[shape.number].params
            row[0:3], row[3], row[7:10] = shape.centre, 1.0, params.velocity
            row[10:13] = shape.inertia @ np.asarray(params.spin)

    def __len__(self) -> int:
        return len(self.shapes)

    def _turned(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Rotation (3, 3) and inverse inertia in world axes (3, 3)."""
        rotation = rotation_matrix(self.state[k, 3:7])
        return rotation, rotation @ self.shapes[k].inverse @ rotation.T

    def spin(self, k: int) -> np.ndarray:
        """Angular velocity of body k [1/s]."""
        return self._turned(k)[1] @ self.state[k, 10:13]

    def fastest(self) -> float:
        """Largest speed [m/s] of any point of a body that may still hit something: what falls for ever shortens no step."""
        speeds = [
            np.linalg.norm(self.state[k, 7:10]) + shape.arm * np.linalg.norm(self.spin(k))
            for k, shape in enumerate(self.shapes)
            if not self._fallen(k)
        ]
        return float(max(speeds, default=0.0))

    def _fallen(self, k: int) -> bool:
        """Whether body k is below everything and goes on falling."""
        if self.depth is None:
            return False
        return bool(self.depth.passed(self.state[k, 0:3], self.state[k, 7:10], self.shapes[k].arm))

    def place(self, walls: Walls) -> None:
        """Put the walls of all bodies where the bodies are."""
        for k, shape in enumerate(self.shapes):
            self.place_one(k, walls, shape.number)

    def place_one(self, k: int, walls: Walls, number: int) -> None:
        """Put wall `number` of `walls` where body k is."""
        walls.place(number, self._turned(k)[0], self.shapes[k].centre, self.state[k, 0:3], self.state[k, 7:10], self.spin(k))

    def inverse_inertia(self, k: int) -> np.ndarray:
        """Of body k in world axes, about its centre [1/(kg m²)], (3, 3)."""
        return self._turned(k)[1]

    def table(self) -> np.ndarray:
        """Rows for the kernels (see `solvers.dem.wall_contact.BODY_COLUMNS`), one per collider; they move on in them."""
        for k, shape in enumerate(self.shapes):
            row, inverse = self._table[shape.number], self._turned(k)[1]
            row[:] = 0.0
            row[FREE], row[INVERSE_MASS] = 1.0, 1.0 / shape.mass
            row[PIVOT : PIVOT + 3], row[SPEED : SPEED + 3] = self.state[k, 0:3], self.state[k, 7:10]
            row[SPIN : SPIN + 3] = self._spin[k] = self.spin(k)
            if not shape.driven:
                row[INVERSE_INERTIA : INVERSE_INERTIA + 9] = inverse.ravel()
        return self._table

    def absorb(self) -> None:
        """Take over where the rows of `table` have moved to."""
        for k, shape in enumerate(self.shapes):
            row, state = self._table[shape.number], self.state[k]
            rotation = self._turned(k)[0]
            gained = row[SPIN : SPIN + 3] - self._spin[k]
            state[10:13] += rotation @ shape.inertia @ rotation.T @ gained
            state[0:3] += row[MOVED : MOVED + 3]
            state[7:10] = row[SPEED : SPEED + 3]
            self._turn(k, row[TURNED : TURNED + 3])
            if shape.driven:
                turned = rotation_matrix(state[3:7])
                state[10:13] = turned @ shape.inertia @ turned.T @ self._spin[k]

    def check(self, walls: Walls) -> None:
        """Raise `InvalidScene` if a body begins where no wall can push it out."""
        refuse_deep_overlap(self._colliders, self._finder, walls)

    def meet(self, walls: Walls, dt: float, gravity: np.ndarray, steps: int) -> None:
        """Keep bodies apart from walls and each other during the next step of `dt` [s], taken in so many small ones.

        Called before `table`, with walls posed at the end of the step and the bodies placed where they are.
        """
        weight = float(np.linalg.norm(gravity))
        limit = min(2.0 * dt * (self.fastest() + dt * weight) + 1.0e-4 * walls.reach, walls.reach)
        found = self._finder.find(walls, limit, dt)
        if len(found.pair) == 0:
            return
        pairs = self._body_of[found.pair]
        rows, room = self._impulse_rows(), np.empty((len(pairs), 4))
        before = rows.copy()
        # Small steps v += h g, x += h v carry a body by the mean velocity v + ½ (1 + 1/steps) dt g.
        mean = 0.5 * (1.0 + 1.0 / steps) * dt * gravity
        impulses.hold_apart(rows, pairs, found.rows, mean, dt, 4.0 * dt * weight + 1.0e-6, room)
        self._change_velocities(rows, before)
        if found.rows[:, impulses.GAP].min() < 0.0:
            rows[:, impulses.SPEED : impulses.SPIN + 3] = 0.0
            most = _RECOVER_SPEED * dt * min(shape.arm for shape in self.shapes)
            impulses.push_apart(rows, pairs, found.rows, _RECOVER, most, room[:, 0])
            for k, row in enumerate(rows):
                self.state[k, 0:3] += row[impulses.SPEED : impulses.SPEED + 3]
                self._turn(k, row[impulses.SPIN : impulses.SPIN + 3])
            self.place(walls)

    def _impulse_rows(self) -> np.ndarray:
        """The bodies as `impulses` takes them."""
        rows = np.zeros((len(self.shapes), impulses.BODY_COLUMNS))
        for k, (row, shape) in enumerate(zip(rows, self.shapes, strict=True)):
            row[impulses.PLACE : impulses.PLACE + 3] = self.state[k, 0:3]
            row[impulses.SPEED : impulses.SPEED + 3] = self.state[k, 7:10]
            row[impulses.SPIN : impulses.SPIN + 3] = self.spin(k)
            row[impulses.INVERSE_MASS] = 1.0 / shape.mass
            if not shape.driven:
                row[impulses.INVERSE_INERTIA :] = self._turned(k)[1].ravel()
        return rows

    def _change_velocities(self, rows: np.ndarray, before: np.ndarray) -> None:
        for k, (row, old, shape) in enumerate(zip(rows, before, self.shapes, strict=True)):
            self.state[k, 7:10] = row[impulses.SPEED : impulses.SPEED + 3]
            if not shape.driven:
                gained = (row - old)[impulses.SPIN : impulses.SPIN + 3]
                rotation = self._turned(k)[0]
                self.state[k, 10:13] += rotation @ shape.inertia @ rotation.T @ gained

    def _turn(self, k: int, turn: np.ndarray) -> None:
        """Rotate body k by the vector `turn` [rad]."""
        angle = float(np.linalg.norm(turn))
        if angle > 0.0:
            half = np.concatenate([[np.cos(0.5 * angle)], np.sin(0.5 * angle) / angle * turn])
            self.state[k, 3:7] = quaternion(rotation_matrix(half) @ rotation_matrix(self.state[k, 3:7]))

    def push(self, k: int, impulse: np.ndarray, moment: np.ndarray) -> None:
        """Change the motion of body k by an impulse [kg m/s] and a moment of impulse about its centre [kg m²/s]."""
        self.state[k, 7:10] += impulse / self.shapes[k].mass
        if not self.shapes[k].driven:
            self.state[k, 10:13] += moment

    def fall(self, dt: float, gravity: np.ndarray) -> None:
        """A step with no grains that push."""
        table = self.table()
        for shape in self.shapes:
            row = table[shape.number]
            row[SPEED : SPEED + 3] += dt * gravity
            row[MOVED : MOVED + 3] = dt * row[SPEED : SPEED + 3]
            row[TURNED : TURNED + 3] = dt * row[SPIN : SPIN + 3]
        self.absorb()

    def rest_mesh(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Vertices [m] and triangles of body k in the first frame."""
        collider = self._colliders[self.shapes[k].number]
        return _first_pose(collider), collider.mesh.triangles

    def placed(self, k: int, points: np.ndarray) -> np.ndarray:
        """Points (n, 3) of the rest pose where body k has carried them."""
        return (points - self.shapes[k].centre) @ self._turned(k)[0].T + self.state[k, 0:3]

    def turned(self, k: int, vectors: np.ndarray) -> np.ndarray:
        """Directions (n, 3) of the rest pose as body k has turned them."""
        return vectors @ self._turned(k)[0].T

    def matrices(self) -> dict[str, np.ndarray]:
        """For every body: what carries its mesh at the first frame to where it is now, (4, 4)."""
        result = {}
        for k, shape in enumerate(self.shapes):
            matrix = np.eye(4)
            matrix[:3, :3] = self._turned(k)[0]
            matrix[:3, 3] = self.state[k, 0:3] - matrix[:3, :3] @ shape.centre
            result[self.names[shape.number]] = matrix
        return result

    def poses(self) -> dict[str, list[float]]:
        """For every body: translation [m] (3) and quaternion (4) that carry its mesh at the first frame to where it is now."""
        result = {}
        for k, shape in enumerate(self.shapes):
            moved = self.state[k, 0:3] - self._turned(k)[0] @ shape.centre
            result[self.names[shape.number]] = [float(part) for part in (*moved, *self.state[k, 3:7])]
        return result


def _first_pose(collider: Collider) -> np.ndarray:
    """Vertices in the first frame [m], (n, 3)."""
    vertices = collider.mesh.at(0)
    if collider.motion is None:
        return vertices
    return vertices @ collider.motion[0][:3, :3].T + collider.motion[0][:3, 3]


def _shape(number: int, collider: Collider) -> _Shape:
    params, name = collider.params, collider.name
    if collider.mesh.deforming or (collider.motion is not None and bool(np.any(collider.motion != collider.motion[0]))):
        raise InvalidScene(f"Collider {name}: it is Free and animated at once; remove its animation or turn Free off.")
    vertices = _first_pose(collider)
    triangles = oriented(vertices, collider.mesh.triangles)
    if not is_closed(welded(vertices, triangles)):
        raise InvalidScene(f"Collider {name}: it is Free, but its mesh is open and has no mass; close it or turn Free off.")
    if volume(vertices, triangles) < 0.0:
        triangles = triangles[:, ::-1]
    enclosed, centre, inertia = mass_properties(vertices, triangles)
    density = params.mass / enclosed if params.mass > 0.0 else params.density
    arm = float(np.linalg.norm(vertices - centre, axis=1).max())
    inverse = np.linalg.inv(density * inertia)
    return _Shape(number, density * enclosed, enclosed, density * inertia, inverse, centre, arm, params.driven)
