"""The planes around a particle: one kernel over all particles and all colliders."""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel, parallel_kernel, prange
from .geometry import nearest_on_triangle, point_on_segment, point_on_triangle
from .planes import (
    COLLIDER,
    COMPONENT,
    DISTANCE,
    FREE_EDGE,
    KIND,
    PRIMITIVE,
    SIDE,
    SQUARE,
    UNION,
    WORK_ROWS,
    join_neighbours,
    put_in_order,
    unite,
)
from .table import DIRECTIONS, HAS_EDGES, HEAD_BITS, block_key, find_block
from .topology import SHEET

CHUNK = 512
"""Particles handled one after the other; fixed, so that results do not depend on the number of threads."""
STILL, RIGID, DEFORMING = 0, 1, 2


class WallTable(NamedTuple):
    """Triples and look-up tables of all colliders, one after the other. Local coordinates are the colliders' own."""

    triple: np.ndarray
    """r, d, n, kind, primitive, component, is the primitive wider than a voxel; float32 (n, 11), the last four whole numbers."""
    corner: np.ndarray
    """Corners of each primitive, float32 (p, 9), or (p, 18) with the corners' velocities [m/s] if something deforms."""
    slots: np.ndarray
    lists: np.ndarray
    """See `Lookup`."""
    collider: np.ndarray
    """int64 (k, 8), columns named below."""
    frame: np.ndarray
    """float64 (k, 43), columns named below."""


# Columns of `WallTable.collider`.
FIRST_SLOT, SLOT_MASK, MOTION, ACTIVE, HAS_OPEN, FIRST_LIST, FIRST_TRIPLE, FIRST_PRIMITIVE = 0, 1, 2, 3, 4, 5, 6, 7
# Columns of `WallTable.frame`.
ROTATION, OFFSET = 0, 9
"""Local to world, rotation row by row: world = rotation · local + offset."""
BEFORE = 12
"""The same one step earlier."""
VELOCITY, SPIN, PIVOT = 24, 27, 30
"""Rigid motion: velocity of the pivot [m/s], angular velocity [rad/s], place of the pivot [m]."""
LOW, HIGH = 33, 36
"""Bounds of the band around the surface, local."""
VOXEL, FRICTION, STEP, PER_METRE = 39, 40, 41, 42
"""Voxel edge [m], friction, time step [s], voxels per metre."""


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
    """Place of the candidate list of the cell that holds a local point, or -1 far from the surface."""
    frame = table.frame
    if x < frame[c, 33] or y < frame[c, 34] or z < frame[c, 35] or x > frame[c, 36] or y > frame[c, 37] or z > frame[c, 38]:
        return np.int64(-1)
    per_metre = frame[c, PER_METRE]
    i = np.int64(np.floor(x * per_metre))
    j = np.int64(np.floor(y * per_metre))
    k = np.int64(np.floor(z * per_metre))
    first = table.collider[c, FIRST_LIST]
    key = block_key(i >> 2, j >> 2, k >> 2)
    block = find_block(table.slots, table.collider[c, FIRST_SLOT], table.collider[c, SLOT_MASK], key)
    if block < 0:
        return np.int64(-1)
    place = np.int64(table.lists[first + block + ((i & 3) << 4 | (j & 3) << 2 | (k & 3))])
    return place + first if place >= 0 else np.int64(-1)


@kernel
def _differs(triple, item, work, first, count, distinct):
    """Does a triple face another way than rows first … first + count?"""
    for row in range(first, first + count):
        if triple[item, 4] * work[row, 0] + triple[item, 5] * work[row, 1] + triple[item, 6] * work[row, 2] >= distinct:
            return False
    return True


@kernel
def _nearest(triple, corner, lists, line, base, first_primitive, x, y, z, edges, work, first, count, distinct):
    """Nearest triple of a list that is (not) an edge and faces another way than rows first … first + count, or -1.

    Facets wider than a voxel have triples of their own: among those of one smooth surface the one whose triangle is
    nearest is taken, so that the distance does not jump where the border between voxels misses that between facets.
    """
    best, best_square = np.int64(-1), np.float32(np.inf)
    end = line + 1 + (lists[line] >> HEAD_BITS)
    for place in range(line + 1, end):
        item = base + lists[place]
        dx, dy, dz = x - triple[item, 0], y - triple[item, 1], z - triple[item, 2]
        square = dx * dx + dy * dy + dz * dz
        if square < best_square and (triple[item, 7] == np.float32(FREE_EDGE)) == edges:
            if count == 0 or _differs(triple, item, work, first, count, distinct):
                best, best_square = item, square
    if best < 0 or edges or end - line <= 2 or triple[best, 10] == np.float32(0.0):
        return best
    nearest, facing, last = best, np.float32(-1.0), np.float32(-1.0)
    gap = np.float32(np.inf)
    for place in range(line, end):
        item = base + lists[place] if place > line else best
        if triple[item, 8] == last or triple[item, 10] == np.float32(0.0) or triple[item, 7] == np.float32(FREE_EDGE):
            continue
        rx, ry, rz = x - triple[item, 0], y - triple[item, 1], z - triple[item, 2]
        over = abs(rx * triple[item, 4] + ry * triple[item, 5] + rz * triple[item, 6] + triple[item, 3])
        last = triple[item, 8]
        # A triangle is no nearer than its plane; another direction is another wall.
        if over * over > gap * np.float32(1.0001) or triple[item, 8] == triple[nearest, 8] and place > line:
            continue
        cosine = triple[item, 4] * triple[best, 4] + triple[item, 5] * triple[best, 5] + triple[item, 6] * triple[best, 6]
        if cosine < distinct or (count > 0 and not _differs(triple, item, work, first, count, distinct)):
            continue
        px, py, pz = point_on_triangle(x, y, z, corner[first_primitive + np.int64(triple[item, 8])])
        square = (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz)
        if square < gap * np.float32(0.9999) or (square < gap * np.float32(1.0001) and over > facing):
            nearest, facing, gap = item, over, min(square, gap)
    return nearest


@kernel
def _probe(table, c, line, x, y, z, edges, work, first, count, distinct):
    """Find the nearest triple that faces another way than rows first … first + count; False if there is none.

    Its plane (19) and the nearest point of its primitive go to the next row.
    """
    triple = table.triple
    best = _nearest(
        triple, table.corner, table.lists, line, table.collider[c, FIRST_TRIPLE], table.collider[c, FIRST_PRIMITIVE], x, y, z,
        edges, work, first, count, distinct,
    )  # fmt: skip
    if best < 0:
        return False
    row = first + count
    nx, ny, nz = triple[best, 4], triple[best, 5], triple[best, 6]
    work[row, 0], work[row, 1], work[row, 2] = nx, ny, nz
    work[row, DISTANCE] = (x - triple[best, 0]) * nx + (y - triple[best, 1]) * ny + (z - triple[best, 2]) * nz + triple[best, 3]
    work[row, PRIMITIVE] = triple[best, 8]
    work[row, KIND] = triple[best, 7]
    work[row, COMPONENT] = triple[best, 9]
    t = table.corner[table.collider[c, FIRST_PRIMITIVE] + np.int64(triple[best, 8])]
    px, py, pz = point_on_segment(x, y, z, t) if edges else point_on_triangle(x, y, z, t)
    work[row, 4], work[row, 5], work[row, 6] = px, py, pz
    work[row, SQUARE] = (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz)
    third = np.float32(1.0 / 3.0)
    mx, my, mz = third * (t[0] + t[3] + t[6]) - px, third * (t[1] + t[4] + t[7]) - py, third * (t[2] + t[5] + t[8]) - pz
    inward = np.sqrt(mx * mx + my * my + mz * mz)
    nudge = np.float32(0.1) * np.float32(table.frame[c, VOXEL])
    scale = nudge / inward if inward > nudge else np.float32(1.0)
    work[row, 8], work[row, 9], work[row, 10] = px + scale * mx, py + scale * my, pz + scale * mz
    return True


@kernel
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


@kernel
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


@kernel
def _turn_sheets(work, count, here_edges, was_near, was_faces, was_edges, x, y, z, bx, by, bz):
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


@kernel
def collider_planes(table, c, line, x, y, z, before, has_before, reach, distinct, work, pick):
    """Planes of collider c around a local point with candidate list `line`, into rows 3 …; returns count and shape."""
    voxel = np.float32(table.frame[c, VOXEL])
    has_open = table.collider[c, HAS_OPEN] != 0
    # Rows 3: faces here; 6: edges here; 9: faces at the earlier position; 12: edges there.
    none = np.int64(0)
    faces, edges, was_faces, was_edges = none, none, none, none
    px, py, pz, at = x, y, z, line
    for stage in range(4 if has_open else 1):
        wants_edges = stage & 1 == 1
        if stage == 2:
            if not has_before or faces == 0:
                break
            px, py, pz = _earlier(table, c, work, before)
            at = list_at(table, c, px, py, pz)
            if at < 0:
                break
        found, most = np.int64(0), 3
        if wants_edges:
            most = 3 if table.lists[at] & HAS_EDGES else 0
        else:
            most = 1 + (table.lists[at] & DIRECTIONS)
        while found < most and _probe(table, c, at, px, py, pz, wants_edges, work, 3 + 3 * stage, found, distinct):
            found += 1
        if stage == 0:
            faces = found
        elif stage == 1:
            edges = found
        elif stage == 2:
            was_faces = found
        else:
            was_edges = found
    if has_open and faces > 0:
        was_near = was_faces > 0
        _turn_sheets(work, faces, edges, was_near, was_faces, was_edges, x, y, z, px, py, pz)
    # Only planes whose primitive is really near: the extension of a far triangle's plane never acts.
    limit = (reach + voxel) * (reach + voxel)
    count = np.int64(0)
    for place in range(faces + edges):
        row = 3 + place if place < faces else 6 + place - faces
        if work[row, SQUARE] <= limit and work[row, DISTANCE] > -reach and count < 3:
            if row != 3 + count:
                for column in range(16):
                    work[3 + count, column] = work[row, column]
            count += 1
    if count == 0 or work[3, KIND] == np.float32(FREE_EDGE):
        return 0, UNION
    if count == 1:
        return (1, UNION) if work[3, DISTANCE] < reach else (0, UNION)
    return join_neighbours(work, pick, count, reach, voxel)


@kernel
def _earlier(table, c, work, before):
    """Local place of the earlier position, as the collider was then."""
    bx, by, bz = to_local(table.frame, c, BEFORE, before[0], before[1], before[2])
    if table.collider[c, MOTION] == DEFORMING:
        vx, vy, vz = _corner_velocity(table, c, work, np.int64(3))
        step = np.float32(table.frame[c, STEP])
        bx, by, bz = bx + vx * step, by + vy * step, bz + vz * step
    return bx, by, bz


@kernel
def _corner_velocity(table, c, work, row):
    """Velocity of a deforming primitive at its contact point."""
    v = table.corner[table.collider[c, FIRST_PRIMITIVE] + np.int64(work[row, PRIMITIVE])]
    b, g = nearest_on_triangle(work[row, 4], work[row, 5], work[row, 6], v)
    a = np.float32(1.0) - b - g
    return a * v[9] + b * v[12] + g * v[15], a * v[10] + b * v[13] + g * v[16], a * v[11] + b * v[14] + g * v[17]


@kernel
def planes_around(table, x, y, z, before, has_before, reach, distinct, work, pick):
    """Planes of all colliders around a world point; returns count and shape, `pick` lists their rows in order.

    `work` is float32 (WORK_ROWS, 16), `pick` int64 (9,). Solvers may call this from their own kernels.
    """
    count, shape = np.int64(0), np.int64(UNION)
    f = table.frame
    for c in range(len(table.collider)):
        if table.collider[c, ACTIVE] == 0:
            continue
        lx, ly, lz = to_local(f, c, ROTATION, x, y, z)
        line = list_at(table, c, lx, ly, lz)
        if line < 0:
            continue
        added, added_shape = collider_planes(table, c, line, lx, ly, lz, before, has_before, reach, distinct, work, pick)
        if added == 0:
            continue
        for row in range(3, 3 + added):
            work[row, COLLIDER] = c
            if table.collider[c, MOTION] == RIGID:
                nx, ny, nz = work[row, 0], work[row, 1], work[row, 2]
                for axis in range(3):
                    work[row, axis] = f[c, 3 * axis] * nx + f[c, 3 * axis + 1] * ny + f[c, 3 * axis + 2] * nz
        count, shape = unite(work, pick, count, shape, added, added_shape, distinct)
    put_in_order(work, pick, count, shape)
    return count, shape


@kernel
def write_plane(table, work, row, plane):
    """One plane of the answer: normal, distance, velocity of the wall at the contact, friction. Returns the collider."""
    c = np.int64(work[row, COLLIDER])
    f = table.frame
    for column in range(4):
        plane[column] = work[row, column]
    plane[7] = f[c, FRICTION]
    px, py, pz = work[row, 4], work[row, 5], work[row, 6]
    vx, vy, vz = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    if table.collider[c, MOTION] == RIGID:
        qx = f[c, 0] * px + f[c, 1] * py + f[c, 2] * pz + f[c, 9] - f[c, 30]
        qy = f[c, 3] * px + f[c, 4] * py + f[c, 5] * pz + f[c, 10] - f[c, 31]
        qz = f[c, 6] * px + f[c, 7] * py + f[c, 8] * pz + f[c, 11] - f[c, 32]
        vx = np.float32(f[c, 24] + f[c, 28] * qz - f[c, 29] * qy)
        vy = np.float32(f[c, 25] + f[c, 29] * qx - f[c, 27] * qz)
        vz = np.float32(f[c, 26] + f[c, 27] * qy - f[c, 28] * qx)
    elif table.collider[c, MOTION] == DEFORMING:
        vx, vy, vz = _corner_velocity(table, c, work, row)
    plane[4], plane[5], plane[6] = vx, vy, vz
    return c


@parallel_kernel
def count_near(table, position, row, found):
    """Mark particles in the band of any collider (row 0 or -1) and count them per chunk."""
    for chunk in prange(len(found)):
        near = 0
        for i in range(chunk * CHUNK, min((chunk + 1) * CHUNK, len(position))):
            mark = -1
            for c in range(len(table.collider)):
                if table.collider[c, ACTIVE] != 0 and mark < 0:
                    lx, ly, lz = to_local(table.frame, c, ROTATION, position[i, 0], position[i, 1], position[i, 2])
                    if list_at(table, c, lx, ly, lz) >= 0:
                        mark = 0
            row[i] = mark
            near += mark + 1
        found[chunk] = near


@inlined
def _plain_plane(table, c, line, x, y, z, point, before, has_before, reach, distinct, work, plane):
    """The one plane of a smooth piece of wall, without the search for corners and edges: the common case.

    (x, y, z) is local, `point` the same in world space. Writes the plane; returns 1, 0 if the wall is out of reach, or -1
    if the full search is needed after all.
    """
    triple, frame = table.triple, table.frame
    base, first_primitive = table.collider[c, FIRST_TRIPLE], table.collider[c, FIRST_PRIMITIVE]
    none = np.int64(0)
    best, side, distance = none, np.float32(1.0), np.float32(0.0)
    for stage in range(2):
        px, py, pz, at = x, y, z, line
        if stage == 1:
            # A sheet: on which side was the particle?
            if not has_before:
                side = np.float32(1.0) if distance >= np.float32(0.0) else np.float32(-1.0)
                break
            px, py, pz = to_local(frame, c, BEFORE, before[0], before[1], before[2])
            at = list_at(table, c, px, py, pz)
            if at < 0 or table.lists[at] & (DIRECTIONS | HAS_EDGES) != 0:
                return -1
        item = _nearest(
            triple, table.corner, table.lists, at, base, first_primitive, px, py, pz, False, work, none, none, distinct
        )
        nx, ny, nz = triple[item, 4], triple[item, 5], triple[item, 6]
        distance = (px - triple[item, 0]) * nx + (py - triple[item, 1]) * ny + (pz - triple[item, 2]) * nz + triple[item, 3]
        if stage == 1:
            if triple[item, 9] != triple[best, 9]:
                return -1
            side = np.float32(1.0) if distance >= np.float32(0.0) else np.float32(-1.0)
        else:
            best = item
            if triple[item, 7] != np.float32(SHEET):
                break
    nx, ny, nz = side * triple[best, 4], side * triple[best, 5], side * triple[best, 6]
    rx, ry, rz = x - triple[best, 0], y - triple[best, 1], z - triple[best, 2]
    distance = rx * nx + ry * ny + rz * nz + side * triple[best, 3]
    if distance >= reach or distance <= -reach:
        return 0
    voxel = np.float32(frame[c, VOXEL])
    # The triangle crosses the voxel, so it is at most |x − r| + a√3/2 away; look closer only if that does not settle it.
    sure = reach + np.float32(0.13) * voxel
    if rx * rx + ry * ry + rz * rz > sure * sure:
        px, py, pz = point_on_triangle(x, y, z, table.corner[first_primitive + np.int64(triple[best, 8])])
        gap = (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz)
        if gap > (reach + voxel) * (reach + voxel):
            return 0
    plane[0], plane[1], plane[2], plane[3] = nx, ny, nz, distance
    plane[4], plane[5], plane[6] = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    plane[7] = frame[c, FRICTION]
    if table.collider[c, MOTION] == RIGID:
        for axis in range(3):
            plane[axis] = frame[c, 3 * axis] * nx + frame[c, 3 * axis + 1] * ny + frame[c, 3 * axis + 2] * nz
        qx = point[0] - distance * plane[0] - frame[c, PIVOT]
        qy = point[1] - distance * plane[1] - frame[c, PIVOT + 1]
        qz = point[2] - distance * plane[2] - frame[c, PIVOT + 2]
        plane[4] = frame[c, VELOCITY] + frame[c, SPIN + 1] * qz - frame[c, SPIN + 2] * qy
        plane[5] = frame[c, VELOCITY + 1] + frame[c, SPIN + 2] * qx - frame[c, SPIN] * qz
        plane[6] = frame[c, VELOCITY + 2] + frame[c, SPIN] * qy - frame[c, SPIN + 1] * qx
    return 1


@parallel_kernel
def find_near(table, position, before, has_before, start, reach, distinct, row, plane, count, shape, collider, particle):
    """Planes of every marked particle. Chunk k writes rows start[k] … start[k + 1]; rows left over have count 0."""
    for chunk in prange(len(start) - 1):
        work = np.empty((WORK_ROWS, 16), np.float32)
        pick = np.empty(9, np.int64)
        at = start[chunk]
        for i in range(chunk * CHUNK, min((chunk + 1) * CHUNK, len(position))):
            if row[i] < 0:
                continue
            x, y, z = position[i, 0], position[i, 1], position[i, 2]
            # One collider, smooth here: no need for more.
            hits, plain_line, plain_collider = 0, np.int64(-1), np.int64(-1)
            lx, ly, lz = x, y, z
            for c in range(len(table.collider)):
                if table.collider[c, ACTIVE] != 0:
                    ux, uy, uz = to_local(table.frame, c, ROTATION, x, y, z)
                    line = list_at(table, c, ux, uy, uz)
                    if line >= 0:
                        hits += 1
                        plain_line, plain_collider, lx, ly, lz = line, c, ux, uy, uz
            found = np.int64(-1)
            earlier = before[i if has_before else 0]
            if hits == 1 and table.lists[plain_line] & (DIRECTIONS | HAS_EDGES) == 0:
                if table.collider[plain_collider, MOTION] != DEFORMING:
                    found = np.int64(
                        _plain_plane(
                            table, plain_collider, plain_line, lx, ly, lz, position[i], earlier, has_before, reach, distinct,
                            work, plane[at, 0],
                        )
                    )  # fmt: skip
                    if found > 0:
                        collider[at, 0] = plain_collider
                        shape[at] = UNION
            if found < 0:
                found, joined = planes_around(table, x, y, z, earlier, has_before, reach, distinct, work, pick)
                if found > 0:
                    shape[at] = joined
                    for slot in range(found):
                        collider[at, slot] = write_plane(table, work, pick[slot], plane[at, slot])
            row[i] = at if found > 0 else -1
            if found > 0:
                particle[at] = i
                count[at] = found
                for slot in range(found, 3):
                    collider[at, slot] = -1
                at += 1
        for left in range(at, start[chunk + 1]):
            count[left] = 0
            shape[left] = 0
            particle[left] = -1
            for slot in range(3):
                collider[left, slot] = -1
            for column in range(8):
                plane[left, 0, column] = np.float32(0.0)
