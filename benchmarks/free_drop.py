"""A drop in free flight: it becomes a ball, keeps its volume, and rings at Rayleigh's pitch."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table
from benchmarks.drop_shapes import capillary_time, crossings, radius_of, surface_of, surface_volume
from solvers.materials.drops_params import DropsParams
from solvers.scene import Body, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Drops: sphericity, volume and Rayleigh's period of a free drop"
VOLUME = 1.0e-6
STRETCH = 1.25


def cube(particles: int, seconds: float, frames: int, **settings: Any) -> Scene:
    """1 mL of water as a cube, without gravity."""
    side = VOLUME ** (1.0 / 3.0)
    return Scene(
        "Cube",
        bodies=(Body("Drop", "drops", Mesh.box((0.0, 0.0, 0.0), (side, side, side)), DropsParams(**settings)),),
        world=WorldParams(
            spacing=(VOLUME / particles) ** (1.0 / 3.0), gravity=(0.0, 0.0, 0.0), frames_per_second=(frames - 1) / seconds,
            frame_end=frames, jitter=0.3,
        ),
    )  # fmt: skip


def sphericity(points: np.ndarray, volume: float) -> float:
    """Wadell's: area of the ball of this volume over the area of the surface through `points`, from radii about the centre.

    With r(Ω) = R (1 + ε), area / ball = 1 + ⟨ε²⟩ + ⟨|∇ε|²⟩/2 …; here by the isoperimetric quotient of the ellipsoid that has the
    points' second moments, and the rough part as the variance of the radius beyond it.
    """
    arm = points - points.mean(axis=0)
    radius = np.linalg.norm(arm, axis=1)
    # direction-weighted fit of an ellipsoid r² = Ωᵀ M Ω
    axis = arm / radius[:, None]
    terms = np.stack(
        [
            axis[:, 0] ** 2,
            axis[:, 1] ** 2,
            axis[:, 2] ** 2,
            axis[:, 0] * axis[:, 1],
            axis[:, 0] * axis[:, 2],
            axis[:, 1] * axis[:, 2],
        ],
        axis=1,
    )
    fit, *_ = np.linalg.lstsq(terms, radius, rcond=None)
    matrix = np.array([[fit[0], fit[3] / 2, fit[4] / 2], [fit[3] / 2, fit[1], fit[5] / 2], [fit[4] / 2, fit[5] / 2, fit[2]]])
    a, b, c = np.linalg.eigvalsh(matrix)
    power = 1.6075  # Thomsen's formula for the area of an ellipsoid
    area = 4 * np.pi * (((a * b) ** power + (a * c) ** power + (b * c) ** power) / 3) ** (1 / power)
    rough = float(np.var((radius - terms @ fit) / radius.mean()))
    return float(4 * np.pi * (a * b * c) ** (2 / 3) / area / (1.0 + 4.0 * rough))


def ringing(particles: int, frames: int) -> tuple[float, float, np.ndarray]:
    """Period [s] of a drop stretched along z, Rayleigh's period [s], and the curve (time, stretch) (n, 2)."""
    radius = radius_of(VOLUME)
    liquid = DropsParams(calm=0.03)
    rayleigh = 2.0 * np.pi * float(np.sqrt(liquid.density * radius**3 / (8.0 * liquid.surface_tension)))
    ball = Mesh.sphere((0.0, 0.0, 0.0), radius, 4)
    mesh = Mesh(ball.vertices * np.array([STRETCH**-0.5, STRETCH**-0.5, STRETCH]), ball.triangles)
    scene = Scene(
        "Egg",
        bodies=(Body("Drop", "drops", mesh, liquid),),
        world=WorldParams(
            spacing=(VOLUME / particles) ** (1.0 / 3.0), gravity=(0.0, 0.0, 0.0), frames_per_second=frames / (2.6 * rayleigh),
            frame_end=frames, jitter=0.3,
        ),
    )  # fmt: skip
    world = World(scene)
    world.start()
    curve = []
    for frame in range(1, frames + 1):
        if frame > 1:
            world.advance(frame)
        x = world.points("Drops")["position"].astype(np.float64)
        moment = ((x - x.mean(axis=0)) ** 2).mean(axis=0)
        curve.append((scene.time_of(frame), float(moment[2] / (0.5 * (moment[0] + moment[1])) - 1.0)))
    line = np.array(curve)
    t, y = line.T
    y = y - np.interp(t, t, y * 0.0)
    cross = np.flatnonzero((y[:-1] > 0) != (y[1:] > 0))
    zeros = t[cross] + (t[cross + 1] - t[cross]) * y[cross] / (y[cross] - y[cross + 1])
    # half periods between crossings; the first quarter also carries the settling of the lattice
    halves = np.diff(zeros)[:2]
    return 2.0 * float(halves.mean()) if len(halves) else float("nan"), rayleigh, line


def run(quick: bool, out: Path) -> dict[str, Any]:
    particles = 500 if quick else 2000
    seconds = 3.0 if quick else 10.0
    frames = 9 if quick else 21
    world = World(cube(particles, seconds, frames))
    world.start()
    volumes, times = [], []
    for frame in range(2, frames + 1):
        world.advance(frame)
        times.append(world.scene.time_of(frame))
        volumes.append(surface_volume(surface_of(world)))
    points = crossings(surface_of(world))
    ball = sphericity(points, volumes[-1])
    kept = np.array(volumes) / volumes[0]
    error = float(np.abs(kept - 1.0).max())
    period, rayleigh, line = ringing(400 if quick else 2000, 60)
    speed = float(np.abs(world.points("Drops")["velocity"]).max())
    print_table(
        ["Quantity", "measured", "wanted"],
        [
            ["sphericity", ball, 1.0],
            ["volume, largest change in time", error, 0.0],
            ["volume against the mesh", volumes[-1] / VOLUME, 1.0],
            ["largest speed at the end [mm/s]", 1e3 * speed, 0.0],
            ["period [ms]", 1e3 * period, 1e3 * rayleigh],
            ["√(ρV/γ) [ms]", 1e3 * capillary_time(VOLUME, DropsParams()), ""],
        ],
        f"{TITLE}: 1 mL of water, {particles} particles, {seconds:g} s",
    )
    plot(
        out / "free_drop.png", [Line("stretch", 1e3 * line[:, 0], line[:, 1])], title="A stretched drop rings", x="time [ms]",
        y="⟨z²⟩ / ⟨x²⟩ − 1", decorate=lambda axes: axes.axvline(1e3 * rayleigh, color="#b5476f", linestyle="--"),
    )  # fmt: skip
    return {
        "sphericity": ball,
        "volume_error": error,
        "volume_ratio": volumes[-1] / VOLUME,
        "period_error": abs(period / rayleigh - 1),
    }
