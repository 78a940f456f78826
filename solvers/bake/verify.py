"""Compares every file of a bake with the manifest."""

from pathlib import Path
from typing import Any, NamedTuple

from .. import job
from ..errors import TsubuError
from . import files, manifest
from .resume import changes_since


class Finding(NamedTuple):
    """Something wrong with a bake."""

    kind: str
    """missing, truncated, altered, unfinished, manifest or job."""
    path: str
    text: str
    frame: int | None = None


def verify(folder: Path) -> list[Finding]:
    """Everything that is wrong; empty if the bake is complete and as it was written."""
    found = manifest.read(folder)
    findings = [Finding("manifest", manifest.MANIFEST, f"line {number} cannot be read") for number in found.damaged]
    path = folder / manifest.MANIFEST
    if path.is_file() and path.stat().st_size > found.good_bytes:
        findings.append(Finding("manifest", manifest.MANIFEST, "the last line is torn; resume drops it"))
    findings += _job(folder, found)
    for frame in sorted(found.frames):
        for entry in found.frames[frame]["files"]:
            findings += _file(folder, entry, frame)
    return findings


def _file(folder: Path, entry: dict[str, Any], frame: int) -> list[Finding]:
    name = entry["path"]
    try:
        size = (folder / name).stat().st_size
    except OSError:
        return [Finding("missing", name, "the file is missing", frame)]
    if size < entry["bytes"]:
        return [Finding("truncated", name, f"it has {size} of {entry['bytes']} bytes", frame)]
    if size != entry["bytes"] or files.checksum(folder / name) != entry["blake2b"]:
        return [Finding("altered", name, "its content is not what was baked", frame)]
    return []


def _job(folder: Path, found: manifest.Manifest) -> list[Finding]:
    """The range is complete and the job is the one that was baked."""
    try:
        scene = job.read(folder)
    except TsubuError as error:
        return [Finding("job", job.JOB, str(error))]
    if not found.bakes:
        return [Finding("unfinished", manifest.MANIFEST, "nothing has been baked yet")]
    findings = [Finding("job", job.JOB, f"changed since the bake: {change.what}") for change in changes_since(scene, found)]
    wanted = range(scene.world.frame_start, scene.world.frame_end + 1)
    absent = [frame for frame in wanted if frame not in found.frames]
    if absent:
        text = f"{len(absent)} of {len(wanted)} frames are not baked ({ranges(absent)})"
        findings.append(Finding("unfinished", manifest.MANIFEST, text))
    return findings


def ranges(frames: list[int]) -> str:
    """[1, 2, 3, 7] → "1-3, 7"."""
    parts: list[list[int]] = []
    for frame in sorted(frames):
        if parts and frame == parts[-1][1] + 1:
            parts[-1][1] = frame
        else:
            parts.append([frame, frame])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


