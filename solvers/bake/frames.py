"""Writes the files of one frame, or proves that they are there already."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import TsubuError
from ..scene import Scene
from ..watch import Watch
from . import files, manifest, pc2
from .points import write_points


def points_path(folder: Path, name: str, frame: int, suffix: str) -> Path:
    return folder / "points" / f"{name}_{files.frame_label(frame)}.{suffix}"


def surface_path(folder: Path, name: str, frame: int) -> Path:
    return folder / "surface" / f"{name}_{files.frame_label(frame)}.vdb"


def mesh_path(folder: Path, name: str, frame: int) -> Path:
    return folder / "mesh" / f"{name}_{files.frame_label(frame)}{pc2.SUFFIX}"


class FrameWriter:
    """Points and surfaces of all outputs of a world, and the meshes that its bodies drive."""

    def __init__(self, scene: Scene, folder: Path, world: Any, suffix: str, watch: Watch, *, surfaces: bool) -> None:
        self.scene = scene
        self.folder = folder
        self.world = world
        self.suffix = suffix
        self.watch = watch
        self.surfaces = surfaces
        """Whether surfaces are made; otherwise those that are there already are kept."""
        self.names = files.file_names(tuple(output.name for output in world.outputs))
        self.meshes = files.file_names(tuple(getattr(world, "mesh_names", ())))
        self.last_bytes = 0
        """Size of the last frame: what the next one will need, too."""

    def write(self, frame: int, before: dict[str, Any] | None) -> list[dict[str, Any]]:
        """Writes the frame the world is at; returns its records. `before`: what the manifest says of it already.

        A surface follows from the points alone: where they came out the same and the surface is intact, it is kept.
        """
        with files.folder_errors(self.folder, self.last_bytes):
            self._check_room()
            known = {entry["path"]: entry for entry in before["files"]} if before else {}
            records = []
            for output in self.world.outputs:
                points = self.world.points(output.name)
                _refuse_diverged(points, output.name, frame)
                path = points_path(self.folder, self.names[output.name], frame, self.suffix)
                record, same = self._points(path, output.name, points, known)
                records.append(record)
                self.watch.poll()
                if self.surfaces:
                    records.append(self._surface(output, points, frame, known if same else {}))
                elif same:
                    records += self._kept_surface(output, frame, known)
            records += [self._mesh(name, frame, known) for name in self.meshes]
            self.last_bytes = sum(record["bytes"] for record in records)
        return records

    def _mesh(self, body: str, frame: int, known: dict[str, Any]) -> dict[str, Any]:
        """The deformed mesh of one body: the frame's own file, and the one with all frames that Blender plays."""
        name, first = self.meshes[body], self.scene.world.frame_start
        vertices = self.world.mesh(body)
        path = mesh_path(self.folder, name, frame)
        path.parent.mkdir(exist_ok=True)
        record, _ = self._kept(path, known, lambda temporary: pc2.write(temporary, vertices, frame), output=body, role="mesh")
        whole = path.with_name(name + pc2.WHOLE)
        pc2.put(whole, frame - first, first, vertices, lambda index: mesh_path(self.folder, name, first + index))
        return record

    def _points(self, path: Path, output: str, points: dict[str, Any], known: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """Writes points unless the same are there; returns their record and whether they are the ones `known` already."""
        more = {"output": output, "role": "points", "count": len(points["position"])}
        return self._kept(path, known, lambda temporary: write_points(temporary, points), **more)

    def _kept(
        self, path: Path, known: dict[str, Any], write: Callable[[Path], None], **more: Any
    ) -> tuple[dict[str, Any], bool]:
        """Writes a file unless the same is there: Blender need not load it again. Returns its record and whether it was known."""
        name = path.relative_to(self.folder).as_posix()
        before = known.get(name) or {}
        record: dict[str, Any] = {}

        def already_there(temporary: Path) -> bool:
            record.update(manifest.record(temporary, self.folder, **more), path=name)
            return record["blake2b"] == before.get("blake2b") and manifest.intact(self.folder, record, thorough=True)

        with files.replacing(path, unless=already_there) as temporary:
            write(temporary)
        return record, record["blake2b"] == before.get("blake2b")

    def is_complete(self, records: list[dict[str, Any]]) -> bool:
        """Whether a frame's files are all that the scene asks for."""
        kinds = [record["role"] for record in records]
        return not self.scene.surface.enabled or kinds.count("surface") == kinds.count("points")

    def _check_room(self) -> None:
        """Stops before a frame that will not fit, so that the disk keeps room for the status and the manifest."""
        free = files.free_bytes(self.folder)
        if free is not None and free < self.last_bytes * 1.1 + 4096:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.folder))

    def _kept_surface(self, output: Any, frame: int, known: dict[str, Any]) -> list[dict[str, Any]]:
        """The record of a surface that is there and intact, [] if there is none."""
        path = surface_path(self.folder, self.names[output.name], frame)
        kept = known.get(path.relative_to(self.folder).as_posix())
        return [kept] if kept is not None and manifest.intact(self.folder, kept, thorough=True) else []

    def _surface(self, output: Any, points: dict[str, Any], frame: int, known: dict[str, Any]) -> dict[str, Any]:
        path = surface_path(self.folder, self.names[output.name], frame)
        if kept := self._kept_surface(output, frame, known):
            return kept[0]
        self.watch.report(phase="surfacing", particles=len(points["position"]))
        write_surface(path, points, output, self.scene, self.world.walls, self.watch)
        return manifest.record(path, self.folder, output=output.name, role="surface")


def _refuse_diverged(points: dict[str, Any], output: str, frame: int) -> None:
    if not (np.isfinite(points["position"]).all() and np.isfinite(points["velocity"]).all()):
        lost = int(np.count_nonzero(~np.isfinite(points["position"]).all(axis=1)))
        raise TsubuError(
            f"{output}: the simulation diverged before frame {frame} ({lost} particles have no finite position). "
            "Use a smaller Courant number or particle spacing, or slower colliders, and bake again from an earlier frame."
        )


def write_surface(path: Path, points: dict[str, Any], output: Any, scene: Scene, walls: Any, watch: Watch) -> None:
    """Makes the surface of the `points` of an output and writes it, whole or not at all."""
    from ..materials.registry import surface_of
    from ..surface import make_surface, write_vdb

    volume = make_surface(points, output.spacing, surface_of(output.kind, scene.surface), walls, watch, output.weight)
    watch.poll()
    with files.replacing(path) as temporary:
        try:
            write_vdb(temporary, volume)
        except RuntimeError as error:
            # OpenVDB reports a refused file as RuntimeError; an OSError passes as it is.
            raise TsubuError(f"The surface {path} could not be written: {error}") from error
