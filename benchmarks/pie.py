"""Whipped cream thrown at a head: it bursts, sticks, keeps peaks and slowly lets go."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table, render_points
from benchmarks.foam_shapes import hanging, head_mesh
from examples.shapes import lathe
from solvers.materials.foam_params import PRESETS
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Foam: a pie in the face"

FPS, SPEED, HEAD = 48.0, 1.8, 0.24
FACE = ColliderParams(friction=0.8, adhesion=150.0)
"""Skin: cream slides on it with friction and is held by 150 Pa."""
PIE = [(0.0, 0.0), (0.055, 0.0), (0.060, 0.010), (0.058, 0.020), (0.040, 0.027), (0.022, 0.036), (0.009, 0.046), (0.0, 0.049)]
"""Radius and height [m] of the cream, before it is turned to face the head."""


def pie_mesh() -> Mesh:
    """The cream on its way: axis along x, its dollop towards the face."""
    solid = lathe(PIE, 64)
    x, y, z = solid.vertices.T
    return Mesh(np.stack([z - 0.19, y, -x], axis=1), solid.triangles)


def throw(spacing: float, seconds: float, pictures: tuple[float, ...]) -> dict[str, Any]:
    """Run the scene; share of the cream that hangs together with the face at every frame, and how far it stands out [m]."""
    frames = round(seconds * FPS) + 1
    scene = Scene(
        "Pie",
        bodies=(Body("Cream", "foam", pie_mesh(), PRESETS["whipped_cream"].params, velocity=(SPEED, 0.0, 0.3)),),
        colliders=(
            Collider("Head", head_mesh(HEAD), FACE),
            Collider("Floor", Mesh.box((-0.8, -0.8, -0.5), (0.8, 0.8, -0.4))),
        ),
        world=WorldParams(spacing=spacing, frames_per_second=FPS, frame_end=frames, jitter=0.3),
    )
    world = World(scene)
    world.start()
    state = world._solvers["foam"].state
    stuck, peak, shown = [], [], {}
    wanted = {round(when * FPS) + 1: when for when in pictures}
    for frame in range(2, frames + 1):
        world.advance(frame)
        position, mass = state.live("position").T.copy(), state.live("mass").astype(float)
        distance = world.walls.signed_distance(position, 0.1)
        distance = np.where(position[:, 2] > -0.35, distance, 1.0)  # the floor does not count
        held = hanging(position.astype(float), distance < 1.5 * spacing, spacing)
        stuck.append(float(mass[held].sum() / mass.sum()))
        peak.append(float(distance[held].max(initial=0.0)) if held.any() else 0.0)
        if frame in wanted:
            shown[wanted[frame]] = world.points("Foam")["position"]
    return {"stuck": stuck, "peak": peak, "shown": shown, "particles": state.count}


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacing, seconds = (0.006, 0.8) if quick else (0.004, 2.0)
    pictures = (0.08, 0.8) if quick else (0.08, 0.25, 0.8, 2.0)
    found = throw(spacing, seconds, pictures)
    moments = [when for when in (0.25, 0.5, 0.8, 1.0, 2.0) if when <= seconds]
    at = {when: found["stuck"][min(round(when * FPS), len(found["stuck"])) - 1] for when in moments}
    print_table(["Seconds", "stuck to the face"], [[f"{when:g}", share] for when, share in at.items()], TITLE)
    times = (np.arange(len(found["stuck"])) + 1) / FPS
    plot(out / "pie_stuck.png", [Line("stuck", times, found["stuck"])], title="Cream on the face", x="time [s]", y="share")
    for when, points in found["shown"].items():
        render_points(
            points, out / f"pie_{round(when * 100):03d}.png", radius=0.5 * spacing, foam=True, quick=quick,
            camera=((-0.66, -0.36, 0.06), (-0.02, 0.0, -0.01)), solids=(head_mesh(HEAD),), portrait=True,
        )  # fmt: skip
    return {
        "stuck_fraction": found["stuck"][-1],
        "stuck_fraction_half_second": at.get(0.5),
        "peak_m": found["peak"][-1],
        "particles": found["particles"],
    }
