"""What is allowed with grains but probably not meant. Plain numpy: Blender's own process asks too."""

import math

from ..materials.grains_params import GrainsParams
from ..mesh.triangles import volume
from ..scene import Body, Scene


def light_bodies(scene: Scene) -> list[tuple[str, str]]:
    """Free colliders that weigh less than the heaviest grain: name, and what to do, in words for the artist."""
    heaviest = 0.0
    for source in (*scene.bodies, *scene.emitters):
        if source.kind == "grains":
            params = (source.params if isinstance(source, Body) else source.material) or GrainsParams()
            heaviest = max(heaviest, math.pi / 6.0 * params.density * (params.size * (1.0 + params.size_spread)) ** 3)
    found = []
    for collider in scene.walls:
        if not collider.params.free:
            continue
        mass = collider.params.mass or collider.params.density * abs(volume(collider.mesh.at(0), collider.mesh.triangles))
        if mass < heaviest:
            text = f"it weighs {_grams(mass)}, less than a grain ({_grams(heaviest)}), and will be thrown about by single ones"
            found.append((collider.name, text))
    return found


def _grams(kilograms: float) -> str:
    """0.0012 → "1.2 g"."""
    for unit, size in (("kg", 1.0), ("g", 1.0e-3), ("mg", 1.0e-6)):
        if kilograms >= size:
            return f"{kilograms / size:.3g} {unit}"
    return f"{kilograms / 1.0e-9:.3g} µg"
