"""The collapsing column: reconstructed walls against three layers of wall particles, and against measurements.

The second experiment of 『再構築ポリゴン壁を用いたSPHの壁境界計算手法』 (笠 晃一): tank 40 × 30 × 20 cm, column 12 × 20 × 20 cm,
looked at after 0.467 s; the paper's walls were 2.01 times as fast per step. The front of the default scheme is compared
with the experiment of Martin & Moyce (1952).
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import martin_moyce
from benchmarks.common import Line, plot, print_table, render_points
from benchmarks.particle_walls import ParticleWallWater, box_layers
from solvers import Body, Collider, Mesh, Scene, WorldParams
from solvers.materials.water_params import WaterParams
from solvers.watch import Silent
from solvers.world import World

TITLE = "Dam break: run-up, speed of both kinds of wall, front against Martin & Moyce"

TANK, COLUMN, SECONDS, GRAVITY = (0.4, 0.2, 0.3), (0.12, 0.2, 0.2), 0.467, 9.8
ZERO = (0.0, 0.0, 0.0)


def paper_world(spacing: float, params: WaterParams, frames: int) -> World:
    """The paper's tank, in `frames` frames up to 0.467 s. Its walls are higher than the water ever gets."""
    tank = Mesh.open_box(ZERO, (TANK[0], TANK[1], 2.0 * TANK[2]))
    world = WorldParams(spacing=spacing, gravity=(0.0, 0.0, -GRAVITY), frames_per_second=frames / SECONDS, frame_end=frames + 1)
    result = World(
        Scene("Dam", (Body("Water", "water", Mesh.box(ZERO, COLUMN), params),), (Collider("Tank", tank),), world=world)
    )
    result.start()
    return result


def run_up(position: np.ndarray, spacing: float) -> float:
    """How high (m) the water stands at the far wall: the height that one in a hundred of the particles there exceeds."""
    at_wall = position[position[:, 0] > TANK[0] - 3.0 * spacing]
    return float(np.quantile(at_wall[:, 2], 0.99)) if len(at_wall) else 0.0


def seconds_per_step(step: Any, count: int) -> float:
    """Best of `count` steps."""
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    return min(times)


def wall_speedup(spacing: float, params: WaterParams, repeats: int) -> tuple[float, float, int, int]:
    """Seconds per step with particle walls and with reconstructed ones, measured alternately, and particle counts."""
    world = paper_world(spacing, params, 1)
    solver = world._solvers["water"]
    fluid = world.points("Water")["position"].astype(np.float64)
    layers = box_layers(np.zeros(3), np.array((TANK[0], TANK[1], TANK[2])), spacing)
    baseline = ParticleWallWater(fluid, layers, spacing, params, GRAVITY)
    dt = solver.stable_dt(0.0)

    def ours() -> None:
        world.walls.pose(dt, dt)
        solver.step(world.walls, dt, Silent())

    seconds_per_step(ours, 3)
    seconds_per_step(lambda: baseline.step(dt), 3)
    best = np.full(2, np.inf)
    for _ in range(repeats):
        best[0] = min(best[0], seconds_per_step(lambda: baseline.step(dt), 5))
        best[1] = min(best[1], seconds_per_step(ours, 5))
    return best[0], best[1], len(fluid), len(layers)


def front(spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """T and Z of Martin & Moyce's column in the default scheme."""
    base, width, height = martin_moyce.BASE, martin_moyce.BASE, 2.0 * martin_moyce.BASE
    channel = Mesh.open_box(ZERO, (8.0 * base, width, 3.0 * height))
    world = WorldParams(spacing=spacing, frames_per_second=200.0, frame_end=60)
    water = World(
        Scene(
            "Column",
            (Body("Water", "water", Mesh.box(ZERO, (base, width, height))),),
            (Collider("Channel", channel),),
            world=world,
        )
    )
    water.start()
    seconds, places = [], []
    for frame in range(2, 61):
        water.advance(frame)
        x = water.points("Water")["position"][:, 0]
        # the front is a tongue, not the first drop: the place that ten particles have passed, plus half a spacing
        places.append((np.sort(x)[-10] + 0.5 * spacing) / base)
        seconds.append(water.scene.time_of(frame))
        if places[-1] > 4.5:
            break
    return martin_moyce.front_time(np.array(seconds), base, height), np.array(places)


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacing = 0.01 if quick else 0.005
    params = WaterParams(scheme="reference", stiffness_speed=20.0, viscosity=0.001)
    particle, polygon, fluid, walls = wall_speedup(0.005, params, 3 if quick else 10)
    world = paper_world(spacing, params, 10)
    for frame in range(2, 12):
        world.advance(frame)
    points = world.points("Water")
    implicit = paper_world(spacing, WaterParams(), 10)
    for frame in range(2, 12):
        implicit.advance(frame)
    times, places = front(0.005 if quick else 0.0025)
    error = martin_moyce.front_error(times, places)
    lag, error_without_lag = martin_moyce.front_lag(times, places)
    figures = {
        "wall_speedup": particle / polygon,
        "runup_m": run_up(points["position"], spacing),
        "runup_incompressible_m": run_up(implicit.points("Water")["position"], spacing),
        "front_error": error,
        "front_lag": lag,
        "front_error_without_lag": error_without_lag,
        "seconds_per_step_particle_wall": particle,
        "seconds_per_step_reconstructed": polygon,
        "fluid_particles": fluid,
        "wall_particles": walls,
        "steps": world.steps,
    }
    print_table(["figure", "value"], [[name, value] for name, value in figures.items()], TITLE)
    plot(
        out / "dam_break_front.png",
        [Line("Tsubu", times, places), Line("Martin & Moyce 1952", *martin_moyce.FRONT.T, dots=True)],
        title="Front of a collapsing column",
        x="t √(2g/a)",
        y="x / a",
    )
    speed = np.linalg.norm(points["velocity"], axis=1)
    render_points(
        points["position"], out / "dam_break.png", radius=0.6 * spacing, values=speed,
        walls=[Mesh.open_box(ZERO, TANK)], camera=((0.25, -1.1, 0.45), (0.2, 0.1, 0.14)), quick=quick,
    )  # fmt: skip
    return figures
