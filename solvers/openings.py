"""Openings of colliders that grains cannot pass, found before a bake: a warning costs a second, a clogged bake an evening.

A collider's faces form smooth patches (neighbours within 30°). A closed line of a patch's border that has nothing but air at its
middle is the rim of an opening: the mouth of a funnel, a hole in a plate, thick or thin.
"""

from typing import NamedTuple

import numpy as np

from .materials.registry import MATERIALS
from .mesh.triangles import corners_of, is_closed, normals, welded
from .scene import Collider, Scene

_SMOOTH = np.cos(np.radians(30.0))
_AIR = 0.2
"""The middle of an opening is at least this part of its width away from every face."""
_MOST_TRIANGLES = 200_000
_CLOGS = 4.0
"""Openings narrower than this many of the largest grains jam sooner or later."""


class Opening(NamedTuple):
    """A hole that things can fall through."""

    middle: np.ndarray
    """[m], float64 (3,)."""
    width: float
    """Narrowest extent [m]."""


def warnings(scene: Scene) -> list[str]:
    """What to tell the artist about openings too narrow for the grains of the scene."""
    sources = [(body.kind, body.params) for body in scene.bodies] + [(e.kind, e.material) for e in scene.emitters]
    sizes = []
    for kind, params in sources:
        if kind == "grains":
            params = MATERIALS["grains"].params() if params is None else params
            if params.mode != "continuum":
                sizes.append(params.size * (1.0 + params.size_spread))
    if not sizes:
        return []
    down = np.asarray(scene.world.gravity, np.float64)
    found = [(collider.name, opening) for collider in scene.walls for opening in openings(collider, down)]
    return [text for name, opening in found if (text := _advice(name, opening, max(sizes)))]


def _advice(name: str, opening: Opening, grain: float) -> str:
    where = ", ".join(f"{part:.3g}" for part in opening.middle)
    if opening.width <= grain:
        return (
            f"Collider {name}: its opening at ({where}) m is {opening.width:.3g} m wide, less than the largest grains of "
            f"{grain:.3g} m: it will clog. Use smaller grains or a wider opening."
        )
    if opening.width < _CLOGS * grain:
        return (
            f"Collider {name}: its opening at ({where}) m is {opening.width:.3g} m wide, {opening.width / grain:.1f} of the "
            f"largest grains: it will probably clog. Grains flow freely from about {_CLOGS + 1.0:.0f} grains on."
        )
    return ""


def openings(collider: Collider, down: np.ndarray | None = None) -> list[Opening]:
    """The openings of a collider as it is in the first frame; with `down` (3,) not those that are its upper rim."""
    vertices, triangles = np.asarray(collider.mesh.at(0), np.float64), np.asarray(collider.mesh.triangles, np.int64)
    if len(triangles) > _MOST_TRIANGLES:
        return []
    if collider.motion is not None:
        vertices = vertices @ collider.motion[0][:3, :3].T + collider.motion[0][:3, 3]
    names = welded(vertices, triangles)
    place = np.zeros((int(names.max()) + 1, 3))
    place[names.reshape(-1)] = vertices[triangles.reshape(-1)]
    corners, closed = corners_of(vertices, triangles), is_closed(names)
    found: list[Opening] = []
    for loop in _patch_borders(names, normals(vertices, triangles)):
        middle, width = _measure(place[loop])
        again = any(np.linalg.norm(middle - other.middle) < 1.0e-3 * width for other in found)
        if width <= 0.0 or again or (down is not None and _is_top(place[loop], place, down, width)):
            continue
        if _in_air(middle, width, corners, closed):
            found.append(Opening(middle, width))
    return found


def _patch_borders(names: np.ndarray, normal: np.ndarray) -> list[np.ndarray]:
    """Closed lines of vertices around and within smooth patches."""
    tail, head = names.reshape(-1), np.roll(names, -1, axis=1).reshape(-1)
    face = np.repeat(np.arange(len(names)), 3)
    key = np.minimum(tail, head) * (int(names.max()) + 1) + np.maximum(tail, head)
    order = np.argsort(key, kind="stable")
    same = key[order][1:] == key[order][:-1]
    one, two = order[:-1][same], order[1:][same]
    smooth = np.einsum("ij,ij->i", normal[face[one]], normal[face[two]]) > _SMOOTH
    inner = np.zeros(len(key), bool)
    inner[one[smooth]] = inner[two[smooth]] = True
    patch = _joined(len(names), face[one[smooth]], face[two[smooth]])
    loops = []
    border = np.flatnonzero(~inner)
    for number in np.unique(patch[face[border]]):
        own = border[patch[face[border]] == number]
        loops += _traced(tail[own], head[own])
    return loops


def _joined(count: int, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Number of the connected part of every face, by pointer jumping: the lowest face in it."""
    label = np.arange(count)
    while True:
        least = np.minimum(label[one], label[two])
        new = label.copy()
        np.minimum.at(new, one, least)
        np.minimum.at(new, two, least)
        new = new[new]
        if np.array_equal(new, label):
            return label
        label = new


def _traced(tail: np.ndarray, head: np.ndarray) -> list[np.ndarray]:
    """Closed lines along directed edges; a line that branches is left out."""
    following: dict[int, list[int]] = {}
    for a, b in zip(tail.tolist(), head.tolist(), strict=True):
        following.setdefault(a, []).append(b)
    loops = []
    while following:
        start = here = next(iter(following))
        line = []
        while here in following and len(following[here]) == 1:
            line.append(here)
            here = following.pop(here)[0]
        if here == start and len(line) > 2:
            loops.append(np.array(line))
        else:
            following.pop(here, None)
    return loops


def _measure(loop: np.ndarray) -> tuple[np.ndarray, float]:
    """Middle and narrowest extent of a closed line (n, 3), seen along the normal of its plane."""
    ahead = np.roll(loop, -1, axis=0)
    length = np.linalg.norm(ahead - loop, axis=1)
    middle = (0.5 * (loop + ahead) * length[:, None]).sum(axis=0) / max(float(length.sum()), 1.0e-300)
    normal = np.cross(loop - middle, ahead - middle).sum(axis=0)
    size = float(np.linalg.norm(normal))
    if size == 0.0:
        return middle, 0.0
    normal /= size
    side = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    side /= np.linalg.norm(side)
    angle = np.linspace(0.0, np.pi, 36, endpoint=False)[:, None]
    across = np.cos(angle) * side + np.sin(angle) * np.cross(normal, side)
    return middle, float(np.ptp((loop - middle) @ across.T, axis=0).min())


def _is_top(loop: np.ndarray, place: np.ndarray, down: np.ndarray, width: float) -> bool:
    """Whether a closed line is the upper end of a vessel: things are poured in there, and do not fall out."""
    size = float(np.linalg.norm(down))
    if size == 0.0:
        return False
    height, everywhere = loop @ (-down / size), place @ (-down / size)
    return bool(height.min() > everywhere.max() - 1.0e-3 * width and everywhere.min() < height.min() - 0.5 * width)


def _in_air(point: np.ndarray, width: float, corners: np.ndarray, closed: bool) -> bool:
    """Whether a point is away from all faces (m, 3, 3), and not inside a closed mesh."""
    if _distance(point, corners) < _AIR * width:
        return False
    a, b, c = (corners[:, k] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(part, axis=1) for part in (a, b, c))
    triple = np.einsum("ij,ij->i", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a)))
    winding = np.arctan2(triple, la * lb * lc + ab * lc + bc * la + ca * lb).sum() / (2.0 * np.pi)
    return not (closed and winding > 0.5)


def _distance(point: np.ndarray, corners: np.ndarray) -> float:
    """Distance of a point to the nearest of triangles (m, 3, 3): to their planes where the foot lies inside, else to edges."""
    first, u, v = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(u, v)
    area = np.maximum(np.einsum("ij,ij->i", normal, normal), 1.0e-300)
    way = point - first
    b = np.einsum("ij,ij->i", np.cross(way, v), normal) / area
    c = np.einsum("ij,ij->i", np.cross(u, way), normal) / area
    over = np.abs(np.einsum("ij,ij->i", way, normal)) / np.sqrt(area)
    best = float(np.where((b >= 0.0) & (c >= 0.0) & (b + c <= 1.0), over, np.inf).min())
    for k in range(3):
        start, edge = corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]
        share = np.einsum("ij,ij->i", point - start, edge) / np.maximum(np.einsum("ij,ij->i", edge, edge), 1.0e-300)
        foot = start + np.clip(share, 0.0, 1.0)[:, None] * edge
        best = min(best, float(np.linalg.norm(point - foot, axis=1).min()))
    return best
