"""Making a bake smaller without losing it: what is deleted here can be made again."""

from pathlib import Path
from typing import NamedTuple

from . import files, manifest


class Sizes(NamedTuple):
    """What a bake takes on disk [bytes]."""

    points: int = 0
    surface: int = 0
    state: int = 0

    @property
    def total(self) -> int:
        return sum(self)


def sizes(folder: Path) -> Sizes:
    """Of the files that are there, whoever wrote them."""
    return Sizes(*(sum(path.stat().st_size for path in _files(folder / name)) for name in Sizes._fields))


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []


def prune_states(folder: Path) -> int:
    """Deletes every checkpoint but the newest whole one, from which the bake can be extended. The caller holds the lock."""
    found = manifest.read(folder)
    whole = [frame for frame, entry in found.states.items() if manifest.intact(folder, entry["file"], thorough=False)]
    kept = {folder / found.states[max(whole)]["file"]["path"]} if whole else set()
    return _remove([path for path in _files(folder / "state") if path.suffix == ".npz" and path not in kept], folder)


def prune_surfaces(folder: Path) -> int:
    """Deletes the surfaces. The manifest forgets them first: nothing is promised that is gone. The caller holds the lock."""
    found = manifest.read(folder)
    lines = []
    for frame in sorted(found.frames):
        entry = found.frames[frame]
        points = [record for record in entry["files"] if record["role"] != "surface"]
        # Without its surfaces a frame belongs to no surface settings, as after a bake of points only.
        lines.append({**entry, "files": points, "surface_key": "" if len(points) < len(entry["files"]) else entry["surface_key"]})
    manifest.rewrite(folder, [*found.bakes, *found.states.values(), *lines])
    return _remove([path for path in _files(folder / "surface") if path.suffix == ".vdb"], folder)


def _remove(paths: list[Path], folder: Path) -> int:
    freed = 0
    with files.folder_errors(folder):
        for path in paths:
            freed += path.stat().st_size
            path.unlink()
    return freed
