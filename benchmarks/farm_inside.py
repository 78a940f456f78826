"""Inside Blender: a small dam break, saved, and its two farm jobs. python -m benchmarks.farm_inside FOLDER FRAMES"""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import bpy

from examples import studio
from examples.addon import load_addon


def main(folder: Path, frames: int) -> None:
    shutil.rmtree(folder / "tsubu", ignore_errors=True)
    shutil.rmtree(folder / "render", ignore_errors=True)
    load_addon().register()
    scene: Any = studio.empty_scene(320, 180, 8)
    scene.frame_end, scene.render.fps = frames, 60
    scene.tsubu.resolution = 12
    parts = (
        ("Column", (0.2, 0.25, 0.3), (0.1, 0.125, 0.15), "WATER"),
        ("Tank", (0.6, 0.25, 0.4), (0.3, 0.125, 0.2), "COLLIDER"),
    )
    for name, size, place, role in parts:
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=place)
        item: Any = bpy.context.object
        item.name, item.scale = name, size
        item.tsubu.role = role
    tank = bpy.data.objects["Tank"]
    tank.data.flip_normals()
    tank.hide_render = bpy.data.objects["Column"].hide_render = True
    studio.add_ground(-0.002, 0.8)
    studio.light((0.0, 0.0, 0.0), (0.6, 0.25, 0.4))
    studio.add_camera((-0.3, -1.0, 0.5), (0.28, 0.12, 0.12), 50.0)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "dam.blend"))
    bpy.ops.tsubu.export_farm(filepath=str(folder / "frames.json"), chunk=2)
    scene.frame_set(frames)
    scene.tsubu.wedge_setting, scene.tsubu.wedge_values = "world.gravity", "0,0,-2 0,0,-10 0,0,-40"
    bpy.ops.tsubu.export_wedges(filepath=str(folder / "wedges.json"))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), int(sys.argv[2]))
    sys.stdout.flush()
    os._exit(0)
