"""The parts that sidebar and Properties › Physics share. They draw what `operators.view` tells and call operators."""

import re
import textwrap
from typing import Any

from ..operators import view

_PHASES = {
    "exporting": "Reading the scene",
    "preparing": "Preparing",
    "compiling": "Compiling",
    "simulating": "Simulating",
    "surfacing": "Surfacing",
    "cancelling": "Cancelling",
    "done": "Done",
    "cancelled": "Cancelled",
    "failed": "Failed",
    "stopped": "Stopped",
}


def wrapped(layout: Any, context: Any, text: str, icon: str = "NONE") -> None:
    """A text over several lines, as wide as the panel."""
    scale = context.preferences.system.ui_scale or 1.0
    margins = 76 if icon != "NONE" else 52  # tabs, frame of a box, icon
    letters = max(20, int((context.region.width / scale - margins) / 6.4)) if context.region else 40
    column = layout.column(align=True)
    column.scale_y = 0.75
    for number, line in enumerate(lines_of(text, letters)):
        column.label(text=line, icon=icon if number == 0 else ("BLANK1" if icon != "NONE" else "NONE"))


def lines_of(text: str, letters: int) -> list[str]:
    """`text` in lines of at most so many letters, broken at blanks and at the slashes of paths."""
    lines = [""]
    for piece in re.findall(r"[^\s/\\]*[\s/\\]*", text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > letters:
            lines.append("")
        lines[-1] += piece
    return [part for line in lines for part in textwrap.wrap(line, letters)] or [""]


def draw_roles(layout: Any, context: Any) -> None:
    """Role buttons; the active object's role is pressed."""
    item = context.object
    now = item.tsubu.role if item is not None else "NONE"
    grid = layout.grid_flow(columns=2, even_columns=True, align=True)
    for role in view.roles():
        button = grid.operator("tsubu.mark", text=role.label, icon=role.icon, depress=item is not None and role.name == now)
        button.role = role.name
    if item is None:
        layout.label(text="Select a mesh to mark it", icon="INFO")
    elif not item.is_editable:
        wrapped(layout, context, f"{item.name} is linked: its settings are used as they are in its own file", "LINKED")


def draw_settings(layout: Any, context: Any, advanced: bool) -> None:
    """The settings of the active object's role; physical values are in the foldout."""
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = True
    sections = view.rows_of(context.object)
    if not advanced:
        _draw_presets(column, context)
    for section in sections:
        rows = [row for row in section.rows if row.advanced == advanced]
        if rows and len(sections) > 1:
            column.label(text=section.title)
        for row in rows:
            _draw_row(column, row)
    if not advanced and view.can_show_stones(context.object):
        column.operator_menu_enum("tsubu.stones", "tone", text="Show Stones", icon="OUTLINER_OB_POINTCLOUD")


def _draw_presets(layout: Any, context: Any) -> None:
    """A menu of known materials that says which one the settings are."""
    label = view.preset_label(context.scene, context.object)
    if label is not None:
        split = layout.split(factor=0.4)
        side = split.row()
        side.alignment = "RIGHT"
        side.label(text="Preset")
        split.operator_menu_enum("tsubu.preset", "preset", text=label)


def _draw_row(layout: Any, row: Any) -> None:
    """A property; a label that ends with its unit goes into the field, where there is room for it."""
    if row.group.bl_rna.properties[row.name].name.endswith(")"):
        layout = layout.column()
        layout.use_property_split = False
    layout.prop(row.group, row.name)


def has_settings(context: Any, advanced: bool) -> bool:
    item = context.object
    return item is not None and any(row.advanced == advanced for section in view.rows_of(item) for row in section.rows)


def draw_world(layout: Any, context: Any) -> None:
    scene = context.scene
    settings = scene.tsubu
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    column.prop(settings, "scale")
    column.row().prop(settings, "sizing", expand=True)
    if settings.sizing == "RESOLUTION":
        column.prop(settings, "resolution")
    else:
        column.prop(settings.world, "spacing")
    _draw_estimate(column, context)
    _draw_gravity(column, scene)
    _draw_range(column, scene)
    for row in view.world_rows(scene):
        if not row.advanced:
            _draw_row(column, row)
    column.prop(settings, "threads")
    column.prop(settings, "cache_folder")


def _draw_estimate(layout: Any, context: Any) -> None:
    found = view.estimate(context)
    box = layout.column(align=True)
    box.scale_y = 0.85
    if found.spacing <= 0.0:
        box.label(text="Mark a body to see its particles", icon="INFO")
        return
    box.label(text=f"Spacing {length_text(found.spacing)}", icon="BLANK1")
    poured = f" + about {found.poured:,} from emitters" if found.poured else ""
    box.label(text=f"{found.filled:,} particles{poured}", icon="POINTCLOUD_DATA")
    if found.particles > 5_000_000:
        box.label(text="That is a lot: try a lower resolution first", icon="ERROR")


def length_text(metres: float) -> str:
    """0.0125 → "12.5 mm"."""
    for unit, size in (("m", 1.0), ("cm", 1.0e-2), ("mm", 1.0e-3)):
        if metres >= size:
            return f"{metres / size:.3g} {unit}"
    return f"{metres / 1.0e-6:.3g} µm"


def _draw_gravity(layout: Any, scene: Any) -> None:
    settings = scene.tsubu
    layout.prop(settings, "use_scene_gravity")
    if not settings.use_scene_gravity:
        layout.prop(settings.world, "gravity")
    size = sum(part * part for part in view.gravity(scene)) ** 0.5
    strange = not 1.0 < size < 100.0
    layout.label(text=f"{size:.3g} m/s²", icon="ERROR" if strange else "BLANK1")


def _draw_range(layout: Any, scene: Any) -> None:
    settings = scene.tsubu
    layout.prop(settings, "use_scene_range")
    if not settings.use_scene_range:
        range_column = layout.column(align=True)
        range_column.prop(settings.world, "frame_start")
        range_column.prop(settings.world, "frame_end")
    first, last = view.frame_range(scene)
    layout.label(text=f"Frames {first} to {last}", icon="ERROR" if last < first else "BLANK1")


def draw_rows(layout: Any, rows: Any) -> None:
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    for row in rows:
        _draw_row(column, row)


def draw_bake(layout: Any, context: Any) -> None:
    """Buttons, progress, errors."""
    state = view.bake_state(context.scene)
    column = layout.column(align=True)
    if state.running:
        _draw_progress(column, state)
        column.operator("tsubu.cancel", icon="CANCEL")
    else:
        big = column.row(align=True)
        big.scale_y = 1.4
        # Frames that exist are not deleted without a question.
        again = state.phase in ("done", "cancelled", "failed", "stopped") and state.finished >= state.frame_start
        big.operator("tsubu.bake_again" if again else "tsubu.bake", text="Bake", icon="RENDER_ANIMATION")
        row = column.row(align=True)
        row.operator("tsubu.resume", icon="PLAY")
        row.operator("tsubu.free", icon="TRASH")
        row = column.row(align=True)
        row.operator("tsubu.redo", text=f"Redo from Frame {context.scene.frame_current}", icon="LOOP_FORWARDS")
    _draw_outcome(layout, context, state)


def _draw_progress(layout: Any, state: Any) -> None:
    phase = _PHASES.get(state.phase, state.phase.capitalize())
    frame = f"  {state.frame} / {state.frame_end}" if state.frame_end else ""
    layout.progress(factor=min(max(state.progress, 0.0), 1.0), text=f"{phase}{frame}", type="BAR")
    facts = []
    if state.particles:
        facts.append(f"{state.particles:,} particles")
    if state.seconds_left is not None:
        facts.append(f"{time_text(state.seconds_left)} left")
    layout.label(text=", ".join(facts) if facts else state.message or " ")


def time_text(seconds: float) -> str:
    """4000 → "1 h 07 min"."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def _draw_outcome(layout: Any, context: Any, state: Any) -> None:
    if state.running:
        if state.phase == "compiling":
            wrapped(layout, context, "The first bake compiles the solver, which takes a minute or two. Later ones do not", "INFO")
        return
    if state.phase in ("failed", "stopped"):
        box = layout.box()
        box.alert = True
        wrapped(box, context, state.message or "The bake failed", "ERROR")
        box.operator("tsubu.open_log", icon="TEXT")
    elif state.phase in ("done", "cancelled"):
        row = layout.row()
        wrapped(row, context, state.message, "CHECKMARK" if state.phase == "done" else "PAUSE")
        row.operator("tsubu.open_log", text="", icon="TEXT")
    if state.foreign:
        box = layout.box()
        wrapped(box, context, f"{state.foreign}. Bake gets a folder of its own", "QUESTION")
        box.operator("tsubu.take_over", icon="FILE_TICK")
    for text in view.range_problems(context.scene):
        box = layout.box()
        box.alert = True
        wrapped(box, context, text, "ERROR")
    for text in dict.fromkeys((*state.notes, *view.left_out(context.scene, context.view_layer))):
        wrapped(layout, context, text, "INFO")
    wrapped(layout, context, view.folder_text(context.scene), "FILE_FOLDER")
