"""Bake, Resume and Redo. Export and worker are in bridge/; what runs is followed by `watch`."""

import time
from typing import Any

import bpy

from ..bridge import bake, monitor, worker
from ..bridge.parts import anything_to_simulate
from ..bridge.spoken import spoken
from ..solvers.errors import TsubuError
from .watch import redraw, show_bake

_SLICE = 0.03
"""Seconds of export between two redraws."""


class _Begins:
    """What Bake, Resume and Redo have in common. Called from a script they wait for the end; in a window they are modal."""

    report: Any
    poll_message_set: Any
    _run: Any = None
    _timer: Any = None

    def request(self) -> bake.Request:
        raise NotImplementedError

    @classmethod
    def poll(cls, context):
        state = monitor.look(context.scene)
        if state.running:
            cls.poll_message_set("The bake is running")
            return False
        return cls.possible(context, state)

    @classmethod
    def possible(cls, context, state) -> bool:
        """Whether there is anything to do; says why not."""
        raise NotImplementedError

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        monitor.set_problem(context.scene, "")
        self._run = bake.begin(context, self.request())
        self._timer = context.window_manager.event_timer_add(0.01, window=context.window)
        context.window_manager.modal_handler_add(self)
        monitor.set_exporting(context.scene, 0.0)
        redraw(context)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self._end(context)
            self.report({"INFO"}, "Bake cancelled before it began")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            until = time.perf_counter() + _SLICE
            while time.perf_counter() < until:
                monitor.set_exporting(context.scene, next(self._run))
            redraw(context)
            return {"RUNNING_MODAL"}
        except StopIteration as end:
            self._end(context)
            for warning in end.value.warnings:
                self.report({"WARNING"}, spoken(warning))
            bpy.ops.tsubu.watch("INVOKE_DEFAULT")
            return {"FINISHED"}
        except TsubuError as error:
            self._end(context)
            return self._failed(context, error)
        except Exception:
            self._end(context)
            raise

    def cancel(self, context):
        self._end(context)

    def _end(self, context) -> None:
        if self._run is not None:
            self._run.close()
            self._run = None
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        monitor.set_exporting(context.scene, None)
        redraw(context)

    def _failed(self, context, error) -> set[str]:
        monitor.set_problem(context.scene, str(error))
        self.report({"ERROR"}, spoken(str(error)))
        return {"CANCELLED"}

    def execute(self, context):
        scene = context.scene
        monitor.set_problem(scene, "")
        try:
            begun = bake.begin_now(context, self.request())
        except TsubuError as error:
            return self._failed(context, error)
        for warning in begun.warnings:
            self.report({"WARNING"}, spoken(warning))
        state = _wait(scene, begun.folder)
        show_bake(self, scene, state)
        if state.phase == "done":
            self.report({"INFO"}, spoken(state.message))
            return {"FINISHED"}
        self.report({"ERROR" if state.phase != "cancelled" else "WARNING"}, spoken(state.message or f"The bake {state.phase}"))
        return {"CANCELLED"}


def _wait(scene, folder):
    """Waits for the end of a bake; Ctrl-C cancels it."""
    try:
        while worker.is_running(folder):
            time.sleep(0.05)
    except KeyboardInterrupt:
        monitor.request_cancel(scene)
        worker.cancel_and_wait(folder)
    return monitor.look(scene, now=True)


class TSUBU_OT_bake(_Begins, bpy.types.Operator):
    """Simulate all frames in a process of its own and write them to the cache folder. Deletes an earlier bake of this scene"""

    bl_idname = "tsubu.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER"}

    @classmethod
    def possible(cls, context, state) -> bool:
        return _has_body(cls, context)

    def request(self) -> bake.Request:
        return bake.Request()


class TSUBU_OT_bake_again(bpy.types.Operator):
    """Delete the baked frames of this scene and simulate all of them again"""

    bl_idname = "tsubu.bake_again"
    bl_label = "Bake Again"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        state = monitor.look(context.scene)
        if state.running:
            cls.poll_message_set("The bake is running")
            return False
        return _has_body(cls, context)

    def invoke(self, context, event):
        state = monitor.look(context.scene)
        message = spoken(f"{state.finished - state.frame_start + 1} finished frames will be deleted. Resume keeps them")
        return context.window_manager.invoke_confirm(
            self, event, title="Bake again from the first frame?", message=message, confirm_text="Bake", icon="WARNING"
        )

    def execute(self, context):
        return bpy.ops.tsubu.bake("EXEC_DEFAULT" if bpy.app.background else "INVOKE_DEFAULT")


class TSUBU_OT_resume(_Begins, bpy.types.Operator):
    """Continue the bake where it stopped, or with a longer frame range"""

    bl_idname = "tsubu.resume"
    bl_label = "Resume"
    bl_options = {"REGISTER"}

    @classmethod
    def possible(cls, context, state) -> bool:
        if not _has_bake(cls, state):
            return False
        if state.phase == "done" and not bake.anything_left(context.scene, state):
            cls.poll_message_set("All frames are baked. Make the range longer, or use Redo to bake some again")
            return False
        return True

    def request(self) -> bake.Request:
        return bake.Request(resume=True)


class TSUBU_OT_extend(_Begins, bpy.types.Operator):
    """Add frames at the end of the range and bake them; the finished ones stay"""

    bl_idname = "tsubu.extend"
    bl_label = "Extend"
    bl_options = {"REGISTER"}

    frames: bpy.props.IntProperty(name="Frames", description="How many frames to add", default=24, min=1, max=100000)

    @classmethod
    def possible(cls, context, state) -> bool:
        return _has_bake(cls, state)

    def request(self) -> bake.Request:
        scene = bpy.context.scene
        owner = scene if scene.tsubu.use_scene_range else scene.tsubu.world
        owner.frame_end += self.frames
        return bake.Request(resume=True)


class TSUBU_OT_redo(_Begins, bpy.types.Operator):
    """Keep the frames before this one and bake it and all later ones again"""

    bl_idname = "tsubu.redo"
    bl_label = "Redo from Frame"
    bl_options = {"REGISTER"}

    frame: bpy.props.IntProperty(name="Frame", description="First frame to bake again", default=1)

    @classmethod
    def possible(cls, context, state) -> bool:
        return _has_bake(cls, state)

    def invoke(self, context, event):
        if not self.properties.is_property_set("frame"):
            self.frame = context.scene.frame_current
        return super().invoke(context, event)

    def request(self) -> bake.Request:
        return bake.Request(from_frame=self.frame)


def _has_body(operator, context) -> bool:
    if anything_to_simulate(context.scene):
        return True
    operator.poll_message_set("Nothing is marked yet: select a mesh and mark it as a body or an Emitter")
    return False


def _has_bake(operator, state) -> bool:
    if state.folder is None or state.phase == monitor.NOTHING:
        operator.poll_message_set("Nothing has been baked yet")
        return False
    if state.foreign:
        operator.poll_message_set(spoken(f"{state.foreign}. Bake again to get a folder of its own, or take the bake over"))
        return False
    return True
