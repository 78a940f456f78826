"""Steps 4 and 5: the velocities of the slaves after a step, with whatever the masters touch in it."""

import numpy as np

from ..mpm.contact import CONTACTS
from ..walls import NearWalls, Walls
from ..watch import Watch
from . import law
from .bodies import Bodies
from .contact import ROUNDS, SLID, Contacts, Pressing, WallRules, joined, no_contacts, wall_contacts
from .exchange import Room
from .links import Links
from .pairs import PairSearch, remember
from .solve import Solver, System, blocks, pull
from .springs import Springs, touch
from .state import SolidState

_TOLERANCE = 1.0e-3
"""Residual of the velocities at which the solver is satisfied, relative to the fastest speed in the scene."""
_MOST_ITERATIONS = 400


class Push:
    """The implicit velocity and the contacts of a solver."""

    def __init__(self, state: SolidState, bodies: Bodies, gravity: np.ndarray, room: Room) -> None:
        """Gravity (3,) [m/s²]."""
        self.state, self.bodies, self.gravity, self._room = state, bodies, gravity, room
        self.pairs = PairSearch(bodies.spacing)
        self._solver = Solver()
        self.near: NearWalls
        """Walls near the masters, posed at the end of the step."""
        self.iterations = 0
        """Iterations of conjugate gradients in the last step."""
        self.contact_count = 0
        self.wall_forces: dict[int, np.ndarray] = {}
        """Force [N] (3,) of each collider that touched something in the last step, by its number."""

    def solve(
        self, system: System, before: np.ndarray, lag: np.ndarray, given: np.ndarray | None, stress: np.ndarray, walls: Walls,
        dt: float, watch: Watch,
    ) -> np.ndarray:  # fmt: skip
        """Velocities of slaves after the part θ of the step, float64 (k, 4): x⁺ = x + Δt v_θ, v⁺ = v + (v_θ − v)/θ.

        θ = 1 is backward Euler, θ = ½ the implicit midpoint rule, which loses no energy; (14) with β Δt² = (θ Δt)². Velocities
        `before` (k, 4) take up the impulses `given` (k, 4) by other kinds [N s]. Stress and its derivative belong to bodies
        turned by half a step; `lag` (k, 4): `Exchange.turned`.
        """
        links, row, back, mass = system.links, system.row, system.back, system.mass
        bodies, slaves, array = self.bodies, len(mass), self._room.array
        if given is not None:
            self._take(system, given, before)
        ahead = bodies.implicitness * dt
        square = ahead * ahead
        start = array("start", (slaves, 4))
        start[...] = before
        start[:, :3] += ahead * self.gravity
        right, force = array("right", (slaves, 4), np.float32), array("force", (slaves, 4), np.float32)
        # −(θ Δt)² H v at the start velocity; what all slaves have in common bends nothing and is taken off first
        vector = start + lag
        vector = (vector - vector.mean(axis=0)).astype(np.float32)
        weightless = system._replace(mass=np.zeros(slaves), spread=np.zeros_like(system.spread))
        self._solver.multiply(weightless, None, -square, vector, right)
        pull(
            links.back_start, links.back_master, back, stress, np.zeros(slaves), np.float32(-ahead), vector, force, system.parts
        )  # (10)
        right += force
        contacts = self._contacts(walls, dt, links)
        self.contact_count = len(contacts.first)
        change = array("change", (slaves, 4), np.float32)
        change[...] = 0.0
        speed = max(float(np.abs(start).max()), dt * float(np.linalg.norm(self.gravity)), 1.0e-9)
        inverse = array("inverse", (slaves, 6), np.float32)
        springs, pressing = None, None
        if len(contacts.first):
            both = np.concatenate([contacts.first, contacts.second[contacts.second >= 0]])
            springs = Springs(touch(both, links, row), links, row, contacts.first, contacts.second, contacts.normal, ahead * dt)
            pressing = Pressing(contacts, springs, start, dt, bodies.implicitness)
        self.iterations = 0
        for _ in range(ROUNDS):
            whole = right.copy()
            own = np.zeros((slaves, 6))
            if pressing is not None and springs is not None:
                pressing.prepare(whole)
                springs.add_blocks(own)
            self._blocks(system, square, own, inverse)
            self.iterations += self._solver.solve(
                system, springs, square, inverse, whole, change, _TOLERANCE * speed, _MOST_ITERATIONS
            )
            self._keep_momentum(mass, change, self._impulse(pressing, change))
            watch.poll()
            if pressing is None or pressing.settled(change):
                break
        self._remember(pressing)
        result = array("result", (slaves, 4))
        np.add(start, change, out=result)
        return result

    def _contacts(self, walls: Walls, dt: float, links: Links) -> Contacts:
        """Step 5: who touches a wall or another body."""
        state, bodies = self.state, self.bodies
        position = np.ascontiguousarray(state.live("position").T, np.float32)
        # about where they were a step earlier: what has just come through a sheet is pushed back
        earlier = (state.live("position") - dt * state.live("velocity")).T.astype(np.float32)
        self.near = walls.near(position, earlier)
        found = no_contacts()
        if len(self.near.particle):
            stiffness = bodies.contact_stiffness[state.live("body")]
            rules = WallRules(np.array([CONTACTS[name] for name in walls.contacts], np.int64), walls.setting("adhesion"))
            found = wall_contacts(self.near, rules, bodies.spacing, stiffness, state.live("grip"), state.live("held"))
        if len(bodies.settings) == 1 and not bodies.remembers.any():
            return found
        pairs = self.pairs.find(
            state.live("position"), state.live("anchor"), state.live("rest"), state.live("body"), bodies.remembers,
            bodies.contact_stiffness, bodies.friction, state.live("id"), state.touching, state.live("elastic"), links,
        )  # fmt: skip
        return joined(found, pairs)

    def _blocks(self, system: System, square: float, springs: np.ndarray, inverse: np.ndarray) -> None:
        """The preconditioner; `square`: (θ Δt)² [s²], `springs` (k, 6)."""
        body, volumes, table, links = self.state.live("body"), self.state.live("volume"), self.bodies.table, system.links
        mu, lam = table[body, law.MU] * volumes, table[body, law.LAMBDA] * volumes
        blocks(links.back_start, links.back_master, system.back, mu, lam, system.mass, system.spread, square, springs, inverse)

    def _take(self, system: System, given: np.ndarray, before: np.ndarray) -> None:
        """`before` (k, 4) += M⁻¹ `given` (k, 4)."""
        slaves = len(given)
        change, inverse = np.zeros((slaves, 4), np.float32), np.zeros((slaves, 6), np.float32)
        self._blocks(system, 0.0, np.zeros((slaves, 6)), inverse)
        fastest = float(np.abs(given[:, :3] / np.maximum(system.mass, 1.0e-30)[:, None]).max())
        self._solver.solve(system, None, 0.0, inverse, given, change, _TOLERANCE * fastest, _MOST_ITERATIONS)
        count, own = len(self.bodies.settings), self.state.slaves.live("body")
        total = np.stack([np.bincount(own, given[:, axis], count) for axis in range(3)], axis=1)
        self._keep_momentum(system.mass, change, total)
        before += change
        # the masters' own share of it (8) is in their slaves now
        state, whole = self.state, self.bodies.remembers[self.state.live("body")]
        state.live("velocity")[:, whole] = state.live("told")[:, whole]

    def _impulse(self, pressing: Pressing | None, change: np.ndarray) -> np.ndarray:
        """What the contacts give each body [N s], (bodies, 3)."""
        body, total = self.state.live("body"), np.zeros((len(self.bodies.settings), 3))
        if pressing is not None:
            contacts, impulse = pressing.contacts, pressing.impulse(change)
            np.add.at(total, body[contacts.first], impulse)
            paired = contacts.second >= 0
            np.add.at(total, body[contacts.second[paired]], -impulse[paired])
        return total

    def _keep_momentum(self, mass: np.ndarray, change: np.ndarray, impulse: np.ndarray) -> None:
        """Gives each body exactly the momentum `impulse` (bodies, 3) that it received: internal forces move no centre of mass,
        whatever the solver's tolerance."""
        count, own = len(self.bodies.settings), self.state.slaves.live("body")
        owed = impulse - np.stack([np.bincount(own, mass * change[:, axis], count) for axis in range(3)], axis=1)
        change[:, :3] += (owed / np.maximum(np.bincount(own, mass, count), 1.0e-30)[:, None])[own]

    def _remember(self, pressing: Pressing | None) -> None:
        """What the next step has to know of this one's contacts: how far springs are drawn, and who is glued."""
        state = self.state
        self.wall_forces = {}
        grip, held = state.live("grip"), np.zeros(state.count, np.int32)
        grip[...] = 0.0
        if pressing is None:
            state.touching.keep(np.zeros(state.touching.count, bool))
        else:
            contacts, drawn, slides = pressing.contacts, pressing.memory(), pressing.slides
            walled = contacts.collider >= 0
            # of several planes the first one's spring is kept
            which = np.flatnonzero(walled & pressing.presses)[::-1]
            grip[:, contacts.first[which]] = drawn[which].T
            held[contacts.first[slides & walled]] = SLID
            held[contacts.first[contacts.glued]] = 1 + contacts.collider[contacts.glued]
            remember(state.touching, state.live("id"), contacts, drawn, pressing.presses, slides)
            for number in np.unique(contacts.collider[walled]):
                self.wall_forces[int(number)] = pressing.force[contacts.collider == number].sum(axis=0)
        state.live("held")[...] = held
