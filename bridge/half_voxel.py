"""Puts a meshed level set where it belongs, whichever Blender meshes it."""

from typing import Any

from .node_builder import Builder


def move_back(build: Builder, mesh: Any, level_set: Any) -> Any:
    """Output geometry at the place where the level set has the wanted value.

    Blender 4.5 moves what it meshes by half a voxel along every axis, later ones do not, and a file may be opened in either.
    So the group looks: at some vertices, the level set is nearer to its value either here or half a voxel back.
    """
    half = build.node("ShaderNodeMath", operation="MULTIPLY")
    build.link(build.source.outputs["Voxel Size"], half.inputs[0])
    half.inputs[1].default_value = -0.5
    back = build.node("ShaderNodeCombineXYZ")
    for axis in range(3):
        build.link(half.outputs[0], back.inputs[axis])
    here = build.node("GeometryNodeInputPosition").outputs[0]
    there = build.node("ShaderNodeVectorMath", operation="ADD")
    build.link(here, there.inputs[0])
    build.link(back.outputs[0], there.inputs[1])
    some = _some_vertices(build, mesh)
    moved = build.node("FunctionNodeCompare", data_type="FLOAT", operation="LESS_THAN")
    build.link(_mean_error(build, some, level_set, there.outputs[0]), moved.inputs[0])
    build.link(_mean_error(build, some, level_set, here), moved.inputs[1])
    way = build.node("GeometryNodeSwitch", input_type="VECTOR")
    build.link(moved.outputs[0], way.inputs["Switch"])
    build.link(back.outputs[0], way.inputs["True"])
    placed = build.node("GeometryNodeSetPosition")
    build.link(mesh, placed.inputs["Geometry"])
    build.link(way.outputs[0], placed.inputs["Offset"])
    return placed.outputs[0]


def _some_vertices(build: Builder, mesh: Any, count: int = 64) -> Any:
    """Output geometry of `count` points at vertices spread over the mesh."""
    size = build.node("GeometryNodeAttributeDomainSize")
    build.link(mesh, size.inputs["Geometry"])
    step = build.node("ShaderNodeMath", operation="DIVIDE")
    build.link(size.outputs["Point Count"], step.inputs[0])
    step.inputs[1].default_value = float(count)
    index = build.node("ShaderNodeMath", operation="MULTIPLY")
    build.link(build.node("GeometryNodeInputIndex").outputs[0], index.inputs[0])
    build.link(step.outputs[0], index.inputs[1])
    number = build.node("FunctionNodeFloatToInt", rounding_mode="FLOOR")
    build.link(index.outputs[0], number.inputs[0])
    place = build.node("GeometryNodeSampleIndex", data_type="FLOAT_VECTOR", domain="POINT", clamp=True)
    build.link(mesh, place.inputs["Geometry"])
    build.link(build.node("GeometryNodeInputPosition").outputs[0], place.inputs["Value"])
    build.link(number.outputs[0], place.inputs["Index"])
    points = build.node("GeometryNodePoints")
    points.inputs["Count"].default_value = count
    build.link(place.outputs[0], points.inputs["Position"])
    return points.outputs[0]


def _mean_error(build: Builder, points: Any, level_set: Any, position: Any) -> Any:
    """Output socket: mean distance of the level set at `position` from the value that was meshed."""
    value = build.node("GeometryNodeSampleGrid", data_type="FLOAT")
    build.link(level_set, value.inputs["Grid"])
    build.link(position, value.inputs["Position"])
    difference = build.node("ShaderNodeMath", operation="SUBTRACT")
    build.link(value.outputs["Value"], difference.inputs[0])
    build.link(build.source.outputs["Offset"], difference.inputs[1])
    error = build.node("ShaderNodeMath", operation="ABSOLUTE")
    build.link(difference.outputs[0], error.inputs[0])
    mean = build.node("GeometryNodeAttributeStatistic", data_type="FLOAT")
    build.link(points, mean.inputs["Geometry"])
    build.link(error.outputs[0], mean.inputs["Attribute"])
    return next(socket for socket in mean.outputs if socket.name == "Mean" and socket.enabled)
