"""How fast drops run: simulated time per second for 400 particles beside the paper's, and particle-steps/s at 100 000."""

import time
from pathlib import Path
from typing import Any

from benchmarks.common import bars, print_table
from benchmarks.drop_shapes import ball_on_plane
from solvers.world import World

TITLE = "Drops: simulated time per second, and particle-steps per second"
PAPER = 6.5e-3
"""Simulated seconds per second of the paper (400 particles, 18 frames of 12 steps of 0.03 ms a second, CPU of 2006)."""


def timed(particles: int, seconds: float, volume: float) -> tuple[float, float, int]:
    """Simulated time per second, particle-steps per second, particles; without the first frame, which compiles."""
    frames = 6
    world = World(ball_on_plane(volume, particles, 90.0, gravity=9.81, fps=(frames - 2) / seconds, frames=frames))
    world.start()
    world.advance(2)
    solver: Any = world._solvers["drops"]
    begin, steps = time.perf_counter(), 0.0
    for frame in range(3, frames + 1):
        world.advance(frame)
        steps += world.scene.time_of(frame) - world.scene.time_of(frame - 1)
    took = time.perf_counter() - begin
    count = solver.state.count
    return steps / took, count * steps / solver.small_step() / took, count


def run(quick: bool, out: Path) -> dict[str, Any]:
    factor, rate, count = timed(400, 0.5 if quick else 2.0, 1.0e-6)
    large, large_rate, many = timed(20000 if quick else 100000, 1.0e-3 if quick else 4.0e-3, 1.0e-5)
    print_table(
        ["Scene", "particles", "simulated s per s", "particle-steps/s"],
        [
            ["1 mL", count, factor, rate],
            ["10 mL", many, large, large_rate],
            ["the paper, 400 particles", 400, PAPER, 400 * PAPER / 3e-5],
        ],
        TITLE,
    )
    bars(out / "drop_speed.png", {"ours": factor, "paper (2008)": PAPER}, title="400 particles", y="simulated seconds per second")
    return {"realtime_factor_400": factor, "particle_steps_per_s": large_rate, "ratio_paper": factor / PAPER}
