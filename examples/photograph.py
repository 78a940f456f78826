"""Renders one frame of a .blend in a Blender that does not have the extension; started by `python -m examples`.

python -m examples.photograph FILE.blend OUT.png --frame N
"""

import argparse
import os
import sys
from pathlib import Path

import bpy

from examples import studio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("blend", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--frame", type=int, required=True)
    arguments = parser.parse_args()
    bpy.ops.wm.open_mainfile(filepath=str(arguments.blend.resolve()), use_scripts=False)
    scene = bpy.context.scene
    if not scene.frame_start <= arguments.frame <= scene.frame_end:
        raise SystemExit(f"Frame {arguments.frame} is not baked: {arguments.blend} has {scene.frame_start} to {scene.frame_end}.")
    scene.frame_set(arguments.frame)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    studio.render(arguments.out.resolve())


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender's module may hang when it is torn down after a render
