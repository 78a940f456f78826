"""What goes out and what comes in, by clicks: wedges, a farm job, an example from the Add menu.

Run by a real Blender, see README.md.
"""

import json
import os
import sys
from typing import Any

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hands import BLEND, PLACE, Hands, Wait, add_box, install, unfold
from settings_buttons import choose


def main(gui: Any) -> Wait:
    hands = Hands(gui, PLACE / "pictures")
    install(str(next(PLACE.glob("*.zip"))))
    unfold()
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    scene: Any = bpy.context.scene
    scene.frame_end = 8
    column = add_box("Column", (-0.1, -0.1, 0.1), (0.1, 0.1, 0.3), "WATER")
    add_box("Heap", (0.3, -0.1, 0.0), (0.5, 0.1, 0.2), "GRAINS")
    bpy.ops.wm.save_as_mainfile(filepath=str(BLEND))
    yield from gui.sidebar("Tsubu")

    # wedges: a setting, values, a camera, a file
    bpy.ops.object.camera_add(location=(0.0, -2.0, 0.5), rotation=(1.4, 0.0, 0.0))
    scene.camera = bpy.context.object
    choose(column)
    bpy.ops.wm.save_mainfile()
    hands.last = 10_000  # the panel Farm is the lowest
    yield from hands.fill_in("tsubu.wedge_setting", "Column.viscosity")
    yield from hands.fill_in("tsubu.wedge_values", "0.001 0.1 1")
    hands.expect(scene.tsubu.wedge_setting == "Column.viscosity", f"setting typed: {scene.tsubu.wedge_setting}")
    hands.expect(scene.tsubu.wedge_values == "0.001 0.1 1", f"values typed: {scene.tsubu.wedge_values}")
    yield from hands.picture("settings_wedges")
    for name in ("export_wedges", "export_farm"):
        yield from hands.press(f"tsubu.{name}(")
        yield from hands.reached(lambda: len(bpy.context.window_manager.windows) == 2, 20.0, f"{name} asks where")
        browser = bpy.context.window_manager.windows[1]
        params = browser.screen.areas[0].spaces.active.params
        params.directory, params.filename = (str(BLEND.parent) + "/").encode(), f"{name}.json"
        yield 1.0
        with bpy.context.temp_override(window=browser, area=browser.screen.areas[0]):
            bpy.ops.file.execute()
        target = BLEND.parent / f"{name}.json"
        yield from hands.reached(target.is_file, 20.0, f"{name} is written")
        steps = [step["name"] for step in json.loads(target.read_text(encoding="utf-8"))["steps"]]
        hands.note(f"steps: {steps}")
        yield 0.5
        yield from hands.come_back()

    yield from hands.at_rest()
    yield from gui.key("shift+a")
    yield 0.5
    yield from hands.picture("settings_add_menu", whole=True)
    yield from gui.type("hourgl")
    yield 0.3
    yield from gui.key("Return")
    yield from hands.reached(lambda: len(bpy.data.scenes) == 2, 60.0, "Add › Tsubu Example (tsubu.add_example) adds a scene")
    hands.expect(bpy.context.window.scene.camera is not None, f"{bpy.context.window.scene.name} has a camera")
    yield 1.0
    yield from hands.picture("settings_example", whole=True)

    hands.note("everything is as expected")
