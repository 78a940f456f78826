"""What an artist does, as short calls: boxes, roles, settings. Also the fixture that registers the extension."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import bpy
import pytest

from examples.addon import NAME, ROOT, load_addon

_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def part(name: str) -> Any:
    """A module of the extension, such as "bridge.export"."""
    load_addon()
    return importlib.import_module(f"{NAME}.{name}")


@cache
def _compiled_code() -> str:
    """The folder in which the engine's own tests keep compiled code, so that it is not compiled twice."""
    code = "from solvers.jit import cache_root; print(cache_root())"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


@pytest.fixture
def tsubu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """The registered extension; what it keeps in the user's folder goes to a temporary one."""
    addon = load_addon()
    monkeypatch.setenv("TSUBU_JIT_CACHE", os.environ.get("TSUBU_JIT_CACHE") or _compiled_code())
    monkeypatch.setattr(part("bridge.cache"), "user_folder", lambda name: _made(tmp_path / "user" / name))
    addon.register()
    yield addon
    addon.unregister()


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def add_box(name: str, low: tuple[float, ...], high: tuple[float, ...], role: str = "NONE", *, inward: bool = False) -> Any:
    """A box whose origin is the world's; closed, normals outwards unless `inward`."""
    corners = [tuple((low, high)[bit][axis] for axis, bit in enumerate(bits)) for bits in _corner_bits()]
    faces = [face[::-1] for face in _FACES] if inward else _FACES
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    item.tsubu.role = role
    return item


def _corner_bits() -> list[tuple[int, int, int]]:
    return [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]


def small_scene(frames: int = 2) -> Any:
    """A few hundred particles in a tank; surfaces off unless a test wants them."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.tsubu.resolution = 6
    scene.tsubu.surface.enabled = False
    add_box("Column", (0.0, 0.0, 0.0), (0.5, 0.5, 0.5), "WATER")
    add_box("Tank", (-0.5, -0.5, 0.0), (1.0, 1.0, 1.0), "COLLIDER", inward=True)
    return scene


def select(*items: Any) -> None:
    bpy.context.view_layer.update()
    for item in bpy.context.view_layer.objects:
        item.select_set(item in items)
    bpy.context.view_layer.objects.active = items[0] if items else None


def key(owner: Any, name: str, values: dict[int, Any]) -> None:
    """Keys `name` of `owner` with straight lines between them."""
    for frame, value in values.items():
        setattr(owner, name, value)
        owner.keyframe_insert(name, frame=frame)
    for curve in curves_of(owner.id_data):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def curves_of(item: Any) -> list[Any]:
    """F-curves of an ID in any Blender: 5.x has them in channel bags only."""
    action = item.animation_data.action
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    return [curve for layer in action.layers for strip in layer.strips for bag in strip.channelbags for curve in bag.fcurves]
