"""Singular values of a 3×3 matrix in scalars, double precision.

A = U diag(s) Vᵀ with rotations U and V; s₀ ≥ s₁ ≥ |s₂|, and s₂ is negative where A turns space inside out. V comes from Jacobi
rotations of AᵀA, U from A V; cyclic sweeps converge quadratically, and nearly symmetric cases end at once. Strict arithmetic: the
result does not depend on what a compiler makes of it inside another kernel.
"""

import numpy as np

from ..jit import exact_kernel, inlined

_SWEEPS = 8
_ENOUGH = 1.0e-26
_TINY = 1.0e-12


@inlined
def _turn(app, aqq, apq):
    """Cosine and sine of the Jacobi rotation that clears a_pq."""
    if apq * apq <= _ENOUGH * abs(app * aqq) or apq == 0.0:
        return 1.0, 0.0
    tau = (aqq - app) / (2.0 * apq)
    sign = 1.0 if tau >= 0.0 else -1.0
    t = sign / (abs(tau) + np.sqrt(1.0 + tau * tau))
    c = 1.0 / np.sqrt(1.0 + t * t)
    return c, t * c


@inlined
def _swap(x, y, s0, s1):
    """Columns x and y (three numbers each) in order of size; one is negated so that the matrix stays a rotation."""
    if s0 >= s1:
        return x, y, s0, s1
    return (y[0], y[1], y[2]), (-x[0], -x[1], -x[2]), s1, s0


@inlined
def _unit_across(a):
    """Any unit vector perpendicular to the unit vector a."""
    if abs(a[0]) < 0.6:
        b = (0.0, -a[2], a[1])
    else:
        b = (-a[1], a[0], 0.0)
    k = 1.0 / np.sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2])
    return b[0] * k, b[1] * k, b[2] * k


@inlined
def _times(a, v):
    return (
        a[0] * v[0] + a[1] * v[1] + a[2] * v[2],
        a[3] * v[0] + a[4] * v[1] + a[5] * v[2],
        a[6] * v[0] + a[7] * v[1] + a[8] * v[2],
    )


@inlined
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@exact_kernel
def svd(a):
    """(u0, u1, u2), (s0, s1, s2), (v0, v1, v2) of `a`, nine float64 row by row; u and v are columns of three numbers."""
    b00 = a[0] * a[0] + a[3] * a[3] + a[6] * a[6]
    b11 = a[1] * a[1] + a[4] * a[4] + a[7] * a[7]
    b22 = a[2] * a[2] + a[5] * a[5] + a[8] * a[8]
    b01 = a[0] * a[1] + a[3] * a[4] + a[6] * a[7]
    b02 = a[0] * a[2] + a[3] * a[5] + a[6] * a[8]
    b12 = a[1] * a[2] + a[4] * a[5] + a[7] * a[8]
    x0, x1, x2 = 1.0, 0.0, 0.0
    y0, y1, y2 = 0.0, 1.0, 0.0
    z0, z1, z2 = 0.0, 0.0, 1.0
    for _ in range(_SWEEPS):
        if b01 * b01 + b02 * b02 + b12 * b12 <= _ENOUGH * (b00 * b11 + b11 * b22 + b00 * b22):
            break
        c, s = _turn(b00, b11, b01)
        b00, b11, b01 = c * c * b00 - 2.0 * s * c * b01 + s * s * b11, s * s * b00 + 2.0 * s * c * b01 + c * c * b11, 0.0
        b02, b12 = c * b02 - s * b12, s * b02 + c * b12
        x0, x1, x2, y0, y1, y2 = (
            c * x0 - s * y0,
            c * x1 - s * y1,
            c * x2 - s * y2,
            s * x0 + c * y0,
            s * x1 + c * y1,
            s * x2 + c * y2,
        )
        c, s = _turn(b00, b22, b02)
        b00, b22, b02 = c * c * b00 - 2.0 * s * c * b02 + s * s * b22, s * s * b00 + 2.0 * s * c * b02 + c * c * b22, 0.0
        b01, b12 = c * b01 - s * b12, s * b01 + c * b12
        x0, x1, x2, z0, z1, z2 = (
            c * x0 - s * z0,
            c * x1 - s * z1,
            c * x2 - s * z2,
            s * x0 + c * z0,
            s * x1 + c * z1,
            s * x2 + c * z2,
        )
        c, s = _turn(b11, b22, b12)
        b11, b22, b12 = c * c * b11 - 2.0 * s * c * b12 + s * s * b22, s * s * b11 + 2.0 * s * c * b12 + c * c * b22, 0.0
        b01, b02 = c * b01 - s * b02, s * b01 + c * b02
        y0, y1, y2, z0, z1, z2 = (
            c * y0 - s * z0,
            c * y1 - s * z1,
            c * y2 - s * z2,
            s * y0 + c * z0,
            s * y1 + c * z1,
            s * y2 + c * z2,
        )
    v0, v1, v2 = (x0, x1, x2), (y0, y1, y2), (z0, z1, z2)
    v0, v1, b00, b11 = _swap(v0, v1, b00, b11)
    v0, v2, b00, b22 = _swap(v0, v2, b00, b22)
    v1, v2, b11, b22 = _swap(v1, v2, b11, b22)
    p = _times(a, v0)
    s0 = np.sqrt(_dot(p, p))
    u0 = (p[0] / s0, p[1] / s0, p[2] / s0) if s0 > _TINY else (1.0, 0.0, 0.0)
    p = _times(a, v1)
    along = _dot(p, u0)
    p = (p[0] - along * u0[0], p[1] - along * u0[1], p[2] - along * u0[2])
    s1 = np.sqrt(_dot(p, p))
    u1 = (p[0] / s1, p[1] / s1, p[2] / s1) if s1 > _TINY else _unit_across(u0)
    # the third column completes a rotation; the sign of the third value is that of the determinant
    u2 = (u0[1] * u1[2] - u0[2] * u1[1], u0[2] * u1[0] - u0[0] * u1[2], u0[0] * u1[1] - u0[1] * u1[0])
    s2 = _dot(_times(a, v2), u2)
    return u0, u1, u2, s0, s1, s2, v0, v1, v2
