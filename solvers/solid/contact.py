"""Contacts of masters with walls and with masters of other bodies: springs that press, hold and slide.

A master is a ball of half a spacing. Where it meets a wall or a ball that is not its own flesh, a spring as stiff as half a
spacing
of the material acts at the end of the step: f = −k (gap + Δt v·n), inside the implicit solve, so that a body of any stiffness
is stopped by all of its mass. Slaves feel it through the shares N of their masters: their velocity is corrected, their place
is not (step 5 of the paper). Across the normal a second spring with a memory holds until Coulomb's limit, then slides.
"""

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..mpm.contact import SLIP, STICK
from ..walls import NearWalls
from ..walls.contact import blocking_planes
from .springs import Springs

ROUNDS = 3
"""Solves in a step at most: which contacts press and which slide is found by trying."""
_GLUE = 0.1
"""A master sticks to a wall that sticks when nearer than this, in spacings."""
_MARGIN = 0.5
"""Walls this far from a master's ball, in spacings, may be reached within a step."""
_TINY = 1.0e-30
SLID = -1
"""What `held` says of a master that slid along a wall."""
_SLIDING = 0.2
"""Part of its holding force that friction bears below which a contact that begins to press is taken to slide."""
_ENOUGH = 0.1
"""A force of sliding that changes by less than this part is good enough."""


class Contacts(NamedTuple):
    """What touches what. c contacts."""

    first: np.ndarray
    """Master, int64 (c,)."""
    second: np.ndarray
    """Other master or -1 for a wall, int64 (c,)."""
    normal: np.ndarray
    """Towards the first master, float64 (c, 3)."""
    gap: np.ndarray
    """Between the surfaces, measured against the wall at the end of the step [m], (c,)."""
    wall_velocity: np.ndarray
    """(c, 3) [m/s]."""
    friction: np.ndarray
    """(c,)."""
    tension: np.ndarray
    """Pull that the contact bears before it lets go [N], (c,); infinite where it never does."""
    glued: np.ndarray
    """Whether it holds across the normal whatever the force, bool (c,)."""
    grip: np.ndarray
    """How far the spring across the normal (of glued contacts: the whole spring) is drawn [m], (c, 3)."""
    stiffness: np.ndarray
    """[N/m], (c,)."""
    collider: np.ndarray
    """Number of the wall's collider or -1, int64 (c,)."""
    slid: np.ndarray
    """Whether it slid in the step before, bool (c,): the first guess."""


def no_contacts() -> Contacts:
    none, vectors = np.empty(0), np.empty((0, 3))
    whole = np.empty(0, np.int64)
    return Contacts(whole, whole, vectors, none, vectors, none, none, np.empty(0, bool), vectors, none, whole, np.empty(0, bool))


@kernel
def _planes_in_reach(particle, plane, count, shape, margin, row, slot):
    """Row and slot of every plane that may hold its master; returns how many."""
    found = 0
    for r in range(len(particle)):
        if particle[r] < 0 or count[r] == 0:
            continue
        bits = blocking_planes(plane[r], count[r], shape[r], margin)
        for k in range(count[r]):
            if bits >> k & 1:
                row[found], slot[found] = r, k
                found += 1
    return found


class WallRules(NamedTuple):
    """Settings of the colliders."""

    rule: np.ndarray
    """SEPARATE, SLIP or STICK of each collider, int (colliders,)."""
    adhesion: np.ndarray
    """[Pa], (colliders,)."""


def wall_contacts(
    near: NearWalls, rules: WallRules, spacing: float, stiffness: np.ndarray, grip: np.ndarray, held: np.ndarray
) -> Contacts:
    """Contacts with walls. `stiffness` (n,), `grip` (3, n) and `held` (n,) of the masters: collider + 1 they are glued to."""
    row, slot = np.empty(3 * len(near.particle), np.int64), np.empty(3 * len(near.particle), np.int64)
    margin = np.float32((0.5 + _MARGIN) * spacing)
    found = _planes_in_reach(near.particle, near.plane, near.count, near.shape, margin, row, slot)
    row, slot = row[:found], slot[:found]
    plane = near.plane[row, slot].astype(np.float64)
    master, collider = near.particle[row].astype(np.int64), near.collider[row, slot]
    normal = plane[:, :3] / np.maximum(np.linalg.norm(plane[:, :3], axis=1), _TINY)[:, None]
    gap = plane[:, 3] - 0.5 * spacing
    rule = rules.rule[collider] if len(rules.rule) else np.zeros(0, int)
    sticks = rule == STICK
    was = held[master] == collider + 1
    glued = sticks & (was | (gap < _GLUE * spacing))
    memory = grip.T[master]
    memory = np.where((glued & was)[:, None], memory, np.where(glued[:, None], 0.0, memory))
    across = memory - normal * np.einsum("ij,ij->i", memory, normal)[:, None]
    tension = np.where(glued | (rule == SLIP), np.inf, rules.adhesion[collider] * spacing**2 if len(rules.rule) else 0.0)
    return Contacts(
        master, np.full(found, -1, np.int64), normal,
        np.where(glued, np.einsum("ij,ij->i", memory, normal), gap),
        plane[:, 4:7], np.where(rule == SLIP, 0.0, plane[:, 7]), tension, glued,
        np.where(glued[:, None], memory, across), stiffness[master], collider.astype(np.int64),
        held[master] == SLID,
    )  # fmt: skip


def joined(one: Contacts, other: Contacts) -> Contacts:
    return Contacts(*(np.concatenate([a, b]) for a, b in zip(one, other, strict=True)))


class Pressing:
    """Which contacts press, hold or slide, improved after every solve.

    A contact that slides is a weaker spring: as much of its stiffness as makes the force of the spring, drawn as the last
    solution has it, Coulomb's limit. The force stays opposed to the motion *within* the solve. Given as a force of fixed size it
    would turn round from one round to the next wherever k (θ Δt)² exceeds the mass, and what should lie still would tremble.
    """

    def __init__(self, contacts: Contacts, springs: Springs, start: np.ndarray, dt: float, part: float) -> None:
        """`start`: velocities of slaves (k, 4) about which the step is linearised; `part`: θ. Whatever θ, springs act where they
        will be at the end of the step: at a part of it they would give back more than they had taken while they closed, and what
        falls would bounce higher than it came from."""
        self.contacts, self.springs, self.dt, self.ahead = contacts, springs, dt, part * dt
        self._start: np.ndarray = springs.relative(start) - contacts.wall_velocity
        """Relative velocity at the start (c, 3), the wall's own taken off."""
        # gaps of walls are measured where the wall will be: only the master's own way counts
        self._drift = np.einsum("ij,ij->i", contacts.wall_velocity, contacts.normal) * dt
        self._drift = np.where(contacts.glued, 0.0, self._drift)
        reached = self._reached(self._start)
        self.presses = (reached < 0.0) | np.isinf(contacts.tension)
        self._rubs = (contacts.friction > 0.0) | contacts.glued
        length = np.linalg.norm(self._drawn(self._start), axis=1)
        before = np.minimum(1.0, np.linalg.norm(contacts.grip, axis=1) / np.maximum(length, _TINY))
        self._share = np.where(self._rubs, np.where(contacts.slid, before, 1.0), 0.0)
        """Part of the stiffness that acts across, (c,): 1 where it holds, less where it slides."""
        self._speed, self._given = self._start, np.zeros_like(contacts.normal)
        self.force = np.zeros_like(contacts.normal)
        """Force on the first master [N], (c, 3), after `settled`."""

    @property
    def slides(self) -> np.ndarray:
        """Contacts that press and slide, bool (c,)."""
        return self.presses & (self._share < 1.0)

    def _reached(self, speed: np.ndarray) -> np.ndarray:
        """Gap at the end of the step [m], (c,)."""
        return self.contacts.gap + self._drift + self.dt * np.einsum("ij,ij->i", speed, self.contacts.normal)

    def _drawn(self, speed: np.ndarray) -> np.ndarray:
        """Spring across the normal at the end of the step [m], (c, 3)."""
        normal = self.contacts.normal
        grip = self.contacts.grip + self.dt * speed
        return grip - normal * np.einsum("ij,ij->i", grip, normal)[:, None]

    def prepare(self, right: np.ndarray) -> None:
        """Sets the springs of this round and adds their impulses at the start velocity to `right` (k, 4)."""
        contacts, springs = self.contacts, self.springs
        springs.along = np.where(self.presses, contacts.stiffness, 0.0)
        springs.across = np.where(self.presses, contacts.stiffness * self._share, 0.0)
        press = (springs.along * self._reached(self._start))[:, None] * contacts.normal
        self._given = -self.ahead * (press + springs.across[:, None] * self._drawn(self._start))
        springs.add_impulse(self._given, right)

    def impulse(self, change: np.ndarray) -> np.ndarray:
        """Impulse on the first master of every contact that the solution `change` (k, 4) contains [N s], (c, 3)."""
        normal, springs = self.contacts.normal, self.springs
        speed = springs.relative(change)
        along = np.einsum("ij,ij->i", speed, normal)[:, None] * normal
        bent = springs.along[:, None] * along + springs.across[:, None] * (speed - along)
        return self._given - self.ahead * self.dt * bent

    def settled(self, change: np.ndarray) -> bool:
        """Looks at the solution `change` (k, 4); False if a contact has to press, let go, hold or slide differently."""
        contacts = self.contacts
        speed = self._speed = self._start + self.springs.relative(change)
        push = -contacts.stiffness * self._reached(speed)
        presses = np.where(self.presses, push >= -contacts.tension, push > 0.0)
        limit = np.where(contacts.glued, np.inf, contacts.friction * np.maximum(push, 0.0))
        drawn = self._drawn(speed)
        hold = contacts.stiffness * np.linalg.norm(drawn, axis=1)
        share = np.where(self._rubs, np.where(hold > limit, limit / np.maximum(hold, _TINY), 1.0), 0.0)
        both = self.presses & presses
        changed = (np.abs(share - self._share) * hold)[both].sum()
        same = np.array_equal(presses, self.presses) and changed <= _ENOUGH * (share * hold)[both].sum()
        # what has just begun to press is tried as holding; not between bodies where it is far from it: there pairs change all the
        # time, and each new one would stop what slides
        holds = (share > _SLIDING) | (contacts.second < 0)
        self._share = np.where(presses & ~self.presses & self._rubs & holds, 1.0, share)
        across = (contacts.stiffness * self._share)[:, None] * drawn
        self.force = np.where(presses[:, None], push[:, None] * contacts.normal - across, 0.0)
        self.presses = presses
        return bool(same)

    def memory(self) -> np.ndarray:
        """Springs across as they are now [m], (c, 3): what slides is drawn as far as friction bears, what holds, and what is
        glued along the normal too, moves to the end of the step."""
        contacts = self.contacts
        held = contacts.grip + self.dt * self._speed
        along = contacts.normal * np.einsum("ij,ij->i", held, contacts.normal)[:, None]
        held = np.where(contacts.glued[:, None], held, held - along)
        return np.where((self._share < 1.0)[:, None], self._share[:, None] * self._drawn(self._speed), held)
