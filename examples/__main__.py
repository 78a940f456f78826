"""`python -m examples` lists; `python -m examples NAME [--quick]` bakes a scene and renders one frame of it."""

import argparse
import ast
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from solvers import TsubuError, job

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def titles() -> dict[str, str]:
    """Name → title of every example, read without importing them."""
    found: dict[str, str] = {}
    for path in sorted(HERE.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                if any(isinstance(target, ast.Name) and target.id == "TITLE" for target in node.targets):
                    found[path.stem] = str(node.value.value)
    return found


def _started(arguments: list[str], log: Path | None = None) -> None:
    """Runs a Python module of this repository; a failure ends the program with its last words."""
    command = [sys.executable, "-m", *arguments]
    if log is None:
        code = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL).returncode
        if code:
            raise SystemExit(code)
        return
    with open(log, "w", encoding="utf-8") as stream:
        code = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT).returncode
    if code:
        print(log.read_text(encoding="utf-8", errors="replace")[-2000:], file=sys.stderr)
        raise SystemExit(code)


def demonstrate(name: str, arguments: argparse.Namespace) -> None:
    """Job, bake, picture."""
    example: Any = import_module(f"examples.{name}")
    out: Path = arguments.out.resolve()
    bake, picture = out / name, out / f"{name}.png"
    start = time.perf_counter()
    if not arguments.render_only:
        scene = example.scene(quick=arguments.quick)
        job.write(scene, bake)
        print(f"Baking {scene.name}, frames {scene.world.frame_start} to {scene.world.frame_end}, into {bake}", flush=True)
        _started(["solvers", "bake", str(bake), *(["--threads", str(arguments.threads)] if arguments.threads else [])])
        print(f"Baked in {time.perf_counter() - start:.0f} s", flush=True)
    if arguments.bake_only:
        return
    frame = example.LOOK.frame if arguments.frame is None else arguments.frame
    if arguments.quick and arguments.frame is None:
        frame = min(frame, example.scene(quick=True).world.frame_end)
    print(f"Rendering frame {frame} with Cycles", flush=True)
    begun = time.perf_counter()
    words = ["examples.photograph", name, str(bake), str(picture), "--frame", str(frame)]
    _started([*words, *(["--quick"] if arguments.quick else [])], log=out / f"{name}_render.log")
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
    except TsubuError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
