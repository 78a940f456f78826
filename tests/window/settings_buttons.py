"""Settings by clicks: roles, presets of one's own, Copy to Selected, pairs, the check, undo.

Run by a real Blender, see README.md.
"""

import importlib
import math
import os
import sys
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hands import BLEND, MODULE, PLACE, VALUE, Hands, Wait, add_box, install, unfold


def choose(*items: Any) -> None:
    """Selects objects; the last one is active."""
    for item in bpy.context.view_layer.objects:
        item.select_set(item in items)
    bpy.context.view_layer.objects.active = items[-1]


def friction(item: Any) -> float:
    """Friction angle of grains [°], which Blender stores in radians."""
    return math.degrees(item.tsubu.grains.friction_angle)


def main(gui: Any) -> Wait:
    hands = Hands(gui, PLACE / "pictures")
    install(str(next(PLACE.glob("*.zip"))))
    unfold()
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    yield from gui.sidebar("Tsubu")
    yield from hands.picture("settings_nothing")
    column = add_box("Column", (-0.1, -0.1, 0.1), (0.1, 0.1, 0.3))
    heap = add_box("Heap", (0.3, -0.1, 0.0), (0.5, 0.1, 0.2))
    other = add_box("Other", (-0.5, -0.1, 0.0), (-0.3, 0.1, 0.2))
    bpy.context.scene.frame_end = 8
    bpy.ops.wm.save_as_mainfile(filepath=str(BLEND))
    bpy.ops.ed.undo_push(message="three boxes")

    choose(heap)
    yield from hands.press("tsubu.mark(role='GRAINS')", 0.25)
    hands.expect(bpy.data.objects["Heap"].tsubu.role == "GRAINS", "a click marks")
    yield from hands.at_rest()
    yield from gui.key("ctrl+z")
    hands.expect(bpy.data.objects["Heap"].tsubu.role == "NONE", "Ctrl Z takes the mark back")
    yield from gui.key("ctrl+shift+z")
    hands.expect(bpy.data.objects["Heap"].tsubu.role == "GRAINS", "and Ctrl Shift Z brings it again")
    heap, other, column = (bpy.data.objects[name] for name in ("Heap", "Other", "Column"))
    choose(heap)
    yield from hands.picture("settings_grains")

    # a preset of one's own: a value, +, a name, Return; then the menu holds it, and − deletes it
    kept = Path(bpy.utils.user_resource("SCRIPTS")) / "presets" / "tsubu" / "grains" / "Steep.py"
    kept.unlink(missing_ok=True)  # of an earlier run
    yield from hands.fill_in("tsubu.grains.friction_angle", "41")
    hands.expect(abs(friction(heap) - 41.0) < 0.5, f"typed: {friction(heap):g}")
    for _ in range(3):  # a window that is drawn slowly may miss a key
        yield from hands.press("tsubu.preset_save(", 0.82)
        yield from hands.picture("settings_preset_name", whole=True)
        yield from gui.key("ctrl+a")
        yield from gui.type("Steep")
        yield from gui.key("Return")
        yield 1.5
        if not kept.is_file():  # the first Return ended typing, this one is OK
            yield from gui.key("Return")
            yield 3.0
        if kept.is_file():
            break
        yield from gui.key("Escape")
    hands.expect(kept.is_file(), "+ keeps a preset")
    yield from hands.at_rest()
    heap.tsubu.grains.friction_angle = math.radians(20.0)
    x, y = yield from hands.find("tsubu.preset_save(", 0.82)
    yield from gui.click(x - 80, y)
    yield 0.4
    yield from hands.picture("settings_preset_menu", whole=True)
    yield from gui.type("t")  # the letter of "Steep" that is underlined
    yield from hands.at_rest()
    hands.expect(abs(friction(heap) - 41.0) < 0.5, f"chosen from the menu: {friction(heap):g}")
    yield from hands.press("tsubu.preset_save(remove_active=True", 0.92)
    yield from hands.reached(lambda: not kept.is_file(), 10.0, "− deletes it")

    choose(other, heap)
    yield from hands.press("tsubu.copy_settings")
    hands.expect(other.tsubu.role == "GRAINS" and abs(friction(other) - 41.0) < 0.5, "Copy to Selected")

    choose(column)
    yield from hands.press("tsubu.mark(role='WATER')", 0.25)
    yield from hands.picture("settings_pairs")
    path = "meeting."
    x, y = yield from hands.find(path, 0.7, VALUE)
    hands.note(f"between materials: {bpy.context.window_manager.clipboard}")

    scene: Any = bpy.context.scene
    yield from hands.press("tsubu.preflight(")
    report = importlib.import_module(f"{MODULE}.bridge.preflight").report_of
    yield from hands.reached(lambda: report(scene) is not None, 30.0, "the check tells something")
    yield from hands.picture("settings_check")
    hands.note("everything is as expected")
