"""The nearest triple of a candidate list, and the plane it stands for."""

import numpy as np

from ..jit import inlined
from .geometry import point_on_segment, point_on_triangle
from .planes import COMPONENT, DISTANCE, FREE_EDGE, KIND, PRIMITIVE, SQUARE
from .table import HEAD_BITS
from .wall_table import FIRST_PRIMITIVE, FIRST_TRIPLE, VOXEL


@inlined
def differs(triple, item, work, first, count, distinct):
    """Does a triple face another way than rows first … first + count?"""
    for row in range(first, first + count):
        if triple[item, 4] * work[row, 0] + triple[item, 5] * work[row, 1] + triple[item, 6] * work[row, 2] >= distinct:
            return False
    return True


@inlined
def nearest_triple(table, c, line, x, y, z, edges, work, first, count, distinct):
    """Nearest triple of a list that is (not) an edge and faces another way than rows first … first + count, or -1.

    Nearest is the voxel's centre; but triangles wider than a voxel, which are never lost among others, and free edges are
    measured themselves, so that the distance does not jump where the border between voxels misses that between facets.
    """
    triple, lists = table.triple, table.lists
    base = table.collider[c, FIRST_TRIPLE]
    end = line + 1 + (lists[line] >> HEAD_BITS)
    if end == line + 2 and not edges and count == 0:
        return np.int64(base + lists[line + 1])
    first_primitive = table.collider[c, FIRST_PRIMITIVE]
    best, gap, facing = np.int64(-1), np.float32(np.inf), np.float32(-1.0)
    for place in range(line + 1, end):
        item = np.int64(base + lists[place])
        if (triple[item, 7] == np.float32(FREE_EDGE)) != edges:
            continue
        rx, ry, rz = x - triple[item, 0], y - triple[item, 1], z - triple[item, 2]
        square = rx * rx + ry * ry + rz * rz
        over = np.float32(-1.0)
        if triple[item, 10] != np.float32(0.0):
            # A primitive is no nearer than its plane.
            over = abs(rx * triple[item, 4] + ry * triple[item, 5] + rz * triple[item, 6] + triple[item, 3])
            square = over * over
        if square >= gap or (count > 0 and not differs(triple, item, work, first, count, distinct)):
            continue
        if triple[item, 10] != np.float32(0.0):
            p = first_primitive + np.int64(triple[item, 8])
            px, py, pz = point_on_segment(x, y, z, table.corner, p) if edges else point_on_triangle(x, y, z, table.corner, p)
            square = (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz)
        # Of triangles that share the nearest point, the one seen most squarely counts.
        if square < gap * np.float32(0.9999) or (square < gap * np.float32(1.0001) and over > facing):
            best, facing, gap = item, over, min(square, gap)
    return best


@inlined
def probe(table, c, line, x, y, z, edges, work, first, count, distinct):
    """Find the nearest triple that faces another way than rows first … first + count; False if there is none.

    Its plane (19) and the nearest point of its primitive go to the next row.
    """
    best = nearest_triple(table, c, line, x, y, z, edges, work, first, count, distinct)
    if best < 0:
        return False
    triple, corner = table.triple, table.corner
    row = first + count
    nx, ny, nz = triple[best, 4], triple[best, 5], triple[best, 6]
    work[row, 0], work[row, 1], work[row, 2] = nx, ny, nz
    work[row, DISTANCE] = (x - triple[best, 0]) * nx + (y - triple[best, 1]) * ny + (z - triple[best, 2]) * nz + triple[best, 3]
    work[row, PRIMITIVE] = triple[best, 8]
    work[row, KIND] = triple[best, 7]
    work[row, COMPONENT] = triple[best, 9]
    p = table.collider[c, FIRST_PRIMITIVE] + np.int64(triple[best, 8])
    px, py, pz = point_on_segment(x, y, z, corner, p) if edges else point_on_triangle(x, y, z, corner, p)
    work[row, 4], work[row, 5], work[row, 6] = px, py, pz
    work[row, SQUARE] = (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz)
    third = np.float32(1.0 / 3.0)
    mx = third * (corner[p, 0] + corner[p, 3] + corner[p, 6]) - px
    my = third * (corner[p, 1] + corner[p, 4] + corner[p, 7]) - py
    mz = third * (corner[p, 2] + corner[p, 5] + corner[p, 8]) - pz
    inward = np.sqrt(mx * mx + my * my + mz * mz)
    nudge = np.float32(0.1) * np.float32(table.frame[c, VOXEL])
    scale = nudge / inward if inward > nudge else np.float32(1.0)
    work[row, 8], work[row, 9], work[row, 10] = px + scale * mx, py + scale * my, pz + scale * mz
    return True
