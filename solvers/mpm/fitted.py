"""Particles that fit the surface of the body they fill.

A lattice ends in terraces on every slope, and foam that keeps its shape keeps them. The outermost particles are therefore moved
along the surface's normal until they lie half a spacing below it, where a particle belongs whose cube ends at the surface. Those
below give way smoothly, so that no layer takes the whole way: dollops then tear at lengths that vary less with the spacing.
"""

import numpy as np

from ..scene import Body, Collider, Mesh
from ..walls import Walls
from ..watch import Watch

_EDGE = 0.8
"""Where the slope of the distance is less, two sides meet: an edge, or the middle of a sheet. Nothing is moved there."""
_LAYERS = 12
"""Rounds of averaging: what is moved at the surface is felt about three layers below it."""
_STEP = 0.05
"""For differences, in spacings."""


def fitted(points: np.ndarray, body: Body, spacing: float, watch: Watch) -> np.ndarray:
    """`points` [m], float64 (n, 3), that fill a body in cubes of `spacing` [m], with the outermost moved to fit its surface."""
    mesh = Mesh(body.mesh.at(0), body.mesh.triangles)
    walls = Walls([Collider(body.name, mesh)], reach=2.0 * spacing, frames_per_second=1.0, frame_start=1, watch=watch)
    walls.pose(0.0, 0.0)

    def depth(places: np.ndarray) -> np.ndarray:
        """Below the surface, in spacings; ≥ 2 beyond that."""
        return -walls.signed_distance(places.astype(np.float32), 2.0 * spacing).astype(np.float64) / spacing

    below = depth(points)
    chosen = np.flatnonzero((below > -0.5) & (below < 1.0) & (np.abs(below - 0.5) > 1.0e-3))
    place = points[chosen]
    slope = np.zeros_like(place)
    for axis in range(3):
        step = np.zeros(3)
        step[axis] = _STEP * spacing
        slope[:, axis] = (depth(place + step) - depth(place - step)) / (2.0 * _STEP)
    steep = np.linalg.norm(slope, axis=1)
    way = (0.5 - below[chosen]) / np.maximum(steep, _EDGE)
    moved = place + (way * spacing / np.maximum(steep, _EDGE))[:, None] * slope
    good = (steep > _EDGE) & (np.abs(depth(moved) - 0.5) < 0.1)
    shift = np.zeros_like(points)
    shift[chosen[good]] = (moved - place)[good]
    held = below < 1.0
    return points + _spread(np.rint((points - points.min(axis=0)) / spacing).astype(np.int64), shift, held)


def _spread(site: np.ndarray, shift: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Displacements (n, 3) of particles on lattice sites (n, 3): those `held` (n,) keep theirs, each other one takes the mean
    of its lattice neighbours', a few layers deep."""
    deep, high = (int(extent) for extent in site.max(axis=0)[1:] + 3)
    flat = ((site[:, 0] + 1) * deep + site[:, 1] + 1) * high + site[:, 2] + 1
    order = np.argsort(flat)

    def at(wanted: np.ndarray) -> np.ndarray:
        """Particles on sites; len(site) where there is none."""
        found = order[np.minimum(np.searchsorted(flat, wanted, sorter=order), len(site) - 1)]
        return np.where(flat[found] == wanted, found, len(site))

    beside = np.stack([at(flat + way) for step in (deep * high, high, 1) for way in (step, -step)])
    count = np.maximum((beside < len(site)).sum(axis=0), 1)[:, None]
    result = np.concatenate([shift, np.zeros((1, 3))])
    for _ in range(_LAYERS):
        mean = sum(result[row] for row in beside) / count
        result[:-1][~held] = mean[~held]
    return result[:-1]
