"""The collapsing column: reconstructed walls against three layers of wall particles, and against measurements.

The second experiment of 『再構築ポリゴン壁を用いたSPHの壁境界計算手法』 (笠 晃一): tank 40 × 30 × 20 cm, column 12 × 20 × 20 cm,
looked at after 0.467 s; the paper's walls were 2.01 times as fast per step. The front of the default scheme is compared
with the experiment of Martin & Moyce (1952).
"""

import time
from pathlib import Path
from typing import Any, NamedTuple

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
TURN, WARM_UP = 20, 3
"""Steps that one kind of wall does before the other has its turn; steps that are not timed, because code is still loaded."""


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


class Race(NamedTuple):
    """Both kinds of wall from the first step to 0.467 s, in turns, so that a busy machine slows both alike."""

    particle_seconds: float
    """Mean of a step with three layers of wall particles, over the whole run as in the paper."""
    polygon_seconds: float
    particle_seconds_at_first: float
    """Mean of a step in the first tenth, while the column still stands."""
    polygon_seconds_at_first: float
    steps: int
    fluid: int
    walls: int


def race(spacing: float, params: WaterParams) -> Race:
    """Seconds per step with particle walls and with reconstructed ones."""
    world = paper_world(spacing, params, 1)
    solver = world._solvers["water"]
    fluid = world.points("Water")["position"].astype(np.float64)
    layers = box_layers(np.zeros(3), np.array(TANK), spacing)
    baseline = ParticleWallWater(fluid, layers, spacing, params, GRAVITY)
    dt = 0.8 * solver.stable_dt(0.0)  # the same for both, so that both do the same number of steps
    steps = int(np.ceil(SECONDS / dt))

    def polygon(step: int) -> None:
        world.walls.pose(step * dt, dt)
        solver.step(world.walls, dt, Silent())

    seconds = np.zeros((2, steps))
    for first in range(0, steps, TURN):
        for kind, advance in enumerate((lambda step: baseline.step(dt), polygon)):
            for step in range(first, min(first + TURN, steps)):
                begin = time.perf_counter()
                advance(step)
                seconds[kind, step] = time.perf_counter() - begin
    (whole, whole_polygon), (early, early_polygon) = (seconds[:, WARM_UP:last].mean(axis=1) for last in (steps, steps // 10))
    return Race(whole, whole_polygon, early, early_polygon, steps, len(fluid), len(layers))


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
    both = race(spacing, params)
    # The paper does not tell its spacing. The finer, the smaller the share of the walls: their particles grow with the surface.
    coarse = [] if quick else [race(larger, params) for larger in (0.01, 0.007)]
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
        "wall_speedup": both.particle_seconds / both.polygon_seconds,
        "wall_speedup_at_first": both.particle_seconds_at_first / both.polygon_seconds_at_first,
        "wall_speedup_coarser": [each.particle_seconds / each.polygon_seconds for each in coarse],
        "runup_m": run_up(points["position"], spacing),
        "runup_incompressible_m": run_up(implicit.points("Water")["position"], spacing),
        "front_error": error,
        "front_lag": lag,
        "front_error_without_lag": error_without_lag,
        "seconds_per_step_particle_wall": both.particle_seconds,
        "seconds_per_step_reconstructed": both.polygon_seconds,
        "fluid_particles": both.fluid,
        "wall_particles": both.walls,
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
