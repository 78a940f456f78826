"""The compiled modules that Blender carries: openvdb for surfaces, pxr (USD) for points.

They lie in the bundled site-packages folder of an installed bpy wheel and import without bpy.
"""

import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Modules(NamedTuple):
    """What this Python can write."""

    openvdb: str
    """Version of OpenVDB, "" if missing."""
    usd: str
    """Version of USD, "" if missing."""

    @property
    def missing(self) -> tuple[str, ...]:
        """What is not there, and what that means."""
        notes = []
        if not self.openvdb:
            notes.append("openvdb is missing: no surfaces can be written")
        if not self.usd:
            notes.append("pxr (USD) is missing: points are written as PLY")
        return tuple(notes)


def _bundled_folders() -> list[Path]:
    """The site-packages folders inside an installed bpy wheel, without importing it."""
    try:
        found = importlib.util.find_spec("bpy")
    except (ImportError, ValueError):
        return []
    if found is None or not found.submodule_search_locations:
        return []
    root = Path(next(iter(found.submodule_search_locations)))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    patterns = (f"*/python/lib/{version}/site-packages", "*/python/lib/site-packages")
    return sorted(folder for pattern in patterns for folder in root.glob(pattern))


def _expose(name: str) -> bool:
    if importlib.util.find_spec(name) is not None:
        return True
    for folder in _bundled_folders():
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
            importlib.invalidate_caches()
        if importlib.util.find_spec(name) is not None:
            return True
    return False


@cache
def openvdb_version() -> str:
    """Makes `import openvdb` work. Returns the version, "" if there is none."""
    if not _expose("openvdb"):
        return ""
    try:
        import openvdb
    except ImportError:
        return ""
    return ".".join(str(part) for part in getattr(openvdb, "LIBRARY_VERSION", ())) or "unknown"


@cache
def usd_version() -> str:
    """Makes `from pxr import Usd` work. Returns the version, "" if there is none."""
    if not _expose("pxr"):
        return ""
    try:
        from pxr import Usd
    except ImportError:
        return ""
    return ".".join(str(part) for part in Usd.GetVersion())


def blender_modules() -> Modules:
    """Probes openvdb and pxr and makes them importable. Never imports bpy."""
    return Modules(openvdb_version(), usd_version())


def points_format() -> str:
    """"usdc" where USD is there, else "ply". The environment variable TSUBU_POINTS=ply|usdc decides by hand."""
    chosen = os.environ.get("TSUBU_POINTS", "").strip().lower()
    if chosen in ("ply", "usdc"):
        return chosen
    return "usdc" if usd_version() else "ply"
