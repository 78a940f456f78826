"""A free block of a stiff solid rings in its first mode along x: error against the closed form, and what it costs.

With ν = 0 a block is a bar: v_x = v₀ sin(π(x − L/2)/L) cos(2π t/T) with T = 2L/√(E/ρ). The error is the largest difference of
the amplitude from cos(2π t/T) over two periods: wrong stiffness, wrong phase and loss by the integrator or the transfer all
count. Both programs start with the mode's velocity and its gradient and are given several particle and step sizes; at the same
error the times are compared.
"""

import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import ROOT, Line, plot, print_table
from benchmarks.peers import PeerMissing, run_peer, taichi

TITLE = "Solid: cost of a ringing stiff block at the same error, beside Taichi MPM (fixed corotated)"
DENSITY, STIFFNESS, LENGTH, SPEED, PERIODS = 1000.0, 6.9e7, 0.24, 0.3, 2.0
"""The stiffness is that of the paper's hard ball; edge of the cube [m]; v₀ [m/s]: 0.1 % of strain."""
PERIOD = 2.0 * LENGTH / (STIFFNESS / DENSITY) ** 0.5
SIDES, PEER_SIDES = (6, 8, 12, 16, 24), (8, 12, 16, 24, 32, 48)
"""Particles across, ours and Taichi's."""
STEPS = (60, 30, 15, 10)
"""Our steps in a period."""
COURANTS = (0.5, 0.25)
"""Taichi's step, in cells per wave."""


class Rung(NamedTuple):
    """One run."""

    label: str
    side: int
    """Particles across."""
    dt: float
    error: float
    cost: float
    """Seconds of computing for a simulated second."""
    iterations: float = 0.0
    """Of conjugate gradients in a step."""


def error_of(times: Any, amplitude: Any) -> float:
    return float(np.abs(np.asarray(amplitude) - np.cos(2.0 * np.pi * np.asarray(times) / PERIOD)).max())


def ours(side: int, steps: int) -> Rung:
    """Our solver with `steps` steps in a period, implicit midpoint (Implicitness ½): the setting for ringing bodies."""
    from solvers.jit import fit_threads
    from solvers.materials.solid_params import SolidParams
    from solvers.scene import WorldParams
    from solvers.solid.solids import SolidSolver
    from solvers.walls import Walls
    from solvers.watch import Silent
    from solvers.world import Member

    spacing, dt = LENGTH / side, PERIOD / steps
    lattice = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    mode = np.sin(np.pi * (lattice[:, 0] / side - 0.5))
    walls = Walls((), reach=2.0 * spacing, frames_per_second=24.0, frame_start=1, watch=Silent())
    params = SolidParams(density=DENSITY, stiffness=STIFFNESS, squash=0.0, implicitness=0.5)
    fit_threads(10**9)

    def made() -> SolidSolver:
        world = WorldParams(spacing=spacing, gravity=(0.0, 0.0, 0.0))
        solver = SolidSolver([Member("Block", params, "Block")], world, 1.0)
        solver.add(0, lattice * spacing, np.zeros((side**3, 3)))
        solver.state.live("velocity")[0] = SPEED * mode  # as a push from outside: the slaves get what fits it best
        return solver

    made().step(walls, dt, Silent())  # compiles
    solver = made()
    times, series, spent, iterations = [0.0], [1.0], 0.0, 0
    for step in range(round(PERIODS * steps)):
        begin = time.perf_counter()
        solver.step(walls, dt, Silent())
        spent += time.perf_counter() - begin
        iterations += solver.iterations
        times.append((step + 1) * dt)
        series.append(float(solver.state.live("velocity")[0] @ mode / (SPEED * (mode @ mode))))
    return Rung("Tsubu", side, dt, error_of(times, series), spent / times[-1], iterations / (len(times) - 1))


def peer(side: int, courant: float, threads: int) -> Rung:
    """Taichi's explicit MLS-MPM on the same block."""
    values = (side**3, LENGTH / side, DENSITY, 0.5 * STIFFNESS, 0.0, courant, 0, 0, 0, threads, 1.0, SPEED, PERIODS)
    found = run_peer(taichi(), ROOT / "benchmarks" / "taichi_elastic.py", *map(str, values), threads=threads)
    return Rung("Taichi", side, found["dt"], error_of(found["time"], found["amplitude"]), found["s_per_s"])


def frontier(runs: list[Rung]) -> list[Rung]:
    """The runs that no other beats in both error and cost, by falling error."""
    kept = [one for one in runs if not any(o.error <= one.error and o.cost <= one.cost and o is not one for o in runs)]
    return sorted(kept, key=lambda one: -one.error)


def cost_at(runs: list[Rung], error: float) -> float | None:
    """Cost of the cheapest run whose error is at most `error`; no interpolation. None if none reaches it."""
    return min((one.cost for one in runs if one.error <= error), default=None)


def run(quick: bool, out: Path) -> dict[str, Any]:
    import solvers.jit  # noqa: F401, I001 (before numba: it chooses the cache)
    import numba

    threads = int(numba.config.NUMBA_NUM_THREADS)
    sides, peer_sides = (SIDES[:4], PEER_SIDES[:5]) if quick else (SIDES, PEER_SIDES)
    mine = [ours(side, steps) for side in sides for steps in STEPS]
    others: list[Rung] = []
    try:
        others = [peer(side, courant, threads) for side in peer_sides for courant in COURANTS]
    except PeerMissing as error:
        print(f"Taichi is not available: {error}", file=sys.stderr)
    rows = [[one.label, one.side, one.dt * 1e6, one.error, one.cost] for one in [*mine, *others]]
    print_table(["Program", "across", "step [µs]", "error", "s per simulated s"], rows, TITLE)
    ratios = {one.error: one.cost / cost for one in frontier(others) if (cost := cost_at(mine, one.error)) is not None}
    lines = []
    for name, best in (("Tsubu", frontier(mine)), ("Taichi", frontier(others))):
        if best:
            lines.append(Line(name, [one.error for one in best], [one.cost for one in best]))
    plot(out / "solid_accuracy.png", lines, title=TITLE, x="error", y="s per simulated s", log=True)
    # the ratio is that at the smallest error which Taichi reaches; those at larger errors stand beside it
    return {
        "ratio_taichi": ratios[min(ratios)] if ratios else None,
        "ratios_by_error": {f"{error:.3g}": ratio for error, ratio in ratios.items()},
        "best_error": min(one.error for one in mine),
        "best_error_taichi": min((one.error for one in others), default=None),
        "threads": threads,
    }
