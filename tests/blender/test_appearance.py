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
