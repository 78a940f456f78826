"""Full, unwritable and vanished folders stop a bake cleanly; cancel is obeyed at once."""

import errno
import os
import shutil
import signal
import subprocess

import pytest

from solvers import BakeFolderError, Cancelled, InvalidScene, TsubuError, job
from solvers.bake import estimate, files, manifest, status
from solvers.bake import worker as worker_module
from solvers.bake.start import bake_job, bake_scene
from solvers.bake.verify import verify
from tests.bake.ballistic import BallisticWorld, frame_bytes, quiet, run, scene, wait_until


class WideWorld(BallisticWorld):
    """About 300 KB a frame, so that a small disk fills."""

    def start(self):
        super().start()
        import numpy as np

        self.position = np.random.default_rng(0).random((8000, 3), dtype=np.float32)
        self.velocity = self.position * 0


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 1.5 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small disk needs root")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1536k", "tmpfs", str(place)], capture_output=True).returncode:
        pytest.skip("this machine does not let tests mount a disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("suffix", ["usdc", "ply"])
def test_full_disk_stops_cleanly_and_resumes(small_disk, suffix, monkeypatch, tmp_path):
    """A full disk: message with the free space, nothing half-written, lock gone; with room again, the same bytes."""
    monkeypatch.setenv("TSUBU_POINTS", suffix)
    folder = small_disk / "job"
    with pytest.raises(BakeFolderError, match=r"full: .* free"):
        bake_scene(scene(), folder, quiet(), WideWorld)
    assert not (folder / "lock").exists()
    assert not list(folder.rglob(".tmp-*"))
    assert status.read(folder)["phase"] == "failed" and "full" in status.read(folder)["message"]
    found = manifest.read(folder)
    assert 1 <= len(found.frames) < 12
    assert {finding.kind for finding in verify(folder)} == {"unfinished"}
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    bake_job(folder, quiet(resume=True), WideWorld)
    bake_scene(scene(), tmp_path / "whole", quiet(), WideWorld)
    assert frame_bytes(folder) == frame_bytes(tmp_path / "whole")


@pytest.mark.parametrize("moment", ["points", "manifest", "state", "rename"])
def test_no_space_at_every_kind_of_write(moment, tmp_path, monkeypatch):
    """Wherever the disk refuses, the bake ends with the same clear error and can be resumed to the same bytes."""
    refusal = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    calls = []

    def failing(original, when):
        def call(*arguments, **named):
            if when(arguments):
                calls.append(arguments)
                raise refusal
            return original(*arguments, **named)

        return call

    count = iter(range(10**6))
    place = {
        "points": ("solvers.bake.frames.write_points", lambda given: next(count) == 9),
        "manifest": ("os.write", lambda given: b'"frame":5' in given[1]),
        "state": ("solvers.bake.files._add_array", lambda given: given[1] == "water/velocity"),
        "rename": ("solvers.bake.files.os.replace", lambda given: "0006" in str(given[1])),
    }[moment]
    module, name = place[0].rsplit(".", 1)
    import importlib

    if module.endswith(".os"):
        module = "os"
    target = importlib.import_module(module)
    with monkeypatch.context() as patch:
        patch.setattr(target, name, failing(getattr(target, name), place[1]))
        with pytest.raises(BakeFolderError, match="full.*free.*resume"):
            bake_scene(scene(), tmp_path / "job", quiet(), BallisticWorld)
    assert calls
    assert not (tmp_path / "job" / "lock").exists()
    assert not list((tmp_path / "job").rglob(".tmp-*"))
    assert not [finding for finding in verify(tmp_path / "job") if finding.kind != "unfinished"]
    bake_job(tmp_path / "job", quiet(resume=True), BallisticWorld)
    bake_scene(scene(), tmp_path / "whole", quiet(), BallisticWorld)
    assert frame_bytes(tmp_path / "job") == frame_bytes(tmp_path / "whole")


def test_short_manifest_write_is_taken_back(tmp_path, monkeypatch):
    """If the disk takes half a line, the half is cut off again."""
    manifest.rewrite(tmp_path, [{"bake": 1, "job": {}}])
    before = (tmp_path / "manifest.jsonl").read_bytes()
    original, calls = os.write, []

    def half(handle, content):
        calls.append(content)
        if len(calls) == 1:
            return original(handle, content[:5])
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(BakeFolderError, match="full"):
        manifest.append(tmp_path, {"frame": 1, "files": []})
    assert (tmp_path / "manifest.jsonl").read_bytes() == before


def test_read_only_folder(tmp_path, monkeypatch):
    """A folder that refuses writing is named before anything is simulated."""

    def refuse(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    job.write(scene(), tmp_path)
    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(BakeFolderError, match="cannot be written.*[Rr]ead-only"):
        bake_job(tmp_path, quiet(), BallisticWorld)


def test_vanished_folder(tmp_path):
    """A folder deleted under a bake ends it with that message; it does not come back half-empty."""
    folder = tmp_path / "job"

    class Deleting(BallisticWorld):
        def advance(self, frame):
            super().advance(frame)
            if frame == 3:
                while folder.exists():  # the status is being written meanwhile
                    shutil.rmtree(folder, ignore_errors=True)

    with pytest.raises(BakeFolderError, match="not there any more"):
        bake_scene(scene(), folder, quiet(), Deleting)
    assert not folder.exists()


def test_replaced_while_it_bakes(tmp_path):
    """Sources that another version took the place of end a bake with a message that says so, and what to do."""

    class Replaced(BallisticWorld):
        def advance(self, frame):
            super().advance(frame)
            if frame == 3:
                raise ModuleNotFoundError("No module named 'solvers.gone'")

    with pytest.raises(ImportError):
        bake_scene(scene(), tmp_path, quiet(), Replaced)
    told = status.read(tmp_path)
    assert told["phase"] == "failed" and "replaced" in told["message"] and "Resume" in told["message"]


def test_memory_is_told_before_anything_is_sampled(tmp_path, monkeypatch):
    """A resolution that needs more memory than there is: both numbers, the particle count, and a spacing that fits."""
    monkeypatch.setattr(estimate, "total_memory", lambda: 8_000_000_000)
    with pytest.raises(InvalidScene, match=r"1e-05 m.*1,000,000,000,000 particles of Cube.*TB.*8\.0 GB.*Use 0\.000\d+ m or more"):
        bake_scene(scene(spacing=1.0e-5), tmp_path, quiet(), lambda *_: pytest.fail("the world was made"))
    assert status.read(tmp_path)["phase"] == "failed"
    assert not (tmp_path / "lock").exists()
    count, size = estimate.estimate(scene(spacing=0.001))
    assert count == pytest.approx(1_000_000, rel=1e-6) and size > 400 * count


def test_missing_openvdb_is_told(tmp_path, monkeypatch):
    """A bake that wants surfaces where there is no OpenVDB is refused before it starts, with the cure."""
    from dataclasses import replace

    from solvers import SurfaceParams
    from solvers.bake.modules import Modules

    monkeypatch.setattr(worker_module, "blender_modules", lambda: Modules("", "0.25.8"))
    with pytest.raises(TsubuError, match="openvdb is missing.*turn Surface off"):
        bake_scene(replace(scene(), surface=SurfaceParams()), tmp_path, quiet(), BallisticWorld)


def _cancelled_in_mid_frame(folder, begun, ask) -> None:
    told = wait_until(lambda: (now := status.read(folder)).get("pid") == begun.pid and now["frame"] > 1 and now)
    assert told["phase"] in ("compiling", "simulating")
    ask()
    output = begun.communicate(timeout=300)[0]
    assert begun.returncode == 3, output
    assert told["frame"] not in manifest.read(folder).frames, "the cancel waited for the end of the frame"
    assert status.read(folder)["phase"] == "cancelled"
    assert not (folder / "lock").exists() and not (folder / "cancel").exists()


def test_cancel_in_mid_frame(tmp_path, tmp_path_factory):
    """Cancel by file, by command, by SIGINT and by SIGTERM: obeyed in mid-frame, resumable."""
    job.write(scene(), tmp_path)
    asks = {
        "file": lambda begun: (tmp_path / "cancel").touch(),
        "command": lambda begun: run(tmp_path, "cancel").wait() == 0,
        "interrupt": lambda begun: begun.send_signal(signal.SIGINT),
        "terminate": lambda begun: begun.terminate(),
    }
    for ask in asks.values():
        begun = run(tmp_path, "bake", "--resume", TEST_STEP_SECONDS="5")
        _cancelled_in_mid_frame(tmp_path, begun, lambda ask=ask, begun=begun: ask(begun))
    bake_job(tmp_path, quiet(resume=True), BallisticWorld)
    assert {finding.kind for finding in verify(tmp_path)} == set()


def test_old_cancel_does_not_stop_a_new_bake(tmp_path):
    """A cancel file left from before is removed at the start."""
    job.write(scene(2), tmp_path)
    (tmp_path / "cancel").touch()
    bake_job(tmp_path, quiet(), BallisticWorld)
    assert status.read(tmp_path)["phase"] == "done"


def test_signals_are_given_back(tmp_path):
    """After a bake from Python, Ctrl-C does what it did before; during it, it cancels."""
    before = signal.getsignal(signal.SIGINT)

    class Interrupted(BallisticWorld):
        def advance(self, frame):
            os.kill(os.getpid(), signal.SIGINT)
            super().advance(frame)

    with pytest.raises(Cancelled):
        bake_scene(scene(), tmp_path, quiet(), Interrupted)
    assert signal.getsignal(signal.SIGINT) is before


def test_first_compile_is_a_phase(tmp_path, monkeypatch):
    """With an empty compile cache the status says compiling until the first step is done, then simulating."""
    from solvers import jit

    seen = []

    class Seeing(BallisticWorld):
        def start(self):
            super().start()
            self.watch.report(phase="preparing")
            seen.append(self.watch._fields["phase"])

        def points(self, output):
            seen.append(self.watch._fields["phase"])
            return super().points(output)

        def advance(self, frame):
            super().advance(frame)
            seen.append(self.watch._fields["phase"])

    monkeypatch.setattr(jit, "is_ready", lambda part: False)
    bake_scene(scene(3), tmp_path / "cold", quiet(), Seeing)
    assert seen[:3] == ["compiling"] * 3 and set(seen[3:]) == {"simulating"}
    seen.clear()
    monkeypatch.setattr(jit, "is_ready", lambda part: True)
    bake_scene(scene(3), tmp_path / "warm", quiet(), Seeing)
    assert "compiling" not in seen


def test_free_space_message():
    """Sizes are readable."""
    assert [files.readable_bytes(size) for size in (5, 1536, 2.5e9, 7e15)] == ["5 bytes", "1.5 KB", "2.5 GB", "7000.0 TB"]


def test_time_left_is_not_misled_by_compiling(tmp_path):
    """The frame that compiles says nothing of the others; the first that does not foretells the rest."""
    from solvers.bake.lock import Lock
    from solvers.bake.watching import BakeWatch

    with Lock(tmp_path) as lock:
        watch = BakeWatch(tmp_path, lock, (1, 10))
        watch.compiling = True
        for frame, seconds in ((1, 60.0), (2, 120.0)):
            watch.begin_frame(frame)
            watch.finish_frame(frame, seconds, {"particles": 100})
        assert watch._fields["seconds_left"] is None
        watch.report(phase="simulating", done=0.5)
        watch.begin_frame(3)
        watch.finish_frame(3, 2.0, {"particles": 100})
        assert watch._fields["seconds_left"] == 14.0
