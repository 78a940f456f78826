"""Cancel, Free, Open Log, Take Over, Reset, Free Space."""

import bpy

from ..bridge import bake, cache, monitor, reset, show, worker
from ..bridge.spoken import spoken
from ..solvers.bake.files import readable_bytes
from ..solvers.errors import TsubuError
from .report import open_area
from .watch import forget_watch

_LINES_SEEN = 25
"""Lines of the log's end that are shown when it is opened."""


class TSUBU_OT_cancel(bpy.types.Operator):
    """Stop the bake. Finished frames stay, and the bake can be resumed"""

    bl_idname = "tsubu.cancel"
    bl_label = "Cancel"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        if monitor.look(context.scene).running:
            return True
        cls.poll_message_set("No bake is running")
        return False

    def execute(self, context):
        state = monitor.look(context.scene, now=True)
        if not monitor.request_cancel(context.scene) or state.folder is None:
            return {"CANCELLED"}
        if bpy.app.background and not worker.cancel_and_wait(state.folder):
            self.report({"ERROR"}, spoken(f"The bake in {state.folder} has been asked to stop but still runs"))
            return {"CANCELLED"}
        return {"FINISHED"}


class TSUBU_OT_reset(bpy.types.Operator):
    """Get out of any stuck state: end what runs, forget errors and half-read scenes. Finished frames stay"""

    bl_idname = "tsubu.reset"
    bl_label = "Reset"
    bl_options = {"REGISTER"}

    def execute(self, context):
        self.report({"INFO"}, spoken(reset.reset(context.scene)))
        forget_watch()
        return {"FINISHED"}


class TSUBU_OT_prune(bpy.types.Operator):
    """Delete parts of the bake that can be made again. Points stay"""

    bl_idname = "tsubu.prune"
    bl_label = "Free Space"
    bl_options = {"REGISTER"}

    what: bpy.props.EnumProperty(
        name="What",
        description="What is deleted",
        items=[
            ("STATES", "Checkpoints", "All but the last: the bake can still be extended, but redone only from the first frame"),
            ("SURFACES", "Surfaces", "They can be made again from the points: blender -c tsubu surface"),
        ],
    )

    @classmethod
    def poll(cls, context):
        return can_free(cls, context)

    def invoke(self, context, event):
        title = "Delete the checkpoints?" if self.what == "STATES" else "Delete the surfaces?"
        return context.window_manager.invoke_confirm(self, event, title=title, confirm_text="Delete", icon="WARNING")

    def execute(self, context):
        try:
            freed = bake.prune(context.scene, surfaces=self.what == "SURFACES")
            if self.what == "SURFACES":
                show.show_again(context.scene, bake.own_folder(context.scene))
        except TsubuError as error:
            self.report({"ERROR"}, spoken(str(error)))
            return {"CANCELLED"}
        self.report({"INFO"}, spoken(f"{readable_bytes(freed)} freed"))
        return {"FINISHED"}


def can_free(operator, context) -> bool:
    """Whether the scene has a bake of its own that nobody writes; says why not."""
    state = monitor.look(context.scene)
    if state.running:
        operator.poll_message_set("The bake is running; cancel it first")
    elif state.folder is None or state.phase == monitor.NOTHING:
        operator.poll_message_set("Nothing has been baked yet")
    elif state.foreign:
        operator.poll_message_set(state.foreign)
    else:
        return True
    return False


class TSUBU_OT_free(bpy.types.Operator):
    """Delete the baked frames of this scene and the objects that play them. Settings and materials stay"""

    bl_idname = "tsubu.free"
    bl_label = "Free"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return can_free(cls, context)

    def invoke(self, context, event):
        folder = monitor.look(context.scene).folder
        return context.window_manager.invoke_confirm(
            self, event, title="Delete the baked frames?", message=str(folder), confirm_text="Delete", icon="WARNING"
        )

    def execute(self, context):
        try:
            folder = bake.own_folder(context.scene)
            freed = bake.free(context.scene)
        except TsubuError as error:
            self.report({"ERROR"}, spoken(str(error)))
            return {"CANCELLED"}
        show.remove(context.scene, folder)
        self.report({"INFO"}, spoken(f"{readable_bytes(freed)} freed"))
        return {"FINISHED"}


class TSUBU_OT_open_log(bpy.types.Operator):
    """Show what the worker wrote, in a text editor"""

    bl_idname = "tsubu.open_log"
    bl_label = "Open Log"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        if monitor.look(context.scene).log is not None:
            return True
        cls.poll_message_set("There is no log: no worker has run in this scene's bake folder")
        return False

    def execute(self, context):
        log = monitor.look(context.scene, now=True).log
        if log is None:
            return {"CANCELLED"}
        text = bpy.data.texts.get("Tsubu Log") or bpy.data.texts.new("Tsubu Log")
        text.from_string(log.read_text(encoding="utf-8", errors="replace").rstrip())
        text.cursor_set(max(0, len(text.lines) - 1))
        if not bpy.app.background:
            space = open_area(context, "TEXT_EDITOR").spaces.active
            space.text = text
            space.top = max(0, len(text.lines) - _LINES_SEEN)
        self.report({"INFO"}, str(log))
        return {"FINISHED"}


class TSUBU_OT_take_over(bpy.types.Operator):
    """Make the bake that this scene was copied with its own. The scene or file it came from loses it"""

    bl_idname = "tsubu.take_over"
    bl_label = "Take Over"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        state = monitor.look(context.scene)
        if state.running:
            cls.poll_message_set("The bake is running")
        elif not state.foreign:
            cls.poll_message_set("The bake is this scene's own already" if state.folder else "Nothing has been baked yet")
        else:
            return True
        return False

    def invoke(self, context, event):
        return context.window_manager.invoke_confirm(
            self, event, title="Take the bake over?", message=monitor.look(context.scene).foreign, icon="QUESTION"
        )

    def execute(self, context):
        folder = monitor.look(context.scene, now=True).folder
        if folder is None:
            return {"CANCELLED"}
        try:
            cache.take_over(context.scene, folder)
        except TsubuError as error:
            self.report({"ERROR"}, spoken(str(error)))
            return {"CANCELLED"}
        monitor.look(context.scene, now=True)
        return {"FINISHED"}
