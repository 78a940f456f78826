"""Wall-clock of the semi-implicit solid beside Taichi's explicit MLS-MPM with the same fixed-corotated block, in one run."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, bars, print_table
from benchmarks.peers import PeerMissing, run_peer, taichi

TITLE = "Solid: seconds of computing per simulated second, against Taichi MPM (fixed corotated)"
SPACING, DENSITY, STIFFNESS, SQUASH = 0.01, 1000.0, 6.9e7, 0.3
"""The paper's hard ball (figure 5a) as a block that falls flat on a smooth floor at 1 m/s."""
PAPER_STEP = 1.0e-3
"""The paper's step [s] for this material, which the solver bears; by itself it takes a smaller one, to bounce well."""
ROOM = 32.0
"""Of the grid that lets the block fly, see `peer`."""
COURANTS = (0.5, 0.4, 0.3, 0.2)
"""Steps that Taichi is given in turn, in cells per wave; the first stable one counts."""


def measure(count: int, travels: float, step: float, warm_up: int, batches: int, steps: int) -> dict[str, Any]:
    """A block of `count` masters; `travels`: velocity along x [m/s] of a flight without floor through unbounded space;
    `step`: its length [s], 0 for the solver's own choice."""
    from solvers.jit import fit_threads
    from solvers.materials.solid_params import SolidParams
    from solvers.scene import Collider, ColliderParams, Mesh, WorldParams
    from solvers.solid.solids import SolidSolver
    from solvers.walls import Walls
    from solvers.watch import Silent
    from solvers.world import Member

    side = round(count ** (1 / 3))
    size = side * SPACING
    lattice = (np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5) * SPACING
    floor = Collider("Floor", Mesh.box((-size, -size, -0.1), (2 * size, 2 * size, 0.0)), ColliderParams(friction=0.0))
    floors = () if travels else (floor,)
    walls = Walls(floors, reach=2 * SPACING, frames_per_second=24.0, frame_start=1, watch=Silent())
    params = SolidParams(density=DENSITY, stiffness=STIFFNESS, squash=SQUASH)
    solver = SolidSolver([Member("Block", params, "Block")], WorldParams(spacing=SPACING), 1.0)
    solver.add(0, lattice, np.tile(np.array([travels, 0.0, -1.0]), (len(lattice), 1)))
    fit_threads(10**9)
    iterations, spans = [], []

    def advance() -> None:
        dt = step or solver.stable_dt(0.0)
        solver.step(walls, dt, Silent())
        iterations.append(solver.iterations)
        spans.append(dt)

    for _ in range(warm_up):
        advance()
    seconds = []
    for _ in range(batches):
        begin = time.perf_counter()
        for _ in range(steps):
            advance()
        seconds.append((time.perf_counter() - begin) / steps)
    held = [solver.state[name] for name in solver.state.layout] + list(solver.room.kept.values()) + list(solver.exchange.links())
    held += [solver.state.slaves[name] for name in solver.state.slaves.layout] + [solver.exchange.rest_rows]
    return {
        "particles": solver.state.count,
        "slaves": solver.state.slaves.count,
        "s_per_step": min(seconds),
        "dt": float(np.mean(spans[warm_up:])),
        "cg_iterations": float(np.mean(iterations[warm_up:])),
        "bytes_per_particle": sum(array.nbytes for array in held if array is not None) / solver.state.count,
    }


def in_new_process(*arguments: Any) -> dict[str, Any]:
    """`measure` in a fresh process."""
    code = f"import json; from benchmarks.solid_speed import measure; print(json.dumps(measure{arguments!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(done.stdout[-500:] + done.stderr[-2000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def peer(count: int, batches: int, steps: int, threads: int, room: float = 1.0) -> dict[str, Any] | None:
    """Taichi on the same block at the largest stable step, or None with the reason printed. `room`: length of its grid along x in
    blocks and their margins: what it needs to let the block fly that far."""
    mu, lam = STIFFNESS / (2 * (1 + SQUASH)), STIFFNESS * SQUASH / ((1 + SQUASH) * (1 - 2 * SQUASH))
    try:
        for courant in COURANTS:
            values = (count, SPACING, DENSITY, mu, lam, courant, 100, batches, steps, threads, room)
            found = run_peer(taichi(), ROOT / "benchmarks" / "taichi_elastic.py", *map(str, values), threads=threads)
            if found["stable"]:
                return found
    except PeerMissing as error:
        print(f"Taichi is not available: {error}", file=sys.stderr)
    return None


def run(quick: bool, out: Path) -> dict[str, Any]:
    import numba

    threads = int(numba.config.NUMBA_NUM_THREADS)
    counts: tuple[int, ...] = (8_000, 27_000) if quick else (27_000, 125_000, 405_224, 1_000_000)
    compared = counts[1]
    timing = (6, 2, 6) if quick else (10, 3, 8)
    # the largest need no more than a few steps: one of a million particles takes seconds
    ours = {count: in_new_process(count, 0.0, 0.0, *(timing if count < 300_000 else (2, 2, 3))) for count in counts}
    large = in_new_process(compared, 0.0, PAPER_STEP, *timing)
    flying = in_new_process(compared, 100.0, 1.0e-4, *timing)
    still = in_new_process(compared, 1.0e-9, 1.0e-4, *timing)
    other = peer(compared, 3, 10 if quick else 20, threads)
    roomy = peer(compared, 3, 10, threads, ROOM)
    cost = {count: entry["s_per_step"] / entry["dt"] for count, entry in ours.items()}
    rows = [
        [f"Tsubu, {entry['particles']:,}".replace(",", " "), entry["dt"] * 1e6, entry["s_per_step"] * 1e3, entry["cg_iterations"],
         cost[count]]
        for count, entry in ours.items()
    ]  # fmt: skip
    largest = large["s_per_step"] / large["dt"]
    label = f"Tsubu, {large['particles']:,}, paper's step".replace(",", " ")
    rows.append([label, large["dt"] * 1e6, large["s_per_step"] * 1e3, large["cg_iterations"], largest])
    if other is not None:
        rows.append([f"Taichi, {other['particles']:,}".replace(",", " "), other["dt"] * 1e6, other["s_per_step"] * 1e3, 0.0,
                     other["s_per_step"] / other["dt"]])  # fmt: skip
    print_table(["Solver", "step [µs]", "ms a step", "CG iterations", "s per simulated s"], rows, TITLE)
    bars(out / "solid_speed.png", {str(row[0]): float(row[4]) for row in rows}, title=TITLE, y="s per simulated s")
    sizes = np.log([entry["particles"] for entry in ours.values()])
    exponent = float(np.polyfit(sizes, np.log([entry["s_per_step"] for entry in ours.values()]), 1)[0])
    return {
        "particle_steps_per_s": ours[compared]["particles"] / ours[compared]["s_per_step"],
        "ratio_taichi": None if other is None else other["s_per_step"] / other["dt"] / largest,
        "ratio_taichi_own_step": None if other is None else other["s_per_step"] / other["dt"] / cost[compared],
        "cg_iterations": large["cg_iterations"],
        "cg_iterations_own_step": ours[compared]["cg_iterations"],
        "bytes_per_particle": ours[counts[-1]]["bytes_per_particle"],
        "exponent": exponent,
        "flight_over_rest": flying["s_per_step"] / still["s_per_step"],
        "roomy_grid_over_small": None if other is None or roomy is None else roomy["s_per_step"] / other["s_per_step"],
        "roomy_grid_nodes_per_particle": None if roomy is None else roomy["nodes"] / roomy["particles"],
        "particles": compared,
        "threads": threads,
    }
