"""The body kind Drops."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..depth import Depth
from ..errors import InvalidScene
from ..limits import Leaves
from ..materials.drops_params import DropsParams
from ..meet.matter import Matter
from ..mesh.triangles import volume
from ..scene import Scene, WorldParams
from ..sph.incompressible import Fields
from ..sph.motion import interleave
from ..sph.neighbours import Blocks, Neighbourhood
from ..sph.passes import Walled, reach_of
from ..sph.speed import largest_speed
from ..sph.viscosity import diffuse
from ..state import State
from ..walls import NearWalls, Walls
from ..walls.reaction import WallReaction
from ..watch import Watch
from ..world import Member
from . import law as energy
from .motion import ROUGHNESS, WallPlanes, advance, behind, mean_square
from .wetting import LEAVES, TRAIL, may_stay, wetting_of

_SKIN = 0.5
"""How much farther than the attraction neighbours are listed [spacings]: the list serves until somebody has moved half of it."""
_MOST_STEPS = 24
"""Small steps between two looks at the walls."""
_EXPLICIT = 0.2
"""Largest Δt × (row sum of the viscous matrix) inside the small steps; beyond it, viscosity is solved implicitly."""
_MACH = 3.0
"""The speed of sound is at least this many times the largest speed."""
_HEAT = np.float32(0.1)
"""Temperature of the stirring beside walls, in units of γ × spacing²."""
_COOLING, _MEMORY = 400.0, 60.0
"""Time in which a particle at rest cools down, and over which motion is averaged, in units of spacing over speed."""
_STILL = 0.03
"""Averaged speed below which a particle counts as at rest, in units of speed."""
_LOCKED = 15.0
"""Hysteresis [°] that cold walls have by themselves: stirring is for less than that."""
_BEHIND = 0.6
"""How far a particle that is left lies behind the middle of its neighbours [spacings]."""
_COVERED = 55.0
"""Neighbours with which a particle that was left belongs to a drop again; in a full ball of the list there are 180."""
_FEWEST = 30
"""Particles below which a body of liquid is no drop; what an emitter lets out may gather first."""
_GOLDEN = 0.618034


class DropsSolver:
    """All drops of one liquid."""

    bytes_per_particle = 560

    def __init__(self, members: Sequence[Member], world: WorldParams, fall_height: float) -> None:
        self.members = tuple(members)
        self.spacing = world.spacing
        self.volume = world.spacing**3
        self.h = energy.WALL_REACH * world.spacing
        self.gravity = np.array(world.gravity, np.float32)
        self.liquid: DropsParams = members[0].params
        tension = self.liquid.surface_tension / energy.TENSION_SHARE
        self.unit = tension / (self.liquid.density * self.spacing**2)
        """Acceleration of the scaled unit of force [m/s²]."""
        self.speed = float(np.sqrt(self.unit * self.spacing))
        """Scaled unit of velocity [m/s]."""
        least = self.liquid.calm * self.speed * self.spacing
        self.viscosity = max(self.liquid.viscosity / self.liquid.density, least)
        """Kinematic [m²/s]."""
        self.state = State(
            {
                "position": ("f4", 3), "velocity": ("f4", 3), "id": ("i4", 1), "age": ("f4", 1), "body": ("i4", 1),
                "listed": ("f4", 3), "drift": ("f4", 3), "warmth": ("f4", 1),
                "left": ("f4", 1),
            }
        )  # fmt: skip
        self._neighbourhood = Neighbourhood((energy.COHESION_REACH + _SKIN) * self.spacing)
        self._blocks: Blocks | None = None
        self._scratch: dict[str, np.ndarray] = {}
        self._fields = Fields()
        self._steps, self._stiffness = 1, energy.STIFFNESS
        self.reaction: WallReaction | None = None
        """What the walls get, by collider; set where there are free bodies."""
        self.depth: Depth | None = None
        """Set by the world where it is known."""
        self._touched = (np.empty(0, np.int32),) * 3
        self.densest = self.liquid.density
        """[kg/m³]."""

    @property
    def weight(self) -> tuple[float, float, float] | None:
        """Gravity × density / surface tension [1/m²]: what decides the shape of a drop at rest."""
        x, y, z = (float(part) * self.liquid.density / self.liquid.surface_tension for part in self.gravity)
        return x, y, z

    def survey(self, scene: Scene) -> None:
        """Refuse what cannot be a drop, before any time is spent on it."""
        length = self.liquid.capillary_length
        for body in scene.bodies:
            if not any(member.name == body.name for member in self.members):
                continue
            vertices = body.mesh.at(0)
            size = float(np.ptp(vertices, axis=0).max())
            if size > 100.0 * length:
                factor = 10.0 ** np.ceil(np.log10(size / (20.0 * length)))
                raise InvalidScene(
                    f"{body.name}: it is {size:.3g} m wide, but this liquid's capillary length is {1e3 * length:.2g} mm: at that "
                    f"size surface tension does not show. Use Water, or scale the scene down {factor:g} times."
                )
            particles = abs(volume(vertices, body.mesh.triangles)) / self.volume
            if 0.5 < particles < _FEWEST:  # less is no particle at all, which the filling says
                finer = self.spacing * (particles / _FEWEST) ** (1.0 / 3.0)
                raise InvalidScene(
                    f"{body.name}: {particles:.0f} particles do not make a drop, {_FEWEST} is the least. "
                    f"Set the particle spacing to {1e3 * finer:.2g} mm or finer."
                )

    def add(self, member: int, position: np.ndarray, velocity: np.ndarray) -> None:
        """New particles of one member: position and velocity (n, 3)."""
        body = np.full(len(position), member, np.int32)
        listed = np.full((3, len(position)), np.nan, np.float32)
        warmth = np.ones(len(position), np.float32)
        self.state.append({"position": position.T, "velocity": velocity.T, "body": body, "listed": listed, "warmth": warmth})
        self._blocks = None

    def fastest(self) -> float:
        """Largest speed [m/s] of those that may still hit something: what falls for ever does not shorten the step."""
        return largest_speed(self.state, self.depth, self.members[0].name)

    def stable_dt(self, wall_speed: float) -> float:
        """Largest step [s] between two looks at the walls; it is cut into small ones that resolve sound."""
        speed = max(self.fastest(), wall_speed)
        self._stiffness = max(energy.STIFFNESS, (_MACH * speed / self.speed) ** 2)
        small = self.small_step()
        gravity = float(np.linalg.norm(self.gravity))
        reach = self.liquid.cfl * self.spacing
        dt = 2.0 * reach / (speed + np.sqrt(speed * speed + 4.0 * gravity * reach) + 1.0e-30)
        return float(min(max(dt, small), _MOST_STEPS * small))

    def small_step(self) -> float:
        """Step that resolves sound [s]."""
        return energy.STEP / np.sqrt(self._stiffness) * self.spacing / self.speed

    def _listed(self) -> Blocks:
        """Neighbours, found anew when somebody has moved so far that a newcomer could have been missed.

        Where everybody was at that time is part of the state: a bake that is taken up again finds the same list.
        """
        state = self.state
        slack = (0.5 * _SKIN - self.liquid.cfl) * self.spacing if 0.5 * _SKIN > self.liquid.cfl else 0.0
        moved = state.live("position") - state.live("listed")
        stale = not bool(np.max(np.einsum("ij,ij->j", moved, moved), initial=0.0) <= slack * slack)
        if stale or self._blocks is None:
            now = None if stale else state.live("position").copy()
            if now is not None:
                state.live("position")[:] = state.live("listed")
            self._blocks = self._neighbourhood.find(state)
            if now is not None:
                state.live("position")[:] = now  # sorted already: the order has not changed
            else:
                state.live("listed")[:] = state.live("position")
        return self._blocks

    def _array(self, name: str, *shape: int) -> np.ndarray:
        if name not in self._scratch or self._scratch[name].shape != shape:
            self._scratch[name] = np.zeros(shape, np.float32)
        return self._scratch[name]

    def _planes(self, walls: Walls, blocks: Blocks, dt: float) -> WallPlanes:
        count = self.state.count
        points = self._array("points", count, 3)
        interleave(self.state["position"], count, points)
        near = walls.near(points, points)
        offset = (self.state.live("id") * _GOLDEN % 1.0 - 0.5).astype(np.float32) * ROUGHNESS
        seed = self.state.live("id").astype(np.uint32) * np.uint32(2654435761) ^ self.state.live("age").view(np.uint32)
        wetting = wetting_of(walls, near, points)
        self._warm(near, blocks, dt, walls.setting("hysteresis") if len(near.count) else np.zeros(1))
        self._leave(walls, near, points, wetting, blocks)
        warmth = self.state.live("warmth")
        given = np.zeros((0 if self.reaction is None else len(near.count), 3), np.float32)
        if self.reaction is not None:
            self._touched = near.particle.copy(), near.count.copy(), near.collider[:, 0].copy()
        return WallPlanes(near.row, near.plane, near.count, near.shape, wetting, seed, _HEAT * warmth * warmth, offset, given)

    def _leave(self, walls: Walls, near: NearWalls, points: np.ndarray, wetting: np.ndarray, blocks: Blocks) -> None:
        """A sliding drop leaves particles behind where the receding angle is small: they hold on until covered."""
        state, hysteresis = self.state, walls.setting("hysteresis")
        left = state.live("left")
        at = np.flatnonzero((near.particle >= 0) & (near.count > 0)) if hysteresis.any() else np.empty(0, np.int64)
        if not len(at):
            left[:] = 0.0
            return
        angle = walls.setting_at("contact_angle", near, points)[at, 0]
        half = 0.5 * hysteresis[near.collider[at, 0]]
        receding = np.maximum(angle - half, 0.0)
        if not left.any() and not ((half > 0.0) & (receding < LEAVES)).any():
            return
        lag, company = self._array("lag", state.count), self._array("company", state.count)
        behind(state["position"], state["drift"], blocks, np.float32(_STILL * self.speed), lag, company)
        who = near.particle[at]
        stays = (half > 0.0) & may_stay(receding, state.live("id")[who]) & (lag[who] > np.float32(_BEHIND * self.spacing))
        kept = (left[who] > 0.0) & (company[who] < _COVERED)
        left[:] = 0.0
        left[who] = stays | kept
        wetting[at, 0, 3] += np.float32(TRAIL) * left[who]

    def _react(self, given: np.ndarray) -> None:
        """The opposite of what walls gave in this step, to the nearest collider of each row."""
        particle, count, collider = self._touched
        rows = np.flatnonzero((particle >= 0) & (count > 0))
        chosen = particle[rows]
        impulse = -self.liquid.density * self.volume * given[rows].astype(np.float64)
        assert self.reaction is not None
        self.reaction.add(collider[rows], impulse, self.state.live("position")[:, chosen].T.astype(np.float64))

    def _warm(self, near: NearWalls, blocks: Blocks, dt: float, hysteresis: np.ndarray) -> None:
        """Whoever arrives at a wall or moves along it is warm; at rest everybody cools down and stands still.

        Motion is judged by a velocity averaged over `_MEMORY` and the neighbours: what the stirring itself does is no motion.
        """
        state, unit = self.state, self.spacing / self.speed
        drift, warmth = state.live("drift"), state.live("warmth")
        row = np.maximum(near.row, 0)
        away = (near.row < 0) | (near.count[row] == 0) if len(near.count) else np.ones(state.count, bool)
        wall = np.zeros_like(drift) if not len(near.count) else np.where(away, np.float32(0.0), near.plane[row, 0, 4:7].T)
        drift += (state.live("velocity") - wall - drift) * np.float32(-np.expm1(-dt / (_MEMORY * unit)))
        mean = self._array("drift", state.count)
        mean_square(state["drift"], blocks, mean)
        moving = mean > (_STILL * self.speed) ** 2
        np.maximum(warmth - np.float32(dt / (_COOLING * unit)), np.float32(0.0), out=warmth)
        warmth[away | moving] = 1.0
        if len(near.count) and hysteresis.max() > 0.0:
            stuck = np.clip(1.0 - hysteresis / _LOCKED, 0.0, 1.0)[near.collider[row, 0]]
            np.minimum(warmth, np.where(away, 1.0, stuck), out=warmth, casting="same_kind")

    def step(self, walls: Walls, dt: float, watch: Watch) -> None:
        """One step of length dt [s] against walls posed at its end."""
        state = self.state
        if state.count == 0:
            return
        self._give_room(walls)
        blocks = self._listed()
        watch.poll()
        planes = self._planes(walls, blocks, dt)
        steps = max(1, int(np.ceil(dt / self.small_step() - 1.0e-6)))
        rate = self.viscosity / self.spacing**2
        explicit = dt / steps * rate * 15.0 / energy.COHESION_REACH**2 <= _EXPLICIT
        law = energy.Law(
            np.float32(1.0 / self.spacing), np.float32(self.unit), np.float32(self.speed), np.float32(energy.OWN),
            np.float32(energy.BULK - energy.INNER_PRESSURE / self._stiffness), np.float32(self._stiffness),
            np.float32(rate if explicit else 0.0), np.float32(rate), *(np.float32(part) for part in self.gravity),
        )  # fmt: skip
        if not explicit:
            self._diffuse(blocks, dt)
        count = state.count
        padded = count + 8  # lanes read beyond the last
        arrays = self._array("density", count), self._array("pressure", padded), self._array("carried", 3, padded)
        acceleration = self._array("acceleration", 3, padded)
        advance(state["position"], state["velocity"], blocks, planes, law, steps, np.float32(dt / steps), *arrays, acceleration)
        state.live("age")[:] += np.float32(dt)
        if self.reaction is not None:
            self._react(planes.given)

    def _give_room(self, walls: Walls) -> None:
        """Particles that begin nearer to a wall than half a spacing are moved out to that: its core would shoot them away."""
        new = np.flatnonzero(self.state.live("age") == 0.0)
        if not len(new):
            return
        position = self.state.live("position")
        points = np.ascontiguousarray(position[:, new].T)
        near = walls.near(points)
        at = np.flatnonzero(near.row >= 0)
        plane = near.plane[near.row[at], 0]
        lack = np.maximum(np.float32(energy.CORE * self.spacing) - plane[:, 3], np.float32(0.0))
        position[:, new[at]] += (lack[:, None] * plane[:, :3]).T

    def _diffuse(self, blocks: Blocks, dt: float) -> None:
        """Thick liquids: viscosity as one implicit solve; walls take part in `advance`."""
        count = self.state.count
        self._fields.fit(count)
        nowhere = np.full(count, -1, np.int32)
        none = np.zeros((1, 3), np.float32)
        walled = Walled(nowhere, none[:, 0], none, none)
        reach = reach_of(self._neighbourhood.h, self.volume)
        thick = np.full(count + 8, self.viscosity, np.float32)
        one = np.ones(count, np.float32)
        position, velocity = self.state["position"], self.state["velocity"]
        diffuse(position, velocity, blocks, walled, reach, thick, none[:, 0], one, dt, self._fields)

    def matter(self) -> list[Matter]:
        """What other kinds meet."""
        volume = np.full(self.state.count, self.volume, np.float32)
        mass = np.float32(self.liquid.density) * volume
        return [Matter(self.state.live("position"), self.state.live("velocity"), mass, volume, self.spacing)]

    def drop(self, leaves: Leaves) -> int:
        """Forget the particles that leave; returns how many."""
        inside = ~leaves(self.state.live("position"))
        gone = int(inside.size - np.count_nonzero(inside))
        if gone:
            self.state.keep(inside)
            self.state.live("listed")[:] = np.nan
            self._blocks = None
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
            "radius": np.full(chosen.size, (3.0 * self.volume / (4.0 * np.pi)) ** (1.0 / 3.0), np.float32),
            "age": state.live("age")[chosen],
            "body": state.live("body")[chosen],
        }

    def totals(self) -> dict[str, Any]:
        """Mass [kg], momentum [kg m/s], energies [J]."""
        state = self.state
        mass = self.liquid.density * self.volume
        velocity = state.live("velocity").astype(np.float64)
        position = state.live("position").astype(np.float64)
        return {
            "particles": state.count,
            "mass": mass * state.count,
            "momentum": [float(mass * part) for part in velocity.sum(axis=1)],
            "kinetic_energy": float(0.5 * mass * (velocity**2).sum()),
            "potential_energy": float(-mass * (self.gravity.astype(np.float64)[:, None] * position).sum()),
        }
