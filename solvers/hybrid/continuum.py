"""Material points of grains: state, elastic moduli, and the phases of a step."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..limits import Leaves
from ..materials.grains_params import PACKING, GrainsParams
from ..mpm.contact import NodeWalls
from ..mpm.foam_law import CHUNK
from ..mpm.grain_law import grain_law
from ..mpm.grid import LAYOUT, Grid, Transfer
from ..mpm.points import GrainPoints
from ..state import State
from ..walls import Walls
from .bulk import Moduli, bulk_friction, packing_moduli
from .locking import share_divergence

CELL = 2.0
"""Cell of the grid in mean diameters: eight material points a cell, one diameter apart."""
HALF = 0.25
"""Half width of a material point in cells (uGIMP)."""
_CFL = 0.35
_SETTLE = 0.02
"""Time [s] in which mass from conversions becomes pressure."""
ZONE_DISCRETE, ZONE_HYBRID, ZONE_CONTINUUM = 0, 1, 2
"""Values of the point attribute `zone`."""


def material_row(params: GrainsParams, moduli: Moduli) -> list[float]:
    """A row of the law's material table, see `grain_law.COLUMNS`."""
    tangent = bulk_friction(params)
    # Tensile strength σ of the packing: the cone's apex lies at −p = c / tan φ.
    cohesion = params.cohesion * tangent
    root = math.sqrt(2.0)
    return [moduli.shear, moduli.bulk, root * tangent, root * cohesion, 0.0, PACKING * params.density, 0.0, 0.0]


class GrainNodeWalls(NodeWalls):
    """Nodes near walls with the friction that grains have: the geometric mean of the grains' and the collider's.

    Only nodes near a collider that moves ask again in every step; the others keep what they found at the last sort.
    """

    def __init__(self, cell: float, friction: float) -> None:
        super().__init__(cell)
        self.friction = friction
        self.moving_boxes: Callable[[Walls, float], list[tuple[np.ndarray, np.ndarray]]] = Walls.boxes
        """Boxes of the colliders that move, widened by a margin [m]; all of them until the scene is known."""
        self._lively = np.empty(0, np.int64)
        """Rows of `_place` that a moving collider is near, or can come near before the next sort."""

    def _found(self, walls: Walls, rows: np.ndarray) -> tuple[np.ndarray, ...]:
        """Node, planes, count, shape and collider of nodes by their rows in `_place`."""
        near = walls.near(self._place[rows], None if self._side is None else self._side[rows])
        filled = near.particle >= 0
        where = np.where(filled, self._where[rows[np.maximum(near.particle, 0)]], -1)
        plane = near.plane.copy()
        used = np.arange(3)[None] < near.count[:, None]
        plane[..., 7] = np.sqrt(self.friction * np.where(used, plane[..., 7], np.float32(0.0)))
        return where, plane, near.count.copy(), near.shape.copy(), near.collider.copy()

    def _planes(self, walls: Walls) -> tuple[np.ndarray, ...]:
        if self._still is None:
            lively = np.zeros(len(self._place), bool)
            for low, high in self.moving_boxes(walls, self.cell) if walls.moving else []:
                lively |= np.all((self._place > low) & (self._place < high), axis=1)
            self._lively = np.flatnonzero(lively)
            self._still = self._found(walls, np.flatnonzero(~lively))
        if len(self._lively) == 0:
            return self._still
        pairs = zip(self._still, self._found(walls, self._lively), strict=True)
        return tuple(np.concatenate(pair) for pair in pairs)


class Continuum:
    """Material points of all members of a scene on one grid."""

    def __init__(self, settings: Sequence[GrainsParams], owner: str, host: GrainsParams | None = None) -> None:
        host = host or settings[0]  # whose grain size the grid fits
        self.settings = tuple(settings)
        self.spacing = host.size
        self.cell = CELL * self.spacing
        self.density = np.array([PACKING * entry.density for entry in settings])
        """Mass of one cubic metre of packing [kg/m³], float64 (members,)."""
        self.state = State(
            LAYOUT
            | {
                "elastic": ("f4", 6),
                "jacobian": ("f4", 1),
                "plastic": ("f4", 1),
                "owed": ("f4", 1),
                "age": ("f4", 1),
                "zone": ("i4", 1),
                "id": ("i4", 1),
                "body": ("i4", 1),
            }
        )
        self.grid = Grid(self.cell, Transfer(half=HALF), owner, float(self.density.mean()))
        self.node_walls = GrainNodeWalls(self.cell, host.wall_friction)
        self.grid.walls = self.node_walls
        self.moduli = Moduli(1.0, 1.0)
        self.table = np.zeros((len(settings), 8), np.float32)
        self.sound = 0.0
        self._room = np.empty((0, 64), np.float32)

    def stiffen(self, stiffness: float) -> None:
        """Choose moduli for contacts of this stiffness 4 Y [Pa]."""
        self.moduli = packing_moduli(stiffness)
        self.table = np.array([material_row(entry, self.moduli) for entry in self.settings], np.float32)
        self.sound = math.sqrt((self.moduli.bulk + 4.0 / 3.0 * self.moduli.shear) / float(self.density.min()))

    def append(self, member: int, position: np.ndarray, velocity: np.ndarray, zone: int) -> None:
        """New material points of one member, at rest density: position and velocity (n, 3). `zone` hybrid: half the mass."""
        count = len(position)
        volume, part = self.spacing**3, 0.5 if zone == ZONE_HYBRID else 1.0
        self.state.append(
            {
                "position": position.T,
                "velocity": velocity.T,
                "body": np.full(count, member, np.int32),
                "zone": np.full(count, zone, np.int32),
                "mass": np.full(count, self.density[member] * volume * part, np.float32),
                "volume": np.full(count, volume, np.float32),
                "density": np.full(count, self.density[member], np.float32),
                "elastic": np.repeat(np.array([[1.0], [1.0], [1.0], [0.0], [0.0], [0.0]], np.float32), count, axis=1),
                "jacobian": np.ones(count, np.float32),
            }
        )
        self.grid.loosen()

    def fastest(self) -> float:
        """Largest speed of a point [m/s], from the state itself: a resumed bake finds the same."""
        velocity = self.state.live("velocity")
        return float(np.sqrt(np.einsum("ij,ij->j", velocity, velocity).max(initial=0.0)))

    def stable_dt(self, wall_speed: float, gravity: float) -> float:
        """Largest step [s]: neither waves nor points nor walls cross more than a part of a cell."""
        speed = max(self.fastest(), wall_speed)
        return min(_CFL * self.cell / (self.sound + speed), math.sqrt(0.2 * self.cell / max(gravity, 1.0e-30)))

    # -- phases -------------------------------------------------------------------------------------------------------

    def to_nodes(self, walls: Walls, dt: float, wall_speed: float) -> None:
        """Sort if due and scatter: the nodes hold momentum and mass after."""
        if self.grid.due(wall_speed * dt):
            self.grid.sort(self.state, walls)
        self.grid.scatter(self.state, dt)

    def at_nodes(self, walls: Walls, gravity: np.ndarray, dt: float) -> None:
        """Momentum becomes velocity; gravity and walls act."""
        self.grid.update(walls, gravity.astype(np.float32), dt)

    def from_nodes(self, dt: float) -> None:
        """Gather, then the law."""
        state = self.state
        self.grid.gather(state, dt)
        tiles, single = self.grid.tiles, np.float32
        assert tiles is not None
        share_divergence(
            state["position"], state["velocity"], state["affine"], tiles, self.grid.nodes, single(1.0 / self.cell), single(dt)
        )
        chunks = -(-state.count // CHUNK)
        if len(self._room) < chunks:
            self._room = np.empty((chunks + chunks // 4, 64), np.float32)
        names = ("elastic", "jacobian", "affine", "stress", "plastic", "density", "body")
        grain_law(GrainPoints(*(state[name] for name in names)), self.table, state.count, np.float32(dt), self._room)
        state.live("age")[...] += np.float32(dt)
        self.settle_volume(dt)

    def settle_volume(self, dt: float) -> None:
        """Mass that conversions have brought or taken is felt little by little: a whole grain more at once would be a shock.

        `owed` is the logarithm of mass over room that J does not know of yet.
        """
        state = self.state
        part = np.float32(1.0 - math.exp(-dt / _SETTLE)) * state.live("owed")
        state.live("jacobian")[:] *= np.exp(-part)
        state.live("owed")[:] -= part

    def drop(self, leaves: Leaves) -> int:
        """Forget the points that leave; returns how many."""
        inside = ~leaves(self.state.live("position"))
        gone = int(inside.size - np.count_nonzero(inside))
        if gone:
            self.state.keep(inside)
            self.grid.loosen()
        return gone

    def end_frame(self) -> None:
        """The next step sorts anew, so that a checkpoint needs no tables."""
        self.grid.loosen()
