"""The semi-implicit velocity (14): conjugate gradients without a matrix.

Unknown is the change Δ of the slaves' velocities: (M + (θ Δt)² (H + C)) Δ = b, with H = Gᵀ (V⁰ ∂²Ψ) G over the masters, the
springs C of contacts and the inertia M = diag(m_s) − Gᵀ m S G (`inertia`). A product gathers gradients at masters, bends them
(`law.bent`), and gathers forces at slaves.
The preconditioner inverts the 3×3 block of every slave, with the acoustic tensor of the unstrained material.
"""

from typing import NamedTuple

import numpy as np

from ..jit import kernel, parallel_kernel, prange
from .law import bent
from .links import Links

CHUNK = 512
"""Slaves whose share of a dot product is added up together; fixed, so that results do not depend on threads."""


_LEAST_SHARE = 0.05
"""Of a slave's mass that its own block of the preconditioner counts."""


class System(NamedTuple):
    """The arrays of one step's system."""

    links: Links
    row: np.ndarray
    back: np.ndarray
    curve: np.ndarray
    """`law.stress_and_curvature`."""
    mass: np.ndarray
    """Of slaves [kg], float64 (k,)."""
    spread: np.ndarray
    """m S of masters [kg m²], float32 (n, 6), see `inertia`."""
    held: np.ndarray
    """V⁰ δ(P) F_Eᵀ of each master in the product at hand, float32 (n, 9)."""
    parts: np.ndarray
    """Dot products by chunk, float64 (chunks, 2)."""


def empty_system(
    links: Links, row: np.ndarray, back: np.ndarray, curve: np.ndarray, mass: np.ndarray, spread: np.ndarray
) -> System:
    held = np.empty((len(links.start) - 1, 9), np.float32)
    return System(links, row, back, curve, mass, spread, held, np.zeros((-(-len(mass) // CHUNK), 2)))


@parallel_kernel
def bend(start, slave, row, curve, spread, scale, vector, held):
    """Gradients C of `vector` float32 (k, 4) at masters, bent: `scale` δ(P) F_Eᵀ − C (m S)."""
    for m in prange(len(start) - 1):
        if start[m] == start[m + 1]:
            for part in range(9):
                held[m, part] = np.float32(0.0)
            continue
        zero = np.float32(0.0)
        g00, g01, g02, g10, g11, g12, g20, g21, g22 = zero, zero, zero, zero, zero, zero, zero, zero, zero
        for k in range(start[m], start[m + 1]):
            s = slave[k]
            x, y, z = vector[s, 0], vector[s, 1], vector[s, 2]
            a, b, c = row[k, 0], row[k, 1], row[k, 2]
            g00 += x * a
            g01 += x * b
            g02 += x * c
            g10 += y * a
            g11 += y * b
            g12 += y * c
            g20 += z * a
            g21 += z * b
            g22 += z * c
        z = bent(curve, m, (g00, g01, g02, g10, g11, g12, g20, g21, g22))
        xx, yy, zz, xy, xz, yz = spread[m, 0], spread[m, 1], spread[m, 2], spread[m, 3], spread[m, 4], spread[m, 5]
        held[m, 0] = scale * z[0] - (g00 * xx + g01 * xy + g02 * xz)
        held[m, 1] = scale * z[1] - (g00 * xy + g01 * yy + g02 * yz)
        held[m, 2] = scale * z[2] - (g00 * xz + g01 * yz + g02 * zz)
        held[m, 3] = scale * z[3] - (g10 * xx + g11 * xy + g12 * xz)
        held[m, 4] = scale * z[4] - (g10 * xy + g11 * yy + g12 * yz)
        held[m, 5] = scale * z[5] - (g10 * xz + g11 * yz + g12 * zz)
        held[m, 6] = scale * z[6] - (g20 * xx + g21 * xy + g22 * xz)
        held[m, 7] = scale * z[7] - (g20 * xy + g21 * yy + g22 * yz)
        held[m, 8] = scale * z[8] - (g20 * xz + g21 * yz + g22 * zz)


@parallel_kernel
def pull(back_start, back_master, back, held, mass, scale, vector, out, parts):
    """out = m · vector + scale · Gᵀ held, float32 (k, 4), and the chunks' shares of vector · out."""
    for chunk in prange(len(parts)):
        total = 0.0
        for s in range(chunk * CHUNK, min((chunk + 1) * CHUNK, len(mass))):
            zero = np.float32(0.0)
            x, y, z = zero, zero, zero
            for k in range(back_start[s], back_start[s + 1]):
                m = back_master[k]
                a, b, c = back[k, 0], back[k, 1], back[k, 2]
                x += held[m, 0] * a + held[m, 1] * b + held[m, 2] * c
                y += held[m, 3] * a + held[m, 4] * b + held[m, 5] * c
                z += held[m, 6] * a + held[m, 7] * b + held[m, 8] * c
            weight = np.float32(mass[s])
            x, y, z = scale * x + weight * vector[s, 0], scale * y + weight * vector[s, 1], scale * z + weight * vector[s, 2]
            out[s, 0], out[s, 1], out[s, 2] = x, y, z
            total += np.float64(x) * vector[s, 0] + np.float64(y) * vector[s, 1] + np.float64(z) * vector[s, 2]
        parts[chunk, 0] = total


@parallel_kernel
def blocks(back_start, back_master, back, mu_volume, lam_volume, mass, spread, scale, springs, inverse):
    """Inverse of each slave's own 3×3 block (symmetric, 6 numbers), float32 (k, 6). `springs` (k, 6): blocks of contacts."""
    for s in prange(len(mass)):
        xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        shared = 0.0
        for k in range(back_start[s], back_start[s + 1]):
            m = back_master[k]
            a, b, c = np.float64(back[k, 0]), np.float64(back[k, 1]), np.float64(back[k, 2])
            shear, rest = mu_volume[m], lam_volume[m] + mu_volume[m]
            even = shear * (a * a + b * b + c * c)
            xx += even + rest * a * a
            yy += even + rest * b * b
            zz += even + rest * c * c
            xy += rest * a * b
            xz += rest * a * c
            yz += rest * b * c
            shared += a * a * spread[m, 0] + b * b * spread[m, 1] + c * c * spread[m, 2]
            shared += 2.0 * (a * b * spread[m, 3] + a * c * spread[m, 4] + b * c * spread[m, 5])
        weight = max(mass[s] - shared, _LEAST_SHARE * mass[s]) + 1.0e-30
        xx, yy, zz = weight + scale * xx + springs[s, 0], weight + scale * yy + springs[s, 1], weight + scale * zz + springs[s, 2]
        xy, xz, yz = scale * xy + springs[s, 3], scale * xz + springs[s, 4], scale * yz + springs[s, 5]
        i00, i01, i02 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
        k = 1.0 / (xx * i00 + xy * i01 + xz * i02)
        inverse[s, 0], inverse[s, 1], inverse[s, 2] = k * i00, k * (xx * zz - xz * xz), k * (xx * yy - xy * xy)
        inverse[s, 3], inverse[s, 4], inverse[s, 5] = k * i01, k * i02, k * (xy * xz - xx * yz)


@parallel_kernel
def _advance(alpha, change, residual, search, product, inverse, conditioned, parts):
    """Δ += α p, r −= α A p, z = M⁻¹ r; shares of r·z and of z·z in metres per second."""
    for chunk in prange(len(parts)):
        rz, zz = 0.0, 0.0
        for s in range(chunk * CHUNK, min((chunk + 1) * CHUNK, len(residual))):
            for i in range(3):
                change[s, i] += alpha * search[s, i]
                residual[s, i] -= alpha * product[s, i]
            x, y, z = residual[s, 0], residual[s, 1], residual[s, 2]
            a = inverse[s, 0] * x + inverse[s, 3] * y + inverse[s, 4] * z
            b = inverse[s, 3] * x + inverse[s, 1] * y + inverse[s, 5] * z
            c = inverse[s, 4] * x + inverse[s, 5] * y + inverse[s, 2] * z
            conditioned[s, 0], conditioned[s, 1], conditioned[s, 2] = a, b, c
            rz += np.float64(x) * a + np.float64(y) * b + np.float64(z) * c
            zz = max(zz, np.float64(a) * a + np.float64(b) * b + np.float64(c) * c)
        parts[chunk, 0], parts[chunk, 1] = rz, zz


@parallel_kernel
def _turn(beta, conditioned, search):
    for s in prange(len(search)):
        for i in range(3):
            search[s, i] = conditioned[s, i] + beta * search[s, i]


@kernel
def _added(parts, column):
    total = 0.0
    for chunk in range(len(parts)):
        total += parts[chunk, column]
    return total


class Solver:
    """Conjugate gradients with arrays that are kept between steps."""

    def __init__(self) -> None:
        self._room: dict[str, np.ndarray] = {}

    def _array(self, name: str, count: int) -> np.ndarray:
        kept = self._room.get(name)
        if kept is None or len(kept) != count:
            kept = self._room[name] = np.zeros((count, 4), np.float32)
        return kept

    def solve(self, system: System, springs, scale: float, inverse: np.ndarray, right: np.ndarray, change: np.ndarray,
              tolerance: float, most: int) -> int:  # fmt: skip
        """Improves `change` float32 (k, 4) until no slave's preconditioned residual exceeds `tolerance` [m/s]; iterations."""
        count = len(system.mass)
        residual, search = self._array("residual", count), self._array("search", count)
        product, conditioned = self._array("product", count), self._array("conditioned", count)
        self.multiply(system, springs, scale, change, product)
        residual[...] = right
        search[...] = 0.0
        np.subtract(residual, product, out=residual)
        _advance(np.float32(0.0), change, residual, search, product, inverse, conditioned, system.parts)
        old = _added(system.parts, 0)
        worst = float(system.parts[:, 1].max(initial=0.0))
        search[...] = conditioned
        limit = tolerance * tolerance
        for iteration in range(most):
            if worst <= limit or old <= 0.0:
                return iteration
            through = self.multiply(system, springs, scale, search, product)
            if through <= 0.0:
                return iteration
            _advance(np.float32(old / through), change, residual, search, product, inverse, conditioned, system.parts)
            new = _added(system.parts, 0)
            worst = float(system.parts[:, 1].max(initial=0.0))
            _turn(np.float32(new / old), conditioned, search)
            old = new
        return most

    def multiply(self, system: System, springs, scale: float, vector: np.ndarray, out: np.ndarray) -> float:
        """out = A vector; returns vector · A vector."""
        links = system.links
        spread = system.spread
        bend(links.start, links.slave, system.row, system.curve, spread, np.float32(scale), vector, system.held)
        pull(
            links.back_start, links.back_master, system.back, system.held, system.mass, np.float32(1.0), vector, out, system.parts
        )
        total = _added(system.parts, 0)
        return total + (springs.add(vector, out) if springs is not None else 0.0)
