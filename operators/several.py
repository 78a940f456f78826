"""Many objects at once: copy the active object's role and settings to the selection, mark a whole collection, select by role."""

import bpy

from ..bridge import several
from ..bridge.properties import NONE
from ..bridge.spoken import spoken
from .mark import role_items


class TSUBU_OT_copy_settings(bpy.types.Operator):
    """Give the other selected objects the role and the settings of the active one"""

    bl_idname = "tsubu.copy_settings"
    bl_label = "Copy to Selected"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if context.object is None or context.object.tsubu.role == NONE:
            cls.poll_message_set("The active object has no role to copy")
            return False
        if not [item for item in context.view_layer.objects.selected if item != context.object]:
            cls.poll_message_set("Select the objects to copy to, and last the one to copy from")
            return False
        return True

    def execute(self, context):
        chosen = [item for item in context.view_layer.objects.selected if item != context.object]
        done = several.copy_settings(context.object, chosen)
        self.report({"INFO"} if done else {"WARNING"}, spoken(f"Copied to {done} of {len(chosen)} objects"))
        return {"FINISHED"} if done else {"CANCELLED"}


class TSUBU_OT_mark_collection(bpy.types.Operator):
    """Mark every object of the active collection, with what is in the collections inside it"""

    bl_idname = "tsubu.mark_collection"
    bl_label = "Mark Collection"
    bl_options = {"REGISTER", "UNDO"}

    role: bpy.props.EnumProperty(name="Role", description="What the objects are in the simulation", items=role_items)

    @classmethod
    def poll(cls, context):
        if context.collection is None or not len(context.collection.all_objects):
            cls.poll_message_set("The active collection is empty: choose one in the outliner")
            return False
        return True

    def execute(self, context):
        done = several.mark_all(context.collection.all_objects, self.role)
        self.report({"INFO"} if done else {"WARNING"}, spoken(f"{context.collection.name}: {done} objects marked"))
        return {"FINISHED"} if done else {"CANCELLED"}
