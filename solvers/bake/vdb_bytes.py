"""OpenVDB files that are complete and depend on nothing but their content.

OpenVDB stamps a random UUID into every file and, on a full disk, leaves a truncated file without complaint.
File layout (openvdb/io/Archive.cc, GridDescriptor.cc): magic int64, three uint32 versions, a flag byte, UUID (36 characters),
file metadata, number of grids; per grid a descriptor with the positions of its first, block and end byte.
"""

import errno
import hashlib
import os
import struct
from pathlib import Path
from typing import BinaryIO

from ..errors import BakeFolderError

_MAGIC = 0x56444220
_UUID_START = 21
_UUID_LENGTH = 36


def _number(stream: BinaryIO, layout: str) -> int:
    content = stream.read(struct.calcsize(layout))
    if len(content) < struct.calcsize(layout):
        raise EOFError
    return struct.unpack(layout, content)[0]


def _text(stream: BinaryIO) -> bytes:
    length = _number(stream, "<I")
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return content


def expected_size(path: Path) -> int:
    """Number of bytes the file must have by its own table of grids."""
    with open(path, "rb") as stream:
        if _number(stream, "<q") != _MAGIC:
            raise BakeFolderError(f"{path} is no OpenVDB file.")
        stream.seek(_UUID_START + _UUID_LENGTH)
        for _ in range(_number(stream, "<I")):  # file metadata: name, type, value
            for _ in range(3):
                _text(stream)
        end = stream.tell() + 4
        for _ in range(_number(stream, "<i")):
            for _ in range(3):  # name, type, parent
                _text(stream)
            for _ in range(3):  # first byte, first block, end
                end = _number(stream, "<q")
            stream.seek(end)
        return end


def stable_vdb(path: str | os.PathLike[str]) -> None:
    """Checks that a freshly written file is whole and replaces its random UUID by a hash of the rest.

    Raises OSError (no space) if the file is shorter than its table of grids says.
    """
    path = Path(path)
    try:
        wanted = expected_size(path)
    except EOFError:
        wanted = path.stat().st_size + 1
    if path.stat().st_size < wanted:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    with open(path, "r+b") as stream:
        digest = hashlib.blake2b(stream.read(_UUID_START), digest_size=16)
        stream.seek(_UUID_START + _UUID_LENGTH)
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
        text = digest.hexdigest()
        stream.seek(_UUID_START)
        stream.write("-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:])).encode())
