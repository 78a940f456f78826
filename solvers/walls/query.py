"""The planes around a particle: one kernel over all particles and all colliders."""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel, parallel_kernel, prange
from .geometry import nearest_on_triangle
from .planes import COLLIDER, COMPONENT, FREE_EDGE, KIND, PRIMITIVE, UNION, join_neighbours, put_in_order, unite
from .table import BLOCK, HAS_EDGES, SEVERAL_WALLS, block_key, find_block
from .topology import SHEET

CHUNK = 512
"""Particles handled one after the other; fixed, so that results do not depend on the number of threads."""
STILL, RIGID, DEFORMING = 0, 1, 2


class WallTable(NamedTuple):
    """Triples and look-up tables of all colliders, one after the other. Local coordinates are the colliders' own."""

    triple: np.ndarray
    """r, d, n and an unused number, float32 (n, 8)."""
    primitive: np.ndarray
    """Triangle or free edge of each triple, int32 (n,)."""
    corner: np.ndarray
    """Corners of each primitive, float32 (p, 9)."""
    corner_velocity: np.ndarray
    """Velocities of the corners of deforming colliders [m/s], float32 (p, 9), or (0, 9) if nothing deforms."""
    kind: np.ndarray
    """CLOSED, SHEET, ONE_SIDED or FREE_EDGE of each primitive, int8 (p,)."""
    component: np.ndarray
    """Connected part of each primitive, int32 (p,)."""
    slot_key: np.ndarray
    slot_block: np.ndarray
    cell_list: np.ndarray
    list_start: np.ndarray
    list_flag: np.ndarray
    entry: np.ndarray
    collider: np.ndarray
    """int64 (k, 5): first hash slot, slot mask, motion (STILL, RIGID, DEFORMING), active, has open parts."""
    frame: np.ndarray
    """float64 (k, 44): the columns are named below."""


# Columns of `WallTable.frame`.
ROTATION, OFFSET = 0, 9
"""Local to world, rotation row by row: world = rotation · local + offset."""
BEFORE = 12
"""The same one step earlier."""
VELOCITY, SPIN, PIVOT = 24, 27, 30
"""Rigid motion: velocity of the pivot [m/s], angular velocity [rad/s], place of the pivot [m]."""
LOW, HIGH = 33, 36
"""Bounds of the band around the surface, local."""
VOXEL, FRICTION, STEP = 39, 40, 41
"""Voxel edge [m], friction, time step [s]."""


@inlined
def to_local(frame, c, column, x, y, z):
    """World point to the rest frame of collider c: Rᵀ (x − p), in double precision, then float32."""
    dx = x - frame[c, column + 9]
    dy = y - frame[c, column + 10]
    dz = z - frame[c, column + 11]
    lx = frame[c, column] * dx + frame[c, column + 3] * dy + frame[c, column + 6] * dz
    ly = frame[c, column + 1] * dx + frame[c, column + 4] * dy + frame[c, column + 7] * dz
    lz = frame[c, column + 2] * dx + frame[c, column + 5] * dy + frame[c, column + 8] * dz
    return np.float32(lx), np.float32(ly), np.float32(lz)


@inlined
def list_at(table, c, x, y, z):
    """Candidate list of the cell that holds a local point, or -1 far from the surface."""
    frame = table.frame
    if x < frame[c, 33] or y < frame[c, 34] or z < frame[c, 35] or x > frame[c, 36] or y > frame[c, 37] or z > frame[c, 38]:
        return np.int32(-1)
    per_metre = 1.0 / frame[c, 39]
    i = np.int64(np.floor(x * per_metre))
    j = np.int64(np.floor(y * per_metre))
    k = np.int64(np.floor(z * per_metre))
    block = find_block(
        table.slot_key, table.slot_block, table.collider[c, 0], table.collider[c, 1], block_key(i >> 2, j >> 2, k >> 2)
    )
    if block < 0:
        return np.int32(-1)
    return table.cell_list[np.int64(block) * (BLOCK * BLOCK * BLOCK) + ((i & 3) << 4 | (j & 3) << 2 | (k & 3))]


@inlined
def _beside(table, item, real, first, count, distinct):
    """Does the triple face another way than every plane found so far?"""
    for row in range(first, first + count):
        cosine = table.triple[item, 4] * real[row, 0] + table.triple[item, 5] * real[row, 1] + table.triple[item, 6] * real[row, 2]
        if cosine >= distinct:
            return False
    return True


@inlined
def _nearest(table, begin, end, x, y, z, edges, part, real, first, count, distinct):
    """Nearest triple of the list that is (not) an edge, belongs to `part` (-1: any) and faces another way than the rows."""
    best, best_square = -1, np.float32(np.inf)
    for place in range(begin, end):
        item = table.entry[place]
        dx, dy, dz = x - table.triple[item, 0], y - table.triple[item, 1], z - table.triple[item, 2]
        square = dx * dx + dy * dy + dz * dz
        if square < best_square:
            primitive = table.primitive[item]
            if (table.kind[primitive] == FREE_EDGE) != edges or (part >= 0 and table.component[primitive] != part):
                continue
            if count == 0 or _beside(table, item, real, first, count, distinct):
                best, best_square = np.int64(item), square
    return best


@kernel
def _measure(table, item, x, y, z, nudge, real, whole, row):
    """Fill a row with the plane of a triple (19) and the nearest point of its primitive."""
    t = table.triple[item]
    real[row, 0], real[row, 1], real[row, 2] = t[4], t[5], t[6]
    real[row, 3] = (x - t[0]) * t[4] + (y - t[1]) * t[5] + (z - t[2]) * t[6] + t[3]
    primitive = table.primitive[item]
    corner = table.corner[primitive]
    b, c = nearest_on_triangle(x, y, z, corner)
    a = np.float32(1.0) - b - c
    third = np.float32(1.0 / 3.0)
    square, inward = np.float32(0.0), np.float32(0.0)
    for axis in range(3):
        point = a * corner[axis] + b * corner[3 + axis] + c * corner[6 + axis]
        middle = third * (corner[axis] + corner[3 + axis] + corner[6 + axis]) - point
        offset = (x if axis == 0 else (y if axis == 1 else z)) - point
        real[row, 4 + axis] = point
        real[row, 8 + axis] = middle
        square += offset * offset
        inward += middle * middle
    real[row, 7] = square
    inward = np.sqrt(inward)
    scale = nudge / inward if inward > nudge else np.float32(1.0)
    for axis in range(3):
        real[row, 8 + axis] = real[row, 4 + axis] + scale * real[row, 8 + axis]
    whole[row, PRIMITIVE] = primitive
    whole[row, KIND] = table.kind[primitive]
    whole[row, COMPONENT] = table.component[primitive]


@kernel
def _faces(table, line, x, y, z, part, most, nudge, distinct, real, whole, first):
    """Planes of the nearest triples that face different ways, into rows first …; returns how many."""
    begin, end = table.list_start[line], table.list_start[line + 1]
    if table.list_flag[line] & SEVERAL_WALLS == 0:
        most = 1
    count = 0
    while count < most:
        item = _nearest(table, begin, end, x, y, z, False, part, real, first, count, distinct)
        if item < 0:
            break
        _measure(table, item, x, y, z, nudge, real, whole, first + count)
        count += 1
    return count


@kernel
def _side(table, line, x, y, z, part, nudge, distinct, real, whole, first):
    """Side of a sheet's part on which a point lies: 1 or -1 along its normals; 0 beyond its edge or far away."""
    count = _faces(table, line, x, y, z, part, 3, nudge, distinct, real, whole, first)
    if count == 0:
        return np.float32(0.0)
    best = first
    for row in range(first + 1, first + count):
        # Of faces that share their nearest point, the one seen most squarely tells the side.
        tie = abs(real[row, 7] - real[best, 7]) <= np.float32(1.0e-4) * real[best, 7]
        if (tie and abs(real[row, 3]) > abs(real[best, 3])) or (not tie and real[row, 7] < real[best, 7]):
            best = row
    side = np.float32(1.0) if real[best, 3] >= np.float32(0.0) else np.float32(-1.0)
    square = real[best, 7]
    if table.list_flag[line] & HAS_EDGES:
        item = _nearest(
            table, table.list_start[line], table.list_start[line + 1], x, y, z, True, part, real, first, 0, distinct
        )
        if item >= 0:
            _measure(table, item, x, y, z, nudge, real, whole, first)
            if real[first, 3] > np.float32(0.0) and real[first, 7] <= square * np.float32(1.0001):
                return np.float32(0.0)
    return side


@kernel
def _turn_sheets(table, c, line, x, y, z, before, has_before, nudge, distinct, real, whole, first, count):
    """Turn the normals of sheets to the side on which the particle is, or was one step earlier."""
    for row in range(first, first + count):
        if whole[row, KIND] != SHEET:
            continue
        part = whole[row, COMPONENT]
        side = np.float32(0.0)
        for other in range(first, row):
            if whole[other, COMPONENT] == part and whole[other, KIND] == SHEET:
                side = real[other, 11]
        if side == np.float32(0.0):
            side = _side_before(table, c, line, x, y, z, before, has_before, nudge, distinct, real, whole, row, first + 3, part)
        real[row, 11] = side
    for row in range(first, first + count):
        if whole[row, KIND] == SHEET:
            for column in range(4):
                real[row, column] *= real[row, 11]


@kernel
def _side_before(table, c, line, x, y, z, before, has_before, nudge, distinct, real, whole, row, spare, part):
    """Side of a sheet's part at the earlier position; at the position itself if there is none or it was beyond the edge."""
    here = _side(table, line, x, y, z, part, nudge, distinct, real, whole, spare)
    if here == np.float32(0.0):
        here = np.float32(1.0) if real[row, 3] >= np.float32(0.0) else np.float32(-1.0)
    if not has_before:
        return here
    bx, by, bz = to_local(table.frame, c, BEFORE, before[0], before[1], before[2])
    if table.collider[c, 2] == DEFORMING:
        vx, vy, vz = _corner_velocity(table, whole[row, PRIMITIVE], real[row, 4], real[row, 5], real[row, 6])
        step = np.float32(table.frame[c, STEP])
        bx, by, bz = bx + vx * step, by + vy * step, bz + vz * step
    line_before = list_at(table, c, bx, by, bz)
    if line_before < 0:
        return here
    side = _side(table, line_before, bx, by, bz, part, nudge, distinct, real, whole, spare)
    if side != np.float32(0.0):
        return side
    # It was beyond the edge: did it come through the sheet or around it?
    now = real[row, 3]
    then = now
    for axis in range(3):
        step = (bx - x) if axis == 0 else ((by - y) if axis == 1 else (bz - z))
        then += real[row, axis] * step
    if now * then >= np.float32(0.0):
        return here
    part_way = now / (now - then)
    px, py, pz = x + (bx - x) * part_way, y + (by - y) * part_way, z + (bz - z) * part_way
    corner = table.corner[whole[row, PRIMITIVE]]
    b, q = nearest_on_triangle(px, py, pz, corner)
    a = np.float32(1.0) - b - q
    gap = np.float32(0.0)
    for axis in range(3):
        point = a * corner[axis] + b * corner[3 + axis] + q * corner[6 + axis]
        offset = (px if axis == 0 else (py if axis == 1 else pz)) - point
        gap += offset * offset
    if gap <= nudge * nudge:
        return np.float32(1.0) if then >= np.float32(0.0) else np.float32(-1.0)
    return here


@kernel
def _corner_velocity(table, primitive, x, y, z):
    """Velocity of a deforming primitive at a point on it."""
    corner = table.corner[primitive]
    b, c = nearest_on_triangle(x, y, z, corner)
    a = np.float32(1.0) - b - c
    v = table.corner_velocity[primitive]
    return a * v[0] + b * v[3] + c * v[6], a * v[1] + b * v[4] + c * v[7], a * v[2] + b * v[5] + c * v[8]


@kernel
def collider_planes(table, c, x, y, z, before, has_before, reach, distinct, real, whole):
    """Planes of collider c around a world point, into rows 3 …, in local coordinates; returns count and shape."""
    lx, ly, lz = to_local(table.frame, c, ROTATION, x, y, z)
    line = list_at(table, c, lx, ly, lz)
    if line < 0:
        return 0, UNION
    voxel = np.float32(table.frame[c, VOXEL])
    nudge = np.float32(0.1) * voxel
    first = 3
    count = _faces(table, line, lx, ly, lz, -1, 3, nudge, distinct, real, whole, first)
    # Only planes whose triangle is really near: the extension of a far triangle's plane never acts.
    limit = (reach + voxel) * (reach + voxel)
    stays = 0
    for row in range(first, first + count):
        if real[row, 7] <= limit and real[row, 3] > -reach:
            if row != first + stays:
                for column in range(12):
                    real[first + stays, column] = real[row, column]
                for column in range(4):
                    whole[first + stays, column] = whole[row, column]
            stays += 1
    count = stays
    if count == 0:
        return 0, UNION
    if table.collider[c, 4] != 0:
        _turn_sheets(table, c, line, lx, ly, lz, before, has_before, nudge, distinct, real, whole, first, count)
        if table.list_flag[line] & HAS_EDGES:
            faces = count
            begin, end = table.list_start[line], table.list_start[line + 1]
            while count < 3:
                item = _nearest(table, begin, end, lx, ly, lz, True, -1, real, first + faces, count - faces, distinct)
                if item < 0:
                    break
                _measure(table, item, lx, ly, lz, nudge, real, whole, first + count)
                if real[first + count, 7] > limit or real[first + count, 3] <= -reach:
                    break
                count += 1
    if count == 1:
        return (1, UNION) if real[first, 3] < reach else (0, UNION)
    return join_neighbours(real, whole, first, count, reach, voxel)


@inlined
def _to_world(table, c, real, whole, first, count):
    """Normals and contact points of local rows to world space."""
    for row in range(first, first + count):
        whole[row, COLLIDER] = c
        if table.collider[c, 2] == RIGID:
            nx, ny, nz = np.float64(real[row, 0]), np.float64(real[row, 1]), np.float64(real[row, 2])
            for axis in range(3):
                r = 3 * axis
                real[row, axis] = table.frame[c, r] * nx + table.frame[c, r + 1] * ny + table.frame[c, r + 2] * nz


@kernel
def _write(table, row, real, whole, plane, collider):
    """One plane of the answer: normal, distance, velocity of the wall at the contact, friction."""
    c = whole[row, COLLIDER]
    for column in range(4):
        plane[column] = real[row, column]
    plane[4], plane[5], plane[6] = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    f = table.frame
    if table.collider[c, 2] == RIGID:
        px, py, pz = real[row, 4], real[row, 5], real[row, 6]
        qx = f[c, 0] * px + f[c, 1] * py + f[c, 2] * pz + f[c, 9] - f[c, 30]
        qy = f[c, 3] * px + f[c, 4] * py + f[c, 5] * pz + f[c, 10] - f[c, 31]
        qz = f[c, 6] * px + f[c, 7] * py + f[c, 8] * pz + f[c, 11] - f[c, 32]
        plane[4] = f[c, 24] + f[c, 28] * qz - f[c, 29] * qy
        plane[5] = f[c, 25] + f[c, 29] * qx - f[c, 27] * qz
        plane[6] = f[c, 26] + f[c, 27] * qy - f[c, 28] * qx
    elif table.collider[c, 2] == DEFORMING:
        plane[4], plane[5], plane[6] = _corner_velocity(table, whole[row, PRIMITIVE], real[row, 4], real[row, 5], real[row, 6])
    plane[7] = f[c, FRICTION]
    return c


@kernel
def planes_around(table, x, y, z, before, has_before, reach, distinct, real, whole):
    """Planes of all colliders around a world point, into rows 0 … count; returns count and shape."""
    count, shape = 0, UNION
    for c in range(len(table.collider)):
        if table.collider[c, 3] == 0:
            continue
        added, added_shape = collider_planes(table, c, x, y, z, before, has_before, reach, distinct, real, whole)
        if added > 0:
            _to_world(table, c, real, whole, 3, added)
            count, shape = unite(real, whole, count, shape, added, added_shape, distinct)
    if count > 1:
        put_in_order(real, whole, count, shape)
    return count, shape


@parallel_kernel
def count_near(table, position, row, found):
    """Mark particles in the band of any collider (row 0 or -1) and count them per chunk."""
    for chunk in prange(len(found)):
        near = 0
        for i in range(chunk * CHUNK, min((chunk + 1) * CHUNK, len(position))):
            mark = -1
            for c in range(len(table.collider)):
                if table.collider[c, 3] != 0 and mark < 0:
                    lx, ly, lz = to_local(table.frame, c, ROTATION, position[i, 0], position[i, 1], position[i, 2])
                    if list_at(table, c, lx, ly, lz) >= 0:
                        mark = 0
            row[i] = mark
            near += mark + 1
        found[chunk] = near


@parallel_kernel
def find_near(table, position, before, has_before, start, reach, distinct, row, plane, count, shape, collider, particle):
    """Planes of every marked particle. Chunk k writes rows start[k] … start[k + 1]; rows left over have count 0."""
    for chunk in prange(len(start) - 1):
        real = np.empty((10, 12), np.float32)
        whole = np.empty((10, 4), np.int32)
        at = start[chunk]
        for i in range(chunk * CHUNK, min((chunk + 1) * CHUNK, len(position))):
            if row[i] < 0:
                continue
            earlier = before[min(i, len(before) - 1)]
            found, joined = planes_around(
                table, position[i, 0], position[i, 1], position[i, 2], earlier, has_before, reach, distinct, real, whole,
            )  # fmt: skip
            if found == 0:
                row[i] = -1
                continue
            row[i] = at
            particle[at] = i
            count[at] = found
            shape[at] = joined
            for slot in range(found):
                collider[at, slot] = _write(table, slot, real, whole, plane[at, slot], collider)
            for slot in range(found, 3):
                collider[at, slot] = -1
                for column in range(8):
                    plane[at, slot, column] = np.float32(0.0)
            at += 1
        for left in range(at, start[chunk + 1]):
            count[left] = 0
            shape[left] = 0
            particle[left] = -1
            for slot in range(3):
                collider[left, slot] = -1
                for column in range(8):
                    plane[left, slot, column] = np.float32(0.0)
