"""What panels may know: they draw this and call operators, nothing else."""

from itertools import combinations
from typing import Any, NamedTuple

import bpy

from ..bridge import cache, display, monitor, presets
from ..bridge.estimate import Estimate, estimate
from ..bridge.parts import MESHLIKE, can_be_marked, left_out
from ..bridge.preflight import report_of
from ..bridge.properties import COLLIDER, EMITTER, FROM_SCENE, NONE, frame_range, gravity, kind_of, roles
from ..bridge.render_check import range_problems
from ..bridge.spoken import spoken
from ..solvers.bake.files import readable_bytes
from ..solvers.bake.preflight import length_text
from ..solvers.bake.prune import Sizes, sizes
from ..solvers.errors import TsubuError
from ..solvers.materials.registry import MATERIALS
from ..solvers.meet.pairs import MeetingParams, pair_names
from ..solvers.params import declarations
from ..solvers.scene import PAINTABLE, PAINTED_FLOW, ColliderParams, EmitterParams, SurfaceParams, WorldParams
from .watch import watch_soon

__all__ = [
    "MESHLIKE",
    "Row",
    "bake_state",
    "can_be_marked",
    "estimate",
    "frame_range",
    "gravity",
    "left_out",
    "length_text",
    "preset_label",
    "range_problems",
    "readable_bytes",
    "report_of",
    "rows_of",
    "roles",
    "spoken",
]

BakeState = monitor.BakeState
Estimate = Estimate
VERTEX_GROUPS = frozenset(f"{name}_group" for name in (*PAINTABLE, *PAINTED_FLOW))
"""Settings that name a vertex group of their object."""
_DRAWN_BY_HAND = (*FROM_SCENE, "spacing", "gravity", "frame_start", "frame_end")


class Row(NamedTuple):
    """One property to draw."""

    group: Any
    name: str
    advanced: bool


class Section(NamedTuple):
    """The settings of one group."""

    title: str
    rows: tuple[Row, ...]


def _rows(group: Any, params: type, leave_out: tuple[str, ...] = ()) -> tuple[Row, ...]:
    shown = [entry for entry in declarations(params) if not entry.needs or getattr(group, entry.needs)]
    return tuple(Row(group, entry.name, entry.advanced) for entry in shown if entry.name not in leave_out)


def _instance_rows(settings: Any, kind: str) -> tuple[Row, ...]:
    """What is shown in place of points, for kinds that turn."""
    return tuple(Row(settings, name, False) for name in ("instance_object", "instance_collection") if MATERIALS[kind].turns)


def rows_of(item: Any) -> tuple[Section, ...]:
    """The settings that belong to an object's role, in the order they are drawn. Every registered kind is here."""
    settings = item.tsubu
    role = settings.role
    if role == NONE:
        return ()
    if role == COLLIDER:
        return (Section("Collider", _rows(settings.collider, ColliderParams)),)
    if role == EMITTER:
        kind = settings.emitter_kind
        flow = (Row(settings, "emitter_kind", False), *_emitter_rows(settings.emitter), Row(settings, "output", True))
        material = (*_rows(getattr(settings, kind), MATERIALS[kind].params), *_instance_rows(settings, kind))
        return (Section("Emitter", flow), Section(MATERIALS[kind].label, material))
    kind = kind_of(role)
    if kind is None:
        return ()
    begin = (("velocity", False), ("spin", True), ("output", True))
    start = _instance_rows(settings, kind) + tuple(Row(settings, name, advanced) for name, advanced in begin)
    return (Section(MATERIALS[kind].label, (*_rows(getattr(settings, kind), MATERIALS[kind].params), *start)),)


def _emitter_rows(group: Any) -> tuple[Row, ...]:
    """Painting only where it counts; the switch before the time at which the flow ends, if it does."""
    rows = []
    for row in _rows(group, EmitterParams, () if group.source in ("flow", "surface") else ("rate_group",)):
        if row.name == "end":
            rows.append(Row(group, "stops", False))
        if row.name != "end" or group.stops:
            rows.append(row)
    return tuple(rows)


def preset_label(scene: Any, item: Any) -> str | None:
    """What the preset menu of an object says; None if it has no body kind."""
    if presets.kind_with_settings(item) is None:
        return None
    known = presets.current(scene, item) or presets.current_own(item)
    return known or ("Custom" if presets.offered(item) else "Presets")


def own_presets(item: Any) -> list[str]:
    """Folders that hold the artist's own presets for the object's kind."""
    return bpy.utils.preset_paths(presets.folder_of_own(item))


def has_known_presets(item: Any) -> bool:
    return bool(presets.offered(item))


def can_show_stones(item: Any) -> bool:
    """Whether objects may stand in the place of the object's points."""
    kind = presets.kind_with_settings(item)
    return kind is not None and MATERIALS[kind].turns


def has_grains(scene: Any) -> bool:
    """Whether anything in the scene has grains, which keep their size whatever the spacing."""
    return any(kind is not None and MATERIALS[kind].turns for kind in map(presets.kind_with_settings, scene.objects))


def world_rows(scene: Any) -> tuple[Row, ...]:
    return _rows(scene.tsubu.world, WorldParams, _DRAWN_BY_HAND)


def meeting_rows(scene: Any) -> tuple[Row, ...]:
    """How the kinds that are marked in the scene treat each other; nothing while there is one kind only."""
    present = {kind_of(item.tsubu.role) or "" for item in scene.objects}
    present |= {item.tsubu.emitter_kind for item in scene.objects if item.tsubu.role == EMITTER}
    kinds = [kind for kind in MATERIALS if kind in present]
    if len(kinds) < 2:
        return ()
    names = {name for pair in combinations(kinds, 2) for name in pair_names(*pair)}
    return tuple(row for row in _rows(scene.tsubu.meeting, MeetingParams) if not row.advanced or row.name in names)


def surface_rows(scene: Any) -> tuple[Row, ...]:
    return _rows(scene.tsubu.surface, SurfaceParams)


def bake_state(scene: Any) -> monitor.BakeState:
    """How far the scene's bake is. A bake that runs or ended unseen begins to be watched."""
    state = monitor.look(scene)
    if state.running or monitor.unseen(scene, state):
        watch_soon()
    return state


def marked(scene: Any) -> list[tuple[Any, Any]]:
    """Every marked object of the scene with its role, in the order of the roles and by name."""
    known = {role.name: role for role in roles()}
    found = [(item, known[item.tsubu.role]) for item in scene.objects if item.tsubu.role in known and item.tsubu.role != NONE]
    order = list(known)
    return sorted(found, key=lambda entry: (order.index(entry[1].name), entry[0].name))


_SHOWN = {"points": ("Points", "POINTCLOUD_DATA"), "surface": ("Surface", "OUTLINER_OB_SURFACE"), "mesh": ("Mesh", "MESH_DATA")}


def shown(scene: Any) -> list[tuple[Any, str, str]]:
    """What plays bakes in the scene: the object, what it shows of its output, and an icon for that."""
    return [(item, *_SHOWN.get(item["tsubu_kind"], ("", "OBJECT_DATA"))) for item in display.shown(scene)]


def grains_are_shown(scene: Any) -> bool:
    return any(item.tsubu.role == "GRAINS" and item.tsubu.grains.mode == "hybrid" for item in scene.objects)


def extension(scene: Any) -> int:
    """Frames that Extend adds: a second of the film."""
    return max(1, round(scene.render.fps / scene.render.fps_base))


_sizes: dict[str, tuple[tuple[int, ...], Sizes]] = {}


def cache_sizes(scene: Any) -> Sizes | None:
    """What the scene's bake takes on disk; measured again only after its folders have changed."""
    folder = monitor.look(scene).folder
    if folder is None:
        return None
    stamp = tuple(place.stat().st_mtime_ns if (place := folder / name).is_dir() else 0 for name in Sizes._fields)
    if _sizes.get(str(folder), (None,))[0] != stamp:
        _sizes.clear()
        _sizes[str(folder)] = (stamp, sizes(folder))
    return _sizes[str(folder)][1]


def folder_text(scene: Any) -> str:
    """Where the next bake goes, or why it cannot."""
    try:
        return str(cache.planned_folder(scene))
    except TsubuError as error:
        return str(error)
