"""How kinds of matter treat each other: one table of pairs, declared once."""

from dataclasses import make_dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..params import param

_LABELS = {"water": "Water", "drops": "Drops", "grains": "Grains", "foam": "Foam", "solid": "Solid"}
_FRICTION = {
    frozenset(("water", "grains")): 0.2,
    frozenset(("drops", "grains")): 0.2,
    frozenset(("water", "drops")): 0.0,
    frozenset(("grains", "foam")): 0.6,
    frozenset(("grains", "solid")): 0.5,
    frozenset(("foam", "solid")): 0.4,
}
"""Coulomb coefficients that differ from the liquids' 0.05."""
_LIQUID = 0.05


def pair_names(one: str, other: str) -> tuple[str, str]:
    """Names of the friction and the sticking of a pair, whatever its order."""
    first, second = sorted((one, other), key=lambda kind: (list(_LABELS).index(kind) if kind in _LABELS else len(_LABELS), kind))
    return f"friction_{first}_{second}", f"stick_{first}_{second}"


def _fields() -> list[tuple[str, type, Any]]:
    whole = param(
        1.0, "Friction between kinds", low=0.0, high=10.0, soft=(0.0, 2.0),
        help="How strongly different materials drag each other along: 0 is slippery, 1 is natural",
    )  # fmt: skip
    found: list[tuple[str, type, Any]] = [("friction", float, whole)]
    for one, other in combinations(_LABELS, 2):
        friction, stick = pair_names(one, other)
        both = f"{_LABELS[one]} – {_LABELS[other]}"
        value = _FRICTION.get(frozenset((one, other)), _LIQUID)
        found.append((friction, float, param(value, both, low=0.0, high=10.0, soft=(0.0, 1.0), advanced=True,
                      help=f"Coulomb friction where {_LABELS[one]} and {_LABELS[other]} touch")))  # fmt: skip
        found.append((stick, bool, param(False, f"{both} stick", advanced=True,
                      help=f"{_LABELS[one]} and {_LABELS[other]} hold on to each other where they touch")))  # fmt: skip
    return found


MeetingParams: type[Any] = make_dataclass("MeetingParams", _fields(), frozen=True)
MeetingParams.__doc__ = """How different kinds of matter treat each other."""


def pair_law(kinds: list[str], params: Any) -> np.ndarray:
    """Friction and sticking of all pairs in the order of `kinds`, float64 (kinds, kinds, 2), see `nodes.FRICTION`."""
    law = np.zeros((len(kinds), len(kinds), 2))
    for i, j in combinations(range(len(kinds)), 2):
        friction, stick = pair_names(kinds[i], kinds[j])
        law[i, j] = law[j, i] = params.friction * getattr(params, friction, _LIQUID), float(getattr(params, stick, False))
    return law
