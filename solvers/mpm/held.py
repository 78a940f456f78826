"""Walls inside the implicit solve: which directions of which nodes are held, and what friction and adhesion add.

The rules are those of `contact`, decided from the velocity u that a node would take if the wall were not there: u = v + r/m with
the residual r of the unconstrained equation. Where v is the solution, m (u − v) is exactly the impulse that the wall gives, so
that pressing, sliding and letting go are decided by the true contact forces and not by the momentum of a single explicit step.
"""

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..walls.borrow import borrowed
from ..walls.contact import blocking_planes
from .contact import SLIP, STICK

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
_DISTINCT = np.float32(0.1)
"""Planes whose normals leave less than this of each other hold in one direction only."""


class Held(NamedTuple):
    """Nodes that walls hold, one row each."""

    where: np.ndarray
    """Index into the flat nodes, or −1, int64 (m,)."""
    count: np.ndarray
    """Directions that are held, 0 … 3, int32 (m,)."""
    axis: np.ndarray
    """Those directions, orthonormal, float32 (m, 3, 3)."""
    push: np.ndarray
    """Velocity that friction and adhesion take [m/s], float32 (m, 3)."""


def room_for(rows: int) -> Held:
    return Held(
        np.full(rows, -1, np.int64), np.zeros(rows, np.int32), np.zeros((rows, 3, 3), np.float32), np.zeros((rows, 3), np.float32)
    )


@kernel
def _hold_direction(held, row, normal, target, velocity):
    """Hold one more direction of a row and set the velocity (4,) along it to that of `target` (3,)."""
    count = held.count[row]
    if count == 3:
        return
    q = held.axis[row, count]
    for c in range(3):
        q[c] = normal[c]
    for k in range(count):
        along = _ZERO
        for c in range(3):
            along += q[c] * held.axis[row, k, c]
        for c in range(3):
            q[c] -= along * held.axis[row, k, c]
    length = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2])
    if length < _DISTINCT:
        return
    miss = _ZERO
    for c in range(3):
        q[c] /= length
        miss += q[c] * (target[c] - velocity[c])
    for c in range(3):
        velocity[c] += miss * q[c]
    held.count[row] = count + 1


@kernel
def _hold_all_directions(held, row, target, velocity):
    for k in range(3):
        for c in range(3):
            held.axis[row, k, c] = _ONE if k == c else _ZERO
            held.push[row, c] = _ZERO
        velocity[k] = target[k]
    held.count[row] = 3


@kernel
def hold(all_velocity, all_free, where, all_plane, count, shape, collider, rule, grip, band, held):
    """Decide rows of `held` from the free velocities u and make the velocities v obey; both (nodes, 4), mass in lane 3 of v."""
    node, free, plane = borrowed(all_velocity), borrowed(all_free), borrowed(all_plane)
    for row in range(len(where)):
        n = where[row]
        held.where[row], held.count[row] = n, 0
        for c in range(3):
            held.push[row, c] = _ZERO
        if n < 0 or node[n, 3] <= _ZERO:
            held.where[row] = -1
            continue
        u = free[n]
        bits = blocking_planes(plane[row], count[row], shape[row], band)
        for slot in range(count[row]):
            if not bits >> slot & 1:
                continue
            wall = plane[row, slot]
            kind, most = rule[collider[row, slot]], grip[collider[row, slot]]
            if kind == STICK:
                _hold_all_directions(held, row, wall[4:7], node[n])
                break
            normal = _ZERO
            for c in range(3):
                normal += (u[c] - wall[4 + c]) * wall[c]
            if kind != SLIP and normal > most:
                for c in range(3):  # lets go, held back by what adhesion can
                    held.push[row, c] -= most * wall[c]
                    u[c] -= most * wall[c]
                continue
            sliding = _ZERO
            for c in range(3):
                u[c] -= normal * wall[c]
                sliding += (u[c] - wall[4 + c]) ** 2
            sliding = np.sqrt(sliding)
            most = wall[7] * (max(-normal, _ZERO) + most) if kind != SLIP else _ZERO
            if kind != SLIP and sliding <= most:
                _hold_all_directions(held, row, wall[4:7], node[n])
                break
            for c in range(3):
                drag = most * (u[c] - wall[4 + c]) / max(sliding, np.float32(1.0e-30))
                held.push[row, c] -= drag
                u[c] -= drag
            _hold_direction(held, row, wall[0:3], wall[4:7], node[n])


@kernel
def keep_free(held, all_vector):
    """Take the held directions out of a vector (nodes, 4)."""
    vector = borrowed(all_vector)
    for row in range(len(held.where)):
        n = held.where[row]
        if n < 0:
            continue
        for k in range(held.count[row]):
            along = _ZERO
            for c in range(3):
                along += held.axis[row, k, c] * vector[n, c]
            for c in range(3):
                vector[n, c] -= along * held.axis[row, k, c]


@kernel
def add_push(held, mass_of, all_wanted):
    """Momentum (nodes, 4) += mass × push."""
    wanted, mass = borrowed(all_wanted), borrowed(mass_of)
    for row in range(len(held.where)):
        n = held.where[row]
        if n >= 0:
            for c in range(3):
                wanted[n, c] += mass[n, 3] * held.push[row, c]
