"""Grains as a continuum: what the hybrid of grains puts beside its discrete grains.

A `Continuum` owns material points on a uGIMP grid with the law of grains. Its phases are separate calls, so that a coupling
can read and change the nodes between them:

    continuum.prepare(walls, dt)       # sort if due
    continuum.scatter(dt)              # nodes: momentum, mass
    ... equation (8) of the hybrid paper: blend momenta with those of the discrete grains on `continuum.grid.nodes`
    continuum.update(walls, dt)        # nodes: velocity; gravity, walls
    ... blend velocities
    continuum.gather(dt)               # points move, strain and stress follow
"""

from typing import NamedTuple

import numpy as np

from ..state import State
from ..walls import Walls
from .foam_law import CHUNK
from .grain_law import grain_law
from .grid import LAYOUT, Grid, Transfer
from .points import GrainPoints

HALF = 0.25
"""Half width of a point's box in cells: eight points fill a cell."""
COURANT = 0.4


class GrainMaterial(NamedTuple):
    """One kind of sand."""

    density: float
    """Bulk density at rest, close packing included [kg/m³]."""
    shear: float
    """Shear modulus µ [Pa]."""
    bulk: float
    """Bulk modulus κ [Pa]."""
    friction_angle: float
    """Internal friction φ [°]."""
    cohesion: float = 0.0
    """Shear stress carried without pressure [Pa]."""

    def row(self) -> list[float]:
        """Row of the law's table, see `grain_law.COLUMNS`."""
        slope = np.sqrt(2.0) * np.tan(np.radians(self.friction_angle))
        return [self.shear, self.bulk, slope, np.sqrt(2.0) * self.cohesion, 0.0, self.density, 0.0, 0.0]


class Continuum:
    """Material points of one or several kinds of grains."""

    def __init__(
        self, materials: list[GrainMaterial], cell: float, gravity: np.ndarray, owner: str, flip: float | None = None
    ) -> None:
        """`flip`: share of FLIP in a PIC/FLIP transfer; None is the affine transfer, which comes to rest without noise."""
        self.cell = cell
        self.gravity = np.asarray(gravity, np.float32)
        self.table = np.array([material.row() for material in materials], np.float32)
        density, stiffness = self.table[:, 5], self.table[:, 1] + 4.0 / 3.0 * self.table[:, 0]
        self.sound = float(np.sqrt(stiffness / density).max())
        self.state = State(
            LAYOUT
            | {"elastic": ("f4", 6), "jacobian": ("f4", 1), "plastic": ("f4", 1), "weight": ("f4", 1), "id": ("i4", 1)}
            | {"body": ("i4", 1)}
        )
        self.grid = Grid(cell, Transfer(half=HALF, apic=flip is None, flip=flip or 0.0), owner, float(density.mean()))
        self._room = np.empty((0, 64), np.float32)

    def insert(self, position: np.ndarray, velocity: np.ndarray, volume: float | np.ndarray, kind: int = 0) -> np.ndarray:
        """New points at rest density: position and velocity (n, 3), volume [m³]. Returns their ids, int32 (n,)."""
        count = len(position)
        space = np.broadcast_to(np.asarray(volume, np.float32), (count,))
        first = self.state.next_id
        if count:
            ones = np.ones(count, np.float32)
            self.state.append(
                {
                    "position": position.T, "velocity": velocity.T, "volume": space, "mass": space * self.table[kind, 5],
                    "density": ones * self.table[kind, 5], "weight": ones, "jacobian": ones,
                    "body": np.full(count, kind, np.int32),
                    "elastic": np.repeat(np.array([[1.0], [1.0], [1.0], [0.0], [0.0], [0.0]], np.float32), count, axis=1),
                }
            )  # fmt: skip
            self.grid.loosen()
        return np.arange(first, first + count, dtype=np.int32)

    def remove(self, gone: np.ndarray) -> None:
        """Take out the points where the mask `gone` (n,) is true, in the present order of the state."""
        self.state.keep(~np.asarray(gone, bool))
        self.grid.loosen()

    def set_stress(self, chosen: np.ndarray, tau: np.ndarray) -> None:
        """Give points Kirchhoff stress τ (6, m) [Pa] by inverting τ = κ/2 (J² − 1) I + µ dev b̄ for strain.

        `chosen` are indices in the present order. The isotropic part of b̄ follows from det b̄ = 1.
        """
        rows = self.table[self.state["body"][chosen]].astype(np.float64)
        tau = np.asarray(tau, np.float64)
        mean = tau[:3].mean(axis=0)
        self.state["jacobian"][chosen] = np.sqrt(np.maximum(1.0 + 2.0 * mean / rows[:, 1], 0.01))
        dev = tau / rows[:, 0]
        dev[:3] -= mean / rows[:, 0]
        self.state["elastic"][:, chosen] = with_unit_determinant(dev)
        self.state["stress"][:, chosen] = tau

    def stable_dt(self) -> float:
        """Largest step [s]: neither waves nor points cross more than 0.4 cells."""
        speed = self.grid.fastest
        if not np.isfinite(speed):
            velocity = self.state.live("velocity")
            speed = float(np.sqrt((velocity * velocity).sum(axis=0).max(initial=0.0)))
        gravity = float(np.linalg.norm(self.gravity))
        return min(COURANT * self.cell / (self.sound + speed), float(np.sqrt(0.2 * self.cell / max(gravity, 1.0e-30))))

    def prepare(self, walls: Walls, wall_way: float = 0.0) -> None:
        """Sort the points if it is time; `wall_way` [m] is how far walls move in this step."""
        if self.grid.due(wall_way):
            self.grid.sort(self.state, walls)

    def scatter(self, dt: float) -> None:
        """Nodes get momentum and mass, each point counted with its weight."""
        self.grid.scatter(self.state, dt)

    def update(self, walls: Walls, dt: float) -> None:
        """Nodes get velocities; gravity and walls act."""
        self.grid.update(walls, self.gravity, dt)

    def gather(self, dt: float) -> None:
        """Points move; strain and stress follow the law."""
        self.grid.gather(self.state, dt)
        state = self.state
        chunks = -(-state.count // CHUNK)
        if len(self._room) < chunks:
            self._room = np.empty((chunks + chunks // 4, 64), np.float32)
        points = GrainPoints(
            state["elastic"],
            state["jacobian"],
            state["affine"],
            state["stress"],
            state["plastic"],
            state["density"],
            state["body"],
        )
        grain_law(points, self.table, state.count, np.float32(dt), self._room)

    def step(self, walls: Walls, dt: float) -> None:
        """All phases without any coupling."""
        if self.state.count:
            self.prepare(walls)
            self.scatter(dt)
            self.update(walls, dt)
            self.gather(dt)


def with_unit_determinant(dev: np.ndarray) -> np.ndarray:
    """dev + c I (6, n) with c such that the determinant is 1: c³ − ½‖dev‖² c + det dev = 1, by Newton's method."""
    xx, yy, zz, xy, xz, yz = dev
    half_norm = 0.5 * (xx**2 + yy**2 + zz**2 + 2.0 * (xy**2 + xz**2 + yz**2))
    determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    c = 1.0 + np.sqrt(half_norm)  # right of the largest root, where the cubic is convex
    for _ in range(40):
        c = c - (c**3 - half_norm * c + determinant - 1.0) / (3.0 * c**2 - half_norm)
    result = dev.copy()
    result[:3] += c
    return result
