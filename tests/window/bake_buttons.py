"""The life of a bake by clicks: Bake, Cancel, Resume, Extend, Redo, Report, bins, Check.

Run by a real Blender, see README.md. Raises at the first thing that is not as an artist would expect it.
"""

import importlib
import os
import sys
from typing import Any

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hands import BLEND, MODULE, PLACE, Hands, Wait, add_box, install, unfold

FIRST, LAST, RATE = 11, 18, 6


def build() -> None:
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    add_box("Column", (-0.1, -0.1, 0.1), (0.1, 0.1, 0.3), "WATER")
    add_box("Floor", (-0.5, -0.5, -0.1), (0.5, 0.5, 0.0), "COLLIDER")
    bpy.context.view_layer.objects.active = bpy.data.objects["Column"]
    scene: Any = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.frame_current, scene.render.fps = FIRST, LAST, FIRST, RATE
    scene.tsubu.resolution = 18
    bpy.ops.wm.save_as_mainfile(filepath=str(BLEND))


def state() -> Any:
    return importlib.import_module(f"{MODULE}.bridge.monitor").look(bpy.context.scene, now=True)


def frames_there() -> list[int]:
    folder = state().folder
    return sorted(int(path.stem.rsplit("_", 1)[1]) for path in (folder / "points").glob("*")) if folder else []


def main(gui: Any) -> Wait:
    hands = Hands(gui, PLACE / "pictures")
    install(str(next(PLACE.glob("*.zip"))))
    unfold()
    build()
    yield from gui.sidebar("Tsubu")
    yield from hands.picture("bake_ready")

    hands.last = 10_000  # the panel Bake is low
    yield from hands.press("tsubu.bake(")
    yield from hands.reached(
        lambda: state().phase in ("compiling", "simulating", "surfacing", "done"), 60.0, "Bake starts the worker"
    )
    yield from hands.picture("bake_running")
    yield from hands.find("tsubu.cancel")
    yield from hands.reached(lambda: len(frames_there()) >= 2 or state().phase == "done", 500.0, "frames appear while it bakes")
    if state().running:
        yield from hands.press("tsubu.cancel")
    yield from hands.reached(lambda: not state().running, 20.0, f"Cancel: {state().phase}")
    yield from hands.picture("bake_cancelled")

    yield from hands.press("tsubu.resume")
    yield from hands.reached(lambda: state().phase == "done", 900.0, "Resume ends the bake")
    hands.expect(frames_there() == list(range(FIRST, LAST + 1)), "every frame is there")
    yield from hands.picture("bake_done")

    yield from hands.press("tsubu.extend", 0.7)
    yield from hands.reached(
        lambda: state().phase == "done" and bpy.context.scene.frame_end == LAST + RATE, 900.0, "Extend adds a second"
    )
    hands.expect(frames_there() == list(range(FIRST, LAST + RATE + 1)), "its frames are there")

    bpy.context.scene.frame_set(LAST)
    kept = {path: path.stat().st_mtime_ns for path in (state().folder / "points").glob("*")}
    yield from hands.press("tsubu.redo")
    yield from hands.reached(lambda: not state().running and state().phase == "done", 900.0, "Redo from Frame")
    changed = sorted(int(path.stem.rsplit("_", 1)[1]) for path, when in kept.items() if path.stat().st_mtime_ns != when)
    hands.expect(changed == list(range(LAST, LAST + RATE + 1)), f"only the current frame and later ones are new: {changed}")

    yield from hands.press("tsubu.report")
    yield from hands.reached(lambda: len(bpy.context.window_manager.windows) == 2, 20.0, "the report opens in a window")
    yield 1.0
    yield from hands.picture("bake_report_window", whole=True)
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[1]):
        bpy.ops.wm.window_close()
    yield 0.5
    yield from hands.come_back()

    for what in ("SURFACES", "STATES"):
        yield from hands.press(f"tsubu.prune(what='{what}')", 0.9)
        yield from hands.picture(f"bake_prune_{what.lower()}", whole=True)
        yield from gui.key("Return")
        folder = state().folder / what.lower().rstrip("s")
        left = len(list(folder.glob("*"))) if folder.is_dir() else 0
        hands.expect(left <= 1, f"the bin of {what.lower()} empties {folder.name}: {left} left")

    yield from hands.press("tsubu.preflight(")
    report = importlib.import_module(f"{MODULE}.bridge.preflight").report_of
    yield from hands.reached(
        lambda: report(bpy.context.scene) and not report(bpy.context.scene).measuring, 120.0, "the check ends"
    )
    yield from hands.picture("bake_checked")

    hands.note("everything is as expected")
