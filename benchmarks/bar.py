"""A bar pulled by its ends: do Young's modulus and Poisson's ratio come back?"""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import Line, plot, print_table

TITLE = "Solid: a bar between two grips gives E and ν back"
STIFFNESS, SQUASH, DENSITY = 1.0e6, 0.3, 1000.0
LENGTH, EDGE, STRAIN = 1.0, 0.2, 0.01


class Pulled(NamedTuple):
    """A bar at one resolution."""

    spacing: float
    young: float
    """Force of the grip over area and strain [Pa]."""
    poisson: float
    """Sideways strain over strain along the bar, in its middle half."""
    strain: float


def bar_scene(spacing: float, pulled: float, frames: int, **settings: Any) -> Any:
    """A bar along x whose ends stick to plates; the right plate moves by `pulled` [m] within half the frames."""
    from solvers.materials.solid_params import SolidParams
    from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams

    half = 0.5 * EDGE
    params = replace(
        SolidParams(density=DENSITY, stiffness=STIFFNESS, squash=SQUASH, implicitness=1.0, wave_steps=20.0), **settings
    )
    grip = ColliderParams(contact="stick")
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, 0, 3] = pulled * np.clip(np.arange(frames) / (0.5 * frames), 0.0, 1.0)
    return Scene(
        "Bar",
        (Body("Bar", "solid", Mesh.box((0.0, -half, -half), (LENGTH, half, half)), params),),
        (
            Collider("Left", Mesh.box((-0.1, -EDGE, -EDGE), (0.0, EDGE, EDGE)), grip),
            Collider("Right", Mesh.box((LENGTH, -EDGE, -EDGE), (LENGTH + 0.1, EDGE, EDGE)), grip, motion=motion),
        ),
        world=WorldParams(spacing=spacing, gravity=(0.0, 0.0, 0.0), frame_end=frames, frames_per_second=24.0),
    )


def slopes(rest: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Mean deformation gradient, float64 (3, 3), of points that were at `rest` (n, 3) and are at `place` (n, 3)."""
    return np.linalg.lstsq(rest - rest.mean(axis=0), place - place.mean(axis=0), rcond=None)[0].T


def pull(spacing: float, frames: int = 60, strain: float = STRAIN) -> Pulled:
    from solvers.world import World

    world = World(bar_scene(spacing, strain * LENGTH, frames))
    world.start()
    for frame in range(2, frames + 1):
        world.advance(frame)
    solver: Any = world._solvers["solid"]
    rest, place = solver.state.live("rest").T, solver.state.live("position").T
    middle = np.abs(rest[:, 0] - 0.5 * LENGTH) < 0.25 * LENGTH
    f = slopes(rest[middle], place[middle])
    force = 0.5 * (solver.wall_forces[1][0] - solver.wall_forces[0][0])
    along, across = f[0, 0] - 1.0, 0.5 * (f[1, 1] + f[2, 2]) - 1.0
    return Pulled(spacing, float(force / EDGE**2 / along), float(-across / along), float(along))


def run(quick: bool, out: Path) -> dict[str, Any]:
    sizes = (0.05, 1.0 / 30.0) if quick else (0.05, 1.0 / 30.0, 0.025, 1.0 / 60.0)
    results = [pull(size, 40 if quick else 60) for size in sizes]
    rows = [[EDGE / r.spacing, r.young / STIFFNESS, r.poisson, r.strain] for r in results]
    print_table(["Particles across", "E / set", "ν (set 0.3)", "strain"], rows, TITLE)
    across = [EDGE / r.spacing for r in results]
    plot(
        out / "bar.png",
        [
            Line("E", across, [abs(r.young / STIFFNESS - 1.0) for r in results]),
            Line("ν", across, [abs(r.poisson / SQUASH - 1.0) for r in results]),
        ],
        title=TITLE, x="particles across the bar", y="relative error",
    )  # fmt: skip
    return {
        "young_error": abs(results[-1].young / STIFFNESS - 1.0),
        "poisson_error": abs(results[-1].poisson / SQUASH - 1.0),
        "young_errors": [abs(r.young / STIFFNESS - 1.0) for r in results],
        "poisson_errors": [abs(r.poisson / SQUASH - 1.0) for r in results],
    }
