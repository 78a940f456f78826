"""A few timed steps of a job, and what they foretell: seconds, memory and disk of the whole bake.

Nothing is written into the job's folder. Compiling is not counted: it happens once on a machine.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import job
from ..errors import Cancelled
from ..groups import sources_of
from ..scene import Scene
from .estimate import estimate, refuse_too_large
from .frames import FrameWriter
from .modules import blender_modules, points_format

_SECONDS = 6.0
"""Simulated for at most this long."""
_PATIENCE = 2
_HURRIES = "water"
"""The kind whose steps become shorter as it moves faster while each costs the same; others have short steps all the time."""


class Forecast(NamedTuple):
    """What a bake would cost."""

    particles: int
    """Most of them, with what emitters pour."""
    seconds: float | None
    """None if nothing is there yet in the first frame to be measured."""
    memory: int
    """Bytes."""
    disk: int
    """Bytes."""
    steps: float
    """Steps in a frame, as the first ones were."""
    compiling: bool
    """Whether the first bake has to compile first."""


class _Stop(Cancelled):
    """Enough has been seen."""


class _Stopwatch:
    """A watch that notes when how much of a frame was done, and ends the simulation after a while."""

    def __init__(self) -> None:
        self.marks: list[tuple[float, float]] = []
        self.end = float("inf")

    def poll(self) -> None:
        if time.perf_counter() > self.end and len(self.marks) > _PATIENCE:
            raise _Stop("enough")

    def report(self, *, phase: str, done: float = 0.0, particles: int = 0, message: str = "") -> None:
        if phase == "simulating":
            self.marks.append((time.perf_counter(), done))


def probe(folder: Path, threads: int = 0) -> Forecast:
    """Simulates the beginning of the job in `folder`."""
    from .. import jit
    from ..world import World
    from .warm import unready

    scene = job.read(folder)
    modules = blender_modules()
    compiling = bool(unready(scene))
    refuse_too_large(scene, load_solvers=True)
    jit.set_threads(threads)
    watch: Any = _Stopwatch()
    world = World(scene, watch)
    world.start()
    alive = int(world.totals()["particles"])
    per_frame, steps = _timed_frame(scene, world, watch)
    if per_frame is not None and steps > 0.0:
        done = watch.marks[-1][1] if watch.marks else 0.0
        frames = world.frame - scene.world.frame_start + (done if done < 1.0 else 0.0)
        per_frame *= _hurry(scene, world, steps, frames / scene.world.frames_per_second)
    written, output = _timed_files(scene, world, watch, bool(modules.openvdb))
    particles, memory = estimate(scene, load_solvers=True)
    frames = scene.frame_count
    average = 0.5 * (alive + particles) / alive if alive else 0.0
    known = per_frame is not None and alive > 0
    seconds = ((frames - 1) * (per_frame or 0.0) + frames * written) * average if known else None
    disk = int(frames * output * average) if alive else frames * particles * 40
    return Forecast(particles, seconds, max(memory, _peak_memory()), disk, steps, compiling)


def _timed_frame(scene: Scene, world: Any, watch: Any) -> tuple[float | None, float]:
    """Seconds and steps of a frame. The first frame is simulated twice where it is short: the first time compiles."""
    first = scene.world.frame_start
    if scene.frame_count < 2:
        return 0.0, 0.0
    begin = time.perf_counter()
    frame = first
    while frame < scene.world.frame_end:
        frame += 1
        watch.marks.clear()
        before = time.perf_counter()
        try:
            world.advance(frame)
        except _Stop:
            break
        if watch.end == float("inf"):
            watch.end = time.perf_counter() + _SECONDS  # from here on everything is compiled
        elif time.perf_counter() - begin > _SECONDS:
            break
        last = time.perf_counter() - before, len(watch.marks)
    else:
        return last
    if len(watch.marks) < 2:
        return None, 0.0
    (t0, d0), (t1, d1) = watch.marks[0], watch.marks[-1]
    if d1 <= d0:
        return None, float(len(watch.marks))
    return (t1 - t0) / (d1 - d0), (len(watch.marks) - 1) / (d1 - d0)


def _hurry(scene: Scene, world: Any, steps: float, seconds: float) -> float:
    """How many times longer a frame will take than the one timed after so many `seconds`, which had so many `steps`.

    Splashes take more steps: as many as at the speed of what has fallen from the highest place to the lowest, if it is
    falling at all: a pool at rest gains no speed.
    """
    counts = {group: solver.state.count for group, solver in world.solvers.items()}
    water = [group for group in counts if group.split()[0] == _HURRIES and counts[group]]
    if not water or seconds <= 0.0:
        return 1.0
    fastest = max(float(world.solvers[group].fastest()) for group in water)
    strength = float(np.linalg.norm(scene.world.gravity))
    falling = min(1.0, fastest / (strength * seconds)) if strength > 0.0 else 0.0
    begin = max((float(np.linalg.norm(body.velocity)) for body in scene.bodies), default=0.0)
    begin = max([begin, *(float(np.max(e.animated.get("speed", e.params.speed))) for e in scene.emitters)])
    speed = np.sqrt(begin**2 + 2.0 * strength * _drop(scene) * falling)
    step = min(float(world.solvers[group].stable_dt(float(speed))) for group in water)
    most = 1.0 / (scene.world.frames_per_second * step)
    part = sum(counts[group] for group in water) / sum(counts.values())
    return 1.0 + part * (max(1.0, most / steps) - 1.0)


def _drop(scene: Scene) -> float:
    """How far anything can fall [m]: from the highest point of bodies and emitters to the lowest of them and the colliders."""
    gravity = np.asarray(scene.world.gravity, dtype=np.float64)
    down = gravity / max(float(np.linalg.norm(gravity)), 1.0e-30)
    sources = [entry.mesh.at(0) @ down for entry in sources_of(scene)]
    walls = [entry.mesh.at(0) @ down for entry in scene.colliders if entry.motion is None]
    lowest = max(float(depth.max()) for depth in (*sources, *walls))
    return lowest - min(float(depth.min()) for depth in sources)


def _timed_files(scene: Scene, world: Any, watch: Any, surfaces: bool) -> tuple[float, float]:
    """Seconds and bytes of writing a frame, with its surface."""
    watch.end = float("inf")
    with tempfile.TemporaryDirectory(prefix="tsubu-probe-") as place:
        folder = Path(place)
        for name in ("points", "surface"):
            (folder / name).mkdir()
        writer = FrameWriter(scene, folder, world, points_format(), watch, surfaces=scene.surface.enabled and surfaces)
        writer.write(scene.world.frame_start, None)
        begin = time.perf_counter()
        records = writer.write(scene.world.frame_start, None)
        return time.perf_counter() - begin, float(sum(record["bytes"] for record in records))


def _peak_memory() -> int:
    """Most memory that this process has used so far [bytes]; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024


__all__ = ["Forecast", "probe"]
