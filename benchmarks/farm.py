"""Exported farm jobs, run for real by `openjd run`: every step, every task, pictures and a contact sheet at the end."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.common import print_table
from benchmarks.peers import peer_python

TITLE = "Farm jobs run by openjd-cli: bake, surface, assemble, render; wedges and their sheet"
OPENJD = "openjd-cli==0.8.0"
ROOT = Path(__file__).resolve().parents[1]


def run(quick: bool, out: Path) -> dict[str, Any]:
    place = out / "farm"
    place.mkdir(parents=True, exist_ok=True)
    frames = 4 if quick else 24
    subprocess.run([sys.executable, "-m", "benchmarks.farm_inside", str(place), str(frames)], cwd=ROOT, check=True)
    openjd = peer_python(OPENJD).parent / "openjd"
    blender = _program(place)
    rows, result = [], {}
    for name in ("frames", "wedges"):
        template = place / f"{name}.json"
        extensions = ["--extensions", "TASK_CHUNKING"]
        subprocess.run([openjd, "check", template, *extensions], check=True, capture_output=True, text=True)
        begin = time.perf_counter()
        done = subprocess.run(
            [openjd, "run", template, *extensions, "-p", f"Blender={blender}"], capture_output=True, text=True, cwd=place
        )
        seconds = time.perf_counter() - begin
        told = done.stdout + done.stderr
        (place / f"{name}.log").write_text(told, encoding="utf-8")
        if done.returncode:
            raise RuntimeError(f"openjd run {template} failed ({done.returncode}):\n{told[-3000:]}")
        tasks = len(re.findall(r"Running Task|Run Task", told)) or told.count("openjd_progress: 100.0")
        rows.append((name, tasks, told.count("openjd_progress"), f"{seconds:.1f}"))
        result |= {f"{name}_tasks": tasks, f"{name}_progress_lines": told.count("openjd_progress"), f"{name}_seconds": seconds}
    print_table(("job", "tasks", "progress lines", "seconds"), rows)
    pictures = sorted((place / "render").glob("*.png"))
    sheets = sorted(place.glob("tsubu/*/sheet.png"))
    if len(pictures) != frames or len(sheets) != 1:
        raise RuntimeError(f"{frames} pictures and a sheet were expected; there are {len(pictures)} and {len(sheets)}.")
    os.replace(sheets[0], out / "farm.png")
    return result | {"frames": frames, "pictures": len(pictures)}


def _program(place: Path) -> Path:
    """`blender` for the tasks: the module of this environment behind the program's options, unless BLENDER names a real one."""
    path = place / "blender"
    if real := os.environ.get("BLENDER"):
        return Path(real)
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT / "examples" / "bare_blender.py"}" "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path
