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
MOMENTUM = 0.3
"""What a sweep keeps of the sweep before: a quarter fewer sweeps than plain Jacobi. With 0.5 thick liquids jitter."""
RESTORE = 0.05
"""Share of a compression that the velocity takes back in one step. Without it, what the tolerance lets through adds up:
a calm, thick liquid lost 15 % of its volume. With 0.2 and more, density noise becomes motion and pressure swings."""
MOST_EXCESS = np.float32(0.5)
"""Compression beyond which no more speed is given back: particles that were squeezed onto one place would burst."""
MOST_ITERATIONS = 60


@dataclass
class Fields:
    """Scratch arrays of one step, grown with the particle count."""

    size: int = 0
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def fit(self, count: int) -> None:
        if count == self.size:
            return
        self.size = count
        flat = ("density", "diagonal", "source", "gain", "change")
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
    idle: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    """Particles that never have pressure."""
    behind: bool = False
    """Whether the acceleration was made from the pressure before the last sweep."""

    def applied(self, pressure: np.ndarray) -> np.ndarray:
        """The pressure that the last projection's acceleration was made from, (n,)."""
        count = self.fields.size
        return pressure[:count] - self.fields["change"] if self.behind else pressure[:count]

    def prepare(self) -> None:
        passes.density_pass(self.position, self.blocks, self.walled, self.reach, self.fields["density"], self.fields["diagonal"])

    def _accelerate(self, pressure: np.ndarray) -> None:
        passes.pressure_pass(
            self.position, pressure, self.blocks, self.walled, self.reach, self.specific, self.fields["acceleration"]
        )

    def _gain(self, dt: float) -> np.ndarray:
        """How much pressure answers a residual: a relaxed inverse of the diagonal, (n,)."""
        gain, diagonal = self.fields["gain"], self.fields["diagonal"]
        floor = np.float32(1.0e-3 * self.reach.per_h**2)  # nobody to push against
        np.divide(np.float32(RELAXATION / dt**2), self.specific * np.maximum(diagonal, floor), out=gain)
        gain[self.idle] = 0.0
        return gain

    def _relax(self, pressure: np.ndarray, dt: float, tolerance: float) -> tuple[int, float]:
        """Jacobi sweeps, beginning with `pressure` as it is, until the mean residual is below `tolerance`; leaves the
        acceleration with that residual behind."""
        fields = self.fields
        gain, change = self._gain(dt), fields["change"]
        change[:] = 0.0
        pressure[self.idle] = 0.0
        error = best = np.inf
        for iteration in range(MOST_ITERATIONS):
            self.watch.poll()
            self._accelerate(pressure)
            passes.relax_pass(
                self.position, fields["acceleration"], self.blocks, self.walled, self.reach,
                fields["source"], gain, np.float32(dt * dt), np.float32(MOMENTUM), pressure, change, fields["error"],
            )  # fmt: skip
            error = float(fields["error"].sum()) / max(fields.size, 1)
            if error <= tolerance and iteration > 0:
                self.behind = True
                return iteration + 1, error
            if not error < 2.0 * best:
                # Jacobi overshoots where many constraints pull the same way (a jet against an edge): begin again, more gently
                gain *= np.float32(0.5)
                pressure[:] = 0.0
                change[:] = 0.0
                best = np.inf
            best = min(best, error) if np.isfinite(error) else best
        self._accelerate(pressure)
        self.behind = False
        return MOST_ITERATIONS, error

    def project(self, velocity: np.ndarray, pressure: np.ndarray, dt: float, tolerance: float) -> tuple[int, float]:
        """v ← v + Δt a such that moving for Δt compresses nobody beyond rest density; who is beyond it already expands gently."""
        source = self.fields["source"]
        passes.rate_pass(self.position, velocity, self.blocks, self.walled, self.reach, source)
        source *= np.float32(dt)
        excess = self.fields["density"] - np.float32(1.0)
        source += np.where(excess > 0.0, np.float32(RESTORE) * np.minimum(excess, MOST_EXCESS), excess)
        result = self._relax(pressure, dt, tolerance)
        kick(velocity, self.fields["acceleration"], np.float32(dt), np.zeros(3, np.float32), source.size)
        return result

    def settle(self, spacing: float) -> None:
        """Moves particles apart where they are too dense, leaving velocities alone.

        An error of density corrected through the velocity would become kinetic energy; corrected in place it does not.
        One sweep per step is enough: the rest is taken back in the next step. It begins without pressure, hence without
        acceleration, so it needs no neighbours but to be applied.
        """
        source, correction = self.fields["source"], self.fields["correction"]
        np.subtract(self.fields["density"], np.float32(1.0), out=source)
        np.maximum(self._gain(1.0) * source, np.float32(0.0), out=correction[: source.size])
        self._accelerate(correction)
        nudge(self.position, self.fields["acceleration"], np.float32(0.1 * spacing), source.size)
