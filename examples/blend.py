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

from examples import studio

MODULE = "bl_ext.user_default.tsubu"


def install(package: Path) -> None:
    """Installs the zip into the user folder that BLENDER_USER_RESOURCES names."""
    bpy.ops.extensions.package_install_files(filepath=str(package), repo="user_default", enable_on_install=True, overwrite=True)
    if MODULE not in bpy.context.preferences.addons:
        raise SystemExit(f"Blender did not install {package}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("out", type=Path)
    parser.add_argument("package", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--threads", type=int, default=0)
    arguments = parser.parse_args()
    install(arguments.package)
    builder: Any = import_module(f"{MODULE}.bridge.example")
    example = builder.describe(arguments.name, arguments.quick)
    scene = studio.empty_scene(*((480, 270, 12) if arguments.quick else (960, 540, 36)))
    scene.tsubu.threads = arguments.threads
    builder.set_the_stage(scene, example, builder.build(scene, example))
    bpy.ops.wm.save_as_mainfile(filepath=str(arguments.out))
    if bpy.ops.tsubu.bake() != {"FINISHED"}:
        raise SystemExit("The bake did not finish.")
    bpy.ops.wm.save_mainfile()


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:  # what an operator reports as an error
        print(error, file=sys.stderr, flush=True)
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)  # Blender's module may hang when it is torn down with an extension registered
