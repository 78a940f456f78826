"""Small tools to build geometry node groups and to reach the inputs of their modifiers in Blender 4.5 to 5.2."""

from typing import Any, NamedTuple

import bpy

Input = tuple[str, str, Any, str]
"""Label, type, default and description of a group's input."""


class Builder(NamedTuple):
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


def new_group(name: str, inputs: tuple[Input, ...]) -> Builder:
    tree: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
    tree.is_modifier = True
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    for label, kind, default, description in inputs:
        socket = tree.interface.new_socket(label, in_out="INPUT", socket_type=kind, description=description)
        if default is not None:
            socket.default_value = default
    return Builder(tree, tree.nodes.new("NodeGroupInput"))


def arrange(tree: Any) -> None:
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


def _identifier(modifier: Any, name: str) -> str:
    for item in modifier.node_group.interface.items_tree:
        if item.item_type == "SOCKET" and item.in_out == "INPUT" and item.name == name:
            return item.identifier
    raise KeyError(f"{modifier.node_group.name} has no input {name!r}")


def get_input(modifier: Any, name: str) -> Any:
    """An input of a nodes modifier by its label (Blender 5.2 moved them)."""
    identifier = _identifier(modifier, name)
    if hasattr(modifier, "properties"):
        return getattr(modifier.properties.inputs, identifier).value
    return modifier[identifier]


def set_input(modifier: Any, name: str, value: Any) -> None:
    """Set an input of a nodes modifier by its label."""
    identifier = _identifier(modifier, name)
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, identifier).value = value
    else:
        modifier[identifier] = value
    modifier.id_data.update_tag()
