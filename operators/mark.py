"""Mark the selection: body kinds, collider, emitter or nothing."""

from typing import Any

import bpy

from ..bridge.appearance import dress
from ..bridge.parts import can_be_marked, is_marked
from ..bridge.properties import NONE, roles
from ..bridge.spoken import spoken

_items: list[tuple[str, str, str, str, int]] = []
"""Blender needs the texts of a callback's items to be kept alive."""


def role_items(_: Any, __: Any) -> list[tuple[str, str, str, str, int]]:
    _items[:] = [(role.name, role.label, role.help, role.icon, role.number) for role in roles()]
    return _items


class TSUBU_OT_mark(bpy.types.Operator):
    """Mark the selected objects for the simulation"""

    bl_idname = "tsubu.mark"
    bl_label = "Mark"
    bl_options = {"REGISTER", "UNDO"}

    role: bpy.props.EnumProperty(name="Role", description="What the objects are in the simulation", items=role_items)

    @classmethod
    def description(cls, context, properties):
        found = {role.name: role for role in roles()}[properties.role]
        return "Take the selected objects out of the simulation" if found.name == NONE else f"{found.label}: {found.help}"

    @classmethod
    def poll(cls, context):
        if not context.view_layer.objects.selected:
            cls.poll_message_set("Select the objects to mark")
            return False
        if not any(can_be_marked(item) or is_marked(item) for item in context.view_layer.objects.selected):
            cls.poll_message_set("None of the selected objects has a surface; select a mesh")
            return False
        return True

    def execute(self, context):
        done = 0
        for item in context.view_layer.objects.selected:
            if self.role != NONE and not can_be_marked(item):
                text = f"{item.name} has no surface; only meshes, curves, texts and instanced collections do"
                self.report({"WARNING"}, spoken(text))
            elif not item.is_editable:
                library = item.library.filepath if item.library else "another file"
                text = f"{item.name} is linked from {library}: mark it there, or make a library override first"
                self.report({"WARNING"}, spoken(text))
            else:
                item.tsubu.role = self.role
                dress(item)
                done += 1
        if not done:
            return {"CANCELLED"}
        context.view_layer.update()
        return {"FINISHED"}
