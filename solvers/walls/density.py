"""How much of a particle's kernel lies inside the walls, with corners and edges.

Two half-spaces at distances α₁, α₂ (in h) whose normals have the cosine c share a wedge. Along the wedge's edge the
kernel is integrated out, which leaves a radial function w(ρ) in the plane; Gauss' theorem with F(ρ) = ∫ w ρ dρ turns the
wedge's integral into one integral along each of its two sides:

    G(α₁, α₂, c) = (π − arccos c)/2π − J(α₁, β₁) − J(α₂, β₂),   β₁ = (α₂ − cα₁)/√(1−c²)
    J(α, β) = α ∫ F(ρ)/ρ² dt  and  −∂G/∂α = H(α, β) = ∫ w(ρ) dt,  t from β to ∞, ρ² = α² + t²

J and H are tables of two numbers, so every angle is exact. Union = F₁ + F₂ − G, intersection = G. Three planes need the
integral over a corner, T ≈ G₁₂ G₁₃ G₂₃ / (F₁ F₂ F₃), scaled by the corner's solid angle: right within 0.0015 for three square
walls, within 0.006 for most oblique corners, and within 0.05 for the worst (sharp and deep).
"""

import math
from functools import cache

import numpy as np

from ..errors import InvalidScene
from ..jit import inlined, kernel, parallel_kernel, prange
from .borrow import borrowed
from .half_space import (
    KERNELS,
    POLY6,
    density_slope_poly6,
    density_slope_wendland,
    density_weight_poly6,
    density_weight_wendland,
)
from .planes import INTERSECTION, INTERSECTION_OF_FIRST, OPPOSITE, UNION, UNION_OF_FIRST
from .walls import NearWalls

_STEPS = 64
"""Table steps for α in [0, 1] and for β/√(1−α²) in [−1, 1]."""


def _profile(kernel_id: int, q: np.ndarray) -> np.ndarray:
    """W(q) for h = 1."""
    q = np.minimum(q, 1.0)
    if kernel_id == POLY6:
        return 315.0 / (64.0 * np.pi) * (1.0 - q * q) ** 3
    return 21.0 / (2.0 * np.pi) * (1.0 - q) ** 4 * (4.0 * q + 1.0)


@cache
def overlap_tables(kernel_id: int) -> np.ndarray:
    """J and H, float32 (2, 65, 65): rows α = 0 … 1, columns β/√(1−α²) = −1 … 1."""
    node, weight = np.polynomial.legendre.leggauss(24)
    # w(ρ) and F(ρ) on a fine grid: integrals along the wedge's edge, then outwards.
    fine = np.linspace(0.0, 1.0, 513)
    half = np.sqrt(1.0 - fine * fine)
    along = half[:, None] * (0.5 * node + 0.5)[None, :]
    line = half * (_profile(kernel_id, np.sqrt(fine[:, None] ** 2 + along**2)) @ weight)
    step = fine[1] - fine[0]
    inner = np.concatenate([[0.0], np.cumsum(0.5 * step * (line * fine)[1:] + 0.5 * step * (line * fine)[:-1])])
    inner *= 1.0 / (2.0 * np.pi * inner[-1])
    tables = np.zeros((2, _STEPS + 1, _STEPS + 1))
    alpha = np.linspace(0.0, 1.0, _STEPS + 1)[:, None]
    reach = np.sqrt(1.0 - alpha * alpha)
    edges = np.linspace(-1.0, 1.0, _STEPS + 1)
    few, few_weight = np.polynomial.legendre.leggauss(6)
    width = edges[1] - edges[0]
    t = (edges[:-1, None] + 0.5 * width * (few + 1.0)[None, :]).ravel()[None, :] * reach
    rho = np.sqrt(alpha * alpha + t * t)
    ratio = np.where(fine > 0.0, inner / np.maximum(fine * fine, 1.0e-12), 0.5 * line[0])
    ratio[1:4] = 0.5 * line[0]
    for number, values in enumerate((alpha * np.interp(rho, fine, ratio), np.interp(rho, fine, line))):
        pieces = (values.reshape(_STEPS + 1, _STEPS, len(few)) @ few_weight) * 0.5 * width * reach
        tables[number, :, :-1] = np.cumsum(pieces[:, ::-1], axis=1)[:, ::-1]
    tables[0] += np.arcsin(alpha) / (2.0 * np.pi)  # the part of the side beyond the kernel
    return np.ascontiguousarray(tables, dtype=np.float32)


@inlined
def _half(kernel_id, alpha):
    """Fraction of the kernel behind one plane and its derivative."""
    if kernel_id == POLY6:
        return density_weight_poly6(alpha), density_slope_poly6(alpha)
    return density_weight_wendland(alpha), density_slope_wendland(alpha)


@kernel
def _side_integrals(tables, alpha, beta):
    """J and H of one side of a wedge."""
    a = abs(alpha)
    sign = 1.0 if alpha >= 0.0 else -1.0
    reach = math.sqrt(max(1.0 - a * a, 0.0))
    if a >= 1.0 or beta >= reach:
        return sign * math.atan2(a, beta) / (2.0 * math.pi), 0.0
    extra = 0.0
    if beta < -reach:
        extra = (math.atan2(a, beta) - math.atan2(a, -reach)) / (2.0 * math.pi)
        beta = -reach
    row = a * _STEPS
    column = (beta / reach + 1.0) * (0.5 * _STEPS)
    i, j = min(int(row), _STEPS - 1), min(int(column), _STEPS - 1)
    u, v = row - i, column - j
    first = (1.0 - u) * (1.0 - v) * tables[0, i, j] + (1.0 - u) * v * tables[0, i, j + 1]
    first += u * (1.0 - v) * tables[0, i + 1, j] + u * v * tables[0, i + 1, j + 1]
    second = (1.0 - u) * (1.0 - v) * tables[1, i, j] + (1.0 - u) * v * tables[1, i, j + 1]
    second += u * (1.0 - v) * tables[1, i + 1, j] + u * v * tables[1, i + 1, j + 1]
    return sign * (first + extra), second


@kernel
def overlap(tables, kernel_id, alpha, other, cosine):
    """Fraction of the kernel behind both of two planes and its derivatives with respect to the two α."""
    if cosine < -0.9999:
        # A plate: what lies between two parallel planes that face away from each other.
        first, first_slope = _half(kernel_id, alpha)
        behind, slope = _half(kernel_id, -other)
        if first <= behind:
            return 0.0, 0.0, 0.0
        return first - behind, first_slope, slope
    if cosine > 0.9999:
        first, first_slope = _half(kernel_id, max(alpha, other))
        return (first, first_slope, 0.0) if alpha >= other else (first, 0.0, first_slope)
    sine = math.sqrt(1.0 - cosine * cosine)
    j1, h1 = _side_integrals(tables, alpha, (other - cosine * alpha) / sine)
    j2, h2 = _side_integrals(tables, other, (alpha - cosine * other) / sine)
    return max((math.pi - math.acos(cosine)) / (2.0 * math.pi) - j1 - j2, 0.0), -h1, -h2


@inlined
def _cosine(plane, a, b):
    return min(max(plane[a, 0] * plane[b, 0] + plane[a, 1] * plane[b, 1] + plane[a, 2] * plane[b, 2], -1.0), 1.0)


@kernel
def _corner_scale(plane):
    """Solid angle of three planes through one point against the product of their wedge angles; 1 for square walls."""
    ab = math.pi - math.acos(_cosine(plane, 0, 1))
    ac = math.pi - math.acos(_cosine(plane, 0, 2))
    bc = math.pi - math.acos(_cosine(plane, 1, 2))
    solid = (ab + ac + bc - math.pi) / (4.0 * math.pi)
    product = ab * ac * bc / (math.pi * math.pi * math.pi)
    if solid < 1.0e-3 or product < 1.0e-3:
        return 1.0
    return solid / product


@inlined
def _without_backs(plane, count, shape):
    """Leave out the far face of a thin plate: what lies behind a plate is no room for this side's particles, as behind a thick
    wall. Returns the numbers of the other two planes, how many planes stay, and the shape."""
    if shape == INTERSECTION:
        if _cosine(plane, 0, 1) < OPPOSITE:
            return 2, 2, count - 1, INTERSECTION
        if count == 3 and _cosine(plane, 0, 2) < OPPOSITE:
            return 1, 1, 2, INTERSECTION
    elif shape == UNION_OF_FIRST and _cosine(plane, 1, 2) < OPPOSITE:
        front = 1 if plane[1, 3] >= plane[2, 3] else 2
        return front, front, 2, UNION
    return 1, 2, count, shape


@kernel
def wall_fraction(tables, kernel_id, plane, count, shape, h):
    """Fraction of the kernel inside the wall made by `count` planes (3, 8) and its gradient [1/m]: four numbers."""
    zero = 0.0
    second, third = 1, 2
    if count > 1:
        second, third, count, shape = _without_backs(plane, count, shape)
    a0, a1, a2, s2 = plane[0, 3] / h, zero, zero, zero
    f0, s0 = _half(kernel_id, a0)
    if count == 1:
        scale = s0 / h
        return f0, scale * plane[0, 0], scale * plane[0, 1], scale * plane[0, 2]
    a1 = plane[second, 3] / h
    f1, s1 = _half(kernel_id, a1)
    g01, g01_0, g01_1 = overlap(tables, kernel_id, a0, a1, _cosine(plane, 0, second))
    if count == 2:
        total, d0, d1, d2 = g01, g01_0, g01_1, zero
        if shape == UNION:
            total, d0, d1 = f0 + f1 - g01, s0 - g01_0, s1 - g01_1
    else:
        a2 = plane[third, 3] / h
        f2, s2 = _half(kernel_id, a2)
        g02, g02_0, g02_2 = overlap(tables, kernel_id, a0, a2, _cosine(plane, 0, third))
        g12, g12_1, g12_2 = overlap(tables, kernel_id, a1, a2, _cosine(plane, second, third))
        t, t0, t1, t2 = zero, zero, zero, zero
        if min(g01, g02, g12) > 1.0e-7:
            # The solid angle counts while the corner is near: `extra` fades out as any plane leaves the kernel.
            product = g01 * g02 * g12 / (f0 * f1 * f2)
            seen = 64.0 * f0 * (1.0 - f0) * f1 * (1.0 - f1) * f2 * (1.0 - f2)
            extra = product * (_corner_scale(plane) - 1.0) * seen
            t = product + extra
            if t < min(g01, g02, g12):
                t0 = t * (g01_0 / g01 + g02_0 / g02 - s0 / f0) + extra * s0 * (1.0 - 2.0 * f0) / max(f0 * (1.0 - f0), 1.0e-9)
                t1 = t * (g01_1 / g01 + g12_1 / g12 - s1 / f1) + extra * s1 * (1.0 - 2.0 * f1) / max(f1 * (1.0 - f1), 1.0e-9)
                t2 = t * (g02_2 / g02 + g12_2 / g12 - s2 / f2) + extra * s2 * (1.0 - 2.0 * f2) / max(f2 * (1.0 - f2), 1.0e-9)
            elif g01 <= min(g02, g12):
                t, t0, t1 = g01, g01_0, g01_1
            elif g02 <= g12:
                t, t0, t2 = g02, g02_0, g02_2
            else:
                t, t1, t2 = g12, g12_1, g12_2
        if shape == INTERSECTION:
            total, d0, d1, d2 = t, t0, t1, t2
        elif shape == UNION_OF_FIRST:
            total, d0, d1, d2 = f0 + g12 - t, s0 - t0, g12_1 - t1, g12_2 - t2
        elif shape == INTERSECTION_OF_FIRST:
            total, d0, d1, d2 = g01 + g02 - t, g01_0 + g02_0 - t0, g01_1 - t1, g02_2 - t2
        else:
            total = f0 + f1 + f2 - g01 - g02 - g12 + t
            d0, d1, d2 = s0 - g01_0 - g02_0 + t0, s1 - g01_1 - g12_1 + t1, s2 - g02_2 - g12_2 + t2
    # Moving one plane trades only the part of it that bounds the wall: its slope lies between that of the half-space and 0.
    # Tables are not exact where the kernel ends, and ratios of nearly nothing must not become forces.
    d0, d1 = min(max(d0, s0), zero), min(max(d1, s1), zero)
    if count > 2:
        d2 = min(max(d2, s2), zero)
    third = third if count > 2 else second  # rows beyond `count` are not written: d2 is 0 then
    gx = (d0 * plane[0, 0] + d1 * plane[second, 0] + d2 * plane[third, 0]) / h
    gy = (d0 * plane[0, 1] + d1 * plane[second, 1] + d2 * plane[third, 1]) / h
    gz = (d0 * plane[0, 2] + d1 * plane[second, 2] + d2 * plane[third, 2]) / h
    return min(max(total, 0.0), 1.0), gx, gy, gz


@parallel_kernel
def _all_fractions(all_tables, kernel_id, all_plane, count, shape, h, weight, gradient):
    for row in prange(len(count)):
        tables, plane = borrowed(all_tables), borrowed(all_plane)
        if count[row] == 0:
            weight[row] = np.float32(0.0)
            gradient[row, 0], gradient[row, 1], gradient[row, 2] = np.float32(0.0), np.float32(0.0), np.float32(0.0)
        else:
            w, x, y, z = wall_fraction(tables, kernel_id, plane[row], count[row], shape[row], h)
            weight[row] = w
            gradient[row, 0], gradient[row, 1], gradient[row, 2] = x, y, z


def wall_density(near: NearWalls, h: float, kernel: str = "wendland") -> tuple[np.ndarray, np.ndarray]:
    """Part of each near particle's kernel ("wendland" or "poly6", support `h` [m]) that lies inside the walls.

    Returns the weight, float32 (m,), 0 to 1 (times ρ₀: the walls' density), and its gradient with respect to the
    particle's position [1/m], float32 (m, 3).
    """
    if kernel not in KERNELS:
        raise InvalidScene(f"Wall weights: there is no kernel {kernel!r}; known are {', '.join(KERNELS)}.")
    weight = np.empty(len(near.count), dtype=np.float32)
    gradient = np.empty((len(near.count), 3), dtype=np.float32)
    tables = overlap_tables(KERNELS[kernel])
    _all_fractions(tables, KERNELS[kernel], near.plane, near.count, near.shape, float(h), weight, gradient)
    return weight, gradient
