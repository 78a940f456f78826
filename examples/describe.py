"""Writes an example as a job folder, with how it is photographed in look.json: what Blender needs to build it.

    python describe.py NAME FOLDER [--quick]

A process of its own, because examples import the engine by its plain name, which inside Blender is the extension's.
"""

import os
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

LOOK = "look.json"


def describe(name: str, folder: Path, quick: bool) -> None:
    from examples.titles import titles
    from solvers import job
    from solvers.bake import files

    if name not in titles():
        raise SystemExit(f"There is no example {name!r}; known are {', '.join(titles())}.")
    example: Any = import_module(f"examples.{name}")
    job.write(example.scene(quick=quick), folder)
    look = asdict(example.LOOK)
    files.write_bytes(folder / LOOK, files.json_bytes(look, indent=1))


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    sys.path.insert(0, os.path.dirname(here))
    sys.path += [entry for entry in os.environ.get("TSUBU_IMPORT_PATHS", "").split(os.pathsep) if entry]
    describe(sys.argv[1], Path(sys.argv[2]), "--quick" in sys.argv)
