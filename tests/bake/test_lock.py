"""One bake per folder; a lock whose owner is gone does not stand in the way."""

import json
import os
import subprocess
import sys
import time

import pytest

from solvers import BakeFolderError, job
from solvers.bake.lock import LOCK, Lock, is_running, owner_of, refuse_running
from solvers.bake.process import host_name, start_mark
from solvers.bake.start import bake_scene
from tests.bake.ballistic import BallisticWorld, quiet, run, scene, wait_until


def _write(folder, **values):
    (folder / LOCK).write_text(json.dumps({"pid": os.getpid(), "host": host_name(), "mark": "x", "token": "t", **values}))


def test_running_bake_is_named(tmp_path):
    """While a bake runs, a second one, a new job, free and surface are refused with its process and machine."""
    job.write(scene(), tmp_path)
    running = run(tmp_path, "bake", TEST_STEP_SECONDS="0.2")
    try:
        wait_until(lambda: (tmp_path / LOCK).exists())
        message = f"process {running.pid} on {host_name()}"
        for attempt in (lambda: bake_scene(scene(), tmp_path, quiet(), BallisticWorld), lambda: job.write(scene(), tmp_path)):
            with pytest.raises(BakeFolderError, match=message):
                attempt()
        refused = run(tmp_path, "free")
        assert message in refused.communicate()[0] and refused.returncode == 4
    finally:
        running.kill()
        running.communicate()
    # Killed: its lock is stale now and is cleared by itself.
    assert (tmp_path / LOCK).exists()
    refuse_running(tmp_path)
    bake_scene(scene(2), tmp_path, quiet(), BallisticWorld)
    assert not (tmp_path / LOCK).exists()


def test_reused_process_number_is_stale(tmp_path):
    """The same number with another start time is another process."""
    _write(tmp_path, mark="an earlier process")
    assert not is_running(tmp_path, owner_of(tmp_path))
    _write(tmp_path, mark=start_mark(os.getpid()))
    assert is_running(tmp_path, owner_of(tmp_path))


def test_dead_process_and_zombie_are_stale(tmp_path):
    """A finished process holds no lock, nor does one that its parent has not reaped yet."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    mark = wait_until(lambda: start_mark(child.pid))
    _write(tmp_path, pid=child.pid, mark=mark)
    assert is_running(tmp_path, owner_of(tmp_path))
    child.kill()
    wait_until(lambda: not is_running(tmp_path, owner_of(tmp_path)))
    child.wait()
    assert not is_running(tmp_path, owner_of(tmp_path))


def test_lock_of_another_machine(tmp_path):
    """Another machine's lock holds while it is touched and falls after two minutes of silence."""
    _write(tmp_path, host="elsewhere", pid=1)
    with pytest.raises(BakeFolderError, match="process 1 on elsewhere"):
        Lock(tmp_path).acquire()
    os.utime(tmp_path / LOCK, (time.time() - 1000, time.time() - 1000))
    with Lock(tmp_path):
        assert (owner_of(tmp_path) or {})["pid"] == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_unreadable_lock(tmp_path):
    """An empty lock (torn by a power cut) is respected while fresh, then cleared."""
    (tmp_path / LOCK).write_bytes(b"")
    with pytest.raises(BakeFolderError, match="in use"):
        Lock(tmp_path).acquire()
    os.utime(tmp_path / LOCK, (1, 1))
    with Lock(tmp_path):
        pass


def test_lock_is_exclusive(tmp_path):
    """Of two locks on one folder the second is refused, and giving back touches only one's own."""
    first, second = Lock(tmp_path), Lock(tmp_path)
    first.acquire()
    with pytest.raises(BakeFolderError):
        second.acquire()
    second.release()
    assert (owner_of(tmp_path) or {})["token"] == first.token
    first.release()
    assert owner_of(tmp_path) is None
