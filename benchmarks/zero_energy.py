"""The checkerboard: velocities that alternate from particle to particle strain nothing at the particles. Who removes them?"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table

TITLE = "Solid: an alternating velocity, with slaves and with particles alone"
STIFFNESS, SQUASH, DENSITY, SPACING, SPEED = 1.0e5, 0.3, 1000.0, 0.05, 0.01
CORE = 4
"""Particles across the core in which the mode is measured."""


def lattice(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 3) [m] of a cube of particles and the mode: +1 and −1 in turn (n,)."""
    index = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    return (index + 0.5) * SPACING, 1.0 - 2.0 * (index.sum(axis=1) % 2)


def amplitude(velocity: np.ndarray, mode: np.ndarray) -> float:
    """How much of the mode is in the velocities along x (n,) of the cube's core, 1 at the start.

    At the surface half of the neighbours are missing and even particles alone see the mode; the core is what waves from there do
    not reach within the run.
    """
    side = round(len(mode) ** (1 / 3))
    index = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    core = (np.abs(index - 0.5 * (side - 1)) < 0.5 * CORE).all(axis=1)
    return float(abs(velocity[core] @ mode[core]) / core.sum() / SPEED)


def time_step() -> float:
    return 0.2 * SPACING / np.sqrt(STIFFNESS / DENSITY)


def with_slaves(side: int, steps: int, scheme: str, ratio: float) -> list[float]:
    """Amplitude after each step of the solver."""
    from solvers.materials.solid_params import SolidParams
    from solvers.scene import WorldParams
    from solvers.solid.solids import SolidSolver
    from solvers.walls import Walls
    from solvers.watch import Silent
    from solvers.world import Member

    params = SolidParams(stiffness=STIFFNESS, squash=SQUASH, density=DENSITY, scheme=scheme, slave_spacing=ratio)
    solver = SolidSolver([Member("Cube", params, "Cube")], WorldParams(spacing=SPACING, gravity=(0.0, 0.0, 0.0)), 1.0)
    places, mode = lattice(side)
    velocity = np.zeros_like(places)
    velocity[:, 0] = SPEED * mode
    solver.add(0, places, velocity)
    walls = Walls((), reach=2.0 * SPACING, frames_per_second=24.0, frame_start=1, watch=Silent())
    result = [1.0]
    for _ in range(steps):
        solver.step(walls, time_step(), Silent())
        result.append(amplitude(solver.state.live("velocity")[0], mode))
    return result


def particles_alone(side: int, steps: int) -> list[float]:
    """The same gradient and its transpose, but between the particles themselves: stress lives where the velocities do."""
    from solvers.solid.links import link
    from solvers.solid.rows import fill_rows

    places, mode = lattice(side)
    group, reach = np.zeros(len(places), np.int32), 1.75 * SPACING
    links = link(places, group, places, group, np.array([reach]))
    row, centre = np.zeros((len(links.slave), 4), np.float32), np.zeros((len(places), 3))
    padded = np.concatenate([places, np.zeros((len(places), 1))], axis=1)
    fill_rows(
        places.T.copy(),
        padded,
        links.start,
        links.slave,
        links.weight,
        np.full(len(places), reach),
        np.zeros(len(places), bool),
        row,
        centre,
    )
    master, gradient = np.repeat(np.arange(len(places)), np.diff(links.start)), row[:, :3].astype(np.float64)
    mu, lam = STIFFNESS / (2 * (1 + SQUASH)), STIFFNESS * SQUASH / ((1 + SQUASH) * (1 - 2 * SQUASH))
    velocity, strain, dt = np.zeros_like(places), np.zeros((len(places), 3, 3)), time_step()
    velocity[:, 0] = SPEED * mode
    result = [1.0]
    for _ in range(steps):
        stress = 2.0 * mu * strain + lam * np.trace(strain, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        force = np.zeros_like(places)
        np.add.at(force, links.slave, -np.einsum("eij,ej->ei", stress[master], gradient))
        velocity += dt / DENSITY * force
        slope = np.zeros_like(strain)
        np.add.at(slope, master, velocity[links.slave][:, :, None] * gradient[:, None, :])
        strain += dt * 0.5 * (slope + slope.transpose(0, 2, 1))
        result.append(amplitude(velocity[:, 0], mode))
    return result


def run(quick: bool, out: Path) -> dict[str, Any]:
    side, steps = (14, 20) if quick else (24, 45)
    paper = with_slaves(side, steps, "paper", 1.0)
    rest = with_slaves(side, steps, "rest", 2.0)
    alone = particles_alone(side, steps)
    rows = [["slaves, the paper's scheme", paper[1], paper[-1]], ["slaves, rest shape", rest[1], rest[-1]]]
    rows.append(["particles alone", alone[1], alone[-1]])
    print_table(["Amplitude of the mode", "after 1 step", f"after {steps} steps"], rows, TITLE)
    time = np.arange(steps + 1) * time_step() * 1000.0
    plot(
        out / "zero_energy.png",
        [
            Line("particles alone", time, alone),
            Line("slaves, paper's scheme", time, paper),
            Line("slaves, rest shape", time, rest),
        ],
        title=TITLE, x="time [ms]", y="amplitude of the alternating velocity",
    )  # fmt: skip
    return {"decay_slaves": paper[-1], "decay_particles": alone[-1], "decay_rest_shape": rest[-1], "steps": steps}
