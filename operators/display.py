"""Show Zones: where hybrid grains are single grains and where a continuum."""

import bpy

from ..bridge import display


class TSUBU_OT_show_zones(bpy.types.Operator):
    """Color grains by how they are simulated: singly, as a continuum, or at the rim of both. Again: the material from before"""

    bl_idname = "tsubu.show_zones"
    bl_label = "Show Zones"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if any(display.has_zones(item) for item in display.shown(context.scene)):
            return True
        cls.poll_message_set("No baked grains of the method Hybrid are in the present frame")
        return False

    def execute(self, context):
        for item in display.shown(context.scene):
            if display.has_zones(item) and item.material_slots:
                display.switch_zones(item)
        return {"FINISHED"}
