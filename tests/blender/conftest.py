"""Blender as a module, the repository as an extension in it, and a small bake made without the solver."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np
import pytest

from examples.addon import load_addon, playback
from solvers.bake.modules import blender_modules
from solvers.bake.points import write_points

VOXEL = 0.05
RADIUS = 0.3


@pytest.fixture(autouse=True)
def empty_file() -> None:
    """Every test starts with an empty scene."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


@pytest.fixture
def addon() -> Any:
    return load_addon()


@pytest.fixture
def player() -> Any:
    return playback()


class Synthetic(NamedTuple):
    """A bake folder whose content is known in closed form.

    Frame f holds 10 + f points on a line at height f / 10 with velocity (1, 2, f), and a ball of radius 0.3 around
    (f / 10, 0, 0) that moves with velocity (f, 0, -1).
    """

    folder: Path
    frames: tuple[int, ...]

    def count(self, frame: int) -> int:
        return 10 + frame


def _write_ball(path: Path, frame: int) -> None:
    import openvdb

    reach = 12
    index = np.arange(-reach, reach + 1, dtype=np.float64) * VOXEL
    x, y, z = np.meshgrid(index, index, index, indexing="ij")
    distance = np.sqrt(x * x + y * y + z * z) - RADIUS
    background = 3.0 * VOXEL
    band = np.where(np.abs(distance) < background, distance, background).astype(np.float32)
    origin = np.array([frame / 10.0, 0.0, 0.0]) - reach * VOXEL
    scale = np.diag([VOXEL, VOXEL, VOXEL, 1.0])
    scale[3, :3] = origin
    surface = openvdb.FloatGrid(background)
    surface.name, surface.gridClass = "surface", openvdb.GridClass.LEVEL_SET
    surface.transform = openvdb.createLinearTransform(scale.tolist())
    surface.copyFromArray(band)
    surface.signedFloodFill()
    velocity = openvdb.Vec3SGrid()
    velocity.name = "velocity"
    velocity.transform = openvdb.createLinearTransform(scale.tolist())
    values = np.broadcast_to(np.array([frame, 0.0, -1.0], dtype=np.float32), (*band.shape, 3))
    velocity.copyFromArray(np.ascontiguousarray(values))
    openvdb.write(str(path), [surface, velocity])


def _points(count: int, frame: int) -> dict[str, np.ndarray]:
    position = np.zeros((count, 3), dtype=np.float32)
    position[:, 0] = np.arange(count)
    position[:, 2] = frame / 10.0
    velocity = np.tile(np.array([1.0, 2.0, frame], dtype=np.float32), (count, 1))
    number = np.arange(count, dtype=np.int32)[::-1].copy()
    return {
        "position": position,
        "velocity": velocity,
        "id": number,
        "radius": np.full(count, 0.125, dtype=np.float32),
        "age": np.linspace(0.0, 1.0, count, dtype=np.float32),
    }


@pytest.fixture
def synthetic_bake(tmp_path: Path) -> Callable[..., Synthetic]:
    """Writes a bake: `synthetic_bake(frames=(1, 2, 3), suffix="usdc")`."""
    blender_modules()

    def write(frames: tuple[int, ...] = (1, 2, 3), suffix: str = "usdc", name: str = "splash") -> Synthetic:
        bake = Synthetic(tmp_path / name, frames)
        for part in ("points", "surface"):
            (bake.folder / part).mkdir(parents=True)
        for frame in frames:
            label = f"-{-frame:04d}" if frame < 0 else f"{frame:04d}"
            write_points(bake.folder / "points" / f"water_{label}.{suffix}", _points(bake.count(frame), frame))
            _write_ball(bake.folder / "surface" / f"water_{label}.vdb", frame)
        return bake

    return write
