"""The energy that makes a drop, in closed form.

Three terms, each a sum over particles, all lengths in particle spacings:

    E = Σ_i ½ K max(δ_i − δ₀, 0)²  −  Σ_pairs φ(r_ij)  +  Σ_i u(d_i)

δ_i is the SPH density over the rest density (Wendland kernel of radius `DENSITY_REACH`, walls counted as the half-space integral
of 『再構築ポリゴン壁を用いたSPHの壁境界計算手法』, 笠 晃一): it keeps the volume. φ is a smooth attraction of radius
`COHESION_REACH`, φ' = −A q (1 − q)²: it is the surface tension, as in "Modeling of surface tension and contact angles with
smoothed particle hydrodynamics" (Tartakovsky & Meakin), without their repulsion, which makes particles freeze into lattices.
u is the wall. Forces are the exact derivatives, so momentum is conserved pairwise and a drop comes to rest in a minimum of E.

For a sharp surface Fowler's integral gives γ = (π/8) ∫ φ' r⁴ dr; a surface made of particles has the share `TENSION_SHARE` of it.
A half-space of the same liquid would attract a particle at distance d with

    F(d) = π ∫_d^H |φ'(r)| (r² − d²) dr

and a wall that attracts with the share β of that has, by Young and Dupré, cos θ = 2β − 1 in the sharp limit. Particles are not
sharp: `wetting` holds the measured relation.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inlined
from ..sph.passes import WENDLAND_NORM, lattice_sum

DENSITY_REACH = 2.5
COHESION_REACH = 3.0
"""Radii of the two kernels [spacings]. With a density kernel of 2 the particles lock and the contact line sticks by itself."""
TENSION_SHARE = 0.472
"""γ of a surface of particles over Fowler's value: the height of puddles and the period of ringing drops agree on it."""
_FOWLER = 8.0 * 168.0 / np.pi
STRENGTH = _FOWLER / COHESION_REACH**5
"""A for which Fowler's γ is 1."""
INNER_PRESSURE = 2.0 * np.pi / 3.0 * STRENGTH * COHESION_REACH**4 / 105.0
"""What the attraction adds to the pressure inside, in units of γ over spacing: (2π/3) ∫ φ' r³ dr."""
STIFFNESS = 40.0
"""K in units of γ over spacing: the inner pressure compresses by 7 %, which δ₀ makes up for."""
BULK = 0.955
"""δ inside a drop: a little below 1 makes up for the outermost layer, which the attraction pulls in."""
STEP = 0.6
"""Time step in units of spacing over the speed of sound √K; 1.1 was still stable."""
WALL_REACH = 4.0
"""Farthest wall that acts [spacings]."""
CORE = 0.5
"""Distance below which a wall pushes back [spacings]: half a particle."""
CONTACT_REACH = 1.5
"""Reach of the dislike of contact [spacings]."""


class Law(NamedTuple):
    """Constants of a step, float32; lengths in spacings, time in seconds."""

    per_spacing: np.float32
    """1 / spacing [1/m]."""
    unit: np.float32
    """Acceleration that the scaled unit of force stands for [m/s²]."""
    unit_speed: np.float32
    """Scaled unit of velocity [m/s]."""
    own: np.float32
    """What a particle adds to its own density, such that a lattice has δ = 1."""
    rest: np.float32
    """δ₀."""
    stiffness: np.float32
    """K."""
    viscosity: np.float32
    """Scaled kinematic viscosity [spacing² / s] × [s per scaled force], see `viscous_pull`; 0 if it is done implicitly."""
    drag: np.float32
    """Viscosity that walls feel [1/s]: ν / spacing²."""
    gravity_x: np.float32
    gravity_y: np.float32
    gravity_z: np.float32


OWN = 1.0 - WENDLAND_NORM / DENSITY_REACH**3 * lattice_sum(DENSITY_REACH, 1.0)
WEIGHT = np.float32(WENDLAND_NORM / DENSITY_REACH**3)
SLOPE = np.float32(20.0 * WENDLAND_NORM / DENSITY_REACH**5)
"""∇δ_ij = −SLOPE (1 − q)³ x_ij."""
PULL = np.float32(STRENGTH / COHESION_REACH)
LAPLACIAN = np.float32(45.0 / np.pi / COHESION_REACH**6)
"""∇² of the viscosity kernel (8) of the walls paper: LAPLACIAN (H − r)."""


@inlined
def _moment(power, q):
    """∫_0^q t^power (1 − t)² dt."""
    return q ** (power + 1) * (1 / (power + 1) - 2 * q / (power + 2) + q * q / (power + 3))


@inlined
def wall_cohesion(distance):
    """F(d): pull of a half-space of liquid on a particle at `distance` [spacings]."""
    a = min(max(distance, 0.0), COHESION_REACH) / COHESION_REACH
    return (
        np.pi * STRENGTH * COHESION_REACH**3
        * (_moment(3, 1.0) - _moment(3, a) - a * a * (_moment(1, 1.0) - _moment(1, a)))
    )  # fmt: skip


@inlined
def wall_force(distance, stiffness, pull, dislike, tail):
    """−du/dd, positive away from the wall, without the pressure.

    `pull` β attracts as liquid would; `dislike` keeps the first layer from spreading by itself, `tail` attracts the layers above
    it, so that a film of any thickness costs the same energy: otherwise low angles end in a carpet of one particle.
    """
    force = -pull * wall_cohesion(distance)
    if distance < CORE:
        force += stiffness * (CORE - distance)
    if distance < CONTACT_REACH:
        force += 2.0 * dislike * (1.0 - distance / CONTACT_REACH) / CONTACT_REACH
    q = distance / WALL_REACH
    if 0.0 < q < 1.0:
        force += 6.75 * tail * (2.0 * q - 3.0 * q * q) / WALL_REACH
    return force
