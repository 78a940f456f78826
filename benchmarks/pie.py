"""Whipped cream pushed into a face: it bursts, sticks, draws peaks as the plate goes, and slowly lets go."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table, render_points
from benchmarks.foam_shapes import hanging, smooth_step
from benchmarks.head import head_distance, head_mesh
from benchmarks.skin import world_skin
from examples.shapes import lathe
from solvers.materials.foam_params import PRESETS
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Foam: a pie in the face"

FPS, HEAD = 48.0, 0.24
PUSH, HOLD, DRAW = 0.07, 0.10, 0.45
"""Seconds in which the plate brings the pie to the face, rests there, and is drawn away."""
BACK, NEAREST, AWAY, HEIGHT = -0.240, -0.130, -0.50, 0.0
"""Where the plate's front is at first, at the face and at last, and how high its middle is [m]; the nose ends at −0.12."""
FACE = ColliderParams(friction=0.8, adhesion=150.0)
"""Skin: cream slides on it with friction and is held by 150 Pa."""
PLATE = ColliderParams(friction=0.6, adhesion=20.0)
PIE = [(0.0, 0.0), (0.058, 0.0), (0.066, 0.014), (0.064, 0.032), (0.050, 0.047), (0.030, 0.056), (0.0, 0.060)]
"""Radius and height [m] of the cream, before it is turned to face the head."""


def pie_mesh() -> Mesh:
    """The cream on its plate: axis along x, its top towards the face."""
    solid = lathe(PIE, 64)
    x, y, z = solid.vertices.T
    return Mesh(np.stack([z + BACK, y, HEIGHT - x], axis=1), solid.triangles)


def plate_mesh() -> Mesh:
    """A paper plate whose front is at x = 0."""
    solid = lathe([(0.0, -0.004), (0.072, -0.004), (0.072, 0.0), (0.0, 0.0)], 64)
    x, y, z = solid.vertices.T
    return Mesh(np.stack([z, y, HEIGHT - x], axis=1), solid.triangles)


def plate_motion(frames: int) -> np.ndarray:
    """Matrices of the plate: to the face, a rest, away."""
    seconds = np.arange(frames) / FPS
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, 0, 3] = BACK + (NEAREST - BACK) * smooth_step(seconds / PUSH)
    motion[:, 0, 3] += (AWAY - NEAREST) * smooth_step((seconds - PUSH - HOLD) / DRAW)
    return motion


def throw(spacing: float, seconds: float, pictures: tuple[float, ...]) -> dict[str, Any]:
    """Run the scene; share of the cream that hangs together with the face at every frame, and how far it stands out [m]."""
    frames = round(seconds * FPS) + 1
    scene = Scene(
        "Pie",
        bodies=(Body("Cream", "foam", pie_mesh(), PRESETS["whipped_cream"].params),),
        colliders=(
            Collider("Head", head_mesh(HEAD), FACE),
            Collider("Plate", plate_mesh(), PLATE, motion=plate_motion(frames)),
            Collider("Floor", Mesh.box((-0.8, -0.8, -0.5), (0.8, 0.8, -0.4))),
        ),
        world=WorldParams(spacing=spacing, frames_per_second=FPS, frame_end=frames),
    )
    world = World(scene)
    world.start()
    state = world._solvers["foam"].state
    stuck, peak, shown = [], [], {}
    wanted = {round(when * FPS) + 1: when for when in pictures}
    for frame in range(2, frames + 1):
        world.advance(frame)
        position, mass = state.live("position").T.copy(), state.live("mass").astype(float)
        distance = head_distance(position.astype(float), HEAD)
        held = hanging(position.astype(float), distance < 1.5 * spacing, spacing)
        stuck.append(float(mass[held].sum() / mass.sum()))
        peak.append(float(distance[held].max(initial=0.0)) if held.any() else 0.0)
        if frame in wanted:
            shown[wanted[frame]] = world_skin(world)
    return {"stuck": stuck, "peak": peak, "shown": shown, "particles": state.count}


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacing, seconds = (0.005, 0.9) if quick else (0.003, 2.0)
    pictures = (0.15, 0.9) if quick else (0.02, 0.15, 0.4, 2.0)
    found = throw(spacing, seconds, pictures)
    moments = [when for when in (0.25, 0.5, 0.8, 1.0, 2.0) if when <= seconds]
    at = {when: found["stuck"][min(round(when * FPS), len(found["stuck"])) - 1] for when in moments}
    print_table(["Seconds", "stuck to the face"], [[f"{when:g}", share] for when, share in at.items()], TITLE)
    times = (np.arange(len(found["stuck"])) + 1) / FPS
    plot(out / "pie_stuck.png", [Line("stuck", times, found["stuck"])], title="Cream on the face", x="time [s]", y="share")
    plate, place = plate_mesh(), plate_motion(round(seconds * FPS) + 2)
    for when, skin in found["shown"].items():
        moved = Mesh(plate.vertices + place[round(when * FPS), :3, 3], plate.triangles)
        render_points(
            skin.vertices, out / f"pie_{round(when * 100):03d}.png", radius=0.001, skin=skin, quick=quick,
            camera=((-0.74, -0.50, 0.10), (-0.04, 0.0, -0.035)), lens=70.0, solids=(head_mesh(HEAD), moved),
            looks=("skin", "porcelain"), size=(420, 360) if quick else (640, 560), portrait=True,
        )  # fmt: skip
    return {
        "stuck_fraction": found["stuck"][-1],
        "stuck_fraction_half_second": at.get(0.5),
        "peak_m": found["peak"][-1],
        "particles": found["particles"],
    }
