"""Shaving cream under an oscillating plate: hangs, stretches, thins, tears, and wobbles on landing; at three grid sizes."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table, render_points
from benchmarks.foam_shapes import hanging
from benchmarks.skin import world_skin
from examples.shapes import lathe
from solvers.materials.foam_params import PRESETS
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Foam: shaving cream under an oscillating plate"

FPS = 240.0
"""The tip falls fast once the foam tears: frames are short, so that length and time are taken when it does."""
FLOOR = -0.18
AMPLITUDE, FREQUENCY = 0.012, 6.0
DOLLOP = [(0.0, -0.076), (0.009, -0.074), (0.019, -0.068), (0.026, -0.060), (0.030, -0.048), (0.030, -0.036), (0.031, -0.024)]
DOLLOP += [(0.038, -0.014), (0.050, -0.006), (0.055, 0.0), (0.0, 0.0)]
"""Radius and height [m] of what was sprayed under the plate: wide where it sticks, round below."""


def plate_motion(frames: int) -> np.ndarray:
    """Matrices of a plate that shakes up and down, one per frame."""
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, 2, 3] = AMPLITUDE * np.sin(2.0 * np.pi * FREQUENCY * np.arange(frames) / FPS)
    return motion


def shake(spacing: float, seconds: float, pictures: tuple[float, ...] = ()) -> dict[str, Any]:
    """Run the scene. It is torn at the first frame whose lowest whole particle does not hang together with the plate any more
    (`foam_shapes.hanging`); the length is then the way from the plate to that particle."""
    frames = round(seconds * FPS) + 1
    motion = plate_motion(frames)
    scene = Scene(
        "Plate",
        bodies=(Body("Cream", "foam", lathe(DOLLOP, 48), PRESETS["shaving_cream"].params),),
        colliders=(
            Collider("Plate", Mesh.box((-0.08, -0.08, 0.0), (0.08, 0.08, 0.05)), ColliderParams(contact="stick"), motion=motion),
            Collider("Floor", Mesh.box((-0.3, -0.3, FLOOR - 0.1), (0.3, 0.3, FLOOR)), ColliderParams(friction=1.0)),
        ),
        world=WorldParams(spacing=spacing, frames_per_second=FPS, frame_end=frames),
    )
    world = World(scene)
    world.start()
    lowest, centre, shown = [], [], {}
    found: dict[str, Any] = {"tear_seconds": None, "tear_length": None, "left": None}
    state = world._solvers["foam"].state
    wanted = {round(when * FPS) + 1: when for when in pictures}
    fallen_ids = np.empty(0, np.int32)
    for frame in range(2, frames + 1):
        world.advance(frame)
        position = state.live("position").T.astype(float)
        lowest.append(float(position[:, 2].min()))
        if found["tear_seconds"] is None:
            whole = state.live("torn") == 0.0
            points, plate = position[whole], motion[frame - 1, 2, 3]
            attached = hanging(points, points[:, 2] > plate - 2.0 * spacing, spacing)
            tip = int(np.argmin(points[:, 2]))
            if not attached[tip]:
                fallen_ids = state.live("id")[whole][~attached]
                left = float(attached.mean())
                found |= {"tear_seconds": scene.time_of(frame), "tear_length": plate - points[tip, 2], "left": left}
        else:
            ours = np.isin(state.live("id"), fallen_ids)
            centre.append(float(position[ours, 2].mean()))
        if frame in wanted:
            shown[wanted[frame]] = world_skin(world)
    loose = float(np.mean(state.live("torn") > 0.0))
    return found | {"lowest": lowest, "centre": centre, "shown": shown, "particles": state.count, "loose": loose}


def wobble(centre: list[float]) -> float | None:
    """Millimetres by which the fallen foam swings back up after its centre was lowest; None if it never landed."""
    if len(centre) < 10:
        return None
    low = int(np.argmin(centre[: max(10, len(centre) * 3 // 4)]))
    return 1e3 * (max(centre[low:]) - centre[low])


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacings = (0.0065, 0.0057, 0.005) if quick else (0.006, 0.0045, 0.0035)
    seconds = 1.0 if quick else 1.4
    pictures = (0.3, 0.62, 1.0) if quick else (0.3, 0.62, 0.75, 1.4)
    found = {s: shake(s, seconds, pictures if s == spacings[-1] else ()) for s in spacings}
    rows = [
        [f"{s * 1e3:g} mm", e["particles"], e["tear_seconds"], e["tear_length"], e["left"], wobble(e["centre"]), e["loose"]]
        for s, e in found.items()
    ]
    headings = ["Spacing", "particles", "tears at [s]", "length then [m]", "left at the plate", "wobble [mm]", "torn particles"]
    print_table(headings, rows, TITLE)
    lines = [Line(f"{s * 1e3:g} mm", (np.arange(len(e["lowest"])) + 1) / FPS, e["lowest"]) for s, e in found.items()]
    plot(out / "oscillating_plate_tip.png", lines, title="Lowest point of the foam", x="time [s]", y="height [m]")
    for when, skin in found[spacings[-1]]["shown"].items():
        height = AMPLITUDE * float(np.sin(2.0 * np.pi * FREQUENCY * when))
        plate = Mesh.box((-0.08, -0.08, height), (0.08, 0.08, height + 0.012))
        floor = Mesh.box((-0.14, -0.14, FLOOR - 0.004), (0.14, 0.14, FLOOR))
        render_points(
            skin.vertices, out / f"oscillating_plate_{round(when * 100):03d}.png", radius=0.0015, skin=skin, quick=quick,
            camera=((0.33, -0.52, -0.03), (0.0, 0.0, -0.085)), solids=(plate, floor), looks=("steel", "clay"),
            size=(400, 300) if quick else (640, 420), portrait=True,
        )  # fmt: skip
    lengths = [entry["tear_length"] for entry in found.values()]
    complete = all(length is not None for length in lengths)
    return {
        "tear_seconds": found[spacings[-1]]["tear_seconds"],
        "tear_seconds_all": [entry["tear_seconds"] for entry in found.values()],
        "tear_length_spread": (max(lengths) - min(lengths)) / float(np.mean(lengths)) if complete else None,
        "tear_lengths": lengths,
        "wobble_mm": wobble(found[spacings[-1]]["centre"]),
    }
