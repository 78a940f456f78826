"""Surface volumes as OpenVDB files."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..bake.modules import blender_modules
from ..bake.vdb_bytes import stable_vdb
from ..errors import TsubuError
from .volume import SurfaceVolume


def _transform(openvdb: Any, size: float) -> Any:
    return openvdb.createLinearTransform([[size, 0, 0, 0], [0, size, 0, 0], [0, 0, size, 0], [0, 0, 0, 1]])


def _copy_blocks(grid: Any, origin: np.ndarray, values: np.ndarray) -> None:
    """Copies blocks, (b, n, n, n[, 3]), to a grid. Only voxels that differ from the grid's background become active."""
    for corner, block in zip(origin.tolist(), values, strict=True):
        grid.copyFromArray(block, ijk=corner)


def surface_grid(openvdb: Any, volume: SurfaceVolume) -> Any:
    """The level set as a grid of the module `openvdb`."""
    background = np.float32(volume.background)
    grid = openvdb.FloatGrid(float(background))
    grid.name = "surface"
    grid.gridClass = openvdb.GridClass.LEVEL_SET
    grid.transform = _transform(openvdb, volume.voxel_size)
    # Inside and outside of the band alike are background: only the band becomes active, the flood fill sets the sign within.
    _copy_blocks(grid, volume.origin, np.where(np.abs(volume.phi) < background, volume.phi, background))
    grid.signedFloodFill()
    grid.saveFloatAsHalf = True
    return grid


def _velocity_grid(openvdb: Any, volume: SurfaceVolume) -> Any:
    grid = openvdb.Vec3SGrid((0.0, 0.0, 0.0))
    grid.name = "velocity"
    grid.vectorType = openvdb.VectorType.CONTRAVARIANT_RELATIVE
    grid.transform = _transform(openvdb, volume.voxel_size * volume.velocity_step)
    if volume.velocity is not None and volume.velocity_origin is not None:
        _copy_blocks(grid, volume.velocity_origin, volume.velocity)
    grid.saveFloatAsHalf = True
    return grid


def write_vdb(path: str | os.PathLike[str], volume: SurfaceVolume, metadata: Mapping[str, Any] | None = None) -> None:
    """Writes grids `surface` (level set) and, if there is any, `velocity`. The file appears whole or not at all."""
    if not blender_modules().openvdb:
        raise TsubuError(f"{path} cannot be written: this Python has no openvdb. Use Blender's own, or install the bpy wheel.")
    import openvdb

    grids = [surface_grid(openvdb, volume)]
    if volume.velocity is not None:
        grids.append(_velocity_grid(openvdb, volume))
    path = Path(path)
    unfinished = path.with_name(f".{path.name}.part")
    try:
        openvdb.write(str(unfinished), grids, metadata=dict(metadata or {}))
        stable_vdb(unfinished)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
