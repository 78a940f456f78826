"""The material: fixed corotated elasticity, singular-value plasticity.

    Ψ = µ Σ (σᵢ − 1)² + λ/2 (J − 1)²        σ: singular values of F_E, J = σ₀σ₁σ₂            (Stomakhin et al. 2012, 2013)
    τ = ∂Ψ/∂F_E F_Eᵀ = U diag(σᵢ Pᵢ) Uᵀ,     Pᵢ = 2µ (σᵢ − 1) + λ (J − 1) J/σᵢ

The second derivative is analytic. For a velocity gradient G let T = Uᵀ G U; then δ(P) F_Eᵀ = U Z Uᵀ with

    Zᵢᵢ = σᵢ Σⱼ Aᵢⱼ σⱼ Tⱼⱼ           A = ∂P/∂σ
    Zᵢⱼ = a σⱼ² Tᵢⱼ + b σᵢσⱼ Tⱼᵢ     a ± b = (Pᵢ ∓ Pⱼ)/(σᵢ ∓ σⱼ): 2µ − λ(J−1)σₖ and 2µ (1 − 2/(σᵢ+σⱼ)) + λ(J−1)σₖ

V drops out, so that 24 numbers a master hold the whole derivative. Where it is indefinite (inverted, strongly compressed), the
negative part is left out: the matrix of equation (14) stays positive definite.
"""

from typing import NamedTuple

import numpy as np

from ..jit import exact_kernel, inlined, kernel, parallel_kernel, prange
from .svd import svd

MU, LAMBDA, SQUEEZE, STRETCH, HARDENING, DENSITY, KEEP_VOLUME, TOUGHNESS = range(8)
"""Columns of the material table: µ and λ [Pa], yield θ_c and θ_s, hardening ξ, density [kg/m³], whether only the shape yields,
tensile plastic strain at which it tears."""
NEVER = 1.0e30
"""A yield point that is never reached."""
CURVE = 24
"""Numbers that hold the second derivative of one master: U (9), A (6), three off-diagonal blocks of 3."""
_MOST_HARDENING = 4.0
_LEAST_SUM = 1.0e-3


class Points(NamedTuple):
    """What the law reads and writes of the masters, by component."""

    elastic: np.ndarray
    """F_E row by row, float64 (9, capacity)."""
    plastic_volume: np.ndarray
    """det F_P, float64 (capacity,). F_P itself would grow without bound in what flows; only its determinant is ever used."""
    plastic: np.ndarray
    """Accumulated plastic strain, float64 (capacity,)."""
    drawn: np.ndarray
    """Plastic strain gathered in tension since it was last whole, float64 (capacity,)."""
    torn: np.ndarray
    """1 where the material has come apart, int32 (capacity,)."""
    volume: np.ndarray
    """Volume at rest V⁰ [m³], float64 (capacity,)."""
    body: np.ndarray
    """Row of the material table, int32 (capacity,)."""


@inlined
def hardened(table, row, plastic_volume):
    """µ and λ after hardening e^{ξ(1 − J_P)}."""
    power = table[row, HARDENING] * (1.0 - plastic_volume)
    factor = np.exp(min(max(power, -_MOST_HARDENING), _MOST_HARDENING))
    return table[row, MU] * factor, table[row, LAMBDA] * factor


@inlined
def principal_stress(mu, lam, s0, s1, s2):
    """P of the three singular values."""
    over = lam * (s0 * s1 * s2 - 1.0)
    return 2.0 * mu * (s0 - 1.0) + over * s1 * s2, 2.0 * mu * (s1 - 1.0) + over * s0 * s2, 2.0 * mu * (s2 - 1.0) + over * s0 * s1


@kernel
def energy(mu, lam, f):
    """Ψ [J/m³] of nine numbers F_E, row by row."""
    _, _, _, s0, s1, s2, _, _, _ = svd(f)
    j = s0 * s1 * s2
    return mu * ((s0 - 1.0) ** 2 + (s1 - 1.0) ** 2 + (s2 - 1.0) ** 2) + 0.5 * lam * (j - 1.0) ** 2


@inlined
def _block(mu, over, si, sj, sk):
    """a σⱼ², a σᵢ² and b σᵢσⱼ of one pair, projected to be positive."""
    even = max(2.0 * mu - over * sk, 0.0)
    odd = max(2.0 * mu * (1.0 - 2.0 / max(si + sj, _LEAST_SUM)) + over * sk, 0.0)
    a, b = 0.5 * (even + odd), 0.5 * (even - odd)
    return a * sj * sj, a * si * si, b * si * sj


@parallel_kernel
def stress_and_curvature(points, table, count, stress, curve):
    """V⁰ τ, float32 (n, 9), and the derivative, float32 (n, CURVE), of every master."""
    for m in prange(count):
        e = points.elastic
        f = (e[0, m], e[1, m], e[2, m], e[3, m], e[4, m], e[5, m], e[6, m], e[7, m], e[8, m])
        u0, u1, u2, s0, s1, s2, _, _, _ = svd(f)
        mu, lam = hardened(table, points.body[m], points.plastic_volume[m])
        p0, p1, p2 = principal_stress(mu, lam, s0, s1, s2)
        volume = points.volume[m]
        t0, t1, t2 = volume * s0 * p0, volume * s1 * p1, volume * s2 * p2
        for i in range(3):
            for j in range(3):
                stress[m, 3 * i + j] = t0 * u0[i] * u0[j] + t1 * u1[i] * u1[j] + t2 * u2[i] * u2[j]
            curve[m, 3 * i], curve[m, 3 * i + 1], curve[m, 3 * i + 2] = u0[i], u1[i], u2[i]
        over = lam * (s0 * s1 * s2 - 1.0)
        c0, c1, c2 = s1 * s2, s0 * s2, s0 * s1
        a00, a11, a22 = 2.0 * mu + lam * c0 * c0, 2.0 * mu + lam * c1 * c1, 2.0 * mu + lam * c2 * c2
        a01, a02, a12 = lam * c0 * c1 + over * s2, lam * c0 * c2 + over * s1, lam * c1 * c2 + over * s0
        minor = a00 * a11 - a01 * a01
        whole = a00 * (a11 * a22 - a12 * a12) - a01 * (a01 * a22 - a12 * a02) + a02 * (a01 * a12 - a11 * a02)
        if minor <= 0.0 or whole <= 0.0:
            # 2µ I + λ c cᵀ is positive definite whatever the strain
            a01, a02, a12 = lam * c0 * c1, lam * c0 * c2, lam * c1 * c2
        curve[m, 9], curve[m, 10], curve[m, 11] = volume * a00 * s0 * s0, volume * a11 * s1 * s1, volume * a22 * s2 * s2
        curve[m, 12], curve[m, 13], curve[m, 14] = volume * a01 * s0 * s1, volume * a02 * s0 * s2, volume * a12 * s1 * s2
        x, y, z = _block(mu, over, s0, s1, s2)
        curve[m, 15], curve[m, 16], curve[m, 17] = volume * x, volume * y, volume * z
        x, y, z = _block(mu, over, s0, s2, s1)
        curve[m, 18], curve[m, 19], curve[m, 20] = volume * x, volume * y, volume * z
        x, y, z = _block(mu, over, s1, s2, s0)
        curve[m, 21], curve[m, 22], curve[m, 23] = volume * x, volume * y, volume * z


@inlined
def bent(curve, m, g):
    """V⁰ δ(P) F_Eᵀ, nine numbers, for a gradient of nine numbers, both row by row."""
    u00, u01, u02 = curve[m, 0], curve[m, 1], curve[m, 2]
    u10, u11, u12 = curve[m, 3], curve[m, 4], curve[m, 5]
    u20, u21, u22 = curve[m, 6], curve[m, 7], curve[m, 8]
    # T = Uᵀ G U
    a00, a01, a02 = (
        g[0] * u00 + g[1] * u10 + g[2] * u20,
        g[0] * u01 + g[1] * u11 + g[2] * u21,
        g[0] * u02 + g[1] * u12 + g[2] * u22,
    )
    a10, a11, a12 = (
        g[3] * u00 + g[4] * u10 + g[5] * u20,
        g[3] * u01 + g[4] * u11 + g[5] * u21,
        g[3] * u02 + g[4] * u12 + g[5] * u22,
    )
    a20, a21, a22 = (
        g[6] * u00 + g[7] * u10 + g[8] * u20,
        g[6] * u01 + g[7] * u11 + g[8] * u21,
        g[6] * u02 + g[7] * u12 + g[8] * u22,
    )
    t00, t01, t02 = u00 * a00 + u10 * a10 + u20 * a20, u00 * a01 + u10 * a11 + u20 * a21, u00 * a02 + u10 * a12 + u20 * a22
    t10, t11, t12 = u01 * a00 + u11 * a10 + u21 * a20, u01 * a01 + u11 * a11 + u21 * a21, u01 * a02 + u11 * a12 + u21 * a22
    t20, t21, t22 = u02 * a00 + u12 * a10 + u22 * a20, u02 * a01 + u12 * a11 + u22 * a21, u02 * a02 + u12 * a12 + u22 * a22
    z00 = curve[m, 9] * t00 + curve[m, 12] * t11 + curve[m, 13] * t22
    z11 = curve[m, 12] * t00 + curve[m, 10] * t11 + curve[m, 14] * t22
    z22 = curve[m, 13] * t00 + curve[m, 14] * t11 + curve[m, 11] * t22
    z01, z10 = curve[m, 15] * t01 + curve[m, 17] * t10, curve[m, 16] * t10 + curve[m, 17] * t01
    z02, z20 = curve[m, 18] * t02 + curve[m, 20] * t20, curve[m, 19] * t20 + curve[m, 20] * t02
    z12, z21 = curve[m, 21] * t12 + curve[m, 23] * t21, curve[m, 22] * t21 + curve[m, 23] * t12
    # U Z Uᵀ
    a00, a01, a02 = u00 * z00 + u01 * z10 + u02 * z20, u00 * z01 + u01 * z11 + u02 * z21, u00 * z02 + u01 * z12 + u02 * z22
    a10, a11, a12 = u10 * z00 + u11 * z10 + u12 * z20, u10 * z01 + u11 * z11 + u12 * z21, u10 * z02 + u11 * z12 + u12 * z22
    a20, a21, a22 = u20 * z00 + u21 * z10 + u22 * z20, u20 * z01 + u21 * z11 + u22 * z21, u20 * z02 + u21 * z12 + u22 * z22
    return (
        a00 * u00 + a01 * u01 + a02 * u02, a00 * u10 + a01 * u11 + a02 * u12, a00 * u20 + a01 * u21 + a02 * u22,
        a10 * u00 + a11 * u01 + a12 * u02, a10 * u10 + a11 * u11 + a12 * u12, a10 * u20 + a11 * u21 + a12 * u22,
        a20 * u00 + a21 * u01 + a22 * u02, a20 * u10 + a21 * u11 + a22 * u12, a20 * u20 + a21 * u21 + a22 * u22,
    )  # fmt: skip


@inlined
def _clamped(s, low, high):
    return min(max(s, low), high)


@exact_kernel
def yielded(s0, s1, s2, squeeze, stretch, keep_volume):
    """Singular values after (18): inside [1 − θ_c, 1 + θ_s]; with `keep_volume` only the shape yields, J stays elastic."""
    low, high = 1.0 - squeeze, 1.0 + stretch
    if keep_volume == 0.0:
        return _clamped(s0, low, high), _clamped(s1, low, high), _clamped(s2, low, high)
    j = s0 * s1 * s2
    if j <= 1.0e-6:
        return _clamped(s0, low, high), _clamped(s1, low, high), _clamped(s2, low, high)
    size = j ** (1.0 / 3.0)
    r0, r1, r2 = _clamped(s0 / size, low, high), _clamped(s1 / size, low, high), _clamped(s2 / size, low, high)
    back = size / (r0 * r1 * r2) ** (1.0 / 3.0)
    return r0 * back, r1 * back, r2 * back


@exact_kernel
def _flow_one(points, table, g, dt, m):
    """`flow` of one master."""
    e, body, torn, drawn = points.elastic, points.body, points.torn, points.drawn
    plastic, plastic_volume = points.plastic, points.plastic_volume
    row = body[m]
    f00, f01, f02 = e[0, m], e[1, m], e[2, m]
    f10, f11, f12 = e[3, m], e[4, m], e[5, m]
    f20, f21, f22 = e[6, m], e[7, m], e[8, m]
    a = (
        f00 + dt * (g[0, m] * f00 + g[1, m] * f10 + g[2, m] * f20),
        f01 + dt * (g[0, m] * f01 + g[1, m] * f11 + g[2, m] * f21),
        f02 + dt * (g[0, m] * f02 + g[1, m] * f12 + g[2, m] * f22),
        f10 + dt * (g[3, m] * f00 + g[4, m] * f10 + g[5, m] * f20),
        f11 + dt * (g[3, m] * f01 + g[4, m] * f11 + g[5, m] * f21),
        f12 + dt * (g[3, m] * f02 + g[4, m] * f12 + g[5, m] * f22),
        f20 + dt * (g[6, m] * f00 + g[7, m] * f10 + g[8, m] * f20),
        f21 + dt * (g[6, m] * f01 + g[7, m] * f11 + g[8, m] * f21),
        f22 + dt * (g[6, m] * f02 + g[7, m] * f12 + g[8, m] * f22),
    )
    stretch, squeeze = table[row, STRETCH], table[row, SQUEEZE]
    if stretch >= NEVER and squeeze >= NEVER:
        for part in range(9):
            e[part, m] = a[part]
        return
    u0, u1, u2, s0, s1, s2, v0, v1, v2 = svd(a)
    if torn[m] != 0:
        if s0 * s1 * s2 < 1.0:
            torn[m] = 0
            drawn[m] = 0.0
        else:
            stretch = 0.0
    keep = 0.0 if torn[m] != 0 else table[row, KEEP_VOLUME]
    r0, r1, r2 = yielded(s0, s1, s2, squeeze, stretch, keep)
    change = abs(s0 - r0) + abs(s1 - r1) + abs(s2 - r2)
    if change == 0.0:
        for part in range(9):
            e[part, m] = a[part]
        return
    for i in range(3):
        for j in range(3):
            e[3 * i + j, m] = u0[i] * r0 * v0[j] + u1[i] * r1 * v1[j] + u2[i] * r2 * v2[j]
    plastic[m] = plastic[m] + change
    drawn[m] = drawn[m] + max(s0 - r0, 0.0)
    plastic_volume[m] = plastic_volume[m] * _clamped(s0 * s1 * s2 / max(r0 * r1 * r2, 1.0e-9), 0.5, 2.0)
    if drawn[m] > table[row, TOUGHNESS]:
        torn[m] = 1


@parallel_kernel
def flow(points, table, gradient, dt, count):
    """F_E ← (I + Δt ∇v) F_E (17), then what is beyond the yield points becomes plastic (18)–(20); what was drawn out too far
    tears, and is whole again when it is pressed together. `gradient`: ∇v row by row, float64 (9, capacity)."""
    for m in prange(count):
        _flow_one(points, table, gradient, dt, m)


__all__ = ["CURVE", "NEVER", "Points", "bent", "energy", "flow", "stress_and_curvature", "yielded"]
