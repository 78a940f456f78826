"""Lumpy animals turn, plunge into a bed of grains and come out again: hybrid against single grains.

Experiment of 『ハイブリッドな粉粒体シミュレーション手法の開発』, section 3.3 (figure 11): four animals, 360 000 effective
grains, 88 % fewer grains, 6.82 times as fast. Sizes and speeds are ours, for the paper tells none. The four are a quarter of a
period apart, so that any short time has what the whole has: one goes in, one is deep, one comes out, one is above. A frame is
1/240 s; both methods are timed over the same frames after the same number of others, which compile and let the bed settle.
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import print_table, render_points
from benchmarks.hybrid_speed import HEADINGS, method_row, timed
from examples.solids import bunny
from solvers import Body, Collider, GrainsParams, Mesh, Scene, WorldParams
from solvers.scene import ColliderParams

TITLE = "Drill: turning, plunging animals in a bed of grains, hybrid against all grains"
SIZE, RATE = 0.01, 240.0
TURN, PLUNGE = 4.0 * np.pi, 0.3
"""Angular velocity [rad/s] about the vertical and largest speed of going up and down [m/s]."""
DEEP = 2.0
"""How far the middle of an animal goes below and above the surface, in its radii."""


def drill_scene(width: float, depth: float, radius: float, mode: str, frames: int, animals: int = 4) -> Scene:
    """A box of sand `width` × `width` × `depth` [m] and so many animals; the first begins at the surface, on its way down."""
    params = GrainsParams(mode=mode, size=SIZE, friction_angle=28.0, restitution=0.2)
    box = Mesh.open_box((0.0, 0.0, 0.0), (width, width, depth + 6.0 * radius))
    colliders = [Collider("Box", box)]
    time = np.arange(frames + 1) / RATE
    for number in range(animals):
        motion = np.tile(np.eye(4), (frames + 1, 1, 1))
        cosine, sine = np.cos(TURN * time), np.sin(TURN * time)
        motion[:, 0, 0], motion[:, 0, 1], motion[:, 1, 0], motion[:, 1, 1] = cosine, -sine, sine, cosine
        corner = np.array([0.25 + 0.5 * (number & 1), 0.25 + 0.5 * (number >> 1)])
        motion[:, :2, 3] = width * (0.5 if animals == 1 else corner)
        phase = PLUNGE / (DEEP * radius) * time + 2.0 * np.pi * number / animals
        motion[:, 2, 3] = depth - DEEP * radius * np.sin(phase)
        colliders.append(Collider(f"Drill {number}", bunny((0.0, 0.0, 0.0), radius), ColliderParams(friction=0.6), motion))
    body = Body("Sand", "grains", Mesh.box((0.0, 0.0, 0.0), (width, width, depth)), params)
    return Scene("Drill", (body,), tuple(colliders), world=WorldParams(frames_per_second=RATE, frame_end=frames + 1))


def run(quick: bool, out: Path) -> dict[str, Any]:
    width, depth, radius, warm, frames, animals = (0.30, 0.30, 0.05, 2, 4, 1) if quick else (0.60, 0.88, 0.05, 2, 6, 4)
    scenes = {mode: drill_scene(width, depth, radius, mode, warm + frames, animals) for mode in ("all", "hybrid")}
    runs = {mode: timed(scene, warm, frames) for mode, scene in scenes.items()}
    print_table(HEADINGS, [method_row("All grains", runs["all"]), method_row("Hybrid", runs["hybrid"])], TITLE)
    speedup = runs["all"].seconds / runs["hybrid"].seconds
    saved = runs["hybrid"].saved
    print(f"grains saved {100 * saved:.1f} % (paper 88 %), {speedup:.2f} times as fast (paper 6.82)")
    level = {mode: float(np.quantile(entry.world.points("Grains")["position"][:, 2], 0.98)) for mode, entry in runs.items()}
    top = depth + 6.0 * radius
    lost = {mode: _thrown_out(r.world.points("Grains")["position"], width, top) for mode, r in runs.items()}
    print(f"thrown out of the box: {lost['all']} of all grains, {lost['hybrid']} of the hybrid's")
    points = runs["hybrid"].world.points("Grains")
    place, middle = points["position"], (0.5 if animals == 1 else 0.25) * width
    inside = (np.abs(place[:, :2] - 0.5 * width) < 0.5 * width).all(axis=1) & (place[:, 2] < top)
    behind = inside & (place[:, 1] > middle)  # cut open through the animals, so that the zones inside show
    zone = points["zone"][behind].astype(float)
    animals_now = [_posed(collider) for collider in scenes["hybrid"].colliders[1:]]
    render_points(
        place[behind], out / "drill.png", radius=0.5 * SIZE, values=zone, limits=(0.0, 2.0), solids=animals_now, quick=quick
    )
    return {
        "grains_saved": saved,
        "speedup": speedup,
        "effective_grains": int(method_row("", runs["all"])[1]),
        "thrown_out_all": lost["all"],
        "thrown_out_hybrid": lost["hybrid"],
        "surface_difference_in_grains": abs(level["hybrid"] - level["all"]) / SIZE,
    }


def _posed(collider: Collider) -> Mesh:
    """The collider's mesh where its motion ends."""
    assert collider.motion is not None
    matrix = collider.motion[-1]
    return Mesh(collider.mesh.at(0) @ matrix[:3, :3].T + matrix[:3, 3], collider.mesh.triangles)


def _thrown_out(place: np.ndarray, width: float, top: float) -> int:
    """Grains outside the box: a drill this slow throws none that far."""
    outside = (np.abs(place[:, :2] - 0.5 * width) > 0.5 * width + SIZE).any(axis=1)
    return int(np.count_nonzero(outside | (place[:, 2] > top)))
