"""What the other scripts leave: Mark Collection, stones, known presets, Select and Fix in the check, Show Zones, Reload,
Bake Again, Take Over, the log, and the warning before a render.

Run by a real Blender, see README.md. Raises at the first thing that is not as an artist would expect it.
"""

import importlib
import os
import shutil
import sys
from typing import Any

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hands import BLEND, MODULE, PLACE, VALUE, Hands, Wait, add_box, install, unfold
from settings_buttons import choose

LAST = 4


def state() -> Any:
    return importlib.import_module(f"{MODULE}.bridge.monitor").look(bpy.context.scene, now=True)


def report() -> Any:
    return importlib.import_module(f"{MODULE}.bridge.preflight").report_of(bpy.context.scene)


def played() -> Any:
    return next(item for item in bpy.context.scene.objects if item.get("tsubu_kind") == "points")


def heights() -> np.ndarray:
    """Heights of the points that are shown now [m]."""
    data = played().evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    found = data.attributes["position"].data
    places = np.empty(3 * len(found), dtype=np.float32)
    found.foreach_get("vector", places)
    return places[2::3]


def look(name: str) -> str:
    slots = bpy.data.objects[name].material_slots
    return slots[0].material.name if slots and slots[0].material else ""


def marks(gui: Any, hands: Hands) -> Wait:
    """Menus that mark a collection, show stones and put a known preset on."""
    scene: Any = bpy.context.scene
    group = bpy.data.collections.new("Heaps")
    scene.collection.children.link(group)
    for item in (add_box("Heap", (-0.1, -0.1, 0.0), (0.1, 0.1, 0.2)), add_box("Other", (0.3, -0.1, 0.0), (0.5, 0.1, 0.2))):
        for other in item.users_collection:
            other.objects.unlink(item)
        group.objects.link(item)
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children["Heaps"]
    choose(bpy.data.objects["Heap"])
    bpy.ops.wm.save_as_mainfile(filepath=str(BLEND))
    x, y = yield from hands.find("tsubu.show_roles", 0.3, VALUE)
    yield from hands.choose_in_menu(x, y - hands.row, "g", "rest_mark_collection")
    roles = {item.name: item.tsubu.role for item in group.objects}
    hands.expect(set(roles.values()) == {"GRAINS"}, f"Mark Collection marks what is in it: {roles}")

    item = bpy.data.objects["Heap"]
    x, y = yield from hands.find("tsubu.preset_save(", 0.82)
    yield from hands.choose_in_menu(x - 80, y, "w", "rest_preset_menu")
    hands.expect(item.tsubu.grains.cohesion > 0.0, f"a known preset is put on: cohesion {item.tsubu.grains.cohesion:g} Pa")
    item.tsubu.grains.cohesion = 0.0
    x, y = yield from hands.below("tsubu.velocity", 0.7)
    yield from hands.choose_in_menu(x, y, "s", "rest_stones")
    stones = item.tsubu.instance_collection
    hands.expect(stones is not None and len(stones.objects), f"stones stand on the grains: {stones and stones.name}")


def check(gui: Any, hands: Hands) -> Wait:
    """A line of the check selects its object and mends it."""
    heap, other = bpy.data.objects["Heap"], bpy.data.objects["Other"]
    heap.data.flip_normals()
    choose(other)
    hands.last = 10_000  # the panel Bake is low
    yield from hands.press("tsubu.preflight(")
    yield from hands.reached(lambda: report() and not report().measuring, 600.0, "the check ends")
    found = [finding for finding in report().findings if finding.owner == "Heap" and finding.fix]
    hands.expect(found, f"the turned mesh is found: {[finding.text for finding in report().findings]}")
    yield from hands.picture("rest_check")
    yield from hands.press('tsubu.preflight_select(name="Heap"', 0.25)
    hands.expect(bpy.context.object.name == "Heap", "Select chooses the object of the line")
    yield from hands.press("tsubu.preflight_fix(", 0.75)
    yield from hands.reached(lambda: report() and not report().measuring, 600.0, "Fix checks again")
    left = [finding.text for finding in report().findings if finding.owner == "Heap" and finding.fix]
    hands.expect(not left, f"and the mesh is mended: {left}")
    yield from hands.picture("rest_fixed")


def shown(gui: Any, hands: Hands) -> Wait:
    """What is played: zones in colour, files read again."""
    choose(bpy.data.objects["Heap"])
    yield from hands.press("tsubu.bake(")
    yield from hands.reached(lambda: state().phase == "done", 900.0, "a small bake of hybrid grains")
    yield 2.0
    bpy.context.scene.frame_set(LAST)
    before = look(played().name)
    yield from hands.press("tsubu.show_zones")
    hands.expect(look(played().name) == "Tsubu Zones", "Show Zones colours the grains")
    yield from hands.picture("rest_zones", whole=True)
    yield from hands.press("tsubu.show_zones")
    hands.expect(look(played().name) == before, f"and again brings {before!r} back")

    first, last = (sorted((state().folder / "points").glob("*"))[index] for index in (0, -1))
    kept = last.read_bytes()
    moved = float(np.median(heights()))
    shutil.copyfile(first, last)
    yield 1.5  # Blender looks at the time of a file in whole seconds
    yield from hands.press("tsubu.reload_bake")
    yield 0.5
    fresh = float(np.median(heights()))
    bpy.context.scene.frame_set(1)
    begin = float(np.median(heights()))
    hands.expect(abs(fresh - begin) < 1e-6 and fresh != moved, f"Reload Files shows the other file: {moved:g} → {fresh:g} m")
    last.write_bytes(kept)
    yield 1.5
    bpy.ops.tsubu.reload_bake()


def owner(gui: Any, hands: Hands) -> Wait:
    """A copy of the file takes the bake over; all frames again only after a question; the log; what a render says."""
    folder = state().folder
    bpy.ops.wm.save_as_mainfile(filepath=str(BLEND.with_name("copy.blend")))
    hands.expect(state().foreign, f"a copy does not own the bake: {state().foreign}")
    yield from hands.picture("rest_foreign")
    yield from hands.press("tsubu.take_over")
    yield from hands.picture("rest_take_over", whole=True)
    yield from gui.key("Return")
    yield from hands.reached(lambda: not state().foreign, 10.0, "Take Over makes it its own")
    hands.expect(state().folder == folder and state().phase == "done", "with its frames")

    stamp = state().started
    yield from hands.press("tsubu.bake_again(")
    yield from hands.picture("rest_bake_again", whole=True)
    yield from gui.key("Return")
    yield from hands.reached(lambda: state().phase == "done" and state().started > stamp, 600.0, "Bake asks, then bakes again")

    sorted((folder / "points").glob("*"))[-1].unlink()
    yield 1.0
    scene: Any = bpy.context.scene
    scene.render.engine, scene.render.resolution_percentage = "BLENDER_WORKBENCH", 10
    scene.render.use_lock_interface = True
    bpy.ops.object.camera_add(location=(0.0, -2.0, 0.5), rotation=(1.4, 0.0, 0.0))
    scene.camera = bpy.context.object
    yield from hands.at_rest()
    yield from gui.key("F12")
    yield 4.0
    yield from hands.picture("rest_render_warning", whole=True)
    while len(bpy.context.window_manager.windows) > 1:
        with bpy.context.temp_override(window=bpy.context.window_manager.windows[-1]):
            bpy.ops.wm.window_close()
        yield 0.5
    yield from hands.come_back()

    hands.last = 10_000
    yield from hands.press("tsubu.open_log", 0.9)
    yield from hands.reached(lambda: "Tsubu Log" in bpy.data.texts, 10.0, "the log opens")
    hands.expect(any(area.type == "TEXT_EDITOR" for window in bpy.context.window_manager.windows
                     for area in window.screen.areas), "in a text editor")  # fmt: skip
    yield from hands.picture("rest_log", whole=True)


def main(gui: Any) -> Wait:
    hands = Hands(gui, PLACE / "pictures")
    install(str(next(PLACE.glob("*.zip"))))
    unfold()
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    scene: Any = bpy.context.scene
    scene.frame_end = LAST
    yield from gui.sidebar("Tsubu")
    yield from marks(gui, hands)
    for item in (bpy.data.objects["Heap"], bpy.data.objects["Other"]):
        item.tsubu.grains.size, item.tsubu.grains.mode = 0.02, "hybrid"
    bpy.ops.wm.save_mainfile()
    yield from check(gui, hands)
    yield from shown(gui, hands)
    yield from owner(gui, hands)
    hands.note("everything is as expected")
