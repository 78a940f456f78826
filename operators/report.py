"""Show Report: the story of the bake as a picture, in an image editor."""

import bpy

from ..bridge import monitor, report_picture
from ..bridge.spoken import spoken
from ..solvers.errors import TsubuError


class TSUBU_OT_report(bpy.types.Operator):
    """Draw particles, step size, energy and time per frame of the bake, and show them in an image editor"""

    bl_idname = "tsubu.report"
    bl_label = "Show Report"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        state = monitor.look(context.scene)
        if state.folder is None or state.phase == monitor.NOTHING:
            cls.poll_message_set("Nothing has been baked yet")
            return False
        return True

    def execute(self, context):
        folder = monitor.look(context.scene, now=True).folder
        if folder is None:
            return {"CANCELLED"}
        try:
            image = report_picture.show_report(folder)
        except TsubuError as error:
            self.report({"ERROR"}, spoken(str(error)))
            return {"CANCELLED"}
        if not bpy.app.background:
            open_area(context, "IMAGE_EDITOR").spaces.active.image = image
        self.report({"INFO"}, image.filepath)
        return {"FINISHED"}


def open_area(context, kind: str):
    """An editor that is open already, or a new window with one."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == kind:
                return area
    bpy.ops.wm.window_new()
    area = context.window_manager.windows[-1].screen.areas[0]
    area.type = kind
    return area
