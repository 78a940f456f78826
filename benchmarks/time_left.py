"""How right the time left is that a bake tells: after every frame, against how long the rest really took."""

import time
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table
from solvers import Body, Collider, Emitter, EmitterParams, Mesh, Scene, WorldParams
from solvers.bake.start import bake_scene
from solvers.bake.watching import BakeWatch
from solvers.bake.worker import Options

TITLE = "Time left that a bake tells, against how long the rest really took"
_SETTLED = 5
"""Frames after which the foretelling should be right."""


def run(quick: bool, out: Path) -> dict[str, Any]:
    lines, rows, result = [], [], {}
    for name, scene in (("dam", _dam(quick)), ("pour", _pour(quick))):
        frames, ratio = _told(scene, out / "time_left" / name)
        kept = (frames >= scene.world.frame_start + _SETTLED) & (frames <= scene.world.frame_end - 2)
        within = float(np.mean(np.abs(ratio[kept] - 1.0) <= 0.25))
        worst = float(np.abs(ratio[kept] - 1.0).max())
        rows.append((name, len(frames), f"{100.0 * within:.0f} %", f"{worst:.2f}"))
        result |= {f"{name}_within_quarter": within, f"{name}_worst": worst}
        lines.append(Line(name, frames, ratio))
    print_table(("scene", "frames", "told within a quarter", "worst"), rows)
    plot(out / "time_left.png", lines, title="Time left: told / real", x="frame", y="ratio")
    return result


def _told(scene: Scene, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Frames, and the time left told after each divided by the time that the rest took."""
    marks: list[tuple[int, float, float | None]] = []

    class Listening(BakeWatch):
        def finish_frame(self, frame: int, seconds: float, totals: Mapping[str, Any]) -> None:
            super().finish_frame(frame, seconds, totals)
            marks.append((frame, time.perf_counter(), self._fields["seconds_left"]))

    worker: Any = import_module("solvers.bake.worker")
    plain = worker.BakeWatch
    worker.BakeWatch = Listening
    try:
        bake_scene(scene, folder, Options(log=lambda _: None))
    finally:
        worker.BakeWatch = plain
    end = marks[-1][1]
    known = [(frame, told / (end - when)) for frame, when, told in marks[:-1] if told is not None]
    return np.array([frame for frame, _ in known]), np.array([ratio for _, ratio in known])


def _dam(quick: bool) -> Scene:
    return Scene(
        "Dam",
        bodies=(Body("Column", "water", Mesh.box((0, 0, 0), (0.15, 0.2, 0.3))),),
        colliders=(Collider("Tank", Mesh.open_box((0, 0, 0), (0.5, 0.2, 0.4))),),
        world=WorldParams(spacing=0.015 if quick else 0.006, frames_per_second=48.0, frame_end=40),
    )


def _pour(quick: bool) -> Scene:
    """The number of particles grows from nothing: each frame takes longer than the one before."""
    return Scene(
        "Pour",
        emitters=(Emitter("Spout", "water", Mesh.box((0.1, 0.1, 0.3), (0.16, 0.16, 0.33)), EmitterParams(speed=1.0)),),
        colliders=(Collider("Tank", Mesh.open_box((0, 0, 0), (0.3, 0.3, 0.3))),),
        world=WorldParams(spacing=0.01 if quick else 0.005, frames_per_second=24.0, frame_end=40),
    )
