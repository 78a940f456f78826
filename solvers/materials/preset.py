"""A named set of settings of a body kind.

A kind offers presets by a dict `PRESETS` (name → preset) in the file that declares its parameters; the register finds it
there, and the menus of the interface appear by themselves.
"""

from dataclasses import dataclass
from typing import Any, Protocol


class Preset(Protocol):
    """What the register and the interface read."""

    @property
    def label(self) -> str: ...
    @property
    def params(self) -> Any:
        """A complete parameter group of the kind."""
        ...

    @property
    def source(self) -> str:
        """Where the numbers come from, or what to expect of them; shown as help text."""
        ...


@dataclass(frozen=True)
class NamedParams:
    """The plainest preset."""

    label: str
    params: Any
    source: str
