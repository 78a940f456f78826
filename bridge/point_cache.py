"""USD points: a PointCloud object with Blender's own Mesh Sequence Cache modifier."""

from typing import Any

import bpy

from ..solvers.bake.usd import PRIM
from . import node_groups
from .bake_folder import PlaybackError, Sequence
from .stored_paths import cache_file_of, stored


def new_object(sequence: Sequence, name: str) -> Any:
    """A point object that plays `sequence`; not yet linked to a collection."""
    item = bpy.data.objects.new(name, bpy.data.pointclouds.new(name))
    modifier: Any = item.modifiers.new("Tsubu points", "MESH_SEQUENCE_CACHE")
    modifier.cache_file = _new_cache_file(sequence)
    modifier.object_path = PRIM
    # What the cache modifier reads has no material slot; the nodes give it one.
    look: Any = item.modifiers.new("Tsubu look", "NODES")
    look.node_group = node_groups.look_group()
    follow(item, sequence)
    return item


def follow(item: Any, sequence: Sequence) -> None:
    """Makes `item` play the frames there are now; earlier and later frames show the nearest end.

    The rule is a driver of simple arithmetic, which Blender evaluates without Python: it works in files whose scripts are not
    trusted. Rounding keeps the subframes of motion blur on one file.
    """
    cache_file = cache_file_of(item)
    cache_file.override_frame = True
    curves = cache_file.animation_data.drivers if cache_file.animation_data else ()
    curve = next((entry for entry in curves if entry.data_path == "frame"), None) or cache_file.driver_add("frame")
    expression = f"min(max(round(frame), {sequence.first}), {sequence.last})"
    if curve.driver.expression != expression:
        curve.driver.type = "SCRIPTED"
        curve.driver.expression = expression


def read_again(item: Any) -> None:
    """Drops what was read of the current frame."""
    with bpy.context.temp_override(edit_cachefile=cache_file_of(item)):
        bpy.ops.cachefile.reload()


def _new_cache_file(sequence: Sequence) -> Any:
    """A sequence data-block for the files. One per call: two scenes may play the same files differently."""
    before = set(bpy.data.cache_files)
    path = sequence.path(sequence.first)
    bpy.ops.cachefile.open(filepath=str(path))
    new = [item for item in bpy.data.cache_files if item not in before]
    if not new:
        raise PlaybackError(f"Blender cannot read {path}: this build has no USD. Bake again with points as PLY.")
    # The number in the name is only a pattern, and Blender takes the minus of a negative one for a part of the name.
    new[0].filepath = stored(str(sequence.path(max(sequence.first, 0))))
    new[0].is_sequence = True
    new[0].name = f"Tsubu {sequence.output}"
    new[0].user_clear()  # the operator counts itself as a user, and the block would outlive the object
    return new[0]
