"""What a bake looks like in Cycles, in a second Blender that does not have the extension."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

SIZE = 64
HERE = Path(__file__).resolve().parent


def _emission(colour: tuple[float, float, float]) -> Any:
    material = bpy.data.materials.new("Glow")
    material.use_nodes = True
    tree = material.node_tree
    glow = tree.nodes.new("ShaderNodeEmission")
    glow.inputs["Color"].default_value = (*colour, 1.0)
    tree.links.new(glow.outputs[0], tree.nodes["Material Output"].inputs["Surface"])
    return material


def _look_at(centre: tuple[float, float, float], width: float) -> None:
    """A square picture, `width` [m] wide, of the x-z plane around `centre`, on black."""
    scene = bpy.context.scene
    camera = bpy.data.cameras.new("Camera")
    camera.type, camera.ortho_scale = "ORTHO", width
    item = bpy.data.objects.new("Camera", camera)
    item.location = (centre[0], centre[1] - 10.0, centre[2])
    item.rotation_euler = (np.pi / 2.0, 0.0, 0.0)
    scene.collection.objects.link(item)
    scene.camera = item
    scene.world = bpy.data.worlds.new("Black")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.0
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 16, False
    scene.cycles.use_adaptive_sampling = False
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.render.fps = 25
    scene.view_settings.view_transform = "Standard"


def _rendered(blend: Path, *frames: int) -> dict[int, np.ndarray]:
    """Red part of the pictures, saved and rendered by another process without the extension."""
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    out = blend.with_suffix(".npz")
    environment = os.environ | {"BLENDER_USER_RESOURCES": str(blend.parent / "nobody")}
    command = [sys.executable, str(HERE / "render_blend.py"), str(blend), str(out), *map(str, frames)]
    done = subprocess.run(command, env=environment, cwd=blend.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    with np.load(out) as taken:
        assert not [name for name in taken["addons"] if "tsubu" in name]
        return {frame: taken[f"frame_{frame}"][:, :, 0] for frame in frames}


def _extent(picture: np.ndarray) -> tuple[float, float, float, float]:
    """Centre (x, z) and widths of what glows, in pixels from the lower left."""
    rows, columns = np.nonzero(picture > 0.02)
    assert len(rows), "the picture is black"
    upwards = SIZE - 1 - rows
    return float(columns.mean()), float(upwards.mean()), float(np.ptp(columns) + 1), float(np.ptp(rows) + 1)


def _shown(player: Any, folder: Path, kind: str) -> Any:
    """Loads the bake and gives its object of `kind`, alone in renders, a red glow by its material slot."""
    loaded = player.load_bake(bpy.context.scene, folder)
    items = {item["tsubu_kind"]: item for item in loaded.objects}
    for name, item in items.items():
        item.hide_render = name != kind
    items[kind].material_slots[0].material = _emission((1.0, 0.0, 0.0))
    return items[kind]


@pytest.mark.parametrize(("kind", "suffix"), [("points", "usdc"), ("points", "ply"), ("surface", "usdc")])
def test_second_blender_shows_the_water(player: Any, synthetic_bake: Any, tmp_path: Path, kind: str, suffix: str) -> None:
    """The ball of frame f stands at x = f/10, the row of points at height f/10, red as their slots say, ends held."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bake = synthetic_bake(suffix=suffix)
    _shown(player, bake.folder, kind)
    _look_at((0.0, 0.0, 0.0), 1.28)
    pictures = _rendered(tmp_path / "shot.blend", 1, 3, 9)
    per_metre = SIZE / 1.28
    for frame, shown in ((1, 1), (3, 3), (9, 3)):
        x, z, width, height = _extent(pictures[frame])
        assert pictures[frame].max() == pytest.approx(1.0, abs=0.1)
        if kind == "surface":
            assert x == pytest.approx(SIZE / 2 - 0.5 + shown / 10.0 * per_metre, abs=1.5)
            assert (width, height) == pytest.approx((0.6 * per_metre, 0.6 * per_metre), abs=2.5)
        else:
            assert z == pytest.approx(SIZE / 2 - 0.5 + shown / 10.0 * per_metre, abs=1.5)
            assert height == pytest.approx(0.25 * per_metre, abs=2.5)


@pytest.mark.parametrize(("kind", "suffix"), [("points", "usdc"), ("points", "ply"), ("surface", "usdc")])
def test_motion_blur_follows_the_velocity(player: Any, synthetic_bake: Any, tmp_path: Path, kind: str, suffix: str) -> None:
    """A streak is as long as velocity × shutter: longer along the velocity, not across it."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bake = synthetic_bake(frames=(9, 10, 11), suffix=suffix)
    _shown(player, bake.folder, kind)
    _look_at((1.0, 0.0, 1.0) if kind == "points" else (1.0, 0.0, 0.0), 2.56)
    scene = bpy.context.scene
    scene.render.use_motion_blur, scene.render.motion_blur_shutter = True, 2.0
    x, z, width, height = _extent(_rendered(tmp_path / "shot.blend", 10)[10])
    per_metre = SIZE / 2.56
    # Frame 10: points move (1, 2, 10) m/s, the ball (10, 0, -1) m/s; two frames of 1/25 s.
    streak = 10.0 * 2.0 / 25.0 * per_metre
    long, still = (height, 0.25) if kind == "points" else (width, 0.6)
    assert long == pytest.approx(still * per_metre + streak, abs=3.0)
    assert (z if kind == "points" else x) == pytest.approx(SIZE / 2 - 0.5, abs=1.5)
    if kind == "surface":
        assert height == pytest.approx((0.6 + 2.0 / 25.0) * per_metre, abs=2.5)


@pytest.mark.parametrize(("kind", "suffix"), [("points", "usdc"), ("points", "ply"), ("surface", "usdc")])
def test_shutter_that_ends_on_the_frame(player: Any, synthetic_bake: Any, tmp_path: Path, kind: str, suffix: str) -> None:
    """With the shutter before the frame, Blender evaluates 9.75: it shows frame 10, not the frame before."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bake = synthetic_bake(frames=(9, 10, 11), suffix=suffix)
    _shown(player, bake.folder, kind)
    _look_at((1.0, 0.0, 1.0) if kind == "points" else (1.0, 0.0, 0.0), 1.28)
    scene = bpy.context.scene
    scene.render.use_motion_blur, scene.render.motion_blur_shutter, scene.render.motion_blur_position = True, 0.5, "END"
    x, z, _, _ = _extent(_rendered(tmp_path / "shot.blend", 10)[10])
    assert (z if kind == "points" else x) == pytest.approx(SIZE / 2 - 0.5, abs=2.0), "a frame earlier would be 5 pixels off"
