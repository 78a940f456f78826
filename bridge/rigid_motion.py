"""The motion of Free colliders on the artist's own objects: native keys, so that the .blend plays and renders without us.

The manifest says for every frame how a body has moved since the first one. An empty beside the playback objects gets these
moves as keys, one a frame, and the object a Child Of constraint to it: world = move · own place, whatever parents, scale or units
the object has. The object's own transform stays what the artist made it, and everything is gone when the constraint is.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..solvers.bake import manifest
from ..solvers.errors import TsubuError

CONSTRAINT = "Tsubu Motion"
_MARK = "tsubu_motion"
"""Marks an empty; holds the name of the object it moves."""
_POSE = "pose "
_LINEAR = 1
"""Number of the interpolation type LINEAR."""


def show(scene: Any, folder: Path, units_per_metre: float, collection: Any) -> list[str]:
    """Make or refresh the motion of every free body of the bake in `folder`; returns warnings. New empties go to `collection`."""
    moves = read_moves(folder)
    warnings = []
    for name, (frames, poses) in moves.items():
        item = scene.objects.get(name)
        if item is None or not item.is_editable:
            why = "there is no such object" if item is None else "it is linked from another file"
            warnings.append(f"{name}: the bake moves it, but {why}; it stays where it is.")
            continue
        _write_keys(_helper(item, collection), frames, poses, units_per_metre)
    for item in scene.objects:
        if item.name not in moves:
            _release(item)
    _remove_unused(scene)
    return warnings


def remove(scene: Any) -> None:
    """Everybody back to their own place."""
    for item in scene.objects:
        _release(item)
    _remove_unused(scene)


@contextmanager
def held_off(scene: Any) -> Iterator[None]:
    """Within this the objects of `scene` are where the artist put them, as an export has to see them."""
    muted = [entry for entry in map(_constraint, scene.objects) if entry is not None and not entry.mute]
    for entry in muted:
        entry.mute = True
    try:
        yield
    finally:
        for entry in muted:
            entry.mute = False


def read_moves(folder: Path) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Name of a free collider → frames int (n,), and translation [m] with quaternion for each, float64 (n, 7)."""
    try:
        recorded = manifest.read(folder).frames
    except TsubuError:
        return {}
    found: dict[str, dict[int, list[float]]] = {}
    for frame in sorted(recorded):
        for key, pose in recorded[frame].items():
            if key.startswith(_POSE):
                found.setdefault(key.removeprefix(_POSE), {})[frame] = pose
    return {name: (np.array(list(poses)), _continuous(np.array(list(poses.values())))) for name, poses in found.items()}


def _continuous(poses: np.ndarray) -> np.ndarray:
    """The same poses with quaternions of such signs that neighbours are near: what lies between two keys is the short way."""
    turned = np.einsum("ij,ij->i", poses[1:, 3:], poses[:-1, 3:]) < 0.0
    poses[1:, 3:] *= np.where(np.cumsum(turned) % 2 == 1, -1.0, 1.0)[:, None]
    return poses


def _constraint(item: Any) -> Any:
    return next((entry for entry in item.constraints if entry.name == CONSTRAINT and entry.type == "CHILD_OF"), None)


def _helper(item: Any, collection: Any) -> Any:
    """The empty that moves `item`, with the constraint to it."""
    link = _constraint(item)
    if link is None:
        link = item.constraints.new("CHILD_OF")
        link.name = CONSTRAINT
    if link.target is None or link.target.get(_MARK) != item.name:
        empty: Any = bpy.data.objects.new(f"{item.name} motion", None)
        empty[_MARK] = item.name
        empty.rotation_mode = "QUATERNION"
        empty.empty_display_size = 0.1
        collection.objects.link(empty)
        link.target = empty
        link.inverse_matrix.identity()
    return link.target


def _write_keys(empty: Any, frames: np.ndarray, poses: np.ndarray, units_per_metre: float) -> None:
    """Location and rotation of every frame as linear curves; before and after the range they hold."""
    data = empty.animation_data_create()
    old, slot = data.action, None
    action = bpy.data.actions.new(empty.name)
    slot = action.slots.new(id_type="OBJECT", name=empty.name)
    curves = action.layers.new("Bake").strips.new(type="KEYFRAME").channelbag(slot, ensure=True).fcurves
    scaled = poses * np.array([units_per_metre] * 3 + [1.0] * 4)
    paths = [("location", axis) for axis in range(3)] + [("rotation_quaternion", part) for part in range(4)]
    for column, (path, index) in enumerate(paths):
        curve = curves.new(path, index=index)
        curve.keyframe_points.add(len(frames))
        curve.keyframe_points.foreach_set("co", np.stack([frames, scaled[:, column]], axis=1).astype(np.float32).ravel())
        curve.keyframe_points.foreach_set("interpolation", np.full(len(frames), _LINEAR, dtype=np.int32))
        curve.extrapolation = "CONSTANT"
        curve.update()
    data.action = action
    data.action_slot = slot
    if old is not None and old.users == 0:
        bpy.data.actions.remove(old)
    empty.update_tag()


def _release(item: Any) -> None:
    link = _constraint(item)
    if link is not None and item.is_editable and (link.target is None or _MARK in link.target):
        item.constraints.remove(link)


def _remove_unused(scene: Any) -> None:
    """Remove empties that move nobody any more, with their keys."""
    used = {link.target for link in map(_constraint, scene.objects) if link is not None}
    for empty in [entry for entry in scene.objects if _MARK in entry and entry not in used]:
        action = empty.animation_data.action if empty.animation_data else None
        bpy.data.objects.remove(empty)
        if action is not None and action.users == 0:
            bpy.data.actions.remove(action)
