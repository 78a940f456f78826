"""Compiling ahead, in several processes at a time.

numba compiles one function after the other on one core. What a bake needs falls into parts that know nothing of each
other: the surface and every kind of body. Each part is compiled by a process that uses it once on a thimble of
particles, and is found in the cache by the bake, which meanwhile builds (and compiles) its walls.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import numpy as np

from ..errors import InvalidScene
from ..materials import MATERIALS, find
from ..scene import Body, Collider, Emitter, Mesh, Scene, SurfaceParams, WorldParams
from ..watch import Silent, Watch

WALLS, SURFACE = "walls", "surface"
_EDGE = 6.0
"""Edge of the box of particles that a part is tried on, in particle spacings."""
_PATIENCE = 600.0
"""Seconds that a bake waits for the other processes before it compiles on its own."""


def any_scene() -> Scene:
    """One body of every kind with default settings: what a machine can compile before there is a job."""
    box = Mesh.box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    bodies = tuple(Body(material.label, kind, box) for kind, material in MATERIALS.items())
    return Scene("Any", bodies, (Collider("Box", box),), world=WorldParams())


def parts_of(scene: Scene) -> tuple[str, ...]:
    """What can be compiled side by side for this scene."""
    kinds = dict.fromkeys(source.kind for source in (*scene.bodies, *scene.emitters))
    walls = (WALLS,) if scene.walls else ()
    return (*walls, *((SURFACE,) if scene.surface.enabled else ()), *kinds)


def unready(scene: Scene) -> list[str]:
    """The parts that this machine has not compiled yet."""
    from .. import jit

    return [part for part in parts_of(scene) if not jit.is_ready(part)]


def mark_ready(parts: Sequence[str]) -> None:
    """These parts have been used and are therefore compiled."""
    from .. import jit

    for part in parts:
        jit.mark_ready(part)


def warm_part(scene: Scene, part: str) -> None:
    """Use one part once, so that its kernels are in the cache."""
    if part not in parts_of(scene):
        raise InvalidScene(f"{scene.name}: there is nothing called {part!r} to compile; known are {', '.join(parts_of(scene))}.")
    if part == WALLS:
        _warm_walls(scene.world)
    elif part == SURFACE:
        _warm_surface(scene.world.spacing, scene.surface)
        if {"drops", "water"} & set(parts_of(scene)):
            _warm_contact_lines()
    else:
        _warm_kind(scene, part)
    mark_ready([part])


def _warm_walls(world: WorldParams) -> None:
    from ..walls import Walls

    edge = _EDGE * world.spacing
    box = Collider("Box", Mesh.box((0.0, 0.0, 0.0), (edge, edge, edge)))
    walls = Walls(
        (box,),
        reach=2.0 * world.spacing,
        frames_per_second=world.frames_per_second,
        frame_start=world.frame_start,
        watch=Silent(),
    )
    walls.pose(0.0, 0.0)
    outside = np.full((8, 3), -0.5 * world.spacing, np.float32)
    walls.near(outside, outside)
    walls.signed_distance(outside, world.spacing)


def _warm_surface(spacing: float, params: SurfaceParams) -> None:
    from ..surface import make_surface

    side = (np.arange(int(_EDGE)) + 0.5) * spacing
    position = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3).astype(np.float32)
    make_surface({"position": position, "velocity": np.zeros_like(position)}, spacing, params, None, Silent())


def _warm_contact_lines() -> None:
    from ..surface.contact_line import use_kernels

    use_kernels()


def _warm_kind(scene: Scene, kind: str) -> None:
    from ..world import World

    sources = [source for source in (*scene.bodies, *scene.emitters) if source.kind == kind]
    params = [source.material if isinstance(source, Emitter) else source.params for source in sources]
    material = find(kind, sources[0].name)
    edge = _EDGE * material.spacing(params[0] or material.params(), scene.world.spacing)
    body = Body(kind, kind, Mesh.box((0.0, 0.0, 0.0), (edge, edge, edge)), params[0])
    first = scene.world.frame_start
    world = World(Scene("Warm", (body,), world=replace(scene.world, frames_per_second=1.0e4, frame_end=first + 1)))
    world.start()
    world.advance(first + 1)


class Warming:
    """Processes that compile the parts of a scene while a bake prepares itself."""

    def __init__(self, parts: Sequence[str], folder: Path | None) -> None:
        """`folder`: the job whose parts they are; None stands for `any_scene()`."""
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        words = [str(folder)] if folder is not None else []
        program = str(Path(__file__).resolve().parents[1] / "__main__.py")
        for part in parts:
            self._running[part] = subprocess.Popen(
                [sys.executable, program, "warm", *words, "--part", part],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"NUMBA_NUM_THREADS": "1"},
            )

    def wait(self, watch: Watch, patience: float = _PATIENCE) -> list[str]:
        """Until all have ended; returns the parts that failed, which the bake then compiles by itself."""
        deadline = time.monotonic() + patience
        while any(process.poll() is None for process in self._running.values()) and time.monotonic() < deadline:
            watch.poll()
            time.sleep(0.02)
        return [part for part, process in self._running.items() if process.poll() != 0]

    def stop(self) -> None:
        for process in self._running.values():
            if process.poll() is None:
                process.kill()
                process.wait()

    def __enter__(self) -> "Warming":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
