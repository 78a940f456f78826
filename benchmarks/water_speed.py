"""Speed and memory of both water schemes beside SPlisHSPlasH on the same dam break, in one run."""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, Line, plot, print_table
from benchmarks.peers import PeerMissing, run_peer, splishsplash

TITLE = "Water: particle-steps per second and memory, against SPlisHSPlasH (WCSPH and DFSPH)"

PEER = {"reference": "wcsph", "incompressible": "dfsph"}


def warm_kernels(scheme: str) -> None:
    """A few steps of a tiny scene: loading compiled code counts neither as time nor as memory of particles."""
    from benchmarks.dam_break import paper_world
    from solvers.materials.water_params import WaterParams
    from solvers.watch import Silent

    world = paper_world(0.03, WaterParams(scheme=scheme), 1)
    world.walls.pose(1.0e-4, 1.0e-4)
    world._solvers["water"].step(world.walls, 1.0e-4, Silent())


def measure(spacing: float, scheme: str, warm_up: int, batches: int, steps: int) -> dict[str, Any]:
    """Our own solver on the paper's dam break, in this process. Tolerance as the peer's: 0.05 % mean density error."""
    from benchmarks.dam_break import paper_world
    from solvers.materials.water_params import WaterParams
    from solvers.watch import Silent

    params = WaterParams(scheme=scheme, stiffness_speed=20.0, tolerance=5.0e-4)
    warm_kernels(scheme)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    world = paper_world(spacing, params, 1)
    solver: Any = world._solvers["water"]
    iterations: list[int] = []

    def advance() -> float:
        dt = solver.stable_dt(0.0)
        world.walls.pose(dt, dt)
        solver.step(world.walls, dt, Silent())
        iterations.append(solver.last.iterations)
        return dt

    for _ in range(warm_up):
        advance()
    seconds, simulated = [], []
    for _ in range(batches):
        begin = time.perf_counter()
        moved = sum(advance() for _ in range(steps))
        seconds.append((time.perf_counter() - begin) / steps)
        simulated.append(moved / steps)
    count = solver.state.count
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "particles": count,
        "s_per_step": min(seconds),
        "dt": float(np.mean(simulated)),
        "iterations": float(np.mean(iterations[warm_up:])),
        "bytes_per_particle": (after - before) * 1024.0 / count,
    }


def in_new_process(*arguments: Any) -> dict[str, Any]:
    """`measure` in a fresh process, so that memory is its own."""
    code = f"import json; from benchmarks.water_speed import measure; print(json.dumps(measure{arguments!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(done.stdout[-500:] + done.stderr[-2000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacing = 0.008 if quick else 0.004
    warm_up, batches, steps = (20, 3, 5) if quick else (60, 5, 20)
    rows, figures = [], {}
    script = ROOT / "benchmarks" / "splishsplash_scene.py"
    for scheme, method in PEER.items():
        ours = in_new_process(spacing, scheme, warm_up, batches, steps)
        rows.append(
            ["Tsubu " + scheme, ours["particles"], ours["s_per_step"] * 1e3, ours["particles"] / ours["s_per_step"] / 1e6]
        )
        figures[f"particle_steps_per_s_{scheme}"] = ours["particles"] / ours["s_per_step"]
        figures[f"bytes_per_particle_{scheme}"] = ours["bytes_per_particle"]
        figures[f"dt_{scheme}"] = ours["dt"]
        figures[f"iterations_{scheme}"] = ours["iterations"]
        try:
            peer = run_peer(
                splishsplash(), script, "--method", method, "--radius", str(0.5 * spacing), "--warm-up", str(warm_up),
                "--batches", str(batches), "--steps", str(steps), "--threads", "2", threads=2,
            )  # fmt: skip
        except PeerMissing as missing:
            print(f"SPlisHSPlasH is not to be had here: {missing}")
            continue
        per_particle = peer["s_per_step"] / peer["particles"]
        rows.append(["SPlisHSPlasH " + method, peer["particles"], peer["s_per_step"] * 1e3, 1.0e-6 / per_particle])
        figures[f"ratio_splishsplash_{method}"] = per_particle / (ours["s_per_step"] / ours["particles"])
    sizes = (0.012, 0.008, 0.006) if quick else (0.01, 0.006, 0.004, 0.0028, 0.0024)
    growth = [in_new_process(size, "incompressible", 10, 4, 3 if quick else 5) for size in sizes]
    counts = np.array([entry["particles"] for entry in growth])
    per_sweep = np.array([entry["s_per_step"] for entry in growth])
    figures["exponent"] = float(np.polyfit(np.log(counts), np.log(per_sweep), 1)[0])
    figures["largest_particles"] = int(counts.max())
    figures["particle_steps_per_s"] = figures["particle_steps_per_s_incompressible"]
    figures["bytes_per_particle"] = growth[-1]["bytes_per_particle"]
    figures["ratio_splishsplash"] = min(
        (value for name, value in figures.items() if name.startswith("ratio_splishsplash_")), default=float("nan")
    )
    print_table(["code", "particles", "ms per step", "million particle-steps/s"], rows, TITLE)
    print_table(
        ["particles", "ms per step", "iterations", "bytes per particle"],
        [[e["particles"], e["s_per_step"] * 1e3, e["iterations"], e["bytes_per_particle"]] for e in growth],
        f"Growth of cost: exponent {figures['exponent']:.2f}",
    )
    plot(
        out / "water_speed.png",
        [Line("Tsubu, incompressible", counts, per_sweep)],
        title="Seconds per step", x="particles", y="s", log=True,
    )  # fmt: skip
    return figures
