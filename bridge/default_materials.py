"""Materials that new playback objects begin with, by body kind, so that the first render looks like the thing.

An artist's own material in the slot always wins, and stays through every new bake.
"""

from collections.abc import Callable, Mapping
from typing import Any

import bpy

from . import liquid_looks

_MARK = "tsubu_default"
_SAND = (
    (0.0, (0.30, 0.19, 0.10)), (0.35, (0.52, 0.36, 0.20)), (0.75, (0.68, 0.52, 0.33)), (0.94, (0.80, 0.72, 0.58)),
    (1.0, (0.10, 0.08, 0.07)),
)  # fmt: skip
"""Colours of single grains by chance: iron-stained, plain and clear quartz, here and there a dark mineral."""


def default_material(kind: str, settings: Mapping[str, Any] | None = None) -> Any:
    """The material for a body kind with these settings, made once per file; None if the kind has none."""
    if kind in ("water", "drops"):
        look = liquid_looks.look_of(kind, settings or {})
        return _made(look.label, look.label, lambda tree: liquid_looks.build(tree, look))
    return _made(kind, kind.capitalize(), _MAKERS[kind]) if kind in _MAKERS else None


def _made(mark: str, label: str, build: Callable[[Any], None]) -> Any:
    for material in bpy.data.materials:
        if material.get(_MARK) == mark and material.library is None:
            return material
    material: Any = bpy.data.materials.new(f"Tsubu {label}")
    material[_MARK] = mark
    material.use_nodes = True
    build(material.node_tree)
    return material


def _grains(tree: Any) -> None:
    """Every grain has a colour of its own, chosen by its number, so that it keeps it while it moves."""
    shader = tree.nodes["Principled BSDF"]
    number = tree.nodes.new("ShaderNodeAttribute")
    number.attribute_type, number.attribute_name = "GEOMETRY", "pid"
    chance = tree.nodes.new("ShaderNodeTexWhiteNoise")
    chance.noise_dimensions = "1D"
    tree.links.new(number.outputs["Fac"], chance.inputs["W"])
    colour = tree.nodes.new("ShaderNodeValToRGB")
    ramp = colour.color_ramp
    while len(ramp.elements) < len(_SAND):
        ramp.elements.new(0.5)
    for element, (place, rgb) in zip(ramp.elements, _SAND, strict=True):
        element.position, element.color = place, (*rgb, 1.0)
    tree.links.new(chance.outputs["Value"], colour.inputs["Fac"])
    rough = tree.nodes.new("ShaderNodeMapRange")
    rough.inputs["To Min"].default_value, rough.inputs["To Max"].default_value = 0.55, 0.95
    tree.links.new(chance.outputs["Color"], rough.inputs["Value"])
    tree.links.new(colour.outputs["Color"], shader.inputs["Base Color"])
    tree.links.new(rough.outputs["Result"], shader.inputs["Roughness"])
    shader.inputs["Specular IOR Level"].default_value = 0.35
    for column, node in enumerate((number, chance, colour, shader)):
        node.location = (-900.0 + 280.0 * column, 0.0)
    rough.location = (-340.0, -280.0)


def _foam(tree: Any) -> None:
    """White and soft: light comes out again some millimetres away, so that thin peaks glow; bubbles break the gloss."""
    shader = tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (0.93, 0.92, 0.89, 1.0)
    shader.inputs["Roughness"].default_value = 0.5
    shader.inputs["Subsurface Weight"].default_value = 1.0
    shader.inputs["Subsurface Radius"].default_value = (1.0, 0.85, 0.7)
    shader.inputs["Subsurface Scale"].default_value = 0.004
    shader.inputs["Specular IOR Level"].default_value = 0.35
    bubbles, bump = tree.nodes.new("ShaderNodeTexNoise"), tree.nodes.new("ShaderNodeBump")
    bubbles.inputs["Scale"].default_value, bubbles.inputs["Detail"].default_value = 900.0, 3.0
    bump.inputs["Strength"].default_value, bump.inputs["Distance"].default_value = 0.08, 0.0005
    place = tree.nodes.new("ShaderNodeNewGeometry")
    tree.links.new(place.outputs["Position"], bubbles.inputs["Vector"])
    tree.links.new(bubbles.outputs[0], bump.inputs["Height"])
    tree.links.new(bump.outputs["Normal"], shader.inputs["Normal"])
    for column, node in enumerate((place, bubbles, bump, shader)):
        node.location = (-840.0 + 280.0 * column, 0.0)


_MAKERS: dict[str, Callable[[Any], None]] = {"grains": _grains, "foam": _foam}
