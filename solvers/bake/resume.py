"""Where a bake goes on: which frames are whole, which checkpoint fits, and whether the job is still the same."""

from pathlib import Path
from typing import Any, NamedTuple

from ..errors import BakeFolderError
from ..scene import Scene
from . import checkpoint, files, manifest, status
from .fingerprint import Change, changes, fingerprint, surface_key
from .manifest import Manifest
from .versions import engine_versions

_SHOWN = 4


class Plan(NamedTuple):
    """What is kept of an earlier bake."""

    continues: bool
    manifest: Manifest
    checkpoints: list[int]
    """Frames whose state can be continued from, best first; empty: begin at the first frame."""
    warnings: list[str]


def whole_until(folder: Path, found: Manifest, frame_start: int) -> int:
    """Last frame up to which all files are there with their sizes; frame_start - 1 if not even the first is."""
    frame = frame_start
    while frame in found.frames and all(manifest.intact(folder, entry, thorough=False) for entry in found.frames[frame]["files"]):
        frame += 1
    return frame - 1


def make_plan(
    scene: Scene, folder: Path, suffix: str, *, resume: bool, from_frame: int | None, surfaces: bool = True
) -> Plan:
    """Decides what is kept. With `from_frame`, what follows is forgotten and deleted here.

    `surfaces`: whether the bake will make them; if not, it does not matter what those that are there were made with.
    """
    empty = Plan(False, Manifest([], {}, {}, [], 0), [], [])
    if not resume and from_frame is None:
        return empty
    found = manifest.read(folder)
    if not found.bakes:
        return empty
    first = scene.world.frame_start
    if from_frame is not None and not first <= from_frame <= scene.world.frame_end:
        raise BakeFolderError(f"Frame {from_frame} to redo from lies outside the range {first} to {scene.world.frame_end}.")
    _refuse_other_format(folder, found, suffix)
    refuse_changed(scene, folder, found, from_frame, surfaces=surfaces)
    _drop_torn_line(folder, found)
    if from_frame is not None:
        found = _forget_from(folder, found, from_frame)
    latest = min(whole_until(folder, found, first), scene.world.frame_end)
    return Plan(True, found, checkpoint.usable(folder, found, latest), _warnings(found))


def changes_since(scene: Scene, found: Manifest, *, surfaces: bool = True) -> list[Change]:
    """How `scene` differs from what the bake was begun with, and from what its surfaces were made with."""
    everything = changes(found.header["job"], fingerprint(scene))
    found_changes = [change for change in everything if not change.what.startswith("surface.")]
    key = surface_key(scene)
    stale = [frame for frame, entry in found.frames.items() if entry.get("surface_key") != key]
    if stale and surfaces:
        what = f"surface settings differ from those of frame {min(stale)}; python -m solvers surface makes the surfaces again"
        found_changes.append(Change(what, min(stale)))
    return found_changes


def refuse_changed(scene: Scene, folder: Path, found: Manifest, from_frame: int | None, *, surfaces: bool = True) -> None:
    """Raises `BakeFolderError` if the job changed in a way that touches frames which are to be kept."""
    if not found.bakes:
        return
    first = scene.world.frame_start
    kept_until = max(found.frames, default=first - 1) if from_frame is None else from_frame - 1
    harmful = [change for change in changes_since(scene, found, surfaces=surfaces) if change.frame <= kept_until]
    if harmful:
        listed = "; ".join(change.what for change in harmful[:_SHOWN])
        more = f" and {len(harmful) - _SHOWN} more" if len(harmful) > _SHOWN else ""
        keep = "resume" if from_frame is None else f"redo from frame {from_frame}"
        raise BakeFolderError(
            f"The job in {folder} changed since its bake began ({listed}{more}), so the finished frames do not belong to it. "
            f"Undo the change to {keep}, or bake again from the first frame without resume."
        )


def _refuse_other_format(folder: Path, found: Manifest, suffix: str) -> None:
    if found.frames and found.header.get("points") != suffix:
        raise BakeFolderError(
            f"The bake in {folder} was begun with {found.header.get('points')} points, this Python writes {suffix}. "
            "Resume with the Blender that began it, or bake again without resume."
        )


def _drop_torn_line(folder: Path, found: Manifest) -> None:
    path = folder / manifest.MANIFEST
    with files.folder_errors(folder):
        if path.stat().st_size > found.good_bytes:
            with open(path, "r+b") as stream:
                stream.truncate(found.good_bytes)


def _forget_from(folder: Path, found: Manifest, frame: int) -> Manifest:
    """First the manifest, then the files: nothing is promised that is already gone."""
    kept = manifest.truncated(folder, found, frame)
    with files.folder_errors(folder):
        checkpoint.forget_from(folder, frame)
        for number, entry in found.frames.items():
            if number >= frame:
                _remove(folder, entry["files"])
    return kept


def _remove(folder: Path, entries: list[dict[str, Any]]) -> None:
    for entry in entries:
        (folder / entry["path"]).unlink(missing_ok=True)


def _warnings(found: Manifest) -> list[str]:
    notes = [f"line {number} of the manifest cannot be read; its frame is baked again" for number in found.damaged]
    before, now = found.header.get("versions", {}), engine_versions()
    differing = [f"{name} {before[name]} → {now.get(name)}" for name in before if before[name] != now.get(name)]
    if differing:
        notes.append(f"the engine changed since the bake began ({', '.join(differing)}); later frames may differ slightly")
    return notes


def clear(folder: Path) -> int:
    """Deletes everything baked, keeps the job. Touches only names that a bake writes. Returns the bytes freed."""
    freed = 0
    with files.folder_errors(folder):
        files.remove_strays(folder)
        doomed = [folder / name for name in (manifest.MANIFEST, status.CANCEL)]
        for place, suffixes in (("points", (".usdc", ".ply")), ("surface", (".vdb",)), ("mesh", (".pc2",)), ("state", (".npz",))):
            doomed += [path for path in (folder / place).glob("*") if path.suffix in suffixes]
        for path in doomed:
            if path.is_file():
                freed += path.stat().st_size
                path.unlink()
        for place in ("points", "surface", "mesh", "state"):
            if (folder / place).is_dir() and not any((folder / place).iterdir()):
                (folder / place).rmdir()
    return freed
