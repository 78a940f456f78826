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
    """Whether the master slid in the step before, bool (c,): the first guess."""


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
    """Which contacts press, hold or slide, improved after every solve."""

    def __init__(self, contacts: Contacts, springs: Springs, start: np.ndarray, dt: float, part: float) -> None:
        """`start`: velocities of slaves (k, 4) about which the step is linearised; springs act where they will be after
        `part` (θ) of the step."""
        self.contacts, self.springs, self.dt, self.ahead = contacts, springs, dt, part * dt
        self._start: np.ndarray = springs.relative(start) - contacts.wall_velocity
        """Relative velocity at the start (c, 3), the wall's own taken off."""
        # gaps of walls are measured where the wall will be: only the master's own way counts
        self._drift = np.einsum("ij,ij->i", contacts.wall_velocity, contacts.normal) * dt
        self._drift = np.where(contacts.glued, 0.0, self._drift)
        reached = self._reached(self._start)
        self.presses = (reached < 0.0) | np.isinf(contacts.tension)
        self.holds = self.presses & ((contacts.friction > 0.0) | contacts.glued) & ~contacts.slid
        self._slide = np.where(contacts.slid[:, None], -contacts.stiffness[:, None] * contacts.grip, 0.0)
        self._speed, self._given = self._start, np.zeros_like(contacts.normal)
        self.force = np.zeros_like(contacts.normal)
        """Force on the first master [N], (c, 3), after `settled`."""

    def _reached(self, speed: np.ndarray) -> np.ndarray:
        """Gap at the end of the step [m], (c,)."""
        return self.contacts.gap + self._drift + self.ahead * np.einsum("ij,ij->i", speed, self.contacts.normal)

    def _drawn(self, speed: np.ndarray) -> np.ndarray:
        """Spring across the normal at the end of the step [m], (c, 3)."""
        normal = self.contacts.normal
        grip = self.contacts.grip + self.ahead * speed
        return grip - normal * np.einsum("ij,ij->i", grip, normal)[:, None]

    def prepare(self, right: np.ndarray) -> None:
        """Sets the springs of this round and adds their impulses at the start velocity to `right` (k, 4)."""
        contacts, springs = self.contacts, self.springs
        along: np.ndarray = np.where(self.presses, contacts.stiffness, 0.0)
        across: np.ndarray = np.where(self.holds, contacts.stiffness, 0.0)
        slide: np.ndarray = np.where((self.presses & ~self.holds)[:, None], self._slide, 0.0)
        springs.along, springs.across = along, across
        press = np.multiply(along, self._reached(self._start))[:, None] * contacts.normal
        force = slide - press - np.multiply(across[:, None], self._drawn(self._start))
        self._given = self.ahead * force
        springs.add_impulse(self._given, right)

    def impulse(self, change: np.ndarray) -> np.ndarray:
        """Impulse on the first master of every contact that the solution `change` (k, 4) contains [N s], (c, 3)."""
        normal, springs = self.contacts.normal, self.springs
        speed = springs.relative(change)
        along = np.einsum("ij,ij->i", speed, normal)[:, None] * normal
        bent = springs.along[:, None] * along + springs.across[:, None] * (speed - along)
        return self._given - self.ahead**2 * bent

    def settled(self, change: np.ndarray) -> bool:
        """Looks at the solution `change` (k, 4); False if a contact has to press, let go, hold or slide differently."""
        contacts = self.contacts
        speed = self._speed = self._start + self.springs.relative(change)
        reached, drawn = self._reached(speed), self._drawn(speed)
        push = -contacts.stiffness * reached
        presses = np.where(self.presses, push >= -contacts.tension, reached < 0.0)
        limit = np.where(contacts.glued, np.inf, contacts.friction * np.maximum(push, 0.0))
        hold = -contacts.stiffness[:, None] * drawn
        size = np.linalg.norm(hold, axis=1)
        holds = presses & (size <= limit) & ((contacts.friction > 0.0) | contacts.glued)
        share = np.minimum(1.0, np.where(np.isinf(limit), 1.0e300, limit) / np.maximum(size, _TINY))
        slide = hold * share[:, None]
        sliding = presses & ~holds
        changed = np.linalg.norm((slide - self._slide)[sliding], axis=1).sum()
        same = np.array_equal(presses, self.presses) and np.array_equal(holds, self.holds)
        same = same and changed <= _ENOUGH * np.linalg.norm(slide[sliding], axis=1).sum()
        self._slide = slide
        self.force = np.where(presses[:, None], push[:, None] * contacts.normal + self._slide, 0.0)
        self.presses, self.holds = presses, holds
        return bool(same)

    def memory(self, count: int) -> np.ndarray:
        """Springs across as they are now, by master, (3, count): of walls only, the first plane of each master counts."""
        contacts, result = self.contacts, np.zeros((3, count))
        kept = (contacts.second < 0) & self.presses
        which = np.flatnonzero(kept)[::-1]
        # what slides is drawn as far as friction bears; what holds, and what is glued along the normal too, moves to the end
        held = contacts.grip + self.dt * self._speed
        along = contacts.normal * np.einsum("ij,ij->i", held, contacts.normal)[:, None]
        held = np.where(contacts.glued[:, None], held, held - along)
        drawn = np.where(self.holds[:, None], held, -self._slide / contacts.stiffness[:, None])
        result[:, contacts.first[which]] = drawn[which].T
        return result
