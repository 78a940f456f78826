"""The artist's own mesh, deformed: a copy with UVs, attributes and materials that Blender's Mesh Cache modifier moves.

The copy stands in world space, scaled back to Blender units, because the files hold simulated metres in world space. The
modifier interpolates between frames, so that motion blur is right; it holds the ends before and after the bake.
"""

from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..solvers import job
from ..solvers.bake import files, manifest, pc2
from ..solvers.errors import TsubuError
from .bake_folder import PlaybackError, Sequence
from .parts import MESHLIKE
from .stored_paths import mesh_cache_of, stored

_MODIFIER = "Tsubu mesh"


def whole_file(sequence: Sequence) -> Path:
    """The one file with all frames."""
    return sequence.folder / (sequence.output + pc2.WHOLE)


def new_object(sequence: Sequence, name: str) -> Any:
    """An object that plays `sequence`; not yet linked to a collection."""
    try:
        first = pc2.read(sequence.path(sequence.first))[0]
    except TsubuError as error:
        raise PlaybackError(str(error)) from error
    source = _source(sequence, len(first))
    mesh = _copied(source, len(first)) if source is not None else None
    if mesh is None:
        source, mesh = None, _plain(sequence, len(first))
    mesh.name = name
    mesh.vertices.foreach_set("co", np.ascontiguousarray(first, np.float32).ravel())
    mesh.update()
    item = bpy.data.objects.new(name, mesh)
    if source is not None:
        _copy_slots(source, item)
    modifier: Any = item.modifiers.new(_MODIFIER, "MESH_CACHE")
    modifier.cache_format, modifier.time_mode, modifier.play_mode = "PC2", "FRAME", "SCENE"
    modifier.filepath = stored(str(whole_file(sequence)))
    return item


def follow(item: Any, sequence: Sequence) -> None:
    """Plays from the first frame there is."""
    modifier = mesh_cache_of(item)
    modifier.frame_start = sequence.first
    # assigning the path makes Blender read the file again
    modifier.filepath = stored(str(whole_file(sequence)))


def _body_name(sequence: Sequence) -> str:
    """The body whose mesh the files hold, as the job calls it."""
    for entry in manifest.read(sequence.folder.parent).header.get("meshes", []):
        if entry.get("file") == sequence.output:
            return str(entry["name"])
    return sequence.output


def _source(sequence: Sequence, count: int) -> Any | None:
    """The artist's object that was baked, if it is still there with as many vertices."""
    name = _body_name(sequence)
    item = bpy.data.objects.get(name) or bpy.data.objects.get(name.rpartition(" #")[0])
    if item is None or item.type not in MESHLIKE:
        return None
    graph = bpy.context.evaluated_depsgraph_get()
    shown = item.evaluated_get(graph).to_mesh()
    fits = shown is not None and len(shown.vertices) == count
    item.evaluated_get(graph).to_mesh_clear()
    return item if fits else None


def _copied(source: Any, count: int) -> Any | None:
    graph = bpy.context.evaluated_depsgraph_get()
    mesh = bpy.data.meshes.new_from_object(source.evaluated_get(graph), preserve_all_data_layers=True, depsgraph=graph)
    if len(mesh.vertices) != count:
        bpy.data.meshes.remove(mesh)
        return None
    if source.matrix_world.determinant() < 0.0:  # mirrored: in world space its faces look inwards
        mesh.flip_normals()
    return mesh


def _plain(sequence: Sequence, count: int) -> Any:
    """The triangles that were simulated: in a file that does not have the artist's object."""
    bake, name = sequence.folder.parent, _body_name(sequence)
    try:
        bodies = job.read_description(bake)["bodies"]
        arrays = files.read_npz(bake / job.GEOMETRY)
    except (TsubuError, OSError) as error:
        raise PlaybackError(
            f"{bake}: the mesh of {name} cannot be rebuilt ({error}). Open the file it was baked from."
        ) from error
    index = next((number for number, body in enumerate(bodies) if body["name"] == name), None)
    triangles = arrays.get(f"bodies/{index}/triangles")
    if triangles is None or len(arrays[f"bodies/{index}/vertices"]) != count:
        raise PlaybackError(f"{bake}: the job has no mesh of {name} with {count} vertices. Open the file it was baked from.")
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(np.zeros((count, 3)).tolist(), [], triangles.tolist())
    return mesh


def _copy_slots(source: Any, item: Any) -> None:
    """Materials that belong to the object rather than to its mesh."""
    for slot, own in zip(source.material_slots, item.material_slots, strict=False):
        if slot.link == "OBJECT":
            own.link = "OBJECT"
            own.material = slot.material
