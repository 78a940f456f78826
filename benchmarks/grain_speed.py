"""Speed and memory of grains: beside LAMMPS on the same collapsing column (same law, same step, two threads against two ranks),
and as a continuum beside Taichi's MPM on the same block of sand."""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, Line, plot, print_table
from benchmarks.lammps_grains import advance, collapsing_column, our_engine, seconds_per_step
from benchmarks.peers import PeerMissing, run_peer, taichi

TITLE = "Grains: grain-steps per second and memory, against LAMMPS (Hooke springs with history, 2 ranks)"
PREPARE = 20_000
"""Steps after which the column is in full flow."""


def ours(snapshot: Any, warm: int, repeats: int, steps: int) -> list[float]:
    """Wall seconds a step of each of several runs of `steps` steps, in this process."""
    engine, walls = our_engine(snapshot)
    advance(engine, walls, warm)
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        advance(engine, walls, steps)
        seconds.append((time.perf_counter() - begin) / steps)
    return seconds


def resident_bytes() -> float:
    """Memory of this process now; its peak where the system tells no better."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmRSS"))
        return float(line.split()[1]) * 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def artists(count: int, steps: int) -> dict[str, Any]:
    """Grains as an artist gets them (spread sizes, rolling resistance): size, time and memory, in this process."""
    from solvers import Body, Collider, GrainsParams, Mesh, Scene, WorldParams
    from solvers.watch import Silent
    from solvers.world import World

    def column(cells: int, size: float) -> Any:
        edge = size * (cells / 1.1) ** (1.0 / 3.0)
        body = Body("Sand", "grains", Mesh.box((0, 0, 0), (edge, edge, edge)), GrainsParams(size=size))
        tank = Collider("Tank", Mesh.open_box((0, 0, 0), (2.0 * edge, edge, 2.0 * edge)))
        return World(Scene("Column", (body,), (tank,), world=WorldParams(frames_per_second=1000.0)))

    small: Any = column(500, 0.01)
    small.start()
    small.advance(2)
    before = resident_bytes()
    world = column(count, 0.01)
    world.start()
    solver: Any = world._solvers["grains"]

    def step() -> None:
        dt = 20 * solver.engine.stiffness.step
        solver.stable_dt(0.0)
        solver.step(world.walls, dt, Silent())

    step()
    times = []
    for _ in range(steps):
        begin = time.perf_counter()
        step()
        times.append((time.perf_counter() - begin) / 20.0)
    after = resident_bytes()
    grains = solver.state.count
    return {"grains": grains, "s_per_step": min(times), "bytes_per_grain": (after - before) / grains}


def continuum(count: int, warm: int, batches: int, steps: int) -> dict[str, Any]:
    """A block of sand as a continuum (Method *Continuum only*) that slumps on a slippery floor, in this process."""
    from solvers.hybrid.grains import grain_solver
    from solvers.jit import fit_threads
    from solvers.materials.grains_params import GrainsParams
    from solvers.scene import Collider, ColliderParams, Mesh, WorldParams
    from solvers.walls import Walls
    from solvers.watch import Silent
    from solvers.world import Member

    size, side = 0.01, round(count ** (1.0 / 3.0))
    edge = side * size
    floor = Collider("Floor", Mesh.box((-edge, -edge, -0.1), (2 * edge, 2 * edge, 0.0)), ColliderParams(friction=0.0))
    solver: Any = grain_solver([Member("Sand", GrainsParams(mode="continuum", size=size), "Grains")], WorldParams(), edge)
    walls = Walls([floor], reach=solver.h, frames_per_second=24.0, frame_start=1, watch=Silent())
    lattice = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    jitter = np.random.default_rng(0).uniform(-0.15, 0.15, lattice.shape)
    solver.add(0, (lattice + jitter) * size, np.zeros_like(lattice))
    fit_threads(10**9)

    def advance(times: int) -> None:
        for _ in range(times):
            solver.step(walls, solver.stable_dt(0.0), Silent())

    advance(warm)
    seconds = []
    for _ in range(batches):
        begin = time.perf_counter()
        advance(steps)
        seconds.append((time.perf_counter() - begin) / steps)
    return {"particles": solver.state.count, "s_per_step": min(seconds)}


def sand_in_taichi(count: int, warm: int, batches: int, steps: int) -> dict[str, Any]:
    """The same block in Taichi's MLS-MPM: Drucker–Prager at 30°, with its usual singular value decomposition."""
    sine = 0.5
    alpha = (2.0 / 3.0) ** 0.5 * 2.0 * sine / (3.0 - sine)
    values = ("sand", count, 0.01, 1600.0, 1.0e5, 2.0e5, alpha, warm, batches, steps, 2)
    return run_peer(taichi(), ROOT / "benchmarks" / "taichi_mpm.py", *map(str, values), threads=2)


def in_new_process(name: str, *arguments: Any) -> dict[str, Any]:
    """A function of this file in a fresh process, so that memory and threads are its own."""
    code = f"import json; from benchmarks.grain_speed import {name}; print(json.dumps({name}{arguments!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(done.stdout[-500:] + done.stderr[-2000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def run(quick: bool, out: Path) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    snapshot = collapsing_column(20_000, PREPARE // 2 if quick else PREPARE)
    count = len(snapshot.position)
    warm, repeats, steps = (100, 3, 200) if quick else (200, 5, 400)
    own = ours(snapshot, warm, repeats, steps)
    rows = [["Tsubu", count, min(own) * 1e3, count / min(own) / 1e6]]
    figures["grain_steps_per_s"] = count / min(own)
    try:
        peer = seconds_per_step(snapshot, out / "lammps", 2, warm, repeats, steps)
        rows.append(["LAMMPS, 2 ranks", count, min(peer) * 1e3, count / min(peer) / 1e6])
        figures["ratio_lammps"] = min(peer) / min(own)
    except PeerMissing as missing:
        print(f"LAMMPS is not to be had here: {missing}")
    block, *timing = (64_000, 40, 6, 10) if quick else (405_224, 60, 8, 20)
    points = in_new_process("continuum", block, *timing)
    pace = figures["continuum_steps_per_s"] = points["particles"] / points["s_per_step"]
    rows.append(["Tsubu, continuum", points["particles"], points["s_per_step"] * 1e3, pace / 1e6])
    try:
        peer = sand_in_taichi(block, timing[0], timing[1], timing[2] // 2)
        rate = peer["particles"] / peer["s_per_step"]
        rows.append(["Taichi, Drucker–Prager by SVD", peer["particles"], peer["s_per_step"] * 1e3, rate / 1e6])
        figures["ratio_taichi"] = figures["continuum_steps_per_s"] / rate
    except PeerMissing as missing:
        print(f"Taichi is not to be had here: {missing}")
    sizes = (4_000, 16_000, 64_000) if quick else (10_000, 30_000, 100_000, 300_000, 1_000_000)
    growth = [in_new_process("artists", size, 4 if quick else 6) for size in sizes]
    counts = np.array([entry["grains"] for entry in growth])
    seconds = np.array([entry["s_per_step"] for entry in growth])
    figures["exponent"] = float(np.polyfit(np.log(counts), np.log(seconds), 1)[0])
    figures["largest_grains"] = int(counts.max())
    figures["bytes_per_grain"] = growth[-1]["bytes_per_grain"]
    figures["artists_grain_steps_per_s"] = float(counts[-1] / seconds[-1])
    print_table(["code", "grains", "ms per step", "million grain-steps/s"], rows, TITLE)
    print_table(
        ["grains", "ms per step", "million grain-steps/s", "bytes per grain"],
        [[e["grains"], e["s_per_step"] * 1e3, e["grains"] / e["s_per_step"] / 1e6, e["bytes_per_grain"]] for e in growth],
        f"With spread sizes and rolling resistance: exponent {figures['exponent']:.2f}",
    )
    plot(
        out / "grain_speed.png",
        [Line("Tsubu, dense column", counts, seconds)],
        title="Seconds per contact step", x="grains", y="s", log=True,
    )  # fmt: skip
    return figures
