"""How long an artist waits before the first frame: with an empty compile cache, and ever after."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, bars, print_table
from solvers import Body, Collider, Mesh, Scene, WorldParams, job

TITLE = "Seconds from starting the worker to the end of a tiny bake, compile cache empty and full"


def tiny_scene() -> Scene:
    """A litre of water in a tank, one frame beyond the first: what remains is starting."""
    return Scene(
        "Start",
        bodies=(Body("Water", "water", Mesh.box((0.0, 0.0, 0.0), (0.1, 0.1, 0.1))),),
        colliders=(Collider("Tank", Mesh.open_box((0.0, 0.0, 0.0), (0.2, 0.1, 0.2))),),
        world=WorldParams(spacing=0.01, frame_end=2),
    )


def bake_seconds(folder: Path, cache: Path) -> float:
    """Wall-clock time of `python -m solvers bake` in a new process."""
    job.write(tiny_scene(), folder)
    environment = os.environ | {"TSUBU_JIT_CACHE": str(cache)}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "solvers", "bake", str(folder)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"The bake failed:\n{(done.stdout + done.stderr)[-2000:]}")
    return time.perf_counter() - start


def run(quick: bool, out: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        first = bake_seconds(place / "first", place / "cache")
        warm = [bake_seconds(place / f"warm{index}", place / "cache") for index in range(2 if quick else 5)]
    rows = [["Compile cache empty", first], ["Compile cache full (best)", min(warm)], ["Compile cache full (worst)", max(warm)]]
    print_table(["start", "seconds"], rows)
    bars(out / "startup.png", {"first bake": first, "later bakes": min(warm)}, title="Seconds until a tiny bake is done", y="s")
    return {"first_bake_seconds": first, "warm_bake_seconds": min(warm)}
