"""Put a preset of its body kind on the active object and on all selected ones of the same kind."""

from typing import Any

import bpy

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
