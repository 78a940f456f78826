"""Paths inside the .blend: relative to it wherever possible, so that file and bake can move together.

Blender itself keeps the paths of cache files right when a file is saved elsewhere, but not those that are inputs of a
modifier; two handlers around saving do that. Without the extension a saved file has nothing to keep right.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
from bpy.app.handlers import persistent

from . import node_groups

KIND = "tsubu_kind"
"""Marks a playback object: "points", "surface" or "mesh"."""
OUTPUT = "tsubu_output"
"""The output that a playback object shows."""


def stored(path: str, start: str | None = None) -> str:
    """`path` as it is kept: relative to the folder `start` (default: of the current .blend) where that is possible."""
    folder = os.path.dirname(bpy.data.filepath) if start is None else start
    if not folder:
        return path
    try:
        return bpy.path.relpath(path, start=folder)
    except ValueError:  # another drive on Windows
        return path


def absolute(path: str, owner: Any) -> str:
    """`path` as the data-block `owner` means it, also if that is linked from a library."""
    return os.path.normpath(bpy.path.abspath(path, library=owner.library))


def is_playback(item: Any) -> bool:
    """Whether the object `item` was made to play a bake."""
    return KIND in item


def cache_file_of(item: Any) -> Any:
    """The sequence data-block that a point object reads, or None."""
    found = (modifier.cache_file for modifier in item.modifiers if modifier.type == "MESH_SEQUENCE_CACHE")
    return next((entry for entry in found if entry is not None), None)


def player_of(item: Any) -> Any:
    """The nodes modifier that reads files for `item`, or None."""
    found = (m for m in item.modifiers if m.type == "NODES" and m.node_group is not None)
    return next((modifier for modifier in found if node_groups.is_player(modifier.node_group)), None)


def mesh_cache_of(item: Any) -> Any:
    """The modifier that deforms the mesh of `item` from a file, or None."""
    return next((modifier for modifier in item.modifiers if modifier.type == "MESH_CACHE"), None)


def pattern_of(item: Any) -> str:
    """Absolute path of the files that `item` plays, "" if it plays none any more."""
    cache_file, player = cache_file_of(item), player_of(item)
    if cache_file is not None:
        return absolute(cache_file.filepath, cache_file)
    mesh_cache = mesh_cache_of(item)
    if mesh_cache is not None:
        return absolute(mesh_cache.filepath, item)
    return absolute(node_groups.get_input(player, "Path"), item) if player is not None else ""


def folder_of(item: Any) -> Path | None:
    """The bake folder that `item` plays."""
    pattern = pattern_of(item).replace("{{", "{").replace("}}", "}")
    return Path(pattern).parent.parent if pattern else None


def _own() -> Iterator[Any]:
    """Playback objects that are saved with this file."""
    return (item for item in bpy.data.objects if is_playback(item) and item.library is None)


def _point_from(start: str) -> None:
    """Makes all inputs of playback modifiers relative to the folder `start`."""
    for item in _own():
        player = player_of(item)
        if player is not None:
            before = node_groups.get_input(player, "Path")
            after = stored(absolute(before, item), start)
            if after != before:
                node_groups.set_input(player, "Path", after)


@persistent
def _before_saving(target: str, *_: Any) -> None:
    """What is saved is relative to where it is saved."""
    if not target:  # the startup file
        return
    _point_from(os.path.dirname(target))
    for item in _own():
        cache_file = cache_file_of(item)
        if cache_file is not None and cache_file.library is None and not cache_file.filepath.startswith("//"):
            # Blender carries relative paths over to the new place by itself.
            cache_file.filepath = stored(cache_file.filepath, os.path.dirname(bpy.data.filepath or target))
        mesh_cache = mesh_cache_of(item)
        if mesh_cache is not None and not mesh_cache.filepath.startswith("//"):
            mesh_cache.filepath = stored(mesh_cache.filepath, os.path.dirname(bpy.data.filepath or target))


@persistent
def _after_saving(target: str, *_: Any) -> None:
    """After saving a copy the open file is still where it was: `_before_saving` made paths relative to the copy."""
    if target and bpy.data.filepath and os.path.dirname(target) != os.path.dirname(bpy.data.filepath):
        _point_from_copy(os.path.dirname(target), os.path.dirname(bpy.data.filepath))


def _point_from_copy(copy: str, start: str) -> None:
    for item in _own():
        player = player_of(item)
        if player is None:
            continue
        path = node_groups.get_input(player, "Path")
        if path.startswith("//"):
            path = os.path.normpath(bpy.path.abspath(path, start=copy))
        node_groups.set_input(player, "Path", stored(path, start))


_HANDLERS = (("save_pre", _before_saving), ("save_post", _after_saving))


def register() -> None:
    for name, handler in _HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    for name, handler in _HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
