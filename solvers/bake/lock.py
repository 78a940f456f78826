"""One bake per folder. The lock says who holds it; one whose owner is gone is recognised and cleared."""

import json
import os
import time
import uuid
from pathlib import Path
from typing import Any

from ..errors import BakeFolderError
from . import files
from .process import host_name, start_mark

LOCK = "lock"
_FOREIGN_SILENCE = 120.0
"""Seconds without a touch after which the lock of another machine counts as stale."""
_ATTEMPTS = 5


def owner_of(folder: Path) -> dict[str, Any] | None:
    """What the lock says: pid, host, started, mark, task; None if there is no lock; {} if it cannot be read."""
    try:
        content = json.loads((folder / LOCK).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _silent(folder: Path) -> bool:
    """Whether the lock has not been touched for long, by the clock of the disk that holds it."""
    probe = folder / f"{files.TEMPORARY}{os.getpid()}-{uuid.uuid4().hex}"
    try:
        probe.touch()
        now = probe.stat().st_mtime
        return now - (folder / LOCK).stat().st_mtime > _FOREIGN_SILENCE
    except FileNotFoundError:
        return False
    except OSError:
        return time.time() - (folder / LOCK).stat().st_mtime > _FOREIGN_SILENCE
    finally:
        try:
            probe.unlink(missing_ok=True)
        except OSError:
            pass


def is_running(folder: Path, owner: dict[str, Any] | None) -> bool:
    """Whether the process that wrote the lock still works on it."""
    if owner is None:
        return False
    pid = owner.get("pid")
    if not isinstance(pid, int) or owner.get("host") != host_name():
        # Unreadable, or of another machine: only its silence can be observed.
        return not _silent(folder)
    mark = start_mark(pid)
    return mark != "" and mark == owner.get("mark")


def _refusal(folder: Path, owner: dict[str, Any]) -> BakeFolderError:
    who = f"process {owner.get('pid', '?')} on {owner.get('host', 'an unknown machine')}, since {owner.get('started', '?')}"
    return BakeFolderError(
        f"The bake folder {folder} is in use by a running bake ({who}). "
        "Wait for it, cancel it (python -m solvers cancel), or choose another folder."
    )


def refuse_running(folder: Path) -> None:
    """Raises `BakeFolderError` if somebody bakes in `folder`."""
    owner = owner_of(folder)
    if is_running(folder, owner):
        raise _refusal(folder, owner or {})


class Lock:
    """Held while the folder is written: `with Lock(folder): …`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / LOCK
        self.token = uuid.uuid4().hex

    def acquire(self) -> None:
        """Takes the lock or raises `BakeFolderError` that says who has it."""
        content = files.json_bytes({
            "pid": os.getpid(),
            "host": host_name(),
            "started": time.strftime("%Y-%m-%d %H:%M:%S"),
            "mark": start_mark(os.getpid()),
            "token": self.token,
        })
        for _ in range(_ATTEMPTS):
            if self._create(content):
                return
            owner = owner_of(self.folder)
            if is_running(self.folder, owner):
                raise _refusal(self.folder, owner or {})
            self._clear_stale(owner)
        raise _refusal(self.folder, owner_of(self.folder) or {})

    def _create(self, content: bytes) -> bool:
        """The complete lock appears under its name in one step, or not at all."""
        draft = self.folder / f"{files.TEMPORARY}{os.getpid()}-{self.token}"
        with files.folder_errors(self.folder, len(content)):
            try:
                draft.write_bytes(content)
                try:
                    os.link(draft, self.path)
                except FileExistsError:
                    return False
                except OSError:
                    # A file system without hard links: exclusive creation, then the content.
                    return self._create_exclusively(content)
            finally:
                draft.unlink(missing_ok=True)
        return True

    def _create_exclusively(self, content: bytes) -> bool:
        try:
            handle = os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        except FileExistsError:
            return False
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        return True

    def _clear_stale(self, stale: dict[str, Any] | None) -> None:
        """Moves the stale lock aside and looks again: if another bake was faster, its lock goes back."""
        aside = self.folder / f"{files.TEMPORARY}{os.getpid()}-stale-{self.token}"
        with files.folder_errors(self.folder):
            try:
                os.rename(self.path, aside)
            except FileNotFoundError:
                return
            try:
                moved = json.loads(aside.read_bytes())
            except ValueError:
                moved = {}
            if moved != stale:
                os.rename(aside, self.path)
            else:
                aside.unlink(missing_ok=True)

    def touch(self) -> None:
        """Shows other machines that this one is alive."""
        os.utime(self.path)

    def release(self) -> None:
        """Gives the lock back if it is still ours."""
        owner = owner_of(self.folder)
        if owner and owner.get("token") == self.token:
            try:
                self.path.unlink(missing_ok=True)
            except OSError:
                pass  # the disk is gone: the lock is recognised as stale when it comes back

    def __enter__(self) -> "Lock":
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
