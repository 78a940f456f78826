"""Triangle geometry on scalars: nearest points and the exact triangle–box test."""

import numpy as np

from ..jit import exact_kernel, inlined


@inlined
def nearest_on_triangle(x, y, z, t):
    """Point of the triangle t = (ax, ay, az, bx, … cz) nearest to (x, y, z), by its barycentric weights (b, c).

    The seven regions of a triangle after Ericson, *Real-Time Collision Detection*, 5.1.5.
    """
    zero = t[0] - t[0]
    one = zero + np.float32(1.0)
    abx, aby, abz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    acx, acy, acz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    px, py, pz = x - t[0], y - t[1], z - t[2]
    d1 = abx * px + aby * py + abz * pz
    d2 = acx * px + acy * py + acz * pz
    if d1 <= zero and d2 <= zero:
        return zero, zero
    px, py, pz = x - t[3], y - t[4], z - t[5]
    d3 = abx * px + aby * py + abz * pz
    d4 = acx * px + acy * py + acz * pz
    if d3 >= zero and d4 <= d3:
        return one, zero
    vc = d1 * d4 - d3 * d2
    if vc <= zero and d1 >= zero and d3 <= zero:
        return d1 / (d1 - d3), zero
    px, py, pz = x - t[6], y - t[7], z - t[8]
    d5 = abx * px + aby * py + abz * pz
    d6 = acx * px + acy * py + acz * pz
    if d6 >= zero and d5 <= d6:
        return zero, one
    vb = d5 * d2 - d1 * d6
    if vb <= zero and d2 >= zero and d6 <= zero:
        return zero, d2 / (d2 - d6)
    va = d3 * d6 - d5 * d4
    if va <= zero and d4 - d3 >= zero and d5 - d6 >= zero:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return one - w, w
    total = va + vb + vc
    if not total > zero:  # a needle, lost in rounding
        return min(max(d1 / (d1 - d3), zero), one), zero
    return vb / total, vc / total


@inlined
def point_on_segment(x, y, z, t):
    """The point nearest to (x, y, z) between the first two corners in t."""
    ux, uy, uz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    along = (x - t[0]) * ux + (y - t[1]) * uy + (z - t[2]) * uz
    square = ux * ux + uy * uy + uz * uz
    part = min(max(along, np.float32(0.0)), square) / square if square > np.float32(0.0) else np.float32(0.0)
    return t[0] + part * ux, t[1] + part * uy, t[2] + part * uz


@inlined
def point_on_triangle(x, y, z, t):
    """The point of triangle t nearest to (x, y, z)."""
    b, c = nearest_on_triangle(x, y, z, t)
    a = np.float32(1.0) - b - c
    return a * t[0] + b * t[3] + c * t[6], a * t[1] + b * t[4] + c * t[7], a * t[2] + b * t[5] + c * t[8]


@exact_kernel
def _separated(fx, fy, fz, a, b, half):
    """Does the axis (fx, fy, fz) separate a box of half edge `half` from the projections a and b of a triangle?"""
    radius = half * (abs(fx) + abs(fy) + abs(fz))
    return min(a, b) > radius or max(a, b) < -radius


@exact_kernel
def triangle_meets_box(t, mx, my, mz, half):
    """Does the triangle t (9 numbers) touch the closed cube around (mx, my, mz)?

    Separating axes: three of the box, the triangle's normal, nine edge pairs
    (Akenine-Möller, *Fast 3D Triangle-Box Overlap Testing*).
    """
    ax, ay, az = t[0] - mx, t[1] - my, t[2] - mz
    bx, by, bz = t[3] - mx, t[4] - my, t[5] - mz
    cx, cy, cz = t[6] - mx, t[7] - my, t[8] - mz
    if min(ax, bx, cx) > half or max(ax, bx, cx) < -half:
        return False
    if min(ay, by, cy) > half or max(ay, by, cy) < -half:
        return False
    if min(az, bz, cz) > half or max(az, bz, cz) < -half:
        return False
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - bx, cy - by, cz - bz
    wx, wy, wz = ax - cx, ay - cy, az - cz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    plane = nx * ax + ny * ay + nz * az
    if abs(plane) > half * (abs(nx) + abs(ny) + abs(nz)):
        return False
    # Each edge against the three box axes; the edge's own two ends project to the same number.
    if _separated(0.0, -uz, uy, uy * az - uz * ay, uy * cz - uz * cy, half):
        return False
    if _separated(uz, 0.0, -ux, uz * ax - ux * az, uz * cx - ux * cz, half):
        return False
    if _separated(-uy, ux, 0.0, ux * ay - uy * ax, ux * cy - uy * cx, half):
        return False
    if _separated(0.0, -vz, vy, vy * bz - vz * by, vy * az - vz * ay, half):
        return False
    if _separated(vz, 0.0, -vx, vz * bx - vx * bz, vz * ax - vx * az, half):
        return False
    if _separated(-vy, vx, 0.0, vx * by - vy * bx, vx * ay - vy * ax, half):
        return False
    if _separated(0.0, -wz, wy, wy * cz - wz * cy, wy * bz - wz * by, half):
        return False
    if _separated(wz, 0.0, -wx, wz * cx - wx * cz, wz * bx - wx * bz, half):
        return False
    return not _separated(-wy, wx, 0.0, wx * cy - wy * cx, wx * by - wy * bx, half)
