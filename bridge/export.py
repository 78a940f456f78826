"""The evaluated scene as a job of the engine: one pass over the frame range, then no more Blender.

`export` is a generator that stops after every frame, so that a modal operator can keep Blender responsive;
`export_now` runs it through. The artist's frame is restored in any case.
"""

from collections.abc import Generator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..solvers import openings
from ..solvers.bake.checks import checked
from ..solvers.errors import InvalidScene
from ..solvers.materials.registry import MATERIALS
from ..solvers.meet.pairs import MeetingParams
from ..solvers.mesh.triangles import is_closed, welded
from ..solvers.scene import (
    PAINTABLE,
    PAINTED_FLOW,
    Body,
    Collider,
    ColliderParams,
    Emitter,
    EmitterParams,
    Scene,
    SurfaceParams,
    WorldParams,
)
from .generated import Units, read_group
from .parts import Part, is_animated, is_marked, left_out, may_change, read_weights, visible_parts
from .properties import COLLIDER, EMITTER, as_baked, detail, emitter_known, frame_range, gravity, kind_of, units_of
from .rigid_motion import held_off
from .tracks import Track, longest_side

_FOLLOWED = {COLLIDER: ColliderParams, EMITTER: EmitterParams}


class Exported(NamedTuple):
    """What a scene became."""

    scene: Scene
    """Has passed the engine's checks."""
    warnings: tuple[str, ...]
    metres: float
    """Simulated metres in a Blender unit."""


class _Entry(NamedTuple):
    """One part on its way into the job."""

    role: str
    track: Track
    settings: dict[str, Any]
    """Groups of the engine as they are in the first frame, by name."""


def export_now(context: Any, frames: tuple[int, int] | None = None) -> Exported:
    """The whole export in one go."""
    run = export(context, frames)
    while True:
        try:
            next(run)
        except StopIteration as end:
            return end.value


def export(context: Any, frames: tuple[int, int] | None = None) -> Generator[float, None, Exported]:
    """Reads the scene of `context`; yields how much is done (0 to 1) after every frame. `frames` overrides the range."""
    scene = context.scene
    first, last = frames or frame_range(scene)
    if last < first:
        raise InvalidScene(f"The frame range is reversed: the last frame {last} comes before the first {first}. Swap them.")
    before, fraction = scene.frame_current, scene.frame_subframe
    _bring_up_to_date(context)
    units = units_of(scene)
    try:
        with held_off(scene):
            scene.frame_set(first)
            entries = _begin(context, first, units)
            yield 1.0 / (last - first + 1)
            yield from _follow(context, entries, (first, last), units)
    finally:
        scene.frame_set(before, subframe=fraction)
    warnings = [*left_out(scene, context.view_layer)]
    bodies, colliders, emitters = yield from _collected(entries, warnings)
    world = _world(scene, (first, last), units, entries)
    yield 1.0
    complete = checked(Scene(scene.name, bodies, colliders, emitters, world, *_of_all(scene)))
    return Exported(complete, (*warnings, *openings.warnings(complete)), units.metres)


def _bring_up_to_date(context: Any) -> None:
    """Edits in progress count, and so do settings that Blender has not yet carried to the evaluated copies."""
    for item in context.view_layer.objects:
        if item.mode == "EDIT":
            item.update_from_editmode()
        if is_marked(item) and is_animated(item):
            item.update_tag()


def _begin(context: Any, frame: int, units: Units) -> dict[tuple[Any, ...], _Entry]:
    """The parts of the first frame by key."""
    entries: dict[tuple[Any, ...], _Entry] = {}
    names: dict[str, int] = {}
    empty: dict[str, InvalidScene] = {}
    for part in visible_parts(context.evaluated_depsgraph_get()):
        role, holder = part.holder.tsubu.role, part.holder.name_full
        number = names.get(holder, 0) + 1
        try:
            track = Track(part, holder if number == 1 else f"{holder} #{number}", frame, _FOLLOWED.get(role), units.metres)
        except InvalidScene as error:
            # An object whose nodes make nothing but instances has no faces of its own: only an error if nothing else comes.
            empty.setdefault(holder, error)
            if _makes_instances(part) and "no faces" in str(error):
                continue
            raise
        names[holder] = number
        track.note_settings(getattr(part.settings, role.lower(), None), units)
        entries[part.key] = _Entry(role, track, _settings(context.scene, part, role, units))
    for holder, error in empty.items():
        if holder not in names:
            raise error
    if not any(entry.role != COLLIDER for entry in entries.values()):
        kinds = ", ".join(material.label for material in MATERIALS.values())
        raise InvalidScene(
            f"Scene {context.scene.name!r} has nothing to simulate: select a mesh and mark it as a body ({kinds}) or an Emitter."
        )
    return entries


def _makes_instances(part: Part) -> bool:
    return len(part.key) == 1 and any(modifier.type == "NODES" for modifier in part.holder.modifiers)


def _settings(scene: Any, part: Part, role: str, units: Units) -> dict[str, Any]:
    group, name = part.settings, part.holder.name
    if role == COLLIDER:
        params = read_group(group.collider, ColliderParams, f"Collider {name!r}", units)
        return {"params": params, "weights": _painted(part, params, PAINTABLE)}
    kind = kind_of(role) or group.emitter_kind
    material = read_group(getattr(group, kind), MATERIALS[kind].params, f"{MATERIALS[kind].label} {name!r}", units)
    material = as_baked(scene, material)
    if role == EMITTER:
        params = read_group(group.emitter, EmitterParams, f"Emitter {name!r}", units, **emitter_known(group.emitter))
        weights = _painted(part, params, PAINTED_FLOW)
        return {"kind": kind, "material": material, "params": params, "output": group.output, "weights": weights}
    velocity = tuple(float(f"{part:.7g}") * units.metres for part in group.velocity)
    spin = tuple(float(f"{part:.7g}") for part in group.spin)
    return {"kind": kind, "params": material, "velocity": velocity, "spin": spin, "output": group.output}


def _painted(part: Part, params: Any, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The weights of the vertex groups that are named beside the settings `names`."""
    groups = {name: getattr(params, f"{name}_group") for name in names}
    return {name: read_weights(part, group) for name, group in groups.items() if group}


def _follow(
    context: Any, entries: dict[tuple[Any, ...], _Entry], frames: tuple[int, int], units: Units
) -> Generator[float, None, None]:
    """The later frames of everything that is followed. Skipped if nothing can change."""
    first, last = frames
    followed = {key: entry for key, entry in entries.items() if entry.role in _FOLLOWED}
    holders = {entry.track.holder_name for entry in followed.values()}
    generated = any(len(key) > 1 for key in followed)
    if not generated and not any(may_change(item) for item in context.view_layer.objects if item.name in holders):
        return
    for frame in range(first + 1, last + 1):
        context.scene.frame_set(frame)
        seen = set()
        for part in visible_parts(context.evaluated_depsgraph_get()):
            entry = followed.get(part.key)
            if entry is None:
                if part.holder.tsubu.role in _FOLLOWED and part.key not in entries and not _makes_instances(part):
                    raise InvalidScene(_changing(part.holder.name, frame, "appears"))
                continue
            seen.add(part.key)
            entry.track.follow(part, frame)
            entry.track.note_settings(getattr(part.settings, entry.role.lower()), units)
        for key, entry in followed.items():
            if key not in seen:
                raise InvalidScene(_changing(entry.track.holder_name, frame, "vanishes"))
        yield (frame - first + 1) / (last - first + 1)


def _changing(name: str, frame: int, what: str) -> str:
    return (
        f"{name}: it or one of its instances {what} in frame {frame}; colliders and emitters must be there in every frame. "
        "Animate its Active setting instead of its visibility or the number of instances."
    )


def _collected(
    entries: dict[tuple[Any, ...], _Entry], warnings: list[str]
) -> Generator[float, None, tuple[tuple[Body, ...], tuple[Collider, ...], tuple[Emitter, ...]]]:
    """What was followed as objects of the engine; stops after each of them."""
    bodies, colliders, emitters = [], [], []
    for entry in sorted(entries.values(), key=lambda entry: entry.track.name):
        track, given = entry.track, entry.settings
        if entry.role == COLLIDER:
            mesh, motion = track.geometry()
            colliders.append(Collider(track.name, mesh, motion=motion, animated=track.animated(), **given))
        elif entry.role == EMITTER:
            emitters.append(_emitter(track, given))
        else:
            mesh = track.still()
            if not is_closed(welded(mesh.vertices, mesh.triangles)):
                warnings.append(f"{track.name} is not closed: holes are bridged as well as possible. Close its mesh to be sure.")
            bodies.append(Body(track.name, mesh=mesh, **given))
        yield 1.0
    return tuple(bodies), tuple(colliders), tuple(emitters)


def _emitter(track: Track, given: dict[str, Any]) -> Emitter:
    """The artist's direction is along the object's own axes; the engine's is in the world of the first frame and turns
    with the motion, so a mesh given vertex by vertex needs its direction frame by frame."""
    mesh, motion = track.geometry()
    animated = track.animated()
    turns = track.rotations()
    local = np.array(track.values["direction"], dtype=np.float64)
    if len(turns) < len(local):
        turns = np.repeat(turns[:1], len(local), axis=0)
    turns = turns[:1] if motion is not None else turns[: len(local)]
    world = np.einsum("fij,fj->fi", np.broadcast_to(turns, (len(local), 3, 3)), local)
    if np.any(world != world[0]):
        animated["direction"] = world
    direction = tuple(float(part) for part in np.round(world[0], 9))
    params = replace(given["params"], direction=direction)
    return Emitter(track.name, mesh=mesh, motion=motion, animated=animated, **{**given, "params": params})


def _world(scene: Any, frames: tuple[int, int], units: Units, entries: dict[tuple[Any, ...], _Entry]) -> WorldParams:
    settings = scene.tsubu
    known: dict[str, Any] = {
        "gravity": gravity(scene),
        "frames_per_second": scene.render.fps / scene.render.fps_base,
        "frame_start": frames[0],
        "frame_end": frames[1],
    }
    if settings.sizing == "RESOLUTION":
        sides = [(entry.role, longest_side(entry.track.first, entry.track.matrices[0])) for entry in entries.values()]
        known["spacing"] = resolved_spacing(settings.resolution * detail(scene), sides) * units.metres
    elif detail(scene) != 1.0:
        known["spacing"] = float(f"{settings.world.spacing / detail(scene):.4g}") * units.metres
    return read_group(settings.world, WorldParams, "World", units, **known)


def resolved_spacing(resolution: float, sides: list[tuple[str, float]]) -> float:
    """Particle spacing for a resolution: longest side of the largest body, or emitter if there is no body, divided by it.

    `sides`: role and longest side of every part; the result has their unit and four digits, 0 if there is nothing.
    """
    bodies = [side for role, side in sides if role not in (COLLIDER, EMITTER)]
    emitters = [side for role, side in sides if role == EMITTER]
    return float(f"{max(bodies or emitters or [0.0]) / resolution:.4g}")


def _of_all(scene: Any) -> tuple[SurfaceParams, Any]:
    """Settings of the surfaces, and of how materials treat each other."""
    return read_surface_settings(scene), read_group(scene.tsubu.meeting, MeetingParams, "Between Materials", units_of(scene))


def read_surface_settings(scene: Any) -> SurfaceParams:
    return read_group(scene.tsubu.surface, SurfaceParams, "Surface", units_of(scene))
