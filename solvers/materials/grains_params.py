"""Settings of the body kind Grains."""

import math
from dataclasses import dataclass

from ..params import param
from .preset import NamedParams

PACKING = 0.6
"""Part of a filled body that is grain, the rest is air."""


@dataclass(frozen=True)
class GrainsParams:
    """Sand, gravel, sugar: many small hard bodies that touch, slide, roll, jam and come to rest."""

    mode: str = param(
        "hybrid",
        "Method",
        help="How the inside of the material is simulated",
        choices=[
            ("hybrid", "Hybrid", "Single grains at surfaces, openings and moving colliders, a continuum inside"),
            ("all", "All grains", "Every grain on its own: the reference, and slower where grains lie deep"),
            ("continuum", "Continuum only", "No single grains: fastest, cannot clog. Openings should be a dozen grains wide"),
        ],
    )
    size: float = param(0.01, "Grain size", unit="m", low=1.0e-6, high=100.0, soft=(0.0005, 0.1), help="Mean diameter of a grain")
    size_spread: float = param(
        0.2, "Size spread", low=0.0, high=0.5, help="Diameters differ by up to this part; 0 makes piles crystallise like oranges"
    )
    density: float = param(
        2650.0,
        "Grain density",
        unit="kg/m³",
        low=1.0,
        high=3.0e4,
        soft=(500.0, 8000.0),
        help="Mass of one cubic metre of solid grain: quartz 2650, sugar 1590, rice 1450, snow 500",
    )
    friction_angle: float = param(
        30.0, "Friction angle", unit="°", low=0.0, high=60.0, soft=(10.0, 45.0), help="Slope that grains on grains just hold"
    )
    restitution: float = param(
        0.3, "Restitution", low=0.0, high=1.0, help="Speed after a head-on hit over the speed before: 0 is clay, 1 is ideal steel"
    )
    rolling: float = param(
        0.1,
        "Rolling resistance",
        low=0.0,
        high=1.0,
        soft=(0.0, 0.5),
        help="Balls 0, sand 0.1, sharp gravel 0.3: what corners and edges do that spheres lack",
    )
    wall_friction: float = param(
        0.5,
        "Wall friction",
        low=0.0,
        high=10.0,
        soft=(0.0, 1.0),
        help="Friction against colliders; what acts is the geometric mean of this and the collider's own friction",
    )
    cohesion: float = param(
        0.0,
        "Cohesion",
        unit="Pa",
        low=0.0,
        high=1.0e6,
        soft=(0.0, 5000.0),
        help="Tensile strength of the packing: dry 0, moist sand 500 to 2000",
    )
    layered: bool = param(
        True,
        "Walls need no grains",
        advanced=True,
        help="Hybrid only. On: grains at free surfaces, openings and moving colliders. Off: also along walls that stand still",
    )


def grain_volume(params: GrainsParams) -> float:
    """Mean volume of a grain [m³]; diameters are spread evenly, so that the mean cube is d³ (1 + s²)."""
    return math.pi / 6.0 * params.size**3 * (1.0 + params.size_spread**2)


def grain_spacing(params: GrainsParams, world_spacing: float) -> float:
    """Edge [m] of the cube that one grain with its share of air takes; the world's own spacing does not matter."""
    del world_spacing
    return (grain_volume(params) / PACKING) ** (1.0 / 3.0)


def _preset(label: str, source: str, **values: float) -> NamedParams:
    return NamedParams(label, GrainsParams(**values), source)  # type: ignore[arg-type]


PRESETS: dict[str, NamedParams] = {
    "dry_sand": _preset(
        "Dry sand",
        "Quartz, as the settings are at first; friction and rolling resistance stand in for the angular shape of the grains",
    ),
    "gravel": _preset(
        "Gravel",
        "Crushed rock: sharp edges interlock, which spheres imitate by strong rolling resistance; piles stand near 40°",
        size_spread=0.4, density=2700.0, friction_angle=38.0, restitution=0.3, rolling=0.35, wall_friction=0.6,
    ),
    "sugar": _preset(
        "Sugar",
        "Granulated sugar: even cubic crystals, density 1590, piles near 35°; livelier than sand",
        size_spread=0.15, density=1590.0, friction_angle=33.0, restitution=0.35, rolling=0.2, wall_friction=0.35,
    ),
    "snow": _preset(
        "Snow-like",
        "Moist powder in clumps: light, no bounce, sticks together and breaks into lumps. Real snow also sinters and melts",
        size_spread=0.35, density=300.0, friction_angle=35.0, restitution=0.0, rolling=0.3, wall_friction=0.3, cohesion=150.0,
    ),
    "rice": _preset(
        "Rice-like",
        "Spheres of a grain's volume: density 1450, smooth and even; rolling resistance stands in for the long shape",
        size_spread=0.05, density=1450.0, friction_angle=24.0, restitution=0.4, rolling=0.25, wall_friction=0.3,
    ),
    "wet_sand": _preset(
        "Wet sand",
        "Moist sand of a castle: liquid bridges hold about 1 kPa in tension, so that small walls stand upright and break",
        size_spread=0.25, density=2650.0, friction_angle=33.0, restitution=0.05, rolling=0.15, wall_friction=0.5, cohesion=1000.0,
    ),
}  # fmt: skip
"""Presets by name: magnitudes chosen for the look and checked for plausibility, not fitted to one measurement."""
