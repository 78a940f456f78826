"""What two sliders of Solid do, low, middle and high: pictures for its page in the documentation."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import print_table
from benchmarks.solid_sheet import Panel, render_sheet

TITLE = "Solid: strips of Stiffness and of the yield points"
EDGE = 0.1
"""Of the blocks [m]."""
STIFFNESSES = (1.5e3, 5.0e3, 5.0e4)
YIELDS = (0.005, 0.03, 0.15)


def _block(spacing: float, lift: float, speed: float, peg: bool, seconds: float, **settings: Any) -> tuple[Any, float]:
    """Runs a block that falls; returns its solver and how much the block is squeezed in the end, in parts of its height."""
    from solvers.materials.solid_params import SolidParams
    from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
    from solvers.world import World

    half, rate = 0.5 * EDGE, 50.0
    walls = [Collider("Floor", Mesh.box((-1.0, -1.0, -0.2), (1.0, 1.0, 0.0)), ColliderParams(friction=0.6))]
    if peg:
        walls.append(Collider("Bar", _bar(), ColliderParams(friction=0.3)))
    params = SolidParams(density=1000.0, squash=0.4, drive_mesh=False, **settings)
    body = Body("Block", "solid", Mesh.box((-half, -half, lift), (half, half, lift + EDGE)), params, velocity=(0.0, 0.0, -speed))
    settings_of_world = WorldParams(spacing=spacing, frames_per_second=rate, frame_end=999)
    world = World(Scene("Strip", (body,), tuple(walls), world=settings_of_world))
    world.start()
    for frame in range(2, 2 + round(seconds * rate)):
        world.advance(frame)
    solver: Any = world._solvers["solid"]
    return solver, 1.0 - float(np.ptp(solver.state.live("position")[2])) / (EDGE - spacing)


def _bar() -> Any:
    """A three-sided bar along y on the floor, its edge up."""
    from solvers.scene import Mesh

    profile = [(-0.028, 0.0), (0.028, 0.0), (0.0, 0.05)]
    vertices = np.array([(x, y, z) for y in (-0.1, 0.1) for x, z in profile])
    triangles = [(0, 1, 2), (3, 5, 4), (0, 3, 1), (1, 3, 4), (1, 4, 2), (2, 4, 5), (2, 5, 0), (0, 5, 3)]
    return Mesh(vertices, np.array(triangles, np.int32))


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacing = EDGE / (8 if quick else 12)
    camera, target = (0.16, -0.36, 0.16), (0.0, 0.0, 0.045)
    box = (-0.12, -0.12, 0.0), (0.12, 0.12, 0.16)
    panels, rows = [], []

    def show(title: str, solver: Any, walls: tuple[Any, ...]) -> None:
        rest = solver.state.live("rest")[2]
        shade = np.floor(5.0 * (rest - rest.min()) / np.ptp(rest)) % 2
        places = np.ascontiguousarray(solver.state.live("position").T)
        panels.append(Panel(title, places, shade, spacing, walls, *box, camera, target))

    squeezed = {}
    for stiffness in STIFFNESSES:
        solver, squeezed[stiffness] = _block(spacing, 0.002, 0.0, False, 2.0, stiffness=stiffness, implicitness=1.0)
        show(f"Stiffness {stiffness / 1000.0:g} kPa, at rest", solver, ())
        rows.append([panels[-1].title, squeezed[stiffness]])
    kept = {}
    for limit in YIELDS:
        settings = {"stiffness": 6.0e4, "plastic": True, "squeeze_yield": limit, "stretch_yield": limit}
        solver, kept[limit] = _block(spacing, 0.055, 1.2, True, 0.8, **settings)
        show(f"Dents at, Stretches at {100.0 * limit:g} %", solver, (_bar(),))
        rows.append([panels[-1].title, kept[limit]])
    print_table(["Slider", "lower by, in heights"], rows, TITLE)
    render_sheet(panels, 3, out / "solid_strips.png", (420, 340))
    return {"squeezed": list(squeezed.values()), "kept": list(kept.values())}
