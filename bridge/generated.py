"""Property groups made from the engine's parameter declarations, and the way back to the engine's own groups.

A length in the interface is a length as it is seen in Blender: `Units` turns it into the metres of the simulation.
Gravity, density, viscosity and their like are not lengths of the scene; they go through unchanged.
"""

import math
import zlib
from typing import Any, NamedTuple

import bpy

from ..solvers.params import Declaration, declarations, from_dict


class Units(NamedTuple):
    """How lengths of the scene become metres of the simulation."""

    unit_scale: float = 1.0
    """Metres in a Blender unit (Scene › Units › Unit Scale)."""
    scale: float = 1.0
    """Metres simulated for each metre seen (Tsubu › Scale)."""

    @property
    def metres(self) -> float:
        """Simulated metres in a Blender unit."""
        return self.unit_scale * self.scale


class _Dimension(NamedTuple):
    """What a unit of the engine is in Blender."""

    subtype: str = "NONE"
    unit: str = "NONE"
    shown: int = 0
    """Power of the unit scale by which Blender multiplies the stored value when it shows it."""
    length: int = 0
    """Power of the scene's scale by which the value grows: 1 for lengths and speeds, 3 for volumes."""
    factor: float = 1.0
    """Engine value of one stored unit: degrees are stored as radians."""


_DIMENSIONS = {
    "m": _Dimension("DISTANCE", "LENGTH", 1, 1),
    "m/s": _Dimension("NONE", "VELOCITY", 1, 1),
    "m²": _Dimension("NONE", "AREA", 2, 2),
    "m³": _Dimension("NONE", "VOLUME", 3, 3),
    "m³/s": _Dimension(length=3),
    "m/s²": _Dimension("ACCELERATION", "ACCELERATION", 1, 0),
    "s": _Dimension("TIME_ABSOLUTE", "TIME_ABSOLUTE"),
    "kg": _Dimension("NONE", "MASS"),
    "°": _Dimension("ANGLE", "ROTATION", factor=180.0 / math.pi),
}
_SHOWN_BY_BLENDER = {name for name, dimension in _DIMENSIONS.items() if dimension.unit != "NONE"}
_ROOM = 1.0e6
"""Limits of lengths are widened by this much: the engine checks them in metres, whatever the unit scale."""
_LARGEST_INT = 2**31 - 1


def stable_number(name: str) -> int:
    """A number for an enumeration's entry that depends on its name only: files keep it when entries come and go."""
    return 16 + zlib.crc32(name.encode()) % 2**30


def dimension_of(unit: str) -> _Dimension:
    return _DIMENSIONS.get(unit, _Dimension())


def label_of(declared: Declaration) -> str:
    """The label, with the unit in words where Blender does not show it beside the number."""
    plain = not declared.unit or declared.unit in _SHOWN_BY_BLENDER
    return declared.label if plain else f"{declared.label} ({declared.unit})"


def make_group(params: type, name: str, leave_out: tuple[str, ...] = (), instead: dict[str, Any] | None = None) -> type:
    """An unregistered PropertyGroup class `TSUBU_PG_name` with a property for every parameter of `params`.

    `instead`: properties of the interface's own, besides those of `params` or in the place of some.
    """
    annotations = {entry.name: make_property(entry) for entry in declarations(params) if entry.name not in leave_out}
    annotations |= instead or {}
    about = (params.__doc__ or name).strip().splitlines()[0]
    return type(f"TSUBU_PG_{name}", (bpy.types.PropertyGroup,), {"__annotations__": annotations, "__doc__": about})


def make_property(declared: Declaration) -> Any:
    """The deferred bpy.props definition of one parameter."""
    common: dict[str, Any] = {
        "name": label_of(declared),
        "description": declared.help,
        "options": {"ANIMATABLE"} if declared.animatable else set(),
        "override": {"LIBRARY_OVERRIDABLE"},
    }
    kind = declared.kind
    if kind == "choice":
        items = [(choice.name, choice.label, choice.help, stable_number(choice.name)) for choice in declared.choices]
        return bpy.props.EnumProperty(items=items, default=declared.default, **common)
    if kind == "bool":
        return bpy.props.BoolProperty(default=declared.default, **common)
    if kind == "int":
        return bpy.props.IntProperty(default=declared.default, **_whole_limits(declared), **common)
    if kind == "text":
        return bpy.props.StringProperty(default=declared.default, **common)
    dimension = dimension_of(declared.unit)
    limits = _limits(declared, dimension)
    if kind == "vector":
        subtype = dimension.subtype if dimension.subtype == "ACCELERATION" else "XYZ"
        default = tuple(part / dimension.factor for part in declared.default)
        return bpy.props.FloatVectorProperty(
            default=default, size=len(default), subtype=subtype, unit=dimension.unit, **limits, **common
        )
    precision = _precision(declared, dimension)
    default = declared.default / dimension.factor
    return bpy.props.FloatProperty(
        default=default, subtype=dimension.subtype, unit=dimension.unit, precision=precision, **limits, **common
    )


def _limits(declared: Declaration, dimension: _Dimension) -> dict[str, float]:
    room = _ROOM if dimension.shown else 1.0
    found = {}
    if declared.low is not None:
        found["min"] = declared.low / dimension.factor / (room if declared.low > 0.0 else 1.0 / room)
    if declared.high is not None:
        found["max"] = declared.high / dimension.factor * (room if declared.high > 0.0 else 1.0 / room)
    if declared.soft_low is not None:
        found["soft_min"] = declared.soft_low / dimension.factor
    if declared.soft_high is not None:
        found["soft_max"] = declared.soft_high / dimension.factor
    return found


def _whole_limits(declared: Declaration) -> dict[str, int]:
    given = {"min": declared.low, "max": declared.high, "soft_min": declared.soft_low, "soft_max": declared.soft_high}
    return {name: int(max(-_LARGEST_INT, min(_LARGEST_INT, value))) for name, value in given.items() if value is not None}


def _precision(declared: Declaration, dimension: _Dimension) -> int:
    """Digits after the point, so that a small default is not shown as 0.000."""
    size = abs(declared.default / dimension.factor)
    return 3 if size == 0.0 or size >= 0.1 else min(6, 2 + math.ceil(-math.log10(size)))


def engine_value(value: Any, declared: Declaration, units: Units) -> Any:
    """A stored value in the units of the engine."""
    if declared.kind not in ("float", "vector"):
        return value
    dimension = dimension_of(declared.unit)
    scale = units.unit_scale**dimension.shown * units.scale**dimension.length
    # Degrees are stored as radians: what the artist typed is round in degrees.
    if declared.kind == "vector":
        return tuple(_rounded(part * dimension.factor) * scale for part in value)
    return _rounded(value * dimension.factor) * scale


def stored_value(value: Any, declared: Declaration, units: Units) -> Any:
    """The inverse of `engine_value`: what the property holds for a value of the engine."""
    if declared.kind not in ("float", "vector"):
        return value
    dimension = dimension_of(declared.unit)
    factor = dimension.factor * units.unit_scale**dimension.shown * units.scale**dimension.length
    if declared.kind == "vector":
        return tuple(part / factor for part in value)
    return value / factor


def _rounded(value: float) -> float:
    """Blender stores float32: 0.1 comes back as 0.10000000149. Seven digits are what the artist typed."""
    return float(f"{value:.7g}")


def read_group(group: Any, params: type, owner: str, units: Units, **known: Any) -> Any:
    """The engine's validated parameters from a property group; `known` gives those that are decided elsewhere."""
    values = {
        entry.name: engine_value(getattr(group, entry.name), entry, units)
        for entry in declarations(params)
        if entry.name not in known
    }
    return from_dict(params, {**values, **known}, owner)
