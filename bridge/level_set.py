"""What Blender's process needs to know of a surface file."""

from functools import lru_cache
from pathlib import Path

import bpy

from .bake_folder import PlaybackError
from .node_groups import SURFACE_GRID


def voxel_size(path: Path) -> float:
    """Edge of a voxel [m] of the level set in `path`."""
    return _read(str(path), path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _read(path: str, _mtime: int) -> float:
    try:
        bpy.utils.expose_bundled_modules()
        import openvdb
    except ImportError as error:
        raise PlaybackError(f"This Blender cannot read {path}: its build has no OpenVDB.") from error
    try:
        grid = openvdb.readGridMetadata(path, SURFACE_GRID)
    except (OSError, KeyError, RuntimeError) as error:
        raise PlaybackError(f"{path} is damaged: {error}. Bake again from this frame.") from error
    return float(grid.transform.voxelSize()[0])
