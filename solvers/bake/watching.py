"""The watch of a bake: hears cancel and signals, tells status.json how far the work is.

A small thread does all file access. The working thread only sets fields and tests a flag, so polling is free, and
status.json keeps its heartbeat during long kernels and compilation.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from ..errors import Cancelled
from . import status
from .lock import Lock
from .process import host_name
from .time_left import seconds_left

_TICK = 0.1
"""Seconds between two looks at the cancel file."""
_HEARTBEAT = 1.0
_TOUCH_LOCK = 10.0
_PATIENCE = 0.5
"""Seconds that the working thread has to react to a cancel before the process is ended under it."""
EXIT_CANCELLED = 3
_COMPILING = "Compiling the solver; this happens once on a machine"


class BakeWatch:
    """Given to the world and everything below it; see `solvers.watch.Watch`."""

    def __init__(
        self, folder: Path, lock: Lock, frames: tuple[int, int], *, own_process: bool = False, openjd: bool = False
    ) -> None:
        """`own_process`: this process exists for this bake alone and may be ended at once if a cancel is not heard."""
        self.folder = folder
        self.lock = lock
        self.own_process = own_process
        self.openjd = openjd
        self.compiling = False
        self._cancelled = threading.Event()
        self._stopped = threading.Event()
        self._heard = False
        self._guard = threading.Lock()
        self._changed = True
        self._history: list[tuple[int, float]] = []
        """Particles and seconds of the frames that foretell others."""
        self._typical = True
        self._fields: dict[str, Any] = {
            "phase": "preparing",
            "frame": frames[0],
            "frame_start": frames[0],
            "frame_end": frames[1],
            "part": 0.0,
            "progress": 0.0,
            "particles": 0,
            **dict.fromkeys(status.LOST, 0),
            "seconds_left": None,
            "message": "",
            "pid": os.getpid(),
            "host": host_name(),
            "started": time.time(),
            "heartbeat": 0.0,
        }
        self._thread = threading.Thread(target=self._run, name="tsubu-status", daemon=True)
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> "BakeWatch":
        # A cancel meant for an earlier bake must not stop this one.
        (self.folder / status.CANCEL).unlink(missing_ok=True)
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._handlers[number] = signal.signal(number, self._on_signal)
        self._write()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        try:
            (self.folder / status.CANCEL).unlink(missing_ok=True)
        except OSError:
            pass  # the folder is gone, and its cancel with it

    @property
    def frame(self) -> int:
        """The frame being worked on."""
        return self._fields["frame"]

    def poll(self) -> None:
        if self._cancelled.is_set():
            self._heard = True
            raise Cancelled("The bake was cancelled; it can be resumed.")

    def report(self, *, phase: str, done: float = 0.0, particles: int = 0, message: str = "") -> None:
        fields = self._fields
        if phase == "simulating" and done > 0.0:
            self.compiling = False
        # Until the first step is done on a machine without compiled code, most of the time is compiling.
        fields["phase"] = "compiling" if self.compiling else phase
        fields["part"] = min(max(float(done), 0.0), 1.0)
        if particles:
            fields["particles"] = int(particles)
        fields["message"] = message or (_COMPILING if self.compiling else "")
        self._progress()
        self._changed = True

    def begin_frame(self, frame: int) -> None:
        # The first frame is only written, and the one that compiles takes longer than all others: neither foretells the rest.
        self._typical = frame > self._fields["frame_start"] and not self.compiling
        self._fields["frame"] = frame
        self._fields["part"] = 0.0
        self._progress()
        self._changed = True

    def finish_frame(self, frame: int, seconds: float, totals: Mapping[str, Any]) -> None:
        """Notes how long a frame took and foretells the rest; `totals`: particles and what was lost so far."""
        particles = int(totals.get("particles", 0))
        left = self._fields["frame_end"] - frame
        if self._typical:
            self._history.append((particles, seconds))
        self._fields["seconds_left"] = seconds_left(self._history, left)
        self._fields["particles"] = particles
        self._fields.update({name: int(totals.get(name, 0)) for name in status.LOST})
        self._fields["part"] = 1.0
        self._progress()
        self._changed = True
        if self.openjd:
            done = 100.0 * self._fields["progress"]
            print(f"openjd_progress: {done:.1f}\nopenjd_status: frame {frame} of {self._fields['frame_end']}", flush=True)

    def finish(self, phase: str, message: str) -> None:
        """Writes the last word. Errors are swallowed: a full disk has been reported already."""
        self._fields.update(phase=phase, message=message, seconds_left=0.0 if phase == "done" else None)
        if phase == "done":
            self._fields["progress"] = 1.0
        self._write()

    def _progress(self) -> None:
        fields = self._fields
        total = fields["frame_end"] - fields["frame_start"] + 1
        fields["progress"] = min(1.0, (fields["frame"] - fields["frame_start"] + fields["part"]) / total)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        self._cancelled.set()

    def _write(self) -> bool:
        with self._guard:
            self._changed = False
            self._fields["heartbeat"] = time.time()
            try:
                status.write(self.folder, dict(self._fields))
            except OSError:
                return False
        return True

    def _run(self) -> None:
        last_write = last_touch = time.monotonic()
        cancel = self.folder / status.CANCEL
        while not self._stopped.wait(_TICK):
            now = time.monotonic()
            if not self._cancelled.is_set() and cancel.exists():
                self._cancelled.set()
            if self._cancelled.is_set() and self.own_process:
                self._end_if_deaf()
            if (self._changed and now - last_write > 0.25) or now - last_write > _HEARTBEAT:
                self._write()
                last_write = now
            if now - last_touch > _TOUCH_LOCK:
                last_touch = now
                try:
                    self.lock.touch()
                except OSError:
                    pass  # a full or lost disk is noticed by the working thread

    def _end_if_deaf(self) -> None:
        """Compilation and library calls do not poll. Files are whole at every moment, so the process may just end."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            if self._heard or self._stopped.wait(0.02):
                return
        if self._heard:
            return
        self.finish("cancelled", f"Cancelled in frame {self._fields['frame']}; it can be resumed.")
        self.lock.release()
        try:
            (self.folder / status.CANCEL).unlink(missing_ok=True)
            sys.stdout.flush()
        finally:
            os._exit(EXIT_CANCELLED)
