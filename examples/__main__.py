"""`python -m examples` lists; `python -m examples NAME [--quick]` bakes a scene and renders one frame of it.

The scene is built, marked and baked in Blender by the packaged and installed extension, and rendered without it.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from examples.titles import HERE, titles
from solvers.bake import status
from tools.package import PackagingError, build, here

ROOT = HERE.parent


def _started(arguments: list[str], log: Path, progress: Path | None = None, **environment: str) -> None:
    """Runs a Python module of this repository; a failure ends the program with its last words.

    progress: a folder in which a bake writes its status; how far it is, is printed.
    """
    with open(log, "w", encoding="utf-8") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
        when = time.monotonic()
        while process.poll() is None:
            time.sleep(0.1)
            if progress and time.monotonic() - when > 5.0:
                when = time.monotonic()
                if words := _progress(progress):
                    print(f"  {words}", flush=True)
    if process.returncode:
        print(log.read_text(encoding="utf-8", errors="replace")[-2000:], file=sys.stderr)
        raise SystemExit(process.returncode)


def _progress(folder: Path) -> str:
    """How far the bake below `folder` is: "simulating, frame 12 of 36, 140 000 particles"."""
    found = [values for path in folder.glob(f"*/{status.STATUS}") if (values := status.read(path.parent))]
    if not found or found[0].get("phase") in (None, *status.FINAL):
        return ""
    values = found[0]
    count = f"{int(values.get('particles') or 0):,}".replace(",", " ")
    return f"{values['phase']}, frame {values.get('frame')} of {values.get('frame_end')}, {count} particles"


def demonstrate(name: str, arguments: argparse.Namespace) -> None:
    """Package, install, mark, bake, render: what an artist does, without a window."""
    example: Any = import_module(f"examples.{name}")
    out: Path = arguments.out.resolve()
    place, picture = out / name, out / f"{name}.png"
    blend = place / f"{name}.blend"
    start = time.perf_counter()
    if not arguments.render_only:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        platform, python = here()
        package = build(out / "package", (platform,), (python,), ROOT / "wheels")[0]
        print(f"Packaged {package.path.name}, {package.megabytes:.0f} MB", flush=True)
        scene = example.scene(quick=arguments.quick)
        print(f"Baking {scene.name}, frames {scene.world.frame_start} to {scene.world.frame_end}, beside {blend}", flush=True)
        words = ["examples.blend", name, str(blend), str(package.path), "--threads", str(arguments.threads)]
        # A user folder of the demo's own; compiled kernels stay in it for the next demo.
        folders = {"BLENDER_USER_RESOURCES": str(out / "user"), "TSUBU_JIT_CACHE": str(out / "user" / "jit")}
        quick = ["--quick"] if arguments.quick else []
        _started([*words, *quick], out / f"{name}_bake.log", place / "tsubu", **folders)
        print(f"Baked in {time.perf_counter() - start:.0f} s", flush=True)
    if arguments.bake_only:
        return
    frame = example.LOOK.frame if arguments.frame is None else arguments.frame
    if arguments.quick and arguments.frame is None:
        frame = min(frame, example.scene(quick=True).world.frame_end)
    print(f"Rendering frame {frame} with Cycles, in a Blender without the extension", flush=True)
    begun = time.perf_counter()
    words = ["examples.photograph", str(blend), str(picture), "--frame", str(frame)]
    _started(words, out / f"{name}_render.log", BLENDER_USER_RESOURCES=str(out / "nobody"))
    print(f"Rendered in {time.perf_counter() - begun:.0f} s")
    print(f"The picture is {picture}")


def main() -> int:
    known = titles()
    parser = argparse.ArgumentParser(prog="python -m examples", description=__doc__)
    parser.add_argument("name", nargs="?", help="which one; without it they are listed")
    parser.add_argument("--quick", action="store_true", help="few particles and a small picture: seconds instead of minutes")
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder of the bake and the picture")
    parser.add_argument("--frame", type=int, help="frame to render; without it the example's best one")
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--bake-only", action="store_true")
    only.add_argument("--render-only", action="store_true", help="photograph a bake that is there already")
    arguments = parser.parse_args()
    if arguments.name is None:
        width = max(map(len, known), default=0)
        for name, title in known.items():
            print(f"{name.ljust(width)}  {title}")
        return 0
    if arguments.name not in known:
        print(f"There is no example {arguments.name!r}; known are {', '.join(known)}.", file=sys.stderr)
        return 2
    try:
        demonstrate(arguments.name, arguments)
    except PackagingError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
