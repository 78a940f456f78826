"""What an artist would rather know before a bake than after: leaks, holes, inside-out meshes, overlaps, odd sizes.

Plain numpy on a checked scene, so that Blender's own process may ask. What has to be simulated to be known (time, memory,
disk) is measured by `probe` in the worker.
"""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ..dem.doubts import light_bodies
from ..hybrid.hosts import kept_single
from ..materials import registry
from ..mesh.columns import overlap_volume, wall_thickness
from ..mesh.triangles import bounds, is_closed, oriented, volume, welded
from ..scene import Body, Collider, Mesh, Scene
from .estimate import shares_of

ERROR, WARNING, INFO = "error", "warning", "info"
_LEAST_ACROSS = 4.0
"""Particles across the thinnest side of a body, below which it is a row of beads."""
_SENSIBLE = {"drops": (1.0e-4, 0.1, 0.005), "grains": (1.0e-3, 100.0, 1.0)}
"""Kind → smallest and largest size [m] of a body that behaves as its name says, and a typical one."""
_SENSIBLE_ELSE = (2.0e-3, 50.0, 1.0)
_UNLIKE = 4.0
"""Particles of two kinds that differ more than so many times in size are told."""
_MANY_TRIANGLES = 60_000
"""Meshes above this are not searched for thin walls: it would take longer than the artist waits."""


class Finding(NamedTuple):
    """One line of the report."""

    level: str
    text: str
    owner: str = ""
    """Name of the object to select."""
    fix: str = ""
    """What would help: "normals", "flip", "holes", "spacing", "scale", "grain", "cut" or "gravity"; "" if only the artist can."""
    value: float = 0.0
    """The new spacing or size of grains [m], or the factor of the scale."""
    other: str = ""
    """Name of the object that is cut out of `owner`."""


def preflight(scene: Scene) -> list[Finding]:
    """Findings about a scene that has passed `checked`, the gravest first."""
    found: list[Finding] = []
    for body in scene.bodies:
        found += _body(body, scene)
    for collider in scene.walls:
        found += _collider(collider, scene)
    found += doubts(scene)
    found += _overlaps(scene)
    found += _scales(scene)
    found += _gravity(scene)
    return sorted(found, key=lambda finding: (ERROR, WARNING, INFO).index(finding.level))


def _solid(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    return mesh.at(0), mesh.triangles


def _closed(mesh: Mesh) -> bool:
    return is_closed(welded(*_solid(mesh)))


def _placed(collider: Collider) -> tuple[np.ndarray, np.ndarray]:
    """Vertices in the world at the first frame, and triangles."""
    vertices = collider.mesh.at(0)
    if collider.motion is not None:
        vertices = vertices @ collider.motion[0, :3, :3].T + collider.motion[0, :3, 3]
    return vertices, collider.mesh.triangles


def _body(body: Body, scene: Scene) -> list[Finding]:
    found = []
    vertices, triangles = _solid(body.mesh)
    if not np.array_equal(oriented(vertices, triangles), triangles):
        found.append(Finding(WARNING, "some faces look inwards, others outwards", body.name, "normals"))
    elif not _closed(body.mesh):
        found.append(Finding(WARNING, "the mesh has holes: it is filled as well as possible", body.name, "holes"))
    elif volume(vertices, triangles) < 0.0:
        found.append(Finding(WARNING, "the mesh is inside out", body.name, "normals"))
    low, high = bounds(body.mesh)
    material = registry.find(body.kind, body.name)
    spacing = material.spacing(body.params, scene.world.spacing)
    across = float((high - low).min()) / spacing
    if body.kind == "grains" and (refusal := _no_grain_fits(body, high - low)):
        found.append(refusal)
    elif across < _LEAST_ACROSS:
        own = spacing != scene.world.spacing and body.kind == "grains"
        fix = "grain" if own else ("spacing" if spacing == scene.world.spacing else "")
        wanted = (_grains(body).size if own else scene.world.spacing) * across / _LEAST_ACROSS
        what = "grains" if body.kind == "grains" else "particles"
        found.append(Finding(WARNING, f"only {across:.1f} {what} across its thinnest side", body.name, fix, wanted))
    longest = float((high - low).max())
    least, most, typical = _SENSIBLE.get(body.kind, _SENSIBLE_ELSE)
    if not least <= longest <= most:
        how = "large" if longest > most else "small"
        text = f"{material.label} {length_text(longest)} {how}: it will look as slow or as fast as at that size"
        found.append(Finding(WARNING, text, body.name, "scale", typical / longest))
    return found


def _grains(body: Body) -> Any:
    return registry.find("grains", body.name).params() if body.params is None else body.params


def _no_grain_fits(body: Body, extent: np.ndarray) -> Finding | None:
    """Grains larger than the body, which the bake refuses."""
    params = _grains(body)
    largest = params.size * (1.0 + params.size_spread)
    if float(extent.min()) >= largest:
        return None
    text = (
        f"no grain fits: the largest grains measure {length_text(largest)}, the body {length_text(float(extent.min()))} along "
        f"{'xyz'[int(np.argmin(extent))]}. Use smaller grains or a larger body"
    )
    return Finding(ERROR, text, body.name, "grain", float(extent.min()) / (1.0 + params.size_spread) / _LEAST_ACROSS)


def doubts(scene: Scene) -> list[Finding]:
    """What the settings of materials make doubtful."""
    found = []
    for source in (*scene.bodies, *scene.emitters):
        material = registry.find(source.kind, source.name)
        params = source.params if isinstance(source, Body) else source.material
        params = material.params() if params is None else params
        found += [Finding(WARNING, text, source.name) for text in material.doubts(params)]
    found += [Finding(WARNING, text, name) for name, text in light_bodies(scene)]
    return found + [Finding(INFO, text, name) for name, text in kept_single(scene)]


def _collider(collider: Collider, scene: Scene) -> list[Finding]:
    vertices, triangles = _placed(collider)
    if not np.array_equal(oriented(vertices, triangles), triangles):
        return [Finding(WARNING, "some faces look inwards, others outwards: it may leak there", collider.name, "normals")]
    if not _closed(collider.mesh):
        return []  # a sheet blocks from both sides, or from the side that the artist chose
    size = volume(vertices, triangles)
    inside = [source.name for source in (*scene.bodies, *scene.emitters) if _contains(vertices, source.mesh.at(0))]
    if size > 0.0:
        found = _trapped(collider, vertices, triangles, scene)
        return found or _thin(collider, vertices, triangles, scene)
    if not inside:
        return [Finding(WARNING, "its faces look inwards but nothing is inside", collider.name, "flip")]
    return []


def _contains(outer: np.ndarray, inner: np.ndarray) -> bool:
    """Whether the bounding box of `inner` touches that of `outer`."""
    return bool((inner.max(axis=0) >= outer.min(axis=0)).all() and (inner.min(axis=0) <= outer.max(axis=0)).all())


def _trapped(collider: Collider, vertices: np.ndarray, triangles: np.ndarray, scene: Scene) -> list[Finding]:
    """A body wholly inside a solid: the artist meant a container."""
    for source in (*scene.bodies, *scene.emitters):
        own = abs(volume(*_solid(source.mesh)))
        if own > 0.0 and overlap_volume((vertices, triangles), _outward(source.mesh)) > 0.95 * own:
            text = f"{source.name} lies inside this solid; as a container its faces have to look inwards"
            return [Finding(ERROR, text, collider.name, "flip")]
    return []


def _outward(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    vertices, triangles = _solid(mesh)
    return vertices, triangles if volume(vertices, triangles) >= 0.0 else np.ascontiguousarray(triangles[:, ::-1])


def _thin(collider: Collider, vertices: np.ndarray, triangles: np.ndarray, scene: Scene) -> list[Finding]:
    if len(triangles) > _MANY_TRIANGLES:
        return []
    thickness = wall_thickness(vertices, triangles)
    spacing = scene.world.spacing
    found = []
    alone = all(source.kind == "grains" for source in (*scene.bodies, *scene.emitters))
    if thickness < spacing and not alone:  # contacts of grains hold at walls of any thickness, whatever the spacing
        text = f"a wall {length_text(thickness)} thick, thinner than the spacing of {length_text(spacing)}: it may leak"
        found.append(Finding(WARNING, text, collider.name, "spacing", thickness))
    if collider.motion is not None and len(collider.motion) > 1:
        corners = np.concatenate([collider.mesh.at(0), np.ones((len(collider.mesh.at(0)), 1))], axis=1)
        paths = np.einsum("fij,vj->fvi", collider.motion[:, :3], corners[:: max(1, len(corners) // 64)])
        fastest = float(np.linalg.norm(np.diff(paths, axis=0), axis=2).max())
        if fastest > max(10.0 * thickness, 10.0 * spacing):
            text = f"moves {length_text(fastest)} in one frame, {fastest / thickness:.0f} times its thickness: is that meant?"
            found.append(Finding(INFO, text, collider.name))
    return found


def _overlaps(scene: Scene) -> list[Finding]:
    found = []
    for one, other in combinations(scene.bodies, 2):
        shared = overlap_volume(_outward(one.mesh), _outward(other.mesh))
        least = scene.world.spacing**3
        if shared > least:
            text = f"shares {volume_text(shared)} with {one.name}: the later of two bodies leaves out what the earlier fills"
            found.append(Finding(WARNING, text, other.name, "cut", other=one.name))
    for body in scene.bodies:
        for collider in scene.walls:
            vertices, triangles = _placed(collider)
            if not _closed(collider.mesh) or volume(vertices, triangles) <= 0.0:
                continue
            shared, own = overlap_volume((vertices, triangles), _outward(body.mesh)), abs(volume(*_solid(body.mesh)))
            if scene.world.spacing**3 < shared <= 0.95 * own:
                text = f"{volume_text(shared)} ({100.0 * shared / own:.0f} %) lie inside {collider.name} and are left out"
                found.append(Finding(INFO, text, body.name, "cut", other=collider.name))
    return found


def _scales(scene: Scene) -> list[Finding]:
    """Kinds so unlike in size that they hardly feel each other, and what it would cost to bring them together."""
    shares = shares_of(scene)
    fine, coarse = (choose(shares, key=lambda share: share.spacing) for choose in (min, max))
    if coarse.spacing <= _UNLIKE * fine.spacing or fine.source.kind == coarse.source.kind:
        return []
    times, cell, name = f"{coarse.spacing / fine.spacing:.0f}", length_text(2.0 * coarse.spacing), coarse.source.name
    if coarse.spacing != scene.world.spacing:
        text = f"its particles are {times} times finer than those of {name}: the two feel each other in cells of {cell} only"
        return [Finding(WARNING, text, fine.source.name)]
    wanted = _UNLIKE * fine.spacing
    own = sum(share.count for share in shares if share.spacing == scene.world.spacing)
    count, longer = own * (coarse.spacing / wanted) ** 3, (coarse.spacing / wanted) ** 4
    text = (
        f"its particles are {times} times finer than those of {name}: the two feel each other in cells of {cell} only. With a "
        f"spacing of {length_text(wanted)}, {name} would have {count_text(count)} particles and take about {count_text(longer)} "
        "times as long"
    )
    return [Finding(WARNING, text, fine.source.name, "spacing", wanted)]


def _gravity(scene: Scene) -> list[Finding]:
    size = float(np.linalg.norm(scene.world.gravity))
    if 1.0 <= size <= 100.0:
        return []
    text = f"gravity is {size:.3g} m/s²; on Earth it is 9.81. Check the unit scale of the scene"
    return [Finding(WARNING, text, fix="gravity")]


def count_text(number: float) -> str:
    """1234567 → "1.2 million"."""
    for word, size in ((" billion", 1.0e9), (" million", 1.0e6)):
        if number >= size:
            return f"{number / size:.2g}{word}"
    return f"{round(number):,}"


def length_text(metres: float) -> str:
    """0.0125 → "12.5 mm"."""
    for unit, size in (("m", 1.0), ("cm", 1.0e-2), ("mm", 1.0e-3)):
        if metres >= size:
            return f"{metres / size:.3g} {unit}"
    return f"{metres / 1.0e-6:.3g} µm"


def volume_text(cubic_metres: float) -> str:
    """0.002 → "2 l"."""
    if cubic_metres >= 1.0:
        return f"{cubic_metres:.3g} m³"
    return f"{cubic_metres * 1e3:.3g} l" if cubic_metres >= 1e-3 else f"{cubic_metres * 1e6:.3g} ml"
