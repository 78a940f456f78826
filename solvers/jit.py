"""The one door through which kernels are compiled.

Compiled code is kept in folders keyed by the sources, see `jit_cache`. `fastmath` keeps NaN and infinity meaningful, so that a
diverging simulation is caught instead of optimised away.
"""

import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import jit_cache, own_copies
from .jit_cache import cache_root

__all__ = ["cache_root", "exact_kernel", "fit_threads", "inlined", "kernel", "parallel_kernel", "prange", "set_threads"]

_ROOT = jit_cache.writable_root()
os.environ["NUMBA_CACHE_DIR"] = str(_ROOT)
os.environ.setdefault("NUMBA_THREADING_LAYER_PRIORITY", "omp tbb workqueue")
# GNU OpenMP spins for milliseconds at a barrier: with another bake on the same cores that made both four times
# slower, 1000 rounds are as fast alone and only halve the speed of two.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

import numba  # noqa: E402  (its settings have to be known before it is imported)
from numba.core.caching import UserProvidedCacheLocator  # noqa: E402

own_copies.install()

_FASTMATH = {"contract", "reassoc", "nsz", "arcp", "afn"}
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "boundscheck": False}

prange = numba.prange


class Locator(UserProvidedCacheLocator):
    """Tells numba the folder of a function's module."""

    def __init__(self, function: Any, file: str) -> None:
        super().__init__(function, file)
        self._cache_path = str(jit_cache.module_folder(_ROOT, Path(file).resolve()))


numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.{Locator.__name__}"


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    dispatcher = numba.njit(**_OPTIONS, **options)(function)
    # numba counts the files of a function's signatures. Two processes that compile two signatures at once would choose the
    # same number, and later ones would load the wrong code: every file gets a name of its own.
    dispatcher._cache._cache_file._data_name = lambda number: f"{function.__name__}-{uuid.uuid4().hex[:16]}.nbc"
    return dispatcher


def kernel(function: Callable[..., Any]) -> Any:
    """A serial kernel, callable from Python and from other kernels."""
    return _compiled(function, fastmath=_FASTMATH)


def parallel_kernel(function: Callable[..., Any]) -> Any:
    """A kernel whose `prange` loops run on all threads. Each iteration must write only what belongs to it."""
    return _compiled(function, parallel=True, fastmath=_FASTMATH)


def inlined(function: Callable[..., Any]) -> Any:
    """A small function that LLVM is told to inline into the kernels that call it."""
    return _compiled(function, fastmath=_FASTMATH, forceinline=True)


def exact_kernel(function: Callable[..., Any]) -> Any:
    """A serial kernel in strict IEEE arithmetic, for geometric predicates."""
    return _compiled(function, fastmath=False)


def _ready_mark(part: str) -> Path:
    return _ROOT / "ready" / f"{jit_cache.source_key()}-{part}"


def is_ready(part: str) -> bool:
    """Whether a part of the engine ("walls", "surface" or a body kind) has been compiled on this machine already."""
    return _ready_mark(part).exists()


def mark_ready(part: str) -> None:
    mark = _ready_mark(part)
    mark.parent.mkdir(exist_ok=True)
    mark.touch()


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
