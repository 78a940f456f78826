"""A small photo studio in Blender: ground, softboxes, camera, materials, Cycles. No pictures from outside are needed."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np

Colour = tuple[float, float, float]
Point = tuple[float, float, float]


def empty_scene(width: int, height: int, samples: int) -> Any:
    """An empty scene that renders with Cycles on the processor, denoised where the build can."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return prepare(bpy.context.scene, width, height, samples)


def prepare(scene: Any, width: int, height: int, samples: int) -> Any:
    """Makes `scene` render with Cycles on the processor, under a soft sky."""
    scene.render.engine = "CYCLES"
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    scene.render.image_settings.file_format = "PNG"
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - Medium High Contrast"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.adaptive_threshold = 0.04
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.cycles.sample_clamp_indirect = 4.0
    scene.cycles.max_bounces, scene.cycles.diffuse_bounces, scene.cycles.glossy_bounces = 12, 2, 4
    scene.cycles.transmission_bounces, scene.cycles.transparent_max_bounces = 12, 16
    scene.render.use_motion_blur, scene.render.motion_blur_shutter = True, 0.4  # drops of spray become streaks
    _denoise(scene)
    world = bpy.data.worlds.new("Studio")
    scene.world = world
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.62, 0.72, 0.80, 1.0)
    background.inputs["Strength"].default_value = 0.35
    return scene


def _denoise(scene: Any) -> None:
    """OpenImageDenoise, if this build has it."""
    try:
        scene.cycles.denoiser = "OPENIMAGEDENOISE"
    except TypeError:
        scene.cycles.use_denoising = False
        return
    scene.cycles.use_denoising = True
    scene.cycles.denoising_input_passes = "RGB_ALBEDO_NORMAL"


def new_material(name: str, colour: Colour = (0.8, 0.8, 0.8), roughness: float = 0.5, **inputs: Any) -> Any:
    """A Principled material; further inputs by their label with underscores, as Transmission_Weight=1."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    for label, value in inputs.items():
        shader.inputs[label.replace("_", " ")].default_value = value
    return material


def water_material(depth: float, colour: Colour = (0.30, 0.68, 0.78)) -> Any:
    """Clear water. `depth` [m]: after this way light has lost what `colour` lacks."""
    material = new_material("Water", (1.0, 1.0, 1.0), 0.0, Transmission_Weight=1.0, IOR=1.333)
    tree = material.node_tree
    _let_light_through(tree, tree.nodes["Principled BSDF"], (0.82, 0.94, 0.97))
    absorption = tree.nodes.new("ShaderNodeVolumeAbsorption")
    absorption.inputs["Color"].default_value = (*colour, 1.0)
    absorption.inputs["Density"].default_value = 1.0 / depth
    tree.links.new(absorption.outputs[0], tree.nodes["Material Output"].inputs["Volume"])
    return material


def foam_material(depth: float) -> Any:
    """White foam: light enters and comes out up to about `depth` [m] away, so that thin peaks glow and shadows are soft."""
    return new_material(
        "Foam", (0.93, 0.92, 0.89), 0.45, Subsurface_Weight=1.0, Subsurface_Radius=(1.0, 0.85, 0.7), Subsurface_Scale=depth
    )


def _let_light_through(tree: Any, shader: Any, tint: Colour) -> None:
    """Shadow rays pass, tinted: the soft light of caustics without their noise."""
    path, clear = tree.nodes.new("ShaderNodeLightPath"), tree.nodes.new("ShaderNodeBsdfTransparent")
    clear.inputs["Color"].default_value = (*tint, 1.0)
    mix = tree.nodes.new("ShaderNodeMixShader")
    tree.links.new(path.outputs["Is Shadow Ray"], mix.inputs["Fac"])
    tree.links.new(shader.outputs[0], mix.inputs[1])
    tree.links.new(clear.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], tree.nodes["Material Output"].inputs["Surface"])


def body_material(kind: str, look: Any) -> Any:
    """What a body of this kind looks like in the studio; None: as it does everywhere."""
    if kind in ("water", "drops"):
        return water_material(look.clear_depth)
    return foam_material(0.1 * look.clear_depth) if kind == "foam" else None


def wall_material(style: str) -> Any:
    """What a collider looks like: "clay", "steel", "rubber", "porcelain", "glass", "wood", "cracker", "skin", …; else stone."""
    if style == "clay":
        return new_material("Clay", (0.72, 0.19, 0.09), 0.45, Coat_Weight=0.35)
    if style == "steel":
        return new_material("Steel", (0.55, 0.57, 0.60), 0.25, Metallic=1.0)
    if style == "rubber":
        return new_material("Rubber", (0.022, 0.022, 0.024), 0.55)
    if style == "raspberry jelly":
        return water_material(0.022, (0.80, 0.035, 0.06))
    if style == "lime jelly":
        return water_material(0.016, (0.22, 0.62, 0.05))
    if style == "cherry":
        return new_material("Cherry", (0.30, 0.006, 0.014), 0.16, Coat_Weight=0.8, Subsurface_Weight=0.25, Subsurface_Scale=0.004)
    if style == "leaf":
        return leaf_material()
    if style == "porcelain":
        return new_material("Porcelain", (0.86, 0.84, 0.79), 0.25, Coat_Weight=0.6)
    if style == "glass":
        return glass_material()
    if style == "wood":
        return wood_material()
    if style == "cracker":
        return _cracker_material()
    if style == "skin":
        return new_material(
            "Skin", (0.60, 0.36, 0.26), 0.5, Subsurface_Weight=0.4, Subsurface_Radius=(1.0, 0.35, 0.2), Subsurface_Scale=0.004
        )
    return new_material("Stone", (0.33, 0.34, 0.35), 0.7)


def glass_material() -> Any:
    """Clear glass of some thickness."""
    material = new_material("Glass", (1.0, 1.0, 1.0), 0.0, Transmission_Weight=1.0, IOR=1.46)
    _let_light_through(material.node_tree, material.node_tree.nodes["Principled BSDF"], (0.93, 0.97, 0.96))
    return material


def wood_material() -> Any:
    """Walnut: rings around an axis beside the object, stretched along it."""
    material = new_material("Wood", (0.2, 0.09, 0.04), 0.38, Coat_Weight=0.25)
    tree = material.node_tree
    place, turned = tree.nodes.new("ShaderNodeTexCoord"), tree.nodes.new("ShaderNodeMapping")
    rings, ramp = tree.nodes.new("ShaderNodeTexWave"), tree.nodes.new("ShaderNodeValToRGB")
    turned.inputs["Scale"].default_value = (1.0, 0.12, 1.0)
    rings.wave_type = "RINGS"
    for label, value in {"Scale": 2.6, "Distortion": 5.0, "Detail": 3.0, "Detail Scale": 1.6}.items():
        rings.inputs[label].default_value = value
    ramp.color_ramp.elements[0].color = (0.075, 0.030, 0.012, 1.0)
    ramp.color_ramp.elements[1].color = (0.235, 0.105, 0.045, 1.0)
    tree.links.new(place.outputs["Generated"], turned.inputs["Vector"])
    tree.links.new(turned.outputs[0], rings.inputs["Vector"])
    tree.links.new(rings.outputs["Fac"], ramp.inputs["Fac"])
    tree.links.new(ramp.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    return material


def _cracker_material() -> Any:
    """Baked dough: golden, mottled, a little rough."""
    material = new_material("Cracker", (0.55, 0.30, 0.11), 0.65)
    tree = material.node_tree
    shader = tree.nodes["Principled BSDF"]
    noise, ramp = tree.nodes.new("ShaderNodeTexNoise"), tree.nodes.new("ShaderNodeValToRGB")
    place = tree.nodes.new("ShaderNodeNewGeometry")
    noise.inputs["Scale"].default_value, noise.inputs["Detail"].default_value = 220.0, 6.0
    for element, colour in zip(ramp.color_ramp.elements, ((0.36, 0.17, 0.05, 1.0), (0.68, 0.42, 0.18, 1.0)), strict=True):
        element.color = colour
    ramp.color_ramp.elements[0].position, ramp.color_ramp.elements[1].position = 0.36, 0.62
    tree.links.new(place.outputs["Position"], noise.inputs["Vector"])
    tree.links.new(noise.outputs[0], ramp.inputs["Fac"])
    tree.links.new(ramp.outputs["Color"], shader.inputs["Base Color"])
    bump = tree.nodes.new("ShaderNodeBump")
    bump.inputs["Strength"].default_value, bump.inputs["Distance"].default_value = 0.4, 0.0008
    tree.links.new(noise.outputs[0], bump.inputs["Height"])
    tree.links.new(bump.outputs["Normal"], shader.inputs["Normal"])
    return material


def leaf_material() -> Any:
    """A leaf along x with its midrib at y = 0 [m]: light shines through it, veins are pale and a little raised."""
    material = new_material("Leaf", roughness=0.48, Specular_IOR_Level=0.3)
    tree = material.node_tree
    shader = tree.nodes["Principled BSDF"]

    def maths(operation: str, first: Any, second: Any = None) -> Any:
        node = tree.nodes.new("ShaderNodeMath")
        node.operation = operation
        for socket, value in zip(node.inputs, (first, second), strict=False):
            if isinstance(value, (int, float)):
                socket.default_value = value
            elif value is not None:
                tree.links.new(value, socket)
        return node.outputs[0]

    place = tree.nodes.new("ShaderNodeTexCoord")
    split = tree.nodes.new("ShaderNodeSeparateXYZ")
    tree.links.new(place.outputs["Object"], split.inputs[0])
    aside = maths("ABSOLUTE", split.outputs["Y"])
    # side veins run forward from the midrib and bend towards the tip
    run = maths("SUBTRACT", split.outputs["X"], maths("MULTIPLY", aside, maths("ADD", 0.75, maths("MULTIPLY", aside, 45.0))))
    vein = maths("PINGPONG", maths("MULTIPLY", run, 210.0), 0.5)
    fine = maths("PINGPONG", maths("MULTIPLY", maths("ADD", run, maths("MULTIPLY", aside, 1.9)), 700.0), 0.5)
    midrib = maths("MULTIPLY", aside, 900.0)
    ridge = maths("MINIMUM", maths("MULTIPLY", vein, 9.0), maths("ADD", maths("MULTIPLY", fine, 0.14), 0.93))
    ridge = maths("MINIMUM", maths("MINIMUM", ridge, midrib), 1.0)
    colours = tree.nodes.new("ShaderNodeMix")
    colours.data_type = "RGBA"
    colours.inputs["A"].default_value, colours.inputs["B"].default_value = (0.13, 0.31, 0.035, 1.0), (0.016, 0.115, 0.005, 1.0)
    tree.links.new(ridge, colours.inputs["Factor"])
    colour = colours.outputs["Result"]
    tree.links.new(colour, shader.inputs["Base Color"])
    bump = tree.nodes.new("ShaderNodeBump")
    bump.inputs["Strength"].default_value, bump.inputs["Distance"].default_value = 0.35, 1.5e-4
    tree.links.new(maths("SUBTRACT", 1.0, ridge), bump.inputs["Height"])
    tree.links.new(bump.outputs[0], shader.inputs["Normal"])
    through, mix = tree.nodes.new("ShaderNodeBsdfTranslucent"), tree.nodes.new("ShaderNodeMixShader")
    tree.links.new(colour, through.inputs["Color"])
    mix.inputs["Fac"].default_value = 0.38
    tree.links.new(shader.outputs[0], mix.inputs[1])
    tree.links.new(through.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], tree.nodes["Material Output"].inputs["Surface"])
    return material


def pane_material() -> Any:
    """Window glass without thickness: faint reflections by Fresnel, straight view through."""
    material = new_material("Pane")
    tree = material.node_tree
    tree.nodes.remove(tree.nodes["Principled BSDF"])
    fresnel, gloss = tree.nodes.new("ShaderNodeFresnel"), tree.nodes.new("ShaderNodeBsdfGlossy")
    clear, mix = tree.nodes.new("ShaderNodeBsdfTransparent"), tree.nodes.new("ShaderNodeMixShader")
    fresnel.inputs["IOR"].default_value = 1.25
    faint = tree.nodes.new("ShaderNodeMath")
    faint.operation = "MULTIPLY"
    faint.inputs[1].default_value = 0.35
    tree.links.new(fresnel.outputs[0], faint.inputs[0])
    gloss.inputs["Roughness"].default_value = 0.02
    clear.inputs["Color"].default_value = (0.965, 0.985, 0.98, 1.0)
    for output, to in ((faint, mix.inputs["Fac"]), (clear, mix.inputs[1]), (gloss, mix.inputs[2])):
        tree.links.new(output.outputs[0], to)
    tree.links.new(mix.outputs[0], tree.nodes["Material Output"].inputs["Surface"])
    return material


def add_mesh(name: str, vertices: np.ndarray, triangles: np.ndarray, material: Any = None, smooth: bool = False) -> Any:
    """A mesh object from arrays (n, 3) and (m, 3)."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(np.asarray(vertices).tolist(), [], np.asarray(triangles).tolist())
    mesh.polygons.foreach_set("use_smooth", [smooth] * len(mesh.polygons))
    mesh.update()
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    if material:
        mesh.materials.append(material)
    return item


def show_as_wall(item: Any, thickness: float = 0.0) -> None:
    """Glass panes with edges drawn as thin rods. Flat faces only: edges inside a face are left out."""
    size = thickness or 0.004 * float(np.linalg.norm(item.dimensions))
    panes = pane_material()
    item.data.materials.clear()
    item.data.materials.append(panes)
    item.visible_shadow = item.visible_diffuse = False  # a pane changes neither light nor shade: do not pay for it
    add_edges(item, size)


def add_edges(item: Any, thickness: float) -> Any:
    """Rods along the creases and open edges of a mesh."""
    import bmesh

    source = bmesh.new()
    source.from_mesh(item.data)
    bmesh.ops.remove_doubles(source, verts=source.verts, dist=1.0e-6)
    flat = [edge for edge in source.edges if len(edge.link_faces) == 2 and edge.calc_face_angle(0.0) < math.radians(25.0)]
    bmesh.ops.delete(source, geom=flat, context="EDGES")
    bmesh.ops.delete(source, geom=source.faces[:], context="FACES_ONLY")
    mesh = bpy.data.meshes.new(f"{item.name} edges")
    source.to_mesh(mesh)
    source.free()
    rods = bpy.data.objects.new(mesh.name, mesh)
    bpy.context.scene.collection.objects.link(rods)
    rods.matrix_world = item.matrix_world
    skin: Any = rods.modifiers.new("Rods", "NODES")
    skin.node_group = _rods_group(0.5 * thickness, new_material("Edges", (0.42, 0.50, 0.54), 0.3))
    return rods


def _rods_group(radius: float, material: Any) -> Any:
    tree: Any = bpy.data.node_groups.new("Rods", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    kinds = ("NodeGroupInput", "GeometryNodeMeshToCurve", "GeometryNodeCurveToMesh", "GeometryNodeSetMaterial", "NodeGroupOutput")
    chain = [tree.nodes.new(kind) for kind in kinds]
    for first, second in zip(chain, chain[1:], strict=False):
        tree.links.new(first.outputs[0], second.inputs[0])
    circle = tree.nodes.new("GeometryNodeCurvePrimitiveCircle")
    circle.inputs["Radius"].default_value = radius
    circle.inputs["Resolution"].default_value = 12
    tree.links.new(circle.outputs[0], chain[2].inputs["Profile Curve"])
    chain[3].inputs["Material"].default_value = material
    return tree


def add_ground(height: float, size: float, colour: Colour = (0.70, 0.72, 0.73)) -> Any:
    """Matte ground that bends up into a backdrop far behind, so that there is no horizon."""
    depth, bend, tall, wide = 4.0 * size, 3.0 * size, 9.0 * size, 14.0 * size
    profile = [(-12.0 * size, height), (depth, height)]
    turn = np.linspace(0.0, 0.5 * math.pi, 17)[1:]
    profile += [(depth + bend * math.sin(a), height + bend * (1.0 - math.cos(a))) for a in turn]
    profile.append((depth + bend, height + tall))
    vertices = np.array([(side * wide, y, z) for y, z in profile for side in (-1.0, 1.0)])
    quads = [(2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2) for i in range(len(profile) - 1)]
    triangles = np.array([(q[0], q[a], q[a + 1]) for q in quads for a in (1, 2)])
    return add_mesh("Ground", vertices, triangles, new_material("Ground", colour, 0.85), smooth=True)


class _Softbox(NamedTuple):
    """A rectangular lamp; lengths in sizes of what is lit, power in watts for something one metre large."""

    name: str
    place: Point
    width: float
    height: float
    power: float
    colour: Colour


_SOFTBOXES = (
    _Softbox("Above", (0.15, 0.35, 2.0), 2.2, 1.6, 52.0, (0.96, 0.98, 1.0)),
    _Softbox("Left", (-2.0, -0.9, 1.1), 1.4, 1.4, 34.0, (1.0, 0.93, 0.84)),
    _Softbox("Behind", (1.5, 2.1, 0.9), 0.5, 2.0, 46.0, (0.84, 0.93, 1.0)),
)


def light(low: Sequence[float] | np.ndarray, high: Sequence[float] | np.ndarray) -> None:
    """Three softboxes around the box low–high: above, a warm one from the left, a strip behind for the outline of water."""
    corners = np.array([low, high], dtype=np.float64)
    middle, size = corners.mean(axis=0), float(np.linalg.norm(corners[1] - corners[0]))
    for box in _SOFTBOXES:
        lamp: Any = bpy.data.lights.new(box.name, "AREA")
        lamp.shape, lamp.color = "RECTANGLE", box.colour
        lamp.size, lamp.size_y = box.width * size, box.height * size
        lamp.energy = box.power * size * size  # a lamp twice as far needs four times the power
        item = bpy.data.objects.new(box.name, lamp)
        bpy.context.scene.collection.objects.link(item)
        _aim(item, middle + size * np.array(box.place), middle)


def _aim(item: Any, place: Sequence[float] | np.ndarray, target: Sequence[float] | np.ndarray) -> None:
    from mathutils import Vector

    item.location = Vector([float(part) for part in place])
    way = Vector([float(part) for part in target]) - item.location
    item.rotation_euler = way.to_track_quat("-Z", "Y").to_euler()


def add_camera(place: Sequence[float], target: Sequence[float], lens: float = 60.0, f_stop: float = 0.0) -> Any:
    """The scene's camera at `place`, looking at `target`; lens in millimetres, f_stop 0: all is sharp."""
    camera: Any = bpy.data.cameras.new("Camera")
    camera.lens = lens
    camera.clip_start, camera.clip_end = 1.0e-3, 1.0e4
    if f_stop > 0.0:
        camera.dof.use_dof, camera.dof.aperture_fstop = True, f_stop
        camera.dof.focus_distance = math.dist(place, target)
    item = bpy.data.objects.new("Camera", camera)
    bpy.context.scene.collection.objects.link(item)
    bpy.context.scene.camera = item
    _aim(item, place, target)
    return item


def frame(low: np.ndarray, high: np.ndarray, direction: Point = (-0.45, -1.0, 0.42), lens: float = 60.0) -> Any:
    """A camera that sees the whole box low–high from `direction`."""
    middle, size = 0.5 * (low + high), float(np.linalg.norm(high - low))
    way = np.array(direction) / np.linalg.norm(direction)
    item = add_camera(tuple(middle + 3.0 * size * way), tuple(middle), lens)
    corners = [low[axis] if not bits >> axis & 1 else high[axis] for bits in range(8) for axis in range(3)]
    bpy.context.view_layer.update()
    place, _ = item.camera_fit_coords(bpy.context.evaluated_depsgraph_get(), [float(part) for part in corners])
    item.location = np.asarray(place) + 0.06 * (np.asarray(place) - middle)
    return item


def render(path: Path) -> None:
    """Renders the current frame into `path`."""
    scene = bpy.context.scene
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    if not path.exists():
        raise RuntimeError(f"Blender did not write {path}.")
