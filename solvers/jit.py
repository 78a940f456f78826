"""The one door through which kernels are compiled.

Compiled code is cached in a folder keyed by the text of all solver sources: numba alone does not notice that
a function called from another file has changed. `fastmath` keeps NaN and infinity meaningful, so that a
diverging simulation is caught instead of optimised away.
"""

import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_SOURCES = Path(__file__).resolve().parent
_KEPT_CACHES = 4


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


def source_key() -> str:
    """Hash of every solver source and of the interpreter that compiles it."""
    digest = hashlib.sha256(f"{sys.version}{platform.machine()}{_SOURCES}".encode())
    for path in sorted(_SOURCES.rglob("*.py")):
        digest.update(path.relative_to(_SOURCES).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _prune(root: Path, current: Path) -> None:
    others = [folder for folder in root.iterdir() if folder.is_dir() and folder != current]
    others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in others[_KEPT_CACHES:]:
        shutil.rmtree(folder, ignore_errors=True)


def _prepare_cache() -> Path:
    folder = cache_root() / source_key()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _prune(folder.parent, folder)
    except OSError:
        # A read-only home (a farm's service account): compile into the temporary folder instead.
        import tempfile

        folder = Path(tempfile.gettempdir()) / f"tsubu-jit-{source_key()}"
        folder.mkdir(parents=True, exist_ok=True)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    os.environ.setdefault("NUMBA_THREADING_LAYER_PRIORITY", "omp tbb workqueue")
    # GNU OpenMP spins for milliseconds at a barrier: with another bake on the same cores that made both four times
    # slower, 1000 rounds are as fast alone and only halve the speed of two.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    return folder


CACHE_FOLDER = _prepare_cache()

import numba  # noqa: E402  (its cache folder has to be known before it is imported)

_FASTMATH = {"contract", "reassoc", "nsz", "arcp", "afn"}
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "boundscheck": False}

prange = numba.prange


def kernel(function: Callable[..., Any]) -> Any:
    """A serial kernel, callable from Python and from other kernels."""
    return numba.njit(fastmath=_FASTMATH, **_OPTIONS)(function)


def parallel_kernel(function: Callable[..., Any]) -> Any:
    """A kernel whose `prange` loops run on all threads. Each iteration must write only what belongs to it."""
    return numba.njit(parallel=True, fastmath=_FASTMATH, **_OPTIONS)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """A small function that LLVM is told to inline into the kernels that call it."""
    return numba.njit(fastmath=_FASTMATH, forceinline=True, **_OPTIONS)(function)


def exact_kernel(function: Callable[..., Any]) -> Any:
    """A serial kernel in strict IEEE arithmetic, for geometric predicates."""
    return numba.njit(fastmath=False, **_OPTIONS)(function)


def is_ready(part: str) -> bool:
    """Whether a part of the engine ("walls", "surface" or a body kind) has been compiled on this machine already."""
    return (CACHE_FOLDER / f"ready-{part}").exists()


def mark_ready(part: str) -> None:
    (CACHE_FOLDER / f"ready-{part}").touch()


_WORTH_A_THREAD = 4000
"""Particles for which a second thread gains more than waking it costs."""
_DESK_NEEDS_A_CORE = 4
"""With more cores than this, one is left free."""
_threads = numba.config.NUMBA_NUM_THREADS


def set_threads(count: int) -> int:
    """Use up to `count` threads (0: as many as the machine bears). Returns the number allowed.

    Where there are many cores, one is left to Blender and the rest of the desk: every parallel loop waits for its slowest
    thread, and one thread that has to share its core slows all of them.
    """
    global _threads
    most = numba.config.NUMBA_NUM_THREADS
    bearable = most - 1 if most > _DESK_NEEDS_A_CORE else most
    _threads = bearable if count <= 0 else min(count, most)
    numba.set_num_threads(_threads)
    return _threads


def fit_threads(particles: int) -> None:
    """Use as many of the allowed threads as this much work deserves. Results do not depend on it."""
    numba.set_num_threads(min(_threads, 1 + particles // _WORTH_A_THREAD))


def threading_layer() -> str:
    """The layer that runs parallel kernels; known only after one has run."""
    try:
        return numba.threading_layer()
    except ValueError:
        return "not started"
