"""Water on a 15° slope: does it run off, or do bumps of the wall hold it back?

The first experiment of 『再構築ポリゴン壁を用いたSPHの壁境界計算手法』 (笠 晃一): a cube of 4 cm, 0.9 s.
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import print_table, render_points
from benchmarks.particle_walls import ParticleWallWater, lattice_layers, sheet_layers
from solvers import Body, Collider, Mesh, Scene, WorldParams
from solvers.materials.water_params import WaterParams
from solvers.world import World

TITLE = "15° slope, 4 cm cube of water, 0.9 s: particles left behind on the slope, by kind of wall"

ANGLE = np.radians(15.0)
ALONG = np.array((np.cos(ANGLE), 0.0, -np.sin(ANGLE)))
NORMAL = np.array((np.sin(ANGLE), 0.0, np.cos(ANGLE)))
LENGTH, WIDTH, EDGE, SECONDS, GRAVITY = 1.6, 0.5, 0.04, 0.9, 9.8
SLOW = 0.05 * GRAVITY * np.sin(ANGLE) * SECONDS
"""Slower than a twentieth of free sliding [m/s]: left behind."""


def slope() -> Mesh:
    origin = -0.3 * ALONG - np.array((0.0, 0.5 * WIDTH, 0.0))
    return Mesh.rectangle(tuple(origin), tuple(LENGTH * ALONG), (0.0, WIDTH, 0.0))


def cube() -> Mesh:
    """A cube standing on the slope."""
    box = Mesh.box((0.0, -0.5 * EDGE, 0.0), (EDGE, 0.5 * EDGE, EDGE))
    turn = np.stack([ALONG, np.array((0.0, 1.0, 0.0)), NORMAL], axis=1)
    return Mesh(box.vertices @ turn.T, box.triangles)


def left_behind(position: np.ndarray, velocity: np.ndarray, spacing: float) -> int:
    """Particles (3, n) that lie on the slope and hardly move."""
    on_slope = np.abs(NORMAL @ position) < 3.0 * spacing
    return int(np.count_nonzero(on_slope & (np.linalg.norm(velocity, axis=0) < SLOW)))


def reconstructed(spacing: float, params: WaterParams) -> tuple[np.ndarray, np.ndarray, float]:
    """Positions and velocities (3, n) after 0.9 s, and the step that was used [s]."""
    world = WorldParams(spacing=spacing, gravity=(0.0, 0.0, -GRAVITY), frames_per_second=10.0, frame_end=10)
    water = World(Scene("Slope", (Body("Water", "water", cube(), params),), (Collider("Slope", slope()),), world=world))
    water.start()
    for frame in range(2, 11):
        water.advance(frame)
    points = water.points("Water")
    return points["position"].T, points["velocity"].T, SECONDS / water.steps


def within(points: np.ndarray, others: np.ndarray, distance: float) -> np.ndarray:
    """Which points (n, 3) share a cell of edge `distance`, or a neighbouring one, with any of the others: all that are nearer."""
    cells = [np.floor(part / distance).astype(np.int64) for part in (points, others)]
    low = np.minimum(cells[0].min(axis=0), cells[1].min(axis=0)) - 1
    size = np.maximum(cells[0].max(axis=0), cells[1].max(axis=0)) - low + 2
    stride = np.array((size[1] * size[2], size[2], 1))
    around = np.stack(np.meshgrid(*[(-1, 0, 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) @ stride
    taken = np.unique((np.unique((cells[1] - low) @ stride)[:, None] + around).ravel())
    return np.isin((cells[0] - low) @ stride, taken)


def particle_walls(
    fluid: np.ndarray, layers: np.ndarray, spacing: float, params: WaterParams, dt: float
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities (3, n) of the same 0.9 s against three layers of particles.

    Wall particles that nobody can reach cost time without changing the result: every few steps those near the water are chosen
    anew.
    """
    velocity, left, batch = np.zeros_like(fluid), round(SECONDS / dt), 50
    while left > 0:
        steps = min(batch, left)
        margin = 4.0 * spacing + steps * dt * (float(np.abs(velocity).max()) + GRAVITY * steps * dt)
        water = ParticleWallWater(fluid, layers[within(layers, fluid, margin)], spacing, params, GRAVITY, velocity)
        for _ in range(steps):
            water.step(dt)
        fluid, velocity = water.fluid("position").T, water.fluid("velocity").T
        left -= steps
    return fluid.T, velocity.T


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacing = 0.008 if quick else 0.0025
    params = WaterParams(scheme="reference", stiffness_speed=10.0, viscosity=0.001)
    position, velocity, dt = reconstructed(spacing, params)

    axis = (np.arange(round(EDGE / spacing)) + 0.5) * spacing
    local = np.stack(np.meshgrid(axis, axis - 0.5 * EDGE, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    fluid = local @ np.stack([ALONG, np.array((0.0, 1.0, 0.0)), NORMAL], axis=1).T
    sheet = slope().vertices[0], LENGTH * ALONG, np.array((0.0, WIDTH, 0.0)), spacing
    other, other_velocity = particle_walls(fluid, lattice_layers(*sheet), spacing, params, dt)
    aligned, aligned_velocity = particle_walls(fluid, sheet_layers(*sheet), spacing, params, dt)

    figures = {
        "stuck_reconstructed": left_behind(position, velocity, spacing),
        "stuck_particle_wall": left_behind(other, other_velocity, spacing),
        "stuck_particle_wall_aligned": left_behind(aligned, aligned_velocity, spacing),
        "particles": position.shape[1],
        "steps": round(SECONDS / dt),
    }
    rows = [
        ["reconstructed polygons", figures["stuck_reconstructed"], position, velocity],
        ["three layers of particles, on the world's lattice", figures["stuck_particle_wall"], other, other_velocity],
        ["three layers of particles, laid along the slope", figures["stuck_particle_wall_aligned"], aligned, aligned_velocity],
    ]
    print_table(
        ["wall", "left behind", "mean way [m]", "mean speed [m/s]"],
        [[name, stuck, float((ALONG @ x).mean()), float(np.linalg.norm(v, axis=0).mean())] for name, stuck, x, v in rows],
        TITLE,
    )
    aside = np.array((0.0, 0.12, 0.0))[:, None]
    both = np.concatenate([position - aside, other + aside], axis=1).T
    speed = np.concatenate([np.linalg.norm(velocity, axis=0), np.linalg.norm(other_velocity, axis=0)])
    middle = 0.5 * LENGTH * ALONG - 0.3 * ALONG
    camera = (tuple(middle + np.array((0.1, -1.3, 0.75))), tuple(middle))
    render_points(both, out / "slope.png", radius=0.6 * spacing, values=speed, walls=[slope()], camera=camera, quick=quick)
    return figures
