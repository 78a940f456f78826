"""Fill a mesh with particles: a cubic lattice, its border matched to the mesh's volume, shaken if wanted."""

import math

import numpy as np

from ..errors import InvalidScene
from ..scene import Mesh
from ..watch import Watch
from .cells import Cells, Lattice, enclosed_volume, fill_cells
from .noise import hashed, unit
from .triangles import check_mesh
from .winding import Solid, make_solid

_MOST_PARTICLES = 2**31 - 1
_MOST_CELLS = 1 << 36
_THINNEST = 0.1
"""A mesh that fills no cell to this part is thinner than particles of this spacing can show."""
_CLOSE_ENOUGH = 0.01
_ROUNDING = 1.0e-6
_TRIES = 24

_CHOICE, _RELOCATE, _JITTER = 0, 100, 200
"""Streams of random numbers."""


def fill(
    vertices: np.ndarray,
    triangles: np.ndarray,
    spacing: float,
    *,
    jitter: float = 0.0,
    seed: int = 0,
    owner: str = "Mesh",
    watch: Watch | None = None,
) -> np.ndarray:
    """Places of particles inside a mesh [m], float64 (n, 3), in order of lattice z, y, x.

    Inside is where the mesh winds more than one half around the point. n × spacing³ is the enclosed volume to within
    half a particle wherever the mesh has room for it: border cells of the lattice are added, their particle moved
    inside, or left out, by how much of them the mesh fills. `jitter` from 0 to 1 shakes each particle by up to that
    part of half a spacing along each axis; it stays inside. Equal seeds give equal places.
    """
    check_mesh(Mesh(np.asarray(vertices), np.asarray(triangles)), owner)
    _check_settings(spacing, jitter, owner)
    solid = make_solid(vertices, triangles)
    lattice, cells = _best_lattice(solid, spacing, owner, watch)
    wanted = round(cells.volume / spacing**3)
    _check_room(solid, cells, wanted, spacing, owner)
    index, places = _chosen_places(solid, lattice, cells, wanted, seed)
    if len(places) == 0:
        raise InvalidScene(_no_inside(solid, owner) if solid.open_edge_count else _too_thin(cells.volume, spacing, owner))
    index, places = solid.turned_back(index), solid.turned_back(places)
    order = np.lexsort(index.T)
    index, places = index[order], places[order]
    if jitter > 0.0:
        places = _shaken(solid, index, places, 0.5 * jitter * spacing, seed)
    return places


def fill_count(vertices: np.ndarray, triangles: np.ndarray, spacing: float) -> int:
    """About how many particles `fill` will make, at little cost."""
    return round(enclosed_volume(make_solid(vertices, triangles)) / spacing**3)


def _check_settings(spacing: float, jitter: float, owner: str) -> None:
    if not (math.isfinite(spacing) and spacing > 0.0):
        raise InvalidScene(f"{owner}: the particle spacing is {spacing} m; give a length above zero.")
    if not 0.0 <= jitter <= 1.0:
        raise InvalidScene(f"{owner}: the jitter is {jitter}; give a number from 0 (lattice) to 1 (half a spacing each way).")


def _no_inside(solid: Solid, owner: str) -> str:
    return (
        f"{owner}: the mesh is open ({solid.open_edge_count} open edges) and encloses nothing; "
        "close it, give it thickness (Solidify), or use it as an emitter."
    )


def _too_thin(volume: float, spacing: float, owner: str) -> str:
    return (
        f"{owner}: the mesh is too thin or too small for a particle: it encloses {volume:.3g} m³, a particle takes "
        f"{spacing**3:.3g} m³ at a spacing of {spacing:g} m; reduce the particle spacing or enlarge the mesh."
    )


def _check_room(solid: Solid, cells: Cells, wanted: int, spacing: float, owner: str) -> None:
    """Refuse meshes without an inside, or with one that no particle fits."""
    if solid.open_edge_count and not cells.central.any() and wanted == 0:
        raise InvalidScene(_no_inside(solid, owner))
    boxes = solid.tree.boxes[1]
    flat = float(np.min(boxes[3:] - boxes[:3])) <= 1.0e-12 * float(np.max(boxes[3:] - boxes[:3]))
    if cells.volume <= 0.0 or (flat and not solid.open_edge_count):
        raise InvalidScene(f"{owner}: the mesh encloses 0 m³; is its scale zero along an axis? Give it thickness (Solidify).")
    fullest = float(cells.fraction.max(initial=0.0))
    if wanted == 0 or (fullest < _THINNEST and not cells.central.any()):
        raise InvalidScene(_too_thin(cells.volume, spacing, owner))


def _lattices(solid: Solid, spacing: float, owner: str) -> list[Lattice]:
    """Lattices to choose from: against the mesh's low corner, and centred on the mesh."""
    boxes = solid.tree.boxes[1]
    extent = boxes[3:] - boxes[:3]
    cells = np.prod(np.maximum(extent / spacing, 1.0))
    if cells > _MOST_CELLS or solid.closed_volume / spacing**3 > _MOST_PARTICLES:
        raise InvalidScene(
            f"{owner}: a spacing of {spacing:g} m in a box of {extent[0]:g} × {extent[1]:g} × {extent[2]:g} m means "
            f"{cells:.3g} cells, more than can be filled; increase the particle spacing or check the mesh's scale."
        )
    whole = np.maximum(np.ceil(extent / spacing - _ROUNDING), 1.0)
    nearest = np.maximum(np.round(extent / spacing), 1.0)
    low = _lattice(boxes[:3].copy(), spacing, whole)
    if (np.abs(nearest * spacing - extent) <= _ROUNDING * spacing).all():
        return [low]
    # Centred, the border cells stick out on both sides alike.
    around = nearest + 2.0 * (nearest < whole)
    return [low, _lattice(0.5 * (boxes[:3] + boxes[3:]) - 0.5 * around * spacing, spacing, around)]


def _lattice(origin: np.ndarray, spacing: float, shape: np.ndarray) -> Lattice:
    return Lattice(origin, np.full(3, spacing), (int(shape[0]), int(shape[1]), int(shape[2])))


def _best_lattice(solid: Solid, spacing: float, owner: str, watch: Watch | None) -> tuple[Lattice, Cells]:
    """The lattice whose cell centres alone match the volume best; the first if it matches well enough."""
    best: tuple[float, Lattice, Cells] | None = None
    for lattice in _lattices(solid, spacing, owner):
        cells = fill_cells(solid, lattice, watch)
        wanted = cells.volume / spacing**3
        miss = abs(int(cells.central.sum()) - wanted) / max(wanted, 1.0)
        if best is None or miss < best[0]:
            best = (miss, lattice, cells)
        if miss <= _CLOSE_ENOUGH:
            break
    assert best is not None
    return best[1], best[2]


def _chosen_places(solid: Solid, lattice: Lattice, cells: Cells, wanted: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices and places of the particles in turned axes: the fullest cells, those with their centre inside first."""
    # Equally full cells come in random order, so that what is added or left out spreads evenly over the border.
    fullness = np.round(cells.fraction * 256.0)
    chance = hashed(solid.turned_back(cells.index), seed, _CHOICE)
    order = np.lexsort((chance, -fullness, ~cells.central))
    centrals = int(cells.central.sum())
    keep = np.sort(order[: min(wanted, centrals)])
    index, places = cells.index[keep], lattice.centres(cells.index[keep])
    rest = order[centrals:]
    missing = wanted - len(keep)
    while missing > 0 and len(rest):
        extra, rest = rest[:missing], rest[missing:]
        found, moved = _moved_inside(solid, lattice, cells, extra, seed)
        index, places = np.concatenate([index, cells.index[extra[found]]]), np.concatenate([places, moved[found]])
        missing = wanted - len(places)
    return index, places


def _moved_inside(
    solid: Solid, lattice: Lattice, cells: Cells, which: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """A place inside the mesh in each border cell: the middle of the filled part, else the first of some random ones."""
    index = cells.index[which]
    places = lattice.origin + (index + cells.middle[which]) * lattice.step
    found = solid.inside(solid.turned_back(places))
    name = solid.turned_back(index)
    for attempt in range(_TRIES):
        todo = np.flatnonzero(~found)
        if len(todo) == 0:
            break
        shift = np.stack([unit(name[todo], seed, _RELOCATE + 3 * attempt + axis) for axis in range(3)], axis=1)
        places[todo] = lattice.origin + (index[todo] + shift) * lattice.step
        found[todo] = solid.inside(solid.turned_back(places[todo]))
    return found, places


def _shaken(solid: Solid, index: np.ndarray, places: np.ndarray, reach: float, seed: int) -> np.ndarray:
    """Places moved by up to `reach` [m] along each axis, by half as much as often as needed to stay inside."""
    shift = np.stack([2.0 * unit(index, seed, _JITTER + axis) - 1.0 for axis in range(3)], axis=1) * reach
    result = places + shift
    outside = np.flatnonzero(~solid.inside(result))
    for halving in (0.5, 0.25, 0.125, 0.0):
        result[outside] = places[outside] + halving * shift[outside]
        if len(outside) and halving > 0.0:
            outside = outside[~solid.inside(result[outside])]
    return result
