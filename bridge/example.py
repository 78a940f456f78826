"""Examples in the artist's Blender: meshes, roles and settings, and a studio with camera, light and materials around them.

An example is a plain scene of the engine with a `Look`. It is described by a process of its own and built here, in a scene
of its own: what the artist has open stays as it is.
"""

import json
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..examples import studio
from ..examples.describe import LOOK
from ..examples.titles import titles
from ..solvers import groups, job
from ..solvers.errors import TsubuError
from ..solvers.materials import registry
from ..solvers.params import declarations
from ..solvers.scene import Body, Collider, Emitter, EmitterParams, Scene
from . import playback, several, stones, worker
from .generated import Units, stored_value
from .properties import COLLIDER, NONE

__all__ = ["Example", "add_example", "build", "describe", "set_the_stage", "titles"]


class Example(NamedTuple):
    """A scene and how it is photographed."""

    scene: Scene
    look: Any
    """The fields of `examples.look.Look`."""


def describe(name: str, quick: bool) -> Example:
    """Reads an example by running its script."""
    with tempfile.TemporaryDirectory(prefix="tsubu-example-") as place:
        folder = Path(place)
        said = worker.run_script(studio_folder() / "describe.py", name, str(folder), *(["--quick"] if quick else []))
        if said:
            raise TsubuError(f"The example {name} cannot be built: {said}")
        look = SimpleNamespace(**json.loads((folder / LOOK).read_bytes()))
        return Example(job.read(folder), look)


def studio_folder() -> Path:
    return Path(studio.__file__).resolve().parent


def add_example(context: Any, name: str) -> Any:
    """Builds an example in a new scene, ready to be baked as a preview; returns the scene."""
    example = describe(name, quick=False)
    scene = bpy.data.scenes.new(example.scene.name)
    context.window.scene = scene
    studio.prepare(scene, 960, 540, 36)
    colliders = build(scene, example)
    scene.tsubu.quality, scene.tsubu.preview_detail, scene.tsubu.coarsen_grains = "PREVIEW", example.look.preview, True
    set_the_stage(scene, example, colliders)
    _show(context, scene)
    scene.frame_set(min(example.look.frame, scene.frame_end))  # where a render shows what it is about
    return scene


def _show(context: Any, scene: Any) -> None:
    """What is simulated is active, so that its settings are there to see, and 3-D views look through the camera."""
    marked = [item for item in scene.objects if item.tsubu.role not in (NONE, COLLIDER)]
    for item in scene.objects:
        item.select_set(item == marked[0])
    context.view_layer.objects.active = marked[0]
    for area in context.window.screen.areas if not bpy.app.background else ():
        if area.type == "VIEW_3D":
            area.spaces.active.region_3d.view_perspective = "CAMERA"


def build(scene: Any, example: Example) -> dict[str, Any]:
    """Objects, roles and settings; returns the colliders' objects by name in the engine."""
    world = example.scene.world
    rate = max(1, round(world.frames_per_second))
    scene.render.fps, scene.render.fps_base = rate, rate / world.frames_per_second
    scene.frame_start, scene.frame_end, scene.gravity = world.frame_start, world.frame_end, world.gravity
    _set(scene.tsubu.world, world)
    _set(scene.tsubu.surface, example.scene.surface)
    scene.tsubu.sizing = "SPACING"
    for body in example.scene.bodies:
        item = _add(body, body.kind.upper())
        item.tsubu.velocity, item.tsubu.spin, item.tsubu.output = body.velocity, body.spin, body.output
        _set(getattr(item.tsubu, body.kind), body.params)
        if body.name in example.look.materials:  # before the bake: a solid's own mesh keeps what it has
            item.data.materials.append(studio.wall_material(example.look.materials[body.name]))
        if example.look.stones and registry.find(body.kind, body.name).turns:
            item.tsubu.instance_collection = stones.stones_collection(example.look.stones)
    for emitter in example.scene.emitters:
        item = _add(emitter, "EMITTER")
        item.tsubu.emitter_kind, item.tsubu.output = emitter.kind, emitter.output
        _set(item.tsubu.emitter, emitter.params)
        item.tsubu.emitter.stops = emitter.params.end < EmitterParams().end
        if not item.tsubu.emitter.stops:
            item.tsubu.emitter.property_unset("end")
        _set(getattr(item.tsubu, emitter.kind), emitter.material)
        if emitter.motion is not None:
            _animate(item, emitter.motion, world.frame_start)
    colliders = {}
    for collider in example.scene.colliders:
        item = colliders[collider.name] = _add(collider, "COLLIDER")
        _set(item.tsubu.collider, collider.params)
        for setting, weights in collider.weights.items():
            _paint(item, getattr(collider.params, f"{setting}_group"), weights)
        if collider.motion is not None:
            _animate(item, collider.motion, world.frame_start)
    return colliders


def _set(group: Any, params: Any) -> None:
    """Copies the engine's parameters into a property group."""
    for entry in declarations(type(params)):
        if hasattr(group, entry.name):
            setattr(group, entry.name, stored_value(getattr(params, entry.name), entry, Units()))


def _add(entry: Body | Collider | Emitter, role: str) -> Any:
    if entry.mesh.deforming:
        raise TsubuError(f"{entry.name} deforms; examples in Blender are rigid.")
    item = studio.add_mesh(entry.name, entry.mesh.at(0), entry.mesh.triangles, smooth=len(entry.mesh.triangles) > 400)
    several.mark(item, role)
    return item


def _paint(item: Any, name: str, weights: np.ndarray) -> None:
    """A vertex group with these weights (n,), as an artist would have painted it."""
    group = item.vertex_groups.get(name) or item.vertex_groups.new(name=name)
    for vertex, weight in enumerate(weights.tolist()):
        if weight > 0.0:
            group.add([vertex], weight, "REPLACE")


def _animate(item: Any, motion: np.ndarray, first: int) -> None:
    """Keys for every frame's matrix (n, 4, 4)."""
    from mathutils import Matrix

    item.rotation_mode = "QUATERNION"
    for index, matrix in enumerate(motion):
        item.matrix_world = Matrix(matrix.tolist())
        for path in ("location", "rotation_quaternion", "scale"):
            item.keyframe_insert(path, frame=first + index)


def set_the_stage(scene: Any, example: Example, colliders: dict[str, Any]) -> None:
    """Materials, ground, light and camera. None of it is simulated."""
    outputs = groups.outputs_of(groups.sources_of(example.scene))
    for source in groups.sources_of(example.scene):
        own = studio.body_material(source.kind, example.look)
        if own is None and source.name in example.look.materials:
            own = studio.wall_material(example.look.materials[source.name])
        if own:
            playback.remember_material(scene, outputs[source.name], own)
    for name, item in colliders.items():
        _dress(item, example.look.materials.get(name, "stone"))
    low, high = _bounds(example.scene)
    size = float(np.linalg.norm(high - low))
    studio.add_ground(float(low[2]) - 2.0e-3 * size, size, tuple(example.look.backdrop))
    studio.light(low, high)
    scene.view_settings.exposure = example.look.exposure
    studio.add_camera(example.look.camera, example.look.target, example.look.lens, example.look.f_stop)


def _dress(item: Any, style: str) -> None:
    if style == "hidden":
        item.hide_render = True
    elif style == "pane":
        studio.show_as_wall(item)
    else:
        item.data.materials.append(studio.wall_material(style))
        if len(item.data.polygons) > 400:
            item.modifiers.new("Edges", "EDGE_SPLIT").split_angle = 0.7


def _bounds(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    meshes = [entry.mesh.at(0) for entry in (*scene.bodies, *scene.emitters)]
    meshes += [entry.mesh.at(0) for entry in scene.colliders if entry.motion is None and np.ptp(entry.mesh.at(0)[:, 2]) > 0.0]
    everything = np.concatenate(meshes)
    return everything.min(axis=0), everything.max(axis=0)
