"""The end of a bake by clicks: Reset, Free with its question, Load Bake.

Run by a real Blender, see README.md. Raises at the first thing that is not as an artist would expect it.
"""

import importlib
import os
import shutil
import sys
from typing import Any

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bake_buttons import FIRST, build, frames_there, state
from hands import MODULE, PLACE, Hands, Wait, install, unfold


def main(gui: Any) -> Wait:
    hands = Hands(gui, PLACE / "pictures")
    install(str(next(PLACE.glob("*.zip"))))
    unfold()
    build()
    bpy.context.scene.frame_end = FIRST + 2
    bpy.context.scene.tsubu.resolution = 10
    yield from gui.sidebar("Tsubu")
    bpy.ops.tsubu.bake("INVOKE_DEFAULT")
    yield from hands.reached(lambda: state().phase == "done", 900.0, "a small bake to begin with")
    yield 2.0
    report = importlib.import_module(f"{MODULE}.bridge.preflight").report_of
    bpy.ops.tsubu.preflight("INVOKE_DEFAULT")
    yield from hands.reached(
        lambda: report(bpy.context.scene) and not report(bpy.context.scene).measuring, 300.0, "the check ends"
    )

    hands.last = 10_000  # the panel Bake is low
    yield from hands.press("tsubu.reset", 0.7)
    hands.expect(report(bpy.context.scene) is None, "Reset forgets the check")
    folder, objects = state().folder, set(bpy.context.scene.objects.keys())
    yield from hands.press("tsubu.free", 0.3)
    yield from hands.picture("bake_free_question", whole=True)
    yield from gui.key("Escape")
    hands.expect(frames_there(), "Esc at the question keeps the frames")

    copy = folder.parent / "other"
    shutil.copytree(folder, copy)
    yield from hands.press("tsubu.free", 0.3)
    yield from gui.key("Return")
    yield from hands.reached(lambda: not list((folder / "points").glob("*")), 10.0, "Free deletes the frames")
    gone = objects - set(bpy.context.scene.objects.keys())
    hands.expect(gone, f"and what played them: {sorted(gone)}")
    yield from hands.picture("bake_freed")

    yield from hands.press("tsubu.load_bake")
    yield from hands.reached(lambda: len(bpy.context.window_manager.windows) == 2, 20.0, "Load Bake opens the file browser")
    browser = bpy.context.window_manager.windows[1]
    browser.screen.areas[0].spaces.active.params.directory = (str(copy) + "/").encode()
    yield 1.0
    yield from hands.picture("load_bake", whole=True)
    with bpy.context.temp_override(window=browser, area=browser.screen.areas[0]):
        bpy.ops.file.execute()
    yield from hands.reached(
        lambda: any(item.get("tsubu_kind") for item in bpy.context.scene.objects), 20.0, "the loaded bake is in the scene"
    )
    yield from hands.picture("loaded", whole=True)
    hands.note("everything is as expected")
