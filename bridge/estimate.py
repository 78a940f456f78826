"""How many particles a bake will have and how far apart they are, told while the artist drags the slider.

Meshes are measured once and remembered by what would change with them (counts, bounding box); moving, turning and
scaling need no new measurement.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..solvers.materials.registry import MATERIALS
from ..solvers.mesh.triangles import area, volume
from .export import resolved_spacing
from .generated import engine_value, read_group
from .parts import Part, read_surface, visible_parts
from .properties import COLLIDER, EMITTER, as_baked, detail, frame_range, kind_of, units_of
from .tracks import longest_side

_MOST_REMEMBERED = 256


class Estimate(NamedTuple):
    """What a bake would be."""

    spacing: float
    """Distance between particles [m of the simulation]; 0 if it cannot be told."""
    spacing_seen: float
    """The same in Blender units."""
    filled: int
    """Particles that fill the bodies."""
    poured: int
    """Particles that the emitters add until the last frame, roughly."""
    bodies: int
    emitters: int
    colliders: int

    @property
    def particles(self) -> int:
        return self.filled + self.poured


class _Measure(NamedTuple):
    volume: float
    """Of the mesh in object space, not below 0."""
    area: float
    longest: float
    """In world space."""


_measured: dict[tuple[Any, ...], tuple[float, float]] = {}
_longest: dict[tuple[Any, ...], float] = {}


def _measure(part: Part) -> _Measure:
    bounds = tuple(round(value, 6) for corner in part.evaluated.bound_box for value in corner)
    data = part.evaluated.data
    shape = (*part.key, len(getattr(data, "vertices", ())), len(getattr(data, "polygons", ())), bounds)
    pose = (shape, part.matrix[:3, :3].tobytes())
    if shape not in _measured or pose not in _longest:
        if len(_measured) > _MOST_REMEMBERED or len(_longest) > _MOST_REMEMBERED:
            _measured.clear()
            _longest.clear()
        surface = read_surface(part)
        finite = len(surface.triangles) > 0 and bool(np.isfinite(surface.vertices).all())
        _measured[shape] = (
            (abs(volume(surface.vertices, surface.triangles)), area(surface.vertices, surface.triangles))
            if finite
            else (0.0, 0.0)
        )
        _longest[pose] = longest_side(surface, part.matrix) if finite else 0.0
    inside, outside = _measured[shape]
    stretch = abs(float(np.linalg.det(part.matrix[:3, :3])))
    return _Measure(inside * stretch, outside * stretch ** (2.0 / 3.0), _longest[pose])


def estimate(context: Any) -> Estimate:
    """The bake as the scene stands now. Cheap enough for a panel."""
    scene = context.scene
    units = units_of(scene)
    first, last = frame_range(scene)
    seconds = max(0, last - first) / (scene.render.fps / scene.render.fps_base)
    sides: list[tuple[str, float]] = []
    amounts: list[tuple[bool, Any, float]] = []  # poured or filled, the particle's own spacing from the world's, volume [m³]
    counts = {COLLIDER: 0, EMITTER: 0, "": 0}
    for part in visible_parts(context.evaluated_depsgraph_get()):
        role = part.holder.tsubu.role
        counts[role if role in counts else ""] += 1
        if role == COLLIDER:
            continue
        measure = _measure(part)
        sides.append((role, measure.longest))
        pours = role == EMITTER
        kind = part.settings.emitter_kind if pours else kind_of(role)
        if not kind:
            continue  # marked by a newer version as a kind that this one does not know
        inside = _poured(part.settings.emitter, measure, seconds, units) if pours else measure.volume * units.metres**3
        amounts.append((pours, _own_spacing(scene, part, kind, units), inside))
    settings = scene.tsubu
    if settings.sizing == "RESOLUTION":
        seen = resolved_spacing(settings.resolution * detail(scene), sides)
    else:
        seen = settings.world.spacing / detail(scene)
    spacing = float(f"{seen:.7g}") * units.metres
    number = {True: 0.0, False: 0.0}
    for pours, own, inside in amounts:
        cell = own(spacing) ** 3
        number[pours] += inside / cell if cell > 0.0 else 0.0
    return Estimate(spacing, seen, round(number[False]), round(number[True]), counts[""], counts[EMITTER], counts[COLLIDER])


def _own_spacing(scene: Any, part: Part, kind: str, units: Any) -> Callable[[float], float]:
    """The distance between particles of a part from that of the world [m]: grains have a size of their own."""
    material = MATERIALS[kind]
    params = as_baked(scene, read_group(getattr(part.settings, kind), material.params, part.holder.name, units))
    return lambda spacing: material.spacing(params, spacing)


def _poured(group: Any, measure: Any, seconds: float, units: Any) -> float:
    """Volume [m³ of the simulation] that leaves an emitter until the last frame, at its present rate."""
    from ..solvers.params import declarations
    from ..solvers.scene import EmitterParams

    declared = {entry.name: entry for entry in declarations(EmitterParams)}
    value = {name: engine_value(getattr(group, name), declared[name], units) for name in ("rate", "speed", "start", "end")}
    active = max(0.0, min(value["end"] if group.stops else seconds, seconds) - value["start"])
    rate = value["rate"]
    if group.source == "fill" or (group.source == "volume" and rate <= 0.0):
        return measure.volume * units.metres**3 if group.enabled else 0.0
    if rate <= 0.0 and group.source == "surface":
        rate = measure.area * units.metres**2 * value["speed"]
    if rate <= 0.0:
        # No rate given: the mesh's shadow along the flow, at most half its area, at full speed.
        rate = 0.5 * measure.area * units.metres**2 * value["speed"]
    return rate * active if group.enabled else 0.0


def forget() -> None:
    _measured.clear()
    _longest.clear()
