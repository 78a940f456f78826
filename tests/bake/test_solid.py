"""Solids through the whole bake: several bodies, a moving collider, an emitter, threads, resume, the artist's mesh."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from solvers import Body, Collider, Emitter, EmitterParams, Mesh, Scene, SurfaceParams, WorldParams, job
from solvers.bake import manifest, pc2
from solvers.bake.frames import mesh_path
from solvers.bake.verify import verify
from solvers.materials.solid_params import SolidParams
from solvers.world import World
from tests.bake.ballistic import ROOT, frame_bytes

FRAMES = 5
BALL = Mesh.sphere((0.0, 0.0, 0.06), 0.04, 2)


def _scene() -> Scene:
    push = np.tile(np.eye(4), (FRAMES, 1, 1))
    push[:, 0, 3] = 0.004 * np.arange(FRAMES)
    dough = SolidParams(stiffness=2.0e4, squash=0.4, plastic=True, squeeze_yield=0.02, stretch_yield=0.02)
    return Scene(
        "Toys",
        bodies=(
            Body("Ball", "solid", BALL, SolidParams(stiffness=2.0e4), velocity=(0.0, 0.0, -1.0)),
            Body("Lump", "solid", Mesh.box((-0.03, -0.03, 0.0), (0.03, 0.03, 0.02)), dough),
        ),
        colliders=(
            Collider("Table", Mesh.box((-0.3, -0.3, -0.05), (0.3, 0.3, 0.0))),
            Collider("Pusher", Mesh.box((-0.12, -0.05, 0.001), (-0.05, 0.05, 0.1)), motion=push),
        ),
        emitters=(Emitter("Nozzle", "solid", Mesh.box((0.1, -0.02, 0.04), (0.14, 0.02, 0.06)), EmitterParams(speed=0.3), dough),),
        world=WorldParams(spacing=0.01, frame_end=FRAMES, frames_per_second=30.0, checkpoint_every=2),
        surface=SurfaceParams(enabled=False),
    )


def _bake(folder, *arguments: str) -> str:
    command = [sys.executable, "-m", "solvers", "bake", str(folder), *arguments]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A bake on two threads that never stopped."""
    folder = tmp_path_factory.mktemp("solid")
    job.write(_scene(), folder)
    _bake(folder, "--threads", "2")
    return folder


def _meshes(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "mesh").glob("*.pc2"))}


def test_bake_is_complete(whole):
    """Every body has points of its own and its deformed mesh; the nozzle adds dough; nothing is lost."""
    found = manifest.read(whole)
    assert sorted(found.frames) == list(range(1, FRAMES + 1))
    roles = [(entry["output"], entry["role"]) for entry in found.frames[2]["files"]]
    assert roles == [("Ball", "points"), ("Lump", "points"), ("Nozzle", "points"), ("Ball", "mesh"), ("Lump", "mesh")]
    assert found.frames[FRAMES]["particles"] > found.frames[1]["particles"] > 200
    assert found.frames[FRAMES]["dropped"] == 0
    assert verify(whole) == []


def test_first_frame_is_the_artists_mesh_and_all_frames_are_in_one_file(whole):
    """Frame 1 of the mesh cache is the mesh itself, to rounding; the file that Blender plays holds every frame."""
    together = pc2.read(whole / "mesh" / ("Ball" + pc2.WHOLE))
    assert together.shape == (FRAMES, len(BALL.vertices), 3)
    np.testing.assert_allclose(together[0], BALL.vertices, atol=1e-6)
    for frame in range(1, FRAMES + 1):
        np.testing.assert_array_equal(together[frame - 1], pc2.read(mesh_path(whole, "Ball", frame))[0])
    assert np.abs(together[-1] - together[0]).max() > 0.003


def test_one_thread_is_two_threads(whole, tmp_path):
    """The number of threads changes no byte."""
    job.write(_scene(), tmp_path)
    _bake(tmp_path, "--threads", "1")
    assert frame_bytes(tmp_path) == frame_bytes(whole)
    assert _meshes(tmp_path) == _meshes(whole)


def test_redone_frames_are_the_same(whole, tmp_path):
    """Redoing from frame 4 of a shorter bake that is then extended gives the same files, the whole mesh file included."""
    scene = _scene()
    job.write(replace(scene, world=replace(scene.world, frame_end=3)), tmp_path)
    _bake(tmp_path)
    assert pc2.read(tmp_path / "mesh" / ("Lump" + pc2.WHOLE)).shape[0] == 3
    (tmp_path / "mesh" / ("Ball" + pc2.WHOLE)).unlink()  # it follows from the others
    job.write(scene, tmp_path)
    _bake(tmp_path, "--resume")
    _bake(tmp_path, "--from-frame", "4")
    assert frame_bytes(tmp_path) == frame_bytes(whole)
    assert _meshes(tmp_path) == _meshes(whole)


@pytest.mark.parametrize("emitting", [True, False])
def test_restored_world_goes_on_to_the_same_bits(emitting):
    """A checkpoint of frame 3, loaded into a fresh world, gives every array of the last frame bit by bit."""
    scene = _scene() if emitting else replace(_scene(), emitters=())
    last = FRAMES if emitting else 9
    first = World(scene)
    first.start()
    saved: dict[str, np.ndarray] = {}
    for frame in range(2, last + 1):
        first.advance(frame)
        if frame == 3:
            saved = {name: value.copy() for name, value in first.checkpoint().items()}
    second = World(scene)
    second.restore(saved, 3)
    for frame in range(4, last + 1):
        second.advance(frame)
    expected, found = first.checkpoint(), second.checkpoint()
    assert expected.keys() == found.keys()
    for name in expected:
        np.testing.assert_array_equal(expected[name], found[name], err_msg=name)


def test_cleared_folder_has_no_meshes(whole, tmp_path):
    """Free deletes the mesh caches with everything else that was baked."""
    import shutil

    from solvers.bake.resume import clear

    copy = tmp_path / "copy"
    shutil.copytree(whole, copy)
    clear(copy)
    assert not (copy / "mesh").exists() and (copy / "job.json").exists()
