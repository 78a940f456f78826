"""A stand-in for the program `blender` where only its Python module is installed: the options that farm jobs use.

    python bare_blender.py -b FILE.blend -c tsubu WORDS...
    python bare_blender.py -b FILE.blend [--python-exit-code N] --python SCRIPT -- WORDS...

The extension is this repository, registered for -c only: scripts run in a Blender without it.
"""

import os
import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy

from examples.addon import NAME, load_addon


def main(words: list[str]) -> int:
    if words[:1] != ["-b"]:
        raise SystemExit(f"Only -b FILE is known, not {words}.")
    bpy.ops.wm.open_mainfile(filepath=words[1])
    if words[2] == "-c":
        load_addon().register()
        from importlib import import_module

        # Registering made the scene's settings readable; opening again is what Blender does, in the other order.
        bpy.ops.wm.open_mainfile(filepath=words[1])
        return import_module(f"{NAME}.bridge.cli").main(words[4:])
    sys.argv = ["blender", *words]
    runpy.run_path(words[words.index("--python") + 1], run_name="__main__")
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # Blender's module may hang when it is torn down with an extension registered
