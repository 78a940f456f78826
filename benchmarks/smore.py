"""A warm marshmallow squeezed between crackers: through the gap and the holes, then lifted: neck and peak."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table, render_points
from benchmarks.foam_shapes import hanging, smooth_step, voxel_solid
from benchmarks.skin import world_skin
from examples.shapes import cylinder
from solvers.materials.foam_params import PRESETS
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Foam: a s'more is squeezed and lifted"

FPS = 60.0
RADIUS, HEIGHT = 0.020, 0.024
THICK, HOLE = 0.004, 0.012
"""Crackers: thickness and width of a hole [m]; holes, and what is between and around them, are equally wide."""
HALF = 3.5 * HOLE
GAP, LIFT = 0.006, 0.075
"""Way between the crackers when squeezed, and how far the upper one is lifted then [m]."""
PRESS, HOLD, RAISE = 0.5, 0.15, 0.9
"""Seconds of squeezing, resting, lifting."""
CRACKER = ColliderParams(contact="stick")


def cracker(low: float) -> Mesh:
    """A cracker with four square holes, its underside at `low` [m]."""
    filled = np.ones((7, 7, 1), bool)
    filled[2:5:2, 2:5:2, 0] = False
    return voxel_solid(filled, (-HALF, -HALF, low), (HOLE, HOLE, THICK))


def way(frames: int) -> np.ndarray:
    """Height of the upper cracker's underside at every frame [m]."""
    t = np.arange(frames) / FPS
    down = HEIGHT + (GAP - HEIGHT) * smooth_step(t / PRESS)
    return down + LIFT * smooth_step((t - PRESS - HOLD) / RAISE)


def width_between(points: np.ndarray, low: float, high: float, spacing: float) -> float:
    """Narrowest width √(area) [m] of the foam in slices of two spacings between two heights; 0 where a slice is empty."""
    edges = np.arange(low, high, 2.0 * spacing)
    if len(edges) < 2:
        return float("nan")
    volume = np.histogram(points[:, 2], edges)[0] * spacing**3
    return float(np.sqrt((volume / (2.0 * spacing)).min()))


def squeeze(spacing: float, seconds: float, pictures: tuple[float, ...]) -> dict[str, Any]:
    frames = round(seconds * FPS) + 1
    height = way(frames)
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, 2, 3] = height
    body = cylinder((0.0, 0.0, 0.5 * HEIGHT), RADIUS, HEIGHT)
    scene = Scene(
        "Smore",
        bodies=(Body("Marshmallow", "foam", body, PRESETS["marshmallow"].params),),
        colliders=(
            Collider("Lower", Mesh.box((-HALF, -HALF, -THICK), (HALF, HALF, 0.0)), CRACKER),
            Collider("Upper", cracker(0.0), CRACKER, motion=motion),
        ),
        world=WorldParams(spacing=spacing, frames_per_second=FPS, frame_end=frames),
    )
    world = World(scene)
    world.start()
    state = world._solvers["foam"].state
    wanted = {round(when * FPS) + 1: when for when in pictures}
    neck, through, shown = [], 0.0, {}
    torn_at = None
    for frame in range(2, frames + 1):
        world.advance(frame)
        points, top = state.live("position").T.astype(float), height[frame - 1]
        neck.append(width_between(points, 2.0 * spacing, top - 2.0 * spacing, spacing))
        if frame <= round((PRESS + HOLD) * FPS):
            through = max(through, float((points[:, 2] - top).max()))
        whole = points[state.live("torn") == 0.0]
        if torn_at is None and frame > round((PRESS + HOLD) * FPS):
            below = hanging(whole, whole[:, 2] < spacing, spacing)
            if not below[np.argmax(whole[:, 2])]:
                torn_at = scene.time_of(frame)
        if frame in wanted:
            shown[wanted[frame]] = (world_skin(world), top)
    points = state.live("position").T.astype(float)[state.live("torn") == 0.0]
    below = hanging(points, points[:, 2] < spacing, spacing)
    peak = float(points[below, 2].max(initial=0.0)) if torn_at is not None else None
    return {"neck": neck, "through": through, "torn": torn_at, "peak": peak, "shown": shown, "particles": state.count}


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacing = 0.002 if quick else 0.0013
    seconds = PRESS + HOLD + RAISE + (0.05 if quick else 0.4)
    pictures = (PRESS, PRESS + HOLD + 0.6 * RAISE, seconds)
    found = squeeze(spacing, seconds, pictures)
    neck = np.array(found["neck"])
    lifting = np.arange(len(neck)) / FPS > PRESS + HOLD + 0.2 * RAISE
    alive = neck[lifting & (neck > 0.0)]
    start = np.sqrt(np.pi) * RADIUS
    ratio = float(alive.min() / start) if len(alive) else None
    rows = [
        ["narrowest width while lifting over the first width", ratio],
        ["rises out of the holes, over the cracker, by [m]", found["through"] - THICK],
        ["tears at [s]", found["torn"]],
        ["peak on the lower cracker [m]", found["peak"]],
    ]
    print_table(["Measure", "value"], rows, TITLE)
    times = (np.arange(len(neck)) + 1) / FPS
    plot(out / "smore_neck.png", [Line("neck", times, neck)], title="Narrowest width", x="time [s]", y="width [m]")
    for when, (skin, top) in found["shown"].items():
        lower, upper = Mesh.box((-HALF, -HALF, -THICK), (HALF, HALF, 0.0)), cracker(top)
        render_points(
            skin.vertices, out / f"smore_{round(when * 100):03d}.png", radius=0.0012, skin=skin, quick=quick,
            camera=((0.11, -0.20, 0.105), (0.0, 0.0, 0.028)), solids=(lower, upper), looks=("cracker", "cracker"),
            size=(420, 420) if quick else (640, 640),
        )  # fmt: skip
    return {
        "neck_ratio": ratio,
        "tear_seconds": found["torn"],
        "peak_m": found["peak"],
        "out_of_holes_m": found["through"] - THICK,
        "particles": found["particles"],
    }
