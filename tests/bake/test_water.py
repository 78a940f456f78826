"""The whole way with real water: stopped, resumed, on one thread or two, surfaced again – always the same bytes."""

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from solvers import Body, Collider, Emitter, EmitterParams, Mesh, Scene, SurfaceParams, WorldParams, job
from solvers.bake import manifest, status
from solvers.bake.verify import verify
from tests.bake.ballistic import ROOT, frame_bytes, wait_until

FRAMES = 6


def _scene() -> Scene:
    """A small dam break with a paddle that moves and a tap that pours: every kind of state takes part."""
    motion = np.tile(np.eye(4), (FRAMES, 1, 1))
    motion[:, 0, 3] = -0.004 * np.arange(FRAMES)
    return Scene(
        "Small dam",
        bodies=(Body("Column", "water", Mesh.box((0.0, 0.0, 0.0), (0.05, 0.06, 0.07))),),
        colliders=(
            Collider("Tank", Mesh.open_box((0.0, 0.0, 0.0), (0.14, 0.06, 0.12))),
            Collider("Paddle", Mesh.box((0.11, 0.01, 0.0), (0.12, 0.05, 0.08)), motion=motion),
        ),
        emitters=(Emitter("Tap", "water", Mesh.box((0.02, 0.02, 0.1), (0.04, 0.04, 0.11)), EmitterParams(speed=0.5)),),
        world=WorldParams(spacing=0.01, frame_end=FRAMES, frames_per_second=48.0, checkpoint_every=2, jitter=0.1),
        surface=SurfaceParams(voxel=1.0),
    )


def _start(folder, *arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "solvers", arguments[0], str(folder), *arguments[1:]]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _done(folder, *arguments: str) -> str:
    begun = _start(folder, *arguments)
    output = begun.communicate()[0]
    assert begun.returncode == 0, output
    return output


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A bake on two threads that never stopped."""
    folder = tmp_path_factory.mktemp("whole")
    job.write(_scene(), folder)
    _done(folder, "bake", "--threads", "2")
    return folder


def test_bake_is_complete(whole):
    """Every frame has points and a surface, water pours in, none is lost, and verify is content."""
    found = manifest.read(whole)
    assert sorted(found.frames) == list(range(1, FRAMES + 1))
    assert all([entry["role"] for entry in frame["files"]] == ["points", "surface"] for frame in found.frames.values())
    assert found.frames[FRAMES]["particles"] > found.frames[1]["particles"] > 150
    assert found.frames[FRAMES]["dropped"] == 0
    assert verify(whole) == []


def test_one_thread_is_two_threads(whole, tmp_path):
    """The number of threads changes no byte."""
    job.write(_scene(), tmp_path)
    _done(tmp_path, "bake", "--threads", "1")
    assert frame_bytes(tmp_path) == frame_bytes(whole)


def test_killed_water_resumes_to_the_same_bytes(whole, tmp_path):
    """kill -9 in the first half and in the second half, then resume on another number of threads: the same bytes."""
    job.write(_scene(), tmp_path)
    for frame in (2, 5):
        begun = _start(tmp_path, "bake", "--resume", "--threads", "2")
        wait_until(lambda last=frame - 1, begun=begun: begun.poll() is not None or last in manifest.read(tmp_path).frames, 300.0)
        time.sleep(np.random.default_rng().random() * 0.05)
        begun.kill()
        begun.communicate()
        if begun.returncode != -signal.SIGKILL:
            break  # it was faster than the killer
    output = _done(tmp_path, "bake", "--resume", "--threads", "1")
    assert "differs" not in output
    assert frame_bytes(tmp_path) == frame_bytes(whole)
    assert verify(tmp_path) == []


def test_surface_again(whole):
    """Surfaces made again from the points, two frames at a time, are the ones of the bake."""
    before = frame_bytes(whole)
    lost = whole / "surface" / "Water_0003.vdb"
    lost.write_bytes(b"")
    assert [finding.kind for finding in verify(whole)] == ["truncated"]
    _done(whole, "surface", "--frames", "3-4", "--jobs", "2")
    assert frame_bytes(whole) == before
    assert verify(whole) == []


def test_other_surface_settings(whole, tmp_path):
    """Surfacing again with other settings changes surfaces and their records, not the points."""
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    before = frame_bytes(tmp_path)
    job.write(replace(_scene(), surface=SurfaceParams(voxel=0.8)), tmp_path)
    assert ["surface settings differ" in finding.text for finding in verify(tmp_path)] == [True]
    _done(tmp_path, "surface", "--frames", f"1-{FRAMES}", "--jobs", "1")
    after = frame_bytes(tmp_path)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {name for name in before if name.endswith(".vdb")}
    assert verify(tmp_path) == []


def test_cancel_water(tmp_path):
    """A cancel is heard by the real solver in mid-bake."""
    scene = _scene()
    endless = replace(scene, colliders=scene.colliders[:1], world=replace(scene.world, frame_end=2000))
    job.write(endless, tmp_path)
    begun = _start(tmp_path, "bake")
    wait_until(lambda: 2 in manifest.read(tmp_path).frames or begun.poll() is not None, 300.0)
    (tmp_path / "cancel").touch()
    begun.communicate()
    assert begun.returncode == 3
    assert status.read(tmp_path)["phase"] == "cancelled"
