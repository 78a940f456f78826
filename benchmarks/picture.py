"""Renders a picture of particles; started by `benchmarks.common.render_points` in a process of its own."""

import os
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from examples import studio

_RAMP = ((0.0, (0.010, 0.060, 0.190, 1.0)), (0.45, (0.020, 0.250, 0.560, 1.0)), (1.0, (0.640, 0.850, 0.960, 1.0)))


_SAND = ((0.0, (0.20, 0.11, 0.05, 1.0)), (0.5, (0.52, 0.34, 0.18, 1.0)), (1.0, (0.80, 0.68, 0.50, 1.0)))


def particle_material(look: str) -> Any:
    """Satin beads, coloured by the attribute `shade` from 0 (deep) to 1 (light)."""
    material = studio.new_material("Particles", roughness=0.35)
    tree = material.node_tree
    shade = tree.nodes.new("ShaderNodeAttribute")
    shade.attribute_name = "shade"
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.elements.remove(ramp.color_ramp.elements[1])
    for index, (place, colour) in enumerate(_SAND if look == "sand" else _RAMP):
        element = ramp.color_ramp.elements[0] if index == 0 else ramp.color_ramp.elements.new(place)
        element.position, element.color = place, colour
    tree.links.new(shade.outputs["Fac"], ramp.inputs["Fac"])
    tree.links.new(ramp.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    return material


def add_particles(points: np.ndarray, shade: np.ndarray, radius: float, look: str) -> Any:
    """Beads as a point cloud, made by a node group from a mesh of vertices."""
    mesh = bpy.data.meshes.new("Particles")
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(points, dtype=np.float32).ravel())
    mesh.attributes.new("shade", "FLOAT", "POINT").data.foreach_set("value", shade)
    item = bpy.data.objects.new("Particles", mesh)
    bpy.context.scene.collection.objects.link(item)
    tree: Any = bpy.data.node_groups.new("Beads", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    source, beads = tree.nodes.new("NodeGroupInput"), tree.nodes.new("GeometryNodeMeshToPoints")
    material, result = tree.nodes.new("GeometryNodeSetMaterial"), tree.nodes.new("NodeGroupOutput")
    beads.inputs["Radius"].default_value = radius
    material.inputs["Material"].default_value = particle_material(look)
    for output, to in ((source, beads), (beads, material), (material, result)):
        tree.links.new(output.outputs[0], to.inputs[0])
    item.modifiers.new("Beads", "NODES").node_group = tree
    return item


def add_skin(vertices: np.ndarray, triangles: np.ndarray, depth: float, look: str) -> Any:
    """The surface of foam, in which light comes out again about `depth` [m] away, or of water."""
    mesh = bpy.data.meshes.new("Foam")
    mesh.vertices.add(len(vertices))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(vertices, dtype=np.float32).ravel())
    mesh.loops.add(triangles.size)
    mesh.loops.foreach_set("vertex_index", np.ascontiguousarray(triangles, dtype=np.int32).ravel())
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", np.arange(0, triangles.size, 3, dtype=np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(len(triangles), bool))
    mesh.update()
    mesh.materials.append(studio.water_material(10.0 * depth) if look == "water" else studio.foam_material(depth))
    item = bpy.data.objects.new("Foam", mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


def main(job: Path, path: Path) -> None:
    with np.load(job, allow_pickle=False) as archive:
        data = {name: archive[name] for name in archive.files}
    width, height = (int(part) for part in data["size"])
    studio.empty_scene(width, height, int(data["samples"]))
    if "skin_vertices" in data:
        add_skin(data["skin_vertices"], data["skin_triangles"], 2.0 * float(data["radius"]), str(data["look"]))
    else:
        add_particles(data["points"], data["shade"], float(data["radius"]), str(data["look"]))
    corners = [data["points"].reshape(-1, 3)]
    for index in range(sum(name.startswith("wall_vertices_") for name in data)):
        wall = studio.add_mesh(f"Wall {index}", data[f"wall_vertices_{index}"], data[f"wall_triangles_{index}"])
        studio.show_as_wall(wall)
        corners.append(data[f"wall_vertices_{index}"])
    for index in range(sum(name.startswith("solid_vertices_") for name in data)):
        arrays = data[f"solid_vertices_{index}"], data[f"solid_triangles_{index}"]
        colour = ((0.62, 0.40, 0.28), (0.45, 0.27, 0.13), (0.30, 0.33, 0.36))[index % 3]
        look = str(data["looks"][index]) if index < len(data["looks"]) else ""
        material = studio.wall_material(look) if look else studio.new_material(f"Solid {index}", colour, 0.6)
        studio.add_mesh(f"Solid {index}", *arrays, material, smooth=len(arrays[1]) > 400)
        corners.append(arrays[0])
    everything = np.concatenate(corners)
    low, high = everything.min(axis=0), everything.max(axis=0)
    studio.add_ground(float(low[2]) - 1.0e-3 * float(np.linalg.norm(high - low)), float(np.linalg.norm(high - low)))
    studio.light(low, high)
    if "camera" in data:
        studio.add_camera(tuple(data["camera"][0]), tuple(data["camera"][1]), float(data["lens"]))
    else:
        studio.frame(low, high)
    studio.render(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
    sys.stdout.flush()
    os._exit(0)  # Blender's module may hang when it is torn down after a render
