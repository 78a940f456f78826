"""Files that exist whole or not at all, with the same bytes for the same content."""

import errno
import hashlib
import io
import json
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import BakeFolderError, TsubuError

TEMPORARY = ".tmp-"
"""Begins the name of every file that is still being written."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG} if hasattr(errno, "EDQUOT") else {errno.ENOSPC, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def readable_bytes(count: float) -> str:
    """1536 → "1.5 KB"."""
    size = float(count)
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000.0:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000.0
    return f"{size:.1f} TB"


def free_bytes(folder: Path) -> int | None:
    """Room left on the disk that holds `folder`, or None if it cannot be told."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def explained(error: OSError, folder: Path, needed: int = 0) -> BakeFolderError:
    """The same failure in words: what happened to `folder`, how much room there is and how much is needed."""
    if error.errno in _FULL:
        free = free_bytes(folder)
        room = "an unknown amount" if free is None else readable_bytes(free)
        wanted = f", about {readable_bytes(needed)} needed for the next file" if needed else ""
        return BakeFolderError(
            f"The disk of the bake folder {folder} is full: {room} free{wanted}. "
            "Everything written so far is kept; make room and resume."
        )
    if error.errno == errno.ENOENT or not folder.is_dir():
        return BakeFolderError(f"The bake folder {folder} or a part of it is not there any more. Bring it back and resume.")
    if error.errno in _FORBIDDEN:
        return BakeFolderError(
            f"The bake folder {folder} cannot be written ({error.strerror}). Change its permissions or choose another."
        )
    return BakeFolderError(f"The bake folder {folder} failed: {error.strerror or error}. Repair it and resume.")


@contextmanager
def folder_errors(folder: Path, needed: int = 0) -> Iterator[None]:
    """Turns operating-system errors inside the block into a `BakeFolderError` about `folder`."""
    try:
        yield
    except OSError as error:
        raise explained(error, folder, needed) from error


def _settle(path: Path) -> None:
    """Asks the system to put the file's content on disk, so that its name never outlives its bytes."""
    handle = os.open(path, os.O_RDWR)
    try:
        getattr(os, "fdatasync", os.fsync)(handle)
    finally:
        os.close(handle)


def replace(source: Path, target: Path) -> None:
    """Renames over an existing file. Windows refuses while another process has it open: try for a second."""
    import time

    for attempt in range(20):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            if os.name != "nt" or attempt == 19:
                raise
            time.sleep(0.05)


@contextmanager
def replacing(path: Path, *, settle: bool = True, unless: Callable[[Path], bool] | None = None) -> Iterator[Path]:
    """A temporary name beside `path`, renamed to it when the block succeeds and removed when it does not.

    The temporary name keeps the suffix, from which writers such as USD know the format. `unless` looks at the written
    file; if it says true, the old file stays.
    """
    temporary = path.with_name(f"{TEMPORARY}{os.getpid()}-{path.name}")
    try:
        yield temporary
        if unless is not None and unless(temporary):
            temporary.unlink()
            return
        if settle:
            _settle(temporary)
        replace(temporary, path)
    except BaseException:
        try:
            temporary.unlink(missing_ok=True)
        except OSError:
            pass  # the first error says more; the next bake removes strays
        raise


def write_bytes(path: Path, content: bytes, *, settle: bool = True) -> None:
    """Writes the whole file or leaves the old one."""
    with replacing(path, settle=settle) as temporary:
        temporary.write_bytes(content)


def json_bytes(value: Any, *, indent: int | None = None) -> bytes:
    """UTF-8 JSON without NaN or infinity; floats are written so that they read back exactly."""
    separators = (",", ": ") if indent else (",", ":")
    return (json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators) + "\n").encode()


def npz_bytes(arrays: Mapping[str, np.ndarray]) -> bytes:
    """An uncompressed .npz whose bytes depend on nothing but the arrays (np.savez stamps the time)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name in arrays:
            _add_array(archive, name, arrays[name])
    return buffer.getvalue()


def write_npz(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes an uncompressed .npz, whole or not at all."""
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name in arrays:
            _add_array(archive, name, arrays[name])


def _add_array(archive: zipfile.ZipFile, name: str, array: np.ndarray) -> None:
    member = zipfile.ZipInfo(f"{name}.npy", date_time=_ZIP_DATE)
    member.create_system = 3  # the same bytes on every system
    with archive.open(member, "w", force_zip64=True) as stream:
        np.lib.format.write_array(stream, np.asarray(array), version=(1, 0), allow_pickle=False)


def read_npz(path: Path) -> dict[str, np.ndarray]:
    """All arrays of a .npz; objects are refused, damage is named."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except FileNotFoundError as error:
        raise BakeFolderError(f"{path} is missing.") from error
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise BakeFolderError(f"{path} is damaged or no array file ({error}).") from error


def checksum(path: Path) -> str:
    """BLAKE2b of a file's content, 32 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def checksum_of(content: bytes | memoryview) -> str:
    """BLAKE2b of bytes, 32 hexadecimal digits."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def remove_strays(folder: Path) -> int:
    """Deletes what a killed bake was writing. Call only while holding the lock. Returns how many."""
    places = [folder, folder / "points", folder / "surface", folder / "mesh", folder / "state"]
    strays = [path for place in places for path in place.glob(f"{TEMPORARY}*")]
    for path in strays:
        path.unlink(missing_ok=True)
    return len(strays)


def file_name(name: str) -> str:
    """`name` with everything that some file system or frame pattern dislikes replaced by "_"."""
    cleaned = re.sub(r"[^\w.+-]", "_", name).strip(". ")
    if not cleaned or cleaned.split(".")[0].upper() in {"CON", "PRN", "AUX", "NUL"}:
        return f"_{cleaned}"
    return cleaned[:100]


def file_names(names: tuple[str, ...]) -> dict[str, str]:
    """A file name for every output, distinct also where the file system ignores case."""
    chosen: dict[str, str] = {}
    for name in names:
        if name in chosen:
            raise TsubuError(f"Two outputs are called {name!r}; give one of them another name.")
        base, number = file_name(name), 1
        candidate = base
        while candidate.casefold() in {other.casefold() for other in chosen.values()}:
            number += 1
            candidate = f"{base}-{number}"
        chosen[name] = candidate
    return chosen


def frame_label(frame: int) -> str:
    """1 → "0001", -1 → "-0001", as Blender numbers file sequences."""
    return f"-{-frame:04d}" if frame < 0 else f"{frame:04d}"
