"""A bake folder as ordinary objects: they read the files by themselves and render without this extension.

Points are a PointCloud with Blender's own Mesh Sequence Cache modifier (USD), or a node group that imports PLY where
the worker had no USD. Surfaces are a node group that imports VDB. No frame handlers.
"""

from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..solvers.bake.usd import PRIM
from . import node_groups
from .bake_folder import PlaybackError, Sequence, missing_frames_warning, sequences

__all__ = ["Loaded", "PlaybackError", "is_playback", "load_bake", "load_points", "load_surface", "reload", "set_material"]

_BAKE = "tsubu_bake"
_KIND = "tsubu_kind"


class Loaded(NamedTuple):
    """What a bake folder turned into."""

    objects: tuple[Any, ...]
    first: int
    last: int
    warnings: tuple[str, ...]


def load_bake(scene: Any, bake: Path, *, points: bool = True, surfaces: bool = True) -> Loaded:
    """Objects for every output of `bake`, in a collection of the bake's name inside `scene`.

    Where an output has a surface, its points are loaded too but hidden from renders.
    """
    wanted = {"points": points, "surface": surfaces}
    found = [sequence for sequence in sequences(bake) if wanted[sequence.kind]]
    if not found:
        kinds = " or ".join(kind for kind in wanted if wanted[kind])
        raise PlaybackError(f"{bake} holds no {kinds or 'file'} to load; choose another folder or another kind.")
    collection = bpy.data.collections.new(bake.name)
    scene.collection.children.link(collection)
    surfaced = {sequence.output for sequence in found if sequence.kind == "surface"}
    objects = []
    for sequence in found:
        item = load_points(sequence) if sequence.kind == "points" else load_surface(sequence)
        item[_BAKE] = str(bake)
        collection.objects.link(item)
        item.hide_render = sequence.kind == "points" and sequence.output in surfaced
        objects.append(item)
    warnings = tuple(text for text in map(missing_frames_warning, found) if text)
    return Loaded(tuple(objects), min(s.first for s in found), max(s.last for s in found), warnings)


def load_points(sequence: Sequence) -> Any:
    """A point object that plays `sequence`; not yet linked to a collection."""
    if sequence.suffix == ".ply":
        return _nodes_object(sequence, node_groups.points_group)
    item = bpy.data.objects.new(f"{sequence.output} points", bpy.data.pointclouds.new(f"{sequence.output} points"))
    modifier: Any = item.modifiers.new("Tsubu points", "MESH_SEQUENCE_CACHE")
    modifier.cache_file = _cache_file(sequence)
    modifier.object_path = PRIM
    item[_KIND] = "points"
    return item


def load_surface(sequence: Sequence) -> Any:
    """A mesh object that plays `sequence`; not yet linked to a collection."""
    return _nodes_object(sequence, node_groups.surface_group)


def set_material(item: Any, material: Any) -> None:
    """Give a playback object a material, whichever way it plays."""
    for modifier in item.modifiers:
        if modifier.type == "NODES":
            node_groups.set_input(modifier, "Material", material)
    item.data.materials.clear()
    item.data.materials.append(material)


def is_playback(item: Any) -> bool:
    """Whether `item` was made by this module."""
    return _KIND in item


def reload(scene: Any) -> list[str]:
    """Read all files again and follow a changed frame range. Returns warnings about missing frames."""
    warnings: list[str] = []
    found: dict[str, list[Sequence]] = {}
    for item in filter(is_playback, scene.objects):
        folder = item[_BAKE]
        if folder not in found:
            try:
                found[folder] = sequences(Path(folder))
            except PlaybackError as error:
                found[folder] = []
                warnings.append(str(error))
            warnings += [text for text in map(missing_frames_warning, found[folder]) if text]
        _refresh(item, found[folder])
    return warnings


def _refresh(item: Any, available: list[Sequence]) -> None:
    for modifier in item.modifiers:
        if modifier.type == "MESH_SEQUENCE_CACHE" and modifier.cache_file:
            with bpy.context.temp_override(edit_cachefile=modifier.cache_file):
                bpy.ops.cachefile.reload()
        elif modifier.type == "NODES":
            for sequence in available:
                if (sequence.kind, sequence.output) == (item[_KIND], item["tsubu_output"]):
                    node_groups.set_input(modifier, "First Frame", sequence.first)
                    node_groups.set_input(modifier, "Last Frame", sequence.last)
    item.update_tag()


def _nodes_object(sequence: Sequence, group: Any) -> Any:
    name = f"{sequence.output} {sequence.kind}"
    item = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    modifier: Any = item.modifiers.new(f"Tsubu {sequence.kind}", "NODES")
    modifier.node_group = group(f"Tsubu {name}")
    item[_KIND] = sequence.kind
    item["tsubu_output"] = sequence.output
    pattern = _stored_path(sequence.folder / sequence.output).replace("{", "{{").replace("}", "}}")
    node_groups.set_input(modifier, "Path", pattern + "_{Sign}{Frame:04}" + sequence.suffix)
    node_groups.set_input(modifier, "First Frame", sequence.first)
    node_groups.set_input(modifier, "Last Frame", sequence.last)
    return item


def _cache_file(sequence: Sequence) -> Any:
    """A sequence data-block for the files. One per call: two scenes may play the same files differently."""
    before = set(bpy.data.cache_files)
    path = sequence.path(sequence.first)
    bpy.ops.cachefile.open(filepath=str(path))
    new = [item for item in bpy.data.cache_files if item not in before]
    if not new:
        raise PlaybackError(f"Blender cannot read {path}: this build has no USD. Bake again with points as PLY.")
    # The number in the name is only a pattern, and Blender takes the minus of a negative one for a part of the name.
    new[0].filepath = _stored_path(sequence.path(max(sequence.first, 0)))
    new[0].is_sequence = True
    return new[0]


def _stored_path(path: Path) -> str:
    """Relative to the .blend where that is possible, so that the folder can move with it."""
    if not bpy.data.filepath:
        return str(path)
    try:
        return bpy.path.relpath(str(path))
    except ValueError:  # another drive on Windows
        return str(path)
