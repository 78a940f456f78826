"""Export Farm Job and Export Wedges: what a render farm runs, as Open Job Description."""

from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper

from ..bridge import farm
from ..bridge.parts import anything_to_simulate
from ..bridge.spoken import spoken
from ..solvers.errors import TsubuError


class _Exports(ExportHelper):
    """Chooses a file and writes a template into it."""

    filename_ext = ".json"

    @classmethod
    def poll(cls, context):
        if not bpy.data.filepath:
            cls.poll_message_set("Save the file first: a farm opens it from disk")
            return False
        if not anything_to_simulate(context.scene):
            cls.poll_message_set("Nothing is marked yet: select a mesh and mark it as a body or an Emitter")
            return False
        return cls.possible(context)

    @classmethod
    def possible(cls, context) -> bool:
        return True

    def template(self, context, place):
        raise NotImplementedError

    def execute(self, context):
        try:
            path = Path(bpy.path.abspath(self.filepath)).absolute()
            template = self.template(context, path.parent)
            farm.write(template, path)
        except TsubuError as error:
            self.report({"ERROR"}, spoken(str(error)))
            return {"CANCELLED"}
        if bpy.data.is_dirty:
            self.report({"WARNING"}, "The farm opens the file as it was last saved; save it again before you submit the job")
        if missing := farm.paths_to_give(template):
            text = f"Give {', '.join(missing)} when you submit the job: they do not lie below its folder"
            self.report({"WARNING"}, spoken(text))
        self.report({"INFO"}, spoken(f"{path}: submit it to your farm, or try it here with openjd run"))
        return {"FINISHED"}


class TSUBU_OT_export_farm(_Exports, bpy.types.Operator):
    """Write a job that bakes on one machine of a render farm, then surfaces and renders on many (Open Job Description)"""

    bl_idname = "tsubu.export_farm"
    bl_label = "Export Farm Job"
    bl_options = {"REGISTER"}

    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})
    chunk: bpy.props.IntProperty(
        name="Frames per Task", description="How many frames one task surfaces or renders", default=4, min=1
    )

    def template(self, context, place):
        return farm.frame_job(context.scene, place, self.chunk)


class TSUBU_OT_export_wedges(_Exports, bpy.types.Operator):
    """Write a job that bakes the scene once for each of the values and lays pictures of them side by side"""

    bl_idname = "tsubu.export_wedges"
    bl_label = "Export Wedges"
    bl_options = {"REGISTER"}

    filter_glob: bpy.props.StringProperty(default="*.json", options={"HIDDEN"})

    @classmethod
    def possible(cls, context) -> bool:
        settings = context.scene.tsubu
        if not settings.wedge_setting or not settings.wedge_values.split():
            cls.poll_message_set("Choose a setting and give its values")
            return False
        if context.scene.camera is None:
            cls.poll_message_set("The scene has no camera: pictures of the wedges need one")
            return False
        return True

    def template(self, context, place):
        scene = context.scene
        return farm.wedge_job(scene, place, scene.tsubu.wedge_setting, scene.tsubu.wedge_values.split(), scene.frame_current)
