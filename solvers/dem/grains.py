"""The body kind Grains: every grain on its own."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InvalidScene
from ..limits import Leaves
from ..materials.grains_params import PACKING, GrainsParams, grain_spacing
from ..meet.matter import Matter
from ..scene import Body, Collider, Emitter, Mesh, Scene, WorldParams
from ..walls import Walls
from ..watch import Watch
from ..world import Member
from .engine import REACH, ContactForces, Engine, Setting, make_stiffness
from .law import chosen_stiffness
from .neighbours import cell_numbers, make_cells
from .pack import grain_radii, pack
from .state import GrainState

_SLOWEST = 5.0
"""Impact speed that stiffness is made for at least, in radii of the largest grain per second."""
_WET_OVERLAP = 350.0
"""Stiffness over cohesion: a bridge alone presses two grains together by 2 % of their radius."""
_TOUCH = 0.02
"""How far a grain of a filled body may stand in a collider, in its radius."""


def setting_of(params: GrainsParams) -> Setting:
    """The contact law's view of the artist's settings."""
    friction = math.tan(math.radians(params.friction_angle))
    return Setting(params.density, params.restitution, friction, params.rolling, params.cohesion, params.wall_friction)


class GrainSolver:
    """All grains of a scene."""

    bytes_per_particle = 2000

    def __init__(self, members: Sequence[Member], world: WorldParams, fall_height: float) -> None:
        self.members = tuple(members)
        self.seed = world.seed
        self.gravity = np.array(world.gravity, np.float64)
        self._params: list[GrainsParams] = [member.params for member in members]
        self._settings = [setting_of(params) for params in self._params]
        self.largest = max(0.5 * params.size * (1.0 + params.size_spread) for params in self._params)
        self.smallest = min(0.5 * params.size * (1.0 - params.size_spread) for params in self._params)
        self.h = REACH * self.largest
        self.state = GrainState()
        self._wall_speed = 0.0
        self.rigid: Any = None
        """The free colliders (`solvers.rigid.RigidBodies`), if there are any; they move with the steps taken here."""
        self.engine = self._engine(fall_height, 0.0)

    def _engine(self, height: float, speed: float) -> Engine:
        gravity = float(np.linalg.norm(self.gravity))
        impact = max(math.sqrt(2.0 * gravity * height) + speed, _SLOWEST * self.largest)
        densest = max(entry.density for entry in self._settings)
        stiffness = chosen_stiffness(densest, impact, gravity, height)
        stiffness = max(stiffness, _WET_OVERLAP * max(entry.cohesion for entry in self._settings))
        engine = Engine(
            self.state, self._settings, make_stiffness(stiffness, self._settings, self.smallest), self.largest, self.smallest
        )
        engine.owner = self.members[0].name
        return engine

    def survey(self, scene: Scene) -> None:
        """Look at the whole scene once, before the first step: how fast can grains meet each other and the walls?"""
        down = self.gravity / max(float(np.linalg.norm(self.gravity)), 1.0e-30)
        heights, bottom = [], []
        for source in (*scene.bodies, *scene.emitters, *scene.colliders):
            moving = getattr(source, "motion", None) is not None or getattr(source.params, "free", False)
            along = _vertices(source.mesh, getattr(source, "motion", None)) @ -down
            bottom.append(float(along.min()))
            if moving or not isinstance(source, Collider):
                heights.append(float(along.max()))
        own = [source for source in (*scene.bodies, *scene.emitters) if source.kind == "grains"]
        speed = max((_launch_speed(source) for source in own), default=0.0)
        rate = scene.world.frames_per_second
        speed += max((float(np.linalg.norm(collider.params.velocity)) for collider in scene.colliders), default=0.0)
        speed += max((_motion_speed(collider.mesh, collider.motion, rate) for collider in scene.colliders), default=0.0)
        self.engine = self._engine(max(heights) - min(bottom), speed)

    def spacing_of(self, member: int) -> float:
        """Distance [m] at which grains of a member leave an emitter: the largest just do not touch."""
        params = self._params[member]
        return 1.02 * params.size * (1.0 + params.size_spread)

    # -- who is there -------------------------------------------------------------------------------------------------

    def fill(self, member: int, body: Body, walls: Walls, watch: Watch) -> dict[str, np.ndarray]:
        """Places and radii of the grains that fill a body, clear of colliders and of grains that are there already."""
        params = self._params[member]
        position, radius = pack(body.mesh, params, self.state.next_id, self.seed, body.name, watch)
        distance = walls.signed_distance(position.astype(np.float32), self.h)
        clear = distance > (1.0 - _TOUCH) * radius
        if not clear.any():
            raise InvalidScene(
                f"{body.name}: it lies wholly inside a collider. Move it out, or flip the collider's normals so that they face "
                "the grains (a tank's normals point inwards)."
            )
        position, radius = position[clear], radius[clear]
        free = ~self._occupied(position, radius)
        if not free.any():
            raise InvalidScene(f"{body.name}: other grains fill its whole space already. Move the bodies apart.")
        return {"position": position[free], "radius": radius[free]}

    def _occupied(self, position: np.ndarray, radius: np.ndarray) -> np.ndarray:
        """Which of new grains overlap grains that are there."""
        state = self.state
        if state.count == 0 or len(position) == 0:
            return np.zeros(len(position), bool)
        both = np.concatenate([position, state.live("position").T])
        sizes = np.concatenate([radius, state.live("radius")]).astype(np.float64)
        cells = make_cells(both.T, 2.0 * self.largest, self.members[0].name)
        number = np.empty(len(both), np.int64)
        cell_numbers(np.ascontiguousarray(both.T), cells.low, 1.0 / cells.edge, cells.stride, number)
        new, old = number[: len(position)], number[len(position) :]
        order = np.argsort(old, kind="stable")
        result = np.zeros(len(position), bool)
        for shift in (np.array([i, j, k]) @ cells.stride for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)):
            low, high = (np.searchsorted(old[order], new + shift, side=side) for side in ("left", "right"))
            for step in range(int((high - low).max(initial=0))):
                here = np.flatnonzero(low + step < high)
                there = len(position) + order[low[here] + step]
                apart = np.linalg.norm(both[here] - both[there], axis=1)
                result[here] |= apart < (1.0 - 1.0e-4) * (sizes[here] + sizes[there])
        return result

    def add(self, member: int, position: np.ndarray, velocity: np.ndarray, radius: np.ndarray | None = None) -> None:
        """New grains of one member: position and velocity (n, 3); without radii they get the sizes of their numbers."""
        count = len(position)
        if count == 0:
            return
        self.engine.unlist()
        sizes = grain_radii(self._params[member], self.state.next_id, count, self.seed) if radius is None else radius
        if radius is None:
            room = ~self._occupied(position, sizes)
            position, velocity, sizes, count = position[room], velocity[room], sizes[room], int(room.sum())
        one = np.ones(count, np.float32)
        self.state.append(
            {
                "position": position.T, "velocity": velocity.T, "radius": sizes, "weight": one,
                "orientation": np.stack([one, 0.0 * one, 0.0 * one, 0.0 * one]), "body": np.full(count, member, np.int32),
                "wall_row": np.full(count, -1, np.int32),
            }
        )  # fmt: skip

    def remove(self, gone: np.ndarray) -> None:
        """Take grains away, bool (n,) in the order of the state; the others keep their contacts."""
        self.state.keep(~gone)

    def drop(self, leaves: Leaves) -> int:
        """Forget the grains that leave; returns how many."""
        outside = leaves(self.state.live("position"))
        gone = int(np.count_nonzero(outside))
        if gone:
            self.engine.unlist()
            self.remove(outside)
        return gone

    def end_frame(self) -> None:
        """The list of contacts begins anew, so that a resumed bake makes the same."""
        self.engine.unlist()

    # -- motion -------------------------------------------------------------------------------------------------------

    def stable_dt(self, wall_speed: float) -> float:
        """Largest step [s] between two looks at the walls; contacts take smaller ones of their own within it."""
        self._wall_speed = wall_speed
        return self.engine.stable_dt(wall_speed, float(np.linalg.norm(self.gravity)))

    def step(self, walls: Walls, dt: float, watch: Watch, ahead: float = 0.0) -> None:
        """One step of length dt [s] against walls posed at its end, or `ahead` [s] of its end."""
        if self.rigid is None:
            self.engine.advance(walls, dt, self.gravity, self._wall_speed, watch, ahead)
            return
        self.rigid.place(walls)
        if self.state.count == 0:
            self.rigid.meet(walls, dt, self.gravity, 1)
            self.rigid.fall(dt, self.gravity)
        else:
            self.rigid.meet(walls, dt, self.gravity, self.engine.steps_in(dt))
            self.engine.bodies = self.rigid.table()
            self.engine.advance(walls, dt, self.gravity, self._wall_speed, watch, ahead)
            self.rigid.absorb()

    def matter(self) -> list[Matter]:
        """What other kinds meet: a grain takes its share of air with it."""
        state = self.state
        weight, radius = state.live("weight").astype(np.float64), state.live("radius").astype(np.float64)
        volume = weight * (4.0 / 3.0 * math.pi / PACKING) * radius**3
        spacing = max(grain_spacing(params, 0.0) for params in self._params)
        return [Matter(state.live("position"), state.live("velocity"), self.engine.mass() * weight, volume, spacing)]

    def contacts(self) -> ContactForces:
        """Contact forces and branch vectors between grains, in the order of the state."""
        return self.engine.contacts()

    # -- what is shown ------------------------------------------------------------------------------------------------

    def points(self, members: Sequence[int]) -> dict[str, np.ndarray]:
        """What the point cache shows of the given members, in order of id."""
        state = self.state
        chosen = np.flatnonzero(np.isin(state.live("body"), members))
        chosen = chosen[np.argsort(state.live("id")[chosen])]

        def rows(name: str) -> np.ndarray:
            return np.ascontiguousarray(state.live(name)[:, chosen].T, dtype=np.float32)

        return {
            "position": rows("position"),
            "velocity": rows("velocity"),
            "id": state.live("id")[chosen],
            "radius": state.live("radius")[chosen],
            "rotation": rows("orientation"),
            "spin": rows("spin"),
            "age": state.live("age")[chosen],
            "body": state.live("body")[chosen],
        }

    def totals(self) -> dict[str, object]:
        """Mass [kg], momentum [kg m/s], energies [J]; rotation included."""
        state = self.state
        mass = self.engine.mass() * state.live("weight")
        velocity, spin, position = (state.live(name) for name in ("velocity", "spin", "position"))
        inertia = 0.4 * mass * state.live("radius").astype(np.float64) ** 2
        kinetic = 0.5 * (mass * (velocity**2).sum(axis=0)).sum() + 0.5 * (inertia * (spin**2).sum(axis=0)).sum()
        return {
            "particles": state.count,
            "mass": float(mass.sum()),
            "momentum": [float(part) for part in (velocity * mass).sum(axis=1)],
            "kinetic_energy": float(kinetic),
            "potential_energy": float(-(mass * (self.gravity[:, None] * position).sum(axis=0)).sum()),
        }


def _vertices(mesh: Mesh, motion: np.ndarray | None) -> np.ndarray:
    """World places that a mesh's bounding box takes over all frames, float64 (n, 3)."""
    vertices = mesh.vertices.reshape(-1, 3)
    box = np.array(np.meshgrid(*np.stack([vertices.min(0), vertices.max(0)], 1), indexing="ij")).reshape(3, -1).T
    if motion is None:
        return box
    return np.concatenate([box @ matrix[:3, :3].T + matrix[:3, 3] for matrix in motion])


def _launch_speed(source: Body | Emitter) -> float:
    """Largest speed [m/s] at which grains begin."""
    if isinstance(source, Emitter):
        speeds = np.max(source.animated.get("speed", source.params.speed))
        rate = float(np.max(source.animated.get("rate", source.params.rate)))
        extent = source.mesh.at(0).max(axis=0) - source.mesh.at(0).min(axis=0)
        if source.params.source in ("volume", "fill"):
            return float(speeds)
        return max(float(speeds), rate / float(np.sort(extent)[1:].prod()))
    extent = source.mesh.at(0).max(axis=0) - source.mesh.at(0).min(axis=0)
    return float(np.linalg.norm(source.velocity) + 0.5 * np.linalg.norm(source.spin) * np.linalg.norm(extent))


def _motion_speed(mesh: Mesh, motion: np.ndarray | None, frames_per_second: float) -> float:
    """Largest speed [m/s] of a collider's points between frames; that of its bounding box if it does not deform."""
    fastest = 0.0
    if mesh.deforming and len(mesh.vertices) > 1:
        fastest = float(np.linalg.norm(np.diff(mesh.vertices, axis=0), axis=2).max()) * frames_per_second
    if motion is not None and len(motion) > 1:
        places = _vertices(mesh, motion).reshape(len(motion), -1, 3)
        fastest += float(np.linalg.norm(np.diff(places, axis=0), axis=2).max()) * frames_per_second
    return fastest
