"""What lies in a bake folder, read without Blender.

<bake>/points/<output>_####.usdc (or .ply)      <bake>/surface/<output>_####.vdb      <bake>/mesh/<body>_####.pc2
"""

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ..solvers.bake import manifest
from ..solvers.bake.files import file_name, frame_label
from ..solvers.errors import TsubuError
from ..solvers.job import JOB

_FRAME_FILE = re.compile(r"(?P<output>[^.].*)_(?P<frame>-?\d{4,})(?P<suffix>\.usdc|\.ply|\.vdb|\.pc2)")


KINDS = ("points", "surface", "mesh")


class PlaybackError(Exception):
    """A bake cannot be shown. The message names the folder and the cure."""


class Sequence(NamedTuple):
    """The numbered files of one output."""

    kind: str
    """ "points", "surface" or "mesh"."""
    output: str
    folder: Path
    suffix: str
    frames: tuple[int, ...]
    """Frame numbers that exist, ascending."""

    @property
    def first(self) -> int:
        return self.frames[0]

    @property
    def last(self) -> int:
        return self.frames[-1]

    @property
    def missing(self) -> tuple[int, ...]:
        """Frames between the first and the last that have no file."""
        return tuple(sorted(set(range(self.first, self.last + 1)) - set(self.frames)))

    def path(self, frame: int) -> Path:
        return self.folder / f"{self.output}_{frame_label(frame)}{self.suffix}"


def sequences(bake: Path) -> list[Sequence]:
    """Every numbered sequence of a bake folder: points, surfaces, meshes, each by name."""
    if not bake.is_dir():
        raise PlaybackError(f"{bake} is not a folder; choose the folder that holds job.json.")
    found = [sequence for kind in KINDS for sequence in _sequences_in(bake / kind, kind)]
    if not found:
        raise PlaybackError(f"{bake} holds no finished frame; choose the folder that holds job.json, or bake first.")
    return found


def output_kinds(bake: Path) -> dict[str, str]:
    """Body kind of every output, by the name of its files; {} if the manifest does not tell."""
    try:
        outputs = manifest.read(bake).header.get("outputs", [])
    except TsubuError:
        return {}
    return {str(entry.get("file")): str(entry.get("kind")) for entry in outputs if isinstance(entry, dict)}


def output_settings(bake: Path, kind: str, output: str) -> dict[str, Any]:
    """Settings of what an output was made of; {} if there is no readable job.

    They are those of the first body or emitter of the kind that is written to files of this name, else of the first of the kind:
    what shares files is alike in all that shows.
    """
    try:
        description = json.loads((bake / JOB).read_bytes())
        found = [(body, body["params"]) for body in description["bodies"] if body["kind"] == kind]
        found += [(emitter, emitter["material"]) for emitter in description["emitters"] if emitter["kind"] == kind]
        found.sort(key=lambda entry: output not in (file_name(entry[0].get("output") or ""), file_name(entry[0]["name"])))
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return dict(found[0][1]) if found and isinstance(found[0][1], dict) else {}


def missing_frames_warning(sequence: Sequence) -> str | None:
    """Blender shows another frame where a file of a sequence is missing: say so before anybody renders."""
    if not sequence.missing:
        return None
    return (
        f"{sequence.output} ({sequence.kind}): {len(sequence.missing)} frames between {sequence.first} and {sequence.last} "
        f"have no file ({listed(sequence.missing)}); Blender would show other frames there. Resume the bake before rendering."
    )


def promised_frames(bake: Path) -> range | None:
    """The frames that the job of `bake` asks for; None if there is no readable job."""
    try:
        world = json.loads((bake / JOB).read_bytes())["world"]
        return range(int(world["frame_start"]), int(world["frame_end"]) + 1)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def flowing_bodies(bake: Path) -> set[str]:
    """File names of the bodies of `bake` that may flow or tear, so that their own mesh is not what one wants to see."""
    try:
        description = json.loads((bake / JOB).read_bytes())
        names = [str(body["name"]) for body in description["bodies"]]
        flows = [bool(body["params"].get("plastic", False)) for body in description["bodies"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return set()
    return {file_name(name) for name, flow in zip(names, flows, strict=True) if flow}


def unfit_frames(sequence: Sequence, wanted: range) -> tuple[int, ...]:
    """Frames in `wanted` that the bake promises and that would not be rendered right: missing, or not of the recorded size."""
    promised = promised_frames(sequence.folder.parent) or range(sequence.first, sequence.last + 1)
    recorded = _recorded_sizes(sequence.folder.parent)
    present = set(sequence.frames)
    begin, end = max(wanted.start, promised.start), min(wanted.stop, promised.stop)
    return tuple(frame for frame in range(begin, end) if frame not in present or not _whole(sequence.path(frame), recorded))


def listed(frames: tuple[int, ...], most: int = 8) -> str:
    """(1, 2, 3, 7) → "1–3, 7"."""
    parts: list[str] = []
    for frame, begin in zip(frames, (True, *(b != a + 1 for a, b in pairwise(frames))), strict=True):
        if begin:
            parts.append(str(frame))
        else:
            parts[-1] = f"{parts[-1].split('–')[0]}–{frame}"
    return ", ".join(parts[:most]) + (" ..." if len(parts) > most else "")


def _recorded_sizes(bake: Path) -> dict[str, int]:
    """File name inside the bake → size [bytes] that the manifest records."""
    try:
        frames = manifest.read(bake).frames.values()
    except TsubuError as error:
        raise PlaybackError(str(error)) from error
    return {entry["path"]: entry["bytes"] for frame in frames for entry in frame["files"]}


def _whole(path: Path, recorded: dict[str, int]) -> bool:
    size = recorded.get(f"{path.parent.name}/{path.name}")
    try:
        return size is None or path.stat().st_size == size
    except OSError:
        return False


def _sequences_in(folder: Path, kind: str) -> list[Sequence]:
    frames: dict[tuple[str, str], list[int]] = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        match = _FRAME_FILE.fullmatch(path.name)
        if match:
            frames.setdefault((match["output"], match["suffix"]), []).append(int(match["frame"]))
    return [
        Sequence(kind, output, folder, suffix, tuple(sorted(numbers))) for (output, suffix), numbers in sorted(frames.items())
    ]
