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
from .solve import Solver, blocks, empty_system, pull
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
        self, links: Links, row: np.ndarray, back: np.ndarray, mass: np.ndarray, before: np.ndarray, stress: np.ndarray,
        curve: np.ndarray, walls: Walls, dt: float, watch: Watch,
    ) -> np.ndarray:  # fmt: skip
        """Velocities of slaves after the part θ of the step, float64 (k, 4): x⁺ = x + Δt v_θ, v⁺ = v + (v_θ − v)/θ.

        θ = 1 is backward Euler, θ = ½ the implicit midpoint rule, which loses no energy; (14) with β Δt² = (θ Δt)².
        """
        state, bodies, slaves, array = self.state, self.bodies, len(mass), self._room.array
        ahead = bodies.implicitness * dt
        square = ahead * ahead
        system = empty_system(links, row, back, curve, mass)
        start = array("start", (slaves, 4))
        start[...] = before
        start[:, :3] += ahead * self.gravity
        right, force = array("right", (slaves, 4), np.float32), array("force", (slaves, 4), np.float32)
        # −(θ Δt)² H v at the start velocity; what all slaves have in common bends nothing and is taken off first
        common = start.mean(axis=0)
        vector = (start - common).astype(np.float32)
        self._solver.multiply(system._replace(mass=np.zeros(slaves)), None, -square, vector, right)
        pull(
            links.back_start, links.back_master, back, stress, np.zeros(slaves), np.float32(-ahead), vector, force, system.parts
        )  # (10)
        right += force
        contacts = self._contacts(walls, dt)
        self.contact_count = len(contacts.first)
        change = array("change", (slaves, 4), np.float32)
        change[...] = 0.0
        body, volumes = state.live("body"), state.live("volume")
        mu, lam = bodies.table[body, law.MU] * volumes, bodies.table[body, law.LAMBDA] * volumes
        speed = max(float(np.abs(start).max()), dt * float(np.linalg.norm(self.gravity)), 1.0e-9)
        inverse = array("inverse", (slaves, 6), np.float32)
        springs, pressing = None, None
        if len(contacts.first):
            both = np.concatenate([contacts.first, contacts.second[contacts.second >= 0]])
            springs = Springs(touch(both, links, row), links, row, contacts.first, contacts.second, contacts.normal, square)
            pressing = Pressing(contacts, springs, start, dt, bodies.implicitness)
        self.iterations = 0
        for _ in range(ROUNDS):
            whole = right.copy()
            own = np.zeros((slaves, 6))
            if pressing is not None and springs is not None:
                pressing.prepare(whole)
                springs.add_blocks(own)
            blocks(links.back_start, links.back_master, back, mu, lam, mass, square, own, inverse)
            self.iterations += self._solver.solve(
                system, springs, square, inverse, whole, change, _TOLERANCE * speed, _MOST_ITERATIONS
            )
            self._keep_momentum(mass, change, pressing)
            watch.poll()
            if pressing is None or pressing.settled(change):
                break
        self._remember(pressing)
        result = array("result", (slaves, 4))
        np.add(start, change, out=result)
        return result

    def _contacts(self, walls: Walls, dt: float) -> Contacts:
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
            bodies.contact_stiffness, bodies.friction, state.live("id"), state.touching,
        )  # fmt: skip
        return joined(found, pairs)

    def _keep_momentum(self, mass: np.ndarray, change: np.ndarray, pressing: Pressing | None) -> None:
        """Gives each body exactly the momentum that its contacts gave it: internal forces move no centre of mass, whatever the
        solver's tolerance."""
        count = len(self.bodies.settings)
        own, body = self.state.slaves.live("body"), self.state.live("body")
        owed = np.stack([-np.bincount(own, mass * change[:, axis], count) for axis in range(3)], axis=1)
        if pressing is not None:
            contacts, impulse = pressing.contacts, pressing.impulse(change)
            np.add.at(owed, body[contacts.first], impulse)
            paired = contacts.second >= 0
            np.add.at(owed, body[contacts.second[paired]], -impulse[paired])
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
