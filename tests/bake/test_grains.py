"""Grains on the whole way: filled, settled, stopped and resumed, on one thread or two."""

import os
import subprocess
import sys

import numpy as np
import pytest

from solvers import (
    Body,
    Collider,
    Emitter,
    EmitterParams,
    GrainsParams,
    InvalidScene,
    Mesh,
    Scene,
    SurfaceParams,
    WorldParams,
    job,
)
from solvers.bake import manifest
from solvers.bake.points import read_points
from solvers.bake.verify import verify
from solvers.world import World
from tests.bake.ballistic import ROOT, frame_bytes

SIZE = 0.01
FRAMES = 5


def _scene(frames: int = FRAMES, **more) -> Scene:
    """A column of gravel in a tray, a paddle that moves into it, and a chute that drops more."""
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, 0, 3] = -0.01 * np.arange(frames)
    params = GrainsParams(**{"size": SIZE, **more})
    return Scene(
        "Tray",
        bodies=(Body("Gravel", "grains", Mesh.box((0.0, 0.0, 0.0), (0.06, 0.06, 0.08)), params),),
        colliders=(
            Collider("Tray", Mesh.open_box((0.0, 0.0, 0.0), (0.2, 0.06, 0.1))),
            Collider("Paddle", Mesh.box((0.15, 0.01, 0.0), (0.16, 0.05, 0.05)), motion=motion),
        ),
        emitters=(
            Emitter("Chute", "grains", Mesh.box((0.02, 0.01, 0.14), (0.05, 0.05, 0.15)), EmitterParams(speed=0.6), params),
        ),
        world=WorldParams(spacing=0.02, frame_end=frames, frames_per_second=48.0, checkpoint_every=2),
        surface=SurfaceParams(voxel=1.0),
    )


def _bake(folder, *arguments: str) -> str:
    command = [sys.executable, "-m", "solvers", "bake", str(folder), *arguments]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ}, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grains")
    job.write(_scene(), folder)
    _bake(folder, "--threads", "2")
    return folder


def test_bake_holds_what_artists_need(whole):
    """Every frame has points with id, radius, unit quaternions and spins, and a surface; grains pour in and tumble."""
    found = manifest.read(whole)
    assert sorted(found.frames) == list(range(1, FRAMES + 1))
    assert verify(whole) == []
    assert found.frames[FRAMES]["particles"] > found.frames[1]["particles"] > 150
    entry = next(file for file in found.frames[FRAMES]["files"] if file["role"] == "points")
    points = read_points(whole / entry["path"])
    assert points["rotation"].shape == (len(points["id"]), 4)
    assert np.linalg.norm(points["rotation"], axis=1) == pytest.approx(1.0, abs=1.0e-5)
    assert (np.abs(points["rotation"][:, 0]) < 0.999).any()
    assert np.ptp(points["radius"]) > 0.2 * 0.5 * SIZE
    assert np.linalg.norm(points["spin"], axis=1).max() > 1.0


def test_resume_and_threads_give_the_same_bytes(whole, tmp_path):
    """A bake in two parts, the second on one thread, equals the one that never stopped, contacts' memories included."""
    from dataclasses import replace

    scene = _scene()
    job.write(replace(scene, world=replace(scene.world, frame_end=3)), tmp_path)
    _bake(tmp_path, "--threads", "1")
    job.write(scene, tmp_path)
    output = _bake(tmp_path, "--threads", "1", "--resume")
    assert "continuing from the state of frame 3" in output
    assert frame_bytes(tmp_path) == frame_bytes(whole)


def test_checkpoint_is_bitwise():
    """A world restored in mid-motion goes on bit for bit."""
    scene = _scene(4, mode="all")
    first, second = World(scene), World(scene)
    first.start()
    first.advance(2)
    second.restore({name: np.array(array) for name, array in first.checkpoint().items()}, 2)
    for frame in (3, 4):
        first.advance(frame)
        second.advance(frame)
    one, other = first.checkpoint(), second.checkpoint()
    assert set(one) == set(other)
    assert all(one[name].tobytes() == other[name].tobytes() for name in one)
    assert len(one["grains/contact_first"]) > 100 and one["grains/wall_memory"].any()


def test_filling():
    """A filled body holds grains at a packing of about 0.6 inside, none overlaps another or sticks out, sizes are spread."""
    params = GrainsParams(size=SIZE, size_spread=0.3)
    world = World(Scene("Box", (Body("Box", "grains", Mesh.box((0, 0, 0), (0.16, 0.16, 0.16)), params),)))
    world.start()
    points = world.points("Grains")
    place, radius = points["position"].astype(np.float64), points["radius"].astype(np.float64)
    assert (place - radius[:, None] > -1.0e-6).all() and (place + radius[:, None] < 0.16 + 1.0e-6).all()
    apart = np.linalg.norm(place[:, None] - place[None], axis=2) - radius[:, None] - radius[None]
    np.fill_diagonal(apart, 1.0)
    assert apart.min() > -1.0e-6
    inner = np.abs(place - 0.08).max(axis=1) < 0.06
    packing = (4.0 / 3.0 * np.pi * radius[inner] ** 3).sum() / 0.12**3
    assert 0.56 < packing < 0.64
    assert np.ptp(radius) == pytest.approx(0.3 * SIZE, rel=0.05)


@pytest.mark.parametrize(
    "change,words",
    [
        ({"size": 0.2}, ("Gravel", "0.2 m", "smaller grains")),
        ({"size": 0.055, "size_spread": 0.3}, ("Gravel", "0.055")),
        ({"friction_angle": 61.0}, ("Friction angle", "61", "60")),
        ({"friction_angle": -1.0}, ("Friction angle", "-1")),
        ({"restitution": 1.2}, ("Restitution", "1.2")),
    ],
)
def test_bad_input_is_named(change, words):
    """What cannot be simulated is refused with the object, the value and the cure."""
    with pytest.raises(InvalidScene) as error:
        World(_scene(**change)).start()
    assert all(word in str(error.value) for word in words), str(error.value)


def test_bodies_may_overlap():
    """Where two bodies overlap, the second is filled around the first: nothing explodes."""
    params = GrainsParams(size=SIZE)
    boxes = [Mesh.box((0, 0, 0), (0.06, 0.06, 0.06)), Mesh.box((0.03, 0, 0), (0.09, 0.06, 0.06))]
    bodies = tuple(Body(f"Box {k}", "grains", mesh, params) for k, mesh in enumerate(boxes))
    world = World(Scene("Two", bodies, world=WorldParams(gravity=(0.0, 0.0, 0.0))))
    world.start()
    world.advance(2)
    assert world.totals()["kinetic_energy"] < 1.0e-12
    assert world.totals()["particles"] > 250
