"""How a bake is shown: its playback objects one by one, and the zones of hybrid grains in colour."""

from typing import Any

import bpy

from .stored_paths import KIND, OUTPUT, is_playback

POINTS, SURFACE, MESH = "points", "surface", "mesh"
_ORDER = (MESH, SURFACE, POINTS)
_BEFORE = "tsubu_before_zones"
"""Remembers on a playback object which material it had before its zones were shown."""
_ZONES = "Tsubu Zones"
_COLOURS = ((0.83, 0.60, 0.25, 1.0), (0.80, 0.12, 0.10, 1.0), (0.08, 0.28, 0.62, 1.0))
"""Single grains, the rim where both are, the continuum."""


def shown(scene: Any) -> list[Any]:
    """The playback objects of a scene: output by output, what is best to look at first."""
    found = [item for item in scene.objects if is_playback(item)]
    return sorted(found, key=lambda item: (str(item[OUTPUT]), _ORDER.index(item[KIND]) if item[KIND] in _ORDER else 9))


def has_zones(item: Any) -> bool:
    """Whether the points that an object plays tell where they are grains and where a continuum, in the present frame."""
    if not is_playback(item) or item[KIND] != POINTS:
        return False
    evaluated = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return "zone" in getattr(evaluated.data, "attributes", ())


def shows_zones(item: Any) -> bool:
    return any(slot.material is not None and slot.material.name == _ZONES for slot in item.material_slots)


def switch_zones(item: Any) -> None:
    """Shows the zones, or the material from before."""
    slot = item.material_slots[0]
    if shows_zones(item):
        slot.material = bpy.data.materials.get(item.pop(_BEFORE, ""))
    else:
        item[_BEFORE] = slot.material.name if slot.material is not None else ""
        slot.material = bpy.data.materials.get(_ZONES) or _zones_material()


def _zones_material() -> Any:
    material: Any = bpy.data.materials.new(_ZONES)
    material.use_nodes = True
    tree = material.node_tree
    zone, middle = tree.nodes.new("ShaderNodeAttribute"), tree.nodes.new("ShaderNodeMapRange")
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    zone.attribute_type, zone.attribute_name = "GEOMETRY", "zone"
    middle.inputs["From Min"].default_value, middle.inputs["From Max"].default_value = -0.5, 2.5
    ramp.color_ramp.interpolation = "CONSTANT"
    ramp.color_ramp.elements.new(0.5)
    for index, (element, colour) in enumerate(zip(ramp.color_ramp.elements, _COLOURS, strict=True)):
        element.position, element.color = index / 3.0, colour
    tree.links.new(zone.outputs["Fac"], middle.inputs["Value"])
    tree.links.new(middle.outputs["Result"], ramp.inputs["Fac"])
    tree.links.new(ramp.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    return material
