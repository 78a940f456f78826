"""Presets of body kinds: known ones for the active object and all selected ones of its kind, and the artist's own."""

from typing import Any

import bpy
from bl_operators.presets import AddPresetBase

from ..bridge import presets

_items: list[tuple[str, str, str, int]] = []
"""Blender needs the texts of a callback's items to be kept alive."""


def _preset_items(_: Any, context: Any) -> list[tuple[str, str, str, int]]:
    item = context.object if context is not None else None
    _items[:] = [(e.name, e.label, e.help, e.number) for e in presets.offered(item)] if item is not None else []
    return _items


class TSUBU_OT_preset(bpy.types.Operator):
    """Settings of a known material, as a starting point. Particle size and method stay as they are"""

    bl_idname = "tsubu.preset"
    bl_label = "Preset"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.EnumProperty(name="Preset", description="The material", items=_preset_items)

    @classmethod
    def poll(cls, context):
        item = context.object
        if item is None or not presets.offered(item):
            cls.poll_message_set("The active object is marked as nothing that has presets")
            return False
        if not item.is_editable:
            cls.poll_message_set(f"{item.name} is linked from another file")
            return False
        return True

    def execute(self, context):
        active = context.object
        kind = presets.kind_with_settings(active)
        chosen = {active, *context.view_layer.objects.selected}
        for item in chosen:
            if presets.kind_with_settings(item) == kind and item.is_editable:
                presets.apply(context.scene, item, self.preset)
        return {"FINISHED"}


class TSUBU_OT_preset_save(AddPresetBase, bpy.types.Operator):
    """Keep the active object's settings as a preset of your own for its material, in Blender's presets folder"""

    bl_idname = "tsubu.preset_save"
    bl_label = "Save Preset"
    preset_menu = "TSUBU_MT_presets"

    @classmethod
    def description(cls, context, properties):
        return "Delete the preset of your own that was chosen last" if properties.remove_active else (cls.__doc__ or "")

    @classmethod
    def poll(cls, context):
        if context.object is None or presets.kind_with_settings(context.object) is None:
            cls.poll_message_set("The active object is marked as nothing that has presets")
            return False
        return True

    def draw(self, context):
        self.layout.activate_init = True  # one may type at once; only where labels and fields are not split
        self.layout.prop(self, "name")

    # What Blender's own operator looks up while it writes the file.
    @property
    def preset_subdir(self) -> str:
        return presets.folder_of_own(bpy.context.object)

    @property
    def preset_defines(self) -> list[str]:
        return [f"settings = bpy.context.object.tsubu.{presets.kind_with_settings(bpy.context.object)}"]

    @property
    def preset_values(self) -> list[str]:
        return [f"settings.{name}" for name in presets.kept_settings(bpy.context.object)]
