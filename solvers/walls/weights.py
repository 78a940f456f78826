"""All wall weights in one place: closed forms for one plane, and the walls' share of a kernel for any corner."""

from .density import overlap, overlap_tables, wall_density, wall_fraction
from .half_space import (
    KERNELS,
    POLY6,
    WENDLAND,
    density_slope_poly6,
    density_slope_wendland,
    density_weight_poly6,
    density_weight_wendland,
    pressure_weight,
    viscosity_weight,
)

__all__ = [
    "KERNELS",
    "POLY6",
    "WENDLAND",
    "density_slope_poly6",
    "density_slope_wendland",
    "density_weight_poly6",
    "density_weight_wendland",
    "overlap",
    "overlap_tables",
    "pressure_weight",
    "viscosity_weight",
    "wall_density",
    "wall_fraction",
]
