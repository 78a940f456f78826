"""Walls at the nodes: what a collider lets the material on the grid do.

A node within half a cell of a wall, or inside it, obeys its collider:

- *stick*: it moves with the wall.
- *slip*: it neither enters nor leaves the wall, and slides freely.
- *separate*: it may leave. Leaving is resisted by the collider's adhesion a [Pa]. A node at a flat wall stands for half a cell
  of material on an area h², m = ρ h³/2, so adhesion slows it by a h² Δt/m = 2 a Δt/(ρ h); nodes with less material in reach
  hold in proportion. Sliding is resisted by Coulomb friction on what presses the node to the wall, adhesion included.
"""

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..state import State
from ..walls import Walls
from ..walls.borrow import borrowed
from ..walls.contact import blocking_planes, keep_outside
from .tiles import Tiles

BAND = 0.5
"""Nodes nearer to a wall than this many cells obey it: there is always a layer of them on either side of a sheet."""
SEPARATE, SLIP, STICK = 0, 1, 2
CONTACTS = {"separate": SEPARATE, "slip": SLIP, "stick": STICK}
SKIN = 0.02
"""Closest a particle comes to a wall, in cells."""
_ROUNDS = 2
"""Passes over the planes of a corner."""
CLING = 0.3
"""Particles nearer than this many cells to a wall that they stick to do not leave it. Held nodes alone let them creep away."""


@kernel
def _apply(velocity, plane, rule, grip):
    """Change `velocity` (3,) of a node by one plane: normal, distance, velocity, friction. `grip`: speed that adhesion takes."""
    if rule == STICK:
        for axis in range(3):
            velocity[axis] = plane[4 + axis]
        return
    normal = np.float32(0.0)
    for axis in range(3):
        normal += (velocity[axis] - plane[4 + axis]) * plane[axis]
    if rule == SLIP:
        for axis in range(3):
            velocity[axis] -= normal * plane[axis]
        return
    if normal > grip:
        # torn off: what is left of the speed after the adhesion has pulled as long as it could
        for axis in range(3):
            velocity[axis] -= grip * plane[axis]
        return
    pressed = max(-normal, np.float32(0.0)) + grip
    sliding = np.float32(0.0)
    for axis in range(3):
        velocity[axis] -= normal * plane[axis]
        slide = velocity[axis] - plane[4 + axis]
        sliding += slide * slide
    sliding = np.sqrt(sliding)
    share = min(np.float32(1.0), plane[7] * pressed / max(sliding, np.float32(1.0e-30)))
    for axis in range(3):
        velocity[axis] -= share * (velocity[axis] - plane[4 + axis])


@kernel
def _apply_all(all_node, where, all_plane, count, shape, collider, rule, grip, band):
    """`all_node` (nodes, 4) at `where` (m,) obeys its planes; the loop is short and serial."""
    node, plane = borrowed(all_node), borrowed(all_plane)
    for row in range(len(where)):
        n = where[row]
        if n < 0 or node[n, 3] <= np.float32(0.0):
            continue
        bits = blocking_planes(plane[row], count[row], shape[row], band)
        for _ in range(_ROUNDS):
            for slot in range(count[row]):
                if bits >> slot & 1:
                    c = collider[row, slot]
                    _apply(node[n], plane[row, slot], rule[c], grip[c])


@kernel
def _follow(position, velocity, row, plane, count, collider, rule, reach, dt):
    """Particles float32 (n, 3) after a step of dt that were leaving a wall that they stick to, still within `reach` of it, go no
    faster than it. Along the wall they are left to the nodes: held too, they would thicken the wall by a part of a cell."""
    for i in range(len(position)):
        at = row[i]
        if at < 0:
            continue
        for slot in range(count[at]):
            if rule[collider[at, slot]] == STICK and plane[at, slot, 3] < reach:
                leaving = np.float32(0.0)
                for axis in range(3):
                    leaving += (velocity[i, axis] - plane[at, slot, 4 + axis]) * plane[at, slot, axis]
                if leaving > np.float32(0.0):
                    for axis in range(3):
                        position[i, axis] -= leaving * dt * plane[at, slot, axis]
                        velocity[i, axis] -= leaving * plane[at, slot, axis]
                break


class WallRows(NamedTuple):
    """Nodes near walls and what holds them, one row each; rows of `where` −1 are unused."""

    where: np.ndarray
    """Index into the flat nodes, int64 (m,)."""
    plane: np.ndarray
    count: np.ndarray
    shape: np.ndarray
    collider: np.ndarray
    """These four as in `walls.NearWalls`."""
    rule: np.ndarray
    """SEPARATE, SLIP or STICK of each collider, int32."""
    grip: np.ndarray
    """Speed that each collider's adhesion takes in the step [m/s], float32."""
    band: np.float32
    """Nodes nearer than this obey [m]."""


class NodeWalls:
    """The nodes near walls, found at each sort; asked again in every step only where colliders move."""

    def __init__(self, cell: float) -> None:
        self.cell = cell
        self.way = 0.0
        """How far walls have moved since the last `find` [m]."""
        self._where = np.empty(0, np.int64)
        self._place = np.empty((0, 3), np.float32)
        self._side: np.ndarray | None = None
        self._clinging = np.empty(0, np.int64)
        """Particles that a wall they stick to may hold before the next sort."""
        self._still: tuple[np.ndarray, ...] | None = None

    @property
    def worn(self) -> bool:
        """Whether a wall may have come near a node that `find` left out."""
        return self.way > 0.4 * self.cell

    def find(self, origin: np.ndarray, walls: Walls) -> None:
        """Choose the nodes of the tiles at `origin` (cells) that a wall is near or can come near before it is worn."""
        from .grid import node_places

        self.way = 0.0
        self._still = self._side = None
        self._where, self._place = np.empty(0, np.int64), np.empty((0, 3), np.float32)
        boxes = walls.boxes(self.cell)
        if len(boxes) == 0:
            return
        low = (origin - 1) * self.cell
        high = (origin + 5) * self.cell
        touched = np.zeros(len(origin), bool)
        for box_low, box_high in boxes:
            touched |= np.all((low < box_high) & (high > box_low), axis=1)
        tiles = np.flatnonzero(touched)
        places = node_places(origin[tiles], self.cell).reshape(-1, 3)
        if len(places) == 0:
            return
        near = walls.near(places)
        chosen = np.flatnonzero(near.row >= 0)
        self._where = (tiles[chosen // 64] * 64 + chosen % 64).astype(np.int64)
        self._place = np.ascontiguousarray(places[chosen])

    def take_side(self, places: np.ndarray) -> None:
        """Tell where the material of each node is, float32 (nodes, 3) [m], NaN without any.

        A node on or behind a sheet belongs to the side of its material, not to the side on which it lies itself: it carries
        what the stencils of particles in front of the sheet reach.
        """
        side = places[self._where]
        self._side = np.where(np.isfinite(side), side, self._place).astype(np.float32)
        self._still = None

    def push_out(self, state: State, tiles: Tiles, walls: Walls, dt: float = 0.0) -> float:
        """Bring particles that have sunk into a wall back to its surface; returns the farthest way along an axis [m].

        Nodes stop what carries stress. Loose particles may creep in, and this, at every sort, is their last resort. After a
        step of `dt` [s] particles that have just come through a sheet are brought back to their side.
        """
        if not dt:
            self._clinging = np.empty(0, np.int64)
        walled = np.zeros(tiles.count + 1, bool)  # the last one stands for the absent tile −1
        walled[self._where // 64] = True
        near_walls = np.flatnonzero(walled[tiles.around[: tiles.holding]].any(axis=1))
        if len(near_walls) == 0:
            return 0.0
        chosen = np.concatenate([np.arange(tiles.start[tile], tiles.start[tile + 1]) for tile in near_walls])
        position = np.ascontiguousarray(state["position"][:, chosen].T)
        velocity = np.ascontiguousarray(state["velocity"][:, chosen].T)
        before = position.copy()
        near = walls.near(position, position - np.float32(dt) * velocity if dt else None)
        if not dt and "stick" in walls.contacts:
            beside = np.flatnonzero(near.row >= 0)
            self._clinging = chosen[beside[near.plane[near.row[beside], 0, 3] < 1.5 * self.cell]]
        keep_outside(near, position, velocity, SKIN * self.cell)
        state["position"][:, chosen] = position.T
        if not dt:
            state["velocity"][:, chosen] = velocity.T
        return float(np.abs(position - before).max())

    def cling(self, state: State, walls: Walls, dt: float) -> None:
        """Particles at walls that they stick to go with them; to be called after the gather of a step of dt [s]."""
        chosen = self._clinging
        if len(chosen) == 0:
            return
        position = np.ascontiguousarray(state["position"][:, chosen].T)
        velocity = np.ascontiguousarray(state["velocity"][:, chosen].T)
        near, rule = walls.near(position), self._rules(walls)
        reach = np.float32(CLING * self.cell)
        _follow(position, velocity, near.row, near.plane, near.count, near.collider, rule, reach, np.float32(dt))
        state["position"][:, chosen], state["velocity"][:, chosen] = position.T, velocity.T

    @staticmethod
    def _rules(walls: Walls) -> np.ndarray:
        """Contact of each collider, int32."""
        return np.array([CONTACTS[name] for name in walls.contacts], np.int32)

    def _planes(self, walls: Walls) -> tuple[np.ndarray, ...]:
        """Node, planes, count, shape and collider of each row."""
        if self._still is not None:
            return self._still
        near = walls.near(self._place, self._side)
        filled = near.particle >= 0
        where = np.where(filled, self._where[np.maximum(near.particle, 0)], -1)
        found = (where, near.plane, near.count, near.shape, near.collider)
        if not walls.moving:
            found = tuple(part.copy() for part in found)
            self._still = found
        return found

    def apply(self, nodes: np.ndarray, walls: Walls, dt: float, density: float) -> None:
        """Make the velocities `nodes` (tiles, 64, 4) of a material of the given density [kg/m³] obey the walls, posed at the
        end of a step of dt [s]."""
        rows = self.rows(walls, dt, density)
        if rows is not None:
            _apply_all(nodes.reshape(-1, 4), *rows)

    def rows(self, walls: Walls, dt: float, density: float) -> WallRows | None:
        """Nodes near walls in a step of dt [s] for a material of the given density [kg/m³]; None if there are none."""
        if len(self._where) == 0:
            return None
        where, plane, count, shape, collider = self._planes(walls)
        rule = self._rules(walls)
        grip = (walls.setting("adhesion") * 2.0 * dt / (density * self.cell)).astype(np.float32)
        return WallRows(where, plane, count, shape, collider, rule, grip, np.float32(BAND * self.cell))
