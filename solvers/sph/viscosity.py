"""Viscous diffusion of momentum, explicit where it is mild and implicit where it is stiff.

Both use the Laplacian (8) with the viscosity kernel and the wall term (16) of the walls paper. The implicit step
solves (I − Δt L) v = v* by conjugate gradients; L is symmetric for equal particle volumes and densities, so
momentum between particles is conserved.
"""

import numpy as np

from ..jit import parallel_kernel, prange
from . import passes
from .neighbours import CHUNK, Blocks

_EXPLICIT_LIMIT = 0.25
"""Largest Δt × (row sum of L) that an explicit step may have; the limit of stability is 1."""
_ITERATIONS = 60
_TOLERANCE = 1.0e-4


@parallel_kernel
def _dot(a, b, weight, count, partial):
    """Σ weight a·b by chunks, summed in a fixed order by the caller."""
    for c in prange((count + CHUNK - 1) // CHUNK):
        total = 0.0
        for i in range(c * CHUNK, min(count, (c + 1) * CHUNK)):
            total += weight[i] * (a[0, i] * b[0, i] + a[1, i] * b[1, i] + a[2, i] * b[2, i])
        partial[c] = total


@parallel_kernel
def _axpy(target, scale, source, keep, count):
    """target ← keep · target + scale · source."""
    for i in prange(count):
        for axis in range(3):
            target[axis, i] = keep * target[axis, i] + scale * source[axis, i]


def diffuse(
    position: np.ndarray,
    velocity: np.ndarray,
    blocks: Blocks,
    walled: passes.Walled,
    reach: passes.Reach,
    viscosity: np.ndarray,
    drag: np.ndarray,
    specific: np.ndarray,
    dt: float,
    fields,
) -> int:
    """v ← v + Δt ∇·(µ∇v)/ρ. Returns the number of conjugate-gradient iterations, 0 for an explicit step."""
    count = specific.size
    mu = float(viscosity.max(initial=0.0))
    if mu == 0.0:
        return 0
    # ∫∇²W_viscosity dV over a full neighbourhood is 15/h²: the row sum of L
    stiffness = dt * mu * float(specific.max()) * 15.0 * float(reach.per_h) ** 2
    change = fields["acceleration"]

    def laplacian(source: np.ndarray, target: np.ndarray, walls: passes.Walled) -> None:
        passes.viscosity_pass(position, source, blocks, walls, reach, viscosity, drag, specific, target)

    if stiffness <= _EXPLICIT_LIMIT:
        laplacian(velocity, change, walled)
        _axpy(velocity, np.float32(dt), change, np.float32(1.0), count)
        return 0

    mass = (np.float32(1.0) / specific).astype(np.float64)
    partial = np.empty((count + CHUNK - 1) // CHUNK)

    def dot(a: np.ndarray, b: np.ndarray) -> float:
        _dot(a, b, mass, count, partial)
        return float(partial.sum())

    still = walled._replace(velocity=np.zeros_like(walled.velocity))
    one, step = np.float32(1.0), np.float32(dt)
    # residual of the guess v = v*: Δt L v* (walls' motion included); afterwards walls act as if at rest
    residual = np.zeros_like(change)
    laplacian(velocity, change, walled)
    _axpy(residual, step, change, np.float32(0.0), count)
    direction = residual.copy()
    image = np.zeros_like(change)
    old = dot(residual, residual)
    goal = _TOLERANCE**2 * max(dot(velocity, velocity), 1.0e-30)
    for iteration in range(_ITERATIONS):
        if old <= goal:
            return iteration
        laplacian(direction, change, still)
        _axpy(image, one, direction, np.float32(0.0), count)
        _axpy(image, -step, change, one, count)
        alpha = np.float32(old / dot(direction, image))
        _axpy(velocity, alpha, direction, one, count)
        _axpy(residual, -alpha, image, one, count)
        new = dot(residual, residual)
        _axpy(direction, one, residual, np.float32(new / old), count)
        old = new
    return _ITERATIONS
