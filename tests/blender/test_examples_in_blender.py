"""The demo's scenes, set up in Blender by the operators, are the scenes that the engine's examples describe."""

import importlib
from typing import Any

import bpy
import numpy as np
import pytest

from examples.titles import titles
from solvers.bake.checks import checked


@pytest.mark.parametrize("name", sorted(titles()))
def test_export_gives_the_example_back(addon: Any, name: str) -> None:
    """Names, kinds, settings, meshes and motions of the exported scene are the example's own."""
    wanted = checked(importlib.import_module(f"examples.{name}").scene(quick=True))
    addon.register()
    try:
        builder = importlib.import_module(f"{addon.__name__}.bridge.example")
        example = builder.describe(name, quick=True)
        builder.set_the_stage(bpy.context.scene, example, builder.build(bpy.context.scene, example))
        given = importlib.import_module(f"{addon.__name__}.bridge.export").export_now(bpy.context).scene
    finally:
        addon.unregister()
    world, expected = given.world, wanted.world
    assert (world.frame_start, world.frame_end) == (expected.frame_start, expected.frame_end)
    assert (world.spacing, world.frames_per_second) == pytest.approx((expected.spacing, expected.frames_per_second))
    assert world.gravity == pytest.approx(expected.gravity, rel=1e-3)
    for group in ("bodies", "colliders", "emitters"):
        ours = {entry.name: entry for entry in getattr(given, group)}
        theirs = {entry.name: entry for entry in getattr(wanted, group)}
        assert ours.keys() == theirs.keys()
        for key, entry in theirs.items():
            assert str(ours[key].params) == str(entry.params)
            for name, weights in getattr(entry, "weights", {}).items():
                np.testing.assert_allclose(ours[key].weights[name], weights, atol=1e-6)
            _assert_same_places(ours[key], entry, expected.frame_end - expected.frame_start + 1)


def test_menu_adds_a_scene_that_renders(addon: Any, tmp_path: Any) -> None:
    """Add › Tsubu Example: a scene of its own with camera, light and the water's material; the artist's scene is untouched."""
    addon.register()
    try:
        before = bpy.context.scene
        names = sorted(item.name for item in before.objects)
        assert bpy.ops.tsubu.add_example(name="dam_break") == {"FINISHED"}
        scene = bpy.context.scene
        assert scene != before and scene.name == "Dam break" and sorted(item.name for item in before.objects) == names
        assert scene.camera is not None and scene.render.engine == "CYCLES"
        assert {item.data.type for item in scene.objects if item.type == "LIGHT"} == {"AREA"}
        assert (scene.tsubu.quality, scene.frame_end) == ("PREVIEW", 36)
        assert scene.frame_current == 27, "where a render shows what it is about"
        assert bpy.context.object.tsubu.role == "WATER", "its settings are there to see"
        scene.frame_end, scene.tsubu.preview_detail, scene.tsubu.cache_folder = 2, 15, str(tmp_path)
        assert bpy.ops.tsubu.bake() == {"FINISHED"}
        shown = {item["tsubu_kind"]: item.material_slots[0].material.name for item in scene.objects if "tsubu_kind" in item}
        assert {name.partition(".")[0] for name in shown.values()} == {"Water"} and set(shown) == {"points", "surface"}
    finally:
        addon.unregister()


def test_menu_names_what_is_wrong(addon: Any) -> None:
    """An example whose script fails is named with the reason."""
    addon.register()
    try:
        builder = importlib.import_module(f"{addon.__name__}.bridge.example")
        with pytest.raises(importlib.import_module(f"{addon.__name__}.solvers.errors").TsubuError, match="no_such"):
            builder.describe("no_such", quick=True)
    finally:
        addon.unregister()


def _assert_same_places(ours: Any, theirs: Any, frames: int) -> None:
    """Vertices in world space agree in the first and the last frame, to float32."""
    for index in (0, frames - 1):
        np.testing.assert_allclose(_placed(ours, index), _placed(theirs, index), atol=2.0e-6)


def _placed(entry: Any, index: int) -> np.ndarray:
    places = np.asarray(entry.mesh.at(index), dtype=np.float64)
    motion = getattr(entry, "motion", None)
    if motion is not None:
        matrix = np.asarray(motion[min(index, len(motion) - 1)])
        places = places @ matrix[:3, :3].T + matrix[:3, 3]
    corners = places[np.asarray(entry.mesh.triangles)].mean(axis=1)
    return corners[np.lexsort(corners.round(5).T)]
