"""A bake folder becomes objects that show what the files hold, frame by frame."""

from typing import Any

import bpy
import numpy as np
import pytest


def _evaluated(item: Any, frame: int | None) -> Any:
    """`item` as it is shown at `frame`; None: as it is shown now, without a change of frame."""
    item.hide_set(False)
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    return item.evaluated_get(bpy.context.evaluated_depsgraph_get())


def _attribute(data: Any, name: str, field: str = "value", width: int = 1) -> np.ndarray:
    values = data.attributes[name].data
    array = np.empty(len(values) * width, dtype=np.int32 if data.attributes[name].data_type == "INT" else np.float32)
    values.foreach_get(field, array)
    return array.reshape(-1, width) if width > 1 else array


def _points_of(item: Any, frame: int | None) -> dict[str, np.ndarray]:
    """All attributes of the points that `item` shows."""
    evaluated = _evaluated(item, frame)
    geometry = evaluated.evaluated_geometry()
    data = geometry.pointcloud or evaluated.data
    width = {"FLOAT_VECTOR": ("vector", 3), "FLOAT": ("value", 1), "INT": ("value", 1)}
    return {entry.name: _attribute(data, entry.name, *width[entry.data_type]) for entry in data.attributes}


def _load(player: Any, folder: Any) -> tuple[dict[str, Any], Any]:
    loaded = player.load_bake(bpy.context.scene, folder)
    return {item.name: item for item in loaded.objects}, loaded


@pytest.mark.parametrize("suffix", ["usdc", "ply"])
def test_points_follow_the_frame(player: Any, synthetic_bake: Any, suffix: str) -> None:
    """Position, velocity, radius, integer id and age of each frame arrive as written, by USD and by PLY."""
    bake = synthetic_bake(suffix=suffix)
    objects, loaded = _load(player, bake.folder)
    assert (loaded.first, loaded.last, loaded.warnings) == (1, 3, ())
    for frame in (1, 3, 2):
        data = _points_of(objects["water points"], frame)
        count = bake.count(frame)
        position = data["position"]
        assert position.shape == (count, 3)
        np.testing.assert_allclose(position[:, 2], frame / 10.0, rtol=1e-6)
        np.testing.assert_allclose(position[:, 0], np.arange(count))
        np.testing.assert_allclose(data["velocity"], np.tile([1.0, 2.0, frame], (count, 1)))
        np.testing.assert_allclose(data["radius"], 0.125)
        np.testing.assert_allclose(data["age"], np.linspace(0.0, 1.0, count), atol=1e-6)
        number = data["pid" if suffix == "usdc" else "id"]
        assert number.dtype == np.int32
        np.testing.assert_array_equal(number, np.arange(count)[::-1])


def test_surface_follows_the_frame_with_velocity(player: Any, synthetic_bake: Any) -> None:
    """The surface node group meshes the level set of each frame, smooth, at its place, with the sampled velocity."""
    bake = synthetic_bake()
    objects, _ = _load(player, bake.folder)
    for frame in (1, 3, 2):
        mesh = _evaluated(objects["water surface"], frame).data
        vertices = _attribute(mesh, "position", "vector", 3)
        assert len(vertices) > 100 and len(mesh.polygons) > 100
        distance = np.linalg.norm(vertices - [frame / 10.0, 0.0, 0.0], axis=1)
        np.testing.assert_allclose(distance, 0.3, atol=0.01)
        np.testing.assert_allclose(_attribute(mesh, "velocity", "vector", 3), np.tile([frame, 0.0, -1.0], (len(vertices), 1)))
        assert all(polygon.use_smooth for polygon in mesh.polygons)


def test_frames_outside_hold_the_nearest(player: Any, synthetic_bake: Any) -> None:
    """Before the first and after the last frame the surface stays as it is there."""
    objects, _ = _load(player, synthetic_bake().folder)
    for frame, shown in ((0, 1), (9, 3)):
        mesh = _evaluated(objects["water surface"], frame).data
        centre = _attribute(mesh, "position", "vector", 3).mean(axis=0)
        np.testing.assert_allclose(centre, [shown / 10.0, 0.0, 0.0], atol=1e-3)


@pytest.mark.parametrize("suffix", ["usdc", "ply"])
def test_negative_frames_play(player: Any, synthetic_bake: Any, suffix: str) -> None:
    """A bake that starts before frame 0 plays: its files are numbered -0002, -0001, 0000, 0001."""
    bake = synthetic_bake(frames=(-2, -1, 0, 1), suffix=suffix)
    objects, loaded = _load(player, bake.folder)
    assert (loaded.first, loaded.last) == (-2, 1)
    for frame in bake.frames:
        mesh = _evaluated(objects["water surface"], frame).data
        np.testing.assert_allclose(_attribute(mesh, "position", "vector", 3).mean(axis=0)[0], frame / 10.0, atol=1e-3)
        assert len(_points_of(objects["water points"], frame)["position"]) == bake.count(frame)


def test_missing_frames_are_named(player: Any, synthetic_bake: Any) -> None:
    """Blender shows another frame where one is missing, so loading says which are."""
    _, loaded = _load(player, synthetic_bake(frames=(1, 2, 5)).folder)
    assert len(loaded.warnings) == 2
    assert all("3–4" in text and "water" in text for text in loaded.warnings)


def test_braces_in_the_folder_name(player: Any, synthetic_bake: Any) -> None:
    """A folder called {take} 1 is not taken for a pattern."""
    objects, _ = _load(player, synthetic_bake(name="{take} 1").folder)
    assert len(_evaluated(objects["water surface"], 2).data.vertices) > 100


def test_relative_paths_move_with_the_blend(player: Any, synthetic_bake: Any, tmp_path: Any) -> None:
    """A saved .blend and its bake can be moved together and still play, without the extension."""
    bake = synthetic_bake(name="bake")
    blend = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    _load(player, bake.folder)
    bpy.ops.wm.save_mainfile()
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    blend.rename(moved / "shot.blend")
    bake.folder.rename(moved / "bake")
    bpy.ops.wm.open_mainfile(filepath=str(moved / "shot.blend"))
    objects = {item.name: item for item in bpy.context.scene.objects}
    assert len(_points_of(objects["water points"], 2)["position"]) == bake.count(2)
    assert len(_evaluated(objects["water surface"], 2).data.vertices) > 100


@pytest.mark.parametrize("suffix", ["usdc", "ply"])
def test_reload_shows_frames_baked_anew(player: Any, synthetic_bake: Any, suffix: str) -> None:
    """After a re-bake, reload shows the new content of the current frame and the new last frame."""
    import os
    import shutil

    bake = synthetic_bake(suffix=suffix)
    objects, _ = _load(player, bake.folder)
    assert len(_points_of(objects["water points"], 2)["position"]) == bake.count(2)
    again = synthetic_bake(frames=(4,), suffix=suffix, name="again")
    for part, ending in (("points", suffix), ("surface", "vdb")):
        source = again.folder / part / f"water_0004.{ending}"
        shutil.copy(source, bake.folder / part / f"water_0004.{ending}")
        shutil.copy(source, bake.folder / part / f"water_0002.{ending}")
        os.utime(bake.folder / part / f"water_0002.{ending}", (2.0e9, 2.0e9))
    assert player.reload(bpy.context.scene) == []
    assert len(_points_of(objects["water points"], None)["position"]) == bake.count(4)
    mesh = _evaluated(objects["water surface"], 4).data
    np.testing.assert_allclose(_attribute(mesh, "position", "vector", 3).mean(axis=0)[0], 0.4, atol=1e-3)


def test_points_hide_behind_their_surface(player: Any, synthetic_bake: Any) -> None:
    """Renders show the surface; points without one stay visible."""
    import shutil

    bake = synthetic_bake()
    objects, _ = _load(player, bake.folder)
    assert objects["water points"].hide_render and not objects["water surface"].hide_render
    assert objects["water points"].hide_get() and not objects["water surface"].hide_get()
    shutil.rmtree(bake.folder / "surface")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    objects, _ = _load(player, bake.folder)
    assert not objects["water points"].hide_render
