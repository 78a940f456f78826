"""What a bake was made from, so that a resume knows whether the job is still the same, and since when not."""

from typing import Any, NamedTuple

import numpy as np

from .. import job
from ..params import to_dict
from ..scene import Scene
from .files import checksum_of, json_bytes

_FREE = {"world.frame_end", "world.checkpoint_every", "name"}
"""Settings that change no frame."""
_ROW_DIGITS = 12


class Change(NamedTuple):
    """One difference between two jobs."""

    what: str
    """Such as "World: spacing was 0.01, is 0.02"."""
    frame: int
    """First frame that it touches."""


def fingerprint(scene: Scene) -> dict[str, Any]:
    """Settings as they are and a hash of every array, row by row where a row is a frame. `scene` has passed `checked`."""
    description, arrays = job.describe(scene)
    hashes: dict[str, Any] = {}
    for name, array in arrays.items():
        contiguous = np.ascontiguousarray(array)
        if _per_frame(name, array):
            hashes[name] = [checksum_of(row.tobytes())[:_ROW_DIGITS] for row in contiguous]
        else:
            hashes[name] = checksum_of(contiguous.tobytes())
    return {"settings": description, "arrays": hashes}


def surface_key(scene: Scene) -> str:
    """Hash of the surface settings. Every frame notes its own: surfaces can be made again without a new bake."""
    return checksum_of(json_bytes(to_dict(scene.surface)))[:_ROW_DIGITS]


def _per_frame(name: str, array: np.ndarray) -> bool:
    return name.endswith("/motion") or "/animated/" in name or (name.endswith("/vertices") and array.ndim == 3)


def _flat(value: Any, path: str, into: dict[str, Any]) -> None:
    if isinstance(value, dict):
        for key, part in value.items():
            _flat(part, f"{path}.{key}" if path else key, into)
    elif isinstance(value, list) and any(isinstance(part, dict) for part in value):
        for index, part in enumerate(value):
            label = part.get("name", index) if isinstance(part, dict) else index
            _flat(part, f"{path}[{label}]", into)
        into[f"{path}.order"] = [part.get("name") for part in value if isinstance(part, dict)]
    else:
        into[path] = value


def changes(old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    """How the job `new` differs from `old`, apart from settings that change no frame."""
    first = int(old["settings"]["world"]["frame_start"])
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    _flat(old["settings"], "", before)
    _flat(new["settings"], "", after)
    found = []
    for key in sorted((set(before) | set(after)) - _FREE):
        if before.get(key) != after.get(key):
            found.append(Change(f"{key} was {_shown(before, key)}, is {_shown(after, key)}", first))
    for name in sorted(set(old["arrays"]) & set(new["arrays"])):
        found += _array_changes(name, old["arrays"][name], new["arrays"][name], first)
    for name in sorted(set(old["arrays"]) ^ set(new["arrays"])):
        found.append(Change(f"{name} {'is new' if name in new['arrays'] else 'is gone'}", first))
    return found


def _shown(values: dict[str, Any], key: str) -> str:
    return repr(values[key]) if key in values else "absent"


def _array_changes(name: str, old: Any, new: Any, first: int) -> list[Change]:
    if isinstance(old, list) and isinstance(new, list):
        for row, (one, other) in enumerate(zip(old, new, strict=False)):
            if one != other:
                return [Change(f"{name} differs from frame {first + row} on", first + row)]
        return []
    return [] if old == new else [Change(f"{name} differs", first)]
