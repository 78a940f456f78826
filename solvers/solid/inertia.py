"""The inertia of a body that remembers its shape: that of its masters, not that of masses at the slaves.

Slaves reach beyond the surface. With all mass on them, ½ Σ m_s |v_s|², a block of eight particles across turns and swings as if
it were a tenth larger. In a field that is linear around a master, v_s = v_m + C d with d = x_s − x_m, this energy is too large by
½ m tr(C S Cᵀ), S = Σ N d dᵀ, and just that is taken off:

    T = ½ Σ_s m_s |v_s|² − ½ Σ_m m tr(C S Cᵀ)        M = diag(m_s) − Gᵀ m S G

so that T = ½ Σ m |v_m|² for linear fields, while what is not linear keeps the inertia of the slaves. (Nᵀ m N, the masters' energy
alone, gives none at all to slaves that swing against each other, and such swings grow.) Rows of M still add up to m_s. It is
constant in the rest shape and symmetric: momentum and angular momentum are conserved. For bodies at least two particles thick
its smallest eigenvalue is 0.09 of diag(m_s) and more; where masters lie in one layer, S is shortened so that each master's
own part is positive.
"""

import numpy as np

from ..jit import parallel_kernel, prange

_LAYER = 0.7
"""S of a master in a single layer: largest eigenvalue of S Σ ∇N ∇Nᵀ/N is 1.25 to 1.4 in all layouts."""


@parallel_kernel
def _spread_at_rest(start, slave, row, place, position, mass, whole, flat, out):
    for m in prange(len(start) - 1):
        xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if whole[m]:
            px, py, pz = position[0, m], position[1, m], position[2, m]
            for k in range(start[m], start[m + 1]):
                s, share = slave[k], np.float64(row[k, 3])
                x, y, z = place[s, 0] - px, place[s, 1] - py, place[s, 2] - pz
                xx += share * x * x
                yy += share * y * y
                zz += share * z * z
                xy += share * x * y
                xz += share * x * z
                yz += share * y * z
        weight = mass[m] * (_LAYER if flat[m] else 1.0)
        out[m, 0], out[m, 1], out[m, 2] = weight * xx, weight * yy, weight * zz
        out[m, 3], out[m, 4], out[m, 5] = weight * xy, weight * xz, weight * yz


def spread_at_rest(
    start: np.ndarray, slave: np.ndarray, row: np.ndarray, place: np.ndarray, position: np.ndarray, mass: np.ndarray,
    whole: np.ndarray, flat: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """m S of every master at rest [kg m²], float32 (n, 6): xx, yy, zz, xy, xz, yz; zero where `whole` is false.

    `row` (entries, 4): N in the last column; `place` (k, 4) of slaves, `position` (3, capacity) of masters; `flat` (n,): masters
    whose neighbours lie in one layer.
    """
    out = np.zeros((len(start) - 1, 6), np.float32)
    _spread_at_rest(start, slave, row, place, position, mass, whole, flat, out)
    return out


@parallel_kernel
def carry_spread(elastic, rest, whole, out):
    """F (m S) Fᵀ: with the gradient in the present shape the energy is the same. `elastic` (9, capacity); `rest`, `out`
    (n, 6)."""
    for m in prange(len(rest)):
        if not whole[m]:
            for part in range(6):
                out[m, part] = 0.0
            continue
        a, b, c = elastic[0, m], elastic[1, m], elastic[2, m]
        d, e, f = elastic[3, m], elastic[4, m], elastic[5, m]
        g, h, i = elastic[6, m], elastic[7, m], elastic[8, m]
        xx, yy, zz = np.float64(rest[m, 0]), np.float64(rest[m, 1]), np.float64(rest[m, 2])
        xy, xz, yz = np.float64(rest[m, 3]), np.float64(rest[m, 4]), np.float64(rest[m, 5])
        a0, a1, a2 = a * xx + b * xy + c * xz, a * xy + b * yy + c * yz, a * xz + b * yz + c * zz
        d0, d1, d2 = d * xx + e * xy + f * xz, d * xy + e * yy + f * yz, d * xz + e * yz + f * zz
        g0, g1, g2 = g * xx + h * xy + i * xz, g * xy + h * yy + i * yz, g * xz + h * yz + i * zz
        out[m, 0], out[m, 1] = a0 * a + a1 * b + a2 * c, d0 * d + d1 * e + d2 * f
        out[m, 2], out[m, 3] = g0 * g + g1 * h + g2 * i, a0 * d + a1 * e + a2 * f
        out[m, 4], out[m, 5] = a0 * g + a1 * h + a2 * i, d0 * g + d1 * h + d2 * i
