"""Rocks instead of points: a node group that puts an object, or one of a collection's, on every grain, turned and scaled with it.

Native nodes and nothing else: the file renders where the extension is not installed. Between two frames the nodes carry position
and rotation on by velocity and spin, so that motion blur, which asks for places within a frame, sees instances move.
"""

from typing import Any

from ..solvers.bake.files import file_name
from ..solvers.materials.registry import MATERIALS
from . import node_groups
from .node_builder import Builder, Input, arrange, new_group
from .presets import kind_with_settings
from .stored_paths import KIND, OUTPUT

MODIFIER = "Tsubu instances"
_INPUTS: tuple[Input, ...] = (
    ("Geometry", "NodeSocketGeometry", None, "Grains as points"),
    ("Object", "NodeSocketObject", None, "What stands on every grain"),
    ("Collection", "NodeSocketCollection", None, "One of its objects stands on every grain, always the same one"),
    ("Size", "NodeSocketFloat", 1.0, "Width of the object as it was modelled; it is scaled to the diameter of each grain"),
    ("Scale", "NodeSocketFloat", 1.0, "Larger or smaller than the grains"),
    ("Frame Rate", "NodeSocketFloat", 24.0, "Frames per second, for motion blur"),
)


def refresh(scene: Any, players: list[Any]) -> None:
    """Give the point objects among `players` the instances that the bodies and emitters of `scene` ask for, or none."""
    for item in players:
        if item[KIND] != "points":
            continue
        choice = _choice(scene, item[OUTPUT])
        modifier: Any = item.modifiers.get(MODIFIER)
        if choice is None:
            if modifier is not None:
                _remove(item, modifier)
            continue
        if modifier is None:
            modifier = item.modifiers.new(MODIFIER, "NODES")
            modifier.node_group = node_groups.shared_group("instances", _new_group)
        shown, collection = choice
        node_groups.set_input(modifier, "Object", None if collection else shown)
        node_groups.set_input(modifier, "Collection", collection)
        node_groups.set_input(modifier, "Size", _width(list(collection.all_objects) if collection else [shown]))
        node_groups.set_input(modifier, "Frame Rate", scene.render.fps / scene.render.fps_base)


def _remove(item: Any, modifier: Any) -> None:
    item.modifiers.remove(modifier)
    item.update_tag()


def _choice(scene: Any, output: str) -> tuple[Any, Any] | None:
    """Object and collection that the first body or emitter of an output asks for."""
    for item in scene.objects:
        kind = kind_with_settings(item)
        if kind is None or not MATERIALS[kind].turns:
            continue
        own = item.tsubu.output or (MATERIALS[kind].label if MATERIALS[kind].shared_surface else item.name)
        if file_name(own) == output and (item.tsubu.instance_object or item.tsubu.instance_collection):
            return item.tsubu.instance_object, item.tsubu.instance_collection
    return None


def _width(items: list[Any]) -> float:
    """Mean extent of the objects as they were modelled, in Blender units."""
    widths = []
    for item in items:
        low = [min(corner[axis] for corner in item.bound_box) for axis in range(3)]
        high = [max(corner[axis] for corner in item.bound_box) for axis in range(3)]
        widths.append(sum(b - a for a, b in zip(low, high, strict=True)) / 3.0)
    known = [width for width in widths if width > 0.0]
    return sum(known) / len(known) if known else 1.0


def _since_frame(build: Builder) -> Any:
    """Output socket with the seconds since the frame whose file is shown: 0 but within motion blur."""
    time = build.node("GeometryNodeInputSceneTime")
    whole = build.node("ShaderNodeMath", operation="ROUND")
    build.link(time.outputs["Frame"], whole.inputs[0])
    part = build.node("ShaderNodeMath", operation="SUBTRACT")
    build.link(time.outputs["Frame"], part.inputs[0])
    build.link(whole.outputs[0], part.inputs[1])
    seconds = build.node("ShaderNodeMath", operation="DIVIDE")
    build.link(part.outputs[0], seconds.inputs[0])
    build.link(build.source.outputs["Frame Rate"], seconds.inputs[1])
    return seconds.outputs[0]


def _named(build: Builder, name: str, data_type: str) -> Any:
    node = build.node("GeometryNodeInputNamedAttribute", data_type=data_type)
    node.inputs["Name"].default_value = name
    return node


def _rotation(build: Builder, seconds: Any) -> Any:
    """Output socket with the rotation of every grain, carried on by its spin."""
    whole = _named(build, "rotation", "QUATERNION")  # USD
    parts = build.node("FunctionNodeQuaternionToRotation")  # PLY knows single numbers only
    for letter in "wxyz":
        build.link(build.attribute(f"rotation_{letter}"), parts.inputs[letter.upper()])
    chosen = build.node("GeometryNodeSwitch", input_type="ROTATION")
    build.link(whole.outputs["Exists"], chosen.inputs["Switch"])
    build.link(parts.outputs[0], chosen.inputs["False"])
    build.link(whole.outputs["Attribute"], chosen.inputs["True"])
    spin = _named(build, "spin", "FLOAT_VECTOR").outputs["Attribute"]
    size = build.node("ShaderNodeVectorMath", operation="LENGTH")
    build.link(spin, size.inputs[0])
    angle = build.node("ShaderNodeMath", operation="MULTIPLY")
    build.link(size.outputs["Value"], angle.inputs[0])
    build.link(seconds, angle.inputs[1])
    turn = build.node("FunctionNodeAxisAngleToRotation")
    build.link(spin, turn.inputs["Axis"])
    build.link(angle.outputs[0], turn.inputs["Angle"])
    turned = build.node("FunctionNodeRotateRotation", rotation_space="GLOBAL")
    build.link(chosen.outputs[0], turned.inputs["Rotation"])
    build.link(turn.outputs[0], turned.inputs["Rotate By"])
    return turned.outputs[0]


def _sources(build: Builder) -> Any:
    """Output socket with everything that may stand on a grain, as instances."""
    single = build.node("GeometryNodeObjectInfo", transform_space="ORIGINAL")
    single.inputs["As Instance"].default_value = True
    build.link(build.source.outputs["Object"], single.inputs["Object"])
    several = build.node("GeometryNodeCollectionInfo", transform_space="ORIGINAL")
    several.inputs["Separate Children"].default_value = True
    several.inputs["Reset Children"].default_value = True
    build.link(build.source.outputs["Collection"], several.inputs["Collection"])
    both = build.node("GeometryNodeJoinGeometry")
    build.link(single.outputs["Geometry"], both.inputs[0])
    build.link(several.outputs[0], both.inputs[0])
    return both.outputs[0]


def _size(build: Builder) -> Any:
    """Output socket: diameter of the grain over the width of the object."""
    wide = build.node("ShaderNodeMath", operation="MULTIPLY")
    build.link(build.attribute("radius"), wide.inputs[0])
    wide.inputs[1].default_value = 2.0
    scaled = build.node("ShaderNodeMath", operation="MULTIPLY")
    build.link(wide.outputs[0], scaled.inputs[0])
    build.link(build.source.outputs["Scale"], scaled.inputs[1])
    part = build.node("ShaderNodeMath", operation="DIVIDE")
    build.link(scaled.outputs[0], part.inputs[0])
    build.link(build.source.outputs["Size"], part.inputs[1])
    return part.outputs[0]


def _new_group(name: str) -> Any:
    """Points with radius, rotation, velocity, spin and pid → instances whose identity stays with the grain."""
    build = new_group(name, _INPUTS)
    seconds, number = _since_frame(build), _named(build, "pid", "INT").outputs["Attribute"]
    moved = build.node("ShaderNodeVectorMath", operation="SCALE")
    build.link(_named(build, "velocity", "FLOAT_VECTOR").outputs["Attribute"], moved.inputs[0])
    build.link(seconds, moved.inputs["Scale"])
    placed = build.node("GeometryNodeSetPosition")
    build.link(build.source.outputs["Geometry"], placed.inputs["Geometry"])
    build.link(moved.outputs[0], placed.inputs["Offset"])
    known = build.node("GeometryNodeSetID")
    build.link(placed.outputs[0], known.inputs["Geometry"])
    build.link(number, known.inputs["ID"])
    pick = build.node("FunctionNodeRandomValue", data_type="INT")
    _socket(pick, "Min").default_value, _socket(pick, "Max").default_value = 0, 1 << 20
    build.link(number, pick.inputs["ID"])
    copies = build.node("GeometryNodeInstanceOnPoints")
    build.link(known.outputs[0], copies.inputs["Points"])
    build.link(_sources(build), copies.inputs["Instance"])
    copies.inputs["Pick Instance"].default_value = True
    build.link(_socket(pick, "Value", pick.outputs), copies.inputs["Instance Index"])
    build.link(_rotation(build, seconds), copies.inputs["Rotation"])
    build.link(_size(build), copies.inputs["Scale"])
    build.link(copies.outputs[0], build.node("NodeGroupOutput").inputs[0])
    arrange(build.tree)
    return build.tree


def _socket(node: Any, name: str, sockets: Any = None) -> Any:
    """The enabled one of several sockets of the same name."""
    return next(entry for entry in (node.inputs if sockets is None else sockets) if entry.name == name and entry.enabled)
