"""The first five minutes: every entry of Add › Tsubu Example, checked, baked and rendered as the menu adds it.

The extension is installed from its zip; the pictures lie beside the bakes and side by side on previews.png.
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
from solvers.jit_cache import cache_root
from tools.package import build, here

TITLE = "Every example at preview: processor time, what the check foretold, and how right the time left was"
_QUICK = ("slope", "dew")
_SETTLED = 5
"""Frames after which the time left should be right."""


def run(quick: bool, out: Path) -> dict[str, Any]:
    place = out / "previews"
    platform, python = here()
    package = build(place / "package", (platform,), (python,), ROOT / "wheels")[0].path
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str((place / "user").resolve())}
    environment.setdefault("TSUBU_JIT_CACHE", str(cache_root()))  # compiled already
    names = os.environ.get("ONLY", "").split() or list(_QUICK if quick else titles())
    rows, result = [], {}
    for name in names:
        words = [sys.executable, "-m", "benchmarks.previews_inside", name, str(place / name), str(package)]
        said = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
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
            "render": seen["render"],
        }
        rows.append((name, *row.values(), "; ".join(seen["findings"])))
        result |= {f"{name}_{key}": (None if value != value else value) for key, value in row.items()}
        print(name, json.dumps(row), seen["findings"], flush=True)
    head = ("example", "particles", "processor s", "in frames s", "time told/real", "disk", "memory", "left ± ¼", "render s")
    print_table((*head, "found"), rows)
    _side_by_side([place / name / f"{name}.png" for name in titles()], out / "previews.png")
    return result


def _side_by_side(paths: list[Path], sheet: Path) -> None:
    """All pictures that there are, four in a row."""
    from matplotlib import pyplot

    there = [path for path in paths if path.is_file()]
    rows = max(1, -(-len(there) // 4))
    figure, places = pyplot.subplots(rows, 4, figsize=(20.0, 3.1 * rows), squeeze=False)
    for axes in places.flat:
        axes.axis("off")
    for axes, path in zip(places.flat, there, strict=False):
        axes.imshow(pyplot.imread(path))
        axes.set_title(path.stem.replace("_", " "), fontsize=11)
    figure.tight_layout()
    figure.savefig(sheet, dpi=72)
    pyplot.close(figure)


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
