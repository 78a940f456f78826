"""Makes surfaces again from baked points, frame by frame in processes of their own.

Takes no lock, so that several machines of a farm may work on one folder at a time; each frame is committed only if
the bake it was read from is still the newest.
"""

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from .. import job
from ..errors import BakeFolderError, InvalidScene, TsubuError
from ..scene import Scene
from ..watch import Silent
from . import files, manifest
from .fingerprint import changes, fingerprint, surface_key
from .frames import surface_path, write_surface
from .lock import refuse_running
from .modules import openvdb_version
from .points import read_points


def resurface(
    folder: Path,
    frames: tuple[int, int] | None,
    *,
    jobs: int = 0,
    threads: int = 0,
    openjd: bool = False,
    log: Callable[[str], None] = print,
) -> int:
    """Surfaces the baked frames in the range with the settings now in job.json. Returns how many.

    `jobs`: frames at a time (0: one per core); `threads`: threads in all, shared by them (0: all cores).
    """
    scene = job.read(folder)
    refuse_running(folder)
    if not scene.surface.enabled:
        raise InvalidScene("Surface: it is switched off in this job; switch it on to make surfaces.")
    if not openvdb_version():
        raise TsubuError("Surfaces cannot be written: the module openvdb is missing in this Python. Use Blender's Python.")
    found = manifest.read(folder)
    wanted = _baked(found, frames, folder)
    _refuse_other_scene(scene, found, folder)
    with files.folder_errors(folder):
        (folder / "surface").mkdir(exist_ok=True)
    cores = threads if threads > 0 else os.cpu_count() or 1
    workers = max(1, min(jobs if jobs > 0 else cores, len(wanted)))
    share = max(1, cores // workers)
    done = 0
    for frame, seconds in _results(folder, wanted, workers, share):
        done += 1
        log(f"tsubu: surface of frame {frame}: {seconds:.2f} s")
        if openjd:
            log(f"openjd_progress: {100.0 * done / len(wanted):.1f}\nopenjd_status: surface {frame}")
    return done


def _results(folder: Path, wanted: list[int], workers: int, share: int) -> Iterator[tuple[int, float]]:
    if workers == 1:
        for frame in wanted:
            yield surface_frame(folder, frame, share)
        return
    # "spawn": a forked copy of a process that runs OpenMP threads hangs.
    with _importable(), ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(surface_frame, folder, frame, share) for frame in wanted]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


@contextmanager
def _importable() -> Iterator[None]:
    """Child processes take sys.path from here, but `-m` and -I would make them import the main module anew."""
    main = sys.modules["__main__"]
    spec, path = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    main.__spec__ = None
    if path is not None:
        del main.__file__
    try:
        yield
    finally:
        main.__spec__ = spec
        if path is not None:
            main.__file__ = path


def _baked(found: manifest.Manifest, frames: tuple[int, int] | None, folder: Path) -> list[int]:
    if not found.frames:
        raise BakeFolderError(f"{folder} holds no baked frame. Bake it first: python -m solvers bake {folder}")
    if frames is None:
        return sorted(found.frames)
    missing = [frame for frame in range(frames[0], frames[1] + 1) if frame not in found.frames]
    if missing:
        raise BakeFolderError(f"Frame {missing[0]} is not baked in {folder} (baked: {min(found.frames)} to {max(found.frames)}).")
    return list(range(frames[0], frames[1] + 1))


def _refuse_other_scene(scene: Scene, found: manifest.Manifest, folder: Path) -> None:
    """Surface settings may differ from the bake's, that is the purpose; the rest may not."""
    harmful = [change for change in changes(found.header["job"], fingerprint(scene)) if not change.what.startswith("surface.")]
    if harmful:
        raise BakeFolderError(
            f"The job in {folder} changed since its bake ({harmful[0].what}), so its points do not belong to it. Bake again."
        )


def surface_frame(folder: Path, frame: int, threads: int) -> tuple[int, float]:
    """Surfaces all outputs of one frame and records them. Returns the frame and the seconds it took."""
    import time

    from .. import jit

    begin = time.perf_counter()
    jit.set_threads(threads)
    world = _world(folder)
    scene, walls = world.scene, world.walls
    walls.pose(scene.time_of(frame), 0.0)
    found = manifest.read(folder)
    entry = found.frames[frame]
    names = {output["name"]: output["file"] for output in found.header["outputs"]}
    outputs = {output.name: output for output in world.outputs}
    records = []
    with files.folder_errors(folder):
        for point in (record for record in entry["files"] if record["role"] == "points"):
            if not manifest.intact(folder, point, thorough=True):
                raise BakeFolderError(f"{folder / point['path']} is missing or damaged; bake again: --from-frame {frame}")
            path = surface_path(folder, names[point["output"]], frame)
            _refuse_newer_bake(folder, found)
            write_surface(path, read_points(folder / point["path"]), outputs[point["output"]], scene, walls, Silent())
            records += [point, manifest.record(path, folder, output=point["output"], role="surface")]
        records += [record for record in entry["files"] if record["role"] not in ("points", "surface")]
    _refuse_newer_bake(folder, found)
    renewed = {**entry, "files": records, "surface_key": surface_key(scene)}
    if renewed != entry:
        manifest.append(folder, renewed)
    return frame, time.perf_counter() - begin


def _refuse_newer_bake(folder: Path, found: manifest.Manifest) -> None:
    refuse_running(folder)
    if manifest.read(folder).header.get("run") != found.header.get("run"):
        raise BakeFolderError(f"A new bake began in {folder} while its surfaces were made; make them again.")


@lru_cache(maxsize=1)
def _world(folder: Path) -> Any:
    """The world of a job, never started: its walls are those of the bake. Kept for the next frame of this process."""
    from ..world import World

    return World(job.read(folder), Silent())
