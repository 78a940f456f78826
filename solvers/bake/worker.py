"""The bake itself: per frame simulate → points → surface → manifest line, from the start or from a checkpoint."""

import os
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import openings
from ..errors import BakeFolderError, Cancelled, TsubuError
from ..scene import Scene
from . import checkpoint, files, manifest
from .estimate import refuse_too_large
from .fingerprint import fingerprint, surface_key
from .frames import FrameWriter
from .lock import Lock
from .modules import blender_modules, points_format
from .preflight import doubts
from .resume import Plan, clear, make_plan
from .versions import engine_versions
from .warm import WALLS, Warming, mark_ready, unready
from .watching import BakeWatch

MakeWorld = Callable[..., Any]
"""World(scene, watch) as in `solvers.world`."""


@dataclass(frozen=True)
class Options:
    """How a bake is run. None of it changes a frame."""

    threads: int = 0
    """0: as many as the machine bears."""
    resume: bool = False
    from_frame: int | None = None
    """Redo this frame and what follows."""
    points_only: bool = False
    """Leave the surfaces to a later `surface` run, which may use many machines."""
    own_process: bool = False
    openjd: bool = False
    log: Callable[[str], None] = print


def real_world(scene: Scene, watch: BakeWatch) -> Any:
    from ..world import World

    return World(scene, watch)


def bake_folder(scene: Scene, folder: Path, lock: Lock, options: Options, make_world: MakeWorld = real_world) -> None:
    """Bakes a checked scene whose job is in `folder`. The caller holds the lock.

    Raises `Cancelled` or a `TsubuError`; in both cases everything finished so far stays and the bake can be resumed.
    """
    world = scene.world
    watch = BakeWatch(
        folder, lock, (world.frame_start, world.frame_end), own_process=options.own_process, openjd=options.openjd
    )
    with files.folder_errors(folder), watch:
        try:
            _run(scene, folder, watch, options, make_world)
        except Cancelled:
            watch.finish("cancelled", f"Cancelled in frame {watch.frame}; it can be resumed.")
            raise
        except (TsubuError, OSError, MemoryError) as error:
            watch.finish("failed", str(files.explained(error, folder) if isinstance(error, OSError) else error) or repr(error))
            raise
        except ImportError as error:
            watch.finish("failed", f"Tsubu was replaced or removed while it baked ({error}). Resume continues with the new one.")
            raise
        except Exception as error:
            watch.finish("failed", f"{type(error).__name__}: {error}")
            raise
        watch.finish("done", f"Frames {world.frame_start} to {world.frame_end} are baked.{_saving(folder)}")


def _saving(folder: Path) -> str:
    """How many grains the hybrid method spared, over all frames; "" for other bakes."""
    parts = [frame["grains_saved"] for frame in manifest.read(folder).frames.values() if frame.get("grains_saved")]
    return f" {100.0 * sum(parts) / len(parts):.0f} % fewer grains than with All grains." if parts else ""


def _run(scene: Scene, folder: Path, watch: BakeWatch, options: Options, make_world: MakeWorld) -> None:
    files.remove_strays(folder)
    watch.report(phase="preparing", message="Checking the scene")
    modules = blender_modules()
    suffix = points_format()
    if not options.points_only:
        _require_surface(scene, modules.openvdb)
    particles, needed = refuse_too_large(scene, load_solvers=make_world is real_world)
    plan = make_plan(
        scene, folder, suffix, resume=options.resume, from_frame=options.from_frame, surfaces=not options.points_only
    )
    told = (f"{found.owner}: {found.text}" for found in doubts(scene))
    for note in (*plan.warnings, *modules.missing, *openings.warnings(scene), *told):
        options.log(f"tsubu: note: {note}")
    if not plan.continues:
        clear(folder)
    for name in ("points", "surface", "state"):
        (folder / name).mkdir(exist_ok=True)

    from .. import jit

    fresh = unready(scene)
    watch.compiling = bool(fresh)
    threads = jit.set_threads(options.threads)
    versions = engine_versions()
    options.log(
        f"tsubu: {scene.name}: frames {scene.world.frame_start} to {scene.world.frame_end}, about {particles:,} particles, "
        f"{files.readable_bytes(needed)} of memory, {threads} threads, points as {suffix}, "
        + ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    )
    watch.report(phase="preparing", message="" if watch.compiling else "Preparing the scene")
    real = make_world is real_world
    with Warming(_side_by_side(fresh) if real else (), folder) as warming:
        world = make_world(scene, watch)
        failed = warming.wait(watch)
    if failed:
        options.log(f"tsubu: note: compiling ahead failed for {', '.join(failed)}; it is done in this process")
    header = _header(scene, world, suffix, versions, threads)
    if plan.continues:
        manifest.append(folder, header)
    else:
        manifest.rewrite(folder, [header])
    writer = FrameWriter(scene, folder, world, suffix, watch, surfaces=scene.surface.enabled and not options.points_only)
    _Loop(scene, folder, watch, options, world, plan, writer, fresh if real else []).run()
    options.log(f"tsubu: done, threading layer {jit.threading_layer()}")


def _side_by_side(parts: list[str]) -> list[str]:
    """What other processes compile while this one builds and compiles the walls."""
    return [part for part in parts if part != WALLS] if (os.cpu_count() or 1) > 1 else []


def _require_surface(scene: Scene, openvdb: str) -> None:
    if scene.surface.enabled and not openvdb:
        raise TsubuError(
            "Surfaces cannot be written: the module openvdb is missing in this Python. "
            "Bake with Blender's Python (or a Python that has the bpy wheel), or turn Surface off."
        )


def _header(scene: Scene, world: Any, suffix: str, versions: dict[str, str], threads: int) -> dict[str, Any]:
    names = files.file_names(tuple(output.name for output in world.outputs))
    meshes = files.file_names(tuple(getattr(world, "mesh_names", ())))
    return {
        "bake": manifest.FORMAT,
        "run": uuid.uuid4().hex,
        "started": time.strftime("%Y-%m-%d %H:%M:%S"),
        "points": suffix,
        "surface": "vdb" if scene.surface.enabled else "",
        "outputs": [
            {"name": output.name, "kind": output.kind, "label": output.label, "file": names[output.name]}
            for output in world.outputs
        ],
        "meshes": [{"name": name, "file": file} for name, file in meshes.items()],
        "versions": versions,
        "threads": threads,
        "cores": os.cpu_count(),
        "job": fingerprint(scene),
    }


@dataclass
class _Loop:
    """The time loop with what it needs."""

    scene: Scene
    folder: Path
    watch: BakeWatch
    options: Options
    world: Any
    plan: Plan
    writer: FrameWriter
    fresh: list[str]
    """Parts of the engine that this bake is the first to use on this machine."""

    def run(self) -> None:
        begin = time.perf_counter()
        first = self._begin()
        snapshot: tuple[int, dict[str, np.ndarray]] | None = None
        settings = self.scene.world
        try:
            for frame in range(first, settings.frame_end + 1):
                self.watch.begin_frame(frame)
                self.watch.poll()
                if frame > settings.frame_start:
                    self.world.advance(frame)
                self._finish(frame, begin)
                if self.fresh and frame > settings.frame_start:
                    mark_ready(self.fresh)
                    self.fresh = []
                begin = time.perf_counter()
                snapshot = self._save_or_keep(frame)
        except Cancelled:
            self._save_at_cancel(snapshot)
            raise

    def _save_at_cancel(self, snapshot: tuple[int, dict[str, np.ndarray]] | None) -> None:
        """Saves the last finished frame's state, which spares a resume the frames since the last checkpoint."""
        if snapshot is None:
            return
        try:
            checkpoint.write(self.folder, *snapshot)
        except BakeFolderError as error:
            self.options.log(f"tsubu: note: no checkpoint at the cancel: {error}")

    def _begin(self) -> int:
        """Puts the world into its first or its saved state; returns the first frame to be written."""
        for frame in self.plan.checkpoints:
            try:
                arrays = checkpoint.load(self.folder, self.plan.manifest, frame)
            except BakeFolderError as error:
                self.options.log(f"tsubu: note: {error} An earlier one is used.")
                continue
            self.world.restore(arrays, frame)
            self.options.log(f"tsubu: continuing from the state of frame {frame}")
            return frame + 1
        self.world.start()
        return self.scene.world.frame_start

    def _finish(self, frame: int, begin: float) -> None:
        totals = self.world.totals()
        before = self.plan.manifest.frames.get(frame)
        written = self.writer.write(frame, before)
        seconds = time.perf_counter() - begin
        if before is not None and not _same_files(before["files"], written):
            self.options.log(f"tsubu: warning: frame {frame} differs from the one baked before; the new one is kept")
        if before is None or not _same_files(before["files"], written):
            line = {"frame": frame, "files": written, **_plain(totals), "seconds": round(seconds, 4)}
            # Without its surfaces a frame belongs to no surface settings: a resume that wants them says so.
            key = surface_key(self.scene) if self.writer.is_complete(written) else ""
            manifest.append(self.folder, {**line, "surface_key": key})
        count = int(totals.get("particles", 0))
        self.watch.finish_frame(frame, seconds, totals)
        self.options.log(f"tsubu: frame {frame}: {count:,} particles, {totals.get('steps', 0)} steps, {seconds:.2f} s")

    def _save_or_keep(self, frame: int) -> tuple[int, dict[str, np.ndarray]] | None:
        """Saves a checkpoint that is due; otherwise keeps a small state in memory, to be saved at a cancel."""
        settings = self.scene.world
        arrays = self.world.checkpoint()
        if checkpoint.is_due(frame, settings.frame_start, settings.frame_end, settings.checkpoint_every):
            known = self.plan.manifest.states.get(frame)
            if known is None or not manifest.intact(self.folder, known["file"], thorough=False):
                checkpoint.write(self.folder, frame, arrays)
            checkpoint.prune(self.folder, frame, settings.frame_start, settings.checkpoint_every)
            return None
        if sum(array.nbytes for array in arrays.values()) > checkpoint.SNAPSHOT_LIMIT:
            return None
        return frame, checkpoint.copied(arrays)


def _same_files(before: list[dict[str, Any]], now: list[dict[str, Any]]) -> bool:
    return {(entry["path"], entry["blake2b"]) for entry in before} == {(entry["path"], entry["blake2b"]) for entry in now}


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Numbers of numpy as numbers of Python; what is not finite becomes null."""
    result: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, (list, tuple)):
            result[name] = [float(part) if np.isfinite(part) else None for part in value]
        elif isinstance(value, (bool, int, str)) or value is None:
            result[name] = value
        elif isinstance(value, np.integer):
            result[name] = int(value)
        else:
            result[name] = float(value) if np.isfinite(value) else None
    return result

