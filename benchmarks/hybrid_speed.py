"""The same scene by single grains and by the hybrid, timed in one run: what drill, tyres and scaling share."""

import time
from typing import Any, NamedTuple

import numpy as np

from solvers.scene import Scene
from solvers.world import World


class Timed(NamedTuple):
    """One method's run."""

    world: World
    seconds: float
    """Wall time of a frame, mean of those timed."""
    particles: int
    """Grains and material points at the end."""
    saved: float
    """Part of all grains that was not needed, mean of the frames."""


def timed(scene: Scene, warm: int, frames: int) -> Timed:
    """Simulate `warm` frames, which compile and convert, then `frames` more by the watch."""
    world = World(scene)
    world.start()
    first = scene.world.frame_start + 1
    seconds, saved = [], []
    for frame in range(first, first + warm + frames):
        begin = time.perf_counter()
        world.advance(frame)
        if frame >= first + warm:
            seconds.append(time.perf_counter() - begin)
            saved.append(float(world.totals().get("grains_saved", 0.0)))
    return Timed(world, float(np.mean(seconds)), int(world.totals()["particles"]), float(np.mean(saved)))


def effective_grains(world: World) -> int:
    """How many grains there would be if all were single."""
    solver: Any = world._solvers["grains"]
    return round(solver.grains_of_all()) if hasattr(solver, "grains_of_all") else int(solver.state.count)


def method_row(label: str, run: Timed) -> list[Any]:
    """A line for the table of methods."""
    return [label, effective_grains(run.world), run.particles, 100.0 * run.saved, run.seconds]


HEADINGS = ["method", "effective grains", "grains + points", "grains saved [%]", "s per frame"]
