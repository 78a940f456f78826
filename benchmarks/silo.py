"""A silo runs out: how much faster or slower than single grains are the hybrid and the continuum? And does a narrow one clog?

Experiments of 『ハイブリッドな粉粒体シミュレーション手法の開発』, section 3.2 (figures 7 and 10): its hybrid runs a little
faster than its grains.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import Line, plot, print_table
from solvers import Body, Collider, Mesh, Scene, WorldParams
from solvers.materials.grains_params import GrainsParams
from solvers.scene import ColliderParams
from solvers.world import World

TITLE = "Silo: mass that has left through the opening, by method"
SIZE = 0.01
MODES = {"all": "All grains", "hybrid": "Hybrid", "continuum": "Continuum only"}


class Silo(NamedTuple):
    """A flat-bottomed box with a slot across its middle; lengths in grains."""

    width: float
    depth: float
    height: float
    opening: float


def silo_scene(silo: Silo, mode: str, frames: int) -> Scene:
    """Walls are boxes of two grains' thickness; the slot runs through the whole depth between smooth sides."""
    w, d, h, gap, t = (SIZE * value for value in (silo.width, silo.depth, silo.height, silo.opening, 2.0))
    rough, smooth = ColliderParams(friction=0.5), ColliderParams(friction=0.0)
    middle, top = 0.5 * w, 1.5 * h
    colliders = (
        Collider("Left floor", Mesh.box((-t, -t, -t), (middle - 0.5 * gap, d + t, 0.0)), rough),
        Collider("Right floor", Mesh.box((middle + 0.5 * gap, -t, -t), (w + t, d + t, 0.0)), rough),
        Collider("Left wall", Mesh.box((-2.0 * t, -t, -t), (0.0, d + t, top)), rough),
        Collider("Right wall", Mesh.box((w, -t, -t), (w + 2.0 * t, d + t, top)), rough),
        Collider("Front", Mesh.box((-2.0 * t, -2.0 * t, -5.0 * t), (w + 2.0 * t, 0.0, top)), smooth),
        Collider("Back", Mesh.box((-2.0 * t, d, -5.0 * t), (w + 2.0 * t, d + 2.0 * t, top)), smooth),
    )
    params = GrainsParams(mode=mode, size=SIZE, restitution=0.3, friction_angle=27.0)
    body = Body("Sand", "grains", Mesh.box((0.0, 0.0, 0.0), (w, d, h)), params)
    return Scene("Silo", (body,), colliders, world=WorldParams(frames_per_second=20.0, frame_end=frames, world_limit=3.0))


def discharged(silo: Silo, mode: str, frames: int) -> tuple[np.ndarray, float]:
    """Part of the mass below the opening at each frame, and the mean part of grains saved (0 without any)."""
    world = World(silo_scene(silo, mode, frames))
    world.start()
    solver: Any = world._solvers["grains"]
    left, saved = [0.0], []
    for frame in range(2, frames + 1):
        world.advance(frame)
        left.append(mass_below(solver, -0.5 * SIZE))
        saved.append(world.totals().get("grains_saved", 0.0))
    return np.array(left), float(np.mean(saved))


def mass_below(solver: Any, height: float) -> float:
    """Part of a grain solver's mass below a height [m]."""
    if not hasattr(solver, "continuum"):
        mass = solver.engine.mass() * solver.state.live("weight")
        return float(mass[solver.state.live("position")[2] < height].sum() / mass.sum())
    mass = np.concatenate([solver.masses(), solver.continuum.state.live("mass").astype(np.float64)])
    return float(mass[solver.state.live("position")[2] < height].sum() / mass.sum())


def rate(left: np.ndarray) -> float:
    """Steady discharge [1/frame]: slope between a fifth and the end of what has run out, the start left out."""
    begin = max(2, len(left) // 4)
    return float(np.polyfit(np.arange(begin, len(left)), left[begin:], 1)[0])


def run(quick: bool, out: Path) -> dict[str, Any]:
    silo, frames = (Silo(20, 8, 26, 7), 9) if quick else (Silo(28, 10, 40, 8), 15)
    curves, rows = {}, []
    for mode, label in MODES.items():
        curves[mode], saved = discharged(silo, mode, frames)
        rows.append([label, rate(curves[mode]), float(curves[mode][-1]), saved])
    print_table(["method", "rate [1/frame]", "run out", "grains saved"], rows, TITLE)
    plot(
        out / "silo.png",
        [Line(MODES[mode], np.arange(frames) / 20.0, curve) for mode, curve in curves.items()],
        title="Silo", x="time [s]", y="part of the mass that has left",
    )  # fmt: skip
    whole = rate(curves["all"])
    return {"hybrid_over_dem": rate(curves["hybrid"]) / whole, "mpm_over_dem": rate(curves["continuum"]) / whole}
