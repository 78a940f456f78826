"""The body kind Water: both schemes behind one solver."""

from collections.abc import Sequence

import numpy as np

from ..depth import Depth
from ..limits import Leaves
from ..materials.water_params import WaterParams
from ..meet.matter import Matter
from ..rigid.seeping import Wet
from ..scene import WorldParams
from ..state import State
from ..walls import NearWalls, Walls
from ..walls.reaction import WallReaction
from ..watch import Watch
from ..world import Member
from . import passes
from .incompressible import Fields, Pressure, Solve
from .motion import drift, kick
from .neighbours import Neighbourhood
from .reference import ReferenceForces
from .speed import largest_speed
from .tension import tension_of
from .viscosity import diffuse
from .wall_reaction import WaterReaction
from .wall_terms import WallTerms, caught, drag_weight

KERNEL_RADIUS = 2.0
"""Kernel radius in particle spacings: 32 neighbours at rest."""
_BACKING = 10.0
"""See `Matter.backing`. Beyond ten, a raft floats no better."""
_GRAVITY_STEP = 0.15
_CALM = 0.03
"""Least kinematic viscosity between particles of the incompressible scheme, in spacing × √(g · spacing): it halves the
restlessness of standing water (a few cm/s at 1 cm) and is too small to be seen in a splash. Walls feel µ alone."""


class WaterSolver:
    """All water of one scheme: members may differ in density and viscosity."""

    bytes_per_particle = 330

    def __init__(self, members: Sequence[Member], world: WorldParams, fall_height: float) -> None:
        self.members = tuple(members)
        self.spacing = world.spacing
        self.volume = world.spacing**3
        self.h = KERNEL_RADIUS * world.spacing
        self.gravity = np.array(world.gravity, np.float32)
        settings: list[WaterParams] = [member.params for member in members]
        self.scheme = settings[0].scheme
        self.cfl = min(entry.cfl for entry in settings)
        self.tolerance = min(entry.tolerance for entry in settings)
        self._density = np.array([entry.density for entry in settings], np.float32)
        self._viscosity = np.array([entry.viscosity for entry in settings], np.float32)
        self.state = State(
            {
                "position": ("f4", 3),
                "velocity": ("f4", 3),
                "id": ("i4", 1),
                "age": ("f4", 1),
                "body": ("i4", 1),
                "pressure": ("f4", 1),
            }
        )
        self.last = Solve()
        self.reaction: WallReaction | None = None
        """What the walls get, by collider; set where there are free bodies."""
        self.depth: Depth | None = None
        """Set by the world where it is known."""
        self._kernel = self.h
        self._tension = tension_of(self.members, self.h, world)
        self._reach = passes.reach_of(self.h, self.volume)
        self._fields = Fields()
        self._constants: dict[str, np.ndarray] = {}
        incompressible = self.scheme == "incompressible"
        self._neighbourhood = Neighbourhood(self.h, cubes=incompressible)
        self._walls = WallTerms(self.h, "wendland" if incompressible else "poly6")
        calm = _CALM * world.spacing * float(np.sqrt(np.linalg.norm(world.gravity) * world.spacing))
        self._calm = np.float32(calm if incompressible else 0.0)
        if self._tension is not None:
            self.h = self._tension.reach
            self._calm = np.float32(max(calm, self._tension.calm))
        self._reference = None if incompressible else ReferenceForces(self.h, self.volume, settings, world, fall_height)

    @property
    def weight(self) -> tuple[float, float, float] | None:
        """Gravity × density / surface tension [1/m²] where that tension is simulated, else None."""
        first = self.members[0].params
        x, y, z = (float(part) * first.density / first.surface_tension for part in self.gravity)
        return (x, y, z) if self._tension is not None else None

    @property
    def densest(self) -> float:
        """Largest density of its bodies [kg/m³]."""
        return float(self._density.max())

    def add(self, member: int, position: np.ndarray, velocity: np.ndarray) -> None:
        """New particles of one member: position and velocity (n, 3)."""
        body = np.full(len(position), member, np.int32)
        self.state.append({"position": position.T, "velocity": velocity.T, "body": body})

    def fastest(self) -> float:
        """Largest speed [m/s] of those that may still hit something: what falls for ever does not shorten the step."""
        return largest_speed(self.state, self.depth, self.members[0].name)

    def stable_dt(self, wall_speed: float) -> float:
        """Largest step [s]: nobody moves farther than `cfl` spacings, gravity's own gain included."""
        speed = max(self.fastest(), wall_speed)
        gravity = float(np.linalg.norm(self.gravity))
        reach = self.cfl * self.spacing
        # s = v t + g t² solved for t
        dt = 2.0 * reach / (speed + np.sqrt(speed * speed + 4.0 * gravity * reach) + 1.0e-30)
        # a step in which gravity alone crosses a few hundredths of a spacing: pressure waves stay resolved
        dt = min(dt, _GRAVITY_STEP * np.sqrt(self.spacing / max(gravity, 1.0e-30)))
        if self._tension is not None:
            dt = min(dt, self._tension.stable_dt())
        if self._reference is not None:
            dt = min(dt, self._reference.stable_dt(speed))
        return dt

    def _per_particle(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """1/ρ₀ (n,), µ between particles (n + 8,) and the share of it that walls feel (n,), in the present order."""
        names, count = ("specific", "viscosity", "wall_share"), self.state.count
        uniform = len(set(self._density)) == 1 and len(set(self._viscosity)) == 1
        if not uniform or self._constants.get("specific", np.empty(0)).size != count:
            body = self.state.live("body")
            mixed = np.maximum(self._viscosity, self._calm * self._density)
            self._constants["specific"] = np.float32(1.0) / self._density[body]
            self._constants["viscosity"] = np.concatenate([mixed[body], np.zeros(8, np.float32)])
            self._constants["wall_share"] = (self._viscosity / np.maximum(mixed, np.float32(1.0e-30)))[body]
        specific, viscosity, share = (self._constants[name] for name in names)
        return specific, viscosity, share

    def step(self, walls: Walls, dt: float, watch: Watch) -> None:
        """One step of length dt [s] against walls posed at its end."""
        state = self.state
        if state.count == 0:
            return
        far = None
        if self._tension is None:
            blocks = self._neighbourhood.find(state)
        else:
            blocks, far = self._tension.find(state)
        watch.poll()
        position, velocity = state["position"], state["velocity"]
        near, walled = self._walls.find(walls, position, state.count)
        given = None
        specific, viscosity, wall_share = self._per_particle()
        if self._reference is not None:
            acceleration = self._reference.accelerations(state, blocks, near, walled, specific, viscosity)
            kick(velocity, acceleration, np.float32(dt), self.gravity, state.count)
        else:
            self._fields.fit(state.count)
            pressure = Pressure(
                position, blocks, walled, self._reach, specific, self._fields, watch, caught(near, self.spacing)
            )
            pressure.prepare()
            drag = drag_weight(near, self._kernel) * wall_share[near.particle]
            given = self._reaction_to(near)
            pull = drag * viscosity[near.particle] * specific[near.particle]
            before = velocity.copy() if given is not None else velocity
            implicit = diffuse(position, velocity, blocks, walled, self._reach, viscosity, drag, specific, dt, self._fields) > 0
            if given is not None:
                given.drag(pull, velocity if implicit else before, walled, dt)
            velocity[:, : state.count] += (np.float32(dt) * self.gravity)[:, None]
            if self._tension is not None and far is not None:
                self._tension.pull(position, velocity, far, state.count, dt)
                wetted = self._tension.wet(walls, near, self._walls.points, velocity, dt)
                if given is not None:
                    given.stops(-wetted)
            self.last.iterations, self.last.error = pressure.project(velocity, state["pressure"], dt, self.tolerance)
            if given is not None:
                given.pressure(pressure.applied(state["pressure"]), specific, walled, dt)
            pressure.settle(self.spacing)
        stopped = np.zeros((len(near.count), 3), np.float32)
        drift(
            position, self._walls.points, velocity, state["age"], np.float32(dt), np.float32(self.spacing),
            near.row, near.plane, near.count, near.shape, near.collider, walls.is_sheet, state.count, stopped,
        )  # fmt: skip
        if given is not None:
            given.stops(stopped)

    def _reaction_to(self, near: NearWalls) -> WaterReaction | None:
        """Where this step's wall terms are written down, if somebody wants to know them."""
        if self.reaction is None:
            return None
        mass = self._density[self.state.live("body")] * np.float32(self.volume)
        return WaterReaction(self.reaction, near, self._kernel, self.state["position"], mass)

    def matter(self) -> list[Matter]:
        """What other kinds meet."""
        mass = self._density[self.state.live("body")] * np.float32(self.volume)
        volume = np.full(self.state.count, self.volume, np.float32)
        return [Matter(self.state.live("position"), self.state.live("velocity"), mass, volume, self.spacing, backing=_BACKING)]

    def wet(self) -> Wet:
        """What seeps under bodies."""
        state = self.state
        return Wet(state.live("position"), state.live("pressure"), self._density[state.live("body")], self.spacing)

    def drop(self, leaves: Leaves) -> int:
        """Forget the particles that leave; returns how many."""
        inside = ~leaves(self.state.live("position"))
        gone = int(inside.size - np.count_nonzero(inside))
        if gone:
            self.state.keep(inside)
        return gone

    def points(self, members: Sequence[int]) -> dict[str, np.ndarray]:
        """What the point cache shows of the given members, in order of id."""
        state = self.state
        chosen = np.flatnonzero(np.isin(state.live("body"), members))
        chosen = chosen[np.argsort(state.live("id")[chosen])]
        return {
            "position": np.ascontiguousarray(state.live("position")[:, chosen].T),
            "velocity": np.ascontiguousarray(state.live("velocity")[:, chosen].T),
            "id": state.live("id")[chosen],
            # a ball of the particle's own volume
            "radius": np.full(chosen.size, (3.0 * self.volume / (4.0 * np.pi)) ** (1.0 / 3.0), np.float32),
            "age": state.live("age")[chosen],
            "body": state.live("body")[chosen],
        }

    def totals(self) -> dict[str, object]:
        """Mass [kg], momentum [kg m/s], energies [J]."""
        state = self.state
        mass = self._density[state.live("body")].astype(np.float64) * self.volume
        velocity = state.live("velocity").astype(np.float64)
        position = state.live("position").astype(np.float64)
        gravity = self.gravity.astype(np.float64)
        return {
            "particles": state.count,
            "mass": float(mass.sum()),
            "momentum": [float(part) for part in (velocity * mass).sum(axis=1)],
            "kinetic_energy": float(0.5 * (mass * (velocity**2).sum(axis=0)).sum()),
            "potential_energy": float(-(mass * (gravity[:, None] * position).sum(axis=0)).sum()),
        }
