"""All kinds of a scene at one table: who is near whom, shared nodes, exchange, changes back to the particles.

Each kind simulates itself; between its steps it lays its particles on the table as a `Party` and takes back changed
velocities. A party's particles are mapped to nodes of a grid that exists only where kinds meet. There the kinds exchange
momentum (`nodes`), and the particles get the nodes' changes of velocity with the weights of the way there: linear
momentum is conserved to rounding, and kinetic energy cannot grow but for the small push that undoes overlap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..walls import Walls
from ..walls.ghosts import make_ghosts
from . import nodes as at_nodes
from .matter import Matter
from .select import in_company, mark_blocks, spread_marks

CELL = 2.0
"""Edge of a shared cell, in spacings of the coarsest party: eight of its particles."""
TOUCHING = 0.9
"""Part of a node's cell that two kinds must fill together to be in contact: a gap of an eighth of a cell is open."""
PUSH = 0.15
"""Part of an overlap that is undone in one exchange."""
SLOWEST_PUSH = 0.3
"""Fastest pushing apart, in √(g · cell)."""
REACH = 1.5
"""Reach of a node [cells]."""
SLOW = 5.0
"""What approaches more slowly than gravity makes it in so many intervals rests, see `Matter.backing`."""
_BLOCK = 2.0
"""Edge of a block of the map of who is where, in cells."""
_MOST_BLOCKS = 1 << 24


class Party(NamedTuple):
    """Particles of one kind at a meeting; a kind may come with several."""

    kind: int
    """Which row of the pairs' law."""
    matter: Matter


@dataclass
class Record:
    """What the exchanges of a bake have done so far."""

    exchanges: int = 0
    particles: int = 0
    """Of the last exchange."""
    work: float = 0.0
    """Kinetic energy that the exchanges have added to the particles, negative where they have taken it [J]."""


def cell_of(parties: Sequence[Party]) -> float:
    """Edge of the shared cells [m]."""
    return CELL * max(party.matter.spacing for party in parties)


class Meeting:
    """Exchanges momentum between parties of different kinds."""

    def __init__(self, law: np.ndarray, gravity: np.ndarray) -> None:
        """law: float64 (kinds, kinds, 2), symmetric, see `nodes.FRICTION`; gravity (3,) [m/s²]."""
        self.law = np.ascontiguousarray(law, np.float64)
        self.gravity = float(np.linalg.norm(gravity))
        self._down = np.asarray(gravity, np.float64) / max(self.gravity, 1.0e-30)
        self.record = Record()

    def exchange(self, parties: Sequence[Party], dt: float, walls: Walls | None = None) -> bool:
        """Momentum between all parties that touch, over an interval of dt [s]; returns whether any did.

        Matter that ends at a wall is continued behind it by mirror images without mass, which make it look as full as it is.
        """
        present = [party for party in parties if party.matter.count]
        if len({party.kind for party in present}) < 2:
            return False
        cell = cell_of(present)
        chosen = _near_others(present, cell)
        if chosen is None:
            return False
        both = list(zip(present, chosen, strict=True))
        position, velocity = (
            np.concatenate([getattr(party.matter, name)[:, own].T for party, own in both]).astype(np.float64)
            for name in ("position", "velocity")
        )
        mass, volume = (
            np.concatenate([getattr(party.matter, name)[own] for party, own in both]).astype(np.float64)
            for name in ("mass", "volume")
        )
        kind = np.repeat([party.kind for party in present], [len(own) for own in chosen])
        count = len(kind)
        position, mass, volume, velocity, kind = _with_images(position, mass, volume, velocity, kind, walls, cell)
        corner, node_count = _stencils(position)
        nodes = np.zeros((node_count, len(self.law), at_nodes.COLUMNS))
        at_nodes.gather_nodes(position, velocity, mass, volume, kind, corner, cell, nodes)
        change = np.zeros((node_count, len(self.law), 3))
        push = PUSH * cell / dt
        backing = np.ones(len(self.law))
        for party in present:
            backing[party.kind] = max(backing[party.kind], party.matter.backing)
        fastest = SLOWEST_PUSH * np.sqrt(self.gravity * cell)
        at_nodes.exchange(
            nodes, self.law, backing, cell, TOUCHING, push, fastest, SLOW * self.gravity * dt, self._down, change
        )
        result = np.empty((count, 3))
        at_nodes.return_changes(position[:count], kind[:count], corner[:count], change, result)
        gained = (velocity[:count] * result + 0.5 * result * result).sum(axis=1)
        self.record.work += float((mass[:count] * gained).sum())
        begin = 0
        for party, own in both:
            party.matter.velocity[:, own] += result[begin : begin + len(own)].T.astype(party.matter.velocity.dtype)
            begin += len(own)
        self.record.exchanges += 1
        self.record.particles = begin
        return True



def _near_others(parties: Sequence[Party], cell: float) -> list[np.ndarray] | None:
    """Particles of each party that are near another kind, ascending indices; None if nobody is."""
    boxes = np.array([[party.matter.position.min(axis=1), party.matter.position.max(axis=1)] for party in parties], np.float64)
    reach = 2.0 * cell
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for i, one in enumerate(parties):
        for j, other in enumerate(parties):
            if one.kind < other.kind:
                least, most = np.maximum(boxes[i, 0], boxes[j, 0]) - reach, np.minimum(boxes[i, 1], boxes[j, 1]) + reach
                if (least <= most).all():
                    low, high = np.minimum(low, least), np.maximum(high, most)
    if not (low <= high).all():
        return None
    edge = _BLOCK * cell
    while np.prod(np.floor((high - low) / edge) + 1.0) > _MOST_BLOCKS:
        edge *= 2.0
    shape = (np.floor((high - low) / edge) + 1.0).astype(np.int64)
    blocks = np.zeros(int(shape.prod()), np.uint32)
    for kind, matter in parties:
        own = np.zeros_like(blocks)
        mark_blocks(matter.position, matter.count, low, 1.0 / edge, shape, np.uint32(1 << kind), own)
        blocks |= own
    spread = np.empty_like(blocks)
    spread_marks(blocks, shape, spread)
    chosen = []
    for kind, matter in parties:
        own = np.empty(matter.count, np.int64)
        found = in_company(matter.position, matter.count, low, 1.0 / edge, shape, np.uint32(1 << kind), spread, own)
        chosen.append(own[:found])
    kinds = {party.kind for party, own in zip(parties, chosen, strict=True) if len(own)}
    return chosen if len(kinds) > 1 else None


def _with_images(
    position: np.ndarray, mass: np.ndarray, volume: np.ndarray, velocity: np.ndarray, kind: np.ndarray,
    walls: Walls | None, cell: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """The particles, position in cells, followed by their images behind walls, which have volume only."""
    scaled = position / cell
    if walls is None:
        return scaled, mass, volume, velocity, kind
    corner = np.floor(scaled.min(axis=0))
    images = make_ghosts(walls, position.astype(np.float32), (scaled - corner).astype(np.float32), cell, REACH)
    parent = images.parent
    nothing = np.zeros(len(parent))
    return (
        np.concatenate([scaled, images.position + corner]), np.concatenate([mass, nothing]),
        np.concatenate([volume, volume[parent]]), np.concatenate([velocity, np.zeros((len(parent), 3))]),
        np.concatenate([kind, kind[parent]]),
    )  # fmt: skip


def _stencils(position: np.ndarray) -> tuple[np.ndarray, int]:
    """Rows of the 27 nodes around each particle, int64 (n, 27), and how many nodes there are; position in cells."""
    base = np.floor(position - 0.5).astype(np.int64)
    base -= base.min(axis=0)
    size = base.max(axis=0) + 3
    strides = np.array([size[1] * size[2], size[2], 1])
    cells, inverse = np.unique(base @ strides, return_inverse=True)
    offsets = np.array([[i, j, k] for i in range(3) for j in range(3) for k in range(3)]) @ strides
    numbers = cells[:, None] + offsets
    known, rows = np.unique(numbers, return_inverse=True)
    return np.ascontiguousarray(rows.reshape(numbers.shape)[inverse.reshape(-1)]), len(known)

