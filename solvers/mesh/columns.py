"""Solid meshes seen along vertical lines: where each line is inside. Plain numpy, for checks inside Blender's process.

The winding number along a line is counted from below: +1 where a face that looks down is passed, −1 where one looks up.
A closed mesh with outward normals is where the count is above 0.
"""

import numpy as np

from .triangles import corners_of

_CHUNK = 2_000_000
"""Line–triangle pairs looked at in one go."""


def crossings(vertices: np.ndarray, triangles: np.ndarray, x: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Heights (ascending, float64) and steps of the winding number (int64) along the vertical line at each (x, y)."""
    corners = corners_of(vertices, triangles)
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
    keep = area != 0.0  # seen edge-on, a triangle is met by no line
    a, b, c, area = a[keep], b[keep], c[keep], area[keep]
    found: list[tuple[np.ndarray, np.ndarray]] = []
    lines = max(1, _CHUNK // max(1, len(area)))
    for begin in range(0, len(x), lines):
        px, py = x[begin : begin + lines, None], y[begin : begin + lines, None]
        u = ((b[:, 0] - px) * (c[:, 1] - py) - (c[:, 0] - px) * (b[:, 1] - py)) / area
        v = ((c[:, 0] - px) * (a[:, 1] - py) - (a[:, 0] - px) * (c[:, 1] - py)) / area
        w = 1.0 - u - v
        for row in range(len(px)):
            hit = np.flatnonzero((u[row] >= 0.0) & (v[row] >= 0.0) & (w[row] >= 0.0))
            height = u[row, hit] * a[hit, 2] + v[row, hit] * b[hit, 2] + w[row, hit] * c[hit, 2]
            order = np.argsort(height, kind="stable")
            # area > 0: counter-clockwise seen from above, so the face looks up and the line leaves the solid.
            found.append((height[order], np.where(area[hit][order] > 0.0, -1, 1)))
    return found


def spans(heights: np.ndarray, steps: np.ndarray) -> list[tuple[float, float]]:
    """The parts (low, high) of a line that are inside."""
    found: list[tuple[float, float]] = []
    count, low = 0, 0.0
    for height, step in zip(heights.tolist(), steps.tolist(), strict=True):
        before, count = count, count + step
        if before <= 0 < count:
            low = height
        elif count <= 0 < before and height > low:
            found.append((low, height))
    return found


def overlap_volume(one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray], lines: int = 24) -> float:
    """Volume [m³] that two solids (vertices, triangles) share, from `lines`² vertical lines; 0 if they do not touch."""
    low = np.maximum(one[0].min(axis=0), other[0].min(axis=0))
    high = np.minimum(one[0].max(axis=0), other[0].max(axis=0))
    if (high <= low).any():
        return 0.0
    # Off the middle of the cells by an irrational part: lines through edges and corners would be counted twice.
    step = (np.arange(lines) + 0.5 + 0.0137 * np.sqrt(2.0)) / lines
    x, y = (grid.reshape(-1) for grid in np.meshgrid(*(low[axis] + step * (high[axis] - low[axis]) for axis in (0, 1))))
    total = 0.0
    for mine, yours in zip(crossings(*one, x, y), crossings(*other, x, y), strict=True):
        for a in spans(*mine):
            total += sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for b in spans(*yours))
    return float(total * np.prod((high - low)[:2]) / lines**2)


def wall_thickness(vertices: np.ndarray, triangles: np.ndarray, samples: int = 200) -> float:
    """Thickness [m] of the thinner parts of a closed mesh: 5 % of its surface has less behind it. inf if nothing is behind.

    From the middles of `samples` triangles, spread evenly over the area, a ray goes inwards to the next face.
    """
    corners = corners_of(vertices, triangles)
    vector = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(vector, axis=1)
    if not size.any():
        return float("inf")
    chosen = np.searchsorted(np.cumsum(size), (np.arange(samples) + 0.5) / samples * size.sum())
    chosen = np.unique(np.minimum(chosen, len(size) - 1))
    inward = -vector[chosen] / size[chosen, None]
    start = corners[chosen].mean(axis=1)
    behind = np.array([_next_face(start[i], inward[i], corners, skip=int(chosen[i])) for i in range(len(chosen))])
    weight = size[chosen]
    order = np.argsort(behind)
    share = np.cumsum(weight[order]) / weight.sum()
    return float(behind[order][np.searchsorted(share, 0.05)])


def _next_face(start: np.ndarray, way: np.ndarray, corners: np.ndarray, skip: int) -> float:
    """Distance from `start` along the unit vector `way` to the nearest triangle but `skip`; inf if there is none."""
    edge1, edge2 = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    cross = np.cross(way, edge2)
    determinant = np.einsum("ij,ij->i", edge1, cross)
    with np.errstate(divide="ignore", invalid="ignore"):
        offset = start - corners[:, 0]
        u = np.einsum("ij,ij->i", offset, cross) / determinant
        along = np.cross(offset, edge1)
        v = along @ way / determinant
        distance = np.einsum("ij,ij->i", edge2, along) / determinant
        inside = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9)
    hit = (determinant != 0.0) & inside & (distance > 1.0e-9 * float(np.abs(corners).max()))
    hit[skip] = False
    return float(distance[hit].min()) if hit.any() else float("inf")
