"""Sets of up to three planes around one particle, and how their half-spaces make up the wall.

A kernel keeps one small work array for a chunk of particles, float32 (WORK_ROWS, 16): every row is a plane with what is
known about it (columns below; whole numbers are exact). `pick` (int64) lists rows. Rows 0–2 are the answer, 3–5 the
planes of the collider at hand, the rest is room for finding them.
"""

import numpy as np

from ..jit import inlined

UNION = 0
"""The wall is the union of the half-spaces: a flat wall or a concave corner."""
INTERSECTION = 1
"""The wall is the intersection of the half-spaces: a convex edge, a thin plate, the rim of a sheet."""
UNION_OF_FIRST = 2
"""first ∪ (second ∩ third): a box standing on a floor, seen at its upright edge."""
INTERSECTION_OF_FIRST = 3
"""first ∩ (second ∪ third): the roof over an inner corner."""

WORK_ROWS, PICKS = 18, 9
_SPARE = 15
NORMAL, DISTANCE, CONTACT, SQUARE, INSIDE, SIDE, PRIMITIVE, KIND, COMPONENT, COLLIDER = 0, 3, 4, 7, 8, 11, 12, 13, 14, 15
"""Normal, signed distance, nearest point of the primitive, its squared distance, a point just inside the primitive,
side of a sheet, and what it belongs to."""
FREE_EDGE = 3
"""Kind of a primitive that is the edge of a sheet (after CLOSED, SHEET and ONE_SIDED)."""

CONCAVE, CONVEX, APART = 0, 1, 2
OPPOSITE = np.float32(-0.8)
"""Cosine of two normals below which planes are the two sides of a plate or of a gap."""


@inlined
def _relation(work, a, b, voxel):
    """How planes a and b of one collider meet: CONCAVE, CONVEX or APART (they are no neighbours)."""
    edge = np.float32(FREE_EDGE)
    zero = np.float32(0.0)
    if work[a, KIND] == edge and work[b, KIND] == edge:
        return CONVEX
    if work[a, KIND] == edge or work[b, KIND] == edge:
        # An edge bounds the sheet it belongs to and has nothing to do with others.
        return CONVEX if work[a, COMPONENT] == work[b, COMPONENT] else CONCAVE
    b_over_a, a_over_b, cosine = zero, zero, zero
    for axis in range(3):
        b_over_a += work[a, axis] * (work[b, INSIDE + axis] - work[a, CONTACT + axis])
        a_over_b += work[b, axis] * (work[a, INSIDE + axis] - work[b, CONTACT + axis])
        cosine += work[a, axis] * work[b, axis]
    if cosine < np.float32(-0.95) and abs(b_over_a) + abs(a_over_b) < np.float32(0.04) * voxel:
        return APART  # back to back on the same plane: only the nearer is seen
    if b_over_a > zero and a_over_b > zero:
        return CONCAVE
    if b_over_a <= zero and a_over_b <= zero:
        return CONVEX
    return APART


@inlined
def _copy_picked(work, pick, count, target):
    """Copy the picked rows to rows target …, in their order."""
    for place in range(count):
        for column in range(16):
            work[_SPARE + place, column] = work[pick[place], column]
    for place in range(count):
        for column in range(16):
            work[target + place, column] = work[_SPARE + place, column]


@inlined
def governing(work, pick, count, shape):
    """Place in `pick` of the plane whose distance is the distance of the whole wall."""
    best = 0
    if shape <= INTERSECTION:
        for place in range(1, count):
            here, there = work[pick[place], DISTANCE], work[pick[best], DISTANCE]
            if (here < there) if shape == UNION else (here > there):
                best = place
        return best
    pair = 1
    second, third = work[pick[1], DISTANCE], work[pick[2], DISTANCE]
    if (third > second) if shape == UNION_OF_FIRST else (third < second):
        pair = 2
    first, other = work[pick[0], DISTANCE], work[pick[pair], DISTANCE]
    if (other < first) if shape == UNION_OF_FIRST else (other > first):
        best = pair
    return best


@inlined
def _drop_far(work, pick, count, shape, reach):
    """Leave out half-spaces that the kernel does not touch; returns how many picks stay and the shape."""
    if work[pick[governing(work, pick, count, shape)], DISTANCE] >= reach:
        return 0, UNION
    if shape == UNION_OF_FIRST:
        if work[pick[0], DISTANCE] >= reach:
            pick[0], pick[1] = pick[1], pick[2]
            return 2, INTERSECTION
        if max(work[pick[1], DISTANCE], work[pick[2], DISTANCE]) >= reach:
            return 1, UNION
    elif shape == INTERSECTION_OF_FIRST:
        if work[pick[2], DISTANCE] >= reach:
            return 2, INTERSECTION
        if work[pick[1], DISTANCE] >= reach:
            pick[1] = pick[2]
            return 2, INTERSECTION
    elif shape == UNION:
        stays = 0
        for place in range(count):
            if work[pick[place], DISTANCE] < reach:
                pick[stays] = pick[place]
                stays += 1
        count = stays
    return count, shape


@inlined
def _less_real(work, a, b):
    """Which of two planes that are no neighbours does not count: the farther one.

    But a plane that has the particle behind it although its nearest point is on its rim, not opposite, cannot tell that the
    particle is inside: the top of a bowl's rim, seen from within the bowl. Then the other counts, if the particle is before it.
    """
    near, far = (a, b) if work[3 + a, SQUARE] <= work[3 + b, SQUARE] else (b, a)
    depth = work[3 + near, DISTANCE]
    if depth < np.float32(0.0) < work[3 + far, DISTANCE] and work[3 + near, SQUARE] > np.float32(1.1) * depth * depth:
        return near
    return far


@inlined
def join_neighbours(work, pick, count, reach, voxel):
    """Work out how a collider's planes (rows 3 …) join; they are put in order. Returns how many stay and the shape."""
    # pick[3 + a + b − 1] holds the relation of planes a and b.
    for a in range(count):
        pick[6 + a] = 1
        for b in range(a + 1, count):
            pick[2 + a + b] = _relation(work, 3 + a, 3 + b, voxel)
    for a in range(count):
        for b in range(a + 1, count):
            if pick[2 + a + b] == APART and count == 3:
                # A face that goes around an inner corner: convex with one wall, so also with the other one of the corner.
                c = 3 - a - b
                if pick[2 + a + c] + pick[2 + b + c] == 1 and pick[2 + a + c] < APART:
                    pick[2 + a + b] = CONVEX
            if pick[2 + a + b] == APART and pick[6 + a] + pick[6 + b] == 2:
                pick[6 + _less_real(work, a, b)] = 0
    for a in range(count):
        if work[3 + a, KIND] == np.float32(FREE_EDGE):
            # An edge without its face bounds nothing.
            bound = False
            for b in range(count):
                if b != a and pick[6 + b] == 1 and work[3 + b, KIND] != np.float32(FREE_EDGE) and pick[2 + a + b] == CONVEX:
                    bound = True
            if not bound:
                pick[6 + a] = 0
    stays = np.int64(0)
    for a in range(count):
        if pick[6 + a] == 1:
            pick[stays] = 3 + a
            stays += 1
    shape = UNION
    if stays == 2:
        shape = INTERSECTION if pick[pick[0] + pick[1] - 4] == CONVEX else UNION
    elif stays == 3:
        convex = pick[3] + pick[4] + pick[5]
        if convex == 3:
            shape = INTERSECTION
        elif convex != 0:
            # The odd pair out stands second and third.
            shape = UNION_OF_FIRST if convex == 1 else INTERSECTION_OF_FIRST
            odd = CONVEX if convex == 1 else CONCAVE
            first = 2 if pick[3] == odd else (1 if pick[4] == odd else 0)
            pick[0], pick[first] = 3 + first, 3
    stays, shape = _drop_far(work, pick, stays, shape, reach)
    _copy_picked(work, pick, stays, np.int64(3))
    return stays, shape


@inlined
def _drop_hidden(work, pick, first, count, shape, cover_first, cover_count, cover_shape):
    """Leave out faces of an intersection that lie against (or inside) a wall of the union: the foot of a box on a floor."""
    if shape != INTERSECTION or cover_shape != UNION:
        return count
    stays = np.int64(0)
    for row in range(first, first + count):
        hidden = False
        for cover in range(cover_first, cover_first + cover_count):
            cosine = work[row, 0] * work[cover, 0] + work[row, 1] * work[cover, 1] + work[row, 2] * work[cover, 2]
            # Both distances are seen from the particle: the face is hidden if the wall's plane is not below it.
            gap = work[row, DISTANCE] + work[cover, DISTANCE]
            if cosine < np.float32(-0.99) and gap <= np.float32(1.0e-3) * abs(work[row, DISTANCE]):
                hidden = True
        if not hidden:
            pick[stays] = row
            stays += 1
    if stays == 0 or stays == count:
        return count
    _copy_picked(work, pick, stays, first)
    return stays


@inlined
def unite(work, pick, count, shape, added, added_shape, distinct):
    """Join the set of another collider (rows 3 …) to the set in rows 0 …; returns count and shape."""
    if count > 0:
        added = _drop_hidden(work, pick, np.int64(3), added, added_shape, np.int64(0), count, shape)
        count = _drop_hidden(work, pick, np.int64(0), count, shape, np.int64(3), added, added_shape)
    if count == 0:
        pick[0], pick[1], pick[2] = 3, 4, 5
        count, shape = added, added_shape
    elif added == 1 and count == 2 and shape == INTERSECTION:
        pick[0], pick[1], pick[2] = 3, 0, 1
        count, shape = 3, UNION_OF_FIRST
    elif count == 1 and added == 2 and added_shape == INTERSECTION:
        pick[0], pick[1], pick[2] = 0, 3, 4
        count, shape = 3, UNION_OF_FIRST
    else:
        count = _union_of_both(work, pick, count, shape, added, added_shape, distinct)
        shape = UNION
    _copy_picked(work, pick, count, np.int64(0))
    return count, shape


@inlined
def _union_of_both(work, pick, count, shape, added, added_shape, distinct):
    """Pick planes for the union of two sets; mixed and convex sets are represented by their governing plane."""
    total = np.int64(0)
    for source in range(2):
        first, number, joined = (0, count, shape) if source == 0 else (3, added, added_shape)
        for place in range(3):
            pick[5 + place] = first + place
        if joined != UNION:
            # The set stands in rows first …; `governing` reads its rows from the start of `pick`.
            kept = pick[0], pick[1], pick[2]
            pick[0], pick[1], pick[2] = first, first + 1, first + 2
            pick[5] = first + governing(work, pick, number, joined)
            pick[0], pick[1], pick[2] = kept
            number = 1
        for place in range(number):
            total = _add_plane(work, pick, total, pick[5 + place], distinct)
    return total


@inlined
def _add_plane(work, pick, total, row, distinct):
    """Add a plane to a union of at most three. Near-parallel planes: the nearer counts."""
    worst = 0
    for place in range(total):
        other = pick[place]
        cosine = work[row, 0] * work[other, 0] + work[row, 1] * work[other, 1] + work[row, 2] * work[other, 2]
        if cosine >= distinct:
            if work[row, DISTANCE] < work[other, DISTANCE]:
                pick[place] = row
            return total
        if work[other, DISTANCE] > work[pick[worst], DISTANCE]:
            worst = place
    if total < 3:
        pick[total] = row
        return total + 1
    if work[row, DISTANCE] < work[pick[worst], DISTANCE]:
        pick[worst] = row
    return total


@inlined
def put_in_order(work, pick, count, shape):
    """Order rows 0 … count in `pick`: governing plane first; in mixed shapes the pair is ordered among itself."""
    for place in range(count):
        pick[place] = place
    first = 0 if shape <= INTERSECTION else 1
    rising = shape == UNION or shape == INTERSECTION_OF_FIRST
    for place in range(first, count - 1):
        for other in range(place + 1, count):
            here, there = work[pick[place], DISTANCE], work[pick[other], DISTANCE]
            if (there < here) if rising else (there > here):
                pick[place], pick[other] = pick[other], pick[place]
