"""Baking from Python and from the command line."""

from pathlib import Path

from .. import job
from ..errors import BakeFolderError
from ..scene import Scene
from . import manifest
from .checks import checked
from .lock import Lock
from .resume import refuse_changed
from .worker import MakeWorld, Options, bake_folder, real_world


def bake(scene: Scene, folder: str | Path, *, threads: int = 0, resume: bool = False) -> Path:
    """Writes the job of `scene` into `folder` and bakes it; returns the folder.

    `resume` continues an earlier bake of the same scene, byte for byte as if it had never stopped; a longer frame
    range is welcome. Ctrl-C cancels and leaves everything resumable. Raises `InvalidScene` or `BakeFolderError`.
    """
    return bake_scene(scene, Path(folder), Options(threads=threads, resume=resume))


def bake_scene(scene: Scene, folder: Path, options: Options, make_world: MakeWorld = real_world) -> Path:
    """`bake` with all options, and with another world for tests."""
    complete = checked(scene)
    job.make_folder(folder)
    with Lock(folder) as lock:
        if options.resume or options.from_frame is not None:
            # Before the job is written: a refused resume leaves the folder as it was.
            refuse_changed(complete, folder, manifest.read(folder), options.from_frame)
        job.write_checked(complete, folder)
        bake_folder(complete, folder, lock, options, make_world)
    return folder


def bake_job(folder: Path, options: Options, make_world: MakeWorld = real_world) -> None:
    """Bakes the job that lies in `folder`."""
    if not folder.is_dir():
        raise BakeFolderError(f"There is no folder {folder}. Write a job there first.")
    with Lock(folder) as lock:
        bake_folder(job.read(folder), folder, lock, options, make_world)
