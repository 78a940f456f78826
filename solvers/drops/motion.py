"""Many small steps in one call: a drop of 400 particles spends its time here and not between kernels."""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, parallel_kernel, prange
from ..simd import load8, max8, splat8, sqrt8, sum8
from ..sph.neighbours import LANE_MASKS, Blocks
from ..sph.passes import offsets
from ..walls.contact import blocking_planes
from ..walls.half_space import density_slope_wendland, density_weight_wendland
from .law import COHESION_REACH, DENSITY_REACH, LAPLACIAN, PULL, SLOPE, WALL_REACH, WEIGHT, Law, wall_force

ROUGHNESS = np.float32(0.6)
"""Particles see a wall at distances that differ by up to so many spacings: in perfect layers the contact line sticks."""
LINE_DEPTH = np.float32(1.2)
"""Particles nearer to a wall than this can belong to the contact line [spacings]."""
LINE_DEFICIT = np.float32(0.15)
"""Missing density at which a particle belongs to it wholly."""


STIR_RATE = np.float32(0.3)
"""Rate at which the stirring renews velocities, in units of speed over spacing."""
STIR_DEPTH = np.float32(3.0)
"""Particles nearer to a wall than this are stirred [spacings]."""
PASSED_ON = 45.0 / np.pi / COHESION_REACH**6 * np.pi / 3.0 * COHESION_REACH**4
"""Σ_j LAPLACIAN (H − r_ij) over a full neighbourhood."""


class WallPlanes(NamedTuple):
    """Planes near particles, as `walls.NearWalls`, and how the liquid wets them."""

    row: np.ndarray
    plane: np.ndarray
    count: np.ndarray
    shape: np.ndarray
    wetting: np.ndarray
    """pull, dislike, tail, grip of each plane, float32 (m, 3, 4)."""
    seed: np.ndarray
    """Seed of this call's random numbers by particle, uint32 (n,)."""
    heat: np.ndarray
    """Temperature of the stirring by particle, in units of γ × spacing² (Fowler's γ), float32 (n,)."""
    offset: np.ndarray
    """Spread of `ROUGHNESS` by particle [spacings], float32 (n,)."""
    given: np.ndarray
    """Velocity that the planes of each row gave to its particle [m/s], float32 (m, 3), added to; no rows if nobody asks."""


@inlined
def _random(seed, step, axis):
    """A number of mean 0 and variance 1 that depends on nothing but its arguments."""
    h = np.uint32(seed) + np.uint32(step * 3 + axis) * np.uint32(0x9E3779B9)
    h = np.uint32((h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B))
    h = np.uint32((h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    h = h ^ (h >> np.uint32(16))
    return (np.float32(h) * np.float32(1.0 / 4294967296.0) - np.float32(0.5)) * np.float32(3.4641016)


@inlined
def _carry(i, step, velocity, walls, law, noise, carried):
    """What viscosity passes on: ν v, and beside a wall a random part that shakes loose the layers that have locked there.

    Without it a contact line stops wherever its last particle found a hollow, up to 25° from where it belongs. Being passed on
    between pairs, the shaking adds no momentum and takes none: it neither carries a drop away nor brakes it.
    """
    r = walls.row[i]
    shaken = np.float32(0.0)
    if r >= 0 and walls.count[r] > 0 and walls.heat[i] > np.float32(0.0):
        if walls.plane[r, 0, 3] * law.per_spacing + walls.offset[i] < STIR_DEPTH:
            shaken = noise * np.sqrt(walls.heat[i])
    for axis in range(3):
        carried[axis, i] = law.viscosity * velocity[axis, i]
        if shaken > np.float32(0.0):
            carried[axis, i] += shaken * _random(walls.seed[i], step, axis)


@inlined
def _wall_density(i, walls, per_spacing, reach):
    """Half-space integrals behind the planes that hold particle i."""
    r = walls.row[i]
    total = np.float32(0.0)
    if r >= 0:
        bits = blocking_planes(walls.plane[r], walls.count[r], walls.shape[r], reach)
        for k in range(walls.count[r]):
            if bits >> k & 1:
                distance = walls.plane[r, k, 3] * per_spacing + walls.offset[i]
                total += np.float32(density_weight_wendland(distance / np.float32(DENSITY_REACH)))
    return min(total, np.float32(0.9))


@inlined
def _density(position, i, blocks, law):
    """Σ_j W(x_ij) over the neighbours, in units of the rest density."""
    zero, one = splat8(np.float32(0.0)), splat8(np.float32(1.0))
    five, four = splat8(np.float32(5.0)), splat8(np.float32(4.0))
    per_reach = splat8(law.per_spacing / np.float32(DENSITY_REACH))
    total = zero
    for b in range(blocks.first[i], blocks.last[i]):
        _, _, _, r2 = offsets(position, i, np.int64(blocks.start[b]))
        t = max8(one - sqrt8(r2) * per_reach, zero) * load8(LANE_MASKS, 8 * np.int64(blocks.bits[b]))
        t2 = t * t
        total += t2 * t2 * (five - four * t)
    return law.own + WEIGHT * sum8(total)


@parallel_kernel
def advance(
    position, velocity, blocks: Blocks, walls: WallPlanes, law: Law, steps, dt, density, pressure, carried, acceleration
):  # fmt: skip
    """`steps` steps of `dt` [s]: symplectic Euler. Walls were posed at the end of all of them."""
    count = density.size
    reach = np.float32(WALL_REACH) / law.per_spacing
    left = steps * dt
    # planes come with the distance at the end pose of the wall: put moving ones back to where they are now
    plane = walls.plane
    for i in prange(count):
        r = walls.row[i]
        if r >= 0:
            for k in range(walls.count[r]):
                for axis in range(3):
                    plane[r, k, 3] += left * plane[r, k, 4 + axis] * plane[r, k, axis]
    # a velocity of 1 passed on by all neighbours is a rate of `PASSED_ON` ν / spacing²
    swing = np.sqrt(np.float32(2.0) * STIR_RATE * law.unit_speed * law.per_spacing / dt) * law.unit_speed
    noise = swing / np.float32(PASSED_ON)
    for step in range(steps):
        for i in prange(count):
            _carry(i, step, velocity, walls, law, noise, carried)
            delta = _density(position, i, blocks, law) + _wall_density(i, walls, law.per_spacing, reach)
            density[i] = delta
            pressure[i] = law.stiffness * max(delta - law.rest, np.float32(0.0))
        for i in prange(count):
            zero, one, h = splat8(np.float32(0.0)), splat8(np.float32(1.0)), splat8(np.float32(COHESION_REACH))
            per_density, per_cohesion = splat8(np.float32(1.0 / DENSITY_REACH)), splat8(np.float32(1.0 / COHESION_REACH))
            scale = splat8(law.per_spacing)
            p = splat8(pressure[i])
            vx, vy, vz = splat8(carried[0, i]), splat8(carried[1, i]), splat8(carried[2, i])
            ax, ay, az, sx, sy, sz = zero, zero, zero, zero, zero, zero
            for b in range(blocks.first[i], blocks.last[i]):
                a = np.int64(blocks.start[b])
                dx, dy, dz, r2 = offsets(position, i, a)
                r = sqrt8(r2) * scale
                mask = load8(LANE_MASKS, 8 * np.int64(blocks.bits[b]))
                t = max8(one - r * per_density, zero) * mask
                c = max8(one - r * per_cohesion, zero) * mask
                push = SLOPE * t * t * t * (p + load8(pressure, a)) - PULL * c * c
                drag = c * h
                ax += push * dx
                ay += push * dy
                az += push * dz
                sx += drag * (load8(carried[0], a) - vx)
                sy += drag * (load8(carried[1], a) - vy)
                sz += drag * (load8(carried[2], a) - vz)
            k = law.unit * law.per_spacing
            s = LAPLACIAN
            acceleration[0, i] = k * sum8(ax) + s * sum8(sx) + law.gravity_x
            acceleration[1, i] = k * sum8(ay) + s * sum8(sy) + law.gravity_y
            acceleration[2, i] = k * sum8(az) + s * sum8(sz) + law.gravity_z
        for i in prange(count):
            _move(i, position, velocity, walls, law, dt, reach, density, pressure, acceleration)


@inlined
def _move(i, position, velocity, walls, law, dt, reach, density, pressure, acceleration):
    """v ← v + Δt a with the walls' share; x ← x + Δt v; distances to the planes follow."""
    for axis in range(3):
        velocity[axis, i] += dt * acceleration[axis, i]
    r = walls.row[i]
    asked = r >= 0 and len(walls.given) > 0
    if asked:
        for axis in range(3):
            walls.given[r, axis] -= velocity[axis, i]
    if r >= 0:
        plane = walls.plane[r]
        bits = blocking_planes(plane, walls.count[r], walls.shape[r], reach)
        for k in range(walls.count[r]):
            if bits >> k & 1:
                wetting = walls.wetting[r, k]
                # inside a wall (planes of a fine mesh take turns) the core pushes no harder than at its face
                distance = max(plane[k, 3] * law.per_spacing, np.float32(0.0)) + walls.offset[i]
                push = wall_force(distance, law.stiffness, wetting[0], wetting[1], wetting[2])
                push -= pressure[i] * density_slope_wendland(distance / DENSITY_REACH) / DENSITY_REACH
                kick = dt * law.unit * np.float32(push)
                for axis in range(3):
                    velocity[axis, i] += kick * plane[k, axis]
                _hold(i, velocity, plane[k], distance, wetting[3], law, dt, density[i])
    for axis in range(3):
        position[axis, i] += dt * velocity[axis, i]
    if r >= 0:
        for k in range(walls.count[r]):
            for axis in range(3):
                plane[k, 3] += dt * (velocity[axis, i] - plane[k, 4 + axis]) * plane[k, axis]
        bits = blocking_planes(plane, walls.count[r], walls.shape[r], np.float32(0.0))
        for k in range(walls.count[r]):
            if bits >> k & 1:
                # too fast for the walls' push: the last resort
                out = -plane[k, 3]
                approach = np.float32(0.0)
                for axis in range(3):
                    approach += (velocity[axis, i] - plane[k, 4 + axis]) * plane[k, axis]
                approach = min(approach, np.float32(0.0))
                for axis in range(3):
                    position[axis, i] += out * plane[k, axis]
                    velocity[axis, i] -= approach * plane[k, axis]
                plane[k, 3] = np.float32(0.0)
    if asked:
        for axis in range(3):
            walls.given[r, axis] += velocity[axis, i]


@inlined
def _hold(i, velocity, plane, distance, grip, law, dt, density):
    """No slip by viscosity (16), and at the contact line a grip that must be overcome before it moves."""
    reach = np.float32(DENSITY_REACH)
    if distance >= reach:
        return
    a = max(np.float32(distance), np.float32(0.0)) / reach
    b = np.float32(1.0) - a
    drag = dt * law.drag * np.float32(7.5) / (reach * reach) * (np.float32(1.0) + a) * b * b * b
    along = np.float32(0.0)
    for axis in range(3):
        along += (velocity[axis, i] - plane[4 + axis]) * plane[axis]
    speed2 = np.float32(0.0)
    for axis in range(3):
        slip = velocity[axis, i] - plane[4 + axis] - along * plane[axis]
        speed2 += slip * slip
    kept = np.float32(1.0) / (np.float32(1.0) + drag)
    if grip > np.float32(0.0) and distance < LINE_DEPTH:
        line = min(max((np.float32(1.0) - density) / LINE_DEFICIT, np.float32(0.0)), np.float32(1.0))
        lost = dt * law.unit * grip * line / max(np.sqrt(speed2), np.float32(1.0e-30))
        kept = max(kept - lost, np.float32(0.0))
    for axis in range(3):
        slip = velocity[axis, i] - plane[4 + axis] - along * plane[axis]
        velocity[axis, i] -= (np.float32(1.0) - kept) * slip


@parallel_kernel
def mean_square(field, blocks: Blocks, result):
    """|mean of a vector field (3, n + 8) over a particle and its neighbours|², (n,)."""
    for i in prange(result.size):
        zero = splat8(np.float32(0.0))
        x, y, z, n = zero, zero, zero, zero
        for b in range(blocks.first[i], blocks.last[i]):
            a = np.int64(blocks.start[b])
            mask = load8(LANE_MASKS, 8 * np.int64(blocks.bits[b]))
            n += mask
            x += mask * load8(field[0], a)
            y += mask * load8(field[1], a)
            z += mask * load8(field[2], a)
        mx, my, mz = sum8(x) + field[0, i], sum8(y) + field[1, i], sum8(z) + field[2, i]
        count = sum8(n) + np.float32(1.0)
        result[i] = (mx * mx + my * my + mz * mz) / (count * count)


@parallel_kernel
def behind(position, drift, blocks: Blocks, least, lag, company):
    """How far [m] a particle lies behind the middle of its neighbours in the direction of their drift, and how many they are.

    lag is 0 where the drift is slower than `least` [m/s].
    """
    for i in prange(lag.size):
        zero = splat8(np.float32(0.0))
        x, y, z, n = zero, zero, zero, zero
        dx, dy, dz = zero, zero, zero
        for b in range(blocks.first[i], blocks.last[i]):
            a = np.int64(blocks.start[b])
            mask = load8(LANE_MASKS, 8 * np.int64(blocks.bits[b]))
            n += mask
            x += mask * (load8(position[0], a) - splat8(position[0, i]))
            y += mask * (load8(position[1], a) - splat8(position[1, i]))
            z += mask * (load8(position[2], a) - splat8(position[2, i]))
            dx += mask * load8(drift[0], a)
            dy += mask * load8(drift[1], a)
            dz += mask * load8(drift[2], a)
        count = max(sum8(n), np.float32(1.0))
        vx, vy, vz = sum8(dx) / count, sum8(dy) / count, sum8(dz) / count
        speed = np.sqrt(vx * vx + vy * vy + vz * vz)
        company[i] = sum8(n)
        lag[i] = np.float32(0.0)
        if speed > least:
            lag[i] = (sum8(x) * vx + sum8(y) * vy + sum8(z) * vz) / (count * speed)
