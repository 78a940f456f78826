"""The meshes of marked objects as they are evaluated: modifiers, parents, constraints, instances.

A part is one mesh with one place: the object itself, or one of its instances. `visible_parts` lists all of the current
frame; geometry is read from them with numpy while the dependency graph is at hand, and nothing of Blender is kept.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..solvers.errors import InvalidScene
from .properties import COLLIDER, NONE

MESHLIKE = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
"""Object types that have a surface of their own."""
_TIMELESS = {
    "ARRAY", "BEVEL", "DECIMATE", "EDGE_SPLIT", "MASK", "MIRROR", "MULTIRES", "REMESH", "SCREW", "SKIN", "SOLIDIFY", "SUBSURF",
    "TRIANGULATE", "WELD", "WIREFRAME", "SIMPLE_DEFORM", "NORMAL_EDIT", "WEIGHTED_NORMAL", "SMOOTH", "CORRECTIVE_SMOOTH",
}  # fmt: skip
"""Modifiers whose result does not depend on time as long as nothing on the object is animated and they name no other object."""


class Part(NamedTuple):
    """One mesh at one place, valid until the dependency graph changes."""

    key: tuple[Any, ...]
    """The same for the same part in every frame."""
    holder: Any
    """Original object that carries the role and the settings."""
    settings: Any
    """Its `tsubu` group; of the evaluated object, with keys and drivers applied, if there are any. The original's otherwise:
    Blender does not carry every change of a setting to the evaluated copy."""
    evaluated: Any
    """Evaluated object whose mesh it is."""
    matrix: np.ndarray
    """Object space to world, float64 (4, 4), in Blender units."""

    def __repr__(self) -> str:
        # Not the Blender objects: they may be gone by the time somebody prints a traceback.
        return f"Part{self.key}"


class Surface(NamedTuple):
    """Geometry of a part in object space, Blender units."""

    vertices: np.ndarray
    """float32 (n, 3)."""
    triangles: np.ndarray
    """int32 (m, 3)."""
    counts: tuple[int, int, int] = (0, 0, 0)
    """Vertices, faces and face corners of the mesh: others, if its topology changes."""


def is_marked(item: Any) -> bool:
    return item.tsubu.role != NONE


def can_be_marked(item: Any) -> bool:
    """Whether the object has a surface, or is an empty that shows a collection."""
    return item.type in MESHLIKE or (item.type == "EMPTY" and item.instance_collection is not None)


def anything_to_simulate(scene: Any) -> bool:
    """Whether a body or an emitter is in the scene, or in a collection that is shown in it."""
    for item in scene.objects:
        if item.tsubu.role not in (NONE, COLLIDER):
            return True
        collection = item.instance_collection
        if collection is not None and any(inner.tsubu.role not in (NONE, COLLIDER) for inner in collection.all_objects):
            return True
    return False


def visible_parts(depsgraph: Any) -> Iterator[Part]:
    """Every part of every marked object of the view layer, and of marked objects that others show as instances.

    Objects hidden with the eye take part (water is usually hidden once it is baked); those disabled in viewports, or in
    an excluded collection, do not. Each part must be used before the next one is asked for.
    """
    for item in depsgraph.view_layer_eval.objects:
        if item.original.tsubu.role != NONE and item.type in MESHLIKE and not item.original.hide_viewport:
            yield Part((item.original.session_uid,), item.original, _settings(item), item, np.array(item.matrix_world))
    for instance in depsgraph.object_instances:
        if not instance.is_instance:
            continue
        holder = _holder(instance)
        if holder is not None and instance.object.type in MESHLIKE:
            source = instance.object
            maker = instance.parent.original.session_uid if instance.parent is not None else 0
            key = (holder.original.session_uid, maker, source.original.name_full, *instance.persistent_id)
            yield Part(key, holder.original, _settings(holder), source, np.array(instance.matrix_world))


def _settings(evaluated: Any) -> Any:
    return evaluated.tsubu if is_animated(evaluated.original) else evaluated.original.tsubu


def _holder(instance: Any) -> Any | None:
    """The evaluated object whose role an instance has: the instanced object's own, or that of what makes the instances."""
    source, maker = instance.instance_object, instance.parent
    if source is not None and source.original.tsubu.role != NONE and source != maker:
        return source
    if maker is not None and maker.original.tsubu.role != NONE:
        return maker
    return None


def left_out(scene: Any, view_layer: Any) -> list[str]:
    """Why marked objects of the scene take no part, one text each."""
    found = []
    inside = set(view_layer.objects)
    for item in scene.objects:
        if not is_marked(item):
            continue
        if item not in inside:
            found.append(f"{item.name} is left out: its collection is excluded from the view layer {view_layer.name}")
        elif item.hide_viewport or not _collections_enabled(item, view_layer.layer_collection):
            found.append(f"{item.name} is left out: it is disabled in viewports")
    return found


def _collections_enabled(item: Any, layer: Any) -> bool:
    """Whether one collection that holds the object is enabled in viewports, all the way down."""
    if layer.exclude or layer.collection.hide_viewport:
        return False
    if item.name in layer.collection.objects and layer.collection.objects[item.name] == item:
        return True
    return any(_collections_enabled(item, child) for child in layer.children)


def read_surface(part: Part, want_triangles: bool = True) -> Surface:
    """Vertices and triangles of a part. Empty arrays if it has none."""
    with _mesh_of(part) as mesh:
        if mesh is None:
            return Surface(np.empty((0, 3), dtype=np.float32), np.empty((0, 3), dtype=np.int32))
        return _read_mesh(mesh, want_triangles)


@contextmanager
def _mesh_of(part: Part) -> Iterator[Any]:
    """The evaluated mesh of a part, None if it has none."""
    if part.evaluated.type == "MESH" and not part.evaluated.data.is_editmode:
        yield part.evaluated.data
        return
    try:
        yield part.evaluated.to_mesh()
    finally:
        part.evaluated.to_mesh_clear()


def _read_mesh(mesh: Any, want_triangles: bool) -> Surface:
    vertices = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", vertices)
    triangles = np.empty(0, dtype=np.int32)
    if want_triangles:
        mesh.calc_loop_triangles()
        triangles = np.empty(len(mesh.loop_triangles) * 3, dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
    counts = (len(mesh.vertices), len(mesh.polygons), len(mesh.loops))
    return Surface(vertices.reshape(-1, 3), triangles.reshape(-1, 3), counts)


def read_weights(part: Part, group: str) -> np.ndarray:
    """Weights of a vertex group at the vertices that `read_surface` gives, float64 (n,); 0 where a vertex is not in it."""
    name, owner = part.holder.name, part.evaluated
    if group not in owner.vertex_groups:
        known = ", ".join(entry.name for entry in owner.vertex_groups) or "none"
        raise InvalidScene(
            f"{name}: there is no vertex group {group!r} (there are: {known}). Choose another one beside Painted by, or empty it."
        )
    number = owner.vertex_groups[group].index
    with _mesh_of(part) as mesh:
        weights = np.zeros(len(mesh.vertices))
        for vertex in mesh.vertices:
            for entry in vertex.groups:
                if entry.group == number:
                    weights[vertex.index] = entry.weight
    return np.clip(weights, 0.0, 1.0)


def check_matrix(part: Part, frame: int) -> None:
    """Raises `InvalidScene` if the place of a part is not finite or squashes it flat."""
    axes = part.matrix[:3, :3]
    name = part.holder.name
    if not np.isfinite(part.matrix).all():
        raise InvalidScene(f"{name}: its transform in frame {frame} is not finite; correct its animation or constraints.")
    longest = float(np.linalg.norm(axes, axis=0).max())
    if longest == 0.0 or abs(np.linalg.det(axes)) <= 1.0e-12 * longest**3:
        raise InvalidScene(f"{name}: its scale in frame {frame} is zero along an axis; give it a size (or unmark it).")


def check_surface(surface: Surface, part: Part, frame: int) -> None:
    """Raises `InvalidScene` if a mesh is empty or not finite."""
    name = part.holder.name
    if len(surface.triangles) == 0:
        raise InvalidScene(f"{name}: its mesh has no faces in frame {frame}; give it faces, check its modifiers, or unmark it.")
    check_finite(surface.vertices, name, frame)


def check_finite(vertices: np.ndarray, name: str, frame: int) -> None:
    finite = np.isfinite(vertices).all(axis=1)
    if not finite.all():
        vertex = int(np.argmin(finite))
        place = ", ".join(f"{part:g}" for part in vertices[vertex])
        raise InvalidScene(f"{name}: vertex {vertex} is at ({place}) in frame {frame}; correct the mesh or its modifiers.")


def may_deform(item: Any) -> bool:
    """Whether the shape of an original object could change with time. Errs on the side of yes."""
    if item.type != "MESH":
        return item.type == "META" or item.data.animation_data is not None or bool(item.modifiers) or _keys_of(item)
    if _keys_of(item) or (item.data and item.data.animation_data):
        return True
    if item.parent is not None and item.parent_type in {"ARMATURE", "LATTICE"}:
        return True
    return any(not _is_timeless(modifier) for modifier in item.modifiers) or (bool(item.modifiers) and is_animated(item))


def _keys_of(item: Any) -> bool:
    return getattr(item.data, "shape_keys", None) is not None


def _is_timeless(modifier: Any) -> bool:
    if modifier.type not in _TIMELESS:
        return False
    pointers = (entry.identifier for entry in modifier.bl_rna.properties if entry.type == "POINTER")
    return not any(getattr(modifier, name, None) is not None for name in pointers if name != "rna_type")


def is_animated(item: Any) -> bool:
    """Whether the object itself carries keys or drivers."""
    data = item.animation_data
    return data is not None and (data.action is not None or len(data.nla_tracks) > 0 or len(data.drivers) > 0)


def may_change(item: Any) -> bool:
    """Whether anything about an original object could change with time: place, shape or settings. Errs on the side of yes."""
    if may_deform(item) if item.type in MESHLIKE else True:
        return True
    while item is not None:
        if is_animated(item) or any(not entry.mute for entry in item.constraints) or item.rigid_body is not None:
            return True
        if item.parent is not None and item.parent_type != "OBJECT":
            return True
        item = item.parent
    return False
