"""What a triangle mesh is as a surface: which parts are closed, which way they face, where they end.

Vertices at the same place are joined first, so that split seams (texture or normal seams) do not count as edges
of the surface.
"""

from typing import NamedTuple

import numpy as np

from ..jit import kernel

CLOSED = 0
"""The part has an inside: normals face the fluid, the other side is solid."""
SHEET = 1
"""The part is open: it blocks from both sides."""
ONE_SIDED = 2
"""The part is open, but the artist says that only the side of the normals holds fluid."""


class Topology(NamedTuple):
    """The surface behind a list of triangles."""

    triangles: np.ndarray
    """Vertex indices, int32 (m, 3), turned so that every open part faces one way throughout."""
    kind: np.ndarray
    """CLOSED, SHEET or ONE_SIDED per triangle, int8 (m,)."""
    component: np.ndarray
    """Connected part of each triangle, int32 (m,)."""
    free_edge: np.ndarray
    """Edges of open sheets, int32 (e, 3): first and second vertex in the order of their triangle, and the triangle."""


def joined_vertices(vertices: np.ndarray) -> np.ndarray:
    """For each vertex the first vertex at exactly the same place, int64 (n,)."""
    rows = np.ascontiguousarray(vertices + 0.0)  # -0.0 and 0.0 are one place
    order = np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))
    ordered = rows[order]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    group = np.cumsum(new) - 1
    first = np.full(group[-1] + 1, len(rows), dtype=np.int64)
    np.minimum.at(first, group, order)
    joined = np.empty(len(rows), dtype=np.int64)
    joined[order] = first[group]
    return joined


@kernel
def _root(parent, item):
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item


@kernel
def _join_components(edge_start, edge_triangle, parent):
    """Union of the triangles around every edge; the smallest triangle of a part names it."""
    for edge in range(len(edge_start) - 1):
        first = _root(parent, edge_triangle[edge_start[edge]])
        for other in range(edge_start[edge] + 1, edge_start[edge + 1]):
            second = _root(parent, edge_triangle[other])
            if second < first:
                parent[first] = second
                first = second
            elif first < second:
                parent[second] = first
    for triangle in range(len(parent)):
        parent[triangle] = _root(parent, triangle)


@kernel
def _face_one_way(edge_of, edge_start, edge_triangle, edge_forward, wanted, flip):
    """Walk over manifold edges and note which triangles of the wanted parts have to be turned over."""
    seen = np.zeros(len(wanted), np.bool_)
    stack = np.empty(len(wanted), np.int64)
    for seed in range(len(wanted)):
        if seen[seed] or not wanted[seed]:
            continue
        seen[seed] = True
        stack[0] = seed
        height = 1
        while height > 0:
            height -= 1
            here = stack[height]
            for side in range(3):
                edge = edge_of[here, side]
                start = edge_start[edge]
                if edge_start[edge + 1] - start != 2:
                    continue
                slot = 0 if edge_triangle[start] == here else 1
                other = edge_triangle[start + 1 - slot]
                if other == here or seen[other]:
                    continue
                same = edge_forward[start] == edge_forward[start + 1]
                flip[other] = flip[here] != same
                seen[other] = True
                stack[height] = other
                height += 1


def surface_topology(vertices: np.ndarray, triangles: np.ndarray, two_sided: bool) -> Topology:
    """Closedness, orientation and free edges of a mesh, vertices (n, 3) and triangles (m, 3)."""
    count = len(triangles)
    if count == 0:
        return Topology(triangles.astype(np.int32), np.zeros(0, np.int8), np.zeros(0, np.int32), np.zeros((0, 3), np.int32))
    corner = joined_vertices(vertices)[triangles]
    begin, end = corner, corner[:, [1, 2, 0]]
    low, high = np.minimum(begin, end).ravel(), np.maximum(begin, end).ravel()
    key = low * np.int64(len(vertices)) + high
    order = np.argsort(key, kind="stable")
    start = np.flatnonzero(np.concatenate(([True], key[order][1:] != key[order][:-1], [True])))
    edge_triangle = order // 3
    forward = (begin.ravel() < end.ravel())[order]
    edge_of = np.empty(3 * count, dtype=np.int64)
    edge_of[order] = np.repeat(np.arange(len(start) - 1), np.diff(start))

    component = np.arange(count)
    _join_components(start, edge_triangle, component)
    balance = np.add.reduceat(np.where(forward, 1, -1), start[:-1])
    is_open = np.zeros(count, dtype=bool)
    is_open[component[edge_triangle[np.repeat(balance != 0, np.diff(start))]]] = True
    is_open = is_open[component]

    flip = np.zeros(count, dtype=bool)
    if two_sided:
        _face_one_way(edge_of.reshape(count, 3), start, edge_triangle, forward, is_open, flip)
    turned = np.where(flip[:, None], triangles[:, ::-1], triangles).astype(np.int32)
    kind = np.where(is_open, SHEET if two_sided else ONE_SIDED, CLOSED).astype(np.int8)

    single = order[start[:-1][np.diff(start) == 1]]
    owner, side = single // 3, single % 3
    first, second = triangles[owner, side], triangles[owner, (side + 1) % 3]
    turned_owner = flip[owner]
    free = np.stack([np.where(turned_owner, second, first), np.where(turned_owner, first, second), owner], axis=1)
    return Topology(turned, kind, component.astype(np.int32), np.ascontiguousarray(free, dtype=np.int32))
