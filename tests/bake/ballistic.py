"""A world with enough state to prove bitwise resume, and nothing else: points that fall, bounce and multiply."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from solvers import Body, Mesh, Scene, SurfaceParams, WorldParams
from solvers.bake.worker import Options

ROOT = Path(__file__).resolve().parents[2]
SUBSTEPS = 7


class Output(NamedTuple):
    name: str
    kind: str
    label: str
    spacing: float = 0.01
    weight: None = None


class BallisticWorld:
    """The contract of `solvers.world.World`. TEST_STEP_SECONDS slows every substep down."""

    walls = None

    def __init__(self, scene, watch):
        self.scene, self.watch, self.spacing = scene, watch, scene.world.spacing
        self.outputs = (Output("Water", "water", "Water"), Output("Mist/1", "water", "Mist"))
        self.pause = float(os.environ.get("TEST_STEP_SECONDS", "0"))
        self.steps = 0

    def start(self):
        generator = np.random.default_rng(self.scene.world.seed)
        self.position = generator.random((50, 3), dtype=np.float32)
        self.velocity = np.zeros((50, 3), dtype=np.float32)
        self.noise = np.array([self.scene.world.seed + 1], dtype=np.uint64)

    def advance(self, frame):
        dt = np.float32(1.0 / self.scene.world.frames_per_second / SUBSTEPS)
        for step in range(SUBSTEPS):
            self.watch.poll()
            self.watch.report(phase="simulating", done=step / SUBSTEPS, particles=len(self.position))
            # The generator is part of the state: losing it would change every later frame.
            self.noise = np.array([(int(self.noise[0]) * 6364136223846793005 + 1442695040888963407) % 2**64], dtype=np.uint64)
            kick = np.float32((int(self.noise[0]) >> 40) / 2**24)
            self.velocity[:, 2] -= np.float32(9.81) * dt
            self.velocity[:, 0] += kick * dt
            self.position += self.velocity * dt
            below = self.position[:, 2] < 0.0
            self.velocity[below, 2] *= np.float32(-0.9)
            if self.pause:
                time.sleep(self.pause)
        self.position = np.concatenate([self.position, self.position[:1] * np.float32(0.5)])
        self.velocity = np.concatenate([self.velocity, self.velocity[:1]])
        self.steps = SUBSTEPS

    def checkpoint(self):
        return {"water/position": self.position, "water/velocity": self.velocity, "noise": self.noise}

    def restore(self, arrays, frame):
        self.position, self.velocity, self.noise = arrays["water/position"], arrays["water/velocity"], arrays["noise"]

    def points(self, output):
        part = slice(None) if output == "Water" else slice(0, 0)
        count = len(self.position[part])
        return {
            "position": self.position[part],
            "velocity": self.velocity[part],
            "id": np.arange(count, dtype=np.int32),
            "radius": np.full(count, self.spacing / 2, dtype=np.float32),
            "age": np.zeros(count, dtype=np.float32),
            "body": np.zeros(count, dtype=np.int32),
        }

    def totals(self):
        return {
            "particles": len(self.position), "mass": np.float32(1.0), "momentum": self.velocity.sum(axis=0),
            "kinetic_energy": np.nan, "potential_energy": 0.0, "dropped": 0, "steps": self.steps,
        }


def scene(frame_end=12, *, every=4, **world) -> Scene:
    """A small scene without surfaces."""
    body = Body("Cube", "water", Mesh.box((0, 0, 0), (0.1, 0.1, 0.1)))
    settings = WorldParams(frame_start=1, frame_end=frame_end, checkpoint_every=every, **world)
    return Scene("Test", bodies=(body,), world=settings, surface=SurfaceParams(enabled=False))


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen:
    """Starts the command line with this world in a process of its own."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    command = [sys.executable, str(Path(__file__)), arguments[0], str(folder), *arguments[1:]]
    return subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def wait_until(condition, seconds=30.0):
    """Waits for `condition()` to become true and returns its value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
    return value


def quiet(**more) -> Options:
    return Options(log=lambda line: None, **more)


def frame_bytes(folder: Path) -> dict[str, bytes]:
    """Every frame file by name."""
    return {path.name: path.read_bytes() for place in ("points", "surface") for path in sorted((folder / place).glob("[!.]*"))}


if __name__ == "__main__":
    from solvers.bake.cli import main

    sys.exit(main(sys.argv[1:], make_world=BallisticWorld))
