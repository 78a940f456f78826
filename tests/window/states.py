"""Pictures of the panel in every state, as docs/ shows them: nothing, ready, checked, baking, done, missing, error, Japanese.

Run by a real Blender, see README.md; 1500 × 1560 pixels show all of it. Looks at what stands in the panels, clicks on nothing.
"""

import importlib
import os
import sys
from typing import Any

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hands import BLEND, MODULE, PLACE, Hands, Wait, add_box, install

FRAMES = 27


def part(name: str) -> Any:
    return importlib.import_module(f"{MODULE}.{name}")


def choose(name: str) -> Any:
    item = bpy.context.scene.objects[name]
    for other in bpy.context.view_layer.objects:
        other.select_set(other == item)
    bpy.context.view_layer.objects.active = item
    return item


def state() -> Any:
    return part("bridge.monitor").look(bpy.context.scene, now=True)


def main(gui: Any) -> Wait:
    hands = Hands(gui, PLACE / "pictures")
    install(str(next(PLACE.glob("*.zip"))))
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    yield from gui.sidebar("Tsubu")
    yield from hands.picture("panel_nothing")

    bpy.ops.tsubu.add_example(name="dam_break")
    scene: Any = bpy.context.scene
    scene.frame_end = FRAMES
    bpy.ops.wm.save_as_mainfile(filepath=str(BLEND))
    body = next(item.name for item in scene.objects if item.tsubu.role == "WATER")
    choose(body)
    gui.area().spaces.active.region_3d.view_perspective = "CAMERA"
    yield from gui.sidebar("Tsubu")
    yield from hands.picture("panel_ready")
    scene.tsubu.show_spacing = True
    yield from hands.picture("window_roles", whole=True)
    scene.tsubu.show_spacing = False

    wall = add_box("Wall", (0.9, 0.0, 0.0), (0.901, 0.2, 0.2), "COLLIDER")
    choose(body).data.flip_normals()
    bpy.ops.tsubu.preflight("INVOKE_DEFAULT")
    report = part("bridge.preflight").report_of
    yield from hands.reached(lambda: report(scene) and not report(scene).measuring, 600.0, "the check ends")
    yield from hands.picture("panel_preflight")
    bpy.data.objects.remove(wall)
    choose(body).data.flip_normals()
    bpy.ops.tsubu.reset()

    bpy.ops.tsubu.bake("INVOKE_DEFAULT")
    yield from hands.reached(lambda: state().finished >= 8 or state().phase == "done", 900.0, "frames appear")
    gui.redraw()
    hands.grab_panel("panel_baking")
    yield from hands.reached(lambda: state().phase == "done", 900.0, "done")
    yield 2.0
    scene.frame_set(FRAMES)
    yield from hands.picture("panel_done")
    yield from hands.picture("window_done", whole=True)

    for path in sorted((state().folder / "surface").glob("*"))[3:6]:
        path.unlink()
    bpy.ops.tsubu.reload_bake()
    yield 2.5
    yield from hands.picture("panel_missing")

    choose(body).scale.z = 0.0
    bpy.ops.tsubu.bake("INVOKE_DEFAULT")
    yield 3.0
    yield from hands.picture("panel_error")
    hands.note(state().message)
    bpy.data.objects[body].scale.z = 1.0

    bpy.context.preferences.view.language = "ja_JP"
    bpy.context.preferences.view.use_translate_interface = True
    item = choose(body)
    item.tsubu.role = "EMITTER"
    yield from hands.picture("panel_japanese")
    item.tsubu.role = "WATER"
    add_box("Wall", (0.9, 0.0, 0.0), (0.901, 0.2, 0.2), "COLLIDER")
    choose(body).data.flip_normals()
    bpy.ops.tsubu.preflight("INVOKE_DEFAULT")
    yield from hands.reached(lambda: report(scene) and not report(scene).measuring, 600.0, "the check ends in Japanese")
    yield from hands.picture("panel_japanese_check")
    bpy.context.preferences.view.language = "en_US"
