"""A solid's own mesh comes back deformed: UVs, materials, scale, frame range, saving elsewhere, freeing."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender.artist import add_box, tsubu  # noqa: F401  (the fixture)

pytestmark = pytest.mark.usefixtures("tsubu")
FIRST, LAST = 11, 14


def _jelly() -> Any:
    """A box of jelly with UVs and two materials, one of them the object's own, above a table; first frame 11."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FIRST, LAST
    scene.tsubu.resolution = 6
    scene.tsubu.surface.enabled = False
    item = add_box("Jelly", (-0.5, -0.5, 0.0), (0.5, 0.5, 1.0), "SOLID")
    item.location, item.rotation_euler = (1.0, 2.0, 0.5), (0.0, 0.0, 0.4)
    layer = item.data.uv_layers.new(name="Wrap")
    for index, loop in enumerate(layer.data):
        loop.uv = (index / 24.0, 0.25)
    for name in ("Red", "Blue"):
        item.data.materials.append(bpy.data.materials.new(name))
    item.data.polygons[3].material_index = 1
    item.material_slots[1].link = "OBJECT"
    item.material_slots[1].material = bpy.data.materials.new("Green")
    item.tsubu.solid.stiffness = 2.0e4
    add_box("Table", (-3.0, -3.0, -0.5), (4.0, 4.0, 0.0), "COLLIDER")
    return scene


def _vertices(item: Any, frame: float) -> np.ndarray:
    """World vertices of `item` as shown at `frame`, in Blender units."""
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
    shown = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    found = np.empty(len(shown.data.vertices) * 3, np.float32)
    shown.data.vertices.foreach_get("co", found)
    matrix = np.array(shown.matrix_world)
    return found.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def test_mesh_comes_back_with_uvs_and_materials(tmp_path: Path) -> None:
    """In the first frame the copy lies on the artist's mesh, later it falls; it has its UVs and materials; Free removes it."""
    scene = _jelly()
    scene.unit_settings.scale_length, scene.tsubu.scale = 0.1, 2.0
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "jelly.blend"))
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    copy, original = scene.objects["Jelly mesh"], scene.objects["Jelly"]
    assert copy.modifiers[0].filepath.startswith("//")
    start = _vertices(copy, FIRST)
    np.testing.assert_allclose(start, _vertices(original, FIRST), atol=2e-5)
    np.testing.assert_allclose(_vertices(copy, FIRST - 5), start, atol=1e-6)
    end = _vertices(copy, LAST)
    assert (start - end)[:, 2].min() > 0.01
    between = _vertices(copy, LAST - 0.5)
    np.testing.assert_allclose(between, 0.5 * (_vertices(copy, LAST - 1) + end), atol=1e-5, err_msg="motion blur")
    assert [layer.name for layer in copy.data.uv_layers] == ["Wrap"]
    assert copy.data.uv_layers["Wrap"].data[5].uv[0] == pytest.approx(5 / 24.0)
    assert [slot.material.name for slot in copy.material_slots] == ["Red", "Green"]
    assert copy.data.polygons[3].material_index == 1
    assert not copy.hide_render and scene.objects["Jelly points"].hide_render
    assert bpy.ops.tsubu.free() == {"FINISHED"}
    assert set(scene.objects.keys()) == {"Jelly", "Table"}
    assert not (tmp_path / "tsubu" / "jelly_Scene" / "mesh").exists()


def test_mesh_fits_under_a_parent_with_scale_and_modifiers(tmp_path: Path) -> None:
    """Parented to a stretched, turned and moved empty, mirrored itself, subdivided and tapered by modifiers: the copy lies where
    the evaluated object lay in the first frame, has all of its vertices and UVs, and only falls from there."""
    scene = _jelly()
    item = scene.objects["Jelly"]
    parent = bpy.data.objects.new("Holder", None)
    scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler, parent.scale = (0.3, -0.2, 0.4), (0.0, 0.0, 0.7), (1.4, 0.8, 1.2)
    item.parent, item.scale = parent, (1.0, -0.9, 1.0)
    item.modifiers.new("Round", "SUBSURF").levels = 2
    taper = item.modifiers.new("Taper", "SIMPLE_DEFORM")
    taper.deform_method, taper.deform_axis, taper.factor = "TAPER", "Z", 0.3
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "jelly.blend"))
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    copy = scene.objects["Jelly mesh"]
    start, wanted = _vertices(copy, FIRST), _vertices(item, FIRST)
    assert len(wanted) > 90
    np.testing.assert_allclose(start, wanted, atol=2e-5)
    moved = _vertices(copy, LAST) - start
    assert moved[:, 2].max() < -0.01 and np.ptp(moved, axis=0).max() < 0.01
    assert [layer.name for layer in copy.data.uv_layers] == ["Wrap"]


def test_mesh_plays_after_saving_elsewhere_and_without_the_extension(tmp_path: Path, tsubu: Any) -> None:  # noqa: F811
    """Save As into another folder keeps the path right, also from a file that was never saved before, and nothing needs us."""
    scene = _jelly()
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "one.blend"))
    wanted = _vertices(scene.objects["Jelly mesh"], LAST)
    (tmp_path / "deep").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "deep" / "two.blend"))
    tsubu.unregister()
    try:
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "deep" / "two.blend"))
        item = bpy.data.objects["Jelly mesh"]
        assert item.modifiers[0].filepath.startswith("//")
        np.testing.assert_allclose(_vertices(item, LAST), wanted, atol=1e-6)
    finally:
        tsubu.register()


def test_mesh_is_rebuilt_from_the_job_where_the_object_is_gone(tmp_path: Path) -> None:
    """Loading the bake into another file gives the simulated triangles; a mirrored object does not turn inside out."""
    from tests.blender.artist import part

    scene = _jelly()
    scene.objects["Jelly"].scale = (-1.0, 1.0, 1.0)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "jelly.blend"))
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    copy = scene.objects["Jelly mesh"]
    centre = _vertices(copy, FIRST).mean(axis=0)
    for face in copy.data.polygons:
        assert (np.array(face.center) - centre) @ np.array(face.normal) > 0.0
    folder = tmp_path / "tsubu" / "jelly_Scene"
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    loaded = part("bridge.playback").load_bake(bpy.context.scene, folder)
    plain = next(item for item in loaded.objects if item["tsubu_kind"] == "mesh")
    assert len(plain.data.polygons) == 12
    assert _vertices(plain, FIRST).mean(axis=0) == pytest.approx(centre, abs=1e-4)


def test_body_that_flows_shows_its_surface(tmp_path: Path) -> None:
    """With Dents the mesh may tear: its surface is shown, the mesh is there but hidden; Deform the mesh off writes none."""
    scene = _jelly()
    scene.tsubu.surface.enabled = True
    scene.objects["Jelly"].tsubu.solid.plastic = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "clay.blend"))
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    hidden = {item["tsubu_kind"]: item.hide_render for item in scene.objects if "tsubu_kind" in item}
    assert hidden == {"points": True, "surface": False, "mesh": True}
    scene.objects["Jelly"].tsubu.solid.drive_mesh = False
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    assert {item["tsubu_kind"] for item in scene.objects if "tsubu_kind" in item} == {"points", "surface"}
