"""Open sheets block from both sides: on which side is a particle, and where was it one step earlier?"""

import numpy as np

from ..jit import inlined
from .geometry import nearest_on_triangle
from .planes import COMPONENT, DISTANCE, KIND, PRIMITIVE, SIDE, SQUARE
from .topology import SHEET
from .wall_table import BEFORE, DEFORMING, FIRST_PRIMITIVE, MOTION, STEP, to_local


@inlined
def _side(work, first, faces, first_edge, edges, part):
    """Side of a sheet's part on which a point lies: 1 or -1 along its normals; 0 beyond its edge or if it is not near."""
    best = -1
    for row in range(first, first + faces):
        if work[row, COMPONENT] != part:
            continue
        if best < 0:
            best = row
            continue
        # Of faces that share their nearest point, the one seen most squarely tells the side.
        tie = abs(work[row, SQUARE] - work[best, SQUARE]) <= np.float32(1.0e-4) * work[best, SQUARE]
        if (tie and abs(work[row, DISTANCE]) > abs(work[best, DISTANCE])) or (not tie and work[row, SQUARE] < work[best, SQUARE]):
            best = row
    if best < 0:
        return np.float32(0.0)
    for row in range(first_edge, first_edge + edges):
        beyond = work[row, DISTANCE] > np.float32(0.0) and work[row, SQUARE] <= work[best, SQUARE] * np.float32(1.0001)
        if work[row, COMPONENT] == part and beyond:
            return np.float32(0.0)
    return np.float32(1.0) if work[best, DISTANCE] >= np.float32(0.0) else np.float32(-1.0)


@inlined
def _came_through(work, row, edges, x, y, z, bx, by, bz):
    """Sheet in row `row`, particle now at (x, y, z) and before at (bx, by, bz) beyond the sheet's edge: the side it is on
    after coming through the sheet, or 0 if it came around the edge."""
    now = work[row, DISTANCE]
    then = now + work[row, 0] * (bx - x) + work[row, 1] * (by - y) + work[row, 2] * (bz - z)
    if now * then >= np.float32(0.0):
        return np.float32(0.0)
    share = now / (now - then)
    px, py, pz = x + (bx - x) * share, y + (by - y) * share, z + (bz - z) * share
    for edge in range(6, 6 + edges):
        over = work[edge, 0] * (px - work[edge, 4]) + work[edge, 1] * (py - work[edge, 5]) + work[edge, 2] * (pz - work[edge, 6])
        if work[edge, COMPONENT] == work[row, COMPONENT] and over > np.float32(0.0):
            return np.float32(0.0)
    return np.float32(1.0) if then >= np.float32(0.0) else np.float32(-1.0)


@inlined
def turn_sheets(work, count, here_edges, was_near, was_faces, was_edges, x, y, z, bx, by, bz):
    """Turn the normals of sheets (rows 3 …) to the side on which the particle is, or was one step earlier."""
    for row in range(3, 3 + count):
        if work[row, KIND] != np.float32(SHEET):
            continue
        side = np.float32(0.0)
        if was_near:
            side = _side(work, np.int64(9), was_faces, np.int64(12), was_edges, work[row, COMPONENT])
            if side == np.float32(0.0):
                side = _came_through(work, row, here_edges, x, y, z, bx, by, bz)
        if side == np.float32(0.0):
            side = _side(work, np.int64(3), count, np.int64(6), here_edges, work[row, COMPONENT])
        if side == np.float32(0.0):
            side = np.float32(1.0) if work[row, DISTANCE] >= np.float32(0.0) else np.float32(-1.0)
        work[row, SIDE] = side
    for row in range(3, 3 + count):
        if work[row, KIND] == np.float32(SHEET):
            for column in range(4):
                work[row, column] *= work[row, SIDE]


@inlined
def earlier_place(table, c, work, before, was):
    """Local place of the earlier position (row `was` of `before`), as the collider was then."""
    bx, by, bz = to_local(table.frame, c, BEFORE, before[was, 0], before[was, 1], before[was, 2])
    if table.collider[c, MOTION] == DEFORMING:
        vx, vy, vz = corner_velocity(table, c, work, np.int64(3))
        step = np.float32(table.frame[c, STEP])
        bx, by, bz = bx + vx * step, by + vy * step, bz + vz * step
    return bx, by, bz


@inlined
def corner_velocity(table, c, work, row):
    """Velocity of a deforming primitive at its contact point."""
    v = table.corner
    p = table.collider[c, FIRST_PRIMITIVE] + np.int64(work[row, PRIMITIVE])
    b, g = nearest_on_triangle(work[row, 4], work[row, 5], work[row, 6], v, p)
    a = np.float32(1.0) - b - g
    vx = a * v[p, 9] + b * v[p, 12] + g * v[p, 15]
    vy = a * v[p, 10] + b * v[p, 13] + g * v[p, 16]
    vz = a * v[p, 11] + b * v[p, 14] + g * v[p, 17]
    return vx, vy, vz
