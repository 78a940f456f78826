"""Playback objects through an artist's day: loading again, saving elsewhere, missing frames, removal."""

import shutil
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest


@pytest.fixture
def registered(addon: Any) -> Any:
    addon.register()
    yield addon
    addon.unregister()


def _objects() -> dict[str, Any]:
    return {item["tsubu_kind"]: item for item in bpy.context.scene.objects if "tsubu_kind" in item}


def _shown(frame: int) -> tuple[int, float]:
    """Number of points and x of the surface's middle [m] as they are shown at `frame`."""
    items = _objects()
    items["points"].hide_set(False)
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    points = items["points"].evaluated_get(graph).evaluated_geometry()
    mesh = items["surface"].evaluated_get(graph).data
    vertices = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", vertices)
    count = len(points.pointcloud.points) if points.pointcloud else 0
    return count, float(vertices.reshape(-1, 3)[:, 0].mean()) if len(vertices) else np.nan


@pytest.mark.parametrize("suffix", ["usdc", "ply"])
@pytest.mark.parametrize(("frame", "held"), [(-5, 1), (0, 1), (4, 3), (900, 3)])
def test_ends_are_held(player: Any, synthetic_bake: Any, suffix: str, frame: int, held: int) -> None:
    """Before the first and after the last frame, points and surface stay as they are there, by USD too."""
    bake = synthetic_bake(suffix=suffix)
    player.load_bake(bpy.context.scene, bake.folder)
    assert _shown(frame) == (bake.count(held), pytest.approx(held / 10.0, abs=1e-3))


def test_loading_again_keeps_objects_and_materials(player: Any, synthetic_bake: Any) -> None:
    """Loading a bake again makes nothing new: names, places, materials and visibility stay; new outputs and frames come."""
    bake = synthetic_bake()
    player.load_bake(bpy.context.scene, bake.folder)
    look = bpy.data.materials.new("Look")
    for kind, item in _objects().items():
        item.material_slots[0].material = look
        item.name, item.location.y, item.hide_render = f"my {kind}", 7.0, kind == "surface"
    kinds = ("objects", "meshes", "pointclouds", "node_groups", "cache_files", "collections")
    before = {name: len(getattr(bpy.data, name)) for name in kinds}
    more = synthetic_bake(frames=(4,), name="more")
    for part, ending in (("points", "usdc"), ("surface", "vdb")):
        shutil.copy(more.folder / part / f"water_0004.{ending}", bake.folder / part)
    loaded = player.load_bake(bpy.context.scene, bake.folder)
    assert (loaded.first, loaded.last) == (1, 4)
    assert {name: len(getattr(bpy.data, name)) for name in kinds} == before
    for kind, item in _objects().items():
        assert (item.name, item.location.y, item.hide_render) == (f"my {kind}", 7.0, kind == "surface")
        assert item.material_slots[0].material == look
    assert _shown(4)[0] == bake.count(4)


def test_points_of_another_format_keep_their_material(player: Any, synthetic_bake: Any) -> None:
    """A bake made again as PLY, on a Blender without USD, plays, and looks as before."""
    bake = synthetic_bake()
    player.load_bake(bpy.context.scene, bake.folder)
    look = bpy.data.materials.new("Look")
    _objects()["points"].material_slots[0].material = look
    shutil.rmtree(bake.folder)
    again = synthetic_bake(suffix="ply", frames=(1, 2))
    player.load_bake(bpy.context.scene, again.folder)
    assert len(_objects()) == 2 and _objects()["points"].material_slots[0].material == look
    assert _shown(2)[0] == bake.count(2)
    assert not bpy.data.cache_files and not bpy.data.pointclouds


def test_vanished_output_is_removed(player: Any, synthetic_bake: Any) -> None:
    """An object whose output the bake does not have any more goes when the bake is loaded again."""
    bake = synthetic_bake()
    player.load_bake(bpy.context.scene, bake.folder)
    for path in bake.folder.rglob("water_*"):
        path.rename(path.with_name(path.name.replace("water", "milk")))
    loaded = player.load_bake(bpy.context.scene, bake.folder)
    assert sorted(item["tsubu_output"] for item in loaded.objects) == ["milk", "milk"]
    assert len(_objects()) == 2 == len(bpy.data.objects)


@pytest.mark.parametrize("suffix", ["usdc", "ply"])
def test_removal_leaves_only_what_the_artist_made(player: Any, synthetic_bake: Any, suffix: str) -> None:
    """remove_bake takes objects, data, node groups, cache files and the collection along; materials and another bake stay."""
    first, second = synthetic_bake(suffix=suffix, name="one"), synthetic_bake(suffix=suffix, name="two")
    player.load_bake(bpy.context.scene, first.folder)
    _objects()["surface"].material_slots[0].material = bpy.data.materials.new("Mine")
    player.load_bake(bpy.context.scene, second.folder)
    assert player.remove_bake(first.folder) == 2
    assert [entry.name for entry in bpy.context.scene.collection.children] == ["two"]
    assert _shown(2)[0] == second.count(2)
    assert player.remove_bake(second.folder) == 2
    kinds = ("objects", "meshes", "pointclouds", "node_groups", "cache_files", "collections")
    assert {name: len(getattr(bpy.data, name)) for name in kinds} == dict.fromkeys(kinds, 0)
    assert "Mine" in bpy.data.materials


def test_removal_after_the_folder_is_gone(player: Any, synthetic_bake: Any) -> None:
    """Objects of a bake whose folder was deleted by hand can still be removed."""
    bake = synthetic_bake()
    player.load_bake(bpy.context.scene, bake.folder)
    shutil.rmtree(bake.folder)
    assert player.remove_bake(bake.folder) == 2 and not bpy.data.objects


def _reopened(blend: Path) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(blend))


def _stored_paths() -> set[str]:
    item = next(entry for entry in bpy.context.scene.objects if entry.get("tsubu_kind") == "surface")
    modifier: Any = item.modifiers[0]
    identifier = next(i.identifier for i in modifier.node_group.interface.items_tree if i.name == "Path")
    node = modifier[identifier] if not hasattr(modifier, "properties") else getattr(modifier.properties.inputs, identifier).value
    return {node, *(entry.filepath for entry in bpy.data.cache_files)}


@pytest.mark.parametrize("remap", [True, False])
@pytest.mark.parametrize("suffix", ["usdc", "ply"])
def test_paths_survive_saving_elsewhere(
    registered: Any, player: Any, synthetic_bake: Any, tmp_path: Path, suffix: str, remap: bool
) -> None:
    """Never saved, saved, saved as in another folder, saved as a copy: each file plays, with relative paths."""
    bake = synthetic_bake(suffix=suffix, name="bake")
    player.load_bake(bpy.context.scene, bake.folder)
    deep = tmp_path / "deep" / "er"
    deep.mkdir(parents=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "one.blend"))
    assert all(path.startswith("//bake/") for path in _stored_paths())
    if remap:  # otherwise the artist asks Blender to leave paths as they are
        bpy.ops.wm.save_as_mainfile(filepath=str(deep / "copy.blend"), copy=True)
        assert _shown(3)[0] == bake.count(3), "the open file must go on playing after a copy was saved"
        bpy.ops.wm.save_as_mainfile(filepath=str(deep / "two.blend"))
        assert _shown(2) == (bake.count(2), pytest.approx(0.2, abs=1e-3))
        files = [tmp_path / "one.blend", deep / "copy.blend", deep / "two.blend"]
    else:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "three.blend"), relative_remap=False)
        files = [tmp_path / "three.blend"]
    for blend in files:
        _reopened(blend)
        assert all(path.startswith("//") for path in _stored_paths()), blend
        assert _shown(2) == (bake.count(2), pytest.approx(0.2, abs=1e-3)), blend


def test_moved_together_without_the_extension(registered: Any, player: Any, synthetic_bake: Any, tmp_path: Path) -> None:
    """An unsaved scene is baked, saved, moved with its bake and opened: it plays, and its folder is found again."""
    home = tmp_path / "home"
    bake = synthetic_bake(name="home/bake")
    player.load_bake(bpy.context.scene, bake.folder)
    bpy.ops.wm.save_as_mainfile(filepath=str(home / "shot.blend"))
    moved = tmp_path / "moved"
    home.rename(moved)
    _reopened(moved / "shot.blend")
    assert _shown(3)[0] == bake.count(3)
    assert player.folder_of(_objects()["surface"]) == moved / "bake" == player.folder_of(_objects()["points"])
    assert player.load_bake(bpy.context.scene, moved / "bake").objects and len(_objects()) == 2


def test_library_linked_playback(player: Any, synthetic_bake: Any, tmp_path: Path) -> None:
    """A collection linked from a .blend in another folder plays from there."""
    bake = synthetic_bake(name="asset/bake")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "asset" / "asset.blend"))
    player.load_bake(bpy.context.scene, bake.folder)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    (tmp_path / "shot").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot" / "shot.blend"))
    with bpy.data.libraries.load(str(tmp_path / "asset" / "asset.blend"), link=True) as (source, target):
        target.collections = source.collections
    bpy.context.scene.collection.children.link(target.collections[0])
    assert player.folder_of(_objects()["surface"]) == bake.folder
    assert _shown(2)[1] == pytest.approx(0.2, abs=1e-3)
    assert player.remove_bake(bake.folder) == 0, "linked objects belong to their library"


def _problems(addon: Any) -> list[str]:
    import importlib

    check = importlib.import_module(f"{addon.__name__}.bridge.render_check")
    return check.render_problems(bpy.context.scene)


def test_problems_are_named_before_rendering(addon: Any, player: Any, synthetic_bake: Any) -> None:
    """Missing frames, frames that the job promises and a lost folder are named; hidden objects and held ends are not."""
    bake = synthetic_bake(frames=(1, 2, 5, 6))
    player.load_bake(bpy.context.scene, bake.folder)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 20
    assert [text.split(";")[0] for text in _problems(addon)] == ["water surface: frames 3–4 are not baked or damaged"]
    scene.frame_end = 2
    assert _problems(addon) == []
    scene.frame_end = 20
    (bake.folder / "job.json").write_text('{"world": {"frame_start": 1, "frame_end": 9}}')
    assert "frames 3–4, 7–9 are" in _problems(addon)[0]
    _objects()["surface"].hide_render = True
    assert _problems(addon) == []
    _objects()["surface"].hide_render = False
    shutil.rmtree(bake.folder)
    assert str(bake.folder) in _problems(addon)[0]


def test_panel_follows_the_folder(addon: Any, player: Any, synthetic_bake: Any) -> None:
    """What the panel shows of missing frames follows files that come and go, and reads the folder only then."""
    import importlib
    import os

    check = importlib.import_module(f"{addon.__name__}.bridge.render_check")
    bake = synthetic_bake(frames=(1, 2, 3))
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 3
    player.load_bake(scene, bake.folder)
    assert check.range_problems(scene) == []
    lost = bake.folder / "surface" / "water_0002.vdb"
    content = lost.read_bytes()
    lost.unlink()
    os.utime(lost.parent, ns=(1, 1))
    found = check.range_problems(scene)
    assert "frames 2 are" in found[0] and check.range_problems(scene) is found
    lost.write_bytes(content)
    os.utime(lost.parent, ns=(2, 2))
    assert check.range_problems(scene) == []


def test_render_start_announces(registered: Any, player: Any, synthetic_bake: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """A render of a scene with missing frames says so on the error stream when it starts; a complete one says nothing."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera, scene.render.engine = camera, "CYCLES"
    scene.render.resolution_x = scene.render.resolution_y = 4
    scene.cycles.device, scene.cycles.samples = "CPU", 1
    scene.frame_start, scene.frame_end = 1, 3
    whole = synthetic_bake()
    player.load_bake(scene, whole.folder)
    bpy.ops.render.render()
    assert "tsubu: warning" not in capfd.readouterr().err
    (whole.folder / "surface" / "water_0002.vdb").unlink()
    bpy.ops.render.render()
    said = capfd.readouterr().err
    assert "tsubu: warning: water surface: frames 2 are not baked" in said and str(whole.folder) in said
