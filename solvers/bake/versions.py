"""What the frames of a bake may depend on besides the job."""

import hashlib
import platform
import sys
from functools import cache
from pathlib import Path

import numpy as np

from .. import __version__
from .modules import blender_modules


@cache
def sources_hash() -> str:
    """Hash of the solver sources, wherever they are installed."""
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def engine_versions() -> dict[str, str]:
    """Versions by name; "" for what is missing."""
    import numba

    modules = blender_modules()
    return {
        "tsubu": __version__,
        "sources": sources_hash(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "openvdb": modules.openvdb,
        "usd": modules.usd,
        "machine": f"{sys.platform}-{platform.machine()}",
    }
