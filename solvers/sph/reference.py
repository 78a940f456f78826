"""The paper's own scheme: explicit, weakly compressible SPH with reconstructed polygon walls.

"再構築ポリゴン壁を用いたSPHの壁境界計算手法": poly6 density (6)(9)(12), spiky pressure (7), viscosity Laplacian (8), wall
weights (11)(16) and the spiky pressure weight that the paper omits. Pressure follows the density: p = c² (ρ − ρ₀),
never negative. Kept as the reference that the incompressible scheme is measured against.
"""

from collections.abc import Sequence

import numpy as np

from ..jit import parallel_kernel, prange
from ..materials.water_params import WaterParams
from ..scene import WorldParams
from ..state import State
from ..walls import NearWalls
from . import passes
from .neighbours import Blocks


@parallel_kernel
def _add_walls(row, plane, plane_count, shape, h, pressure, viscosity, velocity, count, force):
    """Wall pressure p_i n 3/(2h) (1−α)⁴(1+4α) and drag (17): every plane of a concave corner, else the nearest one."""
    one = np.float32(1.0)
    for i in prange(count):
        r = row[i]
        if r < 0:
            continue
        for k in range(plane_count[r] if shape[r] == 0 else 1):
            alpha = min(max(plane[r, k, 3] / h, np.float32(0.0)), one)
            left = one - alpha
            push = pressure[i] * np.float32(1.5) / h * left * left * left * left * (one + np.float32(4.0) * alpha)
            drag = viscosity[i] * np.float32(7.5) / (h * h) * (one + alpha) * left * left * left
            for axis in range(3):
                force[axis, i] += push * plane[r, k, axis] + drag * (plane[r, k, 4 + axis] - velocity[axis, i])


_NUMERICAL_VISCOSITY = 0.01


class ReferenceForces:
    """Density, pressure and forces of one step."""

    def __init__(self, h: float, volume: float, settings: Sequence[WaterParams], world: WorldParams, fall_height: float) -> None:
        self.h = h
        self.volume = volume
        gravity = float(np.linalg.norm(world.gravity))
        natural = 10.0 * np.sqrt(2.0 * gravity * fall_height)
        self.sound = max(
            [entry.stiffness_speed for entry in settings] + [natural if _sound_from_scene(settings) else 0.0, 1.0e-6]
        )
        # Pressure from poly6 and force from spiky do not derive from one energy: without a little numerical viscosity
        # between particles (ν = 0.01 c h, an artificial viscosity of α ≈ 0.1) the water heats itself up. Walls feel µ alone.
        self.floor = np.float32(_NUMERICAL_VISCOSITY * self.sound * h)
        physical = max(entry.viscosity / entry.density for entry in settings)
        self.viscous_rate = max(physical, float(self.floor)) * 15.0 / h**2
        self._size = 0
        self._arrays: dict[str, np.ndarray] = {}

    def stable_dt(self, speed: float) -> float:
        """Sound crosses a fifth of the kernel radius; viscosity stays below half its limit."""
        return min(0.2 * self.h / (self.sound + speed), 0.5 / max(self.viscous_rate, 1.0e-30))

    def _fit(self, count: int) -> None:
        if self._size != count:
            self._size = count
            self._arrays = {name: np.zeros(count + 8, np.float32) for name in ("density", "pressure", "volume", "viscosity")}
            self._arrays["force"] = np.zeros((3, count + 8), np.float32)

    def accelerations(
        self,
        state: State,
        blocks: Blocks,
        near: NearWalls,
        walled: passes.Walled,
        specific: np.ndarray,
        viscosity: np.ndarray,
    ) -> np.ndarray:
        """Accelerations without gravity [m/s²], float32 (3, n + 8)."""
        count, h = state.count, np.float32(self.h)
        self._fit(count)
        density, pressure, volume, force = (self._arrays[name] for name in ("density", "pressure", "volume", "force"))
        position, velocity = state["position"], state["velocity"]
        weight = np.float32(self.volume * passes.POLY6_NORM / self.h**9)
        passes.poly6_pass(position, blocks, walled.row, walled.weight, h, weight, count, density)
        relative = density[:count]
        np.maximum(relative - np.float32(1.0), np.float32(0.0), out=pressure[:count])
        pressure[:count] *= np.float32(self.sound**2) / specific
        np.divide(np.float32(self.volume), np.maximum(relative, np.float32(0.1)), out=volume[:count])
        gradient = np.float32(45.0 / (np.pi * self.h**6))
        thick = self._arrays["viscosity"]
        np.maximum(viscosity[:count], self.floor / specific, out=thick[:count])
        passes.force_pass(position, velocity, blocks, h, gradient, gradient, pressure, volume, thick, count, force)
        _add_walls(near.row, near.plane, near.count, near.shape, h, pressure, viscosity, velocity, count, force)
        force[:, :count] *= specific / np.maximum(relative, np.float32(0.1))
        return force


def _sound_from_scene(settings: Sequence[WaterParams]) -> bool:
    """Whether some member leaves the speed of sound to the scene."""
    return any(entry.stiffness_speed == 0.0 for entry in settings)
