"""The baseline that reconstructed walls are measured against: three layers of wall particles.

The same explicit scheme, neighbour search and kernels as `solvers.sph.reference`; walls are particles that do not
move. Their density and pressure are computed like the fluid's, as the method requires, their forces are not.
"""

import numpy as np

from solvers.materials.water_params import WaterParams
from solvers.sph import passes
from solvers.sph.motion import kick
from solvers.sph.neighbours import Neighbourhood
from solvers.sph.water import KERNEL_RADIUS
from solvers.state import State

LAYERS = 3


def box_layers(low: np.ndarray, high: np.ndarray, spacing: float) -> np.ndarray:
    """Wall particles around the inside of an open tank, float64 (n, 3): a lattice that continues the fluid's."""
    first = np.round(low / spacing).astype(int) - LAYERS
    last = np.round(high / spacing).astype(int) + LAYERS
    last[2] -= LAYERS  # no lid
    axes = [(np.arange(a, b) + 0.5) * spacing for a, b in zip(first, last, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    inside = np.all((points > low) & ((points < high) | (np.arange(3) == 2)), axis=1)
    return points[~inside]


def sheet_layers(origin: np.ndarray, along: np.ndarray, across: np.ndarray, spacing: float) -> np.ndarray:
    """Wall particles below a sheet spanned from `origin`, aligned with it, float64 (n, 3)."""
    lengths = [np.linalg.norm(along), np.linalg.norm(across)]
    u, v = along / lengths[0], across / lengths[1]
    normal = np.cross(u, v)
    axes = [(np.arange(int(length / spacing)) + 0.5) * spacing for length in lengths] + [-(np.arange(LAYERS) + 0.5) * spacing]
    a, b, c = np.meshgrid(*axes, indexing="ij")
    return origin + a.ravel()[:, None] * u + b.ravel()[:, None] * v + c.ravel()[:, None] * normal


def lattice_layers(origin: np.ndarray, along: np.ndarray, across: np.ndarray, spacing: float) -> np.ndarray:
    """Wall particles below the same sheet on the lattice of the world's axes, float64 (n, 3): what voxelising a mesh gives."""
    corners = np.array([origin + a * along + b * across for a in (0, 1) for b in (0, 1)])
    normal = np.cross(along, across) / np.linalg.norm(np.cross(along, across))
    depth = LAYERS * spacing
    low, high = corners.min(axis=0) - depth, corners.max(axis=0) + spacing
    first, last = np.floor(low / spacing).astype(int), np.ceil(high / spacing).astype(int)
    axes = [(np.arange(a, b) + 0.5) * spacing for a, b in zip(first, last, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    distance = (points - origin) @ normal
    return points[(distance <= 0.0) & (distance > -depth)]


class ParticleWallWater:
    """Fluid and wall particles in one explicit scheme."""

    def __init__(
        self,
        fluid: np.ndarray,
        walls: np.ndarray,
        spacing: float,
        params: WaterParams,
        gravity: float,
        velocity: np.ndarray | None = None,
    ) -> None:
        self.spacing, self.params = spacing, params
        self.h = KERNEL_RADIUS * spacing
        self.volume = spacing**3
        self.gravity = np.array((0.0, 0.0, -gravity), np.float32)
        self.state = State({"position": ("f4", 3), "velocity": ("f4", 3), "id": ("i4", 1), "wall": ("i1", 1)})
        self.state.append({"position": fluid.T, "velocity": np.zeros((3, len(fluid))) if velocity is None else velocity.T})
        self.state.append({"position": walls.T, "wall": np.ones(len(walls), np.int8)})
        self._neighbourhood = Neighbourhood(self.h)
        count = self.state.count
        self._density, self._pressure, self._volume = (np.zeros(count + 8, np.float32) for _ in range(3))
        # Both walls meet the same fluid: the reference scheme's numerical viscosity acts between fluid particles, walls feel µ
        # alone. A pair takes the mean of its two viscosities, hence a wall's is what makes the mean µ.
        self._thick = np.float32(max(params.viscosity, 0.01 * params.stiffness_speed * self.h * params.density))
        self._viscosity = np.zeros(count + 8, np.float32)
        self._force = np.zeros((3, count + 8), np.float32)
        self._nowhere = np.full(count, -1, np.int32)

    def fluid(self, name: str) -> np.ndarray:
        """An array of the fluid particles only, (3, n)."""
        return self.state.live(name)[..., self.state.live("wall") == 0]

    def step(self, dt: float) -> None:
        state, count, h = self.state, self.state.count, np.float32(self.h)
        blocks = self._neighbourhood.find(state)
        position, velocity = state["position"], state["velocity"]
        weight = np.float32(self.volume * passes.POLY6_NORM / self.h**9)
        passes.poly6_pass(position, blocks, self._nowhere, np.zeros(1, np.float32), h, weight, count, self._density)
        relative = self._density[:count]
        stiffness = np.float32(self.params.density * self.params.stiffness_speed**2)
        np.multiply(np.maximum(relative - np.float32(1.0), np.float32(0.0)), stiffness, out=self._pressure[:count])
        np.divide(np.float32(self.volume), np.maximum(relative, np.float32(0.1)), out=self._volume[:count])
        wall = state.live("wall") == 1
        blocks.last[:count][wall] = blocks.first[:count][wall]  # nobody asks for the force on a wall
        self._viscosity[:count] = np.where(wall, np.float32(2.0 * self.params.viscosity) - self._thick, self._thick)
        gradient = np.float32(45.0 / (np.pi * self.h**6))
        passes.force_pass(
            position, velocity, blocks, h, gradient, gradient, self._pressure, self._volume, self._viscosity, count, self._force
        )
        self._force[:, :count] /= self.params.density * np.maximum(relative, np.float32(0.1))
        kick(velocity, self._force, np.float32(dt), self.gravity, count)
        velocity[:, :count][:, wall] = 0.0
        position[:, :count] += np.float32(dt) * velocity[:, :count]
