"""Moving particles and keeping them on their side of the walls."""

import numpy as np

from ..jit import inlined, parallel_kernel, prange
from ..walls.borrow import borrowed
from ..walls.contact import blocking_planes
from ..walls.planes import INTERSECTION, OPPOSITE, UNION, UNION_OF_FIRST

SKIN = np.float32(0.1)
"""Closest a particle's centre comes to a wall, in spacings: pressure keeps it at about ½, this is the last resort."""
PUSH = np.float32(0.25)
"""Farthest a particle found inside a wall is moved in one step, in spacings."""


@parallel_kernel
def kick(velocity, acceleration, dt, gravity, count):
    """v ← v + Δt (a + g)."""
    for i in prange(count):
        for axis in range(3):
            velocity[axis, i] += dt * (acceleration[axis, i] + gravity[axis])


@parallel_kernel
def nudge(position, shift, most, count):
    """x ← x + shift, shortened to `most`."""
    for i in prange(count):
        length = np.sqrt(shift[0, i] * shift[0, i] + shift[1, i] * shift[1, i] + shift[2, i] * shift[2, i])
        scale = min(np.float32(1.0), most / max(length, np.float32(1.0e-30)))
        for axis in range(3):
            position[axis, i] += scale * shift[axis, i]


@inlined
def _facing(plane, one, other):
    """Cosine between the normals of two planes."""
    return plane[one, 0] * plane[other, 0] + plane[one, 1] * plane[other, 1] + plane[one, 2] * plane[other, 2]


@inlined
def _side_of_plate(plane, count, shape, dt):
    """The face of a thin plate on whose side a particle was before it and the plate moved, or −1. `plane` (3, 8) is as before
    the particle's motion."""
    first = 0 if shape == INTERSECTION else 1  # of a floor and a plate on it, the plate stands second and third
    if count < 2 or (shape != INTERSECTION and shape != UNION_OF_FIRST):
        return -1
    face, most = first, np.float32(-np.inf)
    for k in range(first, count):
        before = plane[k, 3] + dt * (plane[k, 4] * plane[k, 0] + plane[k, 5] * plane[k, 1] + plane[k, 6] * plane[k, 2])
        if before > most:
            face, most = k, before
    for k in range(first, count):
        if _facing(plane, k, face) < OPPOSITE:
            return face
    return -1


@inlined
def _holding(plane, count, shape, skin, face):
    """Planes that hold a particle, one bit each; `face` is the side of a thin plate that it must not leave through the plate."""
    if face < 0 or plane[face, 3] >= skin:
        return blocking_planes(plane, count, shape, skin)
    if shape == UNION_OF_FIRST:
        return 1 << face | (1 if plane[0, 3] < skin else 0)
    for k in range(count):
        if plane[k, 3] > np.float32(0.0) and _facing(plane, k, face) > OPPOSITE:
            return blocking_planes(plane, count, shape, skin)  # beside the rim
    return 1 << face


@inlined
def _margin(plane, count, shape, k, skin, sheet, collider):
    """How far in front of plane k a particle is kept [m]: `skin`, or a share of the room where another wall faces this one.

    Where there is no room at all an open sheet holds: beyond it a particle would be lost, out of a solid it comes again.
    """
    margin = skin
    if shape != UNION:
        return margin
    least = np.float32(0.1) * skin
    for other in range(count):
        if other != k and _facing(plane, k, other) < OPPOSITE:
            room = plane[k, 3] + plane[other, 3]
            share = np.float32(0.5) * room
            if sheet[collider[k]] and not sheet[collider[other]]:
                share = max(share, least)
            elif sheet[collider[other]] and not sheet[collider[k]]:
                share = room - max(share, least)
            margin = min(margin, share)
    return margin


@parallel_kernel
def drift(position, found, velocity, age, dt, spacing, row, all_plane, plane_count, shape, all_collider, sheet, count, stopped):
    """x ← x + Δt v, then out of the walls. `stopped` (rows, 3) gets the approach [m/s] that each plane took away, ≤ 0.

    The planes were found at the start of the step, when the particle was on its own side, against walls at the end of
    it: neither an open sheet nor a thin plate can be crossed, moving or not. `sheet` (k,) tells which colliders have open
    sheets; these push last. `found` (n, 3) is where the particles were when the planes were found; distances in `all_plane` are
    brought up to date on the way.
    """
    skin, most = SKIN * spacing, PUSH * spacing
    for i in prange(count):
        r = row[i]
        for axis in range(3):
            position[axis, i] += dt * velocity[axis, i]
        age[i] += dt
        if r < 0:
            continue
        plane, collider = borrowed(all_plane)[r], borrowed(all_collider)[r]
        face = _side_of_plate(plane, plane_count[r], shape[r], dt)
        for k in range(plane_count[r]):
            for axis in range(3):
                plane[k, 3] += (position[axis, i] - found[i, axis]) * plane[k, axis]
            stopped[r, k] = np.float32(0.0)
        held = 0
        for turn in range(2):
            bits = _holding(plane, plane_count[r], shape[r], skin, face)
            held |= bits
            for k in range(plane_count[r]):
                if bits >> k & 1 == 0 or sheet[collider[k]] != (turn == 1):
                    continue
                approach = np.float32(0.0)
                for axis in range(3):
                    approach += (velocity[axis, i] - plane[k, 4 + axis]) * plane[k, axis]
                # whoever is deep inside comes out slowly, whoever has just been hit comes out at once
                farthest = most - np.float32(2.0) * dt * min(approach, np.float32(0.0))
                depth = min(_margin(plane, plane_count[r], shape[r], k, skin, sheet, collider) - plane[k, 3], farthest)
                if depth > np.float32(0.0):
                    for axis in range(3):
                        position[axis, i] += depth * plane[k, axis]
                    for other in range(plane_count[r]):
                        plane[other, 3] += depth * _facing(plane, k, other)
        for k in range(plane_count[r]):
            if held >> k & 1:
                approach = np.float32(0.0)
                for axis in range(3):
                    approach += (velocity[axis, i] - plane[k, 4 + axis]) * plane[k, axis]
                approach = min(approach, np.float32(0.0))
                stopped[r, k] = approach
                for axis in range(3):
                    velocity[axis, i] -= approach * plane[k, axis]


@parallel_kernel
def fastest(velocity, count, chunk, result):
    """Largest |v|² of each chunk of particles; not a number if any velocity is."""
    for c in prange((count + chunk - 1) // chunk):
        most = np.float32(0.0)
        for i in range(c * chunk, min(count, (c + 1) * chunk)):
            speed2 = velocity[0, i] * velocity[0, i] + velocity[1, i] * velocity[1, i] + velocity[2, i] * velocity[2, i]
            if not speed2 <= most:
                most = speed2
        result[c] = most


@parallel_kernel
def interleave(position, count, points):
    """(3, n) → (n, 3), as walls and files want it."""
    for i in prange(count):
        points[i, 0], points[i, 1], points[i, 2] = position[0, i], position[1, i], position[2, i]
