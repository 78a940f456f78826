"""Free colliders: their baked motion on the artist's own objects, as native keys."""

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender.artist import add_box, part, tsubu

__all__ = ["tsubu"]
pytestmark = pytest.mark.usefixtures("tsubu")
FRAMES = 5


def _scene() -> Any:
    """A free box below a tilted, stretched parent, dropped beside a few grains; 1 unit is 2 m, simulated at half size."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 3, 2 + FRAMES
    scene.unit_settings.scale_length, scene.tsubu.scale = 2.0, 0.25
    scene.gravity = (0.0, 0.0, -4.905)  # shown as 9.81 m/s² with this unit scale
    scene.tsubu.surface.enabled = False
    sand = add_box("Sand", (0, 0, 0), (0.2, 0.2, 0.2), "GRAINS")
    sand.tsubu.grains.size = 0.08
    add_box("Floor", (-5, -5, -1), (5, 5, 0), "COLLIDER")
    parent = bpy.data.objects.new("Parent", None)
    parent.location, parent.rotation_euler, parent.scale = (2.0, 0.0, 1.0), (0.3, 0.2, 0.1), (1.0, 2.0, 1.0)
    scene.collection.objects.link(parent)
    box = add_box("Box", (-0.2, -0.1, 1.0), (0.2, 0.1, 1.3), "COLLIDER")
    box.parent, box.rotation_euler = parent, (0.0, 0.4, 0.0)
    box.tsubu.collider.free, box.tsubu.collider.spin = True, (0.0, 0.0, 6.0)
    bpy.context.view_layer.update()
    return scene


def _matrix(scene: Any, name: str, frame: int) -> np.ndarray:
    scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    return np.array(scene.objects[name].evaluated_get(graph).matrix_world)


def _folder(scene: Any) -> Path:
    return part("bridge.cache").found_folder(scene)


def test_object_follows_the_bake(tmp_path: Path) -> None:
    """In Blender's own units the box falls by ½ g t² and turns; parent, scale and unit scale do not disturb it, nor do frames
    before and after the range; its own transform stays; without the extension the keys are all that is needed."""
    scene = _scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    before = _matrix(scene, "Box", 3)
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    box = scene.objects["Box"]
    assert tuple(box.location) == (0.0, 0.0, 0.0) and box.animation_data is None
    assert _matrix(scene, "Box", 3) == pytest.approx(before, abs=1e-5)
    assert _matrix(scene, "Box", 1) == pytest.approx(before, abs=1e-5)
    time = (FRAMES - 1) / 24.0
    now = _matrix(scene, "Box", 2 + FRAMES)
    centre = np.array([0.0, 0.0, 1.15, 1.0])
    # 1 m of the simulation is 2 Blender units: 9.81 m/s² are 19.62 units/s².
    fallen = (now @ centre - before @ centre)[:3]
    assert fallen == pytest.approx([0.0, 0.0, -0.5 * 19.62 * time**2], abs=0.02)
    # Three matrices: now = move · before, the move is a rotation about roughly the vertical by about 6 t.
    turn = now[:3, :3] @ np.linalg.inv(before[:3, :3])
    assert turn.T @ turn == pytest.approx(np.eye(3), abs=1e-5)
    assert math.acos((np.trace(turn) - 1.0) / 2.0) == pytest.approx(6.0 * time, rel=0.15)
    assert _matrix(scene, "Box", 50) == pytest.approx(now, abs=1e-5)


def test_bake_again_and_resume_see_the_own_place(tmp_path: Path) -> None:
    """The export is the same before and after the motion is shown, so that a longer range resumes and gets more keys."""
    scene = _scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    export = part("bridge.export").export_now
    first = next(c for c in export(bpy.context).scene.colliders if c.name == "Box")
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    scene.frame_set(2 + FRAMES)
    moved = _matrix(scene, "Box", 2 + FRAMES)
    second = next(c for c in export(bpy.context).scene.colliders if c.name == "Box")
    assert first.mesh.vertices.tobytes() == second.mesh.vertices.tobytes() and second.motion is None
    assert _matrix(scene, "Box", 2 + FRAMES) == pytest.approx(moved)
    scene.frame_end += 2
    assert bpy.ops.tsubu.resume() == {"FINISHED"}
    assert _matrix(scene, "Box", 4 + FRAMES)[2, 3] < moved[2, 3] - 0.1
    assert len([entry for entry in bpy.data.objects if entry.name.startswith("Box motion")]) == 1


def test_free_and_undo(tmp_path: Path) -> None:
    """Free takes constraint, empty and keys away; a body that is not free any more loses its motion at the next bake."""
    scene = _scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    own = _matrix(scene, "Box", 3)
    actions = len(bpy.data.actions)
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    assert len(scene.objects["Box"].constraints) == 1 and len(bpy.data.actions) == actions + 1
    bpy.ops.ed.undo_push(message="Baked")
    scene.objects["Box"].name = "Box"
    bpy.ops.ed.undo_push(message="Edit")
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    assert len(scene.objects["Box"].constraints) == 1
    scene.objects["Box"].tsubu.collider.free = False
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    assert len(scene.objects["Box"].constraints) == 0 and len(bpy.data.actions) == actions
    scene.objects["Box"].tsubu.collider.free = True
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    assert bpy.ops.tsubu.free() == {"FINISHED"}
    assert len(scene.objects["Box"].constraints) == 0 and len(bpy.data.actions) == actions
    assert not [entry.name for entry in bpy.data.objects if "motion" in entry.name]
    assert _matrix(scene, "Box", 2 + FRAMES) == pytest.approx(own, abs=1e-6)


def test_renamed_object_is_told(tmp_path: Path) -> None:
    """A body that cannot be found is named in a warning."""
    scene = _scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    scene.objects["Box"].name = "Crate"
    warnings = part("bridge.show").show(scene, _folder(scene))
    assert any("Box" in text and "no such object" in text for text in warnings)


def test_quaternions_take_the_short_way() -> None:
    """Signs are chosen so that neighbouring keys are near each other."""
    poses = np.zeros((4, 7))
    poses[:, 3:] = [[1, 0, 0, 0], [-1, 0, 0, 0], [-0.9, -0.1, 0, 0], [0.8, 0.2, 0, 0]]
    signs = part("bridge.rigid_motion")._continuous(poses.copy())[:, 3]
    assert (signs > 0.0).all()
