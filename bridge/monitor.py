"""How far the bake of a scene is: one small answer for panels, operators and the command line."""

import time
from pathlib import Path
from typing import Any, NamedTuple

from ..solvers.bake import status
from . import cache, worker

NOTHING, STOPPED = "nothing", "stopped"
RUNNING = ("exporting", "preparing", "compiling", "simulating", "surfacing", "cancelling")
_FRESH = 0.2
"""Seconds for which an answer is good enough."""


class BakeState(NamedTuple):
    """What is known about a scene's bake."""

    phase: str
    """nothing, exporting, preparing, compiling, simulating, surfacing, cancelling, done, cancelled, failed or stopped."""
    folder: Path | None = None
    running: bool = False
    progress: float = 0.0
    frame: int = 0
    frame_start: int = 0
    frame_end: int = 0
    particles: int = 0
    seconds_left: float | None = None
    message: str = ""
    started: float = 0.0
    """Seconds since 1970."""
    foreign: str = ""
    """Why the bake is another scene's or file's, "" if it is this scene's own."""
    notes: tuple[str, ...] = ()
    """Warnings of the export."""
    lost: tuple[int, ...] = (0, 0, 0)
    """Particles that are not there, see `solvers.bake.status.LOST`."""

    @property
    def log(self) -> Path | None:
        path = self.folder / worker.LOG if self.folder else None
        return path if path and path.is_file() else None

    @property
    def finished(self) -> int:
        """Number of the last finished frame as far as the status tells; below frame_start if there is none."""
        return self.frame_end if self.phase == "done" else self.frame - 1

    @property
    def mark(self) -> str:
        """A text that changes when there is something new to play."""
        return f"{self.started:.0f} {self.phase if not self.running else ''} {self.finished}"


_answers: dict[int, tuple[float, BakeState]] = {}
_exporting: dict[int, float] = {}
_problems: dict[int, str] = {}
_notes: dict[int, tuple[str, ...]] = {}
_cancelling: set[Path] = set()


def look(scene: Any, *, now: bool = False) -> BakeState:
    """The state of the scene's bake, at most a moment old unless `now`."""
    key = scene.session_uid
    known = _answers.get(key)
    if not now and known is not None and time.monotonic() - known[0] < _FRESH:
        return known[1]
    state = _look(scene)
    _answers[key] = (time.monotonic(), state)
    return state


def _look(scene: Any) -> BakeState:
    key = scene.session_uid
    folder = cache.found_folder(scene)
    if key in _exporting:
        return BakeState("exporting", folder, True, _exporting[key], message="Reading the scene")
    if folder is None:
        return BakeState("failed" if key in _problems else NOTHING, message=_problems.get(key, ""))
    foreign = cache.why_foreign(scene, folder)
    if foreign:
        # Somebody else's bake: neither its progress nor its errors are this scene's.
        phase = "failed" if key in _problems else NOTHING
        return BakeState(phase, folder, message=_problems.get(key, ""), foreign=foreign)
    state = _of_folder(folder)._replace(notes=_notes.get(key, ()))
    if key in _problems and not state.running:
        return state._replace(phase="failed", message=_problems[key])
    return state


def _of_folder(folder: Path) -> BakeState:
    running = worker.is_running(folder)
    if not worker.has_begun(folder):
        return BakeState("preparing", folder, True, message="Starting the worker") if running else _dead(folder)
    values = status.read(folder)
    if not values:
        return BakeState("preparing" if running else NOTHING, folder, running)
    state = BakeState(
        str(values.get("phase", "")),
        folder,
        running,
        float(values.get("progress") or 0.0),
        int(values.get("frame") or 0),
        int(values.get("frame_start") or 0),
        int(values.get("frame_end") or 0),
        int(values.get("particles") or 0),
        values.get("seconds_left"),
        str(values.get("message", "")),
        float(values.get("started") or 0.0),
        lost=tuple(int(values.get(name) or 0) for name in status.LOST),
    )
    if running:
        return state._replace(phase="cancelling") if folder in _cancelling else state
    if state.phase not in status.FINAL:
        return _dead(folder)._replace(frame=state.frame, frame_start=state.frame_start, frame_end=state.frame_end)
    return state


def _dead(folder: Path) -> BakeState:
    """A worker that ended without a last word in the status."""
    child = worker.child_of(folder)
    if child is not None and folder in _cancelling:
        return BakeState("cancelled", folder, message="Cancelled before the first frame.")
    words = worker.last_words(folder) if child is not None else ""
    message = words or "The bake ended unexpectedly (crash, power cut or kill). Resume continues it."
    return BakeState("failed" if words else STOPPED, folder, message=message)


def set_exporting(scene: Any, part: float | None) -> None:
    """`part` of the export is done (0 to 1); None: it is over."""
    if part is None:
        _exporting.pop(scene.session_uid, None)
    else:
        _exporting[scene.session_uid] = part
    _answers.pop(scene.session_uid, None)


def set_problem(scene: Any, message: str) -> None:
    """Keeps an error where the artist looks; "" clears it."""
    if message:
        _problems[scene.session_uid] = message
    else:
        _problems.pop(scene.session_uid, None)
    _answers.pop(scene.session_uid, None)


def set_notes(scene: Any, notes: tuple[str, ...]) -> None:
    """Warnings of the newest export, kept beside the buttons."""
    _notes[scene.session_uid] = notes
    _answers.pop(scene.session_uid, None)


def begins(folder: Path) -> None:
    """A new worker is about to start in `folder`: what was asked of the last one is over."""
    _cancelling.discard(folder)


def unseen(scene: Any, state: BakeState) -> bool:
    """Whether the bake has come to an end since it was last shown, or while no Blender was looking."""
    over = not state.running and state.folder is not None and not state.foreign and state.phase in status.FINAL
    return over and scene.tsubu.shown != state.mark


def request_cancel(scene: Any) -> bool:
    """Asks the scene's bake to stop; False if none runs."""
    folder = cache.found_folder(scene)
    if folder is None or cache.why_foreign(scene, folder) or not worker.is_running(folder):
        return False
    _cancelling.add(folder)
    worker.cancel(folder)
    _answers.pop(scene.session_uid, None)
    return True


def is_cancelling(folder: Path) -> bool:
    return folder in _cancelling


def forget_scene(scene: Any) -> None:
    """Everything remembered about one scene, and what was asked of its bake."""
    for memory in (_answers, _exporting, _problems, _notes):
        memory.pop(scene.session_uid, None)
    folder = cache.found_folder(scene)
    if folder is not None:
        _cancelling.discard(folder)


def forget() -> None:
    """Everything remembered about scenes: another file was loaded."""
    for memory in (_answers, _exporting, _problems, _notes):
        memory.clear()
