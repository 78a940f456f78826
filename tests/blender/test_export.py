"""The evaluated scene becomes a job: what the artist sees is what the engine gets."""

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from examples.addon import ROOT
from tests.blender.artist import add_box, key, part, small_scene, tsubu

__all__ = ["tsubu"]
pytestmark = pytest.mark.usefixtures("tsubu")


def _export(**more: Any) -> Any:
    bpy.context.view_layer.update()
    return part("bridge.export").export_now(bpy.context, **more)


def _signed_volume(mesh: Any) -> float:
    a, b, c = (mesh.at(0)[mesh.triangles[:, corner]] for corner in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6.0)


def test_world_follows_the_scene() -> None:
    """Frame rate with its base, a range that starts elsewhere, gravity and spacing arrive; the artist's frame stays."""
    scene = small_scene()
    scene.frame_start, scene.frame_end = 5, 8
    scene.render.fps, scene.render.fps_base = 30, 1.001
    scene.gravity = (0.0, 1.0, -2.0)
    scene.frame_set(7, subframe=0.25)
    world = _export().scene.world
    assert (world.frame_start, world.frame_end) == (5, 8)
    assert world.frames_per_second == pytest.approx(30.0 / 1.001)
    assert world.gravity == pytest.approx((0.0, 1.0, -2.0))
    assert world.spacing == pytest.approx(0.5 / 6, rel=1e-3)
    assert scene.frame_current == 7 and scene.frame_subframe == pytest.approx(0.25)
    scene.tsubu.use_scene_range = scene.tsubu.use_scene_gravity = False
    scene.tsubu.world.frame_start, scene.tsubu.world.frame_end = -3, 2
    scene.tsubu.world.gravity = (0.0, 0.0, -1.5)
    scene.tsubu.sizing, scene.tsubu.world.spacing = "SPACING", 0.1
    world = _export().scene.world
    assert (world.frame_start, world.frame_end, world.spacing, world.gravity[2]) == (-3, 2, 0.1, -1.5)
    assert _export(frames=(8, 9)).scene.world.frame_end == 9


def test_modifiers_parents_and_constraints_are_applied() -> None:
    """A body is exported as seen: mirrored by a modifier, carried by its parent, moved by a constraint."""
    small_scene()
    body = bpy.data.objects["Column"]
    body.modifiers.new("Mirror", "MIRROR").use_axis = (True, False, False)
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.scale = (0.0, 2.0, 0.0), (1.0, 1.0, 2.0)
    body.parent = parent
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (10.0, 0.0, 0.0)
    limit = body.constraints.new("COPY_LOCATION")
    limit.target, limit.use_y, limit.use_z = target, False, False
    vertices = _export().scene.bodies[0].mesh.vertices
    np.testing.assert_allclose(vertices.min(axis=0), [9.5, 2.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(vertices.max(axis=0), [10.5, 2.5, 1.0], atol=1e-6)


def test_negative_scale_keeps_the_outside_outside() -> None:
    """A mirrored object does not turn inside out: its signed volume stays positive, also non-uniformly scaled."""
    small_scene()
    body = bpy.data.objects["Column"]
    body.scale = (-1.0, 2.0, 3.0)
    assert _signed_volume(_export().scene.bodies[0].mesh) == pytest.approx(0.125 * 6.0, rel=1e-5)


def test_rigid_motion_is_a_matrix_per_frame() -> None:
    """A keyed collider keeps one mesh and gets a matrix per frame; places between keys are Blender's."""
    scene = small_scene(frames=5)
    tank = bpy.data.objects["Tank"]
    tank.scale = (1.0, 2.0, 1.0)
    key(tank, "location", {1: (0.0, 0.0, 0.0), 5: (4.0, 0.0, 0.0)})
    key(tank, "rotation_euler", {1: (0.0, 0.0, 0.0), 5: (0.0, 0.0, math.pi / 2)})
    collider = _export().scene.colliders[0]
    assert collider.motion.shape == (5, 4, 4) and not collider.mesh.deforming
    for row, frame in enumerate(range(1, 6)):
        scene.frame_set(frame)
        seen = np.array(tank.matrix_world)
        local = np.array([vertex.co for vertex in tank.data.vertices])
        expected = local @ seen[:3, :3].T + seen[:3, 3]
        given = collider.mesh.vertices @ collider.motion[row][:3, :3].T + collider.motion[row][:3, 3]
        np.testing.assert_allclose(given, expected, atol=1e-5)


def test_still_collider_has_no_motion() -> None:
    """What does not move is one mesh in world space, even if something else in the scene is animated."""
    small_scene(frames=4)
    lamp = bpy.data.objects.new("Lamp", None)
    bpy.context.scene.collection.objects.link(lamp)
    key(lamp, "location", {1: (0.0, 0.0, 0.0), 4: (1.0, 0.0, 0.0)})
    tank = bpy.data.objects["Tank"]
    tank.location = (1.0, 0.0, 0.0)
    key(tank.tsubu.collider, "friction", {1: 0.0, 3: 0.6})
    collider = _export().scene.colliders[0]
    assert collider.motion is None
    np.testing.assert_allclose(collider.mesh.vertices.min(axis=0), [0.5, -0.5, 0.0], atol=1e-6)
    np.testing.assert_allclose(collider.animated["friction"], [0.0, 0.3, 0.6, 0.6], atol=1e-6)


def test_changing_scale_becomes_vertices() -> None:
    """A collider that grows is not rigid: its vertices come frame by frame."""
    small_scene(frames=3)
    tank = bpy.data.objects["Tank"]
    key(tank, "scale", {1: (1.0, 1.0, 1.0), 3: (3.0, 3.0, 3.0)})
    collider = _export().scene.colliders[0]
    assert collider.motion is None and collider.mesh.vertices.shape == (3, 8, 3)
    np.testing.assert_allclose(collider.mesh.vertices.max(axis=(1, 2)), [1.0, 2.0, 3.0], atol=1e-5)


def test_shape_keys_deform() -> None:
    """Keyed shape keys arrive frame by frame in world space."""
    small_scene(frames=3)
    tank = bpy.data.objects["Tank"]
    tank.location = (0.0, 0.0, 5.0)
    tank.shape_key_add(name="Basis")
    up = tank.shape_key_add(name="Up")
    for point in up.data:
        point.co.z += 2.0
    key(up, "value", {1: 0.0, 3: 1.0})
    collider = _export().scene.colliders[0]
    np.testing.assert_allclose(collider.mesh.vertices[:, :, 2].min(axis=1), [5.0, 6.0, 7.0], atol=1e-5)


def test_armature_deforms() -> None:
    """A mesh bound to a bone follows it frame by frame."""
    scene = small_scene(frames=3)
    tank = bpy.data.objects["Tank"]
    armature = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("Bone")
    bone.head, bone.tail = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    tank.vertex_groups.new(name="Bone").add(range(8), 1.0, "REPLACE")
    tank.modifiers.new("Armature", "ARMATURE").object = armature
    key(armature.pose.bones["Bone"], "location", {1: (0.0, 0.0, 0.0), 3: (0.0, 2.0, 0.0)})
    vertices = _export().scene.colliders[0].mesh.vertices
    assert vertices.shape == (3, 8, 3)
    np.testing.assert_allclose(vertices[2] - vertices[0], np.tile([0.0, 0.0, 2.0], (8, 1)), atol=1e-5)


def test_collection_instances() -> None:
    """A marked object in an instanced collection counts once for every empty that shows it, where that stands."""
    scene = small_scene(frames=2)
    inner = bpy.data.collections.new("Props")
    stone = add_box("Stone", (0.0, 0.0, 0.0), (0.1, 0.1, 0.1), "COLLIDER")
    scene.collection.objects.unlink(stone)
    inner.objects.link(stone)
    for number in (1, 2):
        empty = bpy.data.objects.new(f"Empty {number}", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", inner
        empty.location = (float(number), 0.0, 0.0)
        scene.collection.objects.link(empty)
    key(bpy.data.objects["Empty 2"], "location", {1: (2.0, 0.0, 0.0), 2: (3.0, 0.0, 0.0)})
    found = {collider.name: collider for collider in _export().scene.colliders}
    assert set(found) == {"Stone", "Stone #2", "Tank"}
    stones = sorted((found["Stone"], found["Stone #2"]), key=lambda stone: stone.motion is not None)
    np.testing.assert_allclose(stones[0].mesh.vertices.min(axis=0), [1.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(stones[1].motion[:, 0, 3], [2.0, 3.0], atol=1e-6)


def _instancing_nodes() -> Any:
    """Three cubes on a line along x, one metre apart, and nothing else."""
    tree: Any = bpy.data.node_groups.new("Three", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    line, cube = tree.nodes.new("GeometryNodeMeshLine"), tree.nodes.new("GeometryNodeMeshCube")
    line.inputs["Count"].default_value = 3
    line.inputs["Offset"].default_value = (1.0, 0.0, 0.0)
    cube.inputs["Size"].default_value = (0.1, 0.1, 0.1)
    copies, output = tree.nodes.new("GeometryNodeInstanceOnPoints"), tree.nodes.new("NodeGroupOutput")
    tree.links.new(line.outputs[0], copies.inputs["Points"])
    tree.links.new(cube.outputs[0], copies.inputs["Instance"])
    tree.links.new(copies.outputs[0], output.inputs[0])
    return tree


def test_geometry_nodes_instances() -> None:
    """Instances made by geometry nodes have the role of the object that makes them."""
    small_scene()
    stones = add_box("Stones", (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), "COLLIDER")
    stones.modifiers.new("Nodes", "NODES").node_group = _instancing_nodes()
    found = [collider for collider in _export().scene.colliders if collider.name.startswith("Stones")]
    middles = sorted(round(float(stone.mesh.at(0)[:, 0].mean()), 4) for stone in found)
    assert middles == [0.0, 1.0, 2.0]


def test_emitter_flows_along_its_own_axes() -> None:
    """The direction turns with the object; keyed speed arrives frame by frame, whichever material flows."""
    scene = small_scene(frames=3)
    tap = add_box("Tap", (-0.1, -0.1, -0.1), (0.1, 0.1, 0.1), "EMITTER")
    tap.rotation_euler = (0.0, math.pi / 2, 0.0)
    tap.tsubu.emitter.direction = (0.0, 0.0, -1.0)
    tap.tsubu.water.viscosity = 0.5
    key(tap.tsubu.emitter, "speed", {1: 1.0, 3: 3.0})
    emitter = _export().scene.emitters[0]
    assert (emitter.kind, emitter.material.viscosity) == ("water", 0.5)
    np.testing.assert_allclose(emitter.params.direction, (-1.0, 0.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(emitter.animated["speed"], [1.0, 2.0, 3.0], atol=1e-6)
    key(tap.tsubu.emitter, "enabled", {1: True, 2: False})
    scene.frame_set(1)
    assert _export().scene.emitters[0].animated["enabled"].tolist() == [1.0, 0.0, 0.0]


def test_units_and_scale() -> None:
    """Lengths, speeds and volumes are multiplied by unit scale and Tsubu's scale; gravity, as shown, is not scaled down."""
    scene = small_scene()
    scene.unit_settings.scale_length = 0.1
    scene.tsubu.scale = 0.5
    scene.tsubu.sizing, scene.tsubu.world.spacing = "SPACING", 0.2
    scene.gravity = (0.0, 0.0, -98.1)
    body = bpy.data.objects["Column"]
    body.tsubu.velocity = (2.0, 0.0, 0.0)
    tap = add_box("Tap", (0.0, 0.0, 2.0), (1.0, 1.0, 3.0), "EMITTER")
    tap.tsubu.emitter.speed, tap.tsubu.emitter.rate = 4.0, 8.0
    exported = _export()
    found = exported.scene
    assert exported.metres == pytest.approx(0.05)
    assert found.world.spacing == pytest.approx(0.2 * 0.05)
    assert found.world.gravity[2] == pytest.approx(-9.81)
    assert found.bodies[0].mesh.vertices.max() == pytest.approx(0.5 * 0.05)
    assert found.bodies[0].velocity == pytest.approx((0.1, 0.0, 0.0))
    assert found.emitters[0].params.speed == pytest.approx(4.0 * 0.05)
    assert found.emitters[0].params.rate == pytest.approx(8.0 * 0.5**3)
    assert found.bodies[0].params.density == 1000.0


def test_hidden_takes_part_disabled_does_not() -> None:
    """The eye hides water that is baked already; "disable in viewports" takes an object out, and that is said."""
    small_scene()
    bpy.data.objects["Column"].hide_set(True)
    bpy.data.objects["Tank"].hide_viewport = True
    exported = _export()
    assert [body.name for body in exported.scene.bodies] == ["Column"]
    assert exported.scene.colliders == ()
    assert any("Tank" in text and "disabled" in text for text in exported.warnings)


def test_edit_mode_counts() -> None:
    """Edits that are not yet left are exported."""
    small_scene()
    body = bpy.data.objects["Column"]
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(3.0, 0.0, 0.0))
    try:
        assert _export().scene.bodies[0].mesh.vertices[:, 0].min() == pytest.approx(3.0)
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def _empty_mesh() -> None:
    bpy.data.objects["Tank"].data = bpy.data.meshes.new("Empty")


def _not_a_number() -> None:
    bpy.data.objects["Column"].data.vertices[3].co.x = math.nan


def _flat() -> None:
    bpy.data.objects["Column"].scale.z = 0.0


def _unmarked() -> None:
    bpy.data.objects["Column"].tsubu.role = "NONE"


def _reversed() -> None:
    bpy.context.scene.tsubu.use_scene_range = False
    bpy.context.scene.tsubu.world.frame_start = 99


def _vanishing() -> None:
    bpy.context.scene.frame_end = 3
    key(bpy.data.objects["Tank"], "hide_viewport", {1: False, 2: True})


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_empty_mesh, ("Tank", "no faces")),
        (_not_a_number, ("Column", "vertex 3", "nan")),
        (_flat, ("Column", "scale", "zero")),
        (_unmarked, ("nothing to simulate", "Water")),
        (_reversed, ("99", "Swap")),
        (_vanishing, ("Tank", "frame 2", "Active")),
    ],
)
def test_bad_input_names_object_and_cure(spoil: Any, words: tuple[str, ...]) -> None:
    """Every refusal names the object, the value and what to do; the artist's frame stays."""
    scene = small_scene()
    scene.frame_set(2)
    spoil()
    with pytest.raises(part("solvers.errors").InvalidScene) as refusal:
        _export()
    assert all(word in str(refusal.value) for word in words), str(refusal.value)
    assert scene.frame_current == 2


def test_changing_topology_is_refused() -> None:
    """A collider whose vertices come and go is refused by name and frame."""
    small_scene(frames=4)
    build = bpy.data.objects["Tank"].modifiers.new("Build", "BUILD")
    build.frame_start, build.frame_duration = 1, 12
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 5, 9
    with pytest.raises(part("solvers.errors").InvalidScene, match="Tank.*faces in frame.*|Tank.*but"):
        _export()


def test_open_body_is_warned_of() -> None:
    """A body with a hole is baked, and said to be open."""
    small_scene()
    body = bpy.data.objects["Column"]
    body.data.clear_geometry()
    body.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [], [(0, 2, 1), (0, 1, 3), (0, 3, 2)])
    assert any("Column" in text and "not closed" in text for text in _export().warnings)


def test_export_reads_shapes_only_where_they_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """A collider that moves rigidly is read once, not once a frame."""
    small_scene(frames=20)
    key(bpy.data.objects["Tank"], "location", {1: (0.0, 0.0, 0.0), 20: (1.0, 0.0, 0.0)})
    tracks, reads = part("bridge.tracks"), []
    whole = tracks.read_surface
    monkeypatch.setattr(tracks, "read_surface", lambda *given, **more: reads.append(1) or whole(*given, **more))
    assert _export().scene.colliders[0].motion.shape == (20, 4, 4)
    assert len(reads) == 2


def test_blenders_process_stays_free_of_numba(tmp_path: Path) -> None:
    """Registering, marking, exporting and writing the job import neither numba nor llvmlite."""
    code = (
        "import bpy, sys, tempfile; from examples.addon import load_addon; load_addon().register()\n"
        "from tests.blender.artist import part, small_scene\n"
        "bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True); small_scene()\n"
        "exported = part('bridge.export').export_now(bpy.context)\n"
        "part('solvers.job').write(exported.scene, tempfile.mkdtemp())\n"
        "part('operators.view').estimate(bpy.context); part('bridge.worker').import_paths(); part('bridge.cli').main(['info'])\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in ('numba', 'llvmlite')))\n"
        "load_addon().unregister()"
    )
    variables = {**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().splitlines()[-1] == "[]"
