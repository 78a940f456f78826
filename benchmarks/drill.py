"""A lumpy animal turns and plunges into a bed: hybrid against single grains.

Experiment of 『ハイブリッドな粉粒体シミュレーション手法の開発』, section 3.3 (figure 11): 360 000 effective grains, 88 % fewer
grains, 6.82 times as fast. Ours begins with the drill half way in, where grains stand around it.
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import print_table, render_points
from benchmarks.hybrid_speed import HEADINGS, method_row, timed
from examples.solids import bunny
from solvers import Body, Collider, GrainsParams, Mesh, Scene, WorldParams
from solvers.scene import ColliderParams

TITLE = "Drill: a turning, plunging animal in a bed of grains, hybrid against all grains"
SIZE, RATE = 0.01, 60.0
TURN, SINK = 4.0 * np.pi, 0.3
"""Angular velocity [rad/s] about the vertical and speed of sinking [m/s]."""


def drill_scene(width: float, depth: float, radius: float, mode: str, frames: int) -> Scene:
    """A box of sand `width` × `width` × `depth` [m]; the animal's middle begins one radius below the surface."""
    motion = np.tile(np.eye(4), (frames + 1, 1, 1))
    for index, matrix in enumerate(motion):
        angle, time = TURN * index / RATE, index / RATE
        matrix[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        matrix[:3, 3] = (0.5 * width, 0.5 * width, depth - radius - SINK * time)
    params = GrainsParams(mode=mode, size=SIZE, friction_angle=28.0, restitution=0.2)
    box = Mesh.open_box((0.0, 0.0, 0.0), (width, width, depth + 4.0 * radius))
    animal = bunny((0.0, 0.0, 0.0), radius)
    return Scene(
        "Drill",
        (Body("Sand", "grains", Mesh.box((0.0, 0.0, 0.0), (width, width, depth)), params),),
        (Collider("Box", box), Collider("Drill", animal, ColliderParams(friction=0.6), motion)),
        world=WorldParams(frames_per_second=RATE, frame_end=frames + 1),
    )


def run(quick: bool, out: Path) -> dict[str, Any]:
    width, depth, radius, warm, frames = (0.24, 0.20, 0.04, 1, 1) if quick else (0.86, 0.56, 0.09, 1, 3)
    runs = {mode: timed(drill_scene(width, depth, radius, mode, warm + frames), warm, frames) for mode in ("all", "hybrid")}
    print_table(HEADINGS, [method_row("All grains", runs["all"]), method_row("Hybrid", runs["hybrid"])], TITLE)
    speedup = runs["all"].seconds / runs["hybrid"].seconds
    saved = runs["hybrid"].saved
    print(f"grains saved {100 * saved:.1f} % (paper 88 %), {speedup:.2f} times as fast (paper 6.82)")
    level = {mode: float(np.quantile(entry.world.points("Grains")["position"][:, 2], 0.98)) for mode, entry in runs.items()}
    points = runs["hybrid"].world.points("Grains")
    place = points["position"]
    inside = (np.abs(place[:, :2] - 0.5 * width) < 0.5 * width).all(axis=1) & (place[:, 2] < depth + 2.0 * radius)
    behind = inside & (place[:, 1] > 0.5 * width)  # cut open, so that the zones inside show
    lost = {mode: _thrown_out(r.world.points("Grains")["position"], width, depth + 4.0 * radius) for mode, r in runs.items()}
    print(f"thrown out of the box: {lost['all']} of all grains, {lost['hybrid']} of the hybrid's")
    zone = points["zone"][behind].astype(float)
    render_points(points["position"][behind], out / "drill.png", radius=0.5 * SIZE, values=zone, limits=(0.0, 2.0), quick=quick)
    return {
        "grains_saved": saved,
        "speedup": speedup,
        "effective_grains": int(method_row("", runs["all"])[1]),
        "thrown_out_all": lost["all"],
        "thrown_out_hybrid": lost["hybrid"],
        "surface_difference_in_grains": abs(level["hybrid"] - level["all"]) / SIZE,
    }


def _thrown_out(place: np.ndarray, width: float, top: float) -> int:
    """Grains outside the box: a drill this slow throws none that far."""
    outside = (np.abs(place[:, :2] - 0.5 * width) > 0.5 * width + SIZE).any(axis=1)
    return int(np.count_nonzero(outside | (place[:, 2] > top)))
