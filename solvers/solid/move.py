"""Steps 8 to 10: masters move and stay outside walls, slaves are carried along."""

import numpy as np

from ..jit import kernel, parallel_kernel, prange
from ..walls.contact import blocking_planes

_SKIN = 0.05
"""Closest a master's centre comes to a wall, in spacings: contact springs keep it at about ½, this is the last resort."""


@parallel_kernel
def advance_masters(position, velocity, moving, age, dt, spacing, row, plane, plane_count, shape, count):
    """x ← x + Δt v (9) with the velocity `moving` (3, capacity), then out of walls (8): a centre that has entered one is put
    back and its approach taken away.

    Planes were found at the start of the step; their distances are brought up to date on the way.
    """
    skin = np.float32(_SKIN * spacing)
    for i in prange(count):
        for axis in range(3):
            position[axis, i] += dt * moving[axis, i]
        age[i] += dt
        if i >= len(row) or row[i] < 0:
            continue
        r = row[i]
        for k in range(plane_count[r]):
            for axis in range(3):
                plane[r, k, 3] += dt * moving[axis, i] * plane[r, k, axis]
        bits = blocking_planes(plane[r], plane_count[r], shape[r], skin)
        for k in range(plane_count[r]):
            if bits >> k & 1:
                approach = 0.0
                for axis in range(3):
                    approach += (velocity[axis, i] - plane[r, k, 4 + axis]) * plane[r, k, axis]
                approach = min(approach, 0.0)
                depth = min(np.float64(skin - plane[r, k, 3]), spacing)
                for axis in range(3):
                    position[axis, i] += depth * plane[r, k, axis]
                    velocity[axis, i] -= approach * plane[r, k, axis]


@parallel_kernel
def advance_slaves(position, velocity, dt, count):
    """x ← x + Δt v for slaves (3, capacity) with velocities (k, 4)."""
    for s in prange(count):
        for axis in range(3):
            position[axis, s] += dt * velocity[s, axis]


@kernel
def fastest_and_steepest(velocity, gradient, count):
    """Largest speed [m/s] and largest norm of the velocity gradient's symmetric part [1/s]."""
    speed, steep = 0.0, 0.0
    for i in range(count):
        square = velocity[0, i] ** 2 + velocity[1, i] ** 2 + velocity[2, i] ** 2
        if not square <= speed:
            speed = square
        xy, xz = 0.5 * (gradient[1, i] + gradient[3, i]), 0.5 * (gradient[2, i] + gradient[6, i])
        yz = 0.5 * (gradient[5, i] + gradient[7, i])
        rate = gradient[0, i] ** 2 + gradient[4, i] ** 2 + gradient[8, i] ** 2 + 2.0 * (xy * xy + xz * xz + yz * yz)
        steep = max(steep, rate)
    return np.sqrt(speed), np.sqrt(steep)


@kernel
def farthest_way(position, anchor, body, member, count):
    """Farthest that a master of `member` has moved from its anchor [m], the mean motion of the member taken off."""
    mean0, mean1, mean2, found = 0.0, 0.0, 0.0, 0
    for i in range(count):
        if body[i] == member:
            mean0 += position[0, i] - anchor[0, i]
            mean1 += position[1, i] - anchor[1, i]
            mean2 += position[2, i] - anchor[2, i]
            found += 1
    if found == 0:
        return 0.0
    mean0, mean1, mean2 = mean0 / found, mean1 / found, mean2 / found
    most = 0.0
    for i in range(count):
        if body[i] == member:
            x = position[0, i] - anchor[0, i] - mean0
            y = position[1, i] - anchor[1, i] - mean1
            z = position[2, i] - anchor[2, i] - mean2
            most = max(most, x * x + y * y + z * z)
    return np.sqrt(most)
