"""What marking does to the look of an object, and how panels break their texts."""

import importlib
from typing import Any

import bpy
import pytest


@pytest.fixture
def cube(addon: Any) -> Any:
    addon.register()
    bpy.ops.mesh.primitive_cube_add()
    yield bpy.context.object
    addon.unregister()


def test_bodies_give_way_to_their_water(cube: Any) -> None:
    """A body or emitter is wire and not rendered; as collider or unmarked it looks as before."""
    cube.display_type = "SOLID"
    for role, look in (("WATER", ("WIRE", True)), ("EMITTER", ("WIRE", True)), ("COLLIDER", ("SOLID", False))):
        bpy.ops.tsubu.mark(role=role)
        assert (cube.display_type, cube.hide_render) == look
    bpy.ops.tsubu.mark(role="WATER")
    bpy.ops.tsubu.mark(role="NONE")
    assert (cube.display_type, cube.hide_render) == ("SOLID", False) and "tsubu_look" not in cube


def test_a_look_chosen_since_stays(cube: Any) -> None:
    """Unmarking does not undo what the artist chose after marking."""
    bpy.ops.tsubu.mark(role="WATER")
    cube.display_type = "BOUNDS"
    bpy.ops.tsubu.mark(role="NONE")
    assert (cube.display_type, cube.hide_render) == ("BOUNDS", True)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three", ["one two", "three"]),
        ("/home/artist/film", ["/home/", "artist/", "film"]),
        ("abcdefghijkl", ["abcdefgh", "ijkl"]),
        ("", [""]),
    ],
)
def test_texts_break_at_blanks_and_slashes(addon: Any, text: str, lines: list[str]) -> None:
    """Lines are at most eight letters here; words and folder names stay whole where they can."""
    drawing = importlib.import_module(f"{addon.__name__}.panels.drawing")
    assert drawing.lines_of(text, 8) == lines


def test_foam_begins_with_a_look_of_its_own(addon: Any) -> None:
    """The first material of baked foam scatters light below its surface; it is made once."""
    looks = importlib.import_module(f"{addon.__name__}.bridge.default_materials")
    material = looks.default_material("foam")
    shader = material.node_tree.nodes["Principled BSDF"]
    assert shader.inputs["Subsurface Weight"].default_value == 1.0 and min(shader.inputs["Base Color"].default_value[:3]) > 0.8
    assert looks.default_material("foam") == material


def test_liquids_begin_with_their_own_index_of_refraction(addon: Any) -> None:
    """Each preset of Drops has a material of its own: glass of the liquid's IOR that absorbs, milk scatters, mercury is a mirror.

    Settings close to a preset look like it, others like water.
    """
    looks = importlib.import_module(f"{addon.__name__}.bridge.default_materials")
    presets = importlib.import_module(f"{addon.__name__}.solvers.materials.drops_params").PRESETS
    made = {}
    for name, preset in presets.items():
        settings = {key: getattr(preset.params, key) for key in ("density", "surface_tension", "viscosity")}
        material = made[name] = looks.default_material("drops", settings)
        shader = material.node_tree.nodes["Principled BSDF"].inputs
        assert shader["IOR"].default_value == pytest.approx(preset.ior)
        clear = name not in ("milk", "mercury")
        assert shader["Transmission Weight"].default_value == float(clear)
        assert shader["Metallic"].default_value == float(name == "mercury")
        assert shader["Subsurface Weight"].default_value == float(name == "milk")
        assert bool(material.node_tree.nodes["Material Output"].inputs["Volume"].links) == clear
    assert len(set(made.values())) == len(presets)
    warm = {"density": 1400.0, "surface_tension": 0.055, "viscosity": 4.0}
    oil = {"density": 910.0, "surface_tension": 0.032, "viscosity": 0.08}
    assert looks.default_material("drops", warm) == made["honey"]
    assert looks.default_material("drops", oil) == looks.default_material("water", warm) == made["water"]
