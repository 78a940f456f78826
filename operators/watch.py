"""Following what runs: progress in the panels, playback objects as frames appear, Esc. Starts by itself where needed."""

import time

import bpy
from bpy.app.handlers import persistent

from ..bridge import cache, estimate, monitor, preflight, show, worker
from ..bridge.bake_folder import PlaybackError
from ..bridge.spoken import spoken

_TICK = 0.2
"""Seconds between two looks at the status."""
_REFRESH = 2.0
"""Least seconds between two looks for new frames to play."""
_SHARE = 0.05
"""Part of Blender's time that showing new frames may take."""
_NEVER = -1.0e9
_timers: list = []
"""Window timers in use: they have to go when the extension does."""


def redraw(context) -> None:
    """The panels that tell the progress, and nothing else: drawing the whole 3-D view would slow down a large scene."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            wanted = {"VIEW_3D": "UI", "PROPERTIES": "WINDOW"}.get(area.type)
            for region in area.regions:
                if region.type == wanted:
                    region.tag_redraw()


def show_bake(operator, scene, state) -> None:
    """The playback objects of a bake; what is missing is told."""
    scene.tsubu.shown = state.mark
    folder = state.folder
    if folder is None or not show.has_frames(folder):
        return
    try:
        warnings = show.show(scene, folder)
    except PlaybackError as error:
        warnings = [str(error)]
    for warning in warnings:
        operator.report({"WARNING"}, spoken(warning))
    if not bpy.app.background:
        bpy.ops.ed.undo_push(message="Tsubu Playback")


class TSUBU_OT_watch(bpy.types.Operator):
    """Follow a running bake: status, playback, Esc to cancel"""

    bl_idname = "tsubu.watch"
    bl_label = "Watch Bake"
    bl_options = {"INTERNAL"}

    _timer = None
    alive = 0.0
    """When a watching operator last looked."""

    def invoke(self, context, event):
        if is_watching():
            return {"CANCELLED"}
        TSUBU_OT_watch.alive = time.monotonic()
        self._shown: dict[int, float] = {}
        """Scene's session number → when its new frames are shown next."""
        self._told: list[monitor.BakeState] = []
        self._timer = context.window_manager.event_timer_add(_TICK, window=context.window)
        _timers.append(self._timer)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS" and monitor.request_cancel(context.scene):
            self.report({"INFO"}, "Cancelling the bake; it can be resumed")
            return {"RUNNING_MODAL"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        TSUBU_OT_watch.alive = time.monotonic()
        states = [self._look(scene) for scene in bpy.data.scenes]
        if states != self._told:
            self._told = states
            redraw(context)
        if any(state.running for state in states):
            return {"PASS_THROUGH"}
        self.cancel(context)
        return {"FINISHED"}

    def _look(self, scene) -> monitor.BakeState:
        """One look at a scene's bake."""
        cache.note_again(scene)
        state = monitor.look(scene, now=True)
        if state.running and state.folder is not None:
            if monitor.is_cancelling(state.folder):
                worker.cancel(state.folder)  # again: a worker that had only just begun may have missed it
            due = self._shown.setdefault(scene.session_uid, _NEVER)
            new = state.finished >= state.frame_start and state.mark != scene.tsubu.shown
            if new and state.phase in ("simulating", "surfacing") and time.monotonic() > due:
                begin = time.monotonic()
                show_bake(self, scene, state)
                took = time.monotonic() - begin
                self._shown[scene.session_uid] = time.monotonic() + max(_REFRESH, took / _SHARE)
        elif monitor.unseen(scene, state):
            show_bake(self, scene, state)
            self.report({"INFO"} if state.phase != "failed" else {"ERROR"}, spoken(state.message))
        return state

    def cancel(self, context):
        if self._timer is not None:
            if self._timer in _timers:
                _timers.remove(self._timer)
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        TSUBU_OT_watch.alive = 0.0


def is_watching() -> bool:
    return time.monotonic() - TSUBU_OT_watch.alive < 10.0 * _TICK


def forget_watch() -> None:
    """Whoever watched is taken for gone; a new one may begin."""
    TSUBU_OT_watch.alive = 0.0


def watch_soon() -> None:
    """Begins to watch as soon as Blender is idle. May be called from anywhere, also while drawing."""
    if not bpy.app.background and not is_watching() and not bpy.app.timers.is_registered(_begin):
        bpy.app.timers.register(_begin, first_interval=0.1)


def _begin() -> None:
    states = [(scene, monitor.look(scene)) for scene in bpy.data.scenes]
    if not is_watching() and any(state.running or monitor.unseen(scene, state) for scene, state in states):
        window = bpy.context.window_manager.windows[0]
        with bpy.context.temp_override(window=window, screen=window.screen):
            bpy.ops.tsubu.watch("INVOKE_DEFAULT")


@persistent
def _after_load(*_) -> None:
    """Another file: forget the scenes of the last one, find the bakes of this one."""
    TSUBU_OT_watch.alive = 0.0
    monitor.forget()
    cache.forget_session()
    estimate.forget()
    preflight.forget()
    watch_soon()


def _say_what_goes_on() -> None:
    """A bake needs no extension: whoever switches it off, or puts a new one in its place, is told that the worker goes on."""
    scenes = getattr(bpy.data, "scenes", ())  # nothing to look at while Blender starts
    for folder in {state.folder for state in map(monitor.look, scenes) if state.running and state.folder is not None}:
        print(f"tsubu: the bake in {folder} goes on. Enable the extension to see it again, or cancel it there.", flush=True)


def register() -> None:
    bpy.app.handlers.load_post.append(_after_load)
    watch_soon()


def unregister() -> None:
    _say_what_goes_on()
    TSUBU_OT_watch.alive = 0.0
    bpy.app.handlers.load_post.remove(_after_load)
    if bpy.app.timers.is_registered(_begin):
        bpy.app.timers.unregister(_begin)
    while _timers:
        bpy.context.window_manager.event_timer_remove(_timers.pop())
    monitor.forget()
    cache.forget_session()
    estimate.forget()
    preflight.forget()
