"""Grains in Blender: points with a look of their own, or rocks that stand on them and tumble."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender.artist import add_box, part, select, tsubu
from tests.blender.drawn import drawn

__all__ = ["tsubu"]
pytestmark = pytest.mark.usefixtures("tsubu")
COUNT = 6


def _points(frame: int) -> dict[str, np.ndarray]:
    """Grains in a row that fly and turn: known in closed form, in the order of their numbers."""
    number = np.arange(COUNT)
    angle = 0.3 * number + 0.2 * frame
    rotation = np.stack([np.cos(0.5 * angle), 0.0 * angle, 0.0 * angle, np.sin(0.5 * angle)], axis=1)
    return {
        "position": np.stack([number, 0.0 * number, 0.1 * frame + 0.0 * number], axis=1).astype(np.float32),
        "velocity": np.tile(np.array([0.0, 0.0, 2.4], np.float32), (COUNT, 1)),
        "id": (number + 100).astype(np.int32),
        "radius": (0.1 + 0.05 * number).astype(np.float32),
        "rotation": rotation.astype(np.float32),
        "spin": np.tile(np.array([0.0, 0.0, 4.8], np.float32), (COUNT, 1)),
        "zone": (number % 3).astype(np.int32),
    }


def _bake(folder: Path, suffix: str) -> Path:
    part("solvers.bake.modules").blender_modules()
    (folder / "points").mkdir(parents=True)
    for frame in (1, 2, 3):
        part("solvers.bake.points").write_points(folder / "points" / f"Grains_{frame:04d}.{suffix}", _points(frame))
    header = {"bake": 1, "outputs": [{"name": "Grains", "kind": "grains", "label": "Grains", "file": "Grains"}]}
    part("solvers.bake.manifest").rewrite(folder, [header])
    return folder


def _show(folder: Path) -> Any:
    """The point object of a bake."""
    scene = bpy.context.scene
    item = part("bridge.playback").load_bake(scene, folder).objects[0]
    part("bridge.instancing").refresh(scene, [item])
    return item


def _instances(frame: int, subframe: float = 0.0) -> list[tuple[str, np.ndarray]]:
    """Name and world matrix of everything that is instanced."""
    bpy.context.scene.frame_set(frame, subframe=subframe)
    found = bpy.context.evaluated_depsgraph_get().object_instances
    return [(entry.object.original.name, np.array(entry.matrix_world)) for entry in found if entry.is_instance]


def _rock(name: str, size: float) -> Any:
    return add_box(name, (-0.5 * size,) * 3, (0.5 * size,) * 3)


@pytest.mark.parametrize("suffix", ["usdc", "ply"])
def test_rocks_stand_on_grains(tmp_path: Path, suffix: str) -> None:
    """One rock per grain, as wide as the grain, at its place and turned as it is; the number of a grain gives the same rock."""
    folder = _bake(tmp_path / "bake", suffix)
    body = add_box("Heap", (0, 0, 0), (1, 1, 1), "GRAINS")
    body.tsubu.instance_object = _rock("Rock", 4.0)
    _show(folder)
    for frame in (1, 3):
        expected = _points(frame)
        found = _instances(frame)
        assert [name for name, _ in found] == ["Rock"] * COUNT
        matrices = np.array([matrix for _, matrix in found])
        assert matrices[:, :3, 3] == pytest.approx(expected["position"], abs=1e-5)
        width = np.linalg.norm(matrices[:, :3, 0], axis=1)
        assert width * 4.0 == pytest.approx(2.0 * expected["radius"], rel=1e-4)
        angle = np.arctan2(matrices[:, 1, 0], matrices[:, 0, 0])
        assert angle == pytest.approx(0.3 * np.arange(COUNT) + 0.2 * frame, abs=1e-4)


def test_motion_blur_sees_them_move(tmp_path: Path) -> None:
    """A quarter of a frame later the instances are carried on by velocity and spin, though the file is the same."""
    body = add_box("Heap", (0, 0, 0), (1, 1, 1), "GRAINS")
    body.tsubu.instance_object = _rock("Rock", 1.0)
    _show(_bake(tmp_path / "bake", "usdc"))
    whole, later = _instances(2)[3][1], _instances(2, 0.25)[3][1]
    assert later[2, 3] - whole[2, 3] == pytest.approx(2.4 * 0.25 / 24.0, rel=1e-3)
    turned = np.arctan2(later[1, 0], later[0, 0]) - np.arctan2(whole[1, 0], whole[0, 0])
    assert turned == pytest.approx(4.8 * 0.25 / 24.0, rel=1e-3)


def test_collection_of_rocks(tmp_path: Path) -> None:
    """Of a collection every grain gets one rock, not all the same, and keeps it; empty choices bring the points back."""
    folder = _bake(tmp_path / "bake", "usdc")
    rocks = bpy.data.collections.new("Rocks")
    for name in ("A", "B", "C"):
        item = _rock(name, 1.0)
        bpy.context.scene.collection.objects.unlink(item)
        rocks.objects.link(item)
    body = add_box("Heap", (0, 0, 0), (1, 1, 1), "GRAINS")
    body.tsubu.instance_collection = rocks
    item = _show(folder)
    first, last = ([name for name, _ in _instances(frame)] for frame in (1, 3))
    assert first == last and len(first) == COUNT and len(set(first)) > 1
    body.tsubu.instance_collection = None
    part("bridge.instancing").refresh(bpy.context.scene, [item])
    assert _instances(1) == [] and [entry.name for entry in item.modifiers] == ["Tsubu points", "Tsubu look"]


def test_stones_by_a_button(tmp_path: Path) -> None:
    """The operator makes closed stones about one unit wide, puts them on the selected grains, and twice makes no more of them."""
    item = _show(_bake(tmp_path / "bake", "usdc"))
    body = add_box("Heap", (0, 0, 0), (1, 1, 1), "GRAINS")
    select(body)
    assert bpy.ops.tsubu.stones(tone="GRAVEL") == {"FINISHED"}
    made = body.tsubu.instance_collection
    assert bpy.ops.tsubu.stones(tone="GRAVEL") == {"FINISHED"}
    assert body.tsubu.instance_collection == made and len(made.objects) == 6
    part("bridge.instancing").refresh(bpy.context.scene, [item])
    assert len({name for name, _ in _instances(1)}) > 1
    triangles = part("solvers.mesh.triangles")
    for number in range(6):
        mesh = part("bridge.stones").stone(number)
        assert triangles.is_closed(mesh.triangles) and 0.25 < triangles.volume(mesh.vertices, mesh.triangles) < 0.6
        assert np.ptp(mesh.vertices, axis=0).mean() == pytest.approx(1.0)
    assert "tsubu.stones" in drawn("main").texts()


def test_default_look_and_attributes(tmp_path: Path) -> None:
    """Grains come with a material that colours by number, `zone` and all else as attributes; an artist's material stays."""
    folder = _bake(tmp_path / "bake", "usdc")
    item = _show(folder)
    material = item.material_slots[0].material
    assert material is not None
    assert any(node.type == "ATTRIBUTE" and node.attribute_name == "pid" for node in material.node_tree.nodes)
    geometry = item.evaluated_get(bpy.context.evaluated_depsgraph_get()).evaluated_geometry()
    names = {entry.name for entry in geometry.pointcloud.attributes}
    assert {"radius", "velocity", "pid", "rotation", "zone"} <= names
    own = bpy.data.materials.new("Mine")
    item.material_slots[0].material = own
    again = part("bridge.playback").load_bake(bpy.context.scene, folder).objects[0]
    assert again.material_slots[0].material == own
    part("bridge.playback").remove_bake(folder)
    assert _show(folder).material_slots[0].material == own


def test_saving_is_told(tmp_path: Path) -> None:
    """The panel's last word after a hybrid bake names the share of grains that were not needed."""
    folder = _bake(tmp_path / "bake", "usdc")
    manifest = part("solvers.bake.manifest")
    for frame, saved in ((1, 0.86), (2, 0.9)):
        manifest.append(folder, {"frame": frame, "files": [], "grains_saved": saved})
    assert part("solvers.bake.worker")._saving(folder) == " 88 % fewer grains than with All grains."
