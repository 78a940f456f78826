"""Renders one frame of a baked example; started by `python -m examples` in a process of its own.

    python -m examples.photograph NAME BAKE OUT.png [--frame N] [--quick]
"""

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from examples import studio
from examples.addon import playback
from examples.look import Look
from solvers import Collider, Scene
from solvers.job import read


def _material(style: str) -> Any:
    if style == "clay":
        return studio.new_material("Clay", (0.72, 0.19, 0.09), 0.45, Coat_Weight=0.35)
    if style == "steel":
        return studio.new_material("Steel", (0.55, 0.57, 0.60), 0.25, Metallic=1.0)
    if style == "porcelain":
        return studio.new_material("Porcelain", (0.86, 0.84, 0.79), 0.25, Coat_Weight=0.6)
    return studio.new_material("Stone", (0.33, 0.34, 0.35), 0.7)


def _add_collider(collider: Collider, style: str, frame_index: int) -> None:
    if style == "hidden":
        return
    count = len(collider.mesh.triangles)
    item = studio.add_mesh(collider.name, collider.mesh.at(frame_index), collider.mesh.triangles, smooth=count > 400)
    if collider.motion is not None:
        from mathutils import Matrix

        item.matrix_world = Matrix(collider.motion[min(frame_index, len(collider.motion) - 1)].tolist())
    if style == "pane":
        studio.show_as_wall(item)
        return
    item.data.materials.append(_material(style))
    if count > 400:
        item.modifiers.new("Edges", "EDGE_SPLIT").split_angle = 0.7


def _bounds(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    meshes = [entry.mesh.at(0) for entry in (*scene.bodies, *scene.emitters)]
    meshes += [entry.mesh.at(0) for entry in scene.colliders if entry.motion is None and np.ptp(entry.mesh.at(0)[:, 2]) > 0.0]
    everything = np.concatenate(meshes)
    return everything.min(axis=0), everything.max(axis=0)


def photograph(look: Look, bake: Path, out: Path, frame: int, quick: bool) -> None:
    """Writes the picture `out` of the bake's `frame`."""
    scene = read(bake)
    stage = studio.empty_scene(*((480, 270, 12) if quick else (960, 540, 36)))
    stage.render.fps = max(1, round(scene.world.frames_per_second))
    player = playback()
    loaded = player.load_bake(stage, bake)
    if not loaded.first <= frame <= loaded.last:
        raise SystemExit(f"Frame {frame} is not baked: {bake} holds {loaded.first} to {loaded.last}.")
    water = studio.water_material(look.clear_depth)
    for item in loaded.objects:
        player.set_material(item, water)
    for collider in scene.colliders:
        _add_collider(collider, look.materials.get(collider.name, "stone"), frame - scene.world.frame_start)
    low, high = _bounds(scene)
    size = float(np.linalg.norm(high - low))
    studio.add_ground(float(low[2]) - 2.0e-3 * size, size)
    studio.light(low, high)
    studio.add_camera(look.camera, look.target, look.lens)
    stage.frame_set(frame)
    out.parent.mkdir(parents=True, exist_ok=True)
    studio.render(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("bake", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--frame", type=int)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    look: Look = import_module(f"examples.{arguments.name}").LOOK
    frame = look.frame if arguments.frame is None else arguments.frame
    photograph(look, arguments.bake.resolve(), arguments.out.resolve(), frame, arguments.quick)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender's module may hang when it is torn down after a render
