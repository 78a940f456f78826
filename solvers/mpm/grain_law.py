"""Grains as a continuum: the elasticity of foam with a yield stress that grows with pressure (Drucker and Prager).

Stress (2) of the foam paper, τ = κ/2 (J² − 1) I + µ dev b̄. With the pressure p = −κ/2 (J² − 1) the deviator obeys

    ‖dev τ‖ ≤ √2 (tan φ · p + c)

so that simple shear yields at τ/p = tan φ. The return is radial at constant J: plastic flow never changes the volume, hence no
dilation. J is the true volume ratio, also of loose material: open grains (J > 1) carry nothing, and they carry again exactly
when the gap is closed, so that spreading and collecting neither gains nor loses volume. A gap is never remembered as wider
than the grid's density says, for scattered grains have no neighbours to measure it by.
"""

import numpy as np

from ..jit import inlined, kernel, parallel_kernel, prange
from ..lane_math import as_lanes, choose_less, largest, least, square_root
from ..simd import load8, splat8, store8
from ..walls.borrow import borrowed
from .foam_law import CHUNK, lane_materials, load_nine, load_six, splat_row, store_six
from .tensor import determinant, increment, pushed, scaled, shifted, squared_norm, third_trace, unimodular

COLUMNS = ("shear", "bulk", "slope", "cohesion", "unused", "density", "unused", "unused")
"""Columns of the material table: µ [Pa], κ [Pa], √2 tan φ, √2 c [Pa], –, ρ₀ [kg/m³]."""
_ZERO, _HALF, _ONE, _TWO = (np.float32(v) for v in (0.0, 0.5, 1.0, 2.0))
_TINY, _SMALLEST_J = np.float32(1.0e-30), np.float32(0.05)
_EQUIVALENT = np.float32(np.sqrt(2.0 / 3.0))


@inlined
def grain_point(b, volume, gradient, dt, density, material):
    """One step of b̄ (6) and J. Returns b̄, J, plastic strain of the step and Kirchhoff stress (6)."""
    shear, bulk, slope, cohesion, rho = material[0], material[1], material[2], material[3], material[5]
    f = increment(gradient, dt)
    volume = largest(volume * determinant(f), _SMALLEST_J)
    b = unimodular(pushed(f, b))
    one, zero = as_lanes(_ONE, volume), as_lanes(_ZERO, volume)
    # cohesion carries a little tension: the gap opens where −p exceeds c / tan φ
    widest = square_root(one + _TWO * cohesion / largest(slope * bulk, _TINY))
    open_grains = choose_less(widest, volume, one, zero)
    seen = largest(rho / largest(density, _TINY), widest)
    volume = choose_less(_HALF, open_grains, least(volume, seen), volume)
    pressure = _HALF * bulk * (one - volume * volume)
    third = third_trace(b)
    dev = shifted(b, zero - third)
    s = shear * square_root(squared_norm(dev))
    most = choose_less(_HALF, open_grains, zero, largest(slope * pressure + cohesion, zero))
    share = choose_less(most, s, most / largest(s, _TINY), one)
    b = unimodular(shifted(scaled(dev, share), choose_less(_HALF, open_grains, one, third)))
    flowed = _EQUIVALENT * s * (one - share) / (_TWO * shear * third)
    dev = shifted(b, zero - third_trace(b))
    tau = shifted(scaled(dev, shear), zero - choose_less(_HALF, open_grains, zero, pressure))
    return b, volume, flowed, tau


@parallel_kernel
def grain_law(all_points, table, count, dt, room):
    """Stress and strain of all particles after a gather; `all_points` is a `GrainPoints`, `room` float32 (chunks, 64)."""
    for c in prange((count + CHUNK - 1) // CHUNK):
        points, own = borrowed(all_points), borrowed(room[c])
        n = points.volume.size
        step = splat8(dt)
        material = splat_row(table, 0)
        for p in range(c * CHUNK, min(count, (c + 1) * CHUNK), 8):
            if len(table) > 1:
                material = lane_materials(table, points.body, p, count, own)
            b, volume, flowed, tau = grain_point(
                load_six(points.elastic, n, p), load8(points.volume, p), load_nine(points.gradient, n, p), step,
                load8(points.density, p), material,
            )  # fmt: skip
            store_six(points.elastic, n, p, b)
            store_six(points.stress, n, p, tau)
            store8(points.volume, p, volume)
            store8(points.plastic, p, load8(points.plastic, p) + flowed)


@kernel
def grain_law_single(points, table, count, dt):
    """The same law, one particle at a time: the reference of the eight lanes."""
    for p in range(count):
        e, g, t = points.elastic, points.gradient, table[points.body[p]]
        b, volume, flowed, tau = grain_point(
            (e[0, p], e[1, p], e[2, p], e[3, p], e[4, p], e[5, p]), points.volume[p],
            (g[0, p], g[1, p], g[2, p], g[3, p], g[4, p], g[5, p], g[6, p], g[7, p], g[8, p]), dt,
            points.density[p], (t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]),
        )  # fmt: skip
        for k, (strain, stress) in enumerate(zip(b, tau)):  # noqa: B905  (numba knows no strict)
            e[k, p], points.stress[k, p] = strain, stress
        points.volume[p] = volume
        points.plastic[p] += flowed
