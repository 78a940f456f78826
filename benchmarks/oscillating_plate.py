"""Shaving cream under an oscillating plate: hangs, stretches, thins, tears, and lands; at three grid sizes."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table, render_points
from solvers.materials.foam_params import PRESETS
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Foam: shaving cream under an oscillating plate"

FPS, RADIUS, DEPTH, FLOOR = 60.0, 0.035, 0.07, -0.30
AMPLITUDE, FREQUENCY = 0.012, 6.0
DENSITY = 600.0
"""Heavier than dry shaving cream, so that a blob of this size tears within a second or two at any of the grid sizes."""


def plate_motion(frames: int) -> np.ndarray:
    """Matrices of a plate that shakes up and down, one per frame."""
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, 2, 3] = AMPLITUDE * np.sin(2.0 * np.pi * FREQUENCY * np.arange(frames) / FPS)
    return motion


def blob_mesh() -> Mesh:
    """Half an ellipsoid that hangs from z = 0."""
    ball = Mesh.sphere((0.0, 0.0, 0.0), 1.0, 3)
    vertices = ball.vertices * np.array([RADIUS, RADIUS, DEPTH])
    vertices[:, 2] = np.minimum(vertices[:, 2], 0.0)
    return Mesh(vertices, ball.triangles)


def shake(spacing: float, frames: int, pictures: tuple[int, ...] = ()) -> dict[str, Any]:
    """Run the scene; tear time and length, lowest point of every frame, points of the wanted frames."""
    from dataclasses import replace

    params = replace(PRESETS["shaving_cream"].params, density=DENSITY, stringiness=2.5)
    scene = Scene(
        "Plate",
        bodies=(Body("Cream", "foam", blob_mesh(), params),),
        colliders=(
            Collider(
                "Plate", Mesh.box((-0.08, -0.08, 0.0), (0.08, 0.08, 0.05)), ColliderParams(contact="stick"),
                motion=plate_motion(frames),
            ),
            Collider("Floor", Mesh.box((-0.3, -0.3, FLOOR - 0.1), (0.3, 0.3, FLOOR)), ColliderParams(friction=1.0)),
        ),
        world=WorldParams(spacing=spacing, frames_per_second=FPS, frame_end=frames),
    )  # fmt: skip
    world = World(scene)
    world.start()
    lowest, shown = [], {}
    torn_at, torn_length = None, None
    state = world._solvers["foam"].state
    for frame in range(2, frames + 1):
        world.advance(frame)
        z = state.live("position")[2].astype(float)
        lowest.append(float(z.min()))
        whole = np.sort(z[state.live("torn") == 0.0])
        gaps = np.diff(whole)
        if torn_at is None and len(gaps) and gaps.max() > 2.0 * spacing * 1.5:
            torn_at, torn_length = scene.time_of(frame), -float(whole[0])
        if frame in pictures:
            shown[frame] = world.points("Foam")
    return {"tear_seconds": torn_at, "tear_length": torn_length, "lowest": lowest, "shown": shown, "particles": state.count}


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacings = (0.007, 0.006, 0.005) if quick else (0.006, 0.0045, 0.0035)
    frames = 50 if quick else 100
    found = {}
    for spacing in spacings:
        found[spacing] = shake(spacing, frames, (frames // 3, frames) if spacing == spacings[-1] else ())
    rows = [
        [f"{spacing * 1e3:g} mm", entry["particles"], entry["tear_seconds"], entry["tear_length"]]
        for spacing, entry in found.items()
    ]
    print_table(["Spacing", "particles", "tears at [s]", "length when it tears [m]"], rows, TITLE)
    times = (np.arange(frames - 1) + 1) / FPS
    lines = [Line(f"{spacing * 1e3:g} mm", times, entry["lowest"]) for spacing, entry in found.items()]
    plot(out / "oscillating_plate_tip.png", lines, title="Lowest point of the foam", x="time [s]", y="height [m]")
    for frame, points in found[spacings[-1]]["shown"].items():
        render_points(
            points["position"], out / f"oscillating_plate_{frame:03d}.png", radius=0.6 * spacings[-1],
            values=points["plastic_strain"], limits=(0.0, 2.0), quick=quick,
            camera=((0.55, -0.75, -0.05), (0.0, 0.0, -0.14)), walls=(Mesh.box((-0.08, -0.08, 0.0), (0.08, 0.08, 0.01)),),
        )  # fmt: skip
    lengths = [entry["tear_length"] for entry in found.values()]
    times_torn = [entry["tear_seconds"] for entry in found.values()]
    complete = all(length is not None for length in lengths)
    return {
        "tear_seconds": times_torn[-1],
        "tear_seconds_all": times_torn,
        "tear_length_spread": (max(lengths) - min(lengths)) / float(np.mean(lengths)) if complete else None,
        "tear_lengths": lengths,
    }
