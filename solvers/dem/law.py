"""The contact law: linear springs and dashpots, Coulomb friction with memory, rolling resistance, wet bridges.

Two spheres i and j that overlap by δ, with n from j to i, relative velocity v = v_i − v_j, and arms that add up to the
distance of the centres (so that angular momentum is conserved exactly):

    F_n = k δ − γ v·n                                                    normal
    F_t = −(k_t ξ + γ_t v_t), shortened to µ |F_n|                       ξ: sliding distance in the tangent plane
    M   = −(k_r θ + γ_r Δω), shortened to µ_r r |F_n|                    θ: rolling and twisting angle

k = 4 Y r_i r_j / (r_i + r_j): every size is equally stiff for its size, so one step fits all. γ = 2 ζ √(k m), m the
reduced mass, with ζ from the coefficient of restitution e = exp(−π ζ / √(1 − ζ²)); k_t = 2/7 k and γ_t = 2/7 γ give a solid
sphere the same period and the same damping along the contact as across it. A leapfrog step knows velocities half a step
late; γ / (1 + γ Δt / 4m) in place of γ makes up for that: with it, the discrete oscillation loses as much in half its (discrete)
period as the exact one, to second order in Δt. Springs stay as they are: what rests must not feel the length of the step.
"""

import math
from typing import NamedTuple

import numpy as np

TANGENT = 2.0 / 7.0
OVERLAP = 0.05
"""Overlap at the fastest expected impact, in radii."""
_STATIC_OVERLAP = 0.01
"""Overlap under the weight of everything above, in radii."""
_BULK = 0.64
STEPS_PER_CONTACT = 24.0
"""Steps within the undamped contact time π √(m/k) of the smallest grains; more with damping, see `contact_step`."""
ROLL_DAMPING = 0.3
"""Damping ratio of the rolling spring: rocking dies out whatever the restitution."""
RUPTURE = 0.1
"""Gap at which a liquid bridge breaks, in reduced diameters."""
_BRIDGE = 4.0 / 1.15
"""Rumpf's tensile strength σ = φ Z/π · F/d² with packing φ = 0.6 and Z = 6 contacts, solved for F/(σ (d/2)²): the reduced
diameter of equal grains is d/2."""


class Law(NamedTuple):
    """What the kernels know of the contact law; float32 numbers and switches."""

    stiffness: np.float32
    """4 Y [Pa]: k = stiffness · r_i r_j / (r_i + r_j)."""
    tangent: np.float32
    """k_t / k."""
    damping: np.float32
    """ζ."""
    tangent_damping: np.float32
    """γ_t / γ."""
    friction: np.float32
    """µ between grains."""
    rolling: np.float32
    """µ_r."""
    cohesion: np.float32
    """Force of a bridge over the squared reduced diameter [Pa]."""
    rolls: bool
    """Whether any grain resists rolling."""
    wet: bool
    """Whether any grain is cohesive."""
    mixed: bool
    """Whether grains differ in ζ, µ, µ_r, cohesion or weight: then rows of their own count."""
    centred: bool
    """Whether dashpots make up for the finite step (the rule) or not (as in other codes)."""


def damping_ratio(restitution: float) -> float:
    """ζ for which e = exp(−π ζ/√(1 − ζ²)); 1 (critical) for e = 0."""
    if restitution <= 0.0:
        return 1.0
    logarithm = math.log(min(restitution, 1.0))
    return -logarithm / math.hypot(math.pi, logarithm)


def bridge_strength(cohesion: float) -> float:
    """Force per squared reduced diameter [Pa] that gives a packing this tensile strength [Pa] (Rumpf 1962)."""
    return _BRIDGE * cohesion


def chosen_stiffness(density: float, speed: float, gravity: float, height: float) -> float:
    """4 Y [Pa] that keeps impacts at `speed` [m/s] and the weight of `height` [m] of grains within the allowed overlaps.

    Reduced mass 2/3 π r³ ρ stopped within OVERLAP · r: the radius cancels.
    """
    impact = 4.0 / 3.0 * math.pi * density * speed * speed / OVERLAP**2
    weight = 8.0 * _BULK * density * gravity * height / _STATIC_OVERLAP
    return max(impact, weight)


def contact_step(stiffness: float, density: float, radius: float, damping: float) -> float:
    """Step [s] that resolves the contact of two equal grains of this radius [m]; shorter where the dashpot is stiff."""
    half_period = math.pi * radius * math.sqrt(4.0 / 3.0 * math.pi * density / stiffness)
    return half_period / (STEPS_PER_CONTACT * (1.0 + 1.5 * damping))


class Pair(NamedTuple):
    """Contacts as arrays, one row each; see `pair_forces`."""

    offset: np.ndarray
    """x_i − x_j [m], float64 (m, 3)."""
    velocity: np.ndarray
    """v_i − v_j [m/s], (m, 3)."""
    spin: np.ndarray
    """ω_i and ω_j [1/s], (m, 2, 3)."""
    radius: np.ndarray
    """r_i and r_j [m], (m, 2)."""
    mass: np.ndarray
    """m_i and m_j [kg], (m, 2), weights included."""
    spring: np.ndarray
    """ξ [m] and θ [rad], (m, 6)."""
    setting: np.ndarray
    """Means of the two grains: weight, ζ, µ, µ_r, cohesion, (m, 5)."""


def pair_forces(pair: Pair, law: Law, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Force on i [N] and rolling moment on i [N m], float64 (m, 3) each: the law in double precision, ξ and θ as they are."""
    weight, zeta, friction, rolling, cohesion = pair.setting.T
    total = pair.radius.sum(axis=1)
    distance = np.linalg.norm(pair.offset, axis=1)
    normal = pair.offset / distance[:, None]
    overlap = total - distance
    reduced = pair.radius.prod(axis=1) / total
    stiffness = float(law.stiffness) * reduced * weight
    mass = pair.mass.prod(axis=1) / pair.mass.sum(axis=1)
    gamma = 2.0 * zeta * np.sqrt(stiffness * mass)
    gamma = gamma / (1.0 + (0.25 * dt if law.centred else 0.0) * gamma / mass)
    touching = overlap > 0.0
    approach = (pair.velocity * normal).sum(axis=1)
    push = np.where(touching, stiffness * overlap - gamma * approach, 0.0)
    surface = pair.radius[:, :1] * pair.spin[:, 0] + pair.radius[:, 1:] * pair.spin[:, 1]
    slip = pair.velocity - approach[:, None] * normal - np.cross(surface, pair.offset) / total[:, None]
    spring = pair.spring[:, :3]
    drag = -(float(law.tangent) * stiffness[:, None] * spring + float(law.tangent_damping) * gamma[:, None] * slip)
    drag = _shortened(drag, np.where(touching, friction * np.abs(push), 0.0))
    diameter = 2.0 * reduced
    turn = float(law.tangent) * stiffness * diameter**2
    roll_gamma = 2.0 * ROLL_DAMPING * diameter**2 * np.sqrt(0.4 * float(law.tangent) * stiffness * mass)
    moment = -(turn[:, None] * pair.spring[:, 3:] + roll_gamma[:, None] * (pair.spin[:, 0] - pair.spin[:, 1]))
    moment = _shortened(moment, np.where(touching, rolling * diameter * np.abs(push), 0.0))
    stretch = np.clip(1.0 - np.maximum(-overlap, 0.0) / (RUPTURE * diameter), 0.0, 1.0)
    pull = cohesion * weight * diameter**2 * stretch
    return (push - pull)[:, None] * normal + drag, moment


def _shortened(vector: np.ndarray, most: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vector, axis=1)
    return vector * np.minimum(1.0, most / np.maximum(length, 1.0e-300))[:, None]
