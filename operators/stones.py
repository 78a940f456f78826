"""Show stones in the place of round grains."""

import bpy

from ..bridge import presets, stones
from ..solvers.materials.registry import MATERIALS


class TSUBU_OT_stones(bpy.types.Operator):
    """Make a few broken stones and show one on every grain, turned and scaled with it"""

    bl_idname = "tsubu.stones"
    bl_label = "Stones"
    bl_options = {"REGISTER", "UNDO"}

    tone: bpy.props.EnumProperty(
        name="Tone",
        description="Colour of the stones",
        items=[(name, entry[0], f"{entry[0]}: every stone has a tint of its own") for name, entry in stones.TONES.items()],
    )

    @classmethod
    def poll(cls, context):
        item = context.object
        kind = presets.kind_with_settings(item) if item is not None else None
        if kind is None or not MATERIALS[kind].turns:
            cls.poll_message_set("Select a body or an emitter of Grains")
            return False
        return True

    def execute(self, context):
        active = context.object
        collection = stones.stones_collection(self.tone)
        for item in {active, *context.view_layer.objects.selected}:
            kind = presets.kind_with_settings(item)
            if kind is not None and MATERIALS[kind].turns and item.is_editable:
                item.tsubu.instance_object, item.tsubu.instance_collection = None, collection
        return {"FINISHED"}
