"""Check Before Baking in Blender: findings name objects, their buttons select and mend, a forecast follows."""

from typing import Any

import bpy
import pytest

from tests.blender.artist import add_box, part, select, small_scene, tsubu

__all__ = ["tsubu"]
pytestmark = pytest.mark.usefixtures("tsubu")


def report() -> Any:
    assert bpy.ops.tsubu.preflight() == {"FINISHED"}
    return part("bridge.preflight").report_of(bpy.context.scene)


def test_report_foretells_the_bake() -> None:
    """A sound scene: no findings; particles, memory, disk and time are told; the scene still has no bake."""
    scene = small_scene(frames=4)
    found = report()
    assert found.findings == () and not found.measuring
    assert found.forecast["particles"] == 216 and found.forecast["seconds"] > 0.0 and found.forecast["disk"] > 0
    assert part("bridge.cache").found_folder(scene) is None


@pytest.mark.parametrize("trouble", ["inverted", "open", "container"])
def test_meshes_are_mended(trouble: str) -> None:
    """The button at a line corrects the mesh; the next report has no such line."""
    small_scene()
    item = bpy.data.objects["Tank" if trouble == "container" else "Column"]
    if trouble == "open":
        mesh = item.data
        faces = [tuple(face.vertices) for face in mesh.polygons][1:]
        places = [tuple(vertex.co) for vertex in mesh.vertices]
        mesh.clear_geometry()
        mesh.from_pydata(places, [], faces)
    else:
        item.data.flip_normals()
    line = report().findings[0]
    assert (line.owner, line.fix) == (item.name, {"inverted": "normals", "open": "holes", "container": "flip"}[trouble])
    select()
    assert bpy.ops.tsubu.preflight_select(name=line.owner) == {"FINISHED"}
    assert bpy.context.view_layer.objects.active == item and item.select_get()
    assert bpy.ops.tsubu.preflight_fix(index=0) == {"FINISHED"}
    assert part("bridge.preflight").report_of(bpy.context.scene).findings == ()


def test_spacing_and_scale_are_set() -> None:
    """A thin wall sets the spacing to its thickness; a lake becomes a basin by the scale."""
    scene = small_scene()
    add_box("Wall", (2.0, 0.0, 0.0), (2.04, 1.0, 1.0), "COLLIDER")
    found = report().findings
    assert [(line.owner, line.fix) for line in found] == [("Wall", "spacing")]
    bpy.ops.tsubu.preflight_fix(index=0)
    assert scene.tsubu.sizing == "SPACING" and scene.tsubu.world.spacing == pytest.approx(0.04)
    bpy.data.objects.remove(bpy.data.objects["Wall"])
    scene.tsubu.sizing = "RESOLUTION"
    for item in scene.objects:
        item.scale = (1000.0, 1000.0, 1000.0)
    found = report().findings
    assert [(line.owner, line.fix) for line in found] == [("Column", "scale")]
    bpy.ops.tsubu.preflight_fix(index=0)
    assert scene.tsubu.scale == pytest.approx(0.002)


def test_bodies_are_cut_grains_fitted_and_gravity_set() -> None:
    """What two bodies share is cut out of the later one; grains become small enough; gravity becomes that of the Earth."""
    scene = small_scene()
    mended = part("bridge.preflight").report_of
    other = add_box("Other", (0.25, 0.0, 0.0), (0.75, 0.5, 0.75), "WATER")
    lines = report().findings
    assert [(line.owner, line.fix, line.other) for line in lines] == [("Other", "cut", "Column")]
    bpy.ops.tsubu.preflight_fix(index=0)
    assert [modifier.type for modifier in other.modifiers] == ["BOOLEAN"] and mended(scene).findings == ()

    other.tsubu.role = "GRAINS"
    other.tsubu.grains.size = 0.9
    assert [(line.owner, line.fix) for line in report().findings if line.owner == "Other"] == [("Other", "grain")]
    bpy.ops.tsubu.preflight_fix(index=0)
    assert other.tsubu.grains.size < 0.2
    other.tsubu.role = "NONE"

    scene.gravity = (0.0, 0.0, -981.0)
    assert [line.fix for line in report().findings] == ["gravity"]
    bpy.ops.tsubu.preflight_fix(index=0)
    assert part("bridge.properties").gravity(scene) == pytest.approx((0.0, 0.0, -9.81)) and mended(scene).findings == ()


def test_errors_are_lines_too() -> None:
    """What would stop the export is a line that names the object."""
    small_scene()
    bpy.data.objects["Column"].scale.z = 0.0
    line = report().findings[0]
    assert (line.level, line.owner) == ("error", "Column") and "scale" in line.text


def test_nothing_marked_is_said(tsubu: Any) -> None:
    """Without a body the button is off."""
    assert not bpy.ops.tsubu.preflight.poll()
