"""Foam through the whole bake: emitter, moving collider, threads, resume."""

import os
import subprocess
import sys

import numpy as np
import pytest

from solvers import Body, Collider, Emitter, EmitterParams, Mesh, Scene, SurfaceParams, WorldParams, job
from solvers.bake import manifest
from solvers.bake.verify import verify
from solvers.materials.foam_params import FoamParams
from solvers.world import World
from tests.bake.ballistic import ROOT, frame_bytes

FRAMES = 6


def _scene() -> Scene:
    lift = np.tile(np.eye(4), (FRAMES, 1, 1))
    lift[:, 2, 3] = -0.004 * np.arange(FRAMES)
    cream = FoamParams(density=400.0, firmness=300.0, yield_stress=20.0, volume_stiffness=5.0)
    return Scene(
        "Cream",
        bodies=(Body("Dollop", "foam", Mesh.sphere((0.0, 0.0, 0.045), 0.04, 2), cream),),
        colliders=(
            Collider("Plate", Mesh.box((-0.2, -0.2, -0.05), (0.2, 0.2, 0.0))),
            Collider("Press", Mesh.box((-0.03, -0.03, 0.086), (0.03, 0.03, 0.1)), motion=lift),
        ),
        emitters=(Emitter("Nozzle", "foam", Mesh.box((0.08, -0.02, 0.05), (0.12, 0.02, 0.07)), EmitterParams(speed=0.4), cream),),
        world=WorldParams(spacing=0.01, frame_end=FRAMES, frames_per_second=24.0, checkpoint_every=2, jitter=0.1),
        surface=SurfaceParams(voxel=1.0),
    )


def _bake(folder, *arguments: str) -> str:
    command = [sys.executable, "-m", "solvers", "bake", str(folder), *arguments]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A bake on two threads that never stopped."""
    folder = tmp_path_factory.mktemp("foam")
    job.write(_scene(), folder)
    _bake(folder, "--threads", "2")
    return folder


def test_bake_is_complete(whole):
    """Every frame has points with foam's attributes and a surface; the nozzle adds foam, none is lost."""
    found = manifest.read(whole)
    assert sorted(found.frames) == list(range(1, FRAMES + 1))
    assert all([entry["role"] for entry in frame["files"]] == ["points", "surface"] for frame in found.frames.values())
    assert found.frames[FRAMES]["particles"] > found.frames[1]["particles"] > 200
    assert found.frames[FRAMES]["dropped"] == 0
    assert verify(whole) == []


def test_one_thread_is_two_threads(whole, tmp_path):
    """The number of threads changes no byte."""
    job.write(_scene(), tmp_path)
    _bake(tmp_path, "--threads", "1")
    assert frame_bytes(tmp_path) == frame_bytes(whole)


def test_restored_world_goes_on_to_the_same_bits():
    """A checkpoint of frame 3, loaded into a fresh world, gives every array of frame 6 bit by bit."""
    scene = _scene()
    first = World(scene)
    first.start()
    saved: dict[str, np.ndarray] = {}
    for frame in range(2, FRAMES + 1):
        first.advance(frame)
        if frame == 3:
            saved = {name: value.copy() for name, value in first.checkpoint().items()}
    second = World(scene)
    second.restore(saved, 3)
    for frame in range(4, FRAMES + 1):
        second.advance(frame)
    wanted, found = first.checkpoint(), second.checkpoint()
    assert set(wanted) == set(found)
    for name, value in wanted.items():
        assert value.tobytes() == found[name].tobytes(), name


def test_points_show_what_shading_needs():
    """Velocity, plastic strain, stress, torn, age, id and radius are there, finite, and ordered by id."""
    world = World(_scene())
    world.start()
    world.advance(2)
    points = world.points("Foam")
    for name in ("velocity", "plastic_strain", "stress", "torn", "age", "radius"):
        assert np.isfinite(points[name]).all(), name
    assert (np.diff(points["id"]) > 0).all()
    assert points["stress"].max() > 0.0 and set(np.unique(points["torn"])) <= {0, 1}
