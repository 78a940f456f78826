"""The first five minutes: every entry of Add › Tsubu Example, checked and baked at preview as the menu adds it.

`python -m benchmarks previews`; the variable ONLY names some of them: ONLY="slope dew".
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, print_table
from examples.titles import titles
from solvers.bake import manifest
from solvers.bake.time_left import seconds_left

TITLE = "Every example at preview: processor time, what the check foretold, and how right the time left was"
_QUICK = ("slope", "dew")
_SETTLED = 5
"""Frames after which the time left should be right."""


def run(quick: bool, out: Path) -> dict[str, Any]:
    place = out / "previews"
    names = os.environ.get("ONLY", "").split() or list(_QUICK if quick else titles())
    rows, result = [], {}
    for name in names:
        words = [sys.executable, "-m", "benchmarks.previews_inside", name, str(place / name)]
        said = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
        if said.returncode:
            raise RuntimeError(f"{name}: {said.stderr[-3000:]}")
        seen = json.loads(said.stdout.strip().splitlines()[-1])
        frames = _frames(Path(seen["folder"]))
        simulated = float(frames[:, 1].sum())
        within = _within_quarter(frames)
        foretold = seen["forecast"]["seconds"]
        ratio = foretold / simulated if foretold else float("nan")
        row = {
            "particles": int(frames[:, 0].max()),
            "processor": seen["processor"],
            "seconds": simulated,
            "time": ratio,
            "disk": seen["forecast"]["disk"] / seen["disk"],
            "memory": seen["forecast"]["memory"] / seen["memory"],
            "within": within,
        }
        rows.append((name, *row.values(), "; ".join(seen["findings"])))
        result |= {f"{name}_{key}": (None if value != value else value) for key, value in row.items()}
        print(name, json.dumps(row), seen["findings"], flush=True)
    head = ("example", "particles", "processor s", "in frames s", "time told/real", "disk", "memory", "left ± ¼", "found")
    print_table(head, rows)
    return result


def _frames(folder: Path) -> np.ndarray:
    """Particles and seconds of every frame, float64 (n, 2)."""
    found = manifest.read(folder).frames
    return np.array([(found[frame]["particles"], found[frame]["seconds"]) for frame in sorted(found)], dtype=np.float64)


def _within_quarter(frames: np.ndarray) -> float:
    """Part of the frames after which the time left is told within a quarter of what the rest took; the last two are left out."""
    good = []
    for done in range(_SETTLED, len(frames) - 2):
        told = seconds_left([(int(count), seconds) for count, seconds in frames[1:done]], len(frames) - done)
        good.append(told is not None and abs(told / frames[done:, 1].sum() - 1.0) <= 0.25)
    return float(np.mean(good)) if good else float("nan")
