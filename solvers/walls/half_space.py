"""Wall weights: what the solid behind a plane contributes to a particle's kernel sums.

The wall is a half-space at distance d = αh, so the sums over wall particles become integrals in closed form (section 4
of 『再構築ポリゴン壁を用いたSPHの壁境界計算手法』, 笠 晃一, IPSJ SIG Technical Report 2014-CG-156). For α < 0 the
particle is inside the wall: Λ(α) = 1 − Λ(−α).

Functions of one α for use inside kernels; they compute in double precision.
"""

from ..jit import inlined

WENDLAND, POLY6 = 0, 1
"""Kernels with support h: Wendland C2, W = 21/(2π h³) (1−q)⁴ (4q+1); poly6 (9), W = 315/(64π h⁹) (h²−r²)³."""
KERNELS = {"wendland": WENDLAND, "poly6": POLY6}


@inlined
def _poly6_half(a):
    """(11) without ρ₀, for 0 ≤ α ≤ 1: (1−α)⁵ (35α⁴+175α³+345α²+325α+128) / 256."""
    b = 1 - a
    b2 = b * b
    return b2 * b2 * b * ((((35 * a + 175) * a + 345) * a + 325) * a + 128) / 256


@inlined
def density_weight_poly6(alpha):
    """Fraction of the poly6 kernel (9) inside a half-space at distance αh; times ρ₀ this is the wall's density (11)."""
    a = abs(alpha)
    half = _poly6_half(a) if a < 1 else 0.0
    return half if alpha >= 0 else 1 - half


@inlined
def density_slope_poly6(alpha):
    """Derivative of the poly6 density weight with respect to α: −(315/256) (1−α²)⁴."""
    b = 1 - alpha * alpha
    return -b * b * b * b * 315 / 256 if b > 0 else 0.0


@inlined
def density_weight_wendland(alpha):
    """Fraction of the Wendland C2 kernel inside a half-space at distance αh.

    21 ∫ (1−q)⁴(4q+1)(q²−αq) dq from α to 1 = ½ − 3/2 α + 7/2 α³ − 21/2 α⁵ + 14 α⁶ − 15/2 α⁷ + 3/2 α⁸.
    """
    a = abs(alpha)
    a2 = a * a
    inner = (((3 * a - 15) * a + 28) * a - 21) * a2
    half = (1 + a * (-3 + a2 * (7 + inner))) / 2 if a < 1 else 0.0
    return half if alpha >= 0 else 1 - half


@inlined
def density_slope_wendland(alpha):
    """Derivative of the Wendland density weight with respect to α, an even function."""
    a = abs(alpha)
    a2 = a * a
    return -(3 + a2 * (-21 + a2 * (105 + a * (-168 + a * (105 - 24 * a))))) / 2 if a < 1 else 0.0


@inlined
def viscosity_weight(alpha, h):
    """(16) without µ: ∫ ∇²W over the half-space = 15/(2h²) (1+α)(1−α)³ [1/m²]; inside the wall as at its surface."""
    a = min(max(alpha, 0.0), 1.0)
    b = 1 - a
    return 15 * (1 + a) * b * b * b / (2 * h * h)


@inlined
def pressure_weight(alpha, h):
    """Size of ∫ ∇W of the spiky kernel over the half-space: 3/(2h) (1−α)⁴ (1+4α) [1/m]; inside the wall mirrored."""
    a = abs(alpha)
    b = max(1 - a, 0.0)
    return 3 * b * b * b * b * (1 + 4 * a) / (2 * h)
