"""The parts that sidebar and Properties › Physics share. They draw what `operators.view` tells and call operators."""

import re
import textwrap
import unicodedata
from typing import Any

from bpy.app.translations import pgettext_iface as tr

from ..operators import view


def wrapped(layout: Any, context: Any, text: str, icon: str = "NONE") -> None:
    """A text over several lines, as wide as the panel."""
    scale = context.preferences.system.ui_scale or 1.0
    margins = 76 if icon != "NONE" else 52  # tabs, frame of a box, icon
    letters = max(20, int((context.region.width / scale - margins) / 6.4)) if context.region else 40
    column = layout.column(align=True)
    column.scale_y = 0.75
    for number, line in enumerate(lines_of(view.spoken(text), letters)):
        column.label(text=line, icon=icon if number == 0 else ("BLANK1" if icon != "NONE" else "NONE"))


def lines_of(text: str, letters: int) -> list[str]:
    """`text` in lines of at most so many letters, broken at blanks, at the slashes of paths, and between Japanese letters."""
    lines = [""]
    for piece in re.findall(r"[\u3040-\u9fff][、。）」]?|[^\s/\\\u3040-\u9fff]*[\s/\\]*", text):
        if lines[-1] and _width(lines[-1]) + _width(piece.rstrip()) > letters:
            lines.append("")
        lines[-1] += piece
    return [part for line in lines for part in textwrap.wrap(line, letters)] or [""]


def _width(text: str) -> int:
    """Letters that `text` is as wide as: Japanese ones count twice."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


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
        text = tr("{name} is linked: its settings are used as they are in its own file").format(name=item.name)
        wrapped(layout, context, text, "LINKED")
    elif now != "NONE" and len(context.view_layer.objects.selected) > 1:
        layout.operator("tsubu.copy_settings", icon="COPYDOWN")


_MOST_LISTED = 24


def draw_objects(layout: Any, context: Any) -> None:
    """Every marked object with its role: a click selects it."""
    listed = view.marked(context.scene)
    column = layout.column(align=True)
    for item, role in listed[:_MOST_LISTED]:
        row = column.row(align=True)
        chosen = item == context.object
        row.operator("tsubu.preflight_select", text=item.name, icon=role.icon, depress=chosen).name = item.name
        row.label(text=role.label)
    if len(listed) > _MOST_LISTED:
        column.label(text=tr("... and {count} more").format(count=len(listed) - _MOST_LISTED))
    if not listed:
        column.label(text="Nothing is marked yet", icon="INFO")
    layout.operator_menu_enum("tsubu.mark_collection", "role", text="Mark Collection", icon="OUTLINER_COLLECTION")
    row = layout.row(align=True)
    row.prop(context.scene.tsubu, "show_roles", toggle=True)
    row.prop(context.scene.tsubu, "show_spacing", toggle=True)


def draw_shown(layout: Any, context: Any) -> None:
    """Every object that plays a bake: eye and camera as in the outliner, and its material."""
    listed = view.shown(context.scene)
    for item, _, icon in listed:
        box = layout.column(align=True)
        row = box.row(align=True)
        row.operator("tsubu.preflight_select", text=item.name, icon=icon, depress=item == context.object).name = item.name
        row.prop(item, "hide_viewport", text="")
        row.prop(item, "hide_render", text="")
        if item.material_slots and not item.hide_render:
            box.prop(item.material_slots[0], "material", text="")
    if not listed:
        layout.label(text="Nothing is baked or loaded yet", icon="INFO")
    elif view.grains_are_shown(context.scene):
        layout.operator("tsubu.show_zones", icon="COLOR")


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
        row = split.row(align=True)
        row.menu("TSUBU_MT_presets", text=label)
        row.operator("tsubu.preset_save", text="", icon="ADD")
        row.operator("tsubu.preset_save", text="", icon="REMOVE").remove_active = True


def _draw_row(layout: Any, row: Any) -> None:
    """A property; a label that ends with its unit goes into the field, where there is room for it."""
    if row.group.bl_rna.properties[row.name].name.endswith(")"):
        layout = layout.column()
        layout.use_property_split = False
    if row.name in view.VERTEX_GROUPS:
        layout.prop_search(row.group, row.name, row.group.id_data, "vertex_groups")
    else:
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
    column.row().prop(settings, "quality", expand=True)
    if settings.quality == "PREVIEW":
        column.prop(settings, "preview_detail")
        if view.has_grains(scene):
            column.prop(settings, "coarsen_grains")
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
    box.label(text=tr("Spacing {length}").format(length=view.length_text(found.spacing)), icon="BLANK1")
    box.label(text=tr("{count:,} particles").format(count=found.filled), icon="POINTCLOUD_DATA")
    if found.poured:
        box.label(text=tr("+ about {count:,} from emitters").format(count=found.poured), icon="BLANK1")
    if found.particles > 5_000_000:
        box.label(text="That is a lot: try a lower resolution first", icon="ERROR")


def _draw_gravity(layout: Any, scene: Any) -> None:
    settings = scene.tsubu
    layout.prop(settings, "use_scene_gravity")
    if not settings.use_scene_gravity:
        layout.prop(settings.world, "gravity")
    size = sum(part * part for part in view.gravity(scene)) ** 0.5
    strange = not 1.0 < size < 100.0
    _told(layout, f"{size:.3g} " + "m/s²", strange)


def _draw_range(layout: Any, scene: Any) -> None:
    settings = scene.tsubu
    layout.prop(settings, "use_scene_range")
    if not settings.use_scene_range:
        range_column = layout.column(align=True)
        range_column.prop(settings.world, "frame_start")
        range_column.prop(settings.world, "frame_end")
    first, last = view.frame_range(scene)
    _told(layout, tr("Frames {first} to {last}").format(first=first, last=last), last < first)


def _told(layout: Any, text: str, strange: bool) -> None:
    """What a setting comes to, below its field."""
    split = layout.split(factor=0.4)
    split.label(text="")
    split.label(text=text, icon="ERROR" if strange else "NONE")


def draw_rows(layout: Any, rows: Any) -> None:
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    for row in rows:
        _draw_row(column, row)
