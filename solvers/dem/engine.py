"""Steps of a set of grains: when the list is made anew, which walls are near, how many small steps make a large one."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import TsubuError
from ..walls import Walls
from ..watch import Watch
from .law import TANGENT, Law, Pair, bridge_strength, contact_step, damping_ratio, pair_forces
from .motion import Grains, Steps, run_steps
from .neighbours import Verlet, cell_numbers, make_cells
from .pairs import PairList, Rows
from .state import GrainState
from .turning import bring_home, load_rows
from .wall_contact import BODY_COLUMNS, MEMORY_COLUMNS, SUDDEN, WORK_COLUMNS, WallSet

SKIN = 0.3
"""Pairs are listed that are closer than this, in the radius of the largest grain."""
WAY = 0.1
"""Farthest a grain moves between two looks at the walls, in the radius of the smallest grain."""
MOST_STEPS = 40
"""Contact steps between two looks at the walls, at most."""
REACH = 1.4
"""How far around a grain's centre walls are looked for, in the radius of the largest grain."""
_POLL = 4_000_000
"""Grain-steps between two looks at the watch."""


class Setting(NamedTuple):
    """What grains of one member are like."""

    density: float
    """[kg/m³]"""
    restitution: float
    friction: float
    rolling: float
    cohesion: float
    """[Pa]"""
    wall_friction: float


@dataclass(frozen=True)
class Stiffness:
    """4 Y [Pa] of all contacts, and the step that resolves them [s]."""

    value: float
    step: float


class ContactForces(NamedTuple):
    """Contacts between grains at the present moment, one row each."""

    first: np.ndarray
    second: np.ndarray
    """Grains in the order of the state, int32 (m,)."""
    force: np.ndarray
    """On the first by the second [N], float64 (m, 3)."""
    branch: np.ndarray
    """From the centre of the second to that of the first [m], float64 (m, 3)."""
    point: np.ndarray
    """Where they touch [m], float64 (m, 3)."""


def make_stiffness(value: float, settings: list[Setting], smallest: float) -> Stiffness:
    """The stiffness with its step, for grains of radius `smallest` [m] and more."""
    lightest = min(entry.density for entry in settings)
    damping = max(damping_ratio(entry.restitution) for entry in settings)
    return Stiffness(value, contact_step(value, lightest, smallest, damping))


class Engine:
    """All grains of a scene, as `GrainState` holds them, in motion."""

    def __init__(self, state: GrainState, settings: list[Setting], stiffness: Stiffness, largest: float, smallest: float) -> None:
        self.state = state
        state.collect = self.unlist
        self.settings = settings
        self.stiffness = stiffness
        self.largest, self.smallest = largest, smallest
        self.owner = "Grains"
        self.bodies = np.zeros((0, BODY_COLUMNS))
        """Rigid motion of the colliders, if any is free."""
        self.speed = 0.0
        """Largest speed at the end of the last step [m/s]."""
        self.centred, self.tangent_damping, self.sudden = True, TANGENT, SUDDEN
        self._verlet = Verlet()
        self._listed = False
        self._stamp = 0
        self._way = 0.0
        self._scratch: dict[str, np.ndarray] = {}
        table = [
            [1.0, damping_ratio(s.restitution), s.friction, s.rolling, bridge_strength(s.cohesion), s.wall_friction, 0.0, 0.0]
            for s in settings
        ]
        self._table = np.array(table, np.float32)
        self._density = np.array([s.density for s in settings])

    # -- what the kernels see -----------------------------------------------------------------------------------------

    def law(self) -> Law:
        table, single = self._table, np.float32
        count = self.state.count
        mixed = bool((table != table[0]).any() or (count and (self._contact_weight() != 1.0).any()))
        return Law(
            single(self.stiffness.value), single(TANGENT), table[0, 1], single(self.tangent_damping), table[0, 2], table[0, 3],
            table[0, 4], bool(table[:, 3].any()), bool(table[:, 4].any()), mixed, self.centred,
        )  # fmt: skip

    def mass(self) -> np.ndarray:
        """Masses without weights [kg], float64 (n,)."""
        radius = self.state.live("radius").astype(np.float64)
        return self._density[self.state.live("body")] * (4.0 / 3.0 * math.pi) * radius**3

    def _contact_weight(self) -> np.ndarray:
        """Weights as contacts see them, float32 (n,): fixed grains are hard, whatever part of a mass they carry."""
        live = self.state.live
        return np.where(live("fixed") != 0, np.float32(1.0), live("weight"))

    def _array(self, name: str, shape: tuple[int, ...], dtype: type) -> np.ndarray:
        """Reused memory; rows beyond `shape` are spare."""
        kept = self._scratch.get(name)
        if kept is None or len(kept) < shape[0]:
            kept = np.zeros((shape[0] + shape[0] // 4, *shape[1:]), dtype)
            self._scratch[name] = kept
        return kept[: shape[0]]

    def _rows(self, law: Law) -> tuple[Rows, np.ndarray, np.ndarray]:
        """Rows filled from the state; where the grains are for the walls, float32 (n, 3); their spins (3, n)."""
        state, count = self.state, self.state.count
        place, motion = self._array("place", (count + 8, 4), np.float64), self._array("motion", (count + 8, 8), np.float32)
        place[count:], motion[count:] = 1.0, 1.0
        asked = self._array("asked", (count, 3), np.float32)
        begun = np.empty((3, count))
        mass = self.mass() * self._contact_weight()
        live = state.live
        load_rows(
            live("position"), live("velocity"), live("spin"), live("radius"), mass, live("asked"), place, motion, asked, begun
        )
        setting = self._table[:1]
        if law.mixed:
            setting = self._array("setting", (count + 8, 8), np.float32)
            setting[:count] = self._table[live("body")]
            setting[:count, 0] = self._contact_weight()
            setting[count:] = 0.0
        force = self._array("force", (self._verlet.force_rows + 8, 8), np.float32)
        return Rows(place, motion, setting, force), asked, begun

    # -- the list -----------------------------------------------------------------------------------------------------

    def unlist(self) -> None:
        """Bring the memory of contacts home to the state: the list may be forgotten, grains may come, go and change."""
        if self._listed:
            self.state.contacts = self._verlet.contacts(self._stamp)
            self._listed = False

    def _list(self, law: Law) -> None:
        """Sort the grains by cell and list their pairs."""
        self.unlist()
        state, count = self.state, self.state.count
        skin = SKIN * self.largest
        cells = make_cells(state.live("position"), 2.0 * self.largest + skin, self.owner)
        number = np.empty(count, np.int64)
        cell_numbers(state.live("position"), cells.low, 1.0 / cells.edge, cells.stride, number)
        order = np.argsort(number, kind="stable")
        if (order[1:] < order[:-1]).any():
            spare = state.spare_arrays()
            for name in state.layout:
                np.take(state.live(name), order, axis=-1, out=spare[name][..., :count])
            state.swap()
            number = number[order]
        place = np.empty((count, 4))
        place[:, :3] = state.live("position").T
        place[:, 3] = state.live("radius")
        self._verlet.build(place, number, state.live("fixed"), cells.stride, skin, order, state.contacts, law.rolls)
        self._scratch["built"] = np.ascontiguousarray(place[:, :3])
        force = self._array("force", (self._verlet.force_rows + 8, 8), np.float32)
        force[:] = 0.0
        self._listed, self._stamp, self._way = True, 0, 0.0

    def _list_lasts(self, dt: float, speed: float) -> bool:
        """Whether no pair can come together unlisted within the next `dt` [s]; bridges keep their reach."""
        bridge = 0.1 * self.largest if self._table[:, 4].any() else 0.0
        return self._listed and 2.0 * (self._way + 1.3 * dt * speed) + bridge < SKIN * self.largest

    # -- steps --------------------------------------------------------------------------------------------------------

    def fastest(self) -> float:
        """Largest speed [m/s] of the grains as the state holds them."""
        velocity = self.state.live("velocity")
        return float(np.sqrt((velocity * velocity).sum(axis=0).max(initial=0.0)))

    def stable_dt(self, wall_speed: float, gravity: float) -> float:
        """Largest step [s] between two looks at the walls."""
        speed = max(self.fastest(), wall_speed)
        reach = WAY * self.smallest
        dt = 2.0 * reach / (speed + math.sqrt(speed * speed + 4.0 * gravity * reach) + 1.0e-30)
        return max(min(dt, MOST_STEPS * self.stiffness.step), self.stiffness.step)

    def steps_in(self, dt: float) -> int:
        """Small steps that a step of dt [s] is taken in."""
        return max(1, math.ceil(dt / self.stiffness.step - 1.0e-9))

    def advance(
        self, walls: Walls, dt: float, gravity: np.ndarray, wall_speed: float, watch: Watch, ahead: float = 0.0
    ) -> None:
        """One step of length dt [s] against walls posed at its end (free ones: at its beginning), or `ahead` [s] of its end."""
        state = self.state
        if state.count == 0:
            return
        law = self.law()
        steps = self.steps_in(dt)
        speed = max(self.fastest(), 2.0 * wall_speed) + dt * float(np.linalg.norm(gravity))
        if not self._list_lasts(dt, speed):
            self._list(law)
        pairs = self._verlet.pairs
        assert pairs is not None
        rows, asked, begun = self._rows(law)
        wall_set = self._walls(walls, asked, len(pairs.count))
        grains = self._grains(pairs)
        batch, ahead_steps = max(1, _POLL // state.count), round(ahead * steps / dt)
        gx, gy, gz = (float(part) for part in gravity)
        for done in range(0, steps, batch):
            watch.poll()
            part = Steps(min(batch, steps - done), steps - done + ahead_steps, dt / steps, gx, gy, gz, self._stamp)
            run_steps(part, grains, rows, pairs, wall_set, law, self._verlet.room)
            self._stamp += part.count
        live = state.live
        bring_home(rows.place, live("spin"), begun, dt, live("position"), live("orientation"), live("age"))
        fastest = grains.fastest.max(axis=0)
        if not np.isfinite(fastest).all():
            raise TsubuError(
                f"{self.owner}: the grains became unstable (a velocity is not a number). Check for colliders that overlap or "
                "move very fast."
            )
        self.speed, self._way = float(np.sqrt(fastest[0])), float(np.sqrt(fastest[1]))

    def _grains(self, pairs: PairList) -> Grains:
        live = self.state.live
        # States that do not keep the impulses of fixed grains get them in memory that is reused.
        kept = "impulse" in self.state.layout
        impulse = live("impulse") if kept else self._array("impulse", (self.state.count, 3), np.float64).T
        return Grains(
            live("velocity"), live("spin"), live("fixed"), impulse, self._scratch["built"], np.zeros((len(pairs.count), 2)),
        )  # fmt: skip

    def _walls(self, walls: Walls, asked: np.ndarray, chunks: int) -> WallSet:
        """Planes near the grains, with the memory of their contacts carried over."""
        near = walls.near(asked)
        state = self.state
        before = state.live("wall_row")
        rows = len(near.count)
        memory = np.zeros((max(rows, 1), 3, MEMORY_COLUMNS))
        row = np.where(state.live("fixed") == 0, near.row, np.int32(-1))  # forces on fixed grains do not count
        used = np.flatnonzero(row >= 0)
        known = used[before[used] >= 0]
        memory[row[known]] = state.wall_memory[before[known]]
        before[:] = row
        state.wall_memory = memory
        work = self._array("work", (chunks, 4, 3, WORK_COLUMNS), np.float64)
        reaction = np.zeros((chunks, len(self.bodies), 6))
        return WallSet(
            before, near.plane, near.count, near.shape, near.collider, asked, memory, self.bodies, work, reaction, self.sudden
        )

    # -- what others may read -----------------------------------------------------------------------------------------

    def listed_pairs(self) -> PairList | None:
        """The list as it is; None if there is none that belongs to the state."""
        return self._verlet.pairs if self._listed else None

    def contacts(self) -> ContactForces:
        """Forces and branch vectors of all contacts between grains, for stresses. The order is that of the state."""
        self.unlist()
        state, law = self.state, self.law()
        first, second, spring = state.contacts
        both = np.stack([first, second], axis=1)
        position, velocity, spin = (state.live(name).T for name in ("position", "velocity", "spin"))
        table = self._table[state.live("body")].astype(np.float64)
        table[:, 0] = self._contact_weight()
        radius = state.live("radius").astype(np.float64)
        branch = position[first] - position[second]
        pair = Pair(
            branch, velocity[first] - velocity[second], spin[both], radius[both], (self.mass() * table[:, 0])[both],
            spring.astype(np.float64), table[both].mean(axis=1)[:, :5],
        )  # fmt: skip
        force, _ = pair_forces(pair, law, self.stiffness.step)
        share = radius[both] / radius[both].sum(axis=1, keepdims=True)
        point = position[second] + share[:, 1:] * branch
        return ContactForces(first, second, force, branch, point)
