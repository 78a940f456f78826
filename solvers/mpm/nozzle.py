"""Foam in the mouth of a nozzle: what comes from behind pushes it out.

Nodes at a mouth obey the flow that the artist asked for as those at a wall obey the wall, so that foam leaves at its rate also
where it has backed up, and hangs on what is still inside. Without that it would fall from the mouth layer by layer, and foam at
rest there would leave no room for what comes. Where a mouth touches a wall the wall counts. A hand does not press without limit:
where foam in the mouth is compressed, less comes.
"""

from dataclasses import replace

import numpy as np

from ..emission import Inlet
from ..state import State
from ..walls import Walls
from .contact import STICK, NodeWalls, WallRows
from .grid import node_places

_BEHIND, _AHEAD = 1.5, 0.5
"""Nodes this far behind and before the mouth are held, in cells: most of what carries the layer that has just come out."""
_ASIDE = 1.0
"""Nodes this far from the line of a place of the mouth belong to it, in spacings: half a cell."""
_OPEN, _SHUT = 0.95, 0.85
"""Volume ratio of the foam in a mouth below which less flows, and at which nothing does; 0.98 and more where it can flow off."""
_BIN = 0.5
"""Side of the squares that the cross-section is drawn in, in spacings."""


class NozzleWalls(NodeWalls):
    """The nodes near walls and in the mouths of nozzles."""

    def __init__(self, cell: float) -> None:
        super().__init__(cell)
        self.inlets: list[Inlet] = []
        """Mouths that are open in the next step."""
        self._origin = np.empty((0, 3), np.int32)

    def find(self, origin: np.ndarray, walls: Walls) -> None:
        """As `NodeWalls.find`; mouths may move, and are looked for in each step."""
        self._origin = origin
        super().find(origin, walls)

    def rows(self, walls: Walls, dt: float, density: float) -> WallRows | None:
        """As `NodeWalls.rows`, led by those of nozzles: walls that follow have the last word."""
        rows = super().rows(walls, dt, density)
        held = [found for inlet in self.inlets if len((found := self._in_mouth(inlet))[0])]
        if not held:
            return rows
        where = np.concatenate([nodes for nodes, _ in held])
        plane = np.zeros((len(where), 1 if rows is None else rows.plane.shape[1], 8), np.float32)
        plane[:, 0, 3] = -self.cell
        plane[:, 0, 4:7] = np.concatenate([np.broadcast_to(velocity, (len(nodes), 3)) for nodes, velocity in held])
        if rows is None:
            empty = np.empty(0, np.float32)
            shape = np.empty((0, 1), np.int32)
            rows = WallRows(where[:0], plane[:0], where[:0].astype(np.int32), shape, shape, empty, empty, np.float32(0.0))
        number = len(rows.rule)
        return WallRows(
            np.concatenate([where, rows.where]),
            np.concatenate([plane, rows.plane]),
            np.concatenate([np.ones(len(where), rows.count.dtype), rows.count]),
            np.concatenate([np.zeros((len(where), *rows.shape.shape[1:]), rows.shape.dtype), rows.shape]),
            np.concatenate([np.full((len(where), *rows.collider.shape[1:]), number, rows.collider.dtype), rows.collider]),
            np.append(rows.rule, STICK).astype(np.int32),
            np.append(rows.grip, 0.0).astype(np.float32),
            rows.band,
        )

    def open(self, inlet: Inlet, state: State) -> float:
        """Let a nozzle flow in the next step; returns the share of its speed that it can."""
        share = _share(inlet, state, self.cell)
        if share < 1.0:
            inlet = replace(inlet, velocity=inlet.velocity - (1.0 - share) * inlet.speed * inlet.way)
        self.inlets.append(inlet)
        return share

    def _in_mouth(self, inlet: Inlet) -> tuple[np.ndarray, np.ndarray]:
        """Flat indices of the nodes that a nozzle holds, int64 (n,), and the velocity of its flow (3,) [m/s]."""
        way = inlet.way[0]
        reach = (_BEHIND + 0.5) * self.cell
        low, high = inlet.mouth.min(axis=0) - reach, inlet.mouth.max(axis=0) + reach
        corner = self._origin * self.cell
        tiles = np.flatnonzero(np.all((corner < high) & (corner + 3.0 * self.cell > low), axis=1))
        places = node_places(self._origin[tiles], self.cell).reshape(-1, 3).astype(np.float64)
        across = _across(way)
        ahead = ((places - inlet.mouth[0]) * way).sum(axis=1)
        held = (ahead >= -_BEHIND * self.cell) & (ahead <= _AHEAD * self.cell)
        held &= _within(_projected(places, across), _projected(inlet.mouth, across), inlet.spacing)
        chosen = np.flatnonzero(held)
        return tiles[chosen // 64].astype(np.int64) * 64 + chosen % 64, inlet.velocity.mean(axis=0)


def _share(inlet: Inlet, state: State, cell: float) -> float:
    """How much of its speed a nozzle can give: 1 unless the foam in its mouth is compressed."""
    position, way = state.live("position"), inlet.way[0]
    low, high = inlet.mouth.min(axis=0) - cell, inlet.mouth.max(axis=0) + cell
    near = np.flatnonzero(np.all((position >= low[:, None]) & (position <= high[:, None]), axis=0))
    places = position[:, near].T.astype(np.float64)
    across = _across(way)
    ahead = ((places - inlet.mouth[0]) * way).sum(axis=1)
    inside = (np.abs(ahead) <= cell) & _within(_projected(places, across), _projected(inlet.mouth, across), inlet.spacing)
    chosen = near[inside]
    if len(chosen) == 0:
        return 1.0
    volume = state.live("volume")[chosen].astype(np.float64)
    mean = float((volume * state.live("jacobian")[chosen]).sum() / volume.sum())
    return float(np.clip((mean - _SHUT) / (_OPEN - _SHUT), 0.0, 1.0))


def _across(way: np.ndarray) -> np.ndarray:
    """Two unit vectors (2, 3) square to `way` and to each other."""
    x, y, z = way.tolist()
    along = min(range(3), key=lambda axis: abs(way[axis]))
    a, b, c = ((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0))[along]
    size = (a * a + b * b + c * c) ** 0.5
    a, b, c = a / size, b / size, c / size
    return np.array([[a, b, c], [y * c - z * b, z * a - x * c, x * b - y * a]])


def _projected(places: np.ndarray, across: np.ndarray) -> np.ndarray:
    """Coordinates (n, 2) of places (n, 3). Not a matrix product: its rounding depends on the linear-algebra library."""
    return np.stack([(places * axis).sum(axis=1) for axis in across], axis=1)


def _within(points: np.ndarray, mouth: np.ndarray, spacing: float) -> np.ndarray:
    """Which points (n, 2) lie within `_ASIDE` spacings of a place of the mouth (m, 2): drawn as squares, looked up."""
    side, reach = _BIN * spacing, int(_ASIDE / _BIN) + 1
    low = mouth.min(axis=0) - (reach + 1) * side
    size = np.ceil((mouth.max(axis=0) - low) / side).astype(int) + reach + 2
    drawn = np.zeros(size, bool)
    disc = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    disc = disc[(disc**2).sum(axis=1) * side**2 <= (_ASIDE * spacing) ** 2]
    filled = (np.floor((mouth - low) / side).astype(int)[:, None] + disc[None]).reshape(-1, 2)
    drawn[filled[:, 0], filled[:, 1]] = True
    place = np.floor((points - low) / side).astype(int)
    inside = np.all((place >= 0) & (place < size), axis=1)
    result = np.zeros(len(points), bool)
    result[inside] = drawn[tuple(place[inside].T)]
    return result
