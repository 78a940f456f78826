"""Drops in Blender: what cannot be a drop is refused in words that name the object and the cure."""

import math
from pathlib import Path

import bpy
import pytest

from solvers.materials.drops_params import PRESETS
from tests.blender.artist import add_box, part, small_scene, tsubu

__all__ = ["tsubu"]
pytestmark = pytest.mark.usefixtures("tsubu")


def _scene(size: float, spacing: float) -> None:
    """A cube of drops `size` [m] wide over a plate that belongs to it, with particles `spacing` [m] apart."""
    scene = small_scene()
    for name in ("Column", "Tank"):
        bpy.data.objects.remove(bpy.data.objects[name])
    add_box("Dew", (0.0, 0.0, size), (size, size, 2.0 * size), "DROPS")
    add_box("Leaf", (-size, -size, -size), (2.0 * size, 2.0 * size, 0.0), "COLLIDER")
    scene.tsubu.sizing, scene.tsubu.world.spacing = "SPACING", spacing


def test_a_metre_of_drop_is_refused_and_the_scale_offered() -> None:
    """The check before baking has a button that sets the scale; the bake names the object, the length and the factor."""
    _scene(1.0, 0.1)
    bpy.ops.tsubu.preflight()
    found = part("bridge.preflight").report_of(bpy.context.scene).findings
    assert ("Dew", "scale") in [(line.owner, line.fix) for line in found]
    with pytest.raises(RuntimeError, match=r"Dew.*capillary length is 2\.7 mm.*scale the scene down 100 times"):
        bpy.ops.tsubu.bake()


def test_too_few_particles_name_the_spacing() -> None:
    """27 particles are no drop: the message names the object and a spacing with which it is one."""
    _scene(0.006, 0.002)
    with pytest.raises(RuntimeError, match=r"Dew: 27 particles do not make a drop.*spacing to 1\.9 mm"):
        bpy.ops.tsubu.bake()


def test_angles_stay_between_0_and_180() -> None:
    """A contact angle that does not exist cannot be typed."""
    _scene(0.006, 0.0005)
    physics = bpy.data.objects["Leaf"].tsubu.collider
    physics.contact_angle = math.radians(200.0)
    assert physics.contact_angle == pytest.approx(math.pi)


def test_two_liquids_look_like_two(tmp_path: Path) -> None:
    """Water and mercury in one bake: a series of files for each, shown with the liquid's own material."""
    _scene(0.004, 0.001)
    scene = bpy.context.scene
    heavy = add_box("Quicksilver", (0.006, 0.0, 0.004), (0.01, 0.004, 0.008), "DROPS")
    preset = PRESETS["mercury"].params
    for name in ("density", "surface_tension", "viscosity"):
        setattr(heavy.tsubu.drops, name, getattr(preset, name))
    scene.tsubu.surface.enabled = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    looks = {name: scene.objects[f"{name} surface"].active_material.name for name in ("Drops", "Quicksilver")}
    assert looks == {"Drops": "Tsubu Water", "Quicksilver": "Tsubu Mercury"}
