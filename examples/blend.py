"""An example as an artist would set it up: meshes in Blender, marked and baked by the operators of the installed extension.

    python -m examples.blend NAME OUT.blend ZIP [--quick] [--threads N]      with BLENDER_USER_RESOURCES set

Writes OUT.blend with the scene, the bake beside it in tsubu/, and everything that a picture needs. The picture itself is
taken by `examples.photograph` in a Blender that does not have the extension.
"""

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from examples import studio
from examples.look import Look
from examples.solids import stone
from solvers import Body, Collider, Emitter, Scene
from solvers.params import declarations

MODULE = "bl_ext.user_default.tsubu"


def install(package: Path) -> None:
    """Installs the zip into the user folder that BLENDER_USER_RESOURCES names."""
    bpy.ops.extensions.package_install_files(filepath=str(package), repo="user_default", enable_on_install=True, overwrite=True)
    if MODULE not in bpy.context.preferences.addons:
        raise SystemExit(f"Blender did not install {package}.")


def _set(group: Any, params: Any) -> None:
    """Copies the engine's parameters into a property group."""
    generated = import_module(f"{MODULE}.bridge.generated")
    for entry in declarations(type(params)):
        if hasattr(group, entry.name):
            setattr(group, entry.name, generated.stored_value(getattr(params, entry.name), entry, generated.Units()))


def _mark(item: Any, role: str) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    item.select_set(True)
    bpy.context.view_layer.objects.active = item
    if bpy.ops.tsubu.mark(role=role) != {"FINISHED"}:
        raise SystemExit(f"{item.name} could not be marked as {role}.")


def _add(entry: Body | Collider | Emitter, role: str) -> Any:
    if entry.mesh.deforming:
        raise SystemExit(f"{entry.name} deforms; examples in Blender are rigid.")
    item = studio.add_mesh(entry.name, entry.mesh.at(0), entry.mesh.triangles, smooth=len(entry.mesh.triangles) > 400)
    _mark(item, role)
    return item


def _animate(item: Any, motion: np.ndarray, first: int) -> None:
    """Keys for every frame's matrix (n, 4, 4)."""
    from mathutils import Matrix

    item.rotation_mode = "QUATERNION"
    for index, matrix in enumerate(motion):
        item.matrix_world = Matrix(matrix.tolist())
        for path in ("location", "rotation_quaternion", "scale"):
            item.keyframe_insert(path, frame=first + index)


def build(scene: Scene, threads: int) -> dict[str, Any]:
    """Objects and settings; returns the colliders' objects by name."""
    stage = bpy.context.scene
    world = scene.world
    stage.render.fps, stage.render.fps_base = (rate := max(1, round(world.frames_per_second))), rate / world.frames_per_second
    stage.frame_start, stage.frame_end, stage.gravity = world.frame_start, world.frame_end, world.gravity
    _set(stage.tsubu.world, world)
    _set(stage.tsubu.surface, scene.surface)
    stage.tsubu.sizing, stage.tsubu.threads = "SPACING", threads
    for body in scene.bodies:
        item = _add(body, body.kind.upper())
        item.tsubu.velocity, item.tsubu.spin = body.velocity, body.spin
        if body.params is not None:
            _set(getattr(item.tsubu, body.kind), body.params)
    for emitter in scene.emitters:
        item = _add(emitter, "EMITTER")
        item.tsubu.emitter_kind = emitter.kind
        _set(item.tsubu.emitter, emitter.params)
        if emitter.material is not None:
            _set(getattr(item.tsubu, emitter.kind), emitter.material)
        if emitter.motion is not None:
            _animate(item, emitter.motion, world.frame_start)
    colliders = {}
    for collider in scene.colliders:
        item = colliders[collider.name] = _add(collider, "COLLIDER")
        _set(item.tsubu.collider, collider.params)
        if collider.motion is not None:
            _animate(item, collider.motion, world.frame_start)
    return colliders


def _material(style: str) -> Any:
    if style == "clay":
        return studio.new_material("Clay", (0.72, 0.19, 0.09), 0.45, Coat_Weight=0.35)
    if style == "steel":
        return studio.new_material("Steel", (0.55, 0.57, 0.60), 0.25, Metallic=1.0)
    if style == "rubber":
        return studio.new_material("Rubber", (0.022, 0.022, 0.024), 0.55)
    if style == "porcelain":
        return studio.new_material("Porcelain", (0.86, 0.84, 0.79), 0.25, Coat_Weight=0.6)
    return studio.new_material("Stone", (0.33, 0.34, 0.35), 0.7)


def _dress(item: Any, style: str) -> None:
    if style == "hidden":
        item.hide_render = True
    elif style == "pane":
        studio.show_as_wall(item)
    else:
        item.data.materials.append(_material(style))
        if len(item.data.polygons) > 400:
            item.modifiers.new("Edges", "EDGE_SPLIT").split_angle = 0.7


def add_stones(scene: Scene, count: int) -> None:
    """Stones in a collection that is not rendered itself; every body of grains shows them."""
    collection = bpy.data.collections.new("Stones")
    for number in range(count):
        mesh = stone(number)
        item = studio.add_mesh(f"Stone {number}", mesh.vertices, mesh.triangles, studio.stone_material(), smooth=True)
        bpy.context.scene.collection.objects.unlink(item)
        collection.objects.link(item)
    for body in scene.bodies:
        bpy.data.objects[body.name].tsubu.instance_collection = collection


def _bounds(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    meshes = [entry.mesh.at(0) for entry in (*scene.bodies, *scene.emitters)]
    meshes += [entry.mesh.at(0) for entry in scene.colliders if entry.motion is None and np.ptp(entry.mesh.at(0)[:, 2]) > 0.0]
    everything = np.concatenate(meshes)
    return everything.min(axis=0), everything.max(axis=0)


def set_the_stage(scene: Scene, look: Look, colliders: dict[str, Any]) -> None:
    """Materials, ground, light and camera, after the bake: none of it is simulated."""
    water = studio.water_material(look.clear_depth)
    for item in bpy.context.scene.objects:
        if "tsubu_kind" in item and item.material_slots[0].material is None:  # grains and foam have a look of their own already
            item.material_slots[0].material = water
    for name, item in colliders.items():
        _dress(item, look.materials.get(name, "stone"))
    low, high = _bounds(scene)
    size = float(np.linalg.norm(high - low))
    studio.add_ground(float(low[2]) - 2.0e-3 * size, size)
    studio.light(low, high)
    studio.add_camera(look.camera, look.target, look.lens)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("out", type=Path)
    parser.add_argument("package", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--threads", type=int, default=0)
    arguments = parser.parse_args()
    example: Any = import_module(f"examples.{arguments.name}")
    scene: Scene = example.scene(quick=arguments.quick)
    install(arguments.package)
    studio.empty_scene(*((480, 270, 12) if arguments.quick else (960, 540, 36)))
    colliders = build(scene, arguments.threads)
    if example.LOOK.stones:
        add_stones(scene, example.LOOK.stones)
    bpy.ops.wm.save_as_mainfile(filepath=str(arguments.out))
    if bpy.ops.tsubu.bake() != {"FINISHED"}:
        raise SystemExit("The bake did not finish.")
    set_the_stage(scene, example.LOOK, colliders)
    bpy.ops.wm.save_mainfile()


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:  # what an operator reports as an error
        print(error, file=sys.stderr, flush=True)
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)  # Blender's module may hang when it is torn down with an extension registered
