"""Check Before Baking: the report, and the two buttons at each of its lines."""

import time

import bpy

from ..bridge import monitor, preflight
from ..bridge.parts import anything_to_simulate
from ..bridge.spoken import spoken
from ..solvers.errors import TsubuError
from .watch import redraw

_SLICE = 0.03
"""Seconds of export between two redraws."""


class TSUBU_OT_preflight(bpy.types.Operator):
    """Look for leaks, holes, inside-out meshes and overlaps, and foretell particles, memory, disk and time of the bake"""

    bl_idname = "tsubu.preflight"
    bl_label = "Check Before Baking"
    bl_options = {"REGISTER"}

    _run = None
    _timer = None

    @classmethod
    def poll(cls, context):
        if monitor.look(context.scene).running:
            cls.poll_message_set("The bake is running")
            return False
        if not anything_to_simulate(context.scene):
            cls.poll_message_set("Nothing is marked yet: select a mesh and mark it as a body or an Emitter")
            return False
        return True

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        self._run = preflight.begin(context)
        self._timer = context.window_manager.event_timer_add(0.05, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self.cancel(context)
            preflight.forget(context.scene)
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        if self._run is not None:
            until = time.perf_counter() + _SLICE
            try:
                while time.perf_counter() < until:
                    next(self._run)
            except StopIteration:
                self._run = None
                redraw(context)
            return {"RUNNING_MODAL"}
        if preflight.poll(context.scene):
            return {"PASS_THROUGH"}
        self.cancel(context)
        self._tell(context)
        return {"FINISHED"}

    def cancel(self, context):
        if self._run is not None:
            self._run.close()
            self._run = None
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        redraw(context)

    def execute(self, context):
        for _ in preflight.begin(context):
            pass
        while preflight.poll(context.scene):
            time.sleep(0.05)
        self._tell(context)
        return {"FINISHED"}

    def _tell(self, context):
        report = preflight.report_of(context.scene)
        bad = [finding for finding in report.findings if finding.level != preflight.INFO] if report else []
        if bad:
            self.report({"WARNING"}, spoken(f"{len(bad)} things to look at before baking"))
        elif report:
            self.report({"INFO"}, "Ready to bake")


class TSUBU_OT_preflight_select(bpy.types.Operator):
    """Select the object that this line is about"""

    bl_idname = "tsubu.preflight_select"
    bl_label = "Select"
    bl_options = {"INTERNAL", "UNDO"}

    name: bpy.props.StringProperty(name="Object", description="Name of the object", options={"HIDDEN"})

    def execute(self, context):
        item = context.view_layer.objects.get(self.name)
        if item is None:
            self.report({"WARNING"}, spoken(f"{self.name} is not in this view layer"))
            return {"CANCELLED"}
        for other in context.view_layer.objects.selected:
            other.select_set(False)
        item.hide_set(False)
        item.select_set(True)
        context.view_layer.objects.active = item
        return {"FINISHED"}


class TSUBU_OT_preflight_fix(bpy.types.Operator):
    """Correct what this line is about, and check again"""

    bl_idname = "tsubu.preflight_fix"
    bl_label = "Fix"
    bl_options = {"INTERNAL", "UNDO"}

    index: bpy.props.IntProperty(name="Line", description="Line of the report", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        if context.mode == "OBJECT":
            return True
        cls.poll_message_set("Leave edit mode first")
        return False

    def execute(self, context):
        report = preflight.report_of(context.scene)
        if report is None or not 0 <= self.index < len(report.findings) or not report.findings[self.index].fix:
            return {"CANCELLED"}
        try:
            self.report({"INFO"}, spoken(preflight.mend(context, report.findings[self.index])))
        except TsubuError as error:
            self.report({"ERROR"}, spoken(str(error)))
            return {"CANCELLED"}
        return bpy.ops.tsubu.preflight("EXEC_DEFAULT" if bpy.app.background else "INVOKE_DEFAULT")
