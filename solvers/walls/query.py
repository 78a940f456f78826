"""The planes around a particle: one kernel over all particles and all colliders."""

import numpy as np

from ..jit import inlined, parallel_kernel, prange
from .borrow import borrowed
from .geometry import point_on_triangle
from .nearest import nearest_triple, probe
from .planes import COLLIDER, DISTANCE, FREE_EDGE, KIND, SQUARE, UNION, join_neighbours, put_in_order, unite
from .sheets import corner_velocity, earlier_place, turn_sheets
from .table import DIRECTIONS, HAS_EDGES, find_block
from .topology import SHEET
from .wall_table import (
    ACTIVE,
    BEFORE,
    DEFORMING,
    FIRST_LIST,
    FIRST_PRIMITIVE,
    FIRST_SLOT,
    FRICTION,
    HAS_OPEN,
    MOTION,
    PIVOT,
    RIGID,
    ROTATION,
    SLOT_MASK,
    SPIN,
    STILL,
    VELOCITY,
    VOXEL,
    list_at,
    to_local,
    voxel_at,
)

CHUNK = 512
"""Particles handled one after the other; fixed, so that results do not depend on the number of threads."""


@inlined
def collider_planes(table, c, line, x, y, z, before, was, has_before, reach, distinct, work, pick):
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
            px, py, pz = earlier_place(table, c, work, before, was)
            at = list_at(table, c, px, py, pz)
            if at < 0:
                break
        found, most = np.int64(0), 3
        if wants_edges:
            most = 3 if table.lists[at] & HAS_EDGES else 0
        else:
            most = 1 + (table.lists[at] & DIRECTIONS)
        while found < most and probe(table, c, at, px, py, pz, wants_edges, work, 3 + 3 * stage, found, distinct):
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
        turn_sheets(work, faces, edges, was_near, was_faces, was_edges, x, y, z, px, py, pz)
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


@inlined
def was_elsewhere(table, c, x, y, z, before, was, has_before):
    """Whether the earlier position can tell another side of a sheet than the present one (x, y, z): not if nothing moved."""
    if not has_before:
        return False
    if table.collider[c, MOTION] != STILL:
        return True
    return before[was, 0] != x or before[was, 1] != y or before[was, 2] != z


@inlined
def planes_around(table, x, y, z, before, was, has_before, reach, distinct, work, pick):
    """Planes of all colliders around a world point; returns count and shape, `pick` lists their rows in order.

    `before`[was] is where the particle was one step earlier, if `has_before`. `work` is float32 (WORK_ROWS, 16), `pick` int64
    (PICKS,). Solvers may call this from their own kernels, with borrowed arrays.
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
        had = was_elsewhere(table, c, x, y, z, before, was, has_before)
        added, added_shape = collider_planes(table, c, line, lx, ly, lz, before, was, had, reach, distinct, work, pick)
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


@inlined
def write_plane(table, work, row, plane, at, slot):
    """One plane of the answer: normal, distance, velocity of the wall at the contact, friction. Returns the collider."""
    c = np.int64(work[row, COLLIDER])
    f = table.frame
    for column in range(4):
        plane[at, slot, column] = work[row, column]
    plane[at, slot, 7] = f[c, FRICTION]
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
        vx, vy, vz = corner_velocity(table, c, work, row)
    plane[at, slot, 4], plane[at, slot, 5], plane[at, slot, 6] = vx, vy, vz
    return c


@parallel_kernel
def count_near(all_table, position, row, found):
    """Mark particles in the band of any collider (row 0 or -1) and count them per chunk."""
    for chunk in prange(len(found)):
        table = borrowed(all_table)
        first, last = chunk * CHUNK, min((chunk + 1) * CHUNK, len(position))
        near = 0
        for i in range(first, last):
            row[i] = -1
        for c in range(len(table.collider)):
            if table.collider[c, ACTIVE] == 0:
                continue
            slots, mask, lists = table.collider[c, FIRST_SLOT], table.collider[c, SLOT_MASK], table.collider[c, FIRST_LIST]
            # particles come in the order of space: most are in the block of the one before
            known, block = np.int64(-1), np.int64(-1)
            for i in range(first, last):
                if row[i] >= 0:
                    continue
                lx, ly, lz = to_local(table.frame, c, ROTATION, position[i, 0], position[i, 1], position[i, 2])
                key, voxel = voxel_at(table, c, lx, ly, lz)
                if key != known:
                    known, block = key, np.int64(-1)
                    if key >= 0:
                        block = find_block(table.slots, slots, mask, key)
                if block >= 0 and table.lists[lists + block + voxel] >= 0:
                    row[i] = 0
                    near += 1
        found[chunk] = near


@inlined
def _plain_plane(table, c, line, x, y, z, position, i, before, was, has_before, reach, distinct, work, plane, at):
    """The one plane of a smooth piece of wall, without the search for corners and edges: the common case.

    (x, y, z) is the local place of particle i. Writes the plane; returns 1, 0 if the wall is out of reach, or -1 if the full
    search is needed after all.
    """
    triple, frame = table.triple, table.frame
    none = np.int64(0)
    best, side, distance = none, np.float32(1.0), np.float32(0.0)
    for stage in range(2):
        px, py, pz, here = x, y, z, line
        if stage == 1:
            # A sheet: on which side was the particle?
            if not has_before:
                side = np.float32(1.0) if distance >= np.float32(0.0) else np.float32(-1.0)
                break
            px, py, pz = to_local(frame, c, BEFORE, before[was, 0], before[was, 1], before[was, 2])
            here = list_at(table, c, px, py, pz)
            if here < 0 or table.lists[here] & (DIRECTIONS | HAS_EDGES) != 0:
                return -1
        item = nearest_triple(table, c, here, px, py, pz, False, work, none, none, distinct)
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
        px, py, pz = point_on_triangle(x, y, z, table.corner, table.collider[c, FIRST_PRIMITIVE] + np.int64(triple[best, 8]))
        gap = (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz)
        if gap > (reach + voxel) * (reach + voxel):
            return 0
    wx, wy, wz = np.float64(nx), np.float64(ny), np.float64(nz)
    vx, vy, vz = 0.0, 0.0, 0.0
    if table.collider[c, MOTION] == RIGID:
        wx = frame[c, 0] * nx + frame[c, 1] * ny + frame[c, 2] * nz
        wy = frame[c, 3] * nx + frame[c, 4] * ny + frame[c, 5] * nz
        wz = frame[c, 6] * nx + frame[c, 7] * ny + frame[c, 8] * nz
        qx = position[i, 0] - distance * wx - frame[c, PIVOT]
        qy = position[i, 1] - distance * wy - frame[c, PIVOT + 1]
        qz = position[i, 2] - distance * wz - frame[c, PIVOT + 2]
        vx = frame[c, VELOCITY] + frame[c, SPIN + 1] * qz - frame[c, SPIN + 2] * qy
        vy = frame[c, VELOCITY + 1] + frame[c, SPIN + 2] * qx - frame[c, SPIN] * qz
        vz = frame[c, VELOCITY + 2] + frame[c, SPIN] * qy - frame[c, SPIN + 1] * qx
    plane[at, 0, 0], plane[at, 0, 1], plane[at, 0, 2], plane[at, 0, 3] = wx, wy, wz, distance
    plane[at, 0, 4], plane[at, 0, 5], plane[at, 0, 6], plane[at, 0, 7] = vx, vy, vz, frame[c, FRICTION]
    return 1


@parallel_kernel
def find_near(
    all_table, all_position, all_before, has_before, start, reach, distinct, all_work, all_pick, row, all_plane, count, shape,
    collider, particle,
):  # fmt: skip
    """Planes of every marked particle. Chunk k writes rows start[k] … start[k + 1]; rows left over have count 0.

    `all_work` float32 (chunks, WORK_ROWS, 16) and `all_pick` int64 (chunks, PICKS) are room to work in.
    """
    for chunk in prange(len(start) - 1):
        table, position, before = borrowed(all_table), borrowed(all_position), borrowed(all_before)
        work, pick, plane = borrowed(all_work)[chunk], borrowed(all_pick)[chunk], borrowed(all_plane)
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
            was = i if has_before else 0
            if hits == 1 and table.lists[plain_line] & (DIRECTIONS | HAS_EDGES) == 0:
                if table.collider[plain_collider, MOTION] != DEFORMING:
                    had = was_elsewhere(table, plain_collider, x, y, z, before, was, has_before)
                    found = np.int64(
                        _plain_plane(
                            table, plain_collider, plain_line, lx, ly, lz, position, i, before, was, had, reach, distinct,
                            work, plane, at,
                        )
                    )  # fmt: skip
                    if found > 0:
                        collider[at, 0] = plain_collider
                        shape[at] = UNION
            if found < 0:
                found, joined = planes_around(table, x, y, z, before, was, has_before, reach, distinct, work, pick)
                if found > 0:
                    shape[at] = joined
                    for slot in range(found):
                        collider[at, slot] = write_plane(table, work, pick[slot], plane, at, slot)
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
