"""The grid of one material: sort, scatter, update, gather, each a call of its own.

Between `scatter` and `update` the nodes hold momentum and mass; between `update` and `gather` they hold velocities. Whatever
couples materials sits there and may change them (`nodes`, `node_places`).
"""

from dataclasses import dataclass

import numpy as np

from ..errors import TsubuError
from ..state import State
from ..walls import Walls
from .contact import NodeWalls
from .nodes import node_changes, node_velocities, sum_blocks
from .tiles import BLOCK_FLOATS, MOST_DRIFT, NODES, Tiles, find_tiles
from .transfer import SCRATCH_FLOATS, Particles, Scratch, Step, gather, scatter

SORT_EVERY = 20
"""Steps between two sorts, if nobody wanders too far before."""
_LEAST_SHARE = 1.0e-8
"""Mass of a node that still counts without affine transfer, in full cells."""
LAYOUT = {
    "position": ("f4", 3),
    "velocity": ("f4", 3),
    "affine": ("f4", 9),
    "stress": ("f4", 6),
    "mass": ("f4", 1),
    "volume": ("f4", 1),
    "density": ("f4", 1),
}
"""Arrays of a state that the grid reads and writes; see `transfer.Particles`."""


@dataclass(frozen=True)
class Transfer:
    """How particles and grid exchange momentum."""

    half: float = 0.5
    """Half width of a particle in cells: ½ is the quadratic B-spline, ¼ the uGIMP box of eight particles a cell."""
    apic: bool = True
    """Affine momentum; without it PIC/FLIP with slopes as gradients."""
    flip: float = 0.0
    """Share of FLIP where there is no affine momentum: 0 is PIC."""

    def step(self, cell: float, dt: float) -> Step:
        return Step(
            np.float32(cell), np.float32(1.0 / cell), np.float32(self.half), np.float32(1.0 if self.apic else 0.0),
            np.float32(0.0 if self.apic else self.flip), not self.apic, np.float32(dt),
        )  # fmt: skip


class Grid:
    """Tiles and nodes under one state. Scratch: can be thrown away at any time, `loosen` does."""

    def __init__(self, cell: float, transfer: Transfer, owner: str, density: float = 1000.0) -> None:
        """`density` [kg/m³]: of the material at rest; adhesion needs it."""
        self.cell = cell
        self.transfer = transfer
        self.owner = owner
        self.density = density
        self.tiles: Tiles | None = None
        self.node = np.empty((0, NODES, 4), np.float32)
        """Momentum or velocity and mass, float32 (tiles, 64, 4)."""
        self.walls = NodeWalls(cell)
        self.fastest = np.inf
        """Largest particle speed after the last gather [m/s]; infinite when unknown."""
        self._before = np.empty((0, NODES, 4), np.float32)
        self.block = np.empty((0, BLOCK_FLOATS), np.float32)
        self.scratch = Scratch(np.empty((0, SCRATCH_FLOATS), np.float32), np.empty((0, 24), np.int32))
        self._zeros = np.empty((9, 0), np.float32)
        self._wandered = 0.0
        self._age = 0

    def loosen(self) -> None:
        """Particles were added, removed or moved by others: sort before the next scatter."""
        self.tiles = None
        self.fastest = np.inf

    def particles(self, state: State) -> Particles:
        """The state as transfers see it, each particle counted with its weight."""
        arrays = {name: state[name] for name in Particles._fields}
        if "weight" in state.layout:
            arrays |= {name: state[name] * state["weight"] for name in ("mass", "volume")}
        return Particles(**arrays)

    def due(self, wall_way: float) -> bool:
        """Whether particles have to be sorted before the next scatter; `wall_way` [m] is how far walls move in this step."""
        self.walls.way += wall_way
        worn = self._age >= SORT_EVERY or self._wandered > MOST_DRIFT * self.cell or self.walls.worn
        return self.tiles is None or worn

    def sort(self, state: State, walls: Walls) -> None:
        """Sort the particles and find the tiles and the nodes near walls."""
        self.tiles = find_tiles(state, self.cell, self.transfer.half)
        self._wandered, self._age = 0.0, 0
        self._fit(self.tiles)
        self.walls.find(self.tiles.origin, walls)
        shift = self.walls.push_out(state, self.tiles, walls)
        if shift > MOST_DRIFT * self.cell:  # a wall was put over them: the tiles are no longer theirs
            self.tiles = find_tiles(state, self.cell, self.transfer.half)
            self._fit(self.tiles)
            self.walls.find(self.tiles.origin, walls)
        else:
            self._wandered = shift
        if walls.sheets:
            self.take_sides(state)

    def take_sides(self, state: State) -> None:
        """Tell the nodes near walls on which side of a sheet their material is; to be repeated while sheets move."""
        particles = self.particles(state)
        still = self._nothing(9, particles.mass.size)
        self._sum(particles._replace(velocity=particles.position, affine=still, stress=still[:6]), 0.0)
        node = self.nodes.reshape(-1, 4)
        self.walls.take_side(node[:, :3] / np.where(node[:, 3:] > 0.0, node[:, 3:], np.float32(np.nan)))

    def keep_outside(self, state: State, walls: Walls, dt: float) -> None:
        """After the gather of a step of dt [s]: particles stay out of walls and on their side of sheets."""
        self._wandered += self.walls.push_out(state, self.sorted_tiles, walls, dt)

    def _nothing(self, components: int, size: int) -> np.ndarray:
        """Zeros (components, size) for particles that bring no stress or no affine momentum; not to be written."""
        if self._zeros.shape[-1] != size:
            self._zeros = np.zeros((9, size), np.float32)
        return self._zeros[:components]

    def _fit(self, tiles: Tiles) -> None:
        """Make room for nodes and blocks."""
        count, parts = tiles.count, len(tiles.part) - 1
        if len(self.node) < count:
            self.node = np.empty((count + count // 4, NODES, 4), np.float32)
            if self.transfer.flip > 0.0 and not self.transfer.apic:
                self._before = np.empty_like(self.node)
        if len(self.block) < tiles.holding:
            self.block = np.empty((tiles.holding + tiles.holding // 4, BLOCK_FLOATS), np.float32)
        if len(self.scratch.rows) < parts:
            self.scratch = Scratch(np.zeros((parts, SCRATCH_FLOATS), np.float32), np.zeros((parts, 24), np.int32))

    @property
    def nodes(self) -> np.ndarray:
        """The nodes in use, float32 (tiles, 64, 4), a view."""
        return self.node[: self.sorted_tiles.count]

    @property
    def before(self) -> np.ndarray:
        """Velocities that FLIP takes the change from, as `nodes`; empty with affine transfer."""
        return self._before[: len(self.nodes)] if self._before.size else self.node[:0]

    @property
    def least_mass(self) -> float:
        """Nodes of no more mass than this rest [kg].

        Slopes fall off more slowly than weights: a node at the very rim of a box would be flung by a force on nothing. With
        affine transfer it is enough that 1/m does not overflow.
        """
        return 1.0e-30 if self.transfer.apic else _LEAST_SHARE * self.density * self.cell**3

    @property
    def bytes_used(self) -> int:
        """Memory of nodes and blocks [bytes]."""
        return self.node.nbytes + self._before.nbytes + self.block.nbytes

    @property
    def sorted_tiles(self) -> Tiles:
        if self.tiles is None:
            raise TsubuError(f"{self.owner}: the grid was used before its particles were sorted; call sort first.")
        return self.tiles

    def node_places(self) -> np.ndarray:
        """Where the nodes are [m], float32 (tiles, 64, 3)."""
        return node_places(self.sorted_tiles.origin, self.cell)

    def scatter(self, state: State, dt: float) -> None:
        """Momentum and mass of the nodes, internal forces of a step of dt [s] included."""
        particles = self.particles(state)
        if self._before.size:
            self._sum(particles._replace(stress=self._nothing(6, particles.mass.size)), dt)
            self.keep_before()
        self._sum(particles, dt)

    def _sum(self, particles: Particles, dt: float) -> None:
        tiles = self.sorted_tiles
        scatter(particles, tiles, self.transfer.step(self.cell, dt), self.scratch, self.block)
        sum_blocks(self.block.reshape(-1), tiles.around, tiles.holding, self.nodes.reshape(-1))

    def keep_before(self) -> None:
        """Remember the velocities of nodes that hold momentum without any force: FLIP adds what forces and walls change."""
        if self._before.size:
            self.before[...] = self.nodes
            node_velocities(self.before, np.float32(0.0), np.zeros(3, np.float32), np.float32(self.least_mass))

    def update(self, walls: Walls, gravity: np.ndarray, dt: float) -> None:
        """Momentum becomes velocity; gravity and walls act."""
        node_velocities(self.nodes, np.float32(dt), gravity, np.float32(self.least_mass))
        self.walls.apply(self.nodes, walls, dt, self.density)

    def gather(self, state: State, dt: float, age: int = 1) -> None:
        """Particles take velocity and velocity gradient from the nodes and move. `age`: explicit steps that this one stands for
        where `SORT_EVERY` counts them."""
        tiles, step = self.sorted_tiles, self.transfer.step(self.cell, dt)
        before = self.before
        if step.flip > 0.0:
            node_changes(self.nodes, before)
        moved = np.empty((tiles.holding, 2), np.float32)
        gather(self.particles(state), tiles, step, self.scratch, self.nodes, before, moved)
        farthest, fastest = (float(value) for value in moved.max(axis=0, initial=0.0))
        if not np.isfinite(farthest):
            raise TsubuError(
                f"{self.owner}: the simulation became unstable (a velocity is not a number). "
                "Lower the Courant number, or check for colliders that overlap or move very fast."
            )
        self._wandered += farthest
        self._age += age
        self.fastest = float(np.sqrt(fastest))


_OFFSETS = np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij"), axis=-1).reshape(NODES, 3).astype(np.int32)


def node_places(origin: np.ndarray, cell: float) -> np.ndarray:
    """Positions [m] of the nodes of tiles with the given corners, float32 (tiles, 64, 3)."""
    return ((origin[:, None, :] + _OFFSETS) * cell).astype(np.float32)
