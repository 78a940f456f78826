"""Forces between grains: touching pairs are picked out of the list first, then handled eight at a time.

Positions are float64, because an overlap is a small difference of large numbers; what is left after the subtraction
is float32 and goes through vector registers. Every chunk of grains adds into rows of its own, which the next pass sums in
a fixed order: the result does not depend on the number of threads.
"""

from typing import NamedTuple

import numpy as np

from ..jit import kernel, parallel_kernel, prange
from ..simd import load8, max8, min8, splat8, sqrt8, store8
from ..walls.borrow import borrowed
from .lanes import abs8, join8, pick_less8, put_rows4, rows4, rows8, spread_rows8
from .law import ROLL_DAMPING, RUPTURE

BLOCK = 512
"""Listed pairs looked at before the touching ones among them are handled."""
_ROOM = BLOCK + 16
_ZERO, _HALF, _ONE, _TINY = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(1.0e-30)
_MINUS, _QUARTER = np.float32(-1.0), np.float32(0.25)
_ROLL = np.float32(2.0 * ROLL_DAMPING * np.sqrt(0.4))
_PER_RUPTURE = np.float32(1.0 / RUPTURE)
_SLACK = (1.0 + 0.5 * RUPTURE) ** 2 - 1.0
"""A bridge reaches RUPTURE · 2 r_i r_j/(r_i + r_j), at most half of RUPTURE · (r_i + r_j): squared, in squared radii sums."""


class PairList(NamedTuple):
    """Pairs closer than the skin, with the memory of their contacts."""

    first: np.ndarray
    second: np.ndarray
    """Grains of each pair, first < second, int32; chunk c owns places c · room …"""
    spring: np.ndarray
    """ξ [m] and the step at which it was last stretched, float32 (p, 4)."""
    roll: np.ndarray
    """θ [rad], float32 (p, 4); one row if nothing resists rolling."""
    count: np.ndarray
    """Pairs of each chunk, int64 (chunks,)."""
    begin: np.ndarray
    """First grain of each chunk, int64 (chunks + 1,)."""
    reach: np.ndarray
    """One past the last grain that each chunk touches, int64 (chunks,), not decreasing."""
    force_begin: np.ndarray
    """First force row of each chunk, int64 (chunks + 1,)."""
    turn: np.ndarray
    """Order in which chunks are dealt to threads, int64 (chunks,)."""


class Rows(NamedTuple):
    """Grains as the pair kernel reads them; eight spare rows follow the last grain."""

    place: np.ndarray
    """x, y, z, radius [m], float64 (n + 8, 4)."""
    motion: np.ndarray
    """v [m/s], radius, r ω [m/s], mass × weight, float32 (n + 8, 8)."""
    setting: np.ndarray
    """weight, ζ, µ, µ_r, cohesion, 0, 0, 0, float32 (n + 8, 8); one row if all grains are alike."""
    force: np.ndarray
    """Force [N], 0, moment / radius [N], 0, of each chunk's grains, float32 (rows, 8)."""


class Room(NamedTuple):
    """Where a chunk works: nothing in here lasts."""

    offset: np.ndarray
    """float32 (chunks, 4 · _ROOM): x, y, z of x_i − x_j and (r_i + r_j)² − |x_i − x_j|²."""
    index: np.ndarray
    """int32 (chunks, 3, _ROOM): grain i, grain j, pair."""
    row: np.ndarray
    """float32 (chunks, 128)."""


def make_room(chunks: int) -> Room:
    return Room(
        np.zeros((chunks, 4 * _ROOM), np.float32), np.zeros((chunks, 3, _ROOM), np.int32), np.zeros((chunks, 128), np.float32)
    )


@kernel
def _contacts8(offset, index_i, index_j, index_pair, k, motion, setting, spring, roll, law, stamp, dt, row):
    """Eight contacts from place k of the buffers: forces into `row` (rows for i, then for j), memories brought up to date."""
    zero, half, one = splat8(_ZERO), splat8(_HALF), splat8(_ONE)
    dx, dy, dz = load8(offset, k), load8(offset, _ROOM + k), load8(offset, 2 * _ROOM + k)
    a, b = rows8(motion, index_i, k), rows8(motion, index_j, k)
    old = rows4(spring, index_pair, k)
    total = a[3] + b[3]
    per_total = one / total
    distance = sqrt8(dx * dx + dy * dy + dz * dz)
    per_distance = one / distance
    nx, ny, nz = dx * per_distance, dy * per_distance, dz * per_distance
    overlap = load8(offset, 3 * _ROOM + k) / (total + distance)
    reduced = a[3] * b[3] * per_total
    mass = a[7] * b[7] / (a[7] + b[7])
    zeta, friction = splat8(law.damping), splat8(law.friction)
    rolling, cohesion = splat8(law.rolling), splat8(law.cohesion)
    stiffness = splat8(law.stiffness) * reduced
    if law.mixed:
        p, q = rows8(setting, index_i, k), rows8(setting, index_j, k)
        weight = half * (p[0] + q[0])
        stiffness = stiffness * weight
        zeta, friction = half * (p[1] + q[1]), half * (p[2] + q[2])
        rolling, cohesion = half * (p[3] + q[3]), half * (p[4] + q[4]) * weight
    root = sqrt8(stiffness * mass)
    gamma = (zeta + zeta) * root
    step = splat8(dt)
    if law.centred:
        gamma = gamma / (one + splat8(_QUARTER) * step * gamma / mass)
    vx, vy, vz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    approach = vx * nx + vy * ny + vz * nz
    push = stiffness * overlap - gamma * approach
    # A memory counts if the pair was in touch one step ago; a bridge lasts beyond touch, springs do not.
    fresh = pick_less8(abs8(old[3] - splat8(stamp - _ONE)), half, one, zero)
    bond, mark = one, splat8(stamp)
    if law.wet:
        touch = pick_less8(zero, overlap, one, zero)
        bond = max8(touch, fresh)
        mark = pick_less8(zero, bond, mark, splat8(_MINUS))
        push = push * touch
        fresh = fresh * touch
    # Slip at the contact: v − (v·n) n − (r_i ω_i + r_j ω_j) × d / (r_i + r_j)
    wx, wy, wz = (a[4] + b[4]) * per_total, (a[5] + b[5]) * per_total, (a[6] + b[6]) * per_total
    sx = vx - approach * nx - (wy * dz - wz * dy)
    sy = vy - approach * ny - (wz * dx - wx * dz)
    sz = vz - approach * nz - (wx * dy - wy * dx)
    ux, uy, uz = old[0] * fresh + sx * step, old[1] * fresh + sy * step, old[2] * fresh + sz * step
    lift = ux * nx + uy * ny + uz * nz
    ux, uy, uz = ux - lift * nx, uy - lift * ny, uz - lift * nz
    spring_rate = splat8(law.tangent) * stiffness
    lag = splat8(law.tangent_damping) * gamma / spring_rate
    ex, ey, ez = lag * sx, lag * sy, lag * sz
    tx, ty, tz = ux + ex, uy + ey, uz + ez
    pull = spring_rate * sqrt8(tx * tx + ty * ty + tz * tz) + splat8(_TINY)
    hold = min8(one, friction * abs8(push) / pull)
    put_rows4(spring, index_pair, k, (hold * tx - ex, hold * ty - ey, hold * tz - ez, mark))
    drag = zero - spring_rate * hold
    tx, ty, tz = drag * tx, drag * ty, drag * tz
    # moment on i: −r_i (d × F_t)/(r_i + r_j), on j the same with r_j; rows hold it without the radius
    mx, my, mz = (dz * ty - dy * tz) * per_total, (dx * tz - dz * tx) * per_total, (dy * tx - dx * ty) * per_total
    diameter, grip = reduced + reduced, push
    if law.wet:
        gap = max8(zero, zero - overlap) / diameter
        stretch = max8(zero, one - gap * splat8(_PER_RUPTURE))
        push = push - bond * stretch * cohesion * diameter * diameter
    fx, fy, fz = tx + push * nx, ty + push * ny, tz + push * nz
    if law.rolls:
        qx, qy, qz, ix, jx = _rolled(a, b, index_pair, k, roll, fresh, grip, stiffness, root, law, step, rolling, diameter)
        spread_rows8(row, 0, (fx, fy, fz, zero, mx + qx * ix, my + qy * ix, mz + qz * ix, zero))
        spread_rows8(row, 64, (fx, fy, fz, zero, mx - qx * jx, my - qy * jx, mz - qz * jx, zero))
    else:
        spread_rows8(row, 0, (fx, fy, fz, zero, mx, my, mz, zero))


@kernel
def _rolled(a, b, index_pair, k, roll, fresh, grip, stiffness, root, law, step, rolling, diameter):
    """Moment on i against rolling and twisting (three lanes), and 1/r_i, 1/r_j."""
    one, zero = splat8(_ONE), splat8(_ZERO)
    old = rows4(roll, index_pair, k)
    ix, jx = one / a[3], one / b[3]
    wx, wy, wz = a[4] * ix - b[4] * jx, a[5] * ix - b[5] * jx, a[6] * ix - b[6] * jx
    square = diameter * diameter
    rate = splat8(law.tangent) * stiffness * square
    lag = splat8(_ROLL) * sqrt8(splat8(law.tangent)) * root * square / rate
    ax, ay, az = old[0] * fresh + wx * step, old[1] * fresh + wy * step, old[2] * fresh + wz * step
    ex, ey, ez = lag * wx, lag * wy, lag * wz
    tx, ty, tz = ax + ex, ay + ey, az + ez
    moment = rate * sqrt8(tx * tx + ty * ty + tz * tz) + splat8(_TINY)
    hold = min8(one, rolling * diameter * abs8(grip) / moment)
    put_rows4(roll, index_pair, k, (hold * tx - ex, hold * ty - ey, hold * tz - ez, zero))
    drag = zero - rate * hold
    return drag * tx, drag * ty, drag * tz, ix, jx


@kernel
def _chunk(c, rows, pairs, law, stamp, dt, offset, index, row):
    """All pairs of one chunk."""
    place, motion = rows.place.reshape(-1), rows.motion.reshape(-1)
    setting, force = rows.setting.reshape(-1), rows.force.reshape(-1)
    spring, roll = pairs.spring.reshape(-1), pairs.roll.reshape(-1)
    index_i, index_j, index_pair = index[0], index[1], index[2]
    room = len(pairs.first) // len(pairs.count)
    start, end = c * room, c * room + pairs.count[c]
    shift = pairs.force_begin[c] - pairs.begin[c]
    slack = _SLACK if law.wet else 0.0
    spare = len(rows.place) - 8
    sign = join8(_MINUS, _ONE)
    waiting = 0
    for block in range(start, max(end, start + 1), BLOCK - 8):
        block_end = min(block + BLOCK - 8, end)
        for p in range(block, block_end):
            i, j = np.int64(pairs.first[p]), np.int64(pairs.second[p])
            dx = place[4 * i] - place[4 * j]
            dy = place[4 * i + 1] - place[4 * j + 1]
            dz = place[4 * i + 2] - place[4 * j + 2]
            total = place[4 * i + 3] + place[4 * j + 3]
            depth = total * total - (dx * dx + dy * dy + dz * dz)
            offset[waiting], offset[_ROOM + waiting], offset[2 * _ROOM + waiting] = dx, dy, dz
            offset[3 * _ROOM + waiting] = depth
            index_i[waiting], index_j[waiting], index_pair[waiting] = i, j, p
            waiting += depth + slack * total * total > 0.0
        ready = waiting & ~7
        real = ready
        if block_end == end and waiting > ready:
            for k in range(waiting, ready + 8):
                offset[k], offset[_ROOM + k], offset[2 * _ROOM + k], offset[3 * _ROOM + k] = _ONE, _ZERO, _ZERO, _ZERO
                index_i[k], index_j[k], index_pair[k] = spare, spare, start + room - 1
            real = waiting
            ready += 8
        for k in range(0, ready, 8):
            _contacts8(offset, index_i, index_j, index_pair, k, motion, setting, spring, roll, law, stamp, dt, row)
            other = 64 if law.rolls else 0
            for lane in range(min(8, real - k)):
                at = 8 * (index_i[k + lane] + shift)
                store8(force, at, load8(force, at) + load8(row, 8 * lane))
                at = 8 * (index_j[k + lane] + shift)
                store8(force, at, load8(force, at) + sign * load8(row, other + 8 * lane))
        left = 0
        for k in range(ready, waiting):
            for part in range(4):
                offset[part * _ROOM + left] = offset[part * _ROOM + k]
            index_i[left], index_j[left], index_pair[left] = index_i[k], index_j[k], index_pair[k]
            left += 1
        waiting = left


@parallel_kernel
def add_pair_forces(all_rows, all_pairs, law, stamp, dt, all_room):
    """Add the forces of every touching pair to the force rows; `stamp` is the number of the step since the list was made."""
    for turn in prange(len(all_pairs.count)):
        rows, pairs, room = borrowed(all_rows), borrowed(all_pairs), borrowed(all_room)
        c = pairs.turn[turn]
        _chunk(c, rows, pairs, law, stamp, dt, room.offset[c], room.index[c], room.row[c])
