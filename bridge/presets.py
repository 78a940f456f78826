"""Presets of the body kinds: which there are for an object, which one it has, and putting one on it."""

import ast
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..solvers.materials.registry import MATERIALS, Material
from ..solvers.params import Declaration, declarations
from .generated import Units, engine_value, stable_number, stored_value
from .properties import EMITTER, kind_of, units_of

_SAME = 1.0e-6
"""Relative difference that single precision may leave in a stored value."""


class Offered(NamedTuple):
    """One entry of the menu."""

    name: str
    label: str
    help: str
    number: int


def kind_with_settings(item: Any) -> str | None:
    """The body kind whose settings the object shows: its own, or what it pours."""
    return item.tsubu.emitter_kind if item.tsubu.role == EMITTER else kind_of(item.tsubu.role)


def offered(item: Any) -> tuple[Offered, ...]:
    """The presets for an object; none if its kind has none."""
    kind = kind_with_settings(item)
    if kind is None:
        return ()
    return tuple(Offered(name, p.label, p.source, stable_number(name)) for name, p in MATERIALS[kind].presets.items())


def folder_of_own(item: Any) -> str:
    """Where the artist's own presets of the object's kind lie, below Blender's presets folders."""
    return f"tsubu/{kind_with_settings(item)}"


def own_files(item: Any) -> list[Path]:
    """The artist's own presets of the object's kind."""
    return [path for place in bpy.utils.preset_paths(folder_of_own(item)) for path in sorted(Path(place).glob("*.py"))]


@lru_cache(maxsize=256)
def _values_of(path: Path, _: int) -> dict[str, Any]:
    """Setting → value, as Blender wrote them into a preset; {} if somebody wrote it otherwise."""
    found = {}
    try:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
                found[node.targets[0].attr] = ast.literal_eval(node.value)
    except (OSError, SyntaxError, ValueError):
        return {}
    return found


def current_own(item: Any) -> str:
    """Name of the artist's own preset that the object's settings are, "" if they are none."""
    group, wanted = getattr(item.tsubu, kind_with_settings(item) or "", None), set(kept_settings(item))
    if group is None:
        return ""
    for path in own_files(item):
        values = _values_of(path, path.stat().st_mtime_ns)
        if wanted <= set(values) and all(_alike(getattr(group, name), values[name]) for name in wanted):
            return bpy.path.display_name(path.name, title_case=False)
    return ""


def _alike(now: Any, kept: Any) -> bool:
    if isinstance(kept, float):
        return abs(now - kept) <= _SAME * max(abs(now), abs(kept))
    if isinstance(kept, (tuple, list)):
        return len(now) == len(kept) and all(map(_alike, now, kept))
    return now == kept


def kept_settings(item: Any) -> tuple[str, ...]:
    """The settings that a preset of the artist's own holds: everything of the object's kind."""
    kind = kind_with_settings(item)
    return tuple(entry.name for entry in declarations(MATERIALS[kind].params)) if kind is not None else ()


def current(scene: Any, item: Any) -> str:
    """Label of the preset that the object's settings are, "" if they are none."""
    kind = kind_with_settings(item)
    if kind is None:
        return ""
    material, group, units = MATERIALS[kind], getattr(item.tsubu, kind), units_of(scene)
    declared = {entry.name: entry for entry in declarations(material.params)}
    for name, preset in material.presets.items():
        wanted = material.preset_values(name).items()
        if all(_is_set(group, declared[entry], value, units) for entry, value in wanted):
            return preset.label
    return ""


def _is_set(group: Any, declared: Declaration, value: Any, units: Units) -> bool:
    now = engine_value(getattr(group, declared.name), declared, units)
    if declared.kind == "float":
        return abs(now - value) <= _SAME * max(abs(now), abs(value))
    if declared.kind == "vector":
        return all(abs(a - b) <= _SAME * max(abs(a), abs(b)) for a, b in zip(now, value, strict=True))
    return now == value


def apply(scene: Any, item: Any, name: str) -> None:
    """Puts a preset of the object's kind on it."""
    kind = kind_with_settings(item)
    if kind is None:
        raise KeyError(f"{item.name} has no body kind")
    material: Material = MATERIALS[kind]
    group, units, values = getattr(item.tsubu, kind), units_of(scene), material.preset_values(name)
    for entry in declarations(material.params):
        if entry.name in values:
            setattr(group, entry.name, stored_value(values[entry.name], entry, units))
