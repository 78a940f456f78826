"""The paper's own model, step by step, for its replication scenes.

『粒子ベース液体シミュレーションによる水滴のアニメーション』 (安部 拓也, master's thesis, Nara Institute of Science and
Technology, 2008): the prediction and relaxation of "Particle-based viscoelastic fluid simulation" (Clavet, Beaudoin &
Poulin) with an interfacial tension at the solid. Corrected misprints: (3.5) lacks 1/h, (3.7) has the square of Clavet, (3.13)
needs Δt² as every other displacement does.

Its numbers are used as they are, in metres and seconds. ρ₀ = 30 fixes the spacing that belongs to h = 11.8 mm: Σ(1 − q)² over a
full neighbourhood is 4π/30 (h/spacing)³, so h = 4.15 spacings.
"""

from collections.abc import Sequence

import numpy as np

from ..errors import TsubuError
from ..jit import inlined, kernel
from ..scene import WorldParams
from ..sph.neighbours import CHUNK, Neighbourhood
from ..walls import Walls
from ..walls.contact import blocking_planes
from ..watch import Watch
from ..world import Member
from .drops import DropsSolver

KERNEL_RADIUS = 4.15
"""h in particle spacings."""
PAPER_SPACING = 0.0118 / KERNEL_RADIUS
"""Particle spacing that belongs to the paper's h = 0.0118 m."""
ACCELERATION = 150.0
"""What one unit of the paper's k stands for [m/s²]; see `PaperSolver`."""
COUNTED = 0.66
"""Range of N_i in (3.11), which the paper leaves open, in h; the pull itself goes to all neighbours of (3.2).

A drop of a few hundred particles is no wider than its kernel: all of it is surface, and it is 2.5 times denser than ρ₀ says. Half
a ball of this range then holds about 110 particles and the contact line half of that: c = 80 lies between, as the paper means it.
"""
_SEARCH_EVERY = 3
"""Steps between two neighbour searches (section 4.1)."""
_MARGIN = 0.2
"""Closest a particle comes to a wall [spacings]."""
_BESIDE_WALL = 1.0
"""Particles nearer to a wall than this feel the interfacial tension [spacings]."""


@inlined
def _pair(position, i, j, h):
    """Unit vector from i to j and 1 − q; 0 beyond the kernel."""
    dx = position[0, j] - position[0, i]
    dy = position[1, j] - position[1, i]
    dz = position[2, j] - position[2, i]
    r = np.sqrt(dx * dx + dy * dy + dz * dz)
    if r >= h or r == 0.0:
        return dx, dy, dz, np.float32(0.0)
    return dx / r, dy / r, dz / r, np.float32(1.0) - r / h


@kernel
def paper_steps(position, velocity, count, first, second, row, plane, planes, shape, numbers, gravity, h, dt, steps, work):
    """Gravity, viscosity (3.8), prediction, walls, densities (3.2, 3.5), relaxation (3.4, 3.7, 3.12), velocity.

    `numbers`: ρ₀, k, k_near, σ, β, k_ift, c, margin, beside-wall distance. `work`: (6, n) float32.
    """
    rest, stiff, near_stiff, sigma, beta, tension, threshold, margin, beside = numbers
    dt2, half = dt * dt, np.float32(0.5)
    count_within = np.float32(1.0 - COUNTED)
    pairs = len(first)
    for _ in range(steps):
        for i in range(count):
            for axis in range(3):
                velocity[axis, i] += dt * gravity[axis]
        for p in range(pairs):
            i, j = first[p], second[p]
            x, y, z, t = _pair(position, i, j, h)
            if t > 0.0:
                u = (velocity[0, i] - velocity[0, j]) * x + (velocity[1, i] - velocity[1, j]) * y
                u += (velocity[2, i] - velocity[2, j]) * z
                if u > 0.0:
                    push = min(half * dt * t * (sigma * u + beta * u * u), half * u)
                    velocity[0, i] -= push * x
                    velocity[1, i] -= push * y
                    velocity[2, i] -= push * z
                    velocity[0, j] += push * x
                    velocity[1, j] += push * y
                    velocity[2, j] += push * z
        for i in range(count):
            for axis in range(3):
                work[axis, i] = position[axis, i]
                position[axis, i] += dt * velocity[axis, i]
            work[3, i], work[4, i], work[5, i] = 0.0, 0.0, 0.0
        _leave_walls(position, work, count, row, plane, planes, shape, margin)
        for p in range(pairs):
            i, j = first[p], second[p]
            _, _, _, t = _pair(position, i, j, h)
            if t > 0.0:
                work[3, i] += t * t
                work[3, j] += t * t
                work[4, i] += t * t * t
                work[4, j] += t * t * t
                if t > count_within:
                    work[5, i] += 1.0
                    work[5, j] += 1.0
        for p in range(pairs):
            i, j = first[p], second[p]
            x, y, z, t = _pair(position, i, j, h)
            if t > 0.0:
                push = half * dt2 * t * (stiff * (work[3, i] - rest) + near_stiff * work[4, i] * t)
                push += half * dt2 * t * (stiff * (work[3, j] - rest) + near_stiff * work[4, j] * t)
                for k in (i, j):
                    if row[k] >= 0 and plane[row[k], 0, 3] < beside and work[5, k] < threshold:
                        push -= half * dt2 * tension / max(work[5, k], np.float32(1.0))
                position[0, i] -= push * x
                position[1, i] -= push * y
                position[2, i] -= push * z
                position[0, j] += push * x
                position[1, j] += push * y
                position[2, j] += push * z
        for i in range(count):
            for axis in range(3):
                velocity[axis, i] = (position[axis, i] - work[axis, i]) / dt
        _follow(position, work, count, row, plane, planes)


@kernel
def _leave_walls(position, before, count, row, plane, planes, shape, margin):
    """Out of the walls; the planes hold the distances of the places `before`."""
    for i in range(count):
        r = row[i]
        if r < 0:
            continue
        dx, dy, dz = position[0, i] - before[0, i], position[1, i] - before[1, i], position[2, i] - before[2, i]
        for k in range(planes[r]):
            plane[r, k, 3] += dx * plane[r, k, 0] + dy * plane[r, k, 1] + dz * plane[r, k, 2]
        bits = blocking_planes(plane[r], planes[r], shape[r], margin)
        for k in range(planes[r]):
            if bits >> k & 1:
                for axis in range(3):
                    position[axis, i] += (margin - plane[r, k, 3]) * plane[r, k, axis]
            plane[r, k, 3] -= dx * plane[r, k, 0] + dy * plane[r, k, 1] + dz * plane[r, k, 2]


@kernel
def _follow(position, before, count, row, plane, planes):
    """Distances to the planes after the step."""
    for i in range(count):
        r = row[i]
        if r >= 0:
            for k in range(planes[r]):
                for axis in range(3):
                    plane[r, k, 3] += (position[axis, i] - before[axis, i]) * plane[r, k, axis]


@kernel
def _pairs(start, bits, first, last, count, out):
    """Pairs i < j of the block lists, in order; returns how many there are (beyond the room they are only counted)."""
    found = 0
    for i in range(count):
        for b in range(first[i], last[i]):
            for lane in range(8):
                j = start[b] + lane
                if bits[b] >> lane & 1 and j > i:
                    if found < out.shape[1]:
                        out[0, found], out[1, found] = i, j
                    found += 1
    return found


class PaperSolver(DropsSolver):
    """The paper's scheme behind the same door.

    The unit of the paper's k's is not given. Taken as m/s² the pressure is too weak to carry a drop against gravity, and no time
    step of the paper's table would be too long; with `ACCELERATION` a drop without interfacial tension stands at about 90°.
    """

    def __init__(self, members: Sequence[Member], world: WorldParams, fall_height: float) -> None:
        super().__init__(members, world, fall_height)
        self.kernel_radius = KERNEL_RADIUS * world.spacing
        self.h = max(self.h, self.kernel_radius)
        self._neighbourhood = Neighbourhood(self.kernel_radius * 1.1)
        self._room = np.empty((2, 0), np.int32)

    @property
    def weight(self) -> None:
        """Its surface is the paper's: contact angles of walls do not count."""

    def stable_dt(self, wall_speed: float) -> float:
        """The paper's step, three of them between two searches."""
        self.fastest()
        if not np.isfinite(self.state.live("position")).all():
            raise TsubuError(f"{self.members[0].name}: the drop flew apart; lower the time step of the replication.")
        return _SEARCH_EVERY * self.liquid.time_step

    def step(self, walls: Walls, dt: float, watch: Watch) -> None:
        state, params = self.state, self.liquid
        if state.count == 0:
            return
        blocks = self._neighbourhood.find(state)
        needed = _pairs(blocks.start, blocks.bits, blocks.first, blocks.last, state.count, self._room)
        if needed > self._room.shape[1]:
            self._room = np.empty((2, needed + needed // 4 + CHUNK), np.int32)
            _pairs(blocks.start, blocks.bits, blocks.first, blocks.last, state.count, self._room)
        points = np.ascontiguousarray(state.live("position").T)
        near = walls.near(points, points)
        numbers = (
            params.rest_density, ACCELERATION * params.pressure, ACCELERATION * params.near_pressure, params.linear_viscosity,
            params.square_viscosity, ACCELERATION * params.interfacial, params.threshold,
            _MARGIN * self.spacing, _BESIDE_WALL * self.spacing,
        )  # fmt: skip
        steps = max(1, round(dt / params.time_step))
        paper_steps(
            state["position"], state["velocity"], state.count, self._room[0, :needed], self._room[1, :needed], near.row,
            near.plane, near.count, near.shape, tuple(np.float32(n) for n in numbers), self.gravity,
            np.float32(self.kernel_radius), np.float32(dt / steps), steps, np.zeros((6, state.count), np.float32),
        )  # fmt: skip
        state.live("age")[:] += np.float32(dt)
        watch.poll()


def drops_solver(members: Sequence[Member], world: WorldParams, fall_height: float) -> DropsSolver:
    """The solver that the first body's scheme asks for."""
    kind = PaperSolver if members[0].params.scheme == "paper" else DropsSolver
    return kind(members, world, fall_height)
