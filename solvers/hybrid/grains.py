"""The body kind Grains by its three methods: all grains, hybrid, continuum only."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..dem.engine import WAY, ContactForces
from ..dem.grains import GrainSolver as DiscreteSolver
from ..errors import InvalidScene
from ..limits import Leaves
from ..materials.grains_params import GrainsParams, grain_volume
from ..meet.matter import Matter
from ..mesh.fill import fill
from ..mpm.foam import mechanical_totals, points_matter
from ..scene import Body, Scene, WorldParams
from ..walls import Walls
from ..watch import Watch
from ..world import Member
from . import sleep
from .continuum import ZONE_CONTINUUM, ZONE_DISCRETE, ZONE_HYBRID, Continuum
from .convert import Converter, Map
from .cores import without_small_cores
from .couple import Coupling
from .grains_state import HybridState, ZonedGrainState
from .hosts import members_of, refuse_mixture, turning
from .oracle import box_around, cell_depths, close_packed, deposit, depths, keep_single
from .relax import make_template, relax
from .shown import carried_grains
from .surroundings import Surroundings, whole_cells

_ASLEEP = 0.05
"""Step [s] of what is at rest."""
LOOK_STEPS = 160
"""Steps after which the oracle looks again at the latest."""
LOOSE = 1.1
"""Volume ratio of points beyond which they do not count as dense."""
LOOK_WAY = 0.25
"""Way of the fastest hybrid grain, point or wall after which it looks again, in cells."""


def grain_solver(members: Sequence[Member], world: WorldParams, fall_height: float) -> Any:
    """The solver of a scene's grains by their methods."""
    settings = [member.params for member in members]
    refuse_mixture([member.name for member in members], settings)
    modes = {entry.mode for entry in settings}
    if modes == {"all"}:
        return DiscreteSolver(members, world, fall_height)
    return (ContinuumSolver if modes == {"continuum"} else HybridSolver)(members, world, fall_height)


grain_solver.bytes_per_particle = DiscreteSolver.bytes_per_particle  # type: ignore[attr-defined]  # all are single at first


class HybridSolver:
    """Grains at surfaces, openings and moving colliders; material points inside."""

    bytes_per_particle = 700

    def __init__(self, members: Sequence[Member], world: WorldParams, fall_height: float) -> None:
        self.members = tuple(members)
        self.seed = world.seed
        self.gravity = np.array(world.gravity, np.float64)
        self._params: list[GrainsParams] = [member.params for member in members]
        alone = [member._replace(params=replace(member.params, mode="all")) for member in members]
        self.dem = DiscreteSolver(alone, world, fall_height)
        self.dem.state = ZonedGrainState()
        self.dem.engine = self.dem._engine(fall_height, 0.0)
        self.surroundings = Surroundings()
        self.layered = all(entry.layered for entry in self._params)
        self._wall_speed = 0.0
        self._walls: Walls | None = None
        """As they were posed for the last step."""
        self._may_sleep = True
        self._begun: sleep.Places | None = None
        """Where everything was when the frame began."""
        self._time = 0.0
        """How long it has been computed [s]."""
        self._host(turning(self._params, [0.0] * len(members)) if self._params[0].mode != "continuum" else [True] * len(members))

    def _host(self, turns: Sequence[bool]) -> None:
        """Make the continuum for those members that may turn into it; all others stay single."""
        self.turns = np.array(turns, bool)
        """Which members may turn into a continuum, bool (members,)."""
        self.host = self._params[int(np.flatnonzero(self.turns)[0])]
        self.continuum = Continuum(self._params, self.members[0].name, self.host)
        self.continuum.stiffen(self.dem.engine.stiffness.value)
        self.h = max(self.dem.h, self.continuum.cell)
        self.state: Any = HybridState(self.dem.state, self.continuum.state)
        self.template = make_template(self.host, self.continuum.cell, self.seed)

    def survey(self, scene: Scene) -> None:
        """Look at the whole scene once: stiffness by speeds and heights, and which colliders stand."""
        self.dem.survey(scene)
        if self.host.mode == "hybrid":
            turns = turning(self._params, members_of(scene)[2])
            if turns != self.turns.tolist():
                self._host(turns)
        self.continuum.stiffen(self.dem.engine.stiffness.value)
        self.surroundings.survey(scene)
        self._may_sleep = sleep.may_sleep(scene)
        self.continuum.node_walls.moving_boxes = self.surroundings.moving_boxes

    def spacing_of(self, member: int) -> float:
        """Distance [m] at which grains of a member leave an emitter."""
        return self.dem.spacing_of(member)

    def fill(self, member: int, body: Body, walls: Walls, watch: Watch) -> dict[str, np.ndarray]:
        """Places and radii of the grains that fill a body; the oracle turns the inside into a continuum in the first step."""
        return self.dem.fill(member, body, walls, watch)

    def add(self, member: int, position: np.ndarray, velocity: np.ndarray, radius: np.ndarray | None = None) -> None:
        """New grains of one member: position and velocity (n, 3)."""
        self.state.clock[3] = 0.0
        self.dem.add(member, position, velocity, radius)

    def contacts(self) -> ContactForces:
        """Contact forces and branch vectors between grains, in the order of their state."""
        return self.dem.contacts()

    @property
    def rigid(self) -> Any:
        """The free colliders. Around them there are always grains: those push."""
        return self.dem.rigid

    @rigid.setter
    def rigid(self, bodies: Any) -> None:
        self.dem.rigid = bodies

    def drop(self, leaves: Leaves) -> int:
        """Forget the grains and points that leave; returns how many."""
        gone = self.dem.drop(leaves) + self.continuum.drop(leaves)
        if gone:
            self.state.clock[3] = 0.0
        return gone

    def end_frame(self) -> None:
        """Both begin anew, so that a resumed bake makes the same. What has been calm for some frames falls asleep."""
        if self._begun is not None:
            now, clock = sleep.places(self.dem.state, self.continuum.state), self.state.clock
            still = sleep.calm(self._begun, now, self.host.size, self._time)
            clock[3] = clock[3] + 1.0 if still else 0.0
            if clock[3] >= sleep.FRAMES:
                sleep.stop(self.dem.state, self.continuum.state)
            self._begun = None
        self.dem.end_frame()
        self.continuum.end_frame()

    # -- motion -------------------------------------------------------------------------------------------------------

    def _sleeps(self) -> bool:
        """Whether everything is at rest and nothing disturbs it; forgets it where something does."""
        clock = self.state.clock
        if clock[3] < sleep.FRAMES:
            return False
        if self._wall_speed > 0.0 or sleep.moving(self.dem.state, self.continuum.state):
            clock[3] = 0.0
        return bool(clock[3] > 0.0)

    def stable_dt(self, wall_speed: float) -> float:
        """Largest step [s] of the continuum; grains take smaller ones of their own within it. Without points, that of grains.

        Walls stand where they will be at the end of the step: they may not move farther than grains allow.
        """
        self._wall_speed = wall_speed
        if self._sleeps():
            return _ASLEEP
        grains = self.dem.stable_dt(wall_speed)
        if self.continuum.state.count == 0:
            return grains
        dt = self.continuum.stable_dt(wall_speed, float(np.linalg.norm(self.gravity)))
        if wall_speed > 0.0 and self.dem.state.count:
            dt = min(dt, max(grains, WAY * self.dem.smallest / wall_speed))
        return dt

    def step(self, walls: Walls, dt: float, watch: Watch) -> None:
        """One step of length dt [s] against walls posed at its end."""
        self._walls = walls
        if self.state.count == 0:
            return
        if self._sleeps():
            for state in (self.dem.state, self.continuum.state):
                state.live("age")[...] += np.float32(dt)
            return
        if self._begun is None and self._may_sleep:
            self._begun, self._time = sleep.places(self.dem.state, self.continuum.state), 0.0
        self._time += dt
        if self._due(dt):
            self.look(walls)
            watch.poll()
        grains, points = self.dem.state, self.continuum.state
        if grains.count:
            steps = max(1, math.ceil(dt / self.dem.stable_dt(self._wall_speed) - 1.0e-9))
            for index in range(steps):
                if index and self.rigid is not None:
                    self.rigid.place(walls)
                self.dem.step(walls, dt / steps, watch, (steps - 1 - index) * dt / steps)
        if points.count:
            self.continuum.to_nodes(walls, dt, self._wall_speed)
            self._meet_nodes(walls, dt)
            self.continuum.from_nodes(dt)

    def _due(self, dt: float) -> bool:
        """Whether the oracle looks before this step; counts steps and the way of what could change its answer."""
        grains, clock = self.dem.state, self.state.clock
        speed = max(self.continuum.fastest(), self._wall_speed)
        hybrid = grains.live("zone") == ZONE_HYBRID
        watched = hybrid | self._strange_within()
        speed = max(speed, float(np.sqrt((grains.live("velocity")[:, watched] ** 2).sum(axis=0).max(initial=0.0))))
        clock[0] += dt * speed
        clock[1] += 1.0
        first = clock[2] == 0.0
        if first or clock[0] > LOOK_WAY * self.continuum.cell or clock[1] >= LOOK_STEPS:
            clock[:2] = 0.0
            return True
        return False

    def _strange_within(self) -> np.ndarray:
        """Grains that never become a continuum and are within two cells of the box around the points, bool (n,)."""
        grains, points = self.dem.state, self.continuum.state.live("position")
        strange = ~self.turns[grains.live("body")]
        if not strange.any() or not points.size:
            return strange
        low, high = (ends[:, None].astype(np.float64) for ends in (points.min(axis=1), points.max(axis=1)))
        margin, place = 2.0 * self.continuum.cell, grains.live("position")
        return strange & ((place > low - margin) & (place < high + margin)).all(axis=0)

    def _meet_nodes(self, walls: Walls, dt: float) -> None:
        """Equation (8) at the nodes, and what gravity and walls do there."""
        grains = self.dem.state
        hybrid = np.flatnonzero(grains.live("zone") == ZONE_HYBRID)
        if len(hybrid) == 0:
            self.continuum.at_nodes(walls, self.gravity, dt)
            return
        position, velocity, affine, impulse = (
            grains.live(name)[:, hybrid] for name in ("position", "velocity", "affine", "impulse")
        )
        mass = self.masses()[hybrid]
        coupling = Coupling(position, self.continuum)
        pushed = velocity + impulse / mass
        coupling.give(mass, pushed, affine)
        self.continuum.at_nodes(walls, self.gravity, dt)
        before = velocity.copy()
        velocity = pushed + dt * self.gravity[:, None]  # of a grain beyond all nodes
        coupling.take(velocity, affine)
        grains.live("velocity")[:, hybrid], grains.live("affine")[:, hybrid] = velocity, affine
        # A grain turns as its surroundings do: half the curl.
        grains.live("spin")[:, hybrid] = 0.5 * np.stack([affine[5] - affine[7], affine[6] - affine[2], affine[1] - affine[3]])
        grains.live("impulse")[:] = 0.0
        # They have moved at the speed of the beginning; half of its change, on the mean over the step, they have not moved.
        grains.live("position")[:, hybrid] = position + 0.5 * dt * (velocity - before)

    def masses(self) -> np.ndarray:
        """Masses of the grains, weights included [kg], float64 (n,)."""
        return self.dem.engine.mass() * self.dem.state.live("weight").astype(np.float64)

    def matter(self) -> list[Matter]:
        """What other kinds meet: grains and material points, each with its weight."""
        return [*self.dem.matter(), points_matter(self.continuum.state, self.continuum.spacing)]

    # -- zones --------------------------------------------------------------------------------------------------------

    def look(self, walls: Walls) -> None:
        """Ask the oracle and convert; the first time twice, for nothing turns from grains to continuum at once."""
        converter = Converter(self.dem.engine, self.continuum, self._params, self.template, self.turns)
        for _ in range(2 if self.state.clock[2] == 0.0 else 1):
            converter.run(self.zones(walls), walls)
        self.state.clock[2] += 1.0

    def zones(self, walls: Walls) -> Map:
        """The oracle's map."""
        grains, points = self.dem.state, self.continuum.state
        turns = self.turns[grains.live("body")]
        position = np.ascontiguousarray(grains.live("position")[:, turns])
        box = box_around(position, points.live("position"), self.continuum.cell, self.members[0].name)
        packing = np.zeros((*box.shape, 1))
        volume = 4.0 / 3.0 * np.pi * grains.live("radius")[turns].astype(np.float64) ** 3 / box.cell**3
        deposit(position, volume[:, None], box.low.astype(np.float64), 1.0 / box.cell, packing)
        packing = packing[..., 0]
        close_packed(points.live("position"), points.live("jacobian"), LOOSE, box.low, 1.0 / box.cell, packing)
        keep_single(packing, grains.live("position")[:, ~turns], box)
        cut = self.surroundings.cut_edges(box)
        blocked = cut if self.layered else np.zeros_like(cut)
        surfaces = np.minimum(self.surroundings.near_moving(box, walls), self.surroundings.near_rims(box))
        depth, inside = depths(packing, blocked, surfaces)
        without_small_cores(depth, box, points.live("position"))
        return Map(box, depth, inside, cell_depths(depth, inside), whole_cells(inside, cut))

    # -- what is shown ------------------------------------------------------------------------------------------------

    def points(self, members: Sequence[int]) -> dict[str, np.ndarray]:
        """What the point cache shows of the given members: grains in order of id, then the grains that points carry."""
        single = self.dem.points(members)
        grains, points = self.dem.state, self.continuum.state
        chosen = np.flatnonzero(np.isin(grains.live("body"), members))
        chosen = chosen[np.argsort(grains.live("id")[chosen])]
        parts = [single | {"zone": grains.live("zone")[chosen]}]
        for member in members:
            own = np.flatnonzero((points.live("body") == member) & (points.live("zone") == ZONE_CONTINUUM))
            if len(own):
                parts.append(carried_grains(points, own, self._params[member], self.seed))
        shown = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        self._hold_out(shown)
        return shown

    def _hold_out(self, shown: dict[str, np.ndarray]) -> None:
        """Nodes keep points, and grains that follow them, out of walls, not their surfaces: what is shown touches at most."""
        chosen = np.flatnonzero(shown["zone"] != ZONE_DISCRETE)
        if self._walls is not None and len(chosen):
            place = shown["position"][chosen].astype(np.float64)
            radius = shown["radius"][chosen].astype(np.float64)
            relax(place, radius, np.ones(len(chosen), bool), 0, walls=self._walls)
            shown["position"][chosen] = place

    def totals(self) -> dict[str, Any]:
        """Mass [kg], momentum [kg m/s], energies [J] of both; how many grains there are and how many all would be."""
        grains, points = self.dem.totals(), mechanical_totals(self.continuum.state, self.gravity)
        both: dict[str, Any] = {name: grains[name] + points[name] for name in points if name != "momentum"}  # type: ignore[operator]
        both["momentum"] = [a + b for a, b in zip(grains["momentum"], points["momentum"], strict=True)]  # type: ignore[arg-type]
        present = self.dem.state.count
        return both | {"grains": present, "grains_saved": max(0.0, 1.0 - present / max(self.grains_of_all(), 1.0))}

    def grains_of_all(self) -> float:
        """How many grains the same mass would be, if all were there."""
        mean = np.array([entry.density * grain_volume(entry) for entry in self._params])
        grains, points = self.dem.state, self.continuum.state
        discrete = float(grains.live("weight").astype(np.float64).sum())
        return discrete + float((points.live("mass").astype(np.float64) / mean[points.live("body")]).sum())


class ContinuumSolver(HybridSolver):
    """Material points only: fastest, cannot clog or bounce."""

    bytes_per_particle = 420

    @property
    def rigid(self) -> Any:
        return None

    @rigid.setter
    def rigid(self, bodies: Any) -> None:
        raise InvalidScene(
            f"{self.members[0].name}: Method (mode) is 'continuum', but there are Free colliders, and only grains push them. "
            "Choose 'hybrid' or 'all' (All grains), or turn Free off."
        )

    def fill(self, member: int, body: Body, walls: Walls, watch: Watch) -> dict[str, np.ndarray]:
        """Places of the material points that fill a body, clear of colliders."""
        mesh, spacing = body.mesh, self.continuum.spacing
        position = fill(mesh.at(0), mesh.triangles, spacing, seed=self.seed, owner=body.name, watch=watch)
        clear = walls.signed_distance(position.astype(np.float32), self.h) > 0.25 * spacing
        if not clear.any():
            raise InvalidScene(
                f"{body.name}: it lies wholly inside a collider. Move it out, or flip the collider's normals so that they face "
                "the grains (a tank's normals point inwards)."
            )
        return {"position": position[clear]}

    def spacing_of(self, member: int) -> float:
        """Distance [m] between points that leave an emitter."""
        del member
        return self.continuum.spacing

    def add(self, member: int, position: np.ndarray, velocity: np.ndarray, radius: np.ndarray | None = None) -> None:
        """New material points of one member: position and velocity (n, 3)."""
        del radius
        self.state.clock[3] = 0.0
        if len(position):
            self.continuum.append(member, position, velocity, ZONE_CONTINUUM)

    def look(self, walls: Walls) -> None:
        """Nothing ever changes its zone."""
        del walls
        self.state.clock[2] += 1.0
