"""The semi-implicit step: stress at the end of the step, so that its length does not follow the speed of sound.

The paper steps explicitly and points to Stomakhin and others (A material point method for snow simulation) for the way on.
With the law replaced by its line at the expected gradient (`foam_tangent`), the momentum equation of a step is linear in the
velocities v of the nodes:

    (M + Δt² K) v = M v₀ + Δt (M g + F),      F_i = −Σ V (τ − Δt C : ∇v₀) g_i

It is solved by conjugate gradients from v₀, matrix-free (`stiffness`), with the directions that walls hold taken out (`held`).
Further rounds take the line at the velocities found and decide about the walls by the forces found; they begin where the
last one ended, and end when nothing is left to do.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..state import State
from ..walls import Walls
from . import conjugate
from .grid import Grid
from .held import Held, add_push, hold, keep_free, room_for
from .nodes import node_velocities, sum_blocks
from .stiffness import Moduli, stiffness_blocks
from .transfer import Particles, gather, scatter

TOLERANCE = 0.02
"""Residual that may be left, as a share of gravity's momentum or of the first residual, whichever is larger."""
MOST_ITERATIONS = 200
MOST_ROUNDS = 3
_SMALLEST = 1.0e-30


class Work(NamedTuple):
    """What a step took."""

    rounds: int
    iterations: int

    @property
    def explicit_steps(self) -> float:
        """How many explicit steps cost as much, from passes over the particles (measured once, 20 000 particles)."""
        return 0.9 + 1.7 * self.rounds + 0.65 * self.iterations


class Line(NamedTuple):
    """The law at the expected gradient."""

    stress: np.ndarray
    """τ − Δt C : ∇v [Pa], float32 (6, capacity)."""
    moduli: Moduli


Tangent = Callable[[np.ndarray, float, Line], None]
"""tangent(gradient, dt, line) fills `line` at velocity gradients (9, capacity) [1/s]."""


class ImplicitStep:
    """Solves for the velocities of a grid's nodes. Scratch only: nothing is remembered from step to step."""

    def __init__(self, grid: Grid, tangent: Tangent) -> None:
        self.grid = grid
        self.tangent = tangent
        self._vectors: dict[str, np.ndarray] = {}
        self._particle: dict[str, np.ndarray] = {}

    def _nodes(self, name: str) -> np.ndarray:
        """A vector of the grid's size, float32 (tiles, 64, 4)."""
        count = len(self.grid.nodes)
        kept = self._vectors.get(name)
        if kept is None or len(kept) < count:
            kept = self._vectors[name] = np.zeros((count + count // 4, 64, 4), np.float32)
        return kept[:count]

    def _array(self, name: str, components: int, size: int) -> np.ndarray:
        shape = (size,) if components == 1 else (components, size)
        kept = self._particle.get(name)
        if kept is None or kept.shape != shape:
            kept = self._particle[name] = np.zeros(shape, np.float32)
        return kept

    @property
    def bytes_used(self) -> int:
        """Memory of vectors and lines [bytes]."""
        return sum(array.nbytes for array in (*self._vectors.values(), *self._particle.values()))

    def solve(self, state: State, walls: Walls, gravity: np.ndarray, dt: float) -> Work:
        """Fill the grid's nodes with the velocities at the end of a step of dt [s]; to be followed by `Grid.gather`."""
        grid, size = self.grid, state["mass"].size
        particles = grid.particles(state)
        line = Line(self._array("stress", 6, size), Moduli(self._array("bulk", 1, size), self._array("shear", 1, size)))
        still, gradient = self._array("still", 6, size), state["affine"]
        velocity, wanted, free = grid.nodes, self._nodes("wanted"), self._nodes("free")
        least = np.float32(grid.least_mass)
        # v₀: momentum without any forces
        self._scatter(particles._replace(stress=still), dt, velocity)
        mass_of = self._nodes("mass")
        mass_of[...] = velocity
        grid.keep_before()
        node_velocities(velocity, np.float32(0.0), gravity, least)
        weight = float(mass_of[..., 3].sum(dtype=np.float64)) * float(gravity @ gravity) * dt * dt
        rows = grid.walls.rows(walls, dt, grid.density)
        held = room_for(0 if rows is None else len(rows.where))
        free[...] = velocity
        free[..., :3] += np.float32(dt) * gravity
        goal, iterations, rounds = 0.0, 0, 0
        while True:
            rounds += 1
            self.tangent(gradient, dt, line)
            self._scatter(particles._replace(stress=line.stress), dt, wanted)
            wanted[..., :3] += np.float32(dt) * gravity * wanted[..., 3:]
            if rounds > 1:  # what the nodes would do without walls, by the forces found
                self._product(particles, line.moduli, dt, velocity, mass_of, free)
                _free_velocities(wanted, free, velocity, mass_of, least)
            if rows is not None:
                hold(velocity.reshape(-1, 4), free.reshape(-1, 4), *rows, held)
                add_push(held, mass_of.reshape(-1, 4), wanted.reshape(-1, 4))
            took, goal = self._gradients(particles, line.moduli, dt, velocity, wanted, mass_of, held, weight, goal)
            iterations += took
            if rounds == MOST_ROUNDS or (rounds > 1 and took == 0):
                return Work(rounds, iterations)
            gradient = self._gradient(particles, velocity)

    def _scatter(self, particles: Particles, dt: float, target: np.ndarray) -> None:
        """Momentum and mass of the nodes, forces of the particles' stress included, into `target`."""
        grid = self.grid
        tiles = grid.sorted_tiles
        scatter(particles, tiles, grid.transfer.step(grid.cell, dt), grid.scratch, grid.block)
        sum_blocks(grid.block.reshape(-1), tiles.around, tiles.holding, target.reshape(-1))

    def _gradient(self, particles: Particles, velocity: np.ndarray) -> np.ndarray:
        """Velocity gradients of the particles in the present velocities of the nodes, (9, capacity)."""
        grid = self.grid
        size = particles.mass.size
        target = particles._replace(
            position=particles.position, velocity=self._array("unused", 3, size), affine=self._array("gradient", 9, size),
            density=self._array("seen", 1, size),
        )  # fmt: skip
        step = grid.transfer.step(grid.cell, 0.0)._replace(flip=np.float32(0.0))
        moved = np.empty((grid.sorted_tiles.holding, 2), np.float32)
        gather(target, grid.sorted_tiles, step, grid.scratch, velocity, velocity[:0], moved)
        return target.affine

    def _product(
        self, particles: Particles, moduli: Moduli, dt: float, vector: np.ndarray, mass_of: np.ndarray, product: np.ndarray
    ) -> None:
        """product ← (M + Δt² K) vector."""
        grid = self.grid
        tiles = grid.sorted_tiles
        stiffness_blocks(particles, moduli, tiles, grid.transfer.step(grid.cell, dt), grid.scratch, vector, grid.block)
        sum_blocks(grid.block.reshape(-1), tiles.around, tiles.holding, product.reshape(-1))
        conjugate.finish_product(vector, mass_of, np.float32(grid.least_mass), product)

    def _gradients(
        self, particles: Particles, moduli: Moduli, dt: float, velocity: np.ndarray, wanted: np.ndarray, mass_of: np.ndarray,
        held: Held, weight: float, goal: float,
    ) -> tuple[int, float]:  # fmt: skip
        """Conjugate gradients from `velocity` on; iterations, and the goal for Σ r²/m of this and later rounds."""
        least = np.float32(self.grid.least_mass)
        residual, direction, product = self._nodes("residual"), self._nodes("direction"), self._nodes("product")
        sums = np.empty(len(velocity))
        self._product(particles, moduli, dt, velocity, mass_of, product)
        conjugate.begin(wanted, product, mass_of, least, residual, sums)
        keep_free(held, residual.reshape(-1, 4))
        conjugate.squares(residual, mass_of, least, sums)
        left = float(sums.sum())
        goal = goal or TOLERANCE**2 * max(weight, left, _SMALLEST)
        direction[...] = 0.0
        beta = 0.0
        for iteration in range(MOST_ITERATIONS):
            if left <= goal:
                return iteration, goal
            conjugate.turn(np.float32(beta), residual, mass_of, least, direction)
            self._product(particles, moduli, dt, direction, mass_of, product)
            keep_free(held, product.reshape(-1, 4))
            conjugate.inner(direction, product, sums)
            alpha = left / max(float(sums.sum()), _SMALLEST)
            before = left
            conjugate.walk(np.float32(alpha), direction, product, mass_of, least, velocity, residual, sums)
            left = float(sums.sum())
            beta = left / before
        return MOST_ITERATIONS, goal


def _free_velocities(
    wanted: np.ndarray, product: np.ndarray, velocity: np.ndarray, mass_of: np.ndarray, least: np.float32
) -> None:
    """`product` becomes u = v + (wanted − product)/m: what the nodes would do without walls."""
    mass = mass_of[..., 3:]
    there = mass > least
    change = np.divide(wanted[..., :3] - product[..., :3], mass, out=np.zeros_like(product[..., :3]), where=there)
    product[..., :3] = velocity[..., :3] + change
