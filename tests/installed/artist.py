"""What an artist does, by the operators an artist uses, in a Blender into which the built zip was installed.

    python artist.py ZIP FOLDER          with BLENDER_USER_RESOURCES set to a throw-away folder

Prints one JSON object with what was seen. Started by test_installed.py in a process of its own.
"""

import importlib
import importlib.util
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np

MODULE = "bl_ext.user_default.tsubu"
FRAMES = 4


def trace() -> dict[str, Any]:
    """Everything that an extension may leave behind in Blender."""
    lists = {name: entry for name in dir(bpy.app.handlers) if isinstance(entry := getattr(bpy.app.handlers, name), list)}
    return {
        "types": sorted(name for name in dir(bpy.types) if "tsubu" in name.lower()),
        "operators": sorted(dir(bpy.ops.tsubu)),
        "properties": [sorted(kind.bl_rna.properties.keys()) for kind in (bpy.types.Scene, bpy.types.Object)],
        "handlers": {name: len(entry) for name, entry in lists.items()},
        "addons": sorted(bpy.context.preferences.addons.keys()),
    }


def add_box(name: str, low: tuple[float, ...], high: tuple[float, ...]) -> Any:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=[(a + b) / 2.0 for a, b in zip(low, high, strict=True)])
    item = bpy.context.object
    item.name, item.scale = name, [b - a for a, b in zip(low, high, strict=True)]
    return item


def mark(item: Any, role: str) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    item.select_set(True)
    bpy.context.view_layer.objects.active = item
    assert bpy.ops.tsubu.mark(role=role) == {"FINISHED"}


def build_scene(blend: Path) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    mark(add_box("Column", (-0.1, -0.1, 0.1), (0.1, 0.1, 0.3)), "WATER")
    mark(add_box("Floor", (-0.5, -0.5, -0.1), (0.5, 0.5, 0.0)), "COLLIDER")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 11, 10 + FRAMES
    scene.tsubu.resolution = 8
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))


def surface_heights() -> list[float]:
    """Lowest point of the water's surface [m] at every frame."""
    lowest = []
    item = next(entry for entry in bpy.context.scene.objects if entry.get("tsubu_kind") == "surface")
    for frame in range(11, 11 + FRAMES):
        bpy.context.scene.frame_set(frame)
        mesh = item.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        places = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
        mesh.vertices.foreach_get("co", places)
        lowest.append(float(places.reshape(-1, 3)[:, 2].min()) if len(places) else float("nan"))
    return lowest


def picture_mean(blend: Path) -> float:
    """Mean brightness of the last frame, rendered by Cycles against black, with the water glowing."""
    scene = bpy.context.scene
    material = bpy.data.materials.new("Glow")
    material.use_nodes = True
    glow = material.node_tree.nodes.new("ShaderNodeEmission")
    material.node_tree.links.new(glow.outputs[0], material.node_tree.nodes["Material Output"].inputs["Surface"])
    next(entry for entry in scene.objects if entry.get("tsubu_kind") == "surface").material_slots[0].material = material
    for name in ("Column", "Floor"):
        bpy.data.objects[name].hide_render = True
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0.0, -1.0, 0.15), (np.pi / 2.0, 0.0, 0.0)
    scene.collection.objects.link(camera)
    scene.camera, scene.render.engine = camera, "CYCLES"
    scene.world = bpy.data.worlds.new("Black")
    scene.world.color = (0.0, 0.0, 0.0)
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 4, False
    scene.render.resolution_x = scene.render.resolution_y = 48
    scene.frame_set(10 + FRAMES)
    scene.render.filepath = str(blend.with_suffix(".png"))
    bpy.ops.render.render(write_still=True)
    return float(np.mean(bpy.data.images.load(scene.render.filepath).pixels[:]))


def work(blend: Path) -> dict[str, Any]:
    """Mark, bake, scrub, render, free."""
    seen: dict[str, Any] = {}
    build_scene(blend)
    begin = time.perf_counter()
    seen["baked"] = sorted(bpy.ops.tsubu.bake())
    seen["seconds"] = round(time.perf_counter() - begin, 1)
    monitor = importlib.import_module(f"{MODULE}.bridge.monitor")
    state = monitor.look(bpy.context.scene, now=True)
    seen["phase"], seen["folder"] = state.phase, str(state.folder)
    seen["files"] = sorted(path.relative_to(state.folder).as_posix() for path in state.folder.rglob("*_00*"))
    seen["heights"] = surface_heights()
    seen["brightness"] = picture_mean(blend)
    seen["buttons"] = buttons(blend)
    objects = {entry.name for entry in bpy.context.scene.objects}
    seen["freed"] = sorted(bpy.ops.tsubu.free())
    seen["gone"] = sorted(objects - {entry.name for entry in bpy.context.scene.objects})
    seen["left"] = sorted(path.name for path in state.folder.rglob("*_00*"))
    return seen


def buttons(blend: Path) -> dict[str, Any]:
    """Every other button once: what it returned and what it left behind."""
    scene, seen = bpy.context.scene, {}
    seen["extend"] = sorted(bpy.ops.tsubu.extend(frames=1))
    seen["range"] = [scene.frame_start, scene.frame_end]
    seen["redo"] = sorted(bpy.ops.tsubu.redo(frame=13))
    seen["report"] = [*sorted(bpy.ops.tsubu.report()), list(bpy.data.images["Tsubu Report"].size)]
    seen["preflight"] = sorted(bpy.ops.tsubu.preflight())
    report = importlib.import_module(f"{MODULE}.bridge.preflight").report_of(scene)
    seen["forecast"], seen["findings"] = report.forecast, [finding.text for finding in report.findings]
    seen["prune"] = [sorted(bpy.ops.tsubu.prune(what=what)) for what in ("SURFACES", "STATES")]
    seen["reset"] = sorted(bpy.ops.tsubu.reset())
    bpy.ops.wm.save_mainfile()
    seen["farm"] = sorted(bpy.ops.tsubu.export_farm(filepath=str(blend.with_suffix(".json"))))
    seen["steps"] = [step["name"] for step in json.loads(blend.with_suffix(".json").read_text(encoding="utf-8"))["steps"]]
    seen["example"] = sorted(bpy.ops.tsubu.add_example(name="dam_break"))
    seen["example_scene"] = [bpy.context.scene.name, bpy.context.scene.camera is not None]
    bpy.context.window.scene = scene
    return seen


def gravel(blend: Path) -> dict[str, Any]:
    """Gravel by a preset, shown as stones, with a free ball that falls beside it."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.preferences.addon_enable(module=MODULE)  # factory settings switch it off
    heap = add_box("Heap", (-0.1, -0.1, 0.0), (0.1, 0.1, 0.1))
    mark(heap, "GRAINS")
    heap.tsubu.grains.size = 0.04
    bpy.ops.tsubu.preset(preset="gravel")
    bpy.ops.tsubu.stones(tone="GRAVEL")
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=0.05, location=(0.5, 0.0, 0.5))
    ball = bpy.context.object
    ball.name = "Ball"
    mark(ball, "COLLIDER")
    ball.tsubu.collider.free = True
    mark(add_box("Floor", (-1.0, -1.0, -0.1), (1.0, 1.0, 0.0)), "COLLIDER")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.tsubu.surface.enabled = False
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    seen: dict[str, Any] = {"baked": sorted(bpy.ops.tsubu.bake()), "rolling": heap.tsubu.grains.rolling, "heights": []}
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        seen["heights"].append(ball.evaluated_get(graph).matrix_world.translation.z)
        stones = [entry.object.original.name for entry in graph.object_instances if entry.is_instance]
    seen["stones"], seen["kinds"] = len(stones), len(set(stones))
    seen["points"] = sum(1 for entry in scene.objects if entry.get("tsubu_kind") == "points")
    seen["freed"] = sorted(bpy.ops.tsubu.free())
    seen["constraints"] = len(ball.constraints)
    return seen


def where(name: str) -> str:
    found = importlib.util.find_spec(name)
    return str(found.origin) if found else ""


def main(package: str, folder: str) -> None:
    seen: dict[str, Any] = {"blender": bpy.app.version_string, "numba_before": where("numba"), "before": trace()}
    bpy.ops.extensions.package_install_files(filepath=package, repo="user_default", enable_on_install=True, overwrite=True)
    seen["during"] = trace()
    seen["numba"] = where("numba")
    seen["unpacked"] = sorted(path.name for path in Path(seen["numba"]).parents[1].glob("*.dist-info"))
    seen["work"] = work(Path(folder) / "shot.blend")
    seen["gravel"] = gravel(Path(folder) / "gravel.blend")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.preferences.addon_enable(module=MODULE)  # factory settings switch it off
    bpy.ops.preferences.addon_disable(module=MODULE)
    seen["disabled"] = trace()
    bpy.ops.preferences.addon_enable(module=MODULE)
    seen["again"] = trace()
    bpy.ops.preferences.addon_disable(module=MODULE)
    seen["after"] = trace()
    seen["compilers"] = sorted(name for name in sys.modules if name.split(".")[0] in ("numba", "llvmlite"))
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # Blender's module may hang when it is torn down after a render
