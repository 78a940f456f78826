"""The demo's scenes, set up in Blender by the operators, are the scenes that the engine's examples describe."""

import importlib
from typing import Any

import bpy
import numpy as np
import pytest

from examples import blend
from examples.__main__ import titles
from solvers.bake.checks import checked


@pytest.mark.parametrize("name", sorted(titles()))
def test_export_gives_the_example_back(addon: Any, name: str) -> None:
    """Names, kinds, settings, meshes and motions of the exported scene are the example's own."""
    wanted = checked(importlib.import_module(f"examples.{name}").scene(quick=True))
    addon.register()
    try:
        blend.build(wanted, 1)
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
            _assert_same_places(ours[key], entry, expected.frame_end - expected.frame_start + 1)


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
