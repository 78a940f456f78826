"""Where compiled code is kept: one folder a module, named after everything its kernels can call.

numba by itself notices a changed file, but not that a function called from another file has changed. A module's folder is
therefore keyed by the text of the module and of all solver files it imports, directly or through others. Where the sources
lie does not matter, so a second checkout, an update that touches other files or a moved installation compile nothing again.
"""

import ast
import hashlib
import os
import platform
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
_KEPT_VERSIONS = 6
"""Folders kept of each module: this version and those of other installations or checkouts."""


def cache_root() -> Path:
    """Folder of all compile caches: TSUBU_JIT_CACHE, or the user's cache folder."""
    chosen = os.environ.get("TSUBU_JIT_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "tsubu" / "jit"


def writable_root() -> Path:
    """`cache_root()`, or a folder of temporary files where the home is read-only (a farm's service account)."""
    root = cache_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=root).close()
    except OSError:
        root = Path(tempfile.gettempdir()) / "tsubu-jit"
        root.mkdir(parents=True, exist_ok=True)
    return root


@cache
def imported_files(path: Path) -> frozenset[Path]:
    """Solver files that the module at `path` names in its import statements, wherever in the file they stand."""
    found: set[Path] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.level > 0:
            base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            found.update(file for name in node.names for file in (_files_of(base / name.name) or _files_of(base)))
    return frozenset(file for file in found if SOURCES in file.parents)


def _files_of(module: Path) -> list[Path]:
    """The file of a module or of a package; none if `module` is neither but a name inside one."""
    return [file for file in (module.with_suffix(".py"), module / "__init__.py") if file.is_file()]


def all_imported(path: Path) -> list[Path]:
    """The module at `path` and every solver file it reaches by imports, sorted."""
    reached = {path}
    new = [path]
    while new:
        new = [file for file in imported_files(new.pop()) if file not in reached] + new
        reached.update(new)
    return sorted(reached)


def _digest(files: list[Path]) -> str:
    # The compiler's own behaviour is part of every key: interpreter, machine and the door's flags.
    digest = hashlib.sha256(f"{sys.version}{platform.machine()}".encode())
    for path in (SOURCES / "jit.py", *files):
        digest.update(path.relative_to(SOURCES).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def source_key() -> str:
    """Hash of every solver source and of the interpreter that compiles it."""
    return _digest(sorted(SOURCES.rglob("*.py")))


@cache
def module_folder(root: Path, path: Path) -> Path:
    """The cache folder of the kernels in the module at `path`; made, and older ones of the module pruned."""
    name = ".".join(path.relative_to(SOURCES).with_suffix("").parts) if SOURCES in path.parents else path.stem
    folder = root / name / _digest(all_imported(path) if SOURCES in path.parents else [])
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    prune(folder)
    return folder


def prune(current: Path) -> None:
    """Keeps the most recently used neighbours of `current`."""
    others = [folder for folder in current.parent.iterdir() if folder.is_dir() and folder != current]
    others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in others[_KEPT_VERSIONS - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)
