"""Speed and memory of grains: beside LAMMPS on the same collapsing column (same law, same step, two threads against two ranks),
and as a continuum beside Taichi's MPM on the same block of sand."""

import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, print_table
from benchmarks.grain_growth import GROWTH, GROWTH_QUICK, grown, in_new_process, show_growth
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
    points = in_new_process("grain_speed", "continuum", block, *timing)
    pace = figures["continuum_steps_per_s"] = points["particles"] / points["s_per_step"]
    rows.append(["Tsubu, continuum", points["particles"], points["s_per_step"] * 1e3, pace / 1e6])
    try:
        peer = sand_in_taichi(block, timing[0], timing[1], timing[2] // 2)
        rate = peer["particles"] / peer["s_per_step"]
        rows.append(["Taichi, Drucker–Prager by SVD", peer["particles"], peer["s_per_step"] * 1e3, rate / 1e6])
        figures["ratio_taichi"] = figures["continuum_steps_per_s"] / rate
    except PeerMissing as missing:
        print(f"Taichi is not to be had here: {missing}")
    growth, found = grown(GROWTH_QUICK if quick else GROWTH, 4 if quick else 6)
    figures |= found
    print_table(["code", "grains", "ms per step", "million grain-steps/s"], rows, TITLE)
    show_growth(growth, found, out)
    return figures
