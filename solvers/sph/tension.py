"""Surface tension and wetting of Water whose particles are small enough to show them.

One liquid, two regimes: where a capillary length κ⁻¹ = √(γ/ρg) holds at least `PER_LENGTH` particle spacings, splashes leave
drops that bead, hang and merge; where it does not, a drop would be smaller than a particle, and nothing of this is computed.
The energies are those of Drops (`solvers/drops/law.py`): a smooth attraction between particles, which is the surface tension,
and the walls' attraction by their contact angle. They drive the incompressible scheme, whose pressure keeps the volume.

The projection leaves particles loose beside walls: contact lines neither lock nor need stirring, and the walls' attraction alone
decides about the angle. Young and Dupré's cos θ = 2β − 1 holds for sharp surfaces; `PULLS` is the measured relation, made by
`benchmarks/water_beads.py`.
"""

import numpy as np

from ..drops import law as energy
from ..drops.law import COHESION_REACH, PULL, WALL_REACH, wall_force
from ..errors import InvalidScene
from ..jit import parallel_kernel, prange
from ..scene import WorldParams
from ..simd import load8, max8, splat8, sqrt8, sum8
from ..state import State
from ..walls import NearWalls, Walls
from ..walls.contact import blocking_planes
from .neighbours import CHUNK, LANE_MASKS, Blocks, Neighbourhood, _list_blocks
from .passes import offsets

PER_LENGTH = 2.0
"""Particle spacings in a capillary length from which Water has surface tension by itself."""
PULLS = np.array(
    [
        # angle [°], share of what a half-space of the same liquid would pull
        (0.0, 1.1), (27.0, 1.0), (37.6, 0.9), (53.0, 0.8), (67.6, 0.7), (80.9, 0.6), (93.6, 0.5), (107.9, 0.4), (123.0, 0.3),
        (147.1, 0.2), (168.0, 0.1), (180.0, 0.0),
    ]
)  # fmt: skip
"""Measured contact angles of drops of Water and the walls' attraction that leads to them."""
CAPILLARY_STEP = 0.2
"""Longest step in units of spacing over the speed √(γ/(ρ spacing))."""
CALM = 0.1
"""Least kinematic viscosity in units of spacing times that speed: more than without tension, so that drops come to rest."""


class _Inner(Neighbourhood):
    """Neighbours within a smaller reach, of particles that another neighbourhood has sorted."""

    def find_in(self, state: State, sorted_by: Neighbourhood) -> Blocks:
        count = state.count
        x, y, z = state["position"]
        rows = sorted_by._rows(state.live("position"))
        chunks = (count + CHUNK - 1) // CHUNK
        used = np.empty(chunks, np.int64)
        while True:
            blocks = self._room_for(count, chunks)
            _list_blocks(x, y, z, count, np.float32(self.h), rows, sorted_by._cells, self._capacity, *blocks[:4], used)
            most = int(used.max(initial=0))
            if most < self._capacity:
                return blocks
            self._capacity = most + most // 8


@parallel_kernel
def _attract(position, blocks: Blocks, per_spacing, strength, velocity, count):
    """v ← v − strength Σ_j (1 − r/H)² x_ij: the attraction of `law`, whose derivative it is."""
    for i in prange(count):
        zero, one = splat8(np.float32(0.0)), splat8(np.float32(1.0))
        per_reach = splat8(per_spacing / np.float32(COHESION_REACH))
        ax, ay, az = zero, zero, zero
        for b in range(blocks.first[i], blocks.last[i]):
            dx, dy, dz, r2 = offsets(position, i, np.int64(blocks.start[b]))
            c = max8(one - sqrt8(r2) * per_reach, zero) * load8(LANE_MASKS, 8 * np.int64(blocks.bits[b]))
            pull = c * c
            ax += pull * dx
            ay += pull * dy
            az += pull * dz
        velocity[0, i] -= strength * sum8(ax)
        velocity[1, i] -= strength * sum8(ay)
        velocity[2, i] -= strength * sum8(az)


@parallel_kernel
def _wet(row, plane, planes, shape, pull, per_spacing, strength, velocity, count, given):
    """v ← v + the walls' pull, `pull` (m, 3) by plane, and core; `given` (m, 3) [m/s] is what each plane gave, away from it."""
    reach = np.float32(WALL_REACH) / per_spacing
    for i in prange(count):
        r = row[i]
        if r < 0:
            continue
        bits = blocking_planes(plane[r], planes[r], shape[r], reach)
        for k in range(planes[r]):
            if bits >> k & 1:
                push = strength * np.float32(wall_force(plane[r, k, 3] * per_spacing, energy.STIFFNESS, pull[r, k], 0.0, 0.0))
                given[r, k] = push
                for axis in range(3):
                    velocity[axis, i] += push * plane[r, k, axis]


def capillary_length(density: float, surface_tension: float) -> float:
    """κ⁻¹ [m] under the Earth's gravity."""
    return float(np.sqrt(surface_tension / (density * 9.81)))


def resolved(spacing: float, density: float, surface_tension: float) -> bool:
    """Whether particles are small enough to show the surface tension."""
    return PER_LENGTH * spacing <= capillary_length(density, surface_tension)


class Tension:
    """What surface tension adds to a step of Water. Scratch."""

    def __init__(self, kernel: float, world: WorldParams, density: float, surface_tension: float) -> None:
        """kernel: reach of the pressure [m]."""
        self.spacing = world.spacing
        self.reach = max(kernel, energy.WALL_REACH * world.spacing)
        """Farthest wall that acts [m]."""
        self._unit = surface_tension / energy.TENSION_SHARE / (density * world.spacing**2)
        self.speed = float(np.sqrt(self._unit * world.spacing))
        self.calm = CALM * self.speed * world.spacing
        """Least kinematic viscosity [m²/s]."""
        self._near, self._far = _Inner(kernel, cubes=True), Neighbourhood(energy.COHESION_REACH * world.spacing)

    def stable_dt(self) -> float:
        return CAPILLARY_STEP * self.spacing / self.speed

    def find(self, state: State) -> tuple[Blocks, Blocks]:
        """Sorts `state`; neighbours within the pressure's kernel and within the attraction."""
        far = self._far.find(state)
        return self._near.find_in(state, self._far), far

    def pull(self, position: np.ndarray, velocity: np.ndarray, far: Blocks, count: int, dt: float) -> None:
        """v ← v + Δt × attraction of the neighbours."""
        per = 1.0 / self.spacing
        strength = dt * self._unit * per * float(PULL)
        _attract(position, far, np.float32(per), np.float32(strength), velocity, count)

    def wet(self, walls: Walls, near: NearWalls, points: np.ndarray, velocity: np.ndarray, dt: float) -> np.ndarray:
        """v ← v + Δt × attraction of the walls. `near` belongs to `points` (n, 3) [m]; what each plane gave, (m, 3) [m/s]."""
        given = np.zeros((len(near.count), 3), np.float32)
        if len(given):
            angle = walls.setting_at("contact_angle", near, points)
            pull = np.interp(angle, PULLS[:, 0], PULLS[:, 1]).astype(np.float32)
            strength = np.float32(dt * self._unit)
            per = np.float32(1.0 / self.spacing)
            _wet(near.row, near.plane, near.count, near.shape, pull, per, strength, velocity, len(points), given)
        return given


def tension_of(members, kernel: float, world: WorldParams) -> Tension | None:
    """The surface tension of all Water of a scene, None if it is too coarse or switched off."""
    first = members[0].params
    wanted = {member.params.tension for member in members}
    fine = all(resolved(world.spacing, member.params.density, member.params.surface_tension) for member in members)
    if "on" not in wanted and (wanted != {"auto"} or not fine or first.scheme != "incompressible"):
        return None
    for member in members:
        if member.params.tension == "off":
            raise InvalidScene(f"{member.name}: surface tension is off, but on for other water of the scene; make them the same.")
        if member.params.scheme != "incompressible":
            raise InvalidScene(f"{member.name}: surface tension needs the incompressible scheme; switch one of the two.")
        if (member.params.density, member.params.surface_tension) != (first.density, first.surface_tension):
            if "on" not in wanted:
                return None
            raise InvalidScene(
                f"{member.name}: its density or surface tension differs from that of {members[0].name}; with surface tension all "
                "water of a scene is of one liquid. Make them the same or switch it off."
            )
    return Tension(kernel, world, first.density, first.surface_tension)
