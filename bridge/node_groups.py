"""The two node groups that play a bake back in any Blender, without this extension and without frame handlers.

Both turn the scene's frame into a file name by themselves. They are built the same way in Blender 4.5 to 5.2.
"""

from typing import Any, NamedTuple

import bpy

SURFACE_GRID = "surface"
VELOCITY_GRID = "velocity"


class _Builder(NamedTuple):
    tree: Any
    source: Any
    """Group input node."""

    def node(self, kind: str, **settings: Any) -> Any:
        node = self.tree.nodes.new(kind)
        for name, value in settings.items():
            setattr(node, name, value)
        return node

    def link(self, output: Any, to: Any) -> None:
        self.tree.links.new(output, to)

    def attribute(self, name: str) -> Any:
        """Output socket of a float attribute."""
        node = self.node("GeometryNodeInputNamedAttribute", data_type="FLOAT")
        node.inputs["Name"].default_value = name
        return node.outputs["Attribute"]

    def store(self, geometry: Any, name: str, data_type: str, value: Any) -> Any:
        """Output geometry of a "Store Named Attribute"."""
        node = self.node("GeometryNodeStoreNamedAttribute", data_type=data_type)
        node.inputs["Name"].default_value = name
        self.link(geometry, node.inputs["Geometry"])
        self.link(value, node.inputs["Value"])
        return node.outputs["Geometry"]


_INPUTS: tuple[tuple[str, str, Any, str], ...] = (
    ("Path", "NodeSocketString", "", "Files of the sequence; {Sign}{Frame:04} stands for the frame number"),
    ("First Frame", "NodeSocketInt", 1, "Earlier frames show this one"),
    ("Last Frame", "NodeSocketInt", 250, "Later frames show this one"),
    ("Frame Offset", "NodeSocketInt", 0, "Play this many frames later"),
    ("Material", "NodeSocketMaterial", None, "Material of the result"),
)


def _new_group(name: str, extra: tuple[tuple[str, str, Any, str], ...]) -> _Builder:
    tree: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
    tree.is_modifier = True
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    for label, kind, default, description in (*_INPUTS, *extra):
        socket = tree.interface.new_socket(label, in_out="INPUT", socket_type=kind, description=description)
        if default is not None:
            socket.default_value = default
    return _Builder(tree, tree.nodes.new("NodeGroupInput"))


def _frame_path(build: _Builder) -> Any:
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


def _sign(build: _Builder, frame: Any) -> Any:
    """Output socket with "-" below frame 0: Blender numbers sequences -0001, 0000, 0001."""
    negative = build.node("FunctionNodeCompare", data_type="FLOAT", operation="LESS_THAN")
    build.link(frame, negative.inputs[0])
    negative.inputs[1].default_value = -0.5
    sign = build.node("GeometryNodeSwitch", input_type="STRING")
    sign.inputs["True"].default_value = "-"
    build.link(negative.outputs[0], sign.inputs["Switch"])
    return sign.outputs[0]


def _finish(build: _Builder, geometry: Any) -> Any:
    material = build.node("GeometryNodeSetMaterial")
    build.link(geometry, material.inputs["Geometry"])
    build.link(build.source.outputs["Material"], material.inputs["Material"])
    build.link(material.outputs[0], build.node("NodeGroupOutput").inputs[0])
    _arrange(build.tree)
    return build.tree


def surface_group(name: str) -> Any:
    """VDB sequence → smooth mesh with the attribute `velocity` [m/s] for motion blur."""
    extra = (
        ("Offset", "NodeSocketFloat", 0.0, "Distance by which the surface is moved outwards"),
        ("Adaptivity", "NodeSocketFloat", 0.0, "Merge flat areas into larger faces"),
        ("Velocity Scale", "NodeSocketFloat", 1.0, "Strength of motion blur"),
    )
    build = _new_group(name, extra)
    volume = build.node("GeometryNodeImportVDB")
    build.link(_frame_path(build), volume.inputs["Path"])

    def grid(grid_name: str, data_type: str) -> Any:
        node = build.node("GeometryNodeGetNamedGrid", data_type=data_type)
        node.inputs["Name"].default_value = grid_name
        build.link(volume.outputs["Volume"], node.inputs["Volume"])
        return node.outputs["Grid"]

    mesh = build.node("GeometryNodeGridToMesh")
    build.link(grid(SURFACE_GRID, "FLOAT"), mesh.inputs["Grid"])
    build.link(build.source.outputs["Offset"], mesh.inputs["Threshold"])
    build.link(build.source.outputs["Adaptivity"], mesh.inputs["Adaptivity"])
    sample = build.node("GeometryNodeSampleGrid", data_type="VECTOR")
    build.link(grid(VELOCITY_GRID, "VECTOR"), sample.inputs["Grid"])
    scaled = build.node("ShaderNodeVectorMath", operation="SCALE")
    build.link(sample.outputs["Value"], scaled.inputs[0])
    build.link(build.source.outputs["Velocity Scale"], scaled.inputs["Scale"])
    with_velocity = build.store(mesh.outputs["Mesh"], "velocity", "FLOAT_VECTOR", scaled.outputs[0])
    smooth = build.node("GeometryNodeSetShadeSmooth")
    build.link(with_velocity, smooth.inputs[0])
    return _finish(build, smooth.outputs[0])


def points_group(name: str) -> Any:
    """PLY sequence → points with radius [m], `velocity` [m/s] and integer `id`; other properties stay float attributes."""
    build = _new_group(name, (("Radius Scale", "NodeSocketFloat", 1.0, "Size of the points"),))
    vertices = build.node("GeometryNodeImportPLY")
    build.link(_frame_path(build), vertices.inputs[0])
    radius = build.node("ShaderNodeMath", operation="MULTIPLY")
    build.link(build.attribute("radius"), radius.inputs[0])
    build.link(build.source.outputs["Radius Scale"], radius.inputs[1])
    points = build.node("GeometryNodeMeshToPoints")
    build.link(vertices.outputs[0], points.inputs["Mesh"])
    build.link(radius.outputs[0], points.inputs["Radius"])
    velocity = build.node("ShaderNodeCombineXYZ")
    for axis, component in enumerate(("vx", "vy", "vz")):
        build.link(build.attribute(component), velocity.inputs[axis])
    with_velocity = build.store(points.outputs[0], "velocity", "FLOAT_VECTOR", velocity.outputs[0])
    number = build.node("FunctionNodeFloatToInt", rounding_mode="ROUND")
    build.link(build.attribute("pid"), number.inputs[0])
    return _finish(build, build.store(with_velocity, "id", "INT", number.outputs[0]))


def set_input(modifier: Any, name: str, value: Any) -> None:
    """Set an input of a nodes modifier by its label (Blender 5.2 moved them)."""
    for item in modifier.node_group.interface.items_tree:
        if item.item_type == "SOCKET" and item.in_out == "INPUT" and item.name == name:
            if hasattr(modifier, "properties"):
                getattr(modifier.properties.inputs, item.identifier).value = value
            else:
                modifier[item.identifier] = value
            modifier.id_data.update_tag()
            return
    raise KeyError(f"{modifier.node_group.name} has no input {name!r}")


def _arrange(tree: Any) -> None:
    """Columns by distance from the input, so that a person who opens the group can read it."""
    column = {node.name: 0 for node in tree.nodes}
    for _ in range(len(tree.nodes)):
        for link in tree.links:
            column[link.to_node.name] = max(column[link.to_node.name], column[link.from_node.name] + 1)
    height: dict[int, float] = {}
    for node in tree.nodes:
        place = column[node.name]
        node.location = (place * 220.0, -height.get(place, 0.0))
        height[place] = height.get(place, 0.0) + 190.0
