"""manifest.jsonl: what was baked, by what, and how to tell whether a file is still the same.

Line kinds: {"bake": …} begins a bake or its continuation; {"frame": …} is one finished frame; {"state": …} is one
checkpoint. The last line about a frame counts. A line that a killed process left torn is dropped.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import BakeFolderError
from . import files

MANIFEST = "manifest.jsonl"
FORMAT = 1


class Manifest(NamedTuple):
    """The content of a manifest."""

    bakes: list[dict[str, Any]]
    """Header lines, oldest first."""
    frames: dict[int, dict[str, Any]]
    states: dict[int, dict[str, Any]]
    damaged: list[int]
    """Numbers of lines in the middle that cannot be read, counted from 1."""
    good_bytes: int
    """Length of the file without a torn last line."""

    @property
    def header(self) -> dict[str, Any]:
        """The newest header line, {} if the bake never began."""
        return self.bakes[-1] if self.bakes else {}


def record(path: Path, folder: Path, **more: Any) -> dict[str, Any]:
    """Name, size and checksum of a file for the manifest."""
    return {"path": path.relative_to(folder).as_posix(), "bytes": path.stat().st_size, "blake2b": files.checksum(path), **more}


def intact(folder: Path, entry: dict[str, Any], *, thorough: bool) -> bool:
    """Whether the recorded file is there with its size and, if `thorough`, its checksum."""
    path = folder / entry["path"]
    try:
        return path.stat().st_size == entry["bytes"] and (not thorough or files.checksum(path) == entry["blake2b"])
    except OSError:
        return False


def read(folder: Path) -> Manifest:
    """The manifest of a bake folder; empty if there is none."""
    found = Manifest([], {}, {}, [], 0)
    try:
        content = (folder / MANIFEST).read_bytes()
    except FileNotFoundError:
        return found
    except OSError as error:
        raise files.explained(error, folder) from error
    good, damaged = 0, []
    lines = content.split(b"\n")
    # What follows the last line break is empty, or torn off by a kill.
    for number, line in enumerate(lines[:-1], start=1):
        if not _keep(line, found):
            damaged.append(number)
    good = len(content) - len(lines[-1])
    return found._replace(damaged=damaged, good_bytes=good)


def _keep(line: bytes, found: Manifest) -> bool:
    try:
        entry = json.loads(line)
    except ValueError:
        return False
    if not isinstance(entry, dict):
        return False
    if isinstance(entry.get("bake"), int):
        if entry["bake"] > FORMAT:
            newer = f"manifest {entry['bake']}, this one reads {FORMAT}"
            raise BakeFolderError(f"This bake was made by a newer Tsubu ({newer}). Update Tsubu on this machine.")
        found.bakes.append(entry)
    elif isinstance(entry.get("frame"), int) and isinstance(entry.get("files"), list):
        found.frames[entry["frame"]] = entry
    elif isinstance(entry.get("state"), int) and isinstance(entry.get("file"), dict):
        found.states[entry["state"]] = entry
    else:
        return False
    return True


def append(folder: Path, entry: dict[str, Any]) -> None:
    """Adds one line in a single write, and takes it back if the disk holds only a part of it."""
    line = files.json_bytes(entry)
    with files.folder_errors(folder, len(line)):
        # No O_CREAT: a manifest is begun by `rewrite`; a vanished folder must not come back half-empty.
        handle = os.open(folder / MANIFEST, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        try:
            before = os.fstat(handle).st_size
            try:
                written = os.write(handle, line)
                if written < len(line):
                    os.write(handle, line[written:])  # raises what stopped the first write
                getattr(os, "fdatasync", os.fsync)(handle)
            except OSError:
                os.ftruncate(handle, before)
                raise
        finally:
            os.close(handle)


def rewrite(folder: Path, entries: Iterable[dict[str, Any]]) -> None:
    """Replaces the whole manifest in one step."""
    content = b"".join(files.json_bytes(entry) for entry in entries)
    with files.folder_errors(folder, len(content)):
        files.write_bytes(folder / MANIFEST, content)


def truncated(folder: Path, manifest: Manifest, before: int) -> Manifest:
    """Forgets all frames and checkpoints from frame `before` on, in the file too."""
    kept = Manifest(
        manifest.bakes,
        {frame: entry for frame, entry in manifest.frames.items() if frame < before},
        {frame: entry for frame, entry in manifest.states.items() if frame < before},
        [],
        0,
    )
    rewrite(folder, [*kept.bakes, *kept.states.values(), *(kept.frames[frame] for frame in sorted(kept.frames))])
    return kept
