"""Foam between two plates in the whole solver: stress and velocity against the law."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table
from solvers.materials.foam_params import FoamParams
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Foam: plane shear between plates in the whole solver"

STRENGTH, VISCOSITY, FPS = 100.0, 40.0, 100.0


def moving(frames: int, speed: float) -> np.ndarray:
    """Matrices of a plate that moves along x [m/s]."""
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, 0, 3] = np.arange(frames) / FPS * speed
    return motion


def shear(exponent: float, speed: float, spacing: float, frames: int) -> dict[str, Any]:
    """Mean stress and velocity profile in the middle of a slab between plates at ± speed."""
    height, length, width = 16 * spacing, 96 * spacing, 4 * spacing
    stick, slip = ColliderParams(contact="stick"), ColliderParams(contact="slip")
    params = FoamParams(
        density=1000.0, firmness=4e4, yield_stress=STRENGTH, thickness=VISCOSITY, thinning=exponent, volume_stiffness=5.0,
        tearing=False,
    )  # fmt: skip
    wall = 4 * spacing

    def box(low: tuple, high: tuple, name: str, rule: ColliderParams, velocity: float = 0.0) -> Collider:
        return Collider(name, Mesh.box(low, high), rule, motion=moving(frames, velocity) if velocity else None)

    scene = Scene(
        "Couette",
        bodies=(Body("Slab", "foam", Mesh.box((0, 0, 0), (length, width, height)), params),),
        colliders=(
            box((-length, -width, height), (2 * length, 2 * width, height + wall), "Top", stick, speed),
            box((-length, -width, -wall), (2 * length, 2 * width, 0.0), "Bottom", stick, -speed),
            box((-2 * length, -wall, -height), (3 * length, 0.0, 2 * height), "Left", slip),
            box((-2 * length, width, -height), (3 * length, width + wall, 2 * height), "Right", slip),
        ),
        world=WorldParams(spacing=spacing, gravity=(0, 0, 0), frames_per_second=FPS, frame_end=frames),
    )
    world = World(scene)
    world.start()
    for frame in range(2, frames + 1):
        world.advance(frame)
    state = world._solvers["foam"].state
    x = state.live("position").astype(float)
    column = np.abs(x[0] - length / 2) < height
    middle = column & (np.abs(x[2] - height / 2) < 0.3 * height)
    return {
        "rate": 2.0 * speed / height,
        "measured_rate": float(state.live("affine")[6][middle].mean()),
        "stress": float(state.live("stress")[4][middle].mean()),
        "height": x[2][column] / height,
        "velocity": state.live("velocity")[0][column] / speed,
    }


def law(rate: float, exponent: float) -> float:
    return STRENGTH / np.sqrt(3) + VISCOSITY / np.sqrt(2) * (rate / np.sqrt(2)) ** exponent


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacing, frames = (0.006, 8) if quick else (0.004, 14)
    rows, lines, worst = [], [], 0.0
    for exponent, speed in ((0.3, 0.5), (1.0, 0.5)) if quick else ((0.3, 0.2), (0.3, 1.0), (0.6, 0.5), (1.0, 0.5), (1.5, 0.3)):
        found = shear(exponent, speed, spacing, frames)
        wanted = law(found["rate"], exponent)
        error = abs(found["stress"] / wanted - 1.0)
        local = abs(found["stress"] / law(found["measured_rate"], exponent) - 1.0)
        worst = max(worst, error)
        rows.append([f"m = {exponent:g}, U = {speed:g} m/s", found["rate"], found["stress"], wanted, error, local])
        lines.append(Line(f"m = {exponent:g}, U = {speed:g} m/s", found["height"], found["velocity"], dots=True))
    lines.append(Line("linear", [0.0, 1.0], [-1.0, 1.0]))
    headings = ["Case", "2U/H [1/s]", "stress [Pa]", "law [Pa]", "error", "error at the local rate"]
    print_table(headings, rows, TITLE)
    plot(out / "couette.png", lines, title="Velocity between the plates", x="height / gap", y="velocity / plate speed")
    return {"error_max": worst}
