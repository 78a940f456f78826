"""3×3 algebra without arrays, on one float32 or eight lanes.

A symmetric tensor is the tuple (xx, yy, zz, xy, xz, yz). A velocity gradient is nine values, columns first:
(∂u/∂x, ∂v/∂x, ∂w/∂x, ∂u/∂y, …).
"""

import numpy as np

from ..jit import inlined
from ..lane_math import inverse_cube_root

_ONE, _TWO, _THIRD = np.float32(1.0), np.float32(2.0), np.float32(1.0 / 3.0)


@inlined
def increment(gradient, dt):
    """f = I + Δt ∇v, nine values, columns first."""
    a, b, c, d, e, f, g, h, i = gradient
    return _ONE + dt * a, dt * b, dt * c, dt * d, _ONE + dt * e, dt * f, dt * g, dt * h, _ONE + dt * i


@inlined
def determinant(f):
    """Determinant of nine values, columns first."""
    a, b, c, d, e, g, h, i, j = f
    return a * (e * j - i * g) - d * (b * j - i * c) + h * (b * g - e * c)


@inlined
def symmetric_determinant(s):
    xx, yy, zz, xy, xz, yz = s
    return xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)


@inlined
def pushed(f, b):
    """f b fᵀ for a symmetric b."""
    f00, f10, f20, f01, f11, f21, f02, f12, f22 = f
    xx, yy, zz, xy, xz, yz = b
    m00, m01, m02 = f00 * xx + f01 * xy + f02 * xz, f00 * xy + f01 * yy + f02 * yz, f00 * xz + f01 * yz + f02 * zz
    m10, m11, m12 = f10 * xx + f11 * xy + f12 * xz, f10 * xy + f11 * yy + f12 * yz, f10 * xz + f11 * yz + f12 * zz
    m20, m21, m22 = f20 * xx + f21 * xy + f22 * xz, f20 * xy + f21 * yy + f22 * yz, f20 * xz + f21 * yz + f22 * zz
    return (
        m00 * f00 + m01 * f01 + m02 * f02,
        m10 * f10 + m11 * f11 + m12 * f12,
        m20 * f20 + m21 * f21 + m22 * f22,
        m00 * f10 + m01 * f11 + m02 * f12,
        m00 * f20 + m01 * f21 + m02 * f22,
        m10 * f20 + m11 * f21 + m12 * f22,
    )


@inlined
def scaled(s, k):
    return s[0] * k, s[1] * k, s[2] * k, s[3] * k, s[4] * k, s[5] * k


@inlined
def unimodular(s):
    """s · det(s)^(−1/3): the same shape with determinant 1."""
    return scaled(s, inverse_cube_root(symmetric_determinant(s)))


@inlined
def third_trace(s):
    return (s[0] + s[1] + s[2]) * _THIRD


@inlined
def shifted(s, k):
    """s + k I."""
    return s[0] + k, s[1] + k, s[2] + k, s[3], s[4], s[5]


@inlined
def squared_norm(s):
    """‖s‖² (Frobenius)."""
    return s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + _TWO * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5])
