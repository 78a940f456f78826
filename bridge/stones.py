"""Stones to show in the place of grains: a handful of broken pebbles in a collection, with a material that tints each instance.

They are ordinary meshes; an artist may sculpt, repaint or replace them.
"""

from typing import Any

import bpy
import numpy as np

from ..solvers.scene import Mesh

_MARK = "tsubu_stones"
_COUNT = 6
Tones = tuple[tuple[float, tuple[float, float, float]], ...]
TONES: dict[str, tuple[str, Tones, float]] = {
    "SAND": (
        "Sand",
        ((0.0, (0.23, 0.14, 0.07)), (0.3, (0.42, 0.28, 0.15)), (0.7, (0.58, 0.43, 0.26)), (0.95, (0.72, 0.62, 0.47)),
         (1.0, (0.07, 0.06, 0.05))),
        0.65,
    ),
    "GRAVEL": (
        "Gravel",
        ((0.0, (0.07, 0.065, 0.06)), (0.3, (0.15, 0.135, 0.12)), (0.6, (0.25, 0.22, 0.185)), (0.85, (0.35, 0.31, 0.26)),
         (1.0, (0.50, 0.47, 0.42))),
        0.8,
    ),
    "WHITE": ("Sugar or Snow", ((0.0, (0.80, 0.80, 0.82)), (1.0, (0.93, 0.93, 0.92))), 0.35),
}  # fmt: skip
"""Label, colours by chance and roughness of each kind of stone."""


def stone(number: int, subdivisions: int = 2) -> Mesh:
    """A broken stone about one unit wide, another one for every number: a ball cut by planes, then roughened."""
    random = np.random.default_rng(number)
    ball = Mesh.sphere((0.0, 0.0, 0.0), 1.0, subdivisions)
    place = ball.vertices.copy()
    for _ in range(14):
        normal = random.normal(size=3)
        normal /= np.linalg.norm(normal)
        over = place @ normal - random.uniform(0.6, 0.9)
        place -= np.where(over > 0.0, over, 0.0)[:, None] * normal
    place *= random.uniform(0.8, 1.15, 3)
    wave = random.normal(size=(6, 3)) * 4.0
    place *= (1.0 + 0.04 * np.cos(ball.vertices @ wave.T + random.uniform(0.0, 6.3, 6)).mean(axis=1))[:, None]
    middle, extent = 0.5 * (place.min(axis=0) + place.max(axis=0)), float(np.ptp(place, axis=0).mean())
    return Mesh((place - middle) / extent, ball.triangles)


def stones_collection(tone: str) -> Any:
    """The stones of one tone, made once per file. The collection is in no scene: only its instances are seen."""
    for collection in bpy.data.collections:
        if collection.get(_MARK) == tone and collection.library is None and len(collection.objects):
            return collection
    label = TONES[tone][0]
    collection = bpy.data.collections.new(f"Tsubu {label}")
    collection[_MARK] = tone
    material = _material(tone)
    for number in range(_COUNT):
        shape = stone(number)
        mesh: Any = bpy.data.meshes.new(f"{label} {number + 1}")
        mesh.from_pydata(shape.vertices.tolist(), [], shape.triangles.tolist())
        mesh.materials.append(material)
        collection.objects.link(bpy.data.objects.new(mesh.name, mesh))
    return collection


def _material(tone: str) -> Any:
    """Every instance has a colour of its own by chance, which stays with its grain."""
    label, colours, roughness = TONES[tone]
    material: Any = bpy.data.materials.new(f"Tsubu {label}")
    material.use_nodes = True
    tree = material.node_tree
    shader = tree.nodes["Principled BSDF"]
    info, ramp = tree.nodes.new("ShaderNodeObjectInfo"), tree.nodes.new("ShaderNodeValToRGB")
    while len(ramp.color_ramp.elements) < len(colours):
        ramp.color_ramp.elements.new(0.5)
    for element, (place, colour) in zip(ramp.color_ramp.elements, colours, strict=True):
        element.position, element.color = place, (*colour, 1.0)
    tree.links.new(info.outputs["Random"], ramp.inputs["Fac"])
    tree.links.new(ramp.outputs["Color"], shader.inputs["Base Color"])
    shader.inputs["Roughness"].default_value = roughness
    for column, node in enumerate((info, ramp, shader)):
        node.location = (-700.0 + 330.0 * column, 0.0)
    return material
