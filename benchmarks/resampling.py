"""Foam drawn out between plates with and without resampling: voids, mass, momentum."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table
from solvers.materials.foam_params import FoamParams
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Foam: numerical voids with and without resampling"

FPS = 50.0
FRAMES, LONGER = 41, 3.0
"""Frames in which the bar is drawn out, and to how many times its length."""


def drawn(resampling: bool, spacing: float) -> tuple[World, np.ndarray]:
    """A bar glued between plates that go apart; the world, and rows of stretch and void fraction.

    Drawn to three times its length, neighbours along the bar are up to three spacings apart: the voids are of the particles,
    not of the foam, which does not tear here.
    """
    width, height = 0.10, 0.06
    stretch = LONGER ** (np.arange(FRAMES) / (FRAMES - 1))
    motion = np.tile(np.eye(4), (FRAMES, 1, 1))
    motion[:, 2, 3] = height * (stretch - 1.0)
    params = FoamParams(
        density=200.0, firmness=1000.0, yield_stress=40.0, thickness=60.0, thinning=1.0, volume_stiffness=20.0, tearing=False,
        resampling=resampling,
    )  # fmt: skip
    stick = ColliderParams(contact="stick")
    scene = Scene(
        "Draw",
        bodies=(Body("Bar", "foam", Mesh.box((0, 0, 0), (width, width, height)), params),),
        colliders=(
            Collider("Table", Mesh.box((-0.1, -0.1, -0.1), (0.2, 0.2, 0.0)), stick),
            Collider("Puller", Mesh.box((-0.1, -0.1, height), (0.2, 0.2, height + 0.1)), stick, motion=motion),
        ),
        world=WorldParams(spacing=spacing, gravity=(0, 0, 0), frames_per_second=FPS, frame_end=FRAMES),
    )
    world = World(scene)
    world.start()
    found = [(1.0, void_fraction(world))]
    for frame in range(2, FRAMES + 1):
        world.advance(frame)
        if frame % 4 == 1:
            found.append((float(stretch[frame - 1]), void_fraction(world)))
    return world, np.array(found)


def void_fraction(world: World) -> float:
    """Share of the foam's inside that has no particle within 1.05 spacings.

    The inside is found without the solver's own rule: samples whose twenty-six directions all meet a particle within three
    spacings (a cone of 30° around each direction)."""
    state = world._solvers["foam"].state
    x = state.live("position").T.astype(np.float64) / world.spacing
    rng = np.random.default_rng(1)
    low, high = np.quantile(x, 0.02, axis=0), np.quantile(x, 0.98, axis=0)
    samples = rng.uniform(low, high, (4000, 3))
    directions = np.array(
        [[i, j, k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) if (i, j, k) != (0, 0, 0)], float
    )
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    cells: dict[tuple, list[int]] = {}
    for index, place in enumerate(np.floor(x / 3.0).astype(int).tolist()):
        cells.setdefault(tuple(place), []).append(index)
    inside = void = 0
    for sample in samples:
        i, j, k = np.floor(sample / 3.0).astype(int).tolist()
        near = [p for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1) for p in cells.get((i + a, j + b, k + c), ())]
        offset = x[near] - sample
        distance = np.linalg.norm(offset, axis=1)
        offset, distance = offset[distance < 3.0], distance[distance < 3.0]
        if (
            len(offset)
            and ((directions @ (offset / np.maximum(distance, 1e-9)[:, None]).T).max(axis=1) > np.cos(np.radians(30))).all()
        ):
            inside += 1
            void += bool(distance.min() > 1.05)
    return void / max(inside, 1)


def conserved(world: World) -> tuple[float, np.ndarray]:
    totals = world.totals()
    return totals["mass"], np.array(totals["momentum"])


def round_errors(spacing: float) -> tuple[float, float]:
    """Relative change of mass and momentum by fifty rounds of insertion and merging alone, in foam drawn to twice its length."""
    from solvers.mpm.foam import FoamSolver
    from solvers.mpm.resample import Resampler
    from solvers.walls import Walls
    from solvers.watch import Silent
    from solvers.world import Member

    solver = FoamSolver([Member("Foam", FoamParams(), "Foam")], WorldParams(spacing=spacing), 1.0)
    lattice = np.stack(np.meshgrid(*[np.arange(16)] * 3, indexing="ij"), -1).reshape(-1, 3) * spacing * np.array([0.4, 0.9, 2.2])
    solver.add(0, lattice, np.random.default_rng(0).normal(size=lattice.shape))
    state, sampler = solver.state, Resampler(spacing, np.array([200.0 * spacing**3]))
    walls = Walls([], reach=solver.cell, frames_per_second=24.0, frame_start=1, watch=Silent())

    def sums() -> tuple[float, np.ndarray, float]:
        mass = state.live("mass").astype(float)
        momentum = mass * state.live("velocity").astype(float)
        return float(mass.sum()), momentum.sum(axis=1), float(np.abs(momentum).sum())

    mass, momentum, scale = sums()
    for round_ in range(50):
        state.live("plastic")[...] = 1.0 + 0.01 * round_
        solver.grid.loosen()
        solver.grid.sort(state, walls)
        if solver.grid.tiles is not None:
            sampler.run(state, solver.grid.tiles, solver.cell, 0.5)
    after = sums()
    print(f"{len(lattice)} particles became {state.count}, {state.next_id - len(lattice)} of them born")
    return abs(after[0] / mass - 1.0), float(np.abs(after[1] - momentum).max() / scale)


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacing = 0.01 if quick else 0.006
    found, rows = {}, []
    for resampling in (False, True):
        world, voids = drawn(resampling, spacing)
        mass, _ = conserved(world)
        found[resampling] = voids
        rows.append(["on" if resampling else "off", world._solvers["foam"].state.count, voids[-1, 1], mass])
    mass_error, momentum_error = round_errors(spacing)
    print_table(["Resampling", "particles", "void fraction", "mass [kg]"], rows, TITLE)
    print(f"Change by 50 rounds of insertion and merging alone: mass {mass_error:.1e}, momentum {momentum_error:.1e}")
    lines = [Line(label, *found[key].T) for key, label in ((False, "off"), (True, "on"))]
    plot(out / "resampling.png", lines, title="Voids in a bar that is drawn out", x="length / first length", y="void fraction")
    return {
        "void_fraction_on": float(found[True][-1, 1]),
        "void_fraction_off": float(found[False][-1, 1]),
        "mass_error": mass_error,
        "momentum_error": momentum_error,
    }
