"""What panels may know: they draw this and call operators, nothing else."""

from typing import Any, NamedTuple

from ..bridge import cache, monitor, presets
from ..bridge.estimate import Estimate, estimate
from ..bridge.parts import can_be_marked, left_out
from ..bridge.properties import COLLIDER, EMITTER, FROM_SCENE, NONE, frame_range, gravity, kind_of, roles
from ..bridge.render_check import range_problems
from ..solvers.errors import TsubuError
from ..solvers.materials.registry import MATERIALS
from ..solvers.params import declarations
from ..solvers.scene import ColliderParams, EmitterParams, SurfaceParams, WorldParams
from .watch import watch_soon

__all__ = [
    "Row",
    "bake_state",
    "can_be_marked",
    "estimate",
    "frame_range",
    "gravity",
    "left_out",
    "preset_label",
    "range_problems",
    "rows_of",
    "roles",
]

BakeState = monitor.BakeState
Estimate = Estimate
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
        flow = (Row(settings, "emitter_kind", False), *_rows(settings.emitter, EmitterParams), Row(settings, "output", True))
        material = (*_rows(getattr(settings, kind), MATERIALS[kind].params), *_instance_rows(settings, kind))
        return (Section("Emitter", flow), Section(MATERIALS[kind].label, material))
    kind = kind_of(role)
    if kind is None:
        return ()
    begin = (("velocity", False), ("spin", True), ("output", True))
    start = _instance_rows(settings, kind) + tuple(Row(settings, name, advanced) for name, advanced in begin)
    return (Section(MATERIALS[kind].label, (*_rows(getattr(settings, kind), MATERIALS[kind].params), *start)),)


def preset_label(scene: Any, item: Any) -> str | None:
    """What the preset menu of an object says; None if its kind has no presets."""
    return (presets.current(scene, item) or "Custom") if presets.offered(item) else None


def can_show_stones(item: Any) -> bool:
    """Whether objects may stand in the place of the object's points."""
    kind = presets.kind_with_settings(item)
    return kind is not None and MATERIALS[kind].turns


def world_rows(scene: Any) -> tuple[Row, ...]:
    return _rows(scene.tsubu.world, WorldParams, _DRAWN_BY_HAND)


def surface_rows(scene: Any) -> tuple[Row, ...]:
    return _rows(scene.tsubu.surface, SurfaceParams)


def bake_state(scene: Any) -> monitor.BakeState:
    """How far the scene's bake is. A bake that runs or ended unseen begins to be watched."""
    state = monitor.look(scene)
    if state.running or monitor.unseen(scene, state):
        watch_soon()
    return state


def folder_text(scene: Any) -> str:
    """Where the next bake goes, or why it cannot."""
    try:
        return str(cache.planned_folder(scene))
    except TsubuError as error:
        return str(error)
