"""From pressing Bake to a running worker: export, folder, job, process. And Free."""

from collections.abc import Generator
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..solvers import job
from ..solvers.bake import lock, manifest, status
from ..solvers.bake.prune import prune_states, prune_surfaces
from ..solvers.bake.resume import clear, refuse_changed, whole_until
from ..solvers.errors import BakeFolderError
from . import cache, monitor, preflight, worker
from .export import Exported, export
from .properties import frame_range

__all__ = ["Begun", "Request", "anything_left", "begin", "begin_now", "free"]


class Request(NamedTuple):
    """What is to be baked."""

    resume: bool = False
    from_frame: int | None = None
    """Redo this frame and what follows."""
    frames: tuple[int, int] | None = None
    """Another range than the scene's."""
    threads: int | None = None
    """Another number than the scene's."""
    unchanged: bool = False
    """Resume if the finished frames still belong to the scene, begin again if not. For tasks that a farm may repeat."""
    points_only: bool = False
    """Leave the surfaces to a later run."""
    openjd: bool = False
    """Tell progress to a farm."""

    @property
    def continues(self) -> bool:
        return self.resume or self.from_frame is not None


class Begun(NamedTuple):
    """A bake that has been started."""

    folder: Path
    warnings: tuple[str, ...]


def begin_now(context: Any, request: Request) -> Begun:
    """`begin` in one go."""
    run = begin(context, request)
    while True:
        try:
            next(run)
        except StopIteration as end:
            return end.value


def begin(context: Any, request: Request) -> Generator[float, None, Begun]:
    """Exports the scene, writes the job and starts the worker; yields how much of the export is done.

    Raises a `TsubuError` that names the object or the folder and the cure.
    """
    scene = context.scene
    folder = own_folder(scene) if request.continues else cache.planned_folder(scene)
    if request.unchanged:
        request = request._replace(resume=True)
    lock.refuse_running(folder)
    worker.import_paths()
    exported = yield from export(context, request.frames)
    yield 1.0
    threads = scene.tsubu.threads if request.threads is None else request.threads
    request = _write_job(scene, folder, exported, request)
    monitor.begins(folder)
    preflight.forget(scene)  # what was found before the bake is history
    worker.start(folder, worker.Options(threads, request.resume, request.from_frame, request.points_only, request.openjd))
    warnings = (*exported.warnings, *_announced(scene))
    monitor.set_notes(scene, warnings)
    return Begun(folder, warnings)


def _write_job(scene: Any, folder: Path, exported: Exported, request: Request) -> Request:
    """Returns the request as it can be fulfilled."""
    if request.continues:
        # Before the job is written: a refused resume leaves the folder as it was.
        try:
            found = manifest.read(folder)
            refuse_changed(exported.scene, folder, found, request.from_frame, surfaces=not request.points_only)
        except BakeFolderError:
            if not request.unchanged:
                raise
            request = request._replace(resume=False)
    job.make_folder(folder)
    lock.refuse_running(folder)
    cache.claim(scene, folder, exported.metres)
    job.write_checked(exported.scene, folder)
    return request


def own_folder(scene: Any) -> Path:
    """The folder of the scene's bake, or `BakeFolderError` if there is none or it is another's."""
    folder = cache.found_folder(scene)
    if folder is None:
        raise BakeFolderError(f"Scene {scene.name!r} has no bake yet; press Bake.")
    foreign = cache.why_foreign(scene, folder)
    if foreign:
        raise BakeFolderError(f"{foreign}. Bake again to get a folder of its own, or take the bake over.")
    return folder


_whole: dict[str, tuple[tuple[int, ...], int]] = {}
"""Bake folder → when its parts last changed, and the last frame up to which all files are there."""


def anything_left(scene: Any, state: monitor.BakeState) -> bool:
    """Whether a finished bake lacks frames of the scene's range: it became longer, or files are gone."""
    first, last = frame_range(scene)
    if state.folder is None or last > state.frame_end or first != state.frame_start:
        return True
    places = [state.folder / name for name in (manifest.MANIFEST, "points", "surface", "mesh")]
    stamp = (first, *(place.stat().st_mtime_ns if place.exists() else 0 for place in places))
    if _whole.get(str(state.folder), (None,))[0] != stamp:
        try:
            until = whole_until(state.folder, manifest.read(state.folder), first)
        except BakeFolderError:
            until = first - 1
        _whole.clear()
        _whole[str(state.folder)] = (stamp, until)
    return _whole[str(state.folder)][1] < last


def _announced(scene: Any) -> tuple[str, ...]:
    if bpy.data.filepath or scene.tsubu.cache_folder:
        return ()
    return (f"The file was never saved: the bake is kept in {cache.found_folder(scene)}. Save to bake beside the file.",)


def prune(scene: Any, *, surfaces: bool) -> int:
    """Deletes the surfaces of the scene's bake, or its checkpoints but the last; returns the bytes freed."""
    folder = own_folder(scene)
    with lock.Lock(folder):
        return prune_surfaces(folder) if surfaces else prune_states(folder)


def free(scene: Any) -> int:
    """Deletes what the scene's bake has written; returns the bytes freed. The job stays."""
    folder = own_folder(scene)
    with lock.Lock(folder):
        freed = clear(folder)
        for name in (status.STATUS, worker.LOG):
            (folder / name).unlink(missing_ok=True)
    worker.forget(folder)
    monitor.set_problem(scene, "")
    monitor.set_notes(scene, ())
    return freed
