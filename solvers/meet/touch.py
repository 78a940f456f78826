"""Free rigid bodies and particles that touch them: contact by contact.

Kinds that have no contacts of their own with free bodies lay their particles on the table. Each particle is a ball of half a
spacing; where it would enter a body within the interval, impulses stop it: contact after contact gets the impulse that makes its
relative velocity what it should be, round after round. They act on particle and body at one point with opposite sign: linear and
angular momentum are conserved to rounding. Contacts do not bounce: what the material gives back is its own elasticity.

A push that lasts is answered by more than one layer of particles: by all that an elastic wave reaches within the interval,
ρ c Δt on a unit of area. With that mass instead of its own a particle bears what rests on it; with its own, a heavy body would
sink into a jelly, stopped a little by each interval's impulses and never enough.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel
from ..mpm.contact import SLIP, STICK
from ..rigid import RigidBodies
from ..walls import Walls
from ..walls.contact import blocking_planes
from .matter import Matter

ROUNDS = 30
_ENOUGH = 1.0e-3
"""Rounds end when no impulse changes a velocity by more than this part of the fastest."""
MARGIN = 0.5
"""Particles this far beyond touching are looked at, in spacings: nobody moves farther in an interval."""
PUSH = 0.2
"""Part of an overlap that is undone in an interval."""
SLOWEST_PUSH = 2.0
"""Fastest undoing, in √(g · spacing)."""
_GLUE = 0.25
"""A body that sticks or is adhesive holds particles nearer than this, in spacings."""
_FOR_EVER = 1.0e30
ARM, NORMAL, GAP, FRICTION, HOLD, MASS = 0, 3, 6, 7, 8, 9
CONTACT_COLUMNS = 10
"""Of a contact: place from the body's centre [m], normal towards the particle, gap [m], Coulomb friction, impulse along the
normal that it bears before it lets go [N s], 1/mass of what answers, see above."""
SPEED, SPIN, INVERSE_MASS, INVERSE_INERTIA = 0, 3, 6, 7
BODY_COLUMNS = 16
"""Of a body: velocity [m/s], angular velocity [1/s], 1/mass, inverse inertia in world axes."""


@inlined
def _give(bodies, k, contact, velocity, px, py, pz):
    """An impulse on the particle of a contact, its opposite on body k."""
    velocity[0] += contact[MASS] * px
    velocity[1] += contact[MASS] * py
    velocity[2] += contact[MASS] * pz
    body = bodies[k]
    body[SPEED] -= body[INVERSE_MASS] * px
    body[SPEED + 1] -= body[INVERSE_MASS] * py
    body[SPEED + 2] -= body[INVERSE_MASS] * pz
    mx, my, mz = contact[1] * pz - contact[2] * py, contact[2] * px - contact[0] * pz, contact[0] * py - contact[1] * px
    for axis in range(3):
        at = INVERSE_INERTIA + 3 * axis
        body[SPIN + axis] -= body[at] * mx + body[at + 1] * my + body[at + 2] * mz


@inlined
def _yielding(bodies, k, contact, nx, ny, nz):
    """Relative velocity along n that a unit impulse along n gives [1/kg]."""
    body = bodies[k]
    mx, my, mz = contact[1] * nz - contact[2] * ny, contact[2] * nx - contact[0] * nz, contact[0] * ny - contact[1] * nx
    total = contact[MASS] + body[INVERSE_MASS]
    for axis in range(3):
        at = INVERSE_INERTIA + 3 * axis
        arm = mx if axis == 0 else my if axis == 1 else mz
        total += arm * (body[at] * mx + body[at + 1] * my + body[at + 2] * mz)
    return total


@kernel
def hold_apart(bodies, contact, body_of, particle_of, velocity, dt, push, fastest_push, rounds, enough, impulse):
    """Impulses (c, 3) of all contacts, in turn until they agree.

    bodies (b, BODY_COLUMNS) and velocity (n, 3) of the particles are changed; contact (c, CONTACT_COLUMNS): float64. push,
    fastest_push [m/s]: see `PUSH`. Serial: a fixed order.
    """
    along = np.zeros(len(contact))
    for _ in range(rounds):
        largest = 0.0
        for c in range(len(contact)):
            row, k, v = contact[c], body_of[c], velocity[particle_of[c]]
            body = bodies[k]
            ux = v[0] - body[SPEED] - body[SPIN + 1] * row[2] + body[SPIN + 2] * row[1]
            uy = v[1] - body[SPEED + 1] - body[SPIN + 2] * row[0] + body[SPIN] * row[2]
            uz = v[2] - body[SPEED + 2] - body[SPIN] * row[1] + body[SPIN + 1] * row[0]
            nx, ny, nz = row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]
            speed = ux * nx + uy * ny + uz * nz
            wanted = -row[GAP] / dt if row[GAP] > 0.0 else min(-push * row[GAP] / dt, fastest_push)
            if row[HOLD] > 0.0:
                wanted = min(wanted, 0.0)
            total = max(along[c] + (wanted - speed) / _yielding(bodies, k, row, nx, ny, nz), -row[HOLD])
            change = total - along[c]
            along[c] = total
            if change != 0.0:
                _give(bodies, k, row, v, change * nx, change * ny, change * nz)
                for axis in range(3):
                    impulse[c, axis] += change * row[NORMAL + axis]
            largest = max(largest, abs(change) * row[MASS])
            # Coulomb: the impulse across the normal, all of it so far, stays within the cone
            limit = row[FRICTION] * max(total + row[HOLD], 0.0)
            before = impulse[c, 0] * nx + impulse[c, 1] * ny + impulse[c, 2] * nz
            tx, ty, tz = impulse[c, 0] - before * nx, impulse[c, 1] - before * ny, impulse[c, 2] - before * nz
            speed = ux * nx + uy * ny + uz * nz
            sx, sy, sz = ux - speed * nx, uy - speed * ny, uz - speed * nz
            slip = np.sqrt(sx * sx + sy * sy + sz * sz)
            wx, wy, wz = tx, ty, tz
            if slip > 0.0:
                yielding = _yielding(bodies, k, row, sx / slip, sy / slip, sz / slip)
                wx, wy, wz = tx - sx / yielding, ty - sy / yielding, tz - sz / yielding
            size = np.sqrt(wx * wx + wy * wy + wz * wz)
            if size > limit:
                share = limit / size
                wx, wy, wz = share * wx, share * wy, share * wz
            px, py, pz = wx - tx, wy - ty, wz - tz
            if px != 0.0 or py != 0.0 or pz != 0.0:
                _give(bodies, k, row, v, px, py, pz)
                impulse[c, 0] += px
                impulse[c, 1] += py
                impulse[c, 2] += pz
                largest = max(largest, np.sqrt(px * px + py * py + pz * pz) * row[MASS])
        if largest <= enough:
            break


@kernel
def touching_planes(plane, count, shape, particle, margin, row, slot):
    """Row and slot of every plane that holds its particle nearer than `margin` [m]; returns how many."""
    found = 0
    for r in range(len(particle)):
        if particle[r] < 0:
            continue
        bits = blocking_planes(plane[r], count[r], shape[r], margin)
        for k in range(count[r]):
            if bits >> k & 1:
                row[found], slot[found] = r, k
                found += 1
    return found


class Touching(NamedTuple):
    """Contacts of one party."""

    particle: np.ndarray
    """Ascending, a particle may occur several times, int64 (c,)."""
    body: np.ndarray
    """int64 (c,)."""
    contact: np.ndarray
    """float64 (c, CONTACT_COLUMNS)."""


class Touch:
    """The free bodies of a scene, for the kinds that meet them particle by particle."""

    def __init__(self, bodies: RigidBodies, walls: Walls, gravity: np.ndarray) -> None:
        """`walls`: of the free colliders alone, in the order of the bodies."""
        self.bodies, self.walls = bodies, walls
        self._gravity = float(np.linalg.norm(gravity))
        self._rules = np.array([{"slip": SLIP, "stick": STICK}.get(name, -1) for name in walls.contacts], np.int64)

    def push(self, parties: list[Matter], dt: float) -> None:
        """Impulses between the bodies and all parties over an interval of dt [s]."""
        for k in range(len(self.bodies)):
            self.bodies.place_one(k, self.walls, k)
        each = [self._find(matter, dt) for matter in parties]
        count = sum(len(found.particle) for found in each)
        if count == 0:
            return
        rows = self._rows()
        contact = np.concatenate([found.contact for found in each])
        both = list(zip(parties, (np.unique(found.particle, return_inverse=True) for found in each), strict=True))
        before = np.concatenate([matter.velocity[:, touched].T for matter, (touched, _) in both]).astype(np.float64)
        first = np.cumsum([0, *(len(touched) for _, (touched, _) in both)])
        particle = np.concatenate([begin + inverse.reshape(-1) for begin, (_, (_, inverse)) in zip(first, both, strict=False)])
        velocity, impulse = before.copy(), np.zeros((count, 3))
        mass = np.concatenate([matter.mass[found.particle] for matter, found in zip(parties, each, strict=True)])
        spacing = min(matter.spacing for matter in parties)
        fastest = SLOWEST_PUSH * np.sqrt(self._gravity * spacing)
        enough = _ENOUGH * max(float(np.abs(velocity).max()), float(np.abs(rows[:, :3]).max()), dt * self._gravity, 1.0e-12)
        body = np.concatenate([found.body for found in each])
        hold_apart(rows, contact, body, particle, velocity, dt, PUSH, fastest, ROUNDS, enough, impulse)
        gained = np.stack([np.bincount(particle, part / mass, first[-1]) for part in impulse.T])
        for begin, (matter, (touched, _)) in zip(first, both, strict=False):
            matter.velocity[:, touched] += gained[:, begin : begin + len(touched)].astype(matter.velocity.dtype)
        moment = np.cross(contact[:, ARM : ARM + 3], impulse)
        for k in range(len(self.bodies)):
            self.bodies.push(k, -impulse[body == k].sum(axis=0), -moment[body == k].sum(axis=0))

    def _rows(self) -> np.ndarray:
        rows = np.zeros((len(self.bodies), BODY_COLUMNS))
        for k, (row, shape) in enumerate(zip(rows, self.bodies.shapes, strict=True)):
            row[SPEED : SPEED + 3], row[SPIN : SPIN + 3] = self.bodies.state[k, 7:10], self.bodies.spin(k)
            row[INVERSE_MASS] = 1.0 / shape.mass
            if not shape.driven:
                row[INVERSE_INERTIA:] = self.bodies.inverse_inertia(k).ravel()
        return rows

    def _find(self, matter: Matter, dt: float) -> Touching:
        """Who touches which body, or will within dt [s]."""
        margin = (0.5 + MARGIN) * matter.spacing
        near = np.zeros(matter.count, bool)
        for k, shape in enumerate(self.bodies.shapes):
            away = matter.position - self.bodies.state[k, 0:3, None]
            near |= (np.abs(away) < shape.arm + margin).all(axis=0)
        chosen = np.flatnonzero(near)
        if len(chosen) == 0:
            return Touching(chosen, chosen, np.empty((0, CONTACT_COLUMNS)))
        planes = self.walls.near(np.ascontiguousarray(matter.position[:, chosen].T, np.float32))
        row, slot = np.empty(3 * len(planes.count), np.int64), np.empty(3 * len(planes.count), np.int64)
        count = touching_planes(planes.plane, planes.count, planes.shape, planes.particle, np.float32(margin), row, slot)
        row, slot = row[:count], slot[:count]
        order = np.argsort(planes.particle[row], kind="stable")
        row, slot = row[order], slot[order]
        plane, body = planes.plane[row, slot].astype(np.float64), planes.collider[row, slot].astype(np.int64)
        particle = chosen[planes.particle[row]]
        rule, adhesion = self._rules[body], self.walls.setting("adhesion")[body].astype(np.float64)
        contact = np.zeros((count, CONTACT_COLUMNS))
        contact[:, ARM : ARM + 3] = matter.position[:, particle].T - self.bodies.state[body, 0:3]
        contact[:, NORMAL : NORMAL + 3] = plane[:, :3] / np.maximum(np.linalg.norm(plane[:, :3], axis=1), 1.0e-30)[:, None]
        contact[:, GAP] = plane[:, 3] - 0.5 * matter.spacing
        held = contact[:, GAP] < _GLUE * matter.spacing
        contact[:, FRICTION] = np.where((rule == STICK) & held, _FOR_EVER, np.where(rule == SLIP, 0.0, plane[:, 7]))
        hold = np.where(rule == -1, adhesion * matter.spacing**2 * dt, _FOR_EVER)
        contact[:, HOLD] = np.where(held, hold, 0.0)
        contact[:, MASS] = 1.0 / (matter.mass[particle] * max(1.0, matter.sound * dt / matter.spacing))
        return Touching(particle, body, contact)
