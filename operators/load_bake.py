"""Bring a finished or running bake into the scene, and read its files again after they have changed."""

from pathlib import Path

import bpy

from ..bridge import playback
from ..bridge.spoken import spoken


class TSUBU_OT_load_bake(bpy.types.Operator):
    """Show the points and surfaces of a bake folder as ordinary objects"""

    bl_idname = "tsubu.load_bake"
    bl_label = "Load Bake"
    bl_options = {"REGISTER", "UNDO"}

    directory: bpy.props.StringProperty(name="Bake Folder", description="Folder that holds job.json", subtype="DIR_PATH")
    points: bpy.props.BoolProperty(name="Points", description="Load the point caches", default=True)
    surfaces: bpy.props.BoolProperty(name="Surfaces", description="Load the surfaces", default=True)
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        folder = Path(bpy.path.abspath(self.directory))
        try:
            loaded = playback.load_bake(context.scene, folder, points=self.points, surfaces=self.surfaces)
        except playback.PlaybackError as error:
            self.report({"ERROR"}, spoken(str(error)))
            return {"CANCELLED"}
        for warning in loaded.warnings:
            self.report({"WARNING"}, spoken(warning))
        self.report({"INFO"}, spoken(f"{folder.name}: {len(loaded.objects)} objects, frames {loaded.first} to {loaded.last}"))
        return {"FINISHED"}


class TSUBU_OT_reload_bake(bpy.types.Operator):
    """Read the files of loaded bakes again, after frames were baked anew"""

    bl_idname = "tsubu.reload_bake"
    bl_label = "Reload Files"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        if any(playback.is_playback(item) for item in context.scene.objects):
            return True
        cls.poll_message_set("No bake is loaded in this scene")
        return False

    def execute(self, context):
        warnings = playback.reload(context.scene)
        for warning in warnings:
            self.report({"WARNING"}, spoken(warning))
        return {"FINISHED"}
