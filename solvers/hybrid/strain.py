"""From contact forces to the strain of material points: Christoffersen's stress, and the law turned round."""

import numpy as np

from ..dem.engine import ContactForces
from ..materials.grains_params import PACKING
from .bulk import Moduli
from .oracle import Box, deposit, interpolate

_NEWTON = 12


def contact_stress(contacts: ContactForces, grains: tuple[np.ndarray, np.ndarray], box: Box, at: np.ndarray) -> np.ndarray:
    """Cauchy stress [Pa] at positions (3, n), xx yy zz xy xz yz, float64 (6, n), tension positive.

    σ = −Σ f ⊗ l / V over the contacts, at the nodes; `grains` are positions (3, m) and weighted volumes [m³] (m,): the volume
    that contacts share is that of the grains with their air.
    """
    position, volume = grains
    force, branch = contacts.force, contacts.branch
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    moment = np.stack([-0.5 * (force[:, a] * branch[:, b] + force[:, b] * branch[:, a]) for a, b in pairs], axis=1)
    low = box.low.astype(np.float64)
    field = np.zeros((*box.shape, 7))
    padded = np.concatenate([moment, np.zeros((len(moment), 1))], axis=1)
    deposit(np.ascontiguousarray(contacts.point.T), padded, low, 1.0 / box.cell, field)
    room = np.zeros((len(volume), 7))
    room[:, 6] = volume / PACKING
    deposit(np.ascontiguousarray(position), room, low, 1.0 / box.cell, field)
    found = np.empty((at.shape[1], 7))
    interpolate(np.ascontiguousarray(at, np.float64), field, low, 1.0 / box.cell, found)
    return (found[:, :6] / np.maximum(found[:, 6:], 1.0e-300)).T


def elastic_strain(stress: np.ndarray, moduli: Moduli, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """b̄ (6, n) and J (n,) whose stress by (2) is `stress` (6, n) [Pa], within the yield surface ‖dev τ‖ ≤ slope · p.

    τ = Jσ differs from σ by less than the compression, which is small by choice of the moduli. Packings under tension get none.
    """
    pressure = -stress[:3].mean(axis=0)
    pressed = np.maximum(pressure, 0.0)
    jacobian = np.sqrt(np.maximum(1.0 - 2.0 * pressed / moduli.bulk, 0.25))
    dev = stress.copy()
    dev[:3] += pressure
    size = np.sqrt((dev[:3] ** 2).sum(axis=0) + 2.0 * (dev[3:] ** 2).sum(axis=0))
    dev *= np.minimum(1.0, slope * pressed / np.maximum(size, 1.0e-300)) / moduli.shear
    xx, yy, zz, xy, xz, yz = dev
    # det(dev + t I) = t³ + a t + b = 1 with the invariants of a deviator; t is near 1
    a = -0.5 * (xx * xx + yy * yy + zz * zz) - (xy * xy + xz * xz + yz * yz)
    b = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    t = np.ones_like(a)
    for _ in range(_NEWTON):
        t -= (t**3 + a * t + b - 1.0) / np.maximum(3.0 * t * t + a, 0.1)
    elastic = dev.copy()
    elastic[:3] += t
    return elastic, jacobian
