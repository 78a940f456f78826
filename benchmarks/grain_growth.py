"""Grains as an artist gets them, in growing number up to a million: time a step, time to fill, memory."""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, Line, plot, print_table

TITLE = "Grains in growing number, up to a million: exponent and bytes per grain"
GROWTH, GROWTH_QUICK = (10_000, 100_000, 1_000_000), (4_000, 16_000, 64_000)


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
        body = Body("Sand", "grains", Mesh.box((0, 0, 0), (edge, edge, edge)), GrainsParams(mode="all", size=size))
        tank = Collider("Tank", Mesh.open_box((0, 0, 0), (2.0 * edge, edge, 2.0 * edge)))
        return World(Scene("Column", (body,), (tank,), world=WorldParams(frames_per_second=1000.0)))

    small: Any = column(500, 0.01)
    small.start()
    small.advance(2)
    before = resident_bytes()
    world = column(count, 0.01)
    begin = time.perf_counter()
    world.start()
    filled = time.perf_counter() - begin
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
    after, grains = resident_bytes(), solver.state.count
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0
    return {
        "grains": grains, "s_per_step": min(times), "bytes_per_grain": (after - before) / grains,
        "peak_bytes": peak, "fill_seconds": filled,
    }  # fmt: skip


def in_new_process(module: str, name: str, *arguments: Any) -> dict[str, Any]:
    """A function of a benchmark in a fresh process, so that memory and threads are its own."""
    code = f"import json; from benchmarks.{module} import {name}; print(json.dumps({name}{arguments!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(done.stdout[-500:] + done.stderr[-2000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def grown(sizes: tuple[int, ...], steps: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What `artists` finds for every size, and the figures."""
    growth = []
    for size in sizes:
        entry = in_new_process("grain_growth", "artists", size, steps)
        growth.append(entry)
        rate = entry["grains"] / entry["s_per_step"] / 1e6
        print(
            f"{entry['grains']} grains: {rate:.1f} million grain-steps/s, {entry['bytes_per_grain']:.0f} bytes each", flush=True
        )
    counts = np.array([entry["grains"] for entry in growth])
    seconds = np.array([entry["s_per_step"] for entry in growth])
    return growth, {
        "exponent": float(np.polyfit(np.log(counts), np.log(seconds), 1)[0]),
        "largest_grains": int(counts.max()),
        "bytes_per_grain": growth[-1]["bytes_per_grain"],
        "peak_gigabytes": growth[-1]["peak_bytes"] / 1e9,
        "artists_grain_steps_per_s": float(counts[-1] / seconds[-1]),
    }


def show_growth(growth: list[dict[str, Any]], figures: dict[str, Any], out: Path) -> None:
    """Table and plot."""
    print_table(
        ["grains", "ms per step", "million grain-steps/s", "bytes per grain", "peak GB", "s to fill"],
        [
            [
                e["grains"], e["s_per_step"] * 1e3, e["grains"] / e["s_per_step"] / 1e6, e["bytes_per_grain"],
                e["peak_bytes"] / 1e9, e["fill_seconds"],
            ]
            for e in growth
        ],
        f"With spread sizes and rolling resistance: exponent {figures['exponent']:.2f}",
    )  # fmt: skip
    plot(
        out / "grain_growth.png",
        [Line("Tsubu, dense column", [e["grains"] for e in growth], [e["s_per_step"] for e in growth])],
        title="Seconds per contact step", x="grains", y="s", log=True,
    )  # fmt: skip


def run(quick: bool, out: Path) -> dict[str, Any]:
    growth, figures = grown(GROWTH_QUICK if quick else GROWTH, 4 if quick else 6)
    show_growth(growth, figures, out)
    return figures
