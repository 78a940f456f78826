"""A bake that was stopped at any moment goes on to the same bytes."""

import json
import os
import signal
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from solvers import BakeFolderError, Cancelled, Collider, Mesh, job
from solvers.bake import checkpoint, manifest, status
from solvers.bake.checkpoint import prune
from solvers.bake.start import bake_job, bake_scene
from solvers.bake.verify import verify
from tests.bake.ballistic import BallisticWorld, frame_bytes, quiet, run, scene, wait_until


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Bytes of a bake of frames 1 to 12 that never stopped."""
    folder = tmp_path_factory.mktemp("whole")
    bake_scene(scene(), folder, quiet(), BallisticWorld)
    return frame_bytes(folder)


class StoppingWorld(BallisticWorld):
    """Cancels while it simulates frame 7."""

    def advance(self, frame):
        super().advance(frame)
        if frame == 7:
            raise Cancelled("test")


class CrashingWorld(BallisticWorld):
    """Dies while it simulates frame 7, with nothing but the regular checkpoints saved."""

    def advance(self, frame):
        if frame == 7:
            raise RuntimeError("crash")
        super().advance(frame)


def _crashed(folder, **settings):
    with pytest.raises(RuntimeError, match="crash"):
        bake_scene(scene(**settings), folder, quiet(), CrashingWorld)
    return folder


def test_kill_at_random_moments(tmp_path, whole):
    """kill -9 at random moments, resume each time: every frame is the same to the byte."""
    job.write(scene(every=2), tmp_path)
    generator = np.random.default_rng()
    for attempt in range(3):
        begun = run(tmp_path, "bake", "--resume", TEST_STEP_SECONDS="0.02")
        wait_until(lambda begun=begun: status.read(tmp_path).get("pid") == begun.pid)
        time.sleep(generator.random() * 1.5)
        begun.kill()
        output = begun.communicate()[0]
        if attempt and begun.returncode == 0:
            break  # little was left, and it was faster than the killer
        assert begun.returncode == -signal.SIGKILL, output
    begun = run(tmp_path, "bake", "--resume")
    output = begun.communicate()[0]
    assert begun.returncode == 0 and "differs" not in output, output
    assert frame_bytes(tmp_path) == whole
    assert not (tmp_path / "lock").exists()
    assert not list(tmp_path.rglob(".tmp-*"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_at_every_file_operation(tmp_path, whole):
    """Killed just before its n-th open, rename, link, truncation or removal, for many n: whole frames, same bytes."""
    job.write(scene(), tmp_path)
    operation, finished = 1, False
    while not finished:
        for arguments in ([], ["--resume"]):
            finished = _killed_child(tmp_path, operation, arguments)
            assert not [finding for finding in verify(tmp_path) if finding.kind not in ("unfinished", "manifest")], operation
        bake_job(tmp_path, quiet(resume=True), BallisticWorld)
        assert frame_bytes(tmp_path) == whole, operation
        assert not verify(tmp_path), operation
        assert not list(tmp_path.rglob(".tmp-*")), operation
        operation += 7
    assert operation > 60


def _killed_child(folder, operation: int, arguments: list[str]) -> bool:
    """Bakes in a forked child that kills itself at its n-th file operation; returns whether it came to the end."""
    child = os.fork()
    if child == 0:
        count = 0

        def hook(event, details):
            nonlocal count
            if event in ("open", "os.rename", "os.link", "os.remove", "os.truncate") and str(folder) in str(details):
                count += 1
                if count == operation:
                    os.kill(os.getpid(), signal.SIGKILL)

        code = 1
        try:
            options = quiet(resume=bool(arguments))
            sys.addaudithook(hook)
            bake_job(folder, options, BallisticWorld)
            code = 0
        finally:
            os._exit(code)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended in (0, -signal.SIGKILL), ended
    return ended == 0


def test_resume_continues_from_the_checkpoint(tmp_path, whole):
    """After a crash in frame 7 the state of frame 5 is continued: frames before it are not made again."""
    _crashed(tmp_path)
    assert sorted(path.name for path in (tmp_path / "state").iterdir()) == ["0005.npz"]
    advanced = []

    class Listening(BallisticWorld):
        def start(self):
            raise AssertionError("must not begin again")

        def advance(self, frame):
            advanced.append(frame)
            super().advance(frame)

    bake_job(tmp_path, quiet(resume=True), Listening)
    assert advanced == list(range(6, 13))
    assert frame_bytes(tmp_path) == whole


def test_a_lost_part_of_the_state_would_be_noticed(tmp_path, whole):
    """The comparison is sharp: a resume that forgets the generator's state does not give the same bytes."""
    _crashed(tmp_path)

    class Forgetful(BallisticWorld):
        def restore(self, arrays, frame):
            super().restore({**arrays, "noise": np.array([1], np.uint64)}, frame)

    lines = []
    bake_job(tmp_path, replace(quiet(resume=True), log=lines.append), Forgetful)
    assert frame_bytes(tmp_path) != whole
    assert any("frame 6 differs" in line for line in lines)


def test_cancel_saves_the_last_finished_frame(tmp_path, whole):
    """A cancel in frame 7 keeps the state of frame 6, removes the lock, says so, and resumes to the same bytes."""
    with pytest.raises(Cancelled):
        bake_scene(scene(every=100), tmp_path, quiet(), StoppingWorld)
    assert (tmp_path / "state" / "0006.npz").exists()
    assert status.read(tmp_path)["phase"] == "cancelled"
    assert not (tmp_path / "lock").exists()
    bake_job(tmp_path, quiet(resume=True), BallisticWorld)
    assert frame_bytes(tmp_path) == whole


def test_torn_manifest_line_is_dropped(tmp_path, whole):
    """A line that a kill tore off is dropped; its frame is made again."""
    _crashed(tmp_path)
    path = tmp_path / "manifest.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[:-40])
    found = manifest.read(tmp_path)
    assert max(found.frames) == 5 and not found.damaged
    bake_job(tmp_path, quiet(resume=True), BallisticWorld)
    assert frame_bytes(tmp_path) == whole
    assert all(json.loads(line) for line in path.read_bytes().splitlines())
    assert sorted(manifest.read(tmp_path).frames) == list(range(1, 13))


def test_damaged_manifest_line_is_made_again(tmp_path, whole):
    """A line damaged in the middle costs its frame, not the bake."""
    _crashed(tmp_path)
    path = tmp_path / "manifest.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    broken = next(index for index, line in enumerate(lines) if line.startswith(b'{"frame":3,'))
    lines[broken] = b"\x00" * 20 + b"\n"
    path.write_bytes(b"".join(lines))
    assert manifest.read(tmp_path).damaged == [broken + 1]
    bake_job(tmp_path, quiet(resume=True), BallisticWorld)
    assert frame_bytes(tmp_path) == whole


def test_missing_and_truncated_frames_are_repaired(tmp_path, whole):
    """Resume after the bake is done brings back frames that were deleted or cut short."""
    bake_scene(scene(), tmp_path, quiet(), BallisticWorld)
    (tmp_path / "points" / "Water_0003.usdc").unlink()
    cut = tmp_path / "points" / "Water_0010.usdc"
    cut.write_bytes(cut.read_bytes()[:100])
    bake_job(tmp_path, quiet(resume=True), BallisticWorld)
    assert frame_bytes(tmp_path) == whole


def test_damaged_checkpoint_is_not_used(tmp_path, whole):
    """A checkpoint whose content changed is passed over for an earlier one."""
    _crashed(tmp_path, every=2)
    newest = tmp_path / "state" / "0005.npz"
    content = bytearray(newest.read_bytes())
    content[200] ^= 255
    newest.write_bytes(content)
    lines = []
    bake_job(tmp_path, replace(quiet(resume=True), log=lines.append), BallisticWorld)
    assert any("0005.npz is damaged" in line for line in lines)
    assert any("state of frame 3" in line for line in lines)
    assert frame_bytes(tmp_path) == whole


def test_extending_the_range_continues(tmp_path, whole):
    """Frames 1 to 8, then the range extended to 12: the same as 12 at once, continued from frame 8."""
    bake_scene(scene(8), tmp_path, quiet(), BallisticWorld)
    lines = []
    bake_scene(scene(12, every=3), tmp_path, replace(quiet(resume=True), log=lines.append), BallisticWorld)
    assert any("state of frame 8" in line for line in lines)
    assert frame_bytes(tmp_path) == whole


def test_changed_job_is_refused(tmp_path):
    """Resume with another setting is refused by name and leaves job and frames as they were."""
    _crashed(tmp_path)
    before, described = frame_bytes(tmp_path), (tmp_path / "job.json").read_bytes()
    with pytest.raises(BakeFolderError, match=r"world\.spacing was 0\.01, is 0\.02"):
        bake_scene(scene(spacing=0.02), tmp_path, quiet(resume=True), BallisticWorld)
    assert (tmp_path / "job.json").read_bytes() == described
    job.write(scene(spacing=0.02), tmp_path)
    with pytest.raises(BakeFolderError, match=r"world\.spacing was 0\.01, is 0\.02"):
        bake_job(tmp_path, quiet(resume=True), BallisticWorld)
    moved = Mesh.box((0, 0, 0), (0.1, 0.1, 0.11))
    job.write(replace(scene(), bodies=(replace(scene().bodies[0], mesh=moved),)), tmp_path)
    with pytest.raises(BakeFolderError, match="bodies/0/vertices differs"):
        bake_job(tmp_path, quiet(resume=True), BallisticWorld)
    assert frame_bytes(tmp_path) == before
    assert not (tmp_path / "lock").exists()


def _paddle(rows: int, frame_end: int, changed_from: int | None = None):
    motion = np.tile(np.eye(4), (rows, 1, 1))
    motion[:, 0, 3] = np.arange(rows) * 0.1
    if changed_from is not None:
        motion[changed_from - 1 :, 1, 3] = 7.0
    paddle = Collider("Paddle", Mesh.box((0, 0, 0), (0.1, 0.1, 0.1)), motion=motion)
    return replace(scene(frame_end), colliders=(paddle,))


def test_extending_an_animation_continues(tmp_path):
    """More rows of a moving collider are an extension; other rows in baked frames are a change, told with the frame."""
    bake_scene(_paddle(6, 6), tmp_path, quiet(), BallisticWorld)
    bake_scene(_paddle(9, 9), tmp_path, quiet(resume=True), BallisticWorld)
    assert max(manifest.read(tmp_path).frames) == 9
    bake_scene(_paddle(12, 12, changed_from=10), tmp_path, quiet(resume=True), BallisticWorld)
    with pytest.raises(BakeFolderError, match="colliders/0/motion differs from frame 5"):
        bake_scene(_paddle(12, 12, changed_from=5), tmp_path, quiet(resume=True), BallisticWorld)
    # What changed in frame 5 does not touch frame 4: redo from there is allowed.
    bake_scene(_paddle(12, 12, changed_from=5), tmp_path, quiet(from_frame=5), BallisticWorld)
    assert sorted(manifest.read(tmp_path).frames) == list(range(1, 13))


def test_changed_surface_settings_are_refused(tmp_path):
    """Surfaces of two kinds in one sequence are refused with the cure; points are not at stake."""
    _crashed(tmp_path)
    changed = replace(scene(), surface=replace(scene().surface, voxel=0.9))
    with pytest.raises(BakeFolderError, match="surface settings differ.*frame 1.*solvers surface"):
        bake_scene(changed, tmp_path, quiet(resume=True), BallisticWorld)


def test_redo_from_a_frame(tmp_path, whole):
    """Redo from frame 7 forgets 7 and later at once, keeps the files before, and ends at the same bytes."""
    bake_scene(scene(), tmp_path, quiet(), BallisticWorld)
    kept = (tmp_path / "points" / "Water_0003.usdc").stat().st_mtime_ns
    with pytest.raises(RuntimeError):
        bake_job(tmp_path, quiet(from_frame=7), CrashingWorld)
    assert sorted(manifest.read(tmp_path).frames) == list(range(1, 7))
    assert not (tmp_path / "points" / "Water_0007.usdc").exists()
    assert not (tmp_path / "state" / "0009.npz").exists()
    bake_job(tmp_path, quiet(resume=True), BallisticWorld)
    assert frame_bytes(tmp_path) == whole
    assert (tmp_path / "points" / "Water_0003.usdc").stat().st_mtime_ns == kept
    with pytest.raises(BakeFolderError, match="outside the range 1 to 12"):
        bake_job(tmp_path, quiet(from_frame=13), BallisticWorld)


def test_bake_again_leaves_no_stale_frame(tmp_path):
    """A new bake of a shorter range without resume leaves nothing of the old one; foreign files stay."""
    bake_scene(scene(12), tmp_path, quiet(), BallisticWorld)
    (tmp_path / "points" / "notes.txt").write_text("mine")
    (tmp_path / "points" / ".tmp-1-x.usdc").write_text("stray")
    bake_scene(scene(3), tmp_path, quiet(), BallisticWorld)
    names = sorted(path.name for path in (tmp_path / "points").iterdir())
    assert names == [*(f"Mist_1_{frame:04d}.usdc" for frame in (1, 2, 3)),
                     *(f"Water_{frame:04d}.usdc" for frame in (1, 2, 3)), "notes.txt"]
    assert sorted(manifest.read(tmp_path).frames) == [1, 2, 3]


def test_other_point_format_is_refused(tmp_path, monkeypatch):
    """A bake begun with USD is not continued with PLY."""
    _crashed(tmp_path)
    monkeypatch.setenv("TSUBU_POINTS", "ply")
    with pytest.raises(BakeFolderError, match="begun with usdc points, this Python writes ply"):
        bake_job(tmp_path, quiet(resume=True), BallisticWorld)


def test_ply_bake(tmp_path, monkeypatch):
    """Without USD the same bake is written as PLY, and the manifest says so."""
    monkeypatch.setenv("TSUBU_POINTS", "ply")
    bake_scene(scene(2), tmp_path, quiet(), BallisticWorld)
    assert manifest.read(tmp_path).header["points"] == "ply"
    assert (tmp_path / "points" / "Water_0002.ply").exists()


def test_checkpoints_are_pruned(tmp_path):
    """The last two stay, and every tenth."""
    (tmp_path / "state").mkdir()
    for frame in range(3, 45, 2):
        checkpoint.path_of(tmp_path, frame).touch()
    prune(tmp_path, 43, 1, 2)
    assert sorted(int(path.stem) for path in (tmp_path / "state").iterdir()) == [21, 41, 43]


def test_diverged_simulation_stops(tmp_path):
    """Not-a-number positions stop the bake by name and frame; no frame file holds them."""

    class Diverging(BallisticWorld):
        def advance(self, frame):
            super().advance(frame)
            if frame == 4:
                self.position[3] = np.nan

    with pytest.raises(Exception, match="Water: the simulation diverged before frame 4 \\(1 particles"):
        bake_scene(scene(), tmp_path, quiet(), Diverging)
    assert max(manifest.read(tmp_path).frames) == 3
    assert status.read(tmp_path)["phase"] == "failed" and "diverged" in status.read(tmp_path)["message"]
