"""Conjugate gradients on nodes of four floats; the fourth (mass) is left alone.

Vectors are float32 (tiles, 64, 4). Sums are taken in float64 by tile and then over the tiles in order, so that they do not
depend on the number of threads. The preconditioner is the inverse of the mass: it makes light nodes at the rim harmless.
"""

import numpy as np

from ..jit import parallel_kernel, prange
from .tiles import NODES

_ZERO = np.float32(0.0)


@parallel_kernel
def finish_product(node, mass_of, least_mass, product):
    """product ← m p + product, for the direction `node` p and the masses in lane 3 of `mass_of`; 0 where there is no mass."""
    for tile in prange(len(node)):
        for n in range(NODES):
            mass = mass_of[tile, n, 3]
            there = mass > least_mass
            for c in range(3):
                product[tile, n, c] = mass * node[tile, n, c] + product[tile, n, c] if there else _ZERO
            product[tile, n, 3] = _ZERO


@parallel_kernel
def begin(wanted, product, mass_of, least_mass, residual, sums):
    """residual ← wanted − product (0 without mass); its squares over the mass, by tile."""
    for tile in prange(len(wanted)):
        total = 0.0
        for n in range(NODES):
            mass = mass_of[tile, n, 3]
            there = mass > least_mass
            for c in range(3):
                left = wanted[tile, n, c] - product[tile, n, c] if there else _ZERO
                residual[tile, n, c] = left
                if there:
                    total += np.float64(left) * np.float64(left) / np.float64(mass)
            residual[tile, n, 3] = _ZERO
        sums[tile] = total


@parallel_kernel
def squares(residual, mass_of, least_mass, sums):
    """Σ r²/m by tile."""
    for tile in prange(len(residual)):
        total = 0.0
        for n in range(NODES):
            mass = mass_of[tile, n, 3]
            if mass > least_mass:
                for c in range(3):
                    total += np.float64(residual[tile, n, c]) ** 2 / np.float64(mass)
        sums[tile] = total


@parallel_kernel
def inner(first, second, sums):
    """Σ first · second by tile."""
    for tile in prange(len(first)):
        total = 0.0
        for n in range(NODES):
            for c in range(3):
                total += np.float64(first[tile, n, c]) * np.float64(second[tile, n, c])
        sums[tile] = total


@parallel_kernel
def walk(alpha, direction, product, mass_of, least_mass, velocity, residual, sums):
    """v ← v + α p,  r ← r − α A p; Σ r²/m by tile."""
    for tile in prange(len(velocity)):
        total = 0.0
        for n in range(NODES):
            mass = mass_of[tile, n, 3]
            for c in range(3):
                velocity[tile, n, c] += alpha * direction[tile, n, c]
                left = residual[tile, n, c] - alpha * product[tile, n, c]
                residual[tile, n, c] = left
                if mass > least_mass:
                    total += np.float64(left) * np.float64(left) / np.float64(mass)
        sums[tile] = total


@parallel_kernel
def turn(beta, residual, mass_of, least_mass, direction):
    """p ← r/m + β p."""
    for tile in prange(len(direction)):
        for n in range(NODES):
            mass = mass_of[tile, n, 3]
            inverse = np.float32(1.0) / mass if mass > least_mass else _ZERO
            for c in range(3):
                direction[tile, n, c] = residual[tile, n, c] * inverse + beta * direction[tile, n, c]
            direction[tile, n, 3] = _ZERO
