"""From forces to motion: leapfrog steps of grains and of free rigid bodies, many of them in one call."""

from typing import NamedTuple

import numpy as np

from ..jit import kernel, parallel_kernel, prange
from ..simd import load8, splat8, store8
from ..walls.borrow import borrowed
from .pairs import add_pair_forces
from .wall_contact import (
    FREE,
    INVERSE_INERTIA,
    INVERSE_MASS,
    MOVED,
    SPEED,
    SPIN,
    TURNED,
    Grain,
    wall_force,
)

_ZERO = np.float32(0.0)


class Grains(NamedTuple):
    """Arrays of the state that the steps change, and what they need to know of every grain."""

    velocity: np.ndarray
    """[m/s], float64 (3, n)."""
    spin: np.ndarray
    """Angular velocity [1/s], float64 (3, n)."""
    fixed: np.ndarray
    """1 where forces do not count: the grain keeps its velocity, int32 (n,)."""
    impulse: np.ndarray
    """Sum of force · time [N s] that other grains put on fixed ones, float64 (3, n)."""
    built: np.ndarray
    """Where the grain was when the list was made, float64 (n, 3)."""
    fastest: np.ndarray
    """Per chunk: largest |v|² and largest squared way since the list was made, float64 (chunks, 2)."""


class Steps(NamedTuple):
    """How the steps are taken."""

    count: int
    left: int
    """Steps until the prescribed walls are where they are posed, these included."""
    dt: float
    """[s]"""
    gravity_x: float
    gravity_y: float
    gravity_z: float
    stamp: int
    """Steps since the list was made."""


@kernel
def _move_chunk(c, grains, rows, pairs, walls, law, later, dt, gx, gy, gz, force, work):
    """Sum the force rows of one chunk's grains, add walls and gravity, and move them."""
    place, motion = rows.place, rows.motion
    zero = splat8(_ZERO)
    begin, end = pairs.begin[c], pairs.begin[c + 1]
    # Earlier chunks that reach into this one, in fixed order; `reach` does not decrease.
    earliest = c
    while earliest > 0 and pairs.reach[earliest - 1] > begin:
        earliest -= 1
    fastest, farthest = 0.0, 0.0
    for i in range(begin, end):
        at = 8 * (i - begin + pairs.force_begin[c])
        row = load8(force, at)
        store8(force, at, zero)
        for p in range(earliest, c):
            if pairs.reach[p] > i:
                at = 8 * (i - pairs.begin[p] + pairs.force_begin[p])
                row = row + load8(force, at)
                store8(force, at, zero)
        store8(work, 0, row)
        x, y, z, radius = place[i, 0], place[i, 1], place[i, 2], place[i, 3]
        vx, vy, vz = grains.velocity[0, i], grains.velocity[1, i], grains.velocity[2, i]
        wx, wy, wz = grains.spin[0, i], grains.spin[1, i], grains.spin[2, i]
        fx, fy, fz = np.float64(work[0]), np.float64(work[1]), np.float64(work[2])
        mx, my, mz = radius * work[4], radius * work[5], radius * work[6]
        mass = 1.0 * motion[i, 7]
        if grains.fixed[i] != 0:
            grains.impulse[0, i], grains.impulse[1, i], grains.impulse[2, i] = (
                grains.impulse[0, i] + dt * fx, grains.impulse[1, i] + dt * fy, grains.impulse[2, i] + dt * fz,
            )  # fmt: skip
        if walls.row[i] >= 0:
            s = rows.setting[i if law.mixed else 0]
            grain = Grain(vx, vy, vz, wx, wy, wz, radius, mass, s[0], s[1], s[5], s[3], s[4])
            px, py, pz, qx, qy, qz = wall_force(c, i, walls, grain, x, y, z, later, law, dt)
            fx, fy, fz, mx, my, mz = fx + px, fy + py, fz + pz, mx + qx, my + qy, mz + qz
        if grains.fixed[i] == 0:
            per_mass = dt / mass
            per_inertia = per_mass / (0.4 * radius * radius)
            vx, vy, vz = vx + per_mass * fx + dt * gx, vy + per_mass * fy + dt * gy, vz + per_mass * fz + dt * gz
            wx, wy, wz = wx + per_inertia * mx, wy + per_inertia * my, wz + per_inertia * mz
            grains.velocity[0, i], grains.velocity[1, i], grains.velocity[2, i] = vx, vy, vz
            grains.spin[0, i], grains.spin[1, i], grains.spin[2, i] = wx, wy, wz
            motion[i, 0], motion[i, 1], motion[i, 2] = vx, vy, vz
            motion[i, 4], motion[i, 5], motion[i, 6] = radius * wx, radius * wy, radius * wz
        x, y, z = x + dt * vx, y + dt * vy, z + dt * vz
        place[i, 0], place[i, 1], place[i, 2] = x, y, z
        speed = vx * vx + vy * vy + vz * vz
        fastest = speed if not speed <= fastest else fastest
        dx, dy, dz = x - grains.built[i, 0], y - grains.built[i, 1], z - grains.built[i, 2]
        farthest = max(farthest, dx * dx + dy * dy + dz * dz)
    grains.fastest[c, 0], grains.fastest[c, 1] = fastest, farthest


@parallel_kernel
def move_grains(all_grains, all_rows, all_pairs, all_walls, law, later, dt, gx, gy, gz, room):
    """One step of every grain; force rows are left empty."""
    for turn in prange(len(all_pairs.count)):
        grains, rows, pairs, walls = borrowed(all_grains), borrowed(all_rows), borrowed(all_pairs), borrowed(all_walls)
        c = pairs.turn[turn]
        force, work = rows.force.reshape(-1), borrowed(room)[c]
        _move_chunk(c, grains, rows, pairs, walls, law, later, dt, gx, gy, gz, force, work)


@kernel
def move_bodies(walls, dt, gx, gy, gz):
    """One step of every free collider, by the sum of what its grains did to it, chunk after chunk."""
    for k in range(len(walls.bodies)):
        body = walls.bodies[k]
        if body[FREE] == 0.0:
            continue
        fx, fy, fz, mx, my, mz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for c in range(len(walls.reaction)):
            push = walls.reaction[c, k]
            fx, fy, fz, mx, my, mz = fx + push[0], fy + push[1], fz + push[2], mx + push[3], my + push[4], mz + push[5]
            for part in range(6):
                push[part] = 0.0
        if body[INVERSE_MASS] > 0.0:
            body[SPEED] += dt * (body[INVERSE_MASS] * fx + gx)
            body[SPEED + 1] += dt * (body[INVERSE_MASS] * fy + gy)
            body[SPEED + 2] += dt * (body[INVERSE_MASS] * fz + gz)
        for axis in range(3):
            at = INVERSE_INERTIA + 3 * axis
            body[SPIN + axis] += dt * (body[at] * mx + body[at + 1] * my + body[at + 2] * mz)
            body[MOVED + axis] += dt * body[SPEED + axis]
            body[TURNED + axis] += dt * body[SPIN + axis]


@kernel
def run_steps(steps, grains, rows, pairs, walls, law, room):
    """Take `steps.count` steps of `steps.dt`."""
    dt = steps.dt
    for step in range(steps.count):
        stamp = np.float32(steps.stamp + step + 1)
        add_pair_forces(rows, pairs, law, stamp, np.float32(dt), room)
        # Forces belong to the positions at the beginning of a step.
        later = dt * (steps.left - step)
        move_grains(grains, rows, pairs, walls, law, later, dt, steps.gravity_x, steps.gravity_y, steps.gravity_z, room.row)
        if len(walls.bodies) > 0:
            move_bodies(walls, dt, steps.gravity_x, steps.gravity_y, steps.gravity_z)
