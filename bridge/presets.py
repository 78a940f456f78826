"""Presets of the body kinds: which there are for an object, which one it has, and putting one on it."""

from typing import Any, NamedTuple

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
