"""A box tree over triangles, and the questions asked of it: what does a ray cross, how large does a patch look.

The tree is a complete binary heap over triangles in Morton order: node 1 is the root, node k has the children
2k and 2k+1, so that it is built bottom-up with a few array operations and walked without a stack.
"""

import math
from typing import NamedTuple

import numpy as np

from ..jit import exact_kernel, parallel_kernel, prange

LEAF_SIZE = 4
_BITS = 21
_INVERSE_SPHERE = 1.0 / (4.0 * math.pi)
_TOUCHING = 1.0e-9
"""A point nearer to a triangle than this part of its size is on it, as far as the solid angle's sign goes."""


class Tree(NamedTuple):
    """Triangles in tree order with the boxes around them."""

    corners: np.ndarray
    """[m], float64 (m, 3 corners, 3 axes)."""
    boxes: np.ndarray
    """Lowest and highest corner of every node [m], float64 (2 leaves, 6); row 0 is unused, an empty node is inside out."""


def _spread_bits(value: np.ndarray) -> np.ndarray:
    """Put two zero bits between the 21 bits of each number, uint64."""
    masks = (0x1F00000000FFFF, 0x1F0000FF0000FF, 0x100F00F00F00F00F, 0x10C30C30C30C30C3, 0x1249249249249249)
    for shift, mask in zip((32, 16, 8, 4, 2), masks, strict=True):
        value = (value | (value << np.uint64(shift))) & np.uint64(mask)
    return value


def _morton_order(points: np.ndarray) -> np.ndarray:
    """Order of points along the Z-curve through their bounding box."""
    low = points.min(axis=0)
    scale = (2.0**_BITS - 1.0) / max(float((points.max(axis=0) - low).max()), 1.0e-300)
    cell = ((points - low) * scale).astype(np.uint64)
    code = _spread_bits(cell[:, 0]) | (_spread_bits(cell[:, 1]) << np.uint64(1)) | (_spread_bits(cell[:, 2]) << np.uint64(2))
    return np.argsort(code, kind="stable")


def _levels(leaf_rows: np.ndarray, join) -> np.ndarray:
    """Heap of node values from those of the leaves (a power of two): parents are `join(left, right)`."""
    levels = [leaf_rows]
    while len(levels[-1]) > 1:
        levels.append(join(levels[-1][0::2], levels[-1][1::2]))
    unused = np.zeros_like(leaf_rows[:1])
    return np.ascontiguousarray(np.concatenate([unused, *levels[::-1]]))


def _by_leaf(rows: np.ndarray, filler: float) -> np.ndarray:
    """Values of triangles grouped by leaf, (leaves, LEAF_SIZE, …), padded to a power of two leaves."""
    leaves = 1 << max(0, (-(-len(rows) // LEAF_SIZE) - 1).bit_length())
    padded = np.full((leaves * LEAF_SIZE, *rows.shape[1:]), filler)
    padded[: len(rows)] = rows
    return padded.reshape(leaves, LEAF_SIZE, *rows.shape[1:])


def build_tree(corners: np.ndarray) -> Tree:
    """The tree over triangles given by their corners [m], float64 (m, 3, 3), m > 0."""
    order = _morton_order(corners.mean(axis=1))
    corners = np.ascontiguousarray(corners[order])
    low = _levels(_by_leaf(corners.min(axis=1), math.inf).min(axis=1), np.minimum)
    high = _levels(_by_leaf(corners.max(axis=1), -math.inf).max(axis=1), np.maximum)
    return Tree(corners, np.ascontiguousarray(np.concatenate([low, high], axis=1)))


def dipole_moments(tree: Tree) -> np.ndarray:
    """Far-field expansion of every node's solid angle, float64 (nodes, 18).

    Columns: area A, centre p (3), reach ρ of the node around p, ∫n dA (3), ∫(x − p) ⊗ n dA (9, row-major), and the
    mean of |x − p|² over the area.
    After "Fast Winding Numbers for Soups and Clouds" (Barill, Dickson, Schmidt, Levin, Jacobson 2018), first order.
    """
    corners = tree.corners
    vector = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(vector, axis=1)
    origin = 0.5 * (tree.boxes[1, :3] + tree.boxes[1, 3:])
    middle = corners.mean(axis=1) - origin
    outer = (middle[:, :, None] * vector[:, None, :]).reshape(-1, 9)
    local = corners - origin
    square = size / 12.0 * (np.sum(local**2, axis=(1, 2)) + 9.0 * np.sum(middle**2, axis=1))
    rows = np.concatenate([size[:, None], size[:, None] * middle, vector, outer, square[:, None]], axis=1)
    total = _levels(_by_leaf(rows, 0.0).sum(axis=1), np.add)
    weight = total[:, :1]
    empty = ~np.isfinite(tree.boxes[:, 0])
    low, high = np.where(empty[:, None], origin, tree.boxes[:, :3]), np.where(empty[:, None], origin, tree.boxes[:, 3:])
    centre = np.divide(total[:, 1:4], weight, out=0.5 * (low + high) - origin, where=weight > 0.0)
    shifted = total[:, 7:16] - (centre[:, :, None] * total[:, None, 4:7]).reshape(-1, 9)
    spread = np.divide(total[:, 16:], weight, out=np.zeros_like(weight), where=weight > 0.0)
    spread -= np.sum(centre**2, axis=1, keepdims=True)
    centre = centre + origin
    reach = np.linalg.norm(np.maximum(centre - low, high - centre), axis=1, keepdims=True)
    # What cancellation leaves of a tiny node's spread far from the origin may be too small: never below a sliver of ρ².
    spread = np.clip(spread, 1.0e-6 * reach**2, reach**2)
    return np.ascontiguousarray(np.concatenate([weight, centre, reach, total[:, 4:7], shifted, spread], axis=1))


@exact_kernel
def _next_node(node):
    """The node after `node` and all below it in depth-first order; 0 at the end."""
    while node & 1:
        node >>= 1
    return node + 1 if node else 0


@exact_kernel
def _edge_turn(ay, az, by, bz, y, z):
    """+1 or -1 if the edge a→b crosses the half-line from (y, z) towards +y upwards or downwards, else 0.

    The same edge gives the same answer, with the sign of its direction, whichever triangle asks and however the
    products round: a ray through an edge or a vertex of a closed mesh is counted once, never twice or not at all.
    """
    upward = az <= z
    if upward == (bz <= z):
        return 0
    if upward:
        return 1 if (ay - y) * (bz - z) - (az - z) * (by - y) > 0.0 else 0
    return -1 if (by - y) * (az - z) - (bz - z) * (ay - y) > 0.0 else 0


@exact_kernel
def _crossing_sign(corner, y, z):
    """Winding (-1, 0, 1) of the triangle, seen along x, around the line (y, z); the sign of its normal's x."""
    turn = _edge_turn(corner[0, 1], corner[0, 2], corner[1, 1], corner[1, 2], y, z)
    turn += _edge_turn(corner[1, 1], corner[1, 2], corner[2, 1], corner[2, 2], y, z)
    return turn + _edge_turn(corner[2, 1], corner[2, 2], corner[0, 1], corner[0, 2], y, z)


@exact_kernel
def _crossing_place(corner, y, z):
    """Where the line (y, z) along x meets the triangle's plane, kept within the triangle's extent."""
    uy, uz = corner[1, 1] - corner[0, 1], corner[1, 2] - corner[0, 2]
    vy, vz = corner[2, 1] - corner[0, 1], corner[2, 2] - corner[0, 2]
    low = min(corner[0, 0], min(corner[1, 0], corner[2, 0]))
    high = max(corner[0, 0], max(corner[1, 0], corner[2, 0]))
    determinant = uy * vz - uz * vy
    if determinant == 0.0:
        return 0.5 * (low + high)
    dy, dz = y - corner[0, 1], z - corner[0, 2]
    first = (dy * vz - dz * vy) / determinant
    second = (uy * dz - uz * dy) / determinant
    place = corner[0, 0] + first * (corner[1, 0] - corner[0, 0]) + second * (corner[2, 0] - corner[0, 0])
    return min(max(place, low), high)


@exact_kernel
def _twice_as_long(places, signs):
    more_places = np.empty(2 * places.size)
    more_signs = np.empty(2 * places.size, dtype=np.int64)
    for i in range(places.size):
        more_places[i] = places[i]
        more_signs[i] = signs[i]
    return more_places, more_signs


@exact_kernel
def cast_row(corners, boxes, y, z):
    """All crossings of the line (y, z) along x in ascending order: places [m], signs, and their number."""
    places = np.empty(16)
    signs = np.empty(16, dtype=np.int64)
    count = 0
    leaves = boxes.shape[0] // 2
    node = 1
    while node:
        box = boxes[node]
        if y < box[1] or y > box[4] or z < box[2] or z > box[5]:
            node = _next_node(node)
            continue
        if node < leaves:
            node *= 2
            continue
        first = (node - leaves) * LEAF_SIZE
        for t in range(first, min(first + LEAF_SIZE, corners.shape[0])):
            sign = _crossing_sign(corners[t], y, z)
            if sign == 0:
                continue
            if count == places.size:
                places, signs = _twice_as_long(places, signs)
            place = _crossing_place(corners[t], y, z)
            slot = count
            while slot > 0 and places[slot - 1] > place:
                places[slot] = places[slot - 1]
                signs[slot] = signs[slot - 1]
                slot -= 1
            places[slot] = place
            signs[slot] = sign
            count += 1
        node = _next_node(node)
    return places, signs, count


@exact_kernel
def _ray_winding_at(corners, boxes, x, y, z):
    total = 0
    leaves = boxes.shape[0] // 2
    node = 1
    while node:
        box = boxes[node]
        if x >= box[3] or y < box[1] or y > box[4] or z < box[2] or z > box[5]:
            node = _next_node(node)
            continue
        if node < leaves:
            node *= 2
            continue
        first = (node - leaves) * LEAF_SIZE
        for t in range(first, min(first + LEAF_SIZE, corners.shape[0])):
            sign = _crossing_sign(corners[t], y, z)
            if sign != 0 and _crossing_place(corners[t], y, z) > x:
                total += sign
        node = _next_node(node)
    return total


@parallel_kernel
def _ray_winding(corners, boxes, points, winding):
    for i in prange(points.shape[0]):
        winding[i] = _ray_winding_at(corners, boxes, points[i, 0], points[i, 1], points[i, 2])


def ray_winding(tree: Tree, points: np.ndarray) -> np.ndarray:
    """Winding number of a closed mesh around each point, int64 (n,): signed crossings of the ray towards +x."""
    winding = np.empty(len(points), dtype=np.int64)
    _ray_winding(tree.corners, tree.boxes, points, winding)
    return winding


@exact_kernel
def _triangle_angle(corner, x, y, z):
    """Signed part of the full sphere that a triangle covers seen from (x, y, z), and whether the point lies on it.

    "The Solid Angle of a Plane Triangle" (van Oosterom, Strackee 1983): tan(Ω/2) = a·(b×c) / (|a||b||c| + …).
    """
    ax, ay, az = corner[0, 0] - x, corner[0, 1] - y, corner[0, 2] - z
    bx, by, bz = corner[1, 0] - x, corner[1, 1] - y, corner[1, 2] - z
    cx, cy, cz = corner[2, 0] - x, corner[2, 1] - y, corner[2, 2] - z
    a = math.sqrt(ax * ax + ay * ay + az * az)
    b = math.sqrt(bx * bx + by * by + bz * bz)
    c = math.sqrt(cx * cx + cy * cy + cz * cz)
    triple = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    product = a * b * c
    ab, bc, ca = ax * bx + ay * by + az * bz, bx * cx + by * cy + bz * cz, cx * ax + cy * ay + cz * az
    base = product + ab * c + bc * a + ca * b
    touching = abs(triple) <= _TOUCHING * product and base <= _TOUCHING * product
    return 2.0 * math.atan2(triple, base) * _INVERSE_SPHERE, touching


@exact_kernel
def _far_angle(moment, x, y, z, tolerance):
    """A node's part of the sphere by its dipole expansion, and a bound of its error; -1 if above tolerance × area.

    The terms of 1/|r + δ| in powers of δ are no larger than |δ|^k / |r|^(k+1), so those of its derivative that the
    expansion to first order leaves out sum to at most Σ (k+1) |δ|^k / |r|^(k+2), k ≥ 2. With |δ| ≤ ρ = t |r| this is
    |δ|² (3 − 2t) / (|r|⁴ (1 − t)²).
    """
    rx, ry, rz = moment[1] - x, moment[2] - y, moment[3] - z
    square = rx * rx + ry * ry + rz * rz
    distance = math.sqrt(square)
    gap = distance - moment[4]
    if gap <= 0.0:
        return 0.0, -1.0
    error = _INVERSE_SPHERE * moment[17] * (3.0 - 2.0 * moment[4] / distance) / (gap * gap * square)
    if not error <= tolerance:
        return 0.0, -1.0
    error *= moment[0]
    trace = moment[8] + moment[12] + moment[16]
    stretch = rx * (rx * moment[8] + ry * moment[9] + rz * moment[10])
    stretch += ry * (rx * moment[11] + ry * moment[12] + rz * moment[13])
    stretch += rz * (rx * moment[14] + ry * moment[15] + rz * moment[16])
    dipole = moment[5] * rx + moment[6] * ry + moment[7] * rz
    return _INVERSE_SPHERE * (dipole + trace - 3.0 * stretch / square) / (square * distance), error


@exact_kernel
def _angle_sum_at(corners, boxes, moments, x, y, z, share):
    total = 0.0
    doubt = 1.0e-12
    leaves = boxes.shape[0] // 2
    node = 1
    while node:
        if boxes[node, 0] > boxes[node, 3]:
            node = _next_node(node)
            continue
        angle, error = _far_angle(moments[node], x, y, z, share)
        if error >= 0.0 and share > 0.0:
            total += angle
            doubt += error
            node = _next_node(node)
            continue
        if node < leaves:
            node *= 2
            continue
        first = (node - leaves) * LEAF_SIZE
        for t in range(first, min(first + LEAF_SIZE, corners.shape[0])):
            angle, touching = _triangle_angle(corners[t], x, y, z)
            total += angle
            if touching:
                doubt = math.inf
        node = _next_node(node)
    return total, doubt


@parallel_kernel
def _angle_sum(corners, boxes, moments, points, share, result):
    for i in prange(points.shape[0]):
        total, doubt = _angle_sum_at(corners, boxes, moments, points[i, 0], points[i, 1], points[i, 2], share)
        result[i, 0] = total
        result[i, 1] = doubt


def angle_sum(tree: Tree, moments: np.ndarray, points: np.ndarray, tolerance: float) -> np.ndarray:
    """Part of the full sphere that all triangles cover seen from each point, and a bound of its error, float64 (n, 2).

    Nodes so far that their error stays below their share, by area, of `tolerance` are taken as dipoles: the whole
    sum is no farther off than that. 0 adds up every triangle. The bound is infinite where the point lies on a triangle.
    """
    result = np.empty((len(points), 2))
    _angle_sum(tree.corners, tree.boxes, moments, points, tolerance / max(float(moments[1, 0]), 1.0e-300), result)
    return result


@exact_kernel
def _box_distance(low_x, low_y, low_z, high_x, high_y, high_z, x, y, z):
    dx = max(low_x - x, 0.0, x - high_x)
    dy = max(low_y - y, 0.0, y - high_y)
    dz = max(low_z - z, 0.0, z - high_z)
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@exact_kernel
def _triangle_angle_bound(corner, x, y, z, radius):
    """The largest part of the sphere that the triangle can cover seen from within `radius` of the point."""
    low_x, high_x = min(corner[0, 0], corner[1, 0], corner[2, 0]), max(corner[0, 0], corner[1, 0], corner[2, 0])
    low_y, high_y = min(corner[0, 1], corner[1, 1], corner[2, 1]), max(corner[0, 1], corner[1, 1], corner[2, 1])
    low_z, high_z = min(corner[0, 2], corner[1, 2], corner[2, 2]), max(corner[0, 2], corner[1, 2], corner[2, 2])
    gap = _box_distance(low_x, low_y, low_z, high_x, high_y, high_z, x, y, z) - radius
    if gap <= 0.0:
        return 0.5
    ux, uy, uz = corner[1, 0] - corner[0, 0], corner[1, 1] - corner[0, 1], corner[1, 2] - corner[0, 2]
    vx, vy, vz = corner[2, 0] - corner[0, 0], corner[2, 1] - corner[0, 1], corner[2, 2] - corner[0, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return min(0.5, 0.5 * math.sqrt(nx * nx + ny * ny + nz * nz) * _INVERSE_SPHERE / (gap * gap))


@exact_kernel
def _angle_below_at(corners, boxes, moments, x, y, z, radius, limit):
    total = 0.0
    leaves = boxes.shape[0] // 2
    node = 1
    while node and total < limit:
        box = boxes[node]
        if box[0] > box[3]:
            node = _next_node(node)
            continue
        gap = _box_distance(box[0], box[1], box[2], box[3], box[4], box[5], x, y, z) - radius
        if gap > moments[node, 4]:
            total += _INVERSE_SPHERE * moments[node, 0] / (gap * gap)
            node = _next_node(node)
            continue
        if node < leaves:
            node *= 2
            continue
        first = (node - leaves) * LEAF_SIZE
        for t in range(first, min(first + LEAF_SIZE, corners.shape[0])):
            total += _triangle_angle_bound(corners[t], x, y, z, radius)
        node = _next_node(node)
    return total < limit


@parallel_kernel
def _angle_below(corners, boxes, moments, points, radius, limit, below):
    for i in prange(points.shape[0]):
        below[i] = _angle_below_at(corners, boxes, moments, points[i, 0], points[i, 1], points[i, 2], radius, limit)


def angle_below(tree: Tree, moments: np.ndarray, points: np.ndarray, radius: float, limit: float) -> np.ndarray:
    """Whether all triangles together, whatever their sign, surely cover less than `limit` of the full sphere seen from
    every point within `radius` [m] of each given one, bool (n,).

    A patch of area A at a distance of at least d covers no more than A / (4π d²).
    """
    below = np.empty(len(points), dtype=np.bool_)
    _angle_below(tree.corners, tree.boxes, moments, points, radius, limit, below)
    return below
