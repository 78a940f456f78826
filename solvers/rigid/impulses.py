"""Impulses that keep rigid bodies apart, with friction and bounce.

Sequential impulses: contact after contact gets the impulse that makes its relative velocity what it should be, round after
round; normal impulses only push, friction stays within Coulomb's cone. Every impulse acts on both bodies at one point, so that
linear and angular momentum of two free bodies are conserved to round-off.

Velocities are those at the beginning of a step in which gravity still acts: what is constrained is the mean velocity over the
step, so that a body at rest stays exactly where it is.
"""

import numpy as np

from ..jit import inlined, kernel

POINT, NORMAL, GAP, FRICTION, BOUNCE, OTHER = 0, 3, 6, 7, 8, 9
CONTACT_COLUMNS = 12
"""Columns of a contact: place [m], normal towards the first body, gap [m] (negative: depth), Coulomb friction, restitution,
velocity of the second surface there if it is not free [m/s]."""
PLACE, SPEED, SPIN, INVERSE_MASS, INVERSE_INERTIA = 0, 3, 6, 9, 10
BODY_COLUMNS = 19
"""Columns of a body: centre of mass [m], velocity [m/s], angular velocity [1/s], 1/mass, inverse inertia in world axes."""
ROUNDS = 60


@inlined
def _velocity(bodies, k, contact, axis, mean):
    """Component of the velocity of body k's material at a contact; of the prescribed surface if k < 0."""
    if k < 0:
        return contact[OTHER + axis]
    one, two = (axis + 1) % 3, (axis + 2) % 3
    r1 = contact[POINT + one] - bodies[k, PLACE + one]
    r2 = contact[POINT + two] - bodies[k, PLACE + two]
    return bodies[k, SPEED + axis] + bodies[k, SPIN + one] * r2 - bodies[k, SPIN + two] * r1 + mean[axis]


@inlined
def _push(bodies, k, contact, px, py, pz):
    """Apply an impulse [N s] at a contact to body k."""
    if k < 0:
        return
    body = bodies[k]
    body[SPEED] += body[INVERSE_MASS] * px
    body[SPEED + 1] += body[INVERSE_MASS] * py
    body[SPEED + 2] += body[INVERSE_MASS] * pz
    rx, ry, rz = contact[0] - body[0], contact[1] - body[1], contact[2] - body[2]
    mx, my, mz = ry * pz - rz * py, rz * px - rx * pz, rx * py - ry * px
    for axis in range(3):
        at = INVERSE_INERTIA + 3 * axis
        body[SPIN + axis] += body[at] * mx + body[at + 1] * my + body[at + 2] * mz


@inlined
def _yielding(bodies, k, contact, nx, ny, nz):
    """Velocity along n at a contact that a unit impulse along n gives body k [1/kg]."""
    if k < 0:
        return 0.0
    body = bodies[k]
    rx, ry, rz = contact[0] - body[0], contact[1] - body[1], contact[2] - body[2]
    mx, my, mz = ry * nz - rz * ny, rz * nx - rx * nz, rx * ny - ry * nx
    total = body[INVERSE_MASS]
    for axis in range(3):
        at = INVERSE_INERTIA + 3 * axis
        arm = mx if axis == 0 else my if axis == 1 else mz
        total += arm * (body[at] * mx + body[at + 1] * my + body[at + 2] * mz)
    return total


@inlined
def _relative(bodies, pair, contact, mean):
    a, b = pair[0], pair[1]
    ux = _velocity(bodies, a, contact, 0, mean) - _velocity(bodies, b, contact, 0, mean)
    uy = _velocity(bodies, a, contact, 1, mean) - _velocity(bodies, b, contact, 1, mean)
    uz = _velocity(bodies, a, contact, 2, mean) - _velocity(bodies, b, contact, 2, mean)
    return ux, uy, uz


@inlined
def _along(contact, ux, uy, uz):
    return ux * contact[NORMAL] + uy * contact[NORMAL + 1] + uz * contact[NORMAL + 2]


@kernel
def hold_apart(bodies, pairs, contacts, mean, dt, resting, impulse):
    """Change velocities and spins of `bodies` (k, BODY_COLUMNS) so that no contact closes within a step of `dt` [s].

    pairs int64 (m, 2): bodies that meet, -1 for what is not free. mean (3,): what gravity adds to a body's mean velocity over the
    step [m/s]. Approaches slower than `resting` [m/s] do not bounce. impulse (m, 4): the result [N s], normal first.
    """
    nothing = np.zeros(3)
    wanted = np.empty(len(pairs))
    for c in range(len(pairs)):
        contact = contacts[c]
        approach = -_along(contact, *_relative(bodies, pairs[c], contact, nothing))
        drift = _along(contact, *_relative(bodies, pairs[c], contact, mean)) + approach
        # On the velocity at the beginning of the step: mean velocity ≥ −gap/dt, and after a hit e times the approach.
        wanted[c] = -max(contact[GAP], 0.0) / dt - drift
        if approach > resting and contact[GAP] < approach * dt:
            wanted[c] = max(wanted[c], contact[BOUNCE] * approach)
    for c in range(len(pairs)):
        for part in range(4):
            impulse[c, part] = 0.0
    for turn in range(ROUNDS):
        for place in range(len(pairs)):
            # There and back: a blow runs through a stack in both directions.
            c = place if turn % 2 == 0 else len(pairs) - 1 - place
            contact, a, b = contacts[c], pairs[c, 0], pairs[c, 1]
            nx, ny, nz = contact[NORMAL], contact[NORMAL + 1], contact[NORMAL + 2]
            give = _yielding(bodies, a, contact, nx, ny, nz) + _yielding(bodies, b, contact, nx, ny, nz)
            if give <= 0.0:
                continue
            lack = wanted[c] - _along(contact, *_relative(bodies, pairs[c], contact, nothing))
            after = max(impulse[c, 0] + lack / give, 0.0)
            push = after - impulse[c, 0]
            impulse[c, 0] = after
            _push(bodies, a, contact, push * nx, push * ny, push * nz)
            _push(bodies, b, contact, -push * nx, -push * ny, -push * nz)
            _rub(bodies, pairs[c], contact, mean, impulse[c])


@kernel
def _rub(bodies, pair, contact, mean, impulse):
    """Friction of one contact: no sliding as long as the impulse stays within the cone."""
    ux, uy, uz = _relative(bodies, pair, contact, mean)
    along = _along(contact, ux, uy, uz)
    ux, uy, uz = ux - along * contact[NORMAL], uy - along * contact[NORMAL + 1], uz - along * contact[NORMAL + 2]
    slide = np.sqrt(ux * ux + uy * uy + uz * uz)
    tx, ty, tz = impulse[1], impulse[2], impulse[3]
    if slide > 0.0:
        sx, sy, sz = ux / slide, uy / slide, uz / slide
        give = _yielding(bodies, pair[0], contact, sx, sy, sz) + _yielding(bodies, pair[1], contact, sx, sy, sz)
        if give > 0.0:
            tx, ty, tz = tx - slide / give * sx, ty - slide / give * sy, tz - slide / give * sz
    size, most = np.sqrt(tx * tx + ty * ty + tz * tz), contact[FRICTION] * impulse[0]
    if size > most:
        share = most / size
        tx, ty, tz = share * tx, share * ty, share * tz
    px, py, pz = tx - impulse[1], ty - impulse[2], tz - impulse[3]
    impulse[1], impulse[2], impulse[3] = tx, ty, tz
    _push(bodies, pair[0], contact, px, py, pz)
    _push(bodies, pair[1], contact, -px, -py, -pz)


@kernel
def push_apart(bodies, pairs, contacts, share, most, pushed):
    """Ways [m] and turns [rad] that undo `share` of every depth, `most` [m] at most, in the columns SPEED and SPIN.

    They change no velocity: overlap is undone without throwing anything. `pushed` (m,) is room to work in.
    """
    nothing = np.zeros(3)
    for c in range(len(pairs)):
        pushed[c] = 0.0
    for turn in range(ROUNDS):
        for place in range(len(pairs)):
            c = place if turn % 2 == 0 else len(pairs) - 1 - place
            contact, a, b = contacts[c], pairs[c, 0], pairs[c, 1]
            if contact[GAP] >= 0.0:
                continue
            nx, ny, nz = contact[NORMAL], contact[NORMAL + 1], contact[NORMAL + 2]
            give = _yielding(bodies, a, contact, nx, ny, nz) + _yielding(bodies, b, contact, nx, ny, nz)
            if give <= 0.0:
                continue
            ux = _velocity(bodies, a, contact, 0, nothing) if a >= 0 else 0.0
            uy = _velocity(bodies, a, contact, 1, nothing) if a >= 0 else 0.0
            uz = _velocity(bodies, a, contact, 2, nothing) if a >= 0 else 0.0
            if b >= 0:
                ux -= _velocity(bodies, b, contact, 0, nothing)
                uy -= _velocity(bodies, b, contact, 1, nothing)
                uz -= _velocity(bodies, b, contact, 2, nothing)
            lack = min(-share * contact[GAP], most) - _along(contact, ux, uy, uz)
            after = max(pushed[c] + lack / give, 0.0)
            push = after - pushed[c]
            pushed[c] = after
            _push(bodies, a, contact, push * nx, push * ny, push * nz)
            _push(bodies, b, contact, -push * nx, -push * ny, -push * nz)
