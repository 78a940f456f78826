"""Incompressible water with reconstructed polygon walls.

Pressure is found from the equation of "Divergence-Free Smoothed Particle Hydrodynamics" (Bender & Koschier) and
"Implicit Incompressible SPH" (Ihmsen et al.), by relaxed Jacobi sweeps: it stops the velocity from compressing anybody.
What density error remains is corrected in the positions alone. Walls enter as the analytic half-space integrals of
"再構築ポリゴン壁を用いたSPHの壁境界計算手法" (笠 晃一: SPH wall boundaries from reconstructed polygons), taken for the
Wendland kernel instead of poly6.
"""

from dataclasses import dataclass, field

import numpy as np

from ..watch import Watch
from . import passes
from .motion import kick, nudge
from .neighbours import CHUNK, Blocks

RELAXATION = 0.5
MOST_ITERATIONS = 60
SETTLE_ITERATIONS = 2


@dataclass
class Fields:
    """Scratch arrays of one step, grown with the particle count."""

    size: int = 0
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def fit(self, count: int) -> None:
        if count == self.size:
            return
        self.size = count
        flat = ("density", "diagonal", "source", "gain")
        self.arrays = {name: np.zeros(count, np.float32) for name in flat}
        self.arrays["correction"] = np.zeros(count + 8, np.float32)
        self.arrays["acceleration"] = np.zeros((3, count + 8), np.float32)
        self.arrays["error"] = np.zeros((count + CHUNK - 1) // CHUNK)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]


@dataclass
class Solve:
    """How the last step went."""

    iterations: int = 0
    error: float = 0.0


@dataclass
class Pressure:
    """The pressure equation over one set of neighbours."""

    position: np.ndarray
    blocks: Blocks
    walled: passes.Walled
    reach: passes.Reach
    specific: np.ndarray
    fields: Fields
    watch: Watch

    def prepare(self) -> None:
        passes.density_pass(self.position, self.blocks, self.walled, self.reach, self.fields["density"], self.fields["diagonal"])

    def _accelerate(self, pressure: np.ndarray) -> None:
        passes.pressure_pass(
            self.position, pressure, self.blocks, self.walled, self.reach, self.specific, self.fields["acceleration"]
        )

    def _relax(self, pressure: np.ndarray, dt: float, tolerance: float, most: int) -> tuple[int, float]:
        """Jacobi sweeps until the mean residual is below `tolerance`; leaves the matching acceleration behind."""
        fields = self.fields
        gain, diagonal = fields["gain"], fields["diagonal"]
        floor = np.float32(1.0e-3 * self.reach.per_h**2)  # nobody to push against
        np.divide(np.float32(RELAXATION / dt**2), self.specific * np.maximum(diagonal, floor), out=gain)
        error = best = np.inf
        for iteration in range(most):
            self.watch.poll()
            self._accelerate(pressure)
            passes.relax_pass(
                self.position, fields["acceleration"], self.blocks, self.walled, self.reach,
                fields["source"], gain, np.float32(dt * dt), pressure, fields["error"],
            )  # fmt: skip
            error = float(fields["error"].sum()) / max(fields.size, 1)
            if error <= tolerance and iteration > 0:
                self._accelerate(pressure)
                return iteration + 1, error
            if not error < 2.0 * best:
                # Jacobi overshoots where many constraints pull the same way (a jet against an edge): begin again, more gently
                gain *= np.float32(0.5)
                pressure[:] = 0.0
                best = np.inf
            best = min(best, error) if np.isfinite(error) else best
        self._accelerate(pressure)
        return most, error

    def project(self, velocity: np.ndarray, pressure: np.ndarray, dt: float, tolerance: float) -> tuple[int, float]:
        """v ← v + Δt a such that moving for Δt compresses nobody beyond rest density, or beyond what he is already."""
        source = self.fields["source"]
        passes.rate_pass(self.position, velocity, self.blocks, self.walled, self.reach, source)
        source *= np.float32(dt)
        source += np.minimum(self.fields["density"] - np.float32(1.0), np.float32(0.0))
        result = self._relax(pressure, dt, tolerance, MOST_ITERATIONS)
        kick(velocity, self.fields["acceleration"], np.float32(dt), np.zeros(3, np.float32), source.size)
        return result

    def settle(self, spacing: float) -> None:
        """Moves particles apart where they are too dense, leaving velocities alone.

        An error of density corrected through the velocity would become kinetic energy; corrected in place it does not.
        A few sweeps per step are enough: the rest is taken back in the next step.
        """
        source = self.fields["source"]
        np.subtract(self.fields["density"], np.float32(1.0), out=source)
        pressure = self.fields["correction"]
        pressure[:] = 0.0
        self._relax(pressure, 1.0, 0.0, SETTLE_ITERATIONS)
        nudge(self.position, self.fields["acceleration"], np.float32(0.1 * spacing), source.size)
