"""The node groups that play a bake back in any Blender, without this extension and without frame handlers.

Two turn the scene's frame into a file name by themselves and import it; a third gives USD points a size and a material slot.
They are built the same way in Blender 4.5 to 5.2.
"""

from collections.abc import Callable
from typing import Any

import bpy

from .half_voxel import move_back
from .node_builder import Builder, Input, arrange, get_input, new_group, set_input

__all__ = ["get_input", "is_player", "look_group", "points_group", "set_input", "shared_group", "surface_group"]

SURFACE_GRID = "surface"
VELOCITY_GRID = "velocity"
FRAME_PATTERN = "_{Sign}{Frame:04}"
"""Stands for the frame number in the input Path."""
_ROLE = "tsubu_player"
_VERSION = 1
"""Raise it when a group is built differently: old groups stay with the objects that use them."""


_RADIUS_SCALE: Input = ("Radius Scale", "NodeSocketFloat", 1.0, "Size of the points")
_FILE_INPUTS: tuple[Input, ...] = (
    ("Path", "NodeSocketString", "", "Files of the sequence; {Sign}{Frame:04} stands for the frame number"),
    ("First Frame", "NodeSocketInt", 1, "Earlier frames show this one"),
    ("Last Frame", "NodeSocketInt", 250, "Later frames show this one"),
    ("Frame Offset", "NodeSocketInt", 0, "Play this many frames later"),
)


def _frame_path(build: Builder) -> Any:
    """Output socket with the file name of the current frame. Rounding keeps motion blur's subframes on one file."""
    time = build.node("GeometryNodeInputSceneTime")
    shifted = build.node("ShaderNodeMath", operation="SUBTRACT")
    build.link(time.outputs["Frame"], shifted.inputs[0])
    build.link(build.source.outputs["Frame Offset"], shifted.inputs[1])
    clamped = build.node("ShaderNodeClamp")
    build.link(shifted.outputs[0], clamped.inputs["Value"])
    build.link(build.source.outputs["First Frame"], clamped.inputs["Min"])
    build.link(build.source.outputs["Last Frame"], clamped.inputs["Max"])
    size = build.node("ShaderNodeMath", operation="ABSOLUTE")
    build.link(clamped.outputs[0], size.inputs[0])
    number = build.node("FunctionNodeFloatToInt", rounding_mode="ROUND")
    build.link(size.outputs[0], number.inputs[0])
    path = build.node("FunctionNodeFormatString")
    path.format_items.new("STRING", "Sign")
    path.format_items.new("INT", "Frame")
    build.link(build.source.outputs["Path"], path.inputs["Format"])
    build.link(_sign(build, clamped.outputs[0]), path.inputs["Sign"])
    build.link(number.outputs[0], path.inputs["Frame"])
    return path.outputs[0]


def _sign(build: Builder, frame: Any) -> Any:
    """Output socket with "-" below frame 0: Blender numbers sequences -0001, 0000, 0001."""
    negative = build.node("FunctionNodeCompare", data_type="FLOAT", operation="LESS_THAN")
    build.link(frame, negative.inputs[0])
    negative.inputs[1].default_value = -0.5
    sign = build.node("GeometryNodeSwitch", input_type="STRING")
    sign.inputs["True"].default_value = "-"
    build.link(negative.outputs[0], sign.inputs["Switch"])
    return sign.outputs[0]


def _finish(build: Builder, geometry: Any) -> Any:
    # An empty material makes the one slot that the object's own slot fills.
    material = build.node("GeometryNodeSetMaterial")
    build.link(geometry, material.inputs["Geometry"])
    build.link(material.outputs[0], build.node("NodeGroupOutput").inputs[0])
    arrange(build.tree)
    return build.tree


def is_player(group: Any) -> bool:
    """Whether a node group was made here to read files, or copied from one that was."""
    return group.get(_ROLE, "").startswith(("surface ", "points "))


def shared_group(role: str, make: Callable[[str], Any]) -> Any:
    """The group of this file for `role`, made if need be: all objects use the same one."""
    mark = f"{role} {_VERSION}"
    for group in bpy.data.node_groups:
        if group.get(_ROLE) == mark and group.library is None:
            return group
    group = make(f"Tsubu {role}")
    group[_ROLE] = mark
    return group


def surface_group() -> Any:
    """The shared group that plays surfaces."""
    return shared_group("surface", _new_surface_group)


def points_group() -> Any:
    """The shared group that plays PLY points."""
    return shared_group("points", _new_points_group)


def look_group() -> Any:
    """The shared group behind points that another modifier has read."""
    return shared_group("look", _new_look_group)


def _new_surface_group(name: str) -> Any:
    """VDB sequence → smooth mesh with the attribute `velocity` [m/s] for motion blur."""
    extra: tuple[Input, ...] = (
        ("Offset", "NodeSocketFloat", 0.0, "Distance by which the surface is moved outwards"),
        ("Adaptivity", "NodeSocketFloat", 0.0, "Merge flat areas into larger faces"),
        ("Velocity Scale", "NodeSocketFloat", 1.0, "Strength of motion blur"),
        ("Voxel Size", "NodeSocketFloat", 0.0, "Edge of a voxel in the files"),
    )
    build = new_group(name, (*_FILE_INPUTS, *extra))
    volume = build.node("GeometryNodeImportVDB")
    build.link(_frame_path(build), volume.inputs["Path"])

    def grid(grid_name: str, data_type: str) -> Any:
        node = build.node("GeometryNodeGetNamedGrid", data_type=data_type)
        node.inputs["Name"].default_value = grid_name
        build.link(volume.outputs["Volume"], node.inputs["Volume"])
        return node.outputs["Grid"]

    mesh = build.node("GeometryNodeGridToMesh")
    level_set = grid(SURFACE_GRID, "FLOAT")
    build.link(level_set, mesh.inputs["Grid"])
    build.link(build.source.outputs["Offset"], mesh.inputs["Threshold"])
    build.link(build.source.outputs["Adaptivity"], mesh.inputs["Adaptivity"])
    sample = build.node("GeometryNodeSampleGrid", data_type="VECTOR")
    build.link(grid(VELOCITY_GRID, "VECTOR"), sample.inputs["Grid"])
    scaled = build.node("ShaderNodeVectorMath", operation="SCALE")
    build.link(sample.outputs["Value"], scaled.inputs[0])
    build.link(build.source.outputs["Velocity Scale"], scaled.inputs["Scale"])
    placed = move_back(build, mesh.outputs["Mesh"], level_set)
    with_velocity = build.store(placed, "velocity", "FLOAT_VECTOR", scaled.outputs[0])
    smooth = build.node("GeometryNodeSetShadeSmooth")
    build.link(with_velocity, smooth.inputs[0])
    return _finish(build, smooth.outputs[0])


def _scaled_radius(build: Builder) -> Any:
    """Output socket with the stored radius [m] times the group's Radius Scale."""
    radius = build.node("ShaderNodeMath", operation="MULTIPLY")
    build.link(build.attribute("radius"), radius.inputs[0])
    build.link(build.source.outputs["Radius Scale"], radius.inputs[1])
    return radius.outputs[0]


def _new_look_group(name: str) -> Any:
    """Points that another modifier has read → the same with scaled radius and the object's material."""
    build = new_group(name, (("Geometry", "NodeSocketGeometry", None, "Points"), _RADIUS_SCALE))
    sized = build.node("GeometryNodeSetPointRadius")
    build.link(build.source.outputs["Geometry"], sized.inputs["Points"])
    build.link(_scaled_radius(build), sized.inputs["Radius"])
    return _finish(build, sized.outputs[0])


def _new_points_group(name: str) -> Any:
    """PLY sequence → points with radius [m], `velocity` [m/s] and integer `id`; other properties stay float attributes."""
    build = new_group(name, (*_FILE_INPUTS, _RADIUS_SCALE))
    vertices = build.node("GeometryNodeImportPLY")
    build.link(_frame_path(build), vertices.inputs[0])
    points = build.node("GeometryNodeMeshToPoints")
    build.link(vertices.outputs[0], points.inputs["Mesh"])
    build.link(_scaled_radius(build), points.inputs["Radius"])
    velocity = build.node("ShaderNodeCombineXYZ")
    for axis, component in enumerate(("vx", "vy", "vz")):
        build.link(build.attribute(component), velocity.inputs[axis])
    with_velocity = build.store(points.outputs[0], "velocity", "FLOAT_VECTOR", velocity.outputs[0])
    number = build.node("FunctionNodeFloatToInt", rounding_mode="ROUND")
    build.link(build.attribute("pid"), number.inputs[0])
    return _finish(build, build.store(with_velocity, "id", "INT", number.outputs[0]))
