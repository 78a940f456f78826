"""Foam: a hyperelastic body that yields after von Mises and then flows after Herschel and Bulkley.

『ずり依存流のシミュレーションの一手法』 (楽 詠, Breannan Smith, Christopher Batty, Changxi Zheng, Eitan Grinspun); equation
numbers are the paper's. The state of a point is the volume-free elastic left Cauchy–Green tensor b̄ (determinant 1) and the
volume ratio J. Kirchhoff stress (2): τ = κ/2 (J² − 1) I + µ dev b̄.

Tearing (section 5 there): a point is *weak* when it has been pulled out too far in tension or has lost its volume. A weak
point carries nothing while it is open (J > 1); what opens it is not stored as strain. Pressed together again (J ≤ 1) it is
whole, its history forgotten.
"""

import numpy as np

from ..jit import inlined, kernel, parallel_kernel, prange
from ..lane_math import any_less, as_lanes, choose_less, exponential, largest, least, logarithm, square_root
from ..simd import load8, splat8, store8
from ..walls.borrow import borrowed
from .tensor import determinant, increment, pushed, scaled, shifted, squared_norm, third_trace, unimodular

CHUNK = 1024
COLUMNS = ("shear", "bulk", "yield", "viscosity", "exponent", "density", "stretch", "swelling")
"""Columns of the material table: µ [Pa], κ [Pa], √(2/3) σ_Y [Pa], η [Pa sᵐ], m, ρ₀ [kg/m³], tensile strain and volume ratio
at which a point tears."""
_ROUNDS = 3
"""Newton steps for the flow: the start is within log 2, and the error of u is below 10⁻⁵ at any exponent in 0.1 … 3."""
_TINY, _SMALLEST_J = np.float32(1.0e-30), np.float32(0.05)
_ZERO, _HALF, _ONE, _TWO, _THREE = (np.float32(v) for v in (0.0, 0.5, 1.0, 2.0, 3.0))
_EQUIVALENT = np.float32(np.sqrt(2.0 / 3.0))
_MISES = np.float32(np.sqrt(1.5))


@inlined
def flow_ratio(excess, drive, viscosity, exponent):
    """u in [0, 1]: the share of the yield excess Y = s_pre − √(2/3)σ_Y that is left after a step, s = √(2/3)σ_Y + u Y.

    (14) divided by η^(1/m) Y, with A = 2 µ̃ Δt (`drive`):  u + B u^(1/m) = 1,  B = A/Y (Y/η)^(1/m).
    For m > 1 the unknown is u^(1/m) instead, so that one power is linear and the other at least linear; in z = log of the
    unknown, log(B e^(pz) + e^z) is convex and increasing, and Newton's method from the larger of the two one-term solutions
    decreases monotonically to the root: it cannot leave the bracket.
    """
    closed = viscosity / (viscosity + drive)  # (15): m = 1 or η = 0
    thinning = exponent - _ONE
    eta = largest(viscosity, _TINY)
    y = largest(excess, _TINY)
    log_y = logarithm(y)
    log_b = logarithm(drive) - log_y + (log_y - logarithm(eta)) / exponent
    none = as_lanes(_ZERO, log_b)
    a = choose_less(thinning, none, log_b, none)
    b = choose_less(thinning, none, none, log_b)
    p = largest(exponent, _ONE / exponent)
    z = least(none - b, none - a / p)
    for _ in range(_ROUNDS):
        steep, plain = exponential(a + p * z), exponential(b + z)
        total = steep + plain
        z = z - total * logarithm(total) / (p * steep + plain)
    z = choose_less(thinning, none, z, z * exponent)
    u = least(exponential(z), as_lanes(_ONE, z))
    curved = largest(thinning, none - thinning)
    u = choose_less(np.float32(1.0e-4), curved, u, closed)
    return choose_less(np.float32(1.0e-12), viscosity, u, closed)


@inlined
def foam_point(b, volume, gradient, dt, material):
    """One step of b̄ (6) and J under the velocity gradient (9). Returns b̄, J and the plastic strain of the step."""
    shear, _, strength, viscosity, exponent = material[0], material[1], material[2], material[3], material[4]
    f = increment(gradient, dt)
    volume = largest(volume * determinant(f), _SMALLEST_J)
    b = unimodular(pushed(f, b))  # (12)
    third = third_trace(b)
    dev = shifted(b, _ZERO - third)
    s = shear * square_root(squared_norm(dev))
    flowed = s - s
    if any_less(strength, s):
        drive = _TWO * shear * third * dt
        left = flow_ratio(s - strength, drive, viscosity, exponent)
        s_new = choose_less(strength, s, strength + left * (s - strength), s)
        b = unimodular(shifted(scaled(dev, s_new / largest(s, _TINY)), third))  # (16)
        # γ Δt = (s_pre − s) / 2µ̃ by (13); √(2/3) makes it the equivalent plastic strain
        flowed = _EQUIVALENT * (s - s_new) / (_TWO * shear * third)
    return b, volume, flowed


@inlined
def stress_of(b, volume, shear, bulk):
    """Kirchhoff stress (2), six values."""
    dev = shifted(b, _ZERO - third_trace(b))
    return shifted(scaled(dev, shear), _HALF * bulk * (volume * volume - _ONE))


@inlined
def torn_apart(b, volume, flowed, stretch, torn, density, material):
    """Tearing and healing. Returns b̄, J, tensile strain, torn (0 or 1).

    Plastic strain counts as stretch by its triaxiality T = mean stress / Mises stress: fully from T = ⅓ (a pulled rod), not
    at all below ⅙ (shear and its pressure noise), backwards under pressure.
    """
    shear, bulk, rho, most_stretch, most_volume = material[0], material[1], material[5], material[6], material[7]
    dev = shifted(b, _ZERO - third_trace(b))
    mises = largest(_MISES * shear * square_root(squared_norm(dev)), _TINY)
    pull = _THREE * (_HALF * bulk * (volume * volume - _ONE)) / mises
    one, zero = as_lanes(_ONE, pull), as_lanes(_ZERO, pull)
    weight = least(largest(_TWO * pull - _ONE, zero), one) - least(largest(zero - _TWO * pull - _ONE, zero), one)
    stretch = largest(stretch + weight * flowed, zero)
    weak = choose_less(most_stretch, stretch, one, choose_less(most_volume, volume, one, torn))
    open_weak = choose_less(one, volume, weak, zero)
    # an open point is as wide as the grid sees it, at most: flying apart is not remembered as a gap to be closed
    seen = largest(rho / largest(density, _TINY), one)
    volume = choose_less(_HALF, open_weak, least(volume, seen), volume)
    whole = one - open_weak
    healed = choose_less(_HALF, weak, choose_less(_HALF, open_weak, zero, one), zero)
    keep = one - largest(healed, open_weak)
    b = shifted(scaled(b, keep), one - keep)
    stretch = stretch * choose_less(_HALF, healed, zero, one)
    return b, volume, stretch, one - whole


@inlined
def one_step(b, volume, gradient, dt, stretch, torn, density, material):
    b, volume, flowed = foam_point(b, volume, gradient, dt, material)
    b, volume, stretch, torn = torn_apart(b, volume, flowed, stretch, torn, density, material)
    tau = stress_of(b, volume, material[0], material[1])
    tau = scaled(tau, choose_less(_HALF, torn, as_lanes(_ZERO, torn), as_lanes(_ONE, torn)))
    return b, volume, flowed, stretch, torn, tau


@inlined
def load_nine(array, n, p):
    return (
        load8(array, p), load8(array, n + p), load8(array, 2 * n + p), load8(array, 3 * n + p), load8(array, 4 * n + p),
        load8(array, 5 * n + p), load8(array, 6 * n + p), load8(array, 7 * n + p), load8(array, 8 * n + p),
    )  # fmt: skip


@inlined
def load_six(array, n, p):
    """Six components of eight particles from `p` on; n is the capacity."""
    return (
        load8(array, p), load8(array, n + p), load8(array, 2 * n + p), load8(array, 3 * n + p), load8(array, 4 * n + p),
        load8(array, 5 * n + p),
    )  # fmt: skip


@inlined
def store_six(array, n, p, value):
    for_all = value
    store8(array, p, for_all[0])
    store8(array, n + p, for_all[1])
    store8(array, 2 * n + p, for_all[2])
    store8(array, 3 * n + p, for_all[3])
    store8(array, 4 * n + p, for_all[4])
    store8(array, 5 * n + p, for_all[5])


@inlined
def splat_row(table, row):
    """A row of eight material constants, the same in all lanes."""
    return (
        splat8(table[row, 0]), splat8(table[row, 1]), splat8(table[row, 2]), splat8(table[row, 3]),
        splat8(table[row, 4]), splat8(table[row, 5]), splat8(table[row, 6]), splat8(table[row, 7]),
    )  # fmt: skip


@inlined
def lane_materials(table, body, p, count, room):
    """Eight material constants of eight particles that may belong to different bodies; `room` (64,) is scratch."""
    for lane in range(8):
        row = body[min(p + lane, count - 1)]
        for column in range(8):
            room[column * 8 + lane] = table[row, column]
    return (
        load8(room, 0), load8(room, 8), load8(room, 16), load8(room, 24), load8(room, 32), load8(room, 40), load8(room, 48),
        load8(room, 56),
    )  # fmt: skip


@parallel_kernel
def foam_law(all_points, table, count, dt, room):
    """Stress and strain of all particles after a gather; `all_points` is a `FoamPoints`, `room` float32 (chunks, 64)."""
    for c in prange((count + CHUNK - 1) // CHUNK):
        points, own = borrowed(all_points), borrowed(room[c])
        n = points.volume.size
        step = splat8(dt)
        material = splat_row(table, 0)
        for p in range(c * CHUNK, min(count, (c + 1) * CHUNK), 8):
            if len(table) > 1:
                material = lane_materials(table, points.body, p, count, own)
            b, volume, flowed, stretch, torn, tau = one_step(
                load_six(points.elastic, n, p), load8(points.volume, p), load_nine(points.gradient, n, p), step,
                load8(points.stretch, p), load8(points.torn, p), load8(points.density, p), material,
            )  # fmt: skip
            store_six(points.elastic, n, p, b)
            store_six(points.stress, n, p, tau)
            store8(points.volume, p, volume)
            store8(points.plastic, p, load8(points.plastic, p) + flowed)
            store8(points.stretch, p, stretch)
            store8(points.torn, p, torn)


@kernel
def foam_law_single(points, table, count, dt):
    """The same law, one particle at a time: the reference of the eight lanes."""
    for p in range(count):
        e, g, t = points.elastic, points.gradient, table[points.body[p]]
        b, volume, flowed, stretch, torn, tau = one_step(
            (e[0, p], e[1, p], e[2, p], e[3, p], e[4, p], e[5, p]), points.volume[p],
            (g[0, p], g[1, p], g[2, p], g[3, p], g[4, p], g[5, p], g[6, p], g[7, p], g[8, p]), dt,
            points.stretch[p], points.torn[p], points.density[p], (t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]),
        )  # fmt: skip
        for k, (strain, stress) in enumerate(zip(b, tau)):  # noqa: B905  (numba knows no strict)
            e[k, p], points.stress[k, p] = strain, stress
        points.volume[p], points.stretch[p], points.torn[p] = volume, stretch, torn
        points.plastic[p] += flowed
