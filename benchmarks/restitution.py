"""Restitution as set: pairs and walls hit at many phases of the step, and grains poured on a plate with e = 0 and 0.5.

The paper shows a silo's outflow with both values (『ハイブリッドな粉粒体シミュレーション手法の開発』, figure 9).
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import INK, new_figure, print_table, save_figure
from solvers import Body, Collider, GrainsParams, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Grains: restitution measured against the value set, and what e = 0 and e = 0.5 look like"
VALUES = (0.0, 0.25, 0.5, 0.75, 1.0)


def measured(restitution: float, against_wall: bool, tries: int) -> np.ndarray:
    """Speed after over speed before of a ball that hits a wall, or its like, at several phases of the step."""
    from solvers.dem.engine import REACH, Engine, Setting, make_stiffness
    from solvers.dem.state import GrainState
    from solvers.walls import Walls
    from solvers.watch import Silent

    radius, speed, still = 0.01, 0.5, np.zeros(3)
    setting = Setting(2650.0, restitution, 0.5, 0.1, 0.0, 0.5)
    floor = Collider("Floor", Mesh.rectangle((-1, -1, 0), (2, 0, 0), (0, 2, 0)))
    colliders = (floor,) if against_wall else ()
    walls = Walls(colliders, reach=REACH * radius, frames_per_second=1.0, frame_start=0, watch=Silent())
    answers = []
    for phase in range(tries):
        state = GrainState()
        engine = Engine(state, [setting], make_stiffness(4.0e6, [setting], radius), radius, radius)
        gap = 0.2 * radius + phase / tries * speed * engine.stiffness.step
        heights = [radius + gap] if against_wall else [-radius - gap, radius + gap]
        count = len(heights)
        one = np.ones(count, np.float32)
        position, velocity = np.zeros((3, count)), np.zeros((3, count))
        position[2], velocity[2] = heights, -speed * np.sign(heights)
        state.append(
            {
                "position": position, "velocity": velocity, "radius": one * np.float32(radius), "weight": one,
                "orientation": np.stack([one, 0 * one, 0 * one, 0 * one]), "wall_row": np.full(count, -1, np.int32),
            }
        )  # fmt: skip
        for _ in range(20):
            engine.advance(walls, 40 * engine.stiffness.step, still, 0.0, Silent())
        after = state.live("velocity")[2]
        answers.append(float(np.abs(after).mean() / speed))
    return np.array(answers)


def poured(restitution: float, frames: int) -> np.ndarray:
    """Grains (n, 3) some time after a thin layer of them fell on a plate."""
    params = GrainsParams(size=0.008, restitution=restitution)
    block = Body("Block", "grains", Mesh.box((-0.1, -0.1, 0.2), (0.1, 0.1, 0.212)), params)
    plate = Collider("Plate", Mesh.box((-0.3, -0.3, -0.02), (0.3, 0.3, 0.0)))
    world = World(Scene("Pour", (block,), (plate,), world=WorldParams(frames_per_second=50.0)))
    world.start()
    for frame in range(2, frames + 2):
        world.advance(frame)
    return world.points("Grains")["position"]


def run(quick: bool, out: Path) -> dict[str, Any]:
    rows, error, spread = [], 0.0, 0.0
    for value in VALUES:
        pair, wall = (measured(value, against_wall, 6 if quick else 24) for against_wall in (False, True))
        rows.append([f"{value:g}", float(pair.mean()), float(wall.mean()), float(np.ptp(pair)), float(np.ptp(wall))])
        error = max(error, abs(float(pair.mean()) - value), abs(float(wall.mean()) - value))
        spread = max(spread, float(np.abs(pair - value).max()), float(np.abs(wall - value).max()))
    print_table(["e set", "pair", "wall", "pair spread", "wall spread"], rows, TITLE)
    shots = {value: poured(value, 14) for value in (0.0, 0.5)}
    heights = {value: float(np.quantile(place[:, 2], 0.95)) for value, place in shots.items()}
    print_table(["e", "height of the highest twentieth [m]"], [[f"{k:g}", v] for k, v in heights.items()])
    figure, axes = new_figure("0.28 s after a fall of 0.2 m: e = 0 left, e = 0.5 right", "x [m]", "z [m]")
    for shift, place in zip((-0.2, 0.2), shots.values(), strict=True):
        order = np.argsort(place[:, 1])[::-1]
        axes.scatter(
            place[order, 0] + shift, place[order, 2], s=14, c=-place[order, 1], cmap="copper", edgecolor=INK, linewidth=0.2
        )
    axes.set_aspect("equal")
    axes.set_ylim(-0.01, None)
    save_figure(figure, out / "restitution.png")
    return {"error_max": error, "error_single_hit": spread, "height_0": heights[0.0], "height_05": heights[0.5]}
