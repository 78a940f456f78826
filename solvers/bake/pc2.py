"""Vertices of a deformed mesh as a point cache (.pc2), which Blender's Mesh Cache modifier reads by itself.

Every frame is a file of its own with one sample: whole or not at all, and listed in the manifest as all others. What Blender
plays
is one file with all samples, `<name>.mesh.pc2`, that follows from them: a sample is put behind the earlier ones, then the
number in the header is raised, so that a reader never sees a part of a sample.
"""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..errors import BakeFolderError

SUFFIX = ".pc2"
WHOLE = ".mesh.pc2"
_HEADER = struct.Struct("<12siiffi")
_MAGIC = b"POINTCACHE2\0"
_COUNT_AT = _HEADER.size - 4


def _header(points: int, first: float, samples: int) -> bytes:
    return _HEADER.pack(_MAGIC, 1, points, first, 1.0, samples)


def write(path: Path, vertices: np.ndarray, frame: int) -> None:
    """One sample: vertices [m], (n, 3), of `frame`."""
    path.write_bytes(_header(len(vertices), float(frame), 1) + np.ascontiguousarray(vertices, "<f4").tobytes())


def read(path: Path) -> np.ndarray:
    """All samples of a file, float32 (samples, n, 3)."""
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise BakeFolderError(f"The mesh cache {path} is missing. Bake again from this frame.") from error
    if len(content) < _HEADER.size or not content.startswith(_MAGIC):
        raise BakeFolderError(f"{path} is no mesh cache, or it is damaged. Bake again from this frame.")
    points, samples = _HEADER.unpack_from(content)[2], _HEADER.unpack_from(content)[5]
    values = np.frombuffer(content, "<f4", points * samples * 3, _HEADER.size)
    return values.reshape(samples, points, 3)


def _samples_in(path: Path, points: int, first: float) -> int:
    """How many samples `path` holds of such a mesh that begins at frame `first`; 0 if it is another's or not there."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(_HEADER.size)
        size = path.stat().st_size
    except OSError:
        return 0
    if len(head) < _HEADER.size or _HEADER.unpack(head)[:4] != (_MAGIC, 1, points, first):
        return 0
    return min(_HEADER.unpack(head)[5], (size - _HEADER.size) // (12 * points))


def put(path: Path, index: int, first: int, vertices: np.ndarray, earlier: Callable[[int], Path]) -> None:
    """Makes `vertices` (n, 3) sample `index` of the whole file and the last one; samples before it that are not there are read
    from their own files, `earlier(index)`."""
    points = len(vertices)
    present = min(_samples_in(path, points, float(first)), index)
    stride = 12 * points
    with open(path, "r+b" if present else "wb") as stream:
        if not present:
            stream.write(_header(points, float(first), 0))
        # forget what follows before it is overwritten
        stream.seek(_COUNT_AT)
        stream.write(struct.pack("<i", present))
        stream.flush()
        for number in range(present, index + 1):
            sample = vertices if number == index else read(earlier(number))[0]
            if len(sample) != points:
                raise BakeFolderError(
                    f"{earlier(number)} is of another mesh ({len(sample)} vertices). Bake again from the start."
                )
            stream.seek(_HEADER.size + number * stride)
            stream.write(np.ascontiguousarray(sample, "<f4").tobytes())
        stream.truncate(_HEADER.size + (index + 1) * stride)
        stream.flush()
        stream.seek(_COUNT_AT)
        stream.write(struct.pack("<i", index + 1))
