"""Water under a body that lies on a wall: the pressure of a gap into which no particle fits.

Where a free body is nearer to a standing wall than a particle is wide, real water still seeps in between and presses with the
pressure that it has at the gap's rim. Without that, a plank that has come to lie on the floor would stay there under any depth.
"""

from typing import NamedTuple

import numpy as np

from ..mesh.triangles import area_vectors, corners_of, oriented, volume
from ..walls import Walls

_POINTS = 1200
"""About so many points stand for a body's surface."""
_RIM = 64
"""At most so many points of a gap's rim are asked for water."""
_CLOSED, _OPEN = 1.0, 1.25
"""Particles in gaps below the first have no pressure (`sph.wall_terms.caught`), above the second they have, in spacings."""
_BESIDE = 1.5
"""Water this near belongs to a place, in spacings."""


class Surface(NamedTuple):
    """Points of a body's surface in its rest pose."""

    place: np.ndarray
    """[m], float64 (n, 3)."""
    normal: np.ndarray
    """Outward unit vectors, float64 (n, 3)."""
    area: np.ndarray
    """What each point stands for [m²], float64 (n,)."""


class Wet(NamedTuple):
    """Particles of a liquid."""

    position: np.ndarray
    """[m], (3, n)."""
    pressure: np.ndarray
    """[Pa], (n,)."""
    density: np.ndarray
    """[kg/m³], (n,)."""
    spacing: float


def sampled(vertices: np.ndarray, triangles: np.ndarray, spacing: float) -> Surface:
    """Middles of equal parts of the triangles of a closed mesh, parts about a spacing wide."""
    triangles = oriented(vertices, triangles)
    if volume(vertices, triangles) < 0.0:
        triangles = triangles[:, ::-1]
    corner = corners_of(vertices, triangles)
    whole = area_vectors(corner)
    area = np.linalg.norm(whole, axis=1)
    step = max(spacing, float(np.sqrt(2.0 * area.sum() / _POINTS)))
    longest = np.linalg.norm(corner - np.roll(corner, 1, axis=1), axis=2).max(axis=1)
    parts = np.maximum(np.ceil(longest / step), 1.0).astype(np.int64)
    place, normal, share = [], [], []
    for count in np.unique(parts):
        own = np.flatnonzero(parts == count)
        for u, v in _middles(int(count)):
            place.append(corner[own, 0] + u * (corner[own, 1] - corner[own, 0]) + v * (corner[own, 2] - corner[own, 0]))
            normal.append(whole[own] / np.maximum(area[own], 1.0e-300)[:, None])
            share.append(area[own] / count**2)
    return Surface(np.concatenate(place), np.concatenate(normal), np.concatenate(share))


def _middles(count: int) -> list[tuple[float, float]]:
    """Barycentric middles of the count² parts of a triangle."""
    upright = [((i + 1 / 3) / count, (j + 1 / 3) / count) for i in range(count) for j in range(count - i)]
    turned = [((i + 2 / 3) / count, (j + 2 / 3) / count) for i in range(count) for j in range(count - i - 1)]
    return upright + turned


def seeping_force(surface: Surface, walls: Walls, wet: Wet, gravity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Force [N] on a body and its moment about the origin [N m] by the water of closed gaps between it and `walls`.

    `surface` at the present pose; `gravity` (3,) [m/s²].
    """
    nothing = np.zeros(3), np.zeros(3)
    s, strength = wet.spacing, float(np.linalg.norm(gravity))
    # the wall lies in front of a point where the distance falls along its normal; asked from inside, for sheets as for solids
    gap = walls.signed_distance(surface.place.astype(np.float32), walls.reach)
    inside = walls.signed_distance((surface.place - 0.5 * s * surface.normal).astype(np.float32), walls.reach)
    facing = inside - gap > 0.35 * s
    closed = np.clip((_OPEN * s - gap) / ((_OPEN - _CLOSED) * s), 0.0, 1.0) * facing
    hidden, rim = np.flatnonzero(closed > 0.0), np.flatnonzero(~facing & (gap < _BESIDE * s))
    if len(hidden) == 0 or len(rim) == 0 or strength == 0.0:
        return nothing
    up = -gravity / strength
    near = _standing_at(wet.position, surface.place, up, _BESIDE * s)
    if len(near) == 0:
        return nothing
    rim = rim[:: 1 + len(rim) // _RIM]
    place = wet.position[:, near].T.astype(np.float64)
    pressure = _at_rim(surface.place[rim], place, wet.pressure[near], wet.density[near] * strength, up, s)
    if not pressure.any():
        return nothing
    points, normal = surface.place[hidden], surface.normal[hidden]
    away = ((points[:, None] - surface.place[rim][None]) ** 2).sum(axis=2) + s * s
    share = 1.0 / (away * away)
    # each place of the rim passes its pressure on to what lies deeper or higher in the gap
    weight = np.where(pressure > 0.0, float(np.mean(wet.density[near])) * strength, 0.0)
    head = pressure + weight * ((surface.place[rim] @ up)[None] - (points @ up)[:, None])
    felt = np.maximum((share * head).sum(axis=1) / share.sum(axis=1), 0.0) * closed[hidden]
    felt *= np.where(gap[hidden] < _CLOSED * s, 1.0, _dry(points, normal, place, s))
    force = -(felt * surface.area[hidden])[:, None] * normal
    return force.sum(axis=0), np.cross(points, force).sum(axis=0)


def _standing_at(position: np.ndarray, places: np.ndarray, up: np.ndarray, margin: float) -> np.ndarray:
    """Particles (3, n) that are beside or above places (p, 3), ascending indices."""
    middle = 0.5 * (places.min(axis=0) + places.max(axis=0))
    reach = float(np.linalg.norm(places - middle, axis=1).max()) + margin
    away = position - middle[:, None].astype(np.float32)
    height = up.astype(np.float32) @ away
    return np.flatnonzero((height > -reach) & ((away * away).sum(axis=0) - height * height < reach * reach))


def _at_rim(
    rim: np.ndarray, place: np.ndarray, pressure: np.ndarray, weight: np.ndarray, up: np.ndarray, spacing: float
) -> np.ndarray:
    """Pressure [Pa] at the rim's points (r, 3): that of the column of water that stands on each, 0 where there is none.

    Water that falls past has a column, too, but no pressure of its own: the smaller of the two counts. weight: ρ g (n,).
    """
    height = place @ up
    flat = place - height[:, None] * up
    found = np.zeros(len(rim))
    for r, point in enumerate(rim):
        foot = float(point @ up)
        beside = ((flat - (point - foot * up)) ** 2).sum(axis=1) < (_BESIDE * spacing) ** 2
        column = np.flatnonzero(beside & (height > foot - spacing))
        steps = np.sort(height[column])
        if len(steps) == 0 or steps[0] > foot + _BESIDE * spacing:
            continue
        ends = np.flatnonzero(np.diff(steps) > _BESIDE * spacing)
        top = steps[ends[0] if len(ends) else -1] + 0.5 * spacing
        lowest = column[height[column] < foot + _BESIDE * spacing]
        found[r] = min(float(weight[column].mean()) * max(top - foot, 0.0), float(pressure[lowest].mean()))
    return found


def _dry(points: np.ndarray, normal: np.ndarray, place: np.ndarray, spacing: float) -> np.ndarray:
    """1 where no particle is in front of a point and within a spacing of it, else 0."""
    low, high = points.min(axis=0) - spacing, points.max(axis=0) + spacing
    close = place[((place > low) & (place < high)).all(axis=1)]
    dry = np.ones(len(points))
    for begin in range(0, len(close), 512):
        apart = close[None, begin : begin + 512] - points[:, None]
        before = np.einsum("pqi,pi->pq", apart, normal) > 0.25 * spacing
        dry[(before & ((apart * apart).sum(axis=2) < spacing * spacing)).any(axis=1)] = 0.0
    return dry
