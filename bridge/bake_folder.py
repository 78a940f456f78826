"""What lies in a bake folder, read without Blender.

    <bake>/points/<output>_####.usdc (or .ply)      <bake>/surface/<output>_####.vdb
"""

import re
from pathlib import Path
from typing import NamedTuple

from ..solvers.bake.files import frame_label

_FRAME_FILE = re.compile(r"(?P<output>[^.].*)_(?P<frame>-?\d{4,})(?P<suffix>\.usdc|\.ply|\.vdb)")


class PlaybackError(Exception):
    """A bake cannot be shown. The message names the folder and the cure."""


class Sequence(NamedTuple):
    """The numbered files of one output."""

    kind: str
    """ "points" or "surface"."""
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
    """Every numbered sequence of a bake folder, points before surfaces, by name."""
    if not bake.is_dir():
        raise PlaybackError(f"{bake} is not a folder; choose the folder that holds job.json.")
    found = [sequence for kind in ("points", "surface") for sequence in _sequences_in(bake / kind, kind)]
    if not found:
        raise PlaybackError(f"{bake} holds no finished frame; choose the folder that holds job.json, or bake first.")
    return found


def missing_frames_warning(sequence: Sequence) -> str | None:
    """Blender shows another frame where a file of a sequence is missing: say so before anybody renders."""
    if not sequence.missing:
        return None
    shown = ", ".join(str(frame) for frame in sequence.missing[:8]) + (" ..." if len(sequence.missing) > 8 else "")
    return (
        f"{sequence.output} ({sequence.kind}): {len(sequence.missing)} frames between {sequence.first} and {sequence.last} "
        f"have no file ({shown}); Blender would show other frames there. Resume the bake before rendering."
    )


def _sequences_in(folder: Path, kind: str) -> list[Sequence]:
    frames: dict[tuple[str, str], list[int]] = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        match = _FRAME_FILE.fullmatch(path.name)
        if match:
            frames.setdefault((match["output"], match["suffix"]), []).append(int(match["frame"]))
    return [
        Sequence(kind, output, folder, suffix, tuple(sorted(numbers))) for (output, suffix), numbers in sorted(frames.items())
    ]
