"""Sets of up to three planes around one particle, and how their half-spaces make up the wall.

A set lives in rows of two small work arrays that a kernel keeps for a chunk of particles: `real` (rows, 12) and
`whole` (rows, 4), columns named below. `shape` says how the half-spaces behind the planes are joined.
"""

import numpy as np

from ..jit import inlined, kernel

UNION = 0
"""The wall is the union of the half-spaces: a flat wall or a concave corner."""
INTERSECTION = 1
"""The wall is the intersection of the half-spaces: a convex edge, a thin plate, the rim of a sheet."""
UNION_OF_FIRST = 2
"""first ∪ (second ∩ third): a box standing on a floor, seen at its upright edge."""
INTERSECTION_OF_FIRST = 3
"""first ∩ (second ∪ third): the roof over an inner corner."""

# Columns of `real`: normal 0–2, distance 3, nearest point of the primitive 4–6, its squared distance 7,
# a point just inside the primitive 8–10, unused 11. Columns of `whole`:
PRIMITIVE, KIND, COMPONENT, COLLIDER = 0, 1, 2, 3
FREE_EDGE = 3
"""Kind of a primitive that is the edge of a sheet (after CLOSED, SHEET and ONE_SIDED)."""


@inlined
def copy_row(real, whole, source, target):
    for column in range(12):
        real[target, column] = real[source, column]
    for column in range(4):
        whole[target, column] = whole[source, column]


@inlined
def swap_rows(real, whole, a, b):
    for column in range(12):
        real[a, column], real[b, column] = real[b, column], real[a, column]
    for column in range(4):
        whole[a, column], whole[b, column] = whole[b, column], whole[a, column]


@kernel
def relation(real, whole, a, b, voxel):
    """How planes a and b of one collider meet: 0 concave, 1 convex, 2 neither (they are no neighbours)."""
    edge_a, edge_b = whole[a, KIND] == FREE_EDGE, whole[b, KIND] == FREE_EDGE
    if edge_a and edge_b:
        return 1
    if edge_a or edge_b:
        # The edge bounds the faces it lies on, and has nothing to do with others.
        face, rim = (b, a) if edge_a else (a, b)
        off = np.float32(0.0)
        for axis in range(3):
            off += real[face, axis] * (real[rim, 4 + axis] - real[face, 4 + axis])
        attached = whole[face, COMPONENT] == whole[rim, COMPONENT] and abs(off) <= np.float32(0.5) * voxel
        return 1 if attached else 0
    b_over_a, a_over_b = np.float32(0.0), np.float32(0.0)
    for axis in range(3):
        b_over_a += real[a, axis] * (real[b, 8 + axis] - real[a, 4 + axis])
        a_over_b += real[b, axis] * (real[a, 8 + axis] - real[b, 4 + axis])
    if b_over_a > np.float32(0.0) and a_over_b > np.float32(0.0):
        return 0
    if b_over_a <= np.float32(0.0) and a_over_b <= np.float32(0.0):
        return 1
    return 2


@kernel
def governing_row(real, first, count, shape):
    """Row of the set (rows first … first + count) whose distance is the distance of the whole wall."""
    if count == 1:
        return first
    best = first
    if shape == UNION or shape == INTERSECTION:
        for row in range(first + 1, first + count):
            nearer = real[row, 3] < real[best, 3]
            if nearer == (shape == UNION) and real[row, 3] != real[best, 3]:
                best = row
        return best
    pair = first + 1
    lower = real[pair + 1, 3] < real[pair, 3]
    if lower == (shape == INTERSECTION_OF_FIRST):
        pair += 1
    if (real[pair, 3] < real[first, 3]) == (shape == UNION_OF_FIRST):
        best = pair
    return best


@kernel
def join_neighbours(real, whole, first, count, reach, voxel):
    """Work out the shape of a collider's planes (rows first …); returns how many stay and the shape."""
    # Planes that are no neighbours: the nearer one counts.
    row = first
    while row < first + count:
        other = row + 1
        while other < first + count:
            if relation(real, whole, row, other, voxel) == 2:
                gone = other if real[row, 7] <= real[other, 7] else row
                for place in range(gone, first + count - 1):
                    copy_row(real, whole, place + 1, place)
                count -= 1
                if gone == row:
                    other = row
            other += 1
        row += 1
    # An edge without its face bounds nothing.
    row = first
    while row < first + count:
        if whole[row, KIND] == FREE_EDGE:
            bound = False
            for other in range(first, first + count):
                if whole[other, KIND] != FREE_EDGE and relation(real, whole, row, other, voxel) == 1:
                    bound = True
            if not bound:
                for place in range(row, first + count - 1):
                    copy_row(real, whole, place + 1, place)
                count -= 1
                continue
        row += 1
    if count == 0:
        return 0, UNION
    shape = UNION
    if count == 2:
        shape = INTERSECTION if relation(real, whole, first, first + 1, voxel) == 1 else UNION
    elif count == 3:
        ab = relation(real, whole, first, first + 1, voxel)
        ac = relation(real, whole, first, first + 2, voxel)
        bc = relation(real, whole, first + 1, first + 2, voxel)
        convex = ab + ac + bc
        if convex == 3:
            shape = INTERSECTION
        elif convex != 0:
            # The odd pair out stands second and third.
            shape = UNION_OF_FIRST if convex == 1 else INTERSECTION_OF_FIRST
            odd = 1 if convex == 1 else 0
            if ab == odd:
                swap_rows(real, whole, first, first + 2)
            elif ac == odd:
                swap_rows(real, whole, first, first + 1)
    return drop_far(real, whole, first, count, shape, reach)


@kernel
def drop_far(real, whole, first, count, shape, reach):
    """Leave out half-spaces that the kernel does not touch; returns how many stay and the shape."""
    if count > 0 and real[governing_row(real, first, count, shape), 3] >= reach:
        return 0, UNION
    if shape == UNION_OF_FIRST:
        if real[first, 3] >= reach:
            copy_row(real, whole, first + 1, first)
            copy_row(real, whole, first + 2, first + 1)
            return 2, INTERSECTION
        if max(real[first + 1, 3], real[first + 2, 3]) >= reach:
            return 1, UNION
    elif shape == INTERSECTION_OF_FIRST:
        if real[first + 2, 3] >= reach:
            return 2, INTERSECTION
        if real[first + 1, 3] >= reach:
            copy_row(real, whole, first + 2, first + 1)
            return 2, INTERSECTION
    elif shape == UNION:
        stays = 0
        for row in range(first, first + count):
            if real[row, 3] < reach:
                copy_row(real, whole, row, first + stays)
                stays += 1
        count = stays
    return count, shape


@kernel
def _add_to_union(real, whole, row, count, distinct):
    """Add one plane to the union in rows 0 … count; returns the new count. Near-parallel planes: the nearer counts."""
    for other in range(count):
        cosine = np.float32(0.0)
        for axis in range(3):
            cosine += real[row, axis] * real[other, axis]
        if cosine >= distinct:
            if real[row, 3] < real[other, 3]:
                copy_row(real, whole, row, other)
            return count
    if count < 3:
        copy_row(real, whole, row, count)
        return count + 1
    worst = 0
    for other in range(1, 3):
        if real[other, 3] > real[worst, 3]:
            worst = other
    if real[row, 3] < real[worst, 3]:
        copy_row(real, whole, row, worst)
    return count


@kernel
def unite(real, whole, count, shape, added, added_shape, distinct):
    """Join the set of another collider (rows 3 … 3 + added) to the set in rows 0 … count; returns count and shape."""
    if added == 0:
        return count, shape
    if count == 0:
        for row in range(added):
            copy_row(real, whole, 3 + row, row)
        return added, added_shape
    if added == 1 and count == 2 and shape == INTERSECTION:
        copy_row(real, whole, 1, 2)
        copy_row(real, whole, 0, 1)
        copy_row(real, whole, 3, 0)
        return 3, UNION_OF_FIRST
    if count == 1 and added == 2 and added_shape == INTERSECTION:
        copy_row(real, whole, 3, 1)
        copy_row(real, whole, 4, 2)
        return 3, UNION_OF_FIRST
    if shape != UNION:
        copy_row(real, whole, governing_row(real, 0, count, shape), 0)
        count = 1
    if added_shape != UNION:
        copy_row(real, whole, governing_row(real, 3, added, added_shape), 3)
        added = 1
    for row in range(added):
        count = _add_to_union(real, whole, 3 + row, count, distinct)
    return count, UNION


@kernel
def put_in_order(real, whole, count, shape):
    """Governing plane first in unions and intersections; in mixed shapes the pair is ordered among itself."""
    first = 0 if shape == UNION or shape == INTERSECTION else 1
    rising = shape == UNION or shape == INTERSECTION_OF_FIRST
    for row in range(first, count - 1):
        for other in range(row + 1, count):
            if (real[other, 3] < real[row, 3]) == rising and real[other, 3] != real[row, 3]:
                swap_rows(real, whole, row, other)
