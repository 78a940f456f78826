"""Full states from which a bake goes on: state/####.npz, uncompressed, without objects."""

from pathlib import Path

import numpy as np

from ..errors import BakeFolderError
from . import files, manifest
from .manifest import Manifest

KEPT_LAST = 2
KEPT_EVERY = 10
"""Every tenth checkpoint stays, so that redoing from a frame far back need not begin at the first."""
SNAPSHOT_LIMIT = 256_000_000
"""Bytes up to which the state of the last finished frame is kept in memory, to be saved at a cancel."""


def path_of(folder: Path, frame: int) -> Path:
    return folder / "state" / f"{files.frame_label(frame)}.npz"


def is_due(frame: int, frame_start: int, frame_end: int, every: int) -> bool:
    """Whether the state after `frame` is saved."""
    return frame > frame_start and (frame == frame_end or (frame - frame_start) % every == 0)


def copied(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """A snapshot that later steps do not touch."""
    return {name: np.array(array) for name, array in arrays.items()}


def write(folder: Path, frame: int, arrays: dict[str, np.ndarray]) -> None:
    """Saves a state and then records it, in this order: a recorded state is whole."""
    for name, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise TypeError(f"State array {name!r} holds objects; a checkpoint holds numbers only.")
    size = sum(np.asarray(array).nbytes for array in arrays.values())
    path = path_of(folder, frame)
    with files.folder_errors(folder, size):
        files.write_npz(path, dict(sorted(arrays.items())))
        entry = manifest.record(path, folder)
    manifest.append(folder, {"state": frame, "file": entry})


def usable(folder: Path, found: Manifest, latest: int) -> list[int]:
    """Frames not after `latest` whose recorded state is there with its size, newest first."""
    frames = [frame for frame, entry in found.states.items() if manifest.intact(folder, entry["file"], thorough=False)]
    return sorted((frame for frame in frames if frame <= latest), reverse=True)


def load(folder: Path, found: Manifest, frame: int) -> dict[str, np.ndarray]:
    """The state after `frame`; `BakeFolderError` if it is not the one that was saved."""
    entry = found.states[frame]["file"]
    if not manifest.intact(folder, entry, thorough=True):
        raise BakeFolderError(f"The checkpoint {folder / entry['path']} is damaged.")
    return files.read_npz(folder / entry["path"])


def prune(folder: Path, newest: int, frame_start: int, every: int) -> None:
    """Deletes states that are neither among the last ones up to `newest` nor every tenth."""
    saved = sorted(frame for frame in _numbers(folder) if frame <= newest)
    for frame in saved[:-KEPT_LAST]:
        if (frame - frame_start) % (every * KEPT_EVERY) != 0:
            path_of(folder, frame).unlink(missing_ok=True)


def forget_from(folder: Path, frame: int) -> None:
    """Deletes the states of `frame` and later."""
    for number in _numbers(folder):
        if number >= frame:
            path_of(folder, number).unlink(missing_ok=True)


def _numbers(folder: Path) -> list[int]:
    return [int(path.stem) for path in (folder / "state").glob("*.npz") if path.stem.lstrip("-").isdigit()]
