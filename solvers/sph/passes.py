"""The sums over neighbours that both water schemes are made of.

Every pass gathers: particle i reads its neighbours and writes only its own numbers, so the result does not depend
on the number of threads. δ is the relative density (1 at rest), V the volume of a particle, and

    W(r) = C/h³ (1 − q)⁴(1 + 4q),  q = r/h,  C = 21/(2π)

the Wendland kernel of the incompressible scheme. Its Fourier transform is positive, so that particles under pressure
do not pair up; kernels in q² (poly6 and its relatives) were tried and do.
Walls enter through λ_i, the part of the kernel's integral that lies inside walls, and its gradient ∇λ_i.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, parallel_kernel, prange
from ..simd import load8, load_short8, max8, splat8, sqrt8, store_short8, sum8
from .neighbours import CHUNK, LANE_MASKS, Blocks

WENDLAND_NORM = 21.0 / (2.0 * np.pi)
POLY6_NORM = 315.0 / (64.0 * np.pi)
SPIKY_NORM = 15.0 / np.pi
VISCOSITY_NORM = 45.0 / np.pi
_SHORT = np.float32(65535.0)
"""(1 − q)³ is kept in 16 bits: the sweeps of the pressure solve wait for memory, not for arithmetic."""


class Reach(NamedTuple):
    """Constants of the kernels, float32."""

    h: np.float32
    per_h: np.float32
    """1 / h."""
    weight: np.float32
    """V C / h³."""
    own: np.float32
    """What a particle adds to its own δ, such that a lattice at rest has δ = 1."""
    slope: np.float32
    """20 V C / h⁵: ∇δ_ij = −slope (1 − q)³ x_ij."""
    short_slope: np.float32
    """The same for (1 − q)³ as `Blocks.cube` holds it."""
    laplacian: np.float32
    """V · 45 / (π h⁶): ∇²W_viscosity = laplacian (h − r)."""


def lattice_sum(h: float, spacing: float) -> float:
    """Σ (1−q)⁴(1+4q) over the neighbours of a point of the cubic lattice."""
    side = np.arange(-int(h / spacing) - 1, int(h / spacing) + 2) * spacing
    x, y, z = np.meshgrid(side, side, side, indexing="ij")
    q = np.sqrt(x * x + y * y + z * z).ravel() / h
    q = q[(q > 0.0) & (q < 1.0)]
    return float(((1.0 - q) ** 4 * (1.0 + 4.0 * q)).sum())


def reach_of(h: float, volume: float) -> Reach:
    """Constants for kernel radius h [m] and particle volume [m³]."""
    weight = volume * WENDLAND_NORM / h**3
    return Reach(
        np.float32(h),
        np.float32(1.0 / h),
        np.float32(weight),
        np.float32(1.0 - weight * lattice_sum(h, volume ** (1.0 / 3.0))),
        np.float32(20.0 * weight / h**2),
        np.float32(20.0 * weight / h**2 / float(_SHORT)),
        np.float32(volume * VISCOSITY_NORM / h**6),
    )


class Walled(NamedTuple):
    """What walls add, by near-wall row; `row[i]` is −1 away from walls."""

    row: np.ndarray
    weight: np.ndarray
    """λ, float32 (m,)."""
    slope: np.ndarray
    """∇λ [1/m], float32 (m, 3)."""
    velocity: np.ndarray
    """Velocity of the wall [m/s], float32 (m, 3)."""


@inlined
def offset(position, i, a):
    """x_i − x_j for the eight particles from a."""
    dx = splat8(position[0, i]) - load8(position[0], a)
    dy = splat8(position[1, i]) - load8(position[1], a)
    dz = splat8(position[2, i]) - load8(position[2], a)
    return dx, dy, dz


@inlined
def offsets(position, i, a):
    """x_i − x_j for the eight particles from a, and their squared length."""
    dx, dy, dz = offset(position, i, a)
    return dx, dy, dz, dx * dx + dy * dy + dz * dz


@inlined
def closeness(r2, reach, bits):
    """1 − q in the lanes that are neighbours, 0 elsewhere."""
    return (splat8(np.float32(1.0)) - sqrt8(r2) * splat8(reach.per_h)) * load8(LANE_MASKS, 8 * np.int64(bits))


@parallel_kernel
def density_pass(position, blocks: Blocks, walled: Walled, reach: Reach, density, diagonal):
    """δ_i and the diagonal |Σ_j ∇δ_ij + ∇λ_i|² + Σ_j |∇δ_ij|² of the pressure equation. Fills `blocks.cube`."""
    for i in prange(density.size):
        zero = splat8(np.float32(0.0))
        four, five, half = splat8(np.float32(4.0)), splat8(np.float32(5.0)), splat8(np.float32(0.5))
        w, gx, gy, gz, gg = zero, zero, zero, zero, zero
        for b in range(blocks.first[i], blocks.last[i]):
            dx, dy, dz, r2 = offsets(position, i, np.int64(blocks.start[b]))
            t = closeness(r2, reach, blocks.bits[b])
            t3 = t * t * t
            store_short8(blocks.cube, 8 * b, t3 * _SHORT + half)
            w += t3 * t * (five - four * t)  # (1−q)⁴(1+4q) with q = 1 − t
            gx += t3 * dx
            gy += t3 * dy
            gz += t3 * dz
            gg += t3 * t3 * r2
        k = reach.slope
        sx, sy, sz = -k * sum8(gx), -k * sum8(gy), -k * sum8(gz)
        delta = reach.own + reach.weight * sum8(w)
        row = walled.row[i]
        if row >= 0:
            delta += walled.weight[row]
            sx += walled.slope[row, 0]
            sy += walled.slope[row, 1]
            sz += walled.slope[row, 2]
        density[i] = delta
        diagonal[i] = sx * sx + sy * sy + sz * sz + k * k * sum8(gg)


@inlined
def compression_rate(position, field, i, blocks, walled, reach, wall_moves):
    """Σ_j (f_i − f_j)·∇δ_ij + (f_i − f_wall)·∇λ_i for a vector field f: dδ/dt if f is a velocity."""
    total = splat8(np.float32(0.0))
    fx, fy, fz = splat8(field[0, i]), splat8(field[1, i]), splat8(field[2, i])
    for b in range(blocks.first[i], blocks.last[i]):
        a = np.int64(blocks.start[b])
        dx, dy, dz = offset(position, i, a)
        along = (fx - load8(field[0], a)) * dx + (fy - load8(field[1], a)) * dy + (fz - load8(field[2], a)) * dz
        total += load_short8(blocks.cube, 8 * b) * along
    rate = -reach.short_slope * sum8(total)
    row = walled.row[i]
    if row >= 0:
        for axis in range(3):
            rate += (field[axis, i] - wall_moves * walled.velocity[row, axis]) * walled.slope[row, axis]
    return rate


@parallel_kernel
def rate_pass(position, velocity, blocks: Blocks, walled: Walled, reach: Reach, rate):
    """dδ_i/dt [1/s] in the present velocity field."""
    for i in prange(rate.size):
        rate[i] = compression_rate(position, velocity, i, blocks, walled, reach, np.float32(1.0))


@parallel_kernel
def pressure_pass(position, pressure, blocks: Blocks, walled: Walled, reach: Reach, specific, acceleration):
    """a_i = −(1/ρ₀) [Σ_j (p_i + p_j) ∇δ_ij + p_i ∇λ_i]; `specific` is 1/ρ₀ by particle. Momentum is conserved pairwise."""
    for i in prange(specific.size):
        zero = splat8(np.float32(0.0))
        ax, ay, az = zero, zero, zero
        p = splat8(pressure[i])
        for b in range(blocks.first[i], blocks.last[i]):
            a = np.int64(blocks.start[b])
            dx, dy, dz = offset(position, i, a)
            push = load_short8(blocks.cube, 8 * b) * (p + load8(pressure, a))
            ax += push * dx
            ay += push * dy
            az += push * dz
        k = reach.short_slope * specific[i]
        acceleration[0, i], acceleration[1, i], acceleration[2, i] = k * sum8(ax), k * sum8(ay), k * sum8(az)
        row = walled.row[i]
        if row >= 0:
            push_wall = pressure[i] * specific[i]
            for axis in range(3):
                acceleration[axis, i] -= push_wall * walled.slope[row, axis]


@parallel_kernel
def relax_pass(
    position, acceleration, blocks: Blocks, walled: Walled, reach: Reach, source, gain, dt2, momentum, pressure, change, error
):  # fmt: skip
    """One Jacobi sweep of 0 ≤ p_i ⊥ source_i + Δt² rate_i(a) ≤ 0, with momentum (heavy ball):

        p_i ← max(0, p_i + gain_i · residual_i + momentum · change_i),   change_i: what the sweep before did to p_i

    `error[chunk]` sums what is left: compression where it is resisted, but also expansion that pressure still causes.
    """
    count = source.size
    for c in prange((count + CHUNK - 1) // CHUNK):
        left = 0.0
        for i in range(c * CHUNK, min(count, (c + 1) * CHUNK)):
            rate = compression_rate(position, acceleration, i, blocks, walled, reach, np.float32(0.0))
            residual = source[i] + dt2 * rate
            before = pressure[i]
            after = max(before + gain[i] * residual + momentum * change[i], np.float32(0.0))
            pressure[i] = after
            change[i] = after - before
            if residual > np.float32(0.0):
                left += residual
            elif before > np.float32(0.0):
                left -= max(residual, (after - before) / max(gain[i], np.float32(1.0e-30)))
        error[c] = left


@parallel_kernel
def viscosity_pass(position, velocity, blocks: Blocks, walled: Walled, reach: Reach, viscosity, drag, specific, result):
    """∇·(µ∇v)/ρ₀ after (8) with the mean viscosity of each pair; walls by (17): `drag` is µ-free wall weight per row."""
    for i in prange(specific.size):
        zero = splat8(np.float32(0.0))
        ax, ay, az = zero, zero, zero
        half = splat8(np.float32(0.5))
        h = splat8(reach.h)
        mu = splat8(viscosity[i])
        vx, vy, vz = splat8(velocity[0, i]), splat8(velocity[1, i]), splat8(velocity[2, i])
        for b in range(blocks.first[i], blocks.last[i]):
            a = np.int64(blocks.start[b])
            dx, dy, dz, r2 = offsets(position, i, a)
            mask = load8(LANE_MASKS, 8 * np.int64(blocks.bits[b]))
            pull = mask * (h - sqrt8(r2)) * half * (mu + load8(viscosity, a))
            ax += pull * (load8(velocity[0], a) - vx)
            ay += pull * (load8(velocity[1], a) - vy)
            az += pull * (load8(velocity[2], a) - vz)
        k = reach.laplacian * specific[i]
        result[0, i], result[1, i], result[2, i] = k * sum8(ax), k * sum8(ay), k * sum8(az)
        row = walled.row[i]
        if row >= 0:
            pull_wall = viscosity[i] * drag[row] * specific[i]
            for axis in range(3):
                result[axis, i] += pull_wall * (walled.velocity[row, axis] - velocity[axis, i])


@parallel_kernel
def poly6_pass(position, blocks: Blocks, wall_row, wall_weight, h, weight, count, density):
    """δ_i = V Σ_j W_poly6 + wall weight (11), the reference scheme's density; `weight` is V · 315/(64 π h⁹)."""
    h2 = splat8(h * h)
    for i in prange(count):
        total = splat8(np.float32(0.0))
        for b in range(blocks.first[i], blocks.last[i]):
            _, _, _, r2 = offsets(position, i, np.int64(blocks.start[b]))
            t = (h2 - r2) * load8(LANE_MASKS, 8 * np.int64(blocks.bits[b]))
            total += t * t * t
        own = h * h
        delta = weight * (own * own * own + sum8(total))
        if wall_row[i] >= 0:
            delta += wall_weight[wall_row[i]]
        density[i] = delta


@parallel_kernel
def force_pass(position, velocity, blocks: Blocks, h, gradient, laplacian, pressure, volume, viscosity, count, force):
    """Pressure (7) with the spiky gradient and viscosity (8), per volume [N/m³].

    `volume[j]` is m_j/ρ_j; `gradient` is 45/(π h⁶), `laplacian` the same number for the viscosity kernel.
    """
    tiny = splat8(np.float32(1.0e-12) * h * h)
    for i in prange(count):
        zero = splat8(np.float32(0.0))
        fx, fy, fz = zero, zero, zero
        half = splat8(np.float32(0.5))
        hh, grad, lap = splat8(h), splat8(gradient), splat8(laplacian)
        p, mu = splat8(pressure[i]), splat8(viscosity[i])
        vx, vy, vz = splat8(velocity[0, i]), splat8(velocity[1, i]), splat8(velocity[2, i])
        for b in range(blocks.first[i], blocks.last[i]):
            a = np.int64(blocks.start[b])
            dx, dy, dz, r2 = offsets(position, i, a)
            r = sqrt8(max8(r2, tiny))
            t = hh - r
            share = half * load8(volume, a) * load8(LANE_MASKS, 8 * np.int64(blocks.bits[b]))
            push = share * grad * t * t * (p + load8(pressure, a)) / r
            pull = share * lap * t * (mu + load8(viscosity, a))
            fx += push * dx + pull * (load8(velocity[0], a) - vx)
            fy += push * dy + pull * (load8(velocity[1], a) - vy)
            fz += push * dz + pull * (load8(velocity[2], a) - vz)
        force[0, i], force[1, i], force[2, i] = sum8(fx), sum8(fy), sum8(fz)
