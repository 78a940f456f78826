"""How single contacts look from afar: elastic moduli and friction of a packing."""

import math
from typing import NamedTuple

from ..materials.grains_params import PACKING, GrainsParams

_NEIGHBOURS = 5.0
"""Contacts of a grain in a packing that carries load, with friction."""
_SHEAR = 0.6
"""Shear modulus over bulk modulus of such a packing."""
SOFTER = 16.0
"""Contacts are made stiff enough for the hardest hit of two single grains. A continuum has to carry weight and flow only, which
takes a sixteenth of that (still less than 3 % compression under everything there is); its steps are four times as long, and the
transfer to and from the grid, which costs a little of all motion below the size of a cell, happens four times less often."""


class Moduli(NamedTuple):
    """Elastic moduli [Pa] of a packing of grains."""

    bulk: float
    shear: float


def packing_moduli(stiffness: float) -> Moduli:
    """Moduli of a packing whose contacts have this stiffness 4 Y [Pa] (`dem.engine.Stiffness`), made softer.

    Grains of diameter d with Z contacts of spring k each: K = φ Z k / (3 π d) for affine compression, and k/d = 4 Y / 4.
    """
    bulk = PACKING * _NEIGHBOURS / (3.0 * math.pi) * 0.25 * stiffness / SOFTER
    return Moduli(bulk, _SHEAR * bulk)


def bulk_friction(params: GrainsParams) -> float:
    """tan φ of a packing of spheres in slow flow, from the friction µ and the rolling resistance µ_r of their contacts.

    A fit to what `benchmarks/grain_friction.py` measures in flowing grains of 20 % size spread, within 0.05 for µ = 0.1 … 0.9 and
    µ_r = 0 … 0.3. At µ = 0 it is that of frictionless spheres, 0.1, by the literature and not by measurement.
    """
    friction = math.tan(math.radians(params.friction_angle))
    sliding = 0.10 + 0.15 * (1.0 - math.exp(-friction / 0.04)) + 0.22 * (1.0 - math.exp(-friction / 0.25))
    rolling = 0.30 * (1.0 - math.exp(-params.rolling / 0.126)) * (1.0 - math.exp(-((friction / 0.2) ** 2)))
    return sliding + rolling
