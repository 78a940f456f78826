"""A bake folder as ordinary objects: they read the files by themselves and render without this extension.

Points are a PointCloud with Blender's own Mesh Sequence Cache modifier (USD), or a node group that imports PLY where
the worker had no USD. Surfaces are a node group that imports VDB. Bodies that drive their own mesh are a copy of it with
Blender's
Mesh Cache modifier. No frame handlers. A material is given in the material
slot, as to any object; it stays when the bake is loaded or made again.
"""

from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..solvers.materials.registry import MATERIALS
from . import mesh_cache, node_groups, point_cache
from .bake_folder import PlaybackError, Sequence, flowing_bodies, missing_frames_warning, output_kinds, output_settings, sequences
from .default_materials import default_material
from .level_set import voxel_size
from .stored_paths import KIND, OUTPUT, cache_file_of, folder_of, is_playback, player_of, stored

__all__ = ["Loaded", "PlaybackError", "folder_of", "is_playback", "load_bake", "reload", "remove_bake", "set_material"]

_COLLECTION = "tsubu_bakes"


class Loaded(NamedTuple):
    """What a bake folder turned into."""

    objects: tuple[Any, ...]
    first: int
    last: int
    warnings: tuple[str, ...]


def load_bake(
    scene: Any, bake: Path, *, points: bool = True, surfaces: bool = True, meshes: bool = True, scale: float = 1.0
) -> Loaded:
    """Objects for every output of `bake`, in a collection of the bake's name inside `scene`.

    Objects that play the bake already are kept, with their materials, names and places, and follow the files there are now.
    What is shown of an output is its own mesh, else its surface, else its points; the others are loaded too but hidden. Grains
    that
    turn show their points first, a body that flows its surface: a mesh that is torn looks torn. `scale`: Blender units per metre
    of the files.
    """
    wanted = {"points": points, "surface": surfaces, "mesh": meshes}
    found = [sequence for sequence in sequences(bake) if wanted[sequence.kind]]
    if not found:
        kinds = " or ".join(kind for kind in wanted if wanted[kind])
        raise PlaybackError(f"{bake} holds no {kinds or 'file'} to load; choose another folder or another kind.")
    before = {(item[KIND], item[OUTPUT]): item for item in playing(scene, bake)}
    kinds = output_kinds(bake)
    hidden = _hidden(found, flowing_bodies(bake), kinds)
    objects = []
    for sequence in found:
        item = before.pop((sequence.kind, sequence.output), None)
        if item is None or not _plays_suffix(item, sequence.suffix):
            kind = kinds.get(sequence.output, "")
            material = default_material(kind, output_settings(bake, kind, sequence.output))
            covered = (sequence.kind, sequence.output) in hidden
            item = _add(scene, bake, sequence, hidden=covered, instead_of=item, material=material)
            item.scale = (scale, scale, scale)
        _follow(item, sequence)
        objects.append(item)
    for (kind, _), item in before.items():
        if wanted[kind]:  # an output that the bake does not have any more
            _remove(item)
    warnings = tuple(text for text in map(missing_frames_warning, found) if text)
    return Loaded(tuple(objects), min(s.first for s in found), max(s.last for s in found), warnings)


def _hidden(found: list[Sequence], flowing: set[str], materials: dict[str, str]) -> set[tuple[str, str]]:
    """Kind and output of the sequences that something better is shown for."""
    result = set()
    for output in {sequence.output for sequence in found}:
        kinds = {sequence.kind for sequence in found if sequence.output == output}
        order = ("surface", "mesh", "points") if output in flowing else ("mesh", "surface", "points")
        material = MATERIALS.get(materials.get(output, ""))
        if material is not None and material.turns:
            order = ("points", "mesh", "surface")
        best = next(kind for kind in order if kind in kinds)
        result |= {(kind, output) for kind in kinds if kind != best}
    return result


def playing(scene: Any, bake: Path) -> list[Any]:
    """The objects of `scene` that play `bake`."""
    return [item for item in scene.objects if is_playback(item) and _same_folder(folder_of(item), bake)]


def set_material(item: Any, material: Any) -> None:
    """Give a playback object a material, as its material slot does."""
    item.material_slots[0].material = material


def remember_material(scene: Any, output: str, material: Any) -> None:
    """The material that points and surface of `output` get when they are first shown."""
    for kind in ("points", "surface"):
        scene[_material_key(kind, output)] = material


def reload(scene: Any) -> list[str]:
    """Read all files again and follow a changed frame range. Returns warnings about missing frames."""
    warnings: list[str] = []
    found: dict[Path | None, list[Sequence]] = {}
    for item in filter(is_playback, scene.objects):
        folder = folder_of(item)
        if folder not in found:
            try:
                found[folder] = sequences(folder) if folder else []
            except PlaybackError as error:
                found[folder] = []
                warnings.append(str(error))
            warnings += [text for text in map(missing_frames_warning, found[folder]) if text]
        for sequence in found[folder]:
            if (sequence.kind, sequence.output) == (item[KIND], item[OUTPUT]):
                _follow(item, sequence)
    return warnings


def remove_bake(bake: Path) -> int:
    """Removes every object that plays `bake`, in all scenes, with what only it used. Returns how many there were.

    Materials stay; the scenes remember which was whose, for the next bake.
    """
    found = [item for item in bpy.data.objects if is_playback(item) and item.library is None]
    found = [item for item in found if _same_folder(folder_of(item), bake)]
    for item in found:
        for scene in item.users_scene:
            if item.material_slots and item.material_slots[0].material:
                scene[_material_key(item[KIND], item[OUTPUT])] = item.material_slots[0].material
        _remove(item)
    return len(found)


def _material_key(kind: str, output: str) -> str:
    return f"tsubu_material {kind} {output}"[:63]


def _same_folder(one: Path | None, other: Path) -> bool:
    if one is None:
        return False
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there (any more): compare by name
        return one.absolute() == other.absolute()


def _plays_suffix(item: Any, suffix: str) -> bool:
    return (cache_file_of(item) is not None) == (suffix == ".usdc")


def _add(scene: Any, bake: Path, sequence: Sequence, *, hidden: bool, instead_of: Any, material: Any) -> Any:
    """A new object, with the material that an earlier one had, or with the given one."""
    name = f"{sequence.output} {sequence.kind}"
    material = scene.pop(_material_key(sequence.kind, sequence.output), material)
    if instead_of is not None:
        material = instead_of.material_slots[0].material if instead_of.material_slots else None
        hidden = instead_of.hide_render
        _remove(instead_of)
    makers = {".usdc": point_cache.new_object, ".pc2": mesh_cache.new_object}
    item = makers.get(sequence.suffix, _nodes_object)(sequence, name)
    item[KIND], item[OUTPUT] = sequence.kind, sequence.output
    if sequence.kind != "mesh":  # which has materials of its own
        _give_slot(item, material)
    collection_of(scene, bake).objects.link(item)
    item.hide_render = hidden
    _hide_in_viewports(scene, item, hidden)
    return item


def _give_slot(item: Any, material: Any) -> None:
    # A slot of the object, not of its data: the data that is rendered comes from the files and has no materials.
    item.data.materials.append(None)
    item.material_slots[0].link = "OBJECT"
    item.material_slots[0].material = material


def _hide_in_viewports(scene: Any, item: Any, hidden: bool) -> None:
    """By the eye in the outliner, which also spares reading the files."""
    for layer in scene.view_layers:
        try:
            item.hide_set(hidden, view_layer=layer)
        except RuntimeError:  # the artist excluded the collection from this layer
            continue


def collection_of(scene: Any, bake: Path) -> Any:
    """The collection in which the objects that play `bake` lie, made if need be."""
    for entry in scene.collection.children_recursive:
        if entry.get(_COLLECTION) and entry.library is None and any(_same_folder(folder_of(o), bake) for o in entry.objects):
            return entry
    collection = bpy.data.collections.new(bake.name)
    collection[_COLLECTION] = True
    scene.collection.children.link(collection)
    return collection


def _nodes_object(sequence: Sequence, name: str) -> Any:
    item = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    modifier: Any = item.modifiers.new(f"Tsubu {sequence.kind}", "NODES")
    modifier.node_group = node_groups.surface_group() if sequence.kind == "surface" else node_groups.points_group()
    pattern = stored(str(sequence.folder / sequence.output)).replace("{", "{{").replace("}", "}}")
    node_groups.set_input(modifier, "Path", pattern + node_groups.FRAME_PATTERN + sequence.suffix)
    return item


def _follow(item: Any, sequence: Sequence) -> None:
    """Play the frames there are now, and read the current one again."""
    if sequence.kind == "mesh":
        mesh_cache.follow(item, sequence)
    elif cache_file_of(item) is not None:
        point_cache.follow(item, sequence)
        point_cache.read_again(item)
    else:
        player = player_of(item)
        node_groups.set_input(player, "First Frame", sequence.first)
        node_groups.set_input(player, "Last Frame", sequence.last)
        if sequence.kind == "surface":
            node_groups.set_input(player, "Voxel Size", voxel_size(sequence.path(sequence.first)))
    item.update_tag()


def _remove(item: Any) -> None:
    """Removes an object, and of what it used everything that nobody else uses; materials stay."""
    groups = [modifier.node_group for modifier in item.modifiers if modifier.type == "NODES"]
    owned = [item.data, cache_file_of(item), *groups]
    collections = [entry for entry in item.users_collection if entry.get(_COLLECTION)]
    bpy.data.objects.remove(item)
    for block in owned:
        if block is not None and block.users == 0:
            bpy.data.batch_remove([block])
    for collection in collections:
        if not collection.objects and not collection.children:
            bpy.data.collections.remove(collection)
