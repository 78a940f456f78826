"""Speed and memory of the foam solver beside Taichi's MLS-MPM on the same block, and explicit against large steps, in one run."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, bars, print_table
from benchmarks.peers import PeerMissing, run_peer, taichi

TITLE = "Foam: particle-steps per second and memory, against Taichi MPM with a von Mises material"

SPACING, DENSITY, SHEAR, BULK, YIELD = 0.005, 200.0, 2.0e3, 4.0e4, 100.0
MATERIALS = {"von Mises": (0.0, 1.0), "Herschel–Bulkley m = 0.22": (27.2, 0.22)}
"""Viscosity and exponent."""


def measure(count: int, material: str, warm_up: int, batches: int, steps: int) -> dict[str, Any]:
    """A block of foam that yields under its weight on a slippery floor; in this process, all threads."""
    from solvers.jit import fit_threads
    from solvers.materials.foam_params import FoamParams
    from solvers.mpm.foam import FoamSolver
    from solvers.scene import Collider, ColliderParams, Mesh, WorldParams
    from solvers.walls import Walls
    from solvers.watch import Silent
    from solvers.world import Member

    viscosity, exponent = MATERIALS[material]
    params = FoamParams(
        density=DENSITY, firmness=SHEAR, yield_stress=YIELD, thickness=viscosity, thinning=exponent, volume_stiffness=BULK / SHEAR
    )
    world = WorldParams(spacing=SPACING)
    side = round(count ** (1 / 3))
    lattice = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    jitter = np.random.default_rng(0).uniform(-0.15, 0.15, lattice.shape)
    size = side * SPACING
    floor = Collider("Floor", Mesh.box((-size, -size, -0.1), (2 * size, 2 * size, 0.0)), ColliderParams(friction=0.0))
    walls = Walls([floor], reach=4 * SPACING, frames_per_second=24.0, frame_start=1, watch=Silent())
    solver = FoamSolver([Member("Block", params, "Foam")], world, 1.0)
    solver.add(0, (lattice + jitter) * SPACING, np.zeros_like(lattice))
    fit_threads(10**9)

    def advance() -> None:
        solver.step(walls, solver.stable_dt(0.0), Silent())

    for _ in range(warm_up):
        advance()
    seconds = []
    for _ in range(batches):
        begin = time.perf_counter()
        for _ in range(steps):
            advance()
        seconds.append((time.perf_counter() - begin) / steps)
    particles = solver.state.count
    return {
        "particles": particles,
        "s_per_step": min(seconds),
        "bytes_per_particle": solver.bytes_used() / particles,
        "top": float(solver.state.live("position")[2].max()),
    }


STIFF = ("marshmallow", "wet_concrete", "toothpaste")
"""Presets for which large steps are meant."""


def settle(preset: str, spacing: float) -> dict[str, Any]:
    """Wall-clock [s] of the same second of a 10 cm block that slumps on the floor and comes to rest, by kind of step."""
    from dataclasses import replace

    from solvers.materials.foam_params import PRESETS
    from solvers.scene import Body, Collider, Mesh, Scene, WorldParams
    from solvers.world import World

    found: dict[str, Any] = {}
    for stepping in ("warm", "explicit", "implicit", "automatic"):
        params = replace(PRESETS[preset].params, stepping="automatic" if stepping == "warm" else stepping)
        scene = Scene(
            "Settle",
            bodies=(Body("Block", "foam", Mesh.box((0, 0, 0), (0.1, 0.1, 0.1)), params),),
            colliders=(Collider("Floor", Mesh.box((-0.5, -0.5, -0.1), (0.6, 0.6, 0.0))),),
            world=WorldParams(spacing=spacing, frame_end=4 if stepping == "warm" else 25),
        )
        world = World(scene)
        world.start()
        begin = time.perf_counter()
        for frame in range(2, scene.world.frame_end + 1):
            world.advance(frame)
        solver: Any = world._solvers["foam"]
        if stepping != "warm":
            top = float(solver.state.live("position")[2].max())
            found[stepping] = {"seconds": time.perf_counter() - begin, "work": solver.work, "top": top}
    return found


def in_new_process(*arguments: Any, function: str = "measure") -> dict[str, Any]:
    """`measure` or `settle` in a fresh process."""
    code = f"import json; from benchmarks.foam_speed import {function}; print(json.dumps({function}{arguments!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(done.stdout[-500:] + done.stderr[-2000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def peer(law: str, count: int, warm_up: int, batches: int, steps: int, threads: int) -> dict[str, Any] | None:
    """Taichi on the same block, or None with the reason printed."""
    values = (count, SPACING, DENSITY, SHEAR, BULK, YIELD, warm_up, batches, steps, threads)
    try:
        return run_peer(taichi(), ROOT / "benchmarks" / "taichi_mpm.py", law, *map(str, values), threads=threads)
    except PeerMissing as error:
        print(f"Taichi is not available: {error}", file=sys.stderr)
        return None


def run(quick: bool, out: Path) -> dict[str, Any]:
    import numba

    threads = int(numba.config.NUMBA_NUM_THREADS)
    counts: tuple[int, ...] = (27_000, 64_000) if quick else (27_000, 125_000, 405_224, 1_000_000)
    timing = (40, 8, 10) if quick else (100, 8, 20)
    ours = {count: in_new_process(count, "von Mises", *timing) for count in counts}
    compared = counts[-1 if quick else -2]
    flowing = in_new_process(compared, "Herschel–Bulkley m = 0.22", *timing)
    settled = {name: in_new_process(name, 0.008 if quick else 0.004, function="settle") for name in STIFF}
    peers = {law: peer(law, compared, timing[0], timing[1], timing[2] // 2, threads) for law in ("svd", "b")}
    rate = {count: entry["particles"] / entry["s_per_step"] for count, entry in ours.items()}
    rows = [[f"Tsubu, von Mises, {count:,}".replace(",", " "), rate[count] / 1e6] for count in counts]
    rows.append(["Tsubu, Herschel–Bulkley m = 0.22", flowing["particles"] / flowing["s_per_step"] / 1e6])
    for law, entry in peers.items():
        if entry is not None:
            label = "Taichi, von Mises by SVD" if law == "svd" else "Taichi, von Mises on b̄"
            rows.append([label, entry["particles"] / entry["s_per_step"] / 1e6])
    print_table(["Solver", "M particle-steps/s"], rows, TITLE)
    bars(out / "foam_speed.png", {str(row[0]): float(row[1]) for row in rows[-4:]}, title=TITLE, y="M particle-steps/s")
    kinds = ("explicit", "implicit", "automatic")
    print_table(
        ["One simulated second", *(f"{kind} [s]" for kind in kinds), *(f"top, {kind} [m]" for kind in kinds)],
        [[name, *(e[kind]["seconds"] for kind in kinds), *(e[kind]["top"] for kind in kinds)] for name, e in settled.items()],
    )
    gain = {name: entry["explicit"]["seconds"] / entry["automatic"]["seconds"] for name, entry in settled.items()}
    sizes = np.log([entry["particles"] for entry in ours.values()])
    exponent = float(np.polyfit(sizes, np.log([entry["s_per_step"] for entry in ours.values()]), 1)[0])

    def ratio(law: str) -> float | None:
        entry = peers[law]
        return None if entry is None else ours[compared]["particles"] / ours[compared]["s_per_step"] / (
            entry["particles"] / entry["s_per_step"]
        )  # fmt: skip

    return {
        "particle_steps_per_s": rate[compared],
        "herschel_bulkley_per_s": flowing["particles"] / flowing["s_per_step"],
        "ratio_taichi": ratio("svd"),
        "ratio_taichi_same_law": ratio("b"),
        "implicit_speedup": min(gain.values()),
        "implicit_speedup_all": gain,
        "implicit_speedup_large_only": {n: e["explicit"]["seconds"] / e["implicit"]["seconds"] for n, e in settled.items()},
        "bytes_per_particle": ours[counts[-1]]["bytes_per_particle"],
        "exponent": exponent,
        "particles": compared,
        "threads": threads,
    }
