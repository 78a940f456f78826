"""Renders solids as skins, one picture a panel; started by `benchmarks.solid_sheet` in a process of its own.

    python -m benchmarks.solid_picture PANELS.npz FOLDER
"""

import os
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from examples import studio

_RAMP = ((0.0, (0.62, 0.10, 0.045, 1.0)), (0.49, (0.80, 0.22, 0.06, 1.0)), (0.51, (0.86, 0.50, 0.10, 1.0)),
         (1.0, (0.93, 0.66, 0.24, 1.0)))  # fmt: skip
"""Clay in two tones, so that one sees which half went where."""


def _material() -> Any:
    material = studio.new_material("Solid", roughness=0.45, Coat_Weight=0.25)
    tree = material.node_tree
    shade, ramp = tree.nodes.new("ShaderNodeAttribute"), tree.nodes.new("ShaderNodeValToRGB")
    shade.attribute_name = "shade"
    ramp.color_ramp.elements.remove(ramp.color_ramp.elements[1])
    for index, (place, colour) in enumerate(_RAMP):
        element = ramp.color_ramp.elements[0] if index == 0 else ramp.color_ramp.elements.new(place)
        element.position, element.color = place, colour
    tree.links.new(shade.outputs["Fac"], ramp.inputs["Fac"])
    tree.links.new(ramp.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    return material


def add_skin(points: np.ndarray, shade: np.ndarray, spacing: float) -> None:
    """A smooth skin around the particles that takes the `shade` of the nearest one."""
    mesh = bpy.data.meshes.new("Solid")
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(points, np.float32).ravel())
    mesh.attributes.new("shade", "FLOAT", "POINT").data.foreach_set("value", np.asarray(shade, np.float32))
    item = bpy.data.objects.new("Solid", mesh)
    bpy.context.scene.collection.objects.link(item)
    tree: Any = bpy.data.node_groups.new("Skin", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    kinds = ("NodeGroupInput", "GeometryNodeMeshToPoints", "GeometryNodePointsToVolume", "GeometryNodeVolumeToMesh")
    kinds += ("GeometryNodeStoreNamedAttribute", "GeometryNodeSetShadeSmooth", "GeometryNodeSetMaterial", "NodeGroupOutput")
    chain = [tree.nodes.new(kind) for kind in kinds]
    for first, second in zip(chain, chain[1:], strict=False):
        tree.links.new(first.outputs[0], second.inputs[0])
    chain[1].inputs["Radius"].default_value, chain[2].inputs["Radius"].default_value = spacing, 1.05 * spacing
    for node in chain[2:4]:
        node.inputs["Resolution Mode"].default_value = "Size"
        node.inputs["Voxel Size"].default_value = 0.4 * spacing
    nearest, known = tree.nodes.new("GeometryNodeSampleNearest"), tree.nodes.new("GeometryNodeInputNamedAttribute")
    sample = tree.nodes.new("GeometryNodeSampleIndex")
    nearest.domain, known.data_type = "POINT", "FLOAT"
    known.inputs["Name"].default_value = chain[4].inputs["Name"].default_value = "shade"
    tree.links.new(chain[0].outputs[0], nearest.inputs["Geometry"])
    tree.links.new(chain[0].outputs[0], sample.inputs["Geometry"])
    tree.links.new(known.outputs["Attribute"], sample.inputs["Value"])
    tree.links.new(nearest.outputs["Index"], sample.inputs["Index"])
    tree.links.new(sample.outputs["Value"], chain[4].inputs["Value"])
    chain[6].inputs["Material"].default_value = _material()
    item.modifiers.new("Skin", "NODES").node_group = tree
    smooth: Any = item.modifiers.new("Smooth", "SMOOTH")
    smooth.factor, smooth.iterations = 0.5, 12


def main(job: Path, folder: Path) -> None:
    with np.load(job, allow_pickle=False) as archive:
        data = {name: archive[name] for name in archive.files}
    width, height = (int(part) for part in data["size"])
    for panel in range(int(data["panels"])):
        studio.empty_scene(width, height, 24)
        add_skin(data[f"points_{panel}"], data[f"shade_{panel}"], float(data[f"spacing_{panel}"]))
        low, high = (np.array(part) for part in data[f"box_{panel}"])
        for number in range(sum(name.startswith(f"vertices_{panel}_") for name in data)):
            wall = data[f"vertices_{panel}_{number}"], data[f"triangles_{panel}_{number}"]
            studio.add_mesh(f"Wall {number}", *wall, studio.new_material("Wall", (0.36, 0.40, 0.44), 0.6))
        studio.add_ground(float(low[2]), 1.6 * float(np.linalg.norm(high - low)))
        studio.light(low, high)
        place, target = data[f"camera_{panel}"]
        studio.add_camera(tuple(place), tuple(target))
        studio.render(folder / f"{panel}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
    sys.stdout.flush()
    os._exit(0)  # Blender's module may hang when it is torn down after a render
