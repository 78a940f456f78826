"""What each panel holds, wherever in the window it stands."""

from typing import Any

from ..operators import view
from . import bake_drawing, drawing


class Main:
    """Role buttons and the settings of the active object's role."""

    layout: Any
    bl_label = "Tsubu"

    def draw(self, context):
        drawing.draw_roles(self.layout, context)
        if drawing.has_settings(context, advanced=False):
            drawing.draw_settings(self.layout, context, advanced=False)


class ObjectAdvanced:
    """The physical values behind the sliders."""

    layout: Any
    bl_label = "Physical Values"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return drawing.has_settings(context, advanced=True)

    def draw(self, context):
        drawing.draw_settings(self.layout, context, advanced=True)


class Objects:
    """What takes part, at a glance."""

    layout: Any
    bl_label = "Objects"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        drawing.draw_objects(self.layout, context)


class World:
    """What all bodies share."""

    layout: Any
    bl_label = "World"

    def draw(self, context):
        drawing.draw_world(self.layout, context)


class WorldAdvanced:
    """Rarely needed settings of the world."""

    layout: Any
    bl_label = "Advanced"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return any(row.advanced for row in view.world_rows(context.scene))

    def draw(self, context):
        drawing.draw_rows(self.layout, [row for row in view.world_rows(context.scene) if row.advanced])


class Meeting:
    """How different materials treat each other."""

    layout: Any
    bl_label = "Between Materials"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return bool(view.meeting_rows(context.scene))

    def draw(self, context):
        rows = view.meeting_rows(context.scene)
        drawing.draw_rows(self.layout, [row for row in rows if not row.advanced])
        header, body = self.layout.panel("tsubu_pairs", default_closed=True)
        header.label(text="Pairs")
        if body is not None:
            drawing.draw_rows(body, [row for row in rows if row.advanced])


class Surface:
    """The surface written beside the points."""

    layout: Any
    bl_label = "Surface"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context):
        self.layout.prop(context.scene.tsubu.surface, "enabled", text="")

    def draw(self, context):
        self.layout.active = context.scene.tsubu.surface.enabled
        drawing.draw_rows(self.layout, [row for row in view.surface_rows(context.scene) if row.name != "enabled"])


class Bake:
    """Buttons, progress, errors."""

    layout: Any
    bl_label = "Bake"

    def draw(self, context):
        bake_drawing.draw_bake(self.layout, context)


class Farm:
    """Jobs for a render farm."""

    layout: Any
    bl_label = "Farm"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        self.layout.operator("tsubu.export_farm", icon="NETWORK_DRIVE")
        settings = context.scene.tsubu
        column = self.layout.column(heading="Wedges")
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(settings, "wedge_setting")
        column.prop(settings, "wedge_values")
        self.layout.operator("tsubu.export_wedges", icon="IMGDISPLAY")


class Playback:
    """How a bake is shown and rendered; bakes from elsewhere."""

    layout: Any
    bl_label = "Display and Render"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        drawing.draw_shown(self.layout, context)
        column = self.layout.column(align=True)
        column.operator("tsubu.load_bake", icon="FILE_FOLDER")
        column.operator("tsubu.reload_bake", icon="FILE_REFRESH")
