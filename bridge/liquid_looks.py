"""What liquids look like in Cycles: glass with the liquid's own index of refraction, milk, honey, a metal mirror."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..solvers.materials import drops_params

Colour = tuple[float, float, float]


class LiquidLook(NamedTuple):
    """How one liquid treats light."""

    label: str
    ior: float
    surface: str
    """"clear", "milky" or "metal"."""
    colour: Colour
    """Clear: what is left of white light after `depth`; else the colour itself."""
    depth: float
    """Way [m] that light goes in the liquid until it has lost what the colour lacks, or comes out again."""


def _look(preset: str, surface: str, colour: Colour, depth: float) -> LiquidLook:
    known = drops_params.PRESETS[preset]
    return LiquidLook(known.label, known.ior, surface, colour, depth)


LOOKS = {
    "water": _look("water", "clear", (0.55, 0.83, 0.90), 0.6),
    "soapy_water": _look("soapy_water", "clear", (0.80, 0.86, 0.88), 0.15),
    "milk": _look("milk", "milky", (0.95, 0.93, 0.87), 0.0015),
    "honey": _look("honey", "clear", (0.90, 0.48, 0.03), 0.004),
    "mercury": _look("mercury", "metal", (0.79, 0.79, 0.81), 0.0),
}
"""By preset of Drops."""
_ALIKE = {"density": 1.3, "surface_tension": 1.3, "viscosity": 4.0}
"""Factors within which settings count as those of a preset."""


def look_of(kind: str, settings: Mapping[str, Any]) -> LiquidLook:
    """The look of the preset that the settings are, or nearly are; water's if there is none. Bulk Water is water."""
    for name, preset in drops_params.PRESETS.items():
        if kind == "drops" and all(_alike(settings.get(entry), preset, entry) for entry in _ALIKE):
            return LOOKS[name]
    return LOOKS["water"]


def _alike(value: Any, preset: drops_params.DropsPreset, entry: str) -> bool:
    wanted = getattr(preset.params, entry)
    return isinstance(value, (int, float)) and wanted / _ALIKE[entry] <= value <= wanted * _ALIKE[entry]


def build(tree: Any, look: LiquidLook) -> None:
    """The nodes of a new material."""
    shader = tree.nodes["Principled BSDF"]
    shader.inputs["IOR"].default_value = look.ior
    if look.surface == "clear":
        shader.inputs["Base Color"].default_value = (1.0, 1.0, 1.0, 1.0)
        shader.inputs["Roughness"].default_value = 0.0
        shader.inputs["Transmission Weight"].default_value = 1.0
        _absorb(tree, look)
        _let_light_through(tree, shader, look)
        return
    shader.inputs["Base Color"].default_value = (*look.colour, 1.0)
    if look.surface == "metal":
        shader.inputs["Metallic"].default_value = 1.0
        shader.inputs["Roughness"].default_value = 0.015
        return
    shader.inputs["Roughness"].default_value = 0.06
    shader.inputs["Subsurface Weight"].default_value = 1.0
    shader.inputs["Subsurface Radius"].default_value = (1.0, 0.8, 0.55)
    shader.inputs["Subsurface Scale"].default_value = look.depth


def _absorb(tree: Any, look: LiquidLook) -> None:
    absorption = tree.nodes.new("ShaderNodeVolumeAbsorption")
    absorption.inputs["Color"].default_value = (*look.colour, 1.0)
    absorption.inputs["Density"].default_value = 1.0 / look.depth
    absorption.location = (0.0, -420.0)
    tree.links.new(absorption.outputs[0], tree.nodes["Material Output"].inputs["Volume"])


def _let_light_through(tree: Any, shader: Any, look: LiquidLook) -> None:
    """Shadow rays pass, a little tinted: a drop on a table is bright below, without the noise of caustics."""
    path, clear = tree.nodes.new("ShaderNodeLightPath"), tree.nodes.new("ShaderNodeBsdfTransparent")
    mix = tree.nodes.new("ShaderNodeMixShader")
    clear.inputs["Color"].default_value = (*(0.94 * 0.5 * (1.0 + part) for part in look.colour), 1.0)
    tree.links.new(path.outputs["Is Shadow Ray"], mix.inputs["Fac"])
    tree.links.new(shader.outputs[0], mix.inputs[1])
    tree.links.new(clear.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], tree.nodes["Material Output"].inputs["Surface"])
    for node, place in ((path, (-60.0, 460.0)), (clear, (0.0, -260.0)), (mix, (320.0, 200.0))):
        node.location = place
    tree.nodes["Material Output"].location = (560.0, 200.0)
