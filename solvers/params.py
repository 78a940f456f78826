"""Parameters declared once: interface, validation, job file and kernels all read the same declaration.

A parameter group is a frozen dataclass whose fields are made by `param`:

    @dataclass(frozen=True)
    class WaterParams:
        density: float = param(1000.0, "Density", unit="kg/m³", low=1.0, high=2.0e4, help="Mass of one cubic metre")

`declarations(WaterParams)` lists what the interface draws; `from_dict` / `to_dict` are the job file;
`validated` is what every door of the engine calls.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from .errors import InvalidScene

Group = TypeVar("Group")


@dataclass(frozen=True)
class Choice:
    """One entry of an enumeration."""

    name: str
    label: str
    help: str


@dataclass(frozen=True)
class Declaration:
    """Everything known about one parameter."""

    name: str
    label: str
    default: Any
    unit: str
    """SI unit as printed: "m", "kg/m³", "°", "" for a pure number."""
    low: float | None
    high: float | None
    soft_low: float | None
    soft_high: float | None
    help: str
    choices: tuple[Choice, ...]
    animatable: bool
    advanced: bool
    """Shown in the foldout with physical values rather than among the artist's sliders."""
    needs: str = ""
    """A switch of the same group without which it means nothing; the interface shows it only when that is on."""

    @property
    def kind(self) -> str:
        """One of bool, int, float, vector, choice, text."""
        if self.choices:
            return "choice"
        if isinstance(self.default, bool):
            return "bool"
        if isinstance(self.default, int):
            return "int"
        if isinstance(self.default, float):
            return "float"
        if isinstance(self.default, tuple):
            return "vector"
        return "text"


def param(
    default: Any,
    label: str,
    *,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    soft: tuple[float, float] | None = None,
    help: str,
    choices: Sequence[tuple[str, str, str]] = (),
    animatable: bool = False,
    advanced: bool = False,
    needs: str = "",
) -> Any:
    """Declare one parameter of a group. `low` and `high` are hard limits, `soft` is the slider's range."""
    metadata = {
        "label": label,
        "unit": unit,
        "low": low,
        "high": high,
        "soft": soft or (low, high),
        "help": help,
        "choices": tuple(Choice(*entry) for entry in choices),
        "animatable": animatable,
        "advanced": advanced,
        "needs": needs,
    }
    return field(default=default, metadata=metadata)


def declarations(group: Any) -> tuple[Declaration, ...]:
    """The parameters of a group, in the order they were declared."""
    return tuple(
        Declaration(
            name=entry.name,
            label=entry.metadata["label"],
            default=entry.default,
            unit=entry.metadata["unit"],
            low=entry.metadata["low"],
            high=entry.metadata["high"],
            soft_low=entry.metadata["soft"][0],
            soft_high=entry.metadata["soft"][1],
            help=entry.metadata["help"],
            choices=entry.metadata["choices"],
            animatable=entry.metadata["animatable"],
            advanced=entry.metadata["advanced"],
            needs=entry.metadata["needs"],
        )
        for entry in fields(group)
    )


def _checked_number(value: Any, declared: Declaration, owner: str) -> float:
    number = float(value)
    where = f"{owner}: {declared.label} ({declared.name})"
    if not math.isfinite(number):
        raise InvalidScene(f"{where} is {value}; give a finite number.")
    unit = f" {declared.unit}" if declared.unit else ""
    if declared.low is not None and number < declared.low:
        raise InvalidScene(f"{where} is {number:g}{unit}; the least allowed is {declared.low:g}{unit}.")
    if declared.high is not None and number > declared.high:
        raise InvalidScene(f"{where} is {number:g}{unit}; the most allowed is {declared.high:g}{unit}.")
    return number


def checked_value(value: Any, declared: Declaration, owner: str) -> Any:
    """`value` converted to the declared type, or an error that names `owner`, the parameter and the limit."""
    where = f"{owner}: {declared.label} ({declared.name})"
    kind = declared.kind
    try:
        if kind == "choice":
            if value not in [choice.name for choice in declared.choices]:
                allowed = ", ".join(choice.name for choice in declared.choices)
                raise InvalidScene(f"{where} is {value!r}; choose one of {allowed}.")
            return str(value)
        if kind == "bool":
            if not isinstance(value, (bool, int)):
                raise InvalidScene(f"{where} is {value!r}; give true or false.")
            return bool(value)
        if kind == "int":
            number = _checked_number(value, declared, owner)
            if number != int(number):
                raise InvalidScene(f"{where} is {value!r}; give a whole number.")
            return int(number)
        if kind == "float":
            return _checked_number(value, declared, owner)
        if kind == "vector":
            if len(value) != len(declared.default):
                raise InvalidScene(f"{where} has {len(value)} components; give {len(declared.default)}.")
            return tuple(_checked_number(part, declared, owner) for part in value)
        return str(value)
    except (TypeError, ValueError) as error:
        raise InvalidScene(f"{where} is {value!r}, which is not a {kind}.") from error


def from_dict(group: type[Group], values: Mapping[str, Any], owner: str) -> Group:
    """A validated group from plain values. Unknown names are refused; missing ones take their default."""
    declared = {entry.name: entry for entry in declarations(group)}
    unknown = sorted(set(values) - set(declared))
    if unknown:
        raise InvalidScene(f"{owner}: unknown setting {', '.join(unknown)}; known are {', '.join(declared)}.")
    return group(**{name: checked_value(value, declared[name], owner) for name, value in values.items()})


def to_dict(values: Any) -> dict[str, Any]:
    """Plain values for a job file."""
    plain = {entry.name: getattr(values, entry.name) for entry in fields(values)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}


def validated(values: Group, owner: str) -> Group:
    """The same group with every value checked and converted."""
    return from_dict(type(values), to_dict(values), owner)
