"""Incompressible water with reconstructed polygon walls.

Pressure is found by two Jacobi-relaxed solves per step, one that makes the velocity divergence-free and one that
makes the density constant, after "Divergence-Free Smoothed Particle Hydrodynamics" (Bender & Koschier). Walls enter
as the analytic half-space integrals of "再構築ポリゴン壁を用いたSPHの壁境界計算手法" (Ryu: walls from reconstructed polygons),
taken for the bell kernel instead of poly6.
"""

from dataclasses import dataclass, field

import numpy as np

from ..watch import Watch
from . import passes
from .motion import kick
from .neighbours import CHUNK, Blocks

RELAXATION = 0.5
_SPRAY = np.float32(0.7)
"""Particles less dense than this (a flat free surface has about 0.75) are spray: no divergence to correct."""
_NEVER = np.float32(-1.0e6)
"""A rate [1/s] that keeps the pressure of spray at zero."""


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
        self.arrays["acceleration"] = np.zeros((3, count + 8), np.float32)
        self.arrays["error"] = np.zeros((count + CHUNK - 1) // CHUNK)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]


@dataclass
class Solve:
    """How the last step went."""

    divergence_iterations: int = 0
    density_iterations: int = 0
    density_error: float = 0.0


@dataclass
class Pressure:
    """Both pressure solves over one set of neighbours."""

    position: np.ndarray
    blocks: Blocks
    walled: passes.Walled
    reach: passes.Reach
    specific: np.ndarray
    fields: Fields
    watch: Watch

    def prepare(self) -> None:
        passes.density_pass(self.position, self.blocks, self.walled, self.reach, self.fields["density"], self.fields["diagonal"])

    def _gain(self, factor: float) -> None:
        """ω ρ₀ / (factor · diagonal); 0 where a particle has nobody to push against."""
        gain, diagonal = self.fields["gain"], self.fields["diagonal"]
        floor = np.float32(1.0e-3 * self.reach.per_h2)
        np.divide(np.float32(RELAXATION / factor), self.specific * np.maximum(diagonal, floor), out=gain)
        gain[diagonal < floor] = 0.0

    def _accelerate(self, pressure: np.ndarray) -> None:
        passes.pressure_pass(
            self.position, pressure, self.blocks, self.walled, self.reach, self.specific, self.fields["acceleration"]
        )

    def _relax(self, pressure: np.ndarray, factor: float, tolerance: float, least: int, most: int) -> tuple[int, float]:
        """Jacobi sweeps until the mean residual is below `tolerance`; leaves the matching acceleration behind."""
        fields = self.fields
        self._gain(factor)
        error = np.inf
        for iteration in range(most):
            self.watch.poll()
            self._accelerate(pressure)
            passes.relax_pass(
                self.position, fields["acceleration"], self.blocks, self.walled, self.reach,
                fields["source"], fields["gain"], np.float32(factor), pressure, fields["error"],
            )  # fmt: skip
            error = float(fields["error"].sum()) / max(fields.size, 1)
            if iteration + 1 >= least and error <= tolerance:
                self._accelerate(pressure)
                return iteration + 1, error
        self._accelerate(pressure)
        return most, error

    def remove_divergence(self, velocity: np.ndarray, pressure: np.ndarray, dt: float, tolerance: float) -> int:
        """v ← v + Δt a such that nothing is being compressed."""
        source = self.fields["source"]
        passes.rate_pass(self.position, velocity, self.blocks, self.walled, self.reach, source)
        source[self.fields["density"] < _SPRAY] = _NEVER
        pressure[: source.size] *= 0.5
        iterations, _ = self._relax(pressure, dt, tolerance / dt, 1, 30)
        kick(velocity, self.fields["acceleration"], np.float32(dt), np.zeros(3, np.float32), source.size)
        return iterations

    def keep_density(self, velocity: np.ndarray, pressure: np.ndarray, dt: float, tolerance: float) -> tuple[int, float]:
        """v ← v + Δt a such that nobody is denser than at rest after the step."""
        source = self.fields["source"]
        passes.rate_pass(self.position, velocity, self.blocks, self.walled, self.reach, source)
        source *= np.float32(dt)
        source += self.fields["density"]
        source -= np.float32(1.0)
        pressure[: source.size] *= 0.5
        result = self._relax(pressure, dt * dt, tolerance, 2, 60)
        kick(velocity, self.fields["acceleration"], np.float32(dt), np.zeros(3, np.float32), source.size)
        return result
