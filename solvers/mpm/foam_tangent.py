"""The foam law as the semi-implicit step sees it: a line through the stress at the velocity gradient that is expected.

    τ(∇v) ≈ τ(∇v₀) + Δt C : (∇v − ∇v₀),    C : D = κ J² tr(D) I + 2 µ̃ r dev D

The step feels (1 − θ) τₙ + θ τ(∇v), and C carries θ.

r says what yielding leaves of the elastic answer: 1 below yield, else the larger of the secant s/s_pre and the slope ds/ds_pre of
the return (14). With u = (s − √(2/3)σ_Y)/(s_pre − √(2/3)σ_Y) the slope is  m u / (m u + 1 − u).  Thus C is never softer than the
law: each solve lowers the energy of the step, and the large steps of stiff foam stay stable while it yields. C is isotropic, so
that the operator is symmetric and costs two numbers a particle. Torn material answers with nothing.
"""

import numpy as np

from ..jit import inlined, parallel_kernel, prange
from ..lane_math import as_lanes, choose_less, largest, least, square_root
from ..simd import load8, splat8, store8
from ..walls.borrow import borrowed
from .foam_law import CHUNK, lane_materials, load_nine, load_six, one_step, splat_row, store_six
from .tensor import shifted, squared_norm, third_trace

LATE = np.float32(0.6)
"""θ of elastic material, the share of the stress at the end of the step. Waves of ω Δt lose by √(1 + θ ω²Δt²) in a step: 1 damps
twice as much as ½, below which large steps are not stable. What flows or is torn takes θ = 1: stress that is gone at the end of
the step must not push through all of it."""
_ZERO, _HALF, _ONE, _TWO, _THIRD = (np.float32(v) for v in (0.0, 0.5, 1.0, 2.0, 1.0 / 3.0))
_TINY = np.float32(1.0e-30)
_PER_STRAIN = np.float32(2.0 * np.sqrt(1.5))
"""s_pre − s = 2 µ̃ γ Δt with γ Δt = √(3/2) of the equivalent plastic strain."""


MOST_STRAIN = np.float32(0.4)
"""Lines are taken at no more than this strain in a step: I + Δt ∇v means little beyond."""


@inlined
def _tamed(gradient, dt):
    """∇v, made smaller where ‖Δt ∇v‖ exceeds `MOST_STRAIN`."""
    g00, g10, g20, g01, g11, g21, g02, g12, g22 = gradient
    square = g00 * g00 + g10 * g10 + g20 * g20 + g01 * g01 + g11 * g11 + g21 * g21 + g02 * g02 + g12 * g12 + g22 * g22
    strain = largest(dt * square_root(square), as_lanes(_TINY, square))
    k = least(MOST_STRAIN / strain, as_lanes(_ONE, square))
    return g00 * k, g10 * k, g20 * k, g01 * k, g11 * k, g21 * k, g02 * k, g12 * k, g22 * k


@inlined
def _left_by_yield(b, flowed, material):
    """r, and µ̃: from b̄ after the step and the equivalent plastic strain of the step."""
    shear, strength, exponent = material[0], material[2], material[4]
    third = third_trace(b)
    stiff = shear * third
    s = shear * square_root(squared_norm(shifted(b, _ZERO - third)))
    before = largest(s + _PER_STRAIN * stiff * flowed, as_lanes(_TINY, s))
    u = largest(s - strength, as_lanes(_ZERO, s)) / largest(before - strength, as_lanes(_TINY, s))
    slope = exponent * u / (exponent * u + largest(_ONE - u, as_lanes(_TINY, s)))
    left = least(largest(s / before, slope), as_lanes(_ONE, s))
    return choose_less(as_lanes(_ZERO, s), flowed, left, as_lanes(_ONE, s)), stiff


@inlined
def _line(old, tau, late, gradient, bulk, shear, dt):
    """(1 − θ) τₙ + θ τ − Δt C : ∇v, six values, for moduli that carry θ (`late`): where the line crosses ∇v = 0."""
    g00, g10, g20, g01, g11, g21, g02, g12, g22 = gradient
    pressure = (bulk - _TWO * _THIRD * shear) * (g00 + g11 + g22)
    return (
        old[0] + late * (tau[0] - old[0]) - dt * (pressure + _TWO * shear * g00),
        old[1] + late * (tau[1] - old[1]) - dt * (pressure + _TWO * shear * g11),
        old[2] + late * (tau[2] - old[2]) - dt * (pressure + _TWO * shear * g22),
        old[3] + late * (tau[3] - old[3]) - dt * shear * (g01 + g10),
        old[4] + late * (tau[4] - old[4]) - dt * shear * (g02 + g20),
        old[5] + late * (tau[5] - old[5]) - dt * shear * (g12 + g21),
    )


@parallel_kernel
def foam_tangent(all_points, table, count, dt, room, all_stress, all_moduli):
    """Lines of all particles at the gradients in `all_points`, which stays as it is: stress (6, capacity) at ∇v = 0, and the
    moduli of `stiffness.Moduli`."""
    for c in prange((count + CHUNK - 1) // CHUNK):
        points, own, stress, moduli = borrowed(all_points), borrowed(room[c]), borrowed(all_stress), borrowed(all_moduli)
        n = points.volume.size
        step, zero = splat8(dt), splat8(_ZERO)
        material = splat_row(table, 0)
        for p in range(c * CHUNK, min(count, (c + 1) * CHUNK), 8):
            if len(table) > 1:
                material = lane_materials(table, points.body, p, count, own)
            gradient = _tamed(load_nine(points.gradient, n, p), step)
            old_volume = load8(points.volume, p)
            b, volume, flowed, _, torn, tau = one_step(
                load_six(points.elastic, n, p), old_volume, gradient, step,
                load8(points.stretch, p), load8(points.torn, p), load8(points.density, p), material,
            )  # fmt: skip
            left, stiff = _left_by_yield(b, flowed, material)
            late = choose_less(flowed + torn, splat8(_TINY), splat8(LATE), splat8(_ONE))
            shear = choose_less(splat8(_HALF), torn, zero, late * left * stiff)
            widest = largest(volume, old_volume)
            bulk = choose_less(splat8(_HALF), torn, zero, late * material[1] * widest * widest)
            store_six(stress, n, p, _line(load_six(points.stress, n, p), tau, late, gradient, bulk, shear, step))
            store8(moduli.bulk, p, bulk)
            store8(moduli.shear, p, shear)
