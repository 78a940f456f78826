"""Triangle geometry on scalars: nearest points and the exact triangle–box test."""

import numpy as np

from ..jit import exact_kernel, inlined


@inlined
def nearest_on_triangle(x, y, z, corner, p):
    """Point nearest to (x, y, z) of the triangle in row p of `corner` (ax, ay, az, bx, … cz), as its weights of b and c.

    The seven regions of a triangle after Ericson, *Real-Time Collision Detection*, 5.1.5.
    """
    ax, ay, az = corner[p, 0], corner[p, 1], corner[p, 2]
    abx, aby, abz = corner[p, 3] - ax, corner[p, 4] - ay, corner[p, 5] - az
    acx, acy, acz = corner[p, 6] - ax, corner[p, 7] - ay, corner[p, 8] - az
    zero = ax - ax
    one = zero + np.float32(1.0)
    px, py, pz = x - ax, y - ay, z - az
    d1 = abx * px + aby * py + abz * pz
    d2 = acx * px + acy * py + acz * pz
    if d1 <= zero and d2 <= zero:
        return zero, zero
    qx, qy, qz = px - abx, py - aby, pz - abz
    d3 = abx * qx + aby * qy + abz * qz
    d4 = acx * qx + acy * qy + acz * qz
    if d3 >= zero and d4 <= d3:
        return one, zero
    vc = d1 * d4 - d3 * d2
    if vc <= zero and d1 >= zero and d3 <= zero:
        return d1 / (d1 - d3), zero
    rx, ry, rz = px - acx, py - acy, pz - acz
    d5 = abx * rx + aby * ry + abz * rz
    d6 = acx * rx + acy * ry + acz * rz
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
def point_on_segment(x, y, z, corner, p):
    """The point nearest to (x, y, z) between the first two corners in row p."""
    ux, uy, uz = corner[p, 3] - corner[p, 0], corner[p, 4] - corner[p, 1], corner[p, 5] - corner[p, 2]
    along = (x - corner[p, 0]) * ux + (y - corner[p, 1]) * uy + (z - corner[p, 2]) * uz
    square = ux * ux + uy * uy + uz * uz
    part = min(max(along, np.float32(0.0)), square) / square if square > np.float32(0.0) else np.float32(0.0)
    return corner[p, 0] + part * ux, corner[p, 1] + part * uy, corner[p, 2] + part * uz


@inlined
def point_on_triangle(x, y, z, corner, p):
    """The point of the triangle in row p nearest to (x, y, z)."""
    b, c = nearest_on_triangle(x, y, z, corner, p)
    a = np.float32(1.0) - b - c
    px = a * corner[p, 0] + b * corner[p, 3] + c * corner[p, 6]
    py = a * corner[p, 1] + b * corner[p, 4] + c * corner[p, 7]
    pz = a * corner[p, 2] + b * corner[p, 5] + c * corner[p, 8]
    return px, py, pz


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
