"""Filling a body with grains: as many as its volume holds when packed at random, none overlapping, all inside.

Grains begin on a shaken lattice, too close to each other, and push each other apart by the contact law itself, without
friction or gravity, inside the body's own surface turned into walls. What still overlaps in the
end is left out, and a last shrinking by a few thousandths takes away the rest.
"""

import math

import numpy as np

from ..errors import InvalidScene
from ..materials.grains_params import GrainsParams, grain_volume
from ..mesh import area, oriented, volume
from ..mesh.fill import fill
from ..mesh.noise import unit
from ..scene import Collider, ColliderParams, Mesh
from ..walls import Walls
from ..watch import Watch
from .engine import REACH, Engine, Setting, make_stiffness
from .neighbours import PairList
from .state import GrainState

_SPREAD_STREAM = 300
"""Stream of random numbers for the sizes of grains."""
_SHAKE = 0.6
_ROUNDS, _STEPS = 80, 20
_ENOUGH = 0.002
"""Overlap at which the grains have spread enough, in the sum of two radii."""
_MOST = 0.01
"""Overlap beyond which a grain is left out in the end."""
_CALM, _BOUNCE = 0.9, 0.7
"""Part of its velocity that a grain keeps from round to round, and in a collision: they must wander to find room."""
_INTERIOR = 0.61
"""Packing away from the body's surface; at a surface, a layer of this part of a diameter stays empty:"""
_LAYER = 0.2


def grain_radii(params: GrainsParams, first: int, count: int, seed: int) -> np.ndarray:
    """Radii [m] of grains number first … first + count - 1, float32: evenly spread around the mean, the same for a number."""
    chance = unit(np.arange(first, first + count)[:, None], seed, _SPREAD_STREAM)
    return (0.5 * params.size * (1.0 + params.size_spread * (2.0 * chance - 1.0))).astype(np.float32)


def pack(mesh: Mesh, params: GrainsParams, first: int, seed: int, owner: str, watch: Watch) -> tuple[np.ndarray, np.ndarray]:
    """Places [m], float64 (n, 3), and radii [m], float32 (n,), of grains that fill a closed mesh."""
    vertices, triangles = mesh.at(0), mesh.triangles
    _check_room(vertices, triangles, params, owner)
    spacing = _lattice_spacing(vertices, triangles, params)
    try:
        places = fill(vertices, triangles, spacing, jitter=_SHAKE, seed=seed, owner=owner, watch=watch)
    except InvalidScene as error:
        raise InvalidScene(
            f"{owner}: there is no room for a single grain of {params.size:g} m in it. Use smaller grains or a larger body. "
            f"({error})"
        ) from error
    radius = grain_radii(params, first, len(places), seed)
    largest = float(radius.max())
    shell = Collider(owner, Mesh(vertices, _turned_in(vertices, triangles)), ColliderParams(friction=0.0, two_sided=False))
    walls = Walls((shell,), reach=REACH * largest, frames_per_second=1.0, frame_start=0, watch=watch)
    engine = _relaxed(places, radius, params, walls, owner, watch)
    return _without_overlap(engine, walls, params, owner)


def _lattice_spacing(vertices: np.ndarray, triangles: np.ndarray, params: GrainsParams) -> float:
    """Lattice [m] with as many places as there will be grains."""
    enclosed = abs(volume(vertices, triangles))
    usable = max(enclosed - _LAYER * params.size * area(vertices, triangles), 0.3 * enclosed)
    return (grain_volume(params) * enclosed / (_INTERIOR * usable)) ** (1.0 / 3.0)


def _check_room(vertices: np.ndarray, triangles: np.ndarray, params: GrainsParams, owner: str) -> None:
    extent = vertices.max(axis=0) - vertices.min(axis=0)
    largest = params.size * (1.0 + params.size_spread)
    if float(extent.min()) < largest:
        axis = "xyz"[int(np.argmin(extent))]
        raise InvalidScene(
            f"{owner}: Grain size is {params.size:g} m (the largest grains {largest:g} m), but the body measures only "
            f"{extent.min():g} m along {axis}; no grain fits. Use smaller grains or a larger body."
        )
    enclosed = abs(volume(vertices, triangles))
    if enclosed < math.pi / 6.0 * params.size**3:
        raise InvalidScene(
            f"{owner}: the body encloses {enclosed:.3g} m³, less than one grain of {params.size:g} m "
            f"({math.pi / 6.0 * params.size**3:.3g} m³). Use smaller grains or a larger body."
        )


def _turned_in(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Triangles with their normals towards the inside."""
    outward = oriented(vertices, triangles)
    if volume(vertices, outward) < 0.0:
        return outward
    return np.ascontiguousarray(outward[:, ::-1])


def _relaxed(places: np.ndarray, radius: np.ndarray, params: GrainsParams, walls: Walls, owner: str, watch: Watch) -> Engine:
    state = GrainState()
    count = len(places)
    state.append(
        {
            "position": places.T, "radius": radius, "weight": np.ones(count, np.float32),
            "orientation": np.repeat([[1.0], [0.0], [0.0], [0.0]], count, axis=1), "wall_row": np.full(count, -1, np.int32),
        }
    )  # fmt: skip
    settings = [Setting(params.density, _BOUNCE, 0.0, 0.0, 0.0, 0.0)]
    smallest = float(radius.min())
    # Any stiffness will do: nothing else sets a time.
    engine = Engine(state, settings, make_stiffness(params.density, settings, smallest), float(radius.max()), smallest)
    engine.owner = owner
    engine.sudden = math.inf  # grains begin anywhere: all their overlap presses
    still = np.zeros(3)
    for done in range(_ROUNDS):
        watch.report(phase="preparing", done=done / _ROUNDS, particles=count, message=f"Packing {owner}")
        engine.advance(walls, _STEPS * engine.stiffness.step, still, 0.0, watch)
        state.live("velocity")[:] *= _CALM
        if done % 4 == 3 and _largest_overlap(engine) < _ENOUGH:
            break
    return engine


def _overlaps(engine: Engine) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Listed pairs that overlap: grains, and overlap in the sum of their radii."""
    pairs: PairList | None = engine.listed_pairs()
    if pairs is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    room = len(pairs.first) // len(pairs.count)
    place = np.concatenate([c * room + np.arange(count) for c, count in enumerate(pairs.count)])
    first, second = pairs.first[place], pairs.second[place]
    position, radius = engine.state.live("position"), engine.state.live("radius").astype(np.float64)
    distance = np.sqrt(((position[:, first] - position[:, second]) ** 2).sum(axis=0))
    part = 1.0 - distance / (radius[first] + radius[second])
    chosen = part > 0.0
    return first[chosen], second[chosen], part[chosen]


def _largest_overlap(engine: Engine) -> float:
    return float(_overlaps(engine)[2].max(initial=0.0))


def _without_overlap(engine: Engine, walls: Walls, params: GrainsParams, owner: str) -> tuple[np.ndarray, np.ndarray]:
    """Places and radii of those grains that are inside and apart, in order of their number."""
    state = engine.state
    position, radius = state.live("position").T, state.live("radius").astype(np.float64)
    first, second, part = _overlaps(engine)
    inside = walls.signed_distance(position.astype(np.float32), REACH * engine.largest).astype(np.float64)
    keep = inside > (1.0 - _MOST) * radius
    # Worst pairs first: of two that overlap too much, the one with the higher number goes.
    for pair in np.argsort(-part, kind="stable"):
        if part[pair] <= _MOST:
            break
        if keep[first[pair]] and keep[second[pair]]:
            keep[first[pair] if state.live("id")[first[pair]] > state.live("id")[second[pair]] else second[pair]] = False
    if not keep.any():
        raise InvalidScene(
            f"{owner}: there is no room for a single grain of {params.size:g} m in it. Use smaller grains or a larger body."
        )
    left = keep[first] & keep[second]
    shrink = max(float(part[left].max(initial=0.0)), float((1.0 - inside / radius)[keep].max(initial=0.0)), 0.0)
    radius = radius * (1.0 - shrink - 1.0e-6)
    chosen = np.flatnonzero(keep)
    chosen = chosen[np.argsort(state.live("id")[chosen])]
    return np.ascontiguousarray(position[chosen]), radius[chosen].astype(np.float32)
