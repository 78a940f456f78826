"""A vertex group decides where a collider is waxy or rough."""

from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender.artist import part, small_scene, tsubu
from tests.blender.drawn import drawn

__all__ = ["tsubu"]
pytestmark = pytest.mark.usefixtures("tsubu")


def _painted_collider() -> Any:
    """The collider of the small scene with a group whose weight is 0.75 at its first vertex and 0.25 at its third."""
    small_scene()
    item = next(item for item in bpy.data.objects if item.tsubu.role == "COLLIDER")
    group = item.vertex_groups.new(name="Wax")
    group.add([0], 0.75, "REPLACE")
    group.add([2], 0.25, "REPLACE")
    bpy.context.view_layer.objects.active = item
    return item


def _exported() -> Any:
    bpy.context.view_layer.update()
    return part("bridge.export").export_now(bpy.context).scene.colliders[0]


def test_a_vertex_group_becomes_weights_of_the_collider() -> None:
    """Weights arrive vertex by vertex, both angles as typed; a setting without a group has none."""
    item = _painted_collider()
    item.tsubu.collider.contact_angle_group = "Wax"
    item.tsubu.collider.contact_angle_painted = np.radians(160.0)
    collider = _exported()
    assert set(collider.weights) == {"contact_angle"}
    wanted = np.zeros(len(item.data.vertices))
    wanted[0], wanted[2] = 0.75, 0.25
    np.testing.assert_allclose(collider.weights["contact_angle"], wanted, atol=1e-6)
    assert collider.params.contact_angle_painted == pytest.approx(160.0)


def test_weights_pass_through_modifiers() -> None:
    """A subdivided collider has a weight at every new vertex, the painted ones among them."""
    item = _painted_collider()
    item.tsubu.collider.friction_group = "Wax"
    item.modifiers.new("Finer", "SUBSURF").subdivision_type = "SIMPLE"
    collider = _exported()
    assert len(collider.weights["friction"]) == len(collider.mesh.vertices) > len(item.data.vertices)
    near = np.linalg.norm(collider.mesh.vertices - collider.mesh.vertices[0], axis=1) > 0.0
    assert collider.weights["friction"][0] == pytest.approx(0.75) and 0.0 < collider.weights["friction"][near].max() < 0.75


def test_a_missing_vertex_group_is_named() -> None:
    """A group that has been renamed is an error with the object, the name and those there are; not a silent zero."""
    item = _painted_collider()
    item.tsubu.collider.contact_angle_group = "Waxx"
    with pytest.raises(Exception, match=rf"{item.name}: there is no vertex group 'Waxx' \(there are: Wax\)"):
        _exported()


def test_the_painted_value_is_shown_once_a_group_is_chosen() -> None:
    """Beside the contact angle one picks a vertex group; the second angle appears with it."""
    item = _painted_collider()
    log = drawn("main").log
    assert ("prop", "contact_angle_group") in log and ("prop", "contact_angle_painted") not in log
    item.tsubu.collider.contact_angle_group = "Wax"
    assert ("prop", "contact_angle_painted") in drawn("main").log


def test_a_vertex_group_thins_an_emitter() -> None:
    """The group named beside the flow rate arrives as the emitter's weights; without a name there are none."""
    item = _painted_collider()
    item.tsubu.role = "EMITTER"
    export = part("bridge.export")
    assert export.export_now(bpy.context).scene.emitters[0].weights == {}
    item.tsubu.emitter.rate_group = "Wax"
    bpy.context.view_layer.update()
    weights = export.export_now(bpy.context).scene.emitters[0].weights["rate"]
    assert (weights[0], weights[1], weights[2]) == (pytest.approx(0.75), 0.0, pytest.approx(0.25))
    assert ("search", "rate_group") in drawn("main").log or "rate_group" in drawn("main").texts()
