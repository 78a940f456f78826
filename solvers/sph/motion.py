"""Moving particles and keeping them on their side of the walls."""

import numpy as np

from ..jit import parallel_kernel, prange
from ..walls.contact import blocking_planes

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


@parallel_kernel
def drift(position, velocity, age, dt, spacing, row, plane, plane_count, shape, count, stopped):
    """x ← x + Δt v, then out of the walls. `stopped` (rows, 3) gets the approach [m/s] that each plane took away, ≤ 0.

    The planes were found at the start of the step, when the particle was on its own side, against walls at the end of
    it: an open sheet cannot be crossed, moving or not. Distances in `plane` are brought up to date on the way.
    """
    skin, most = SKIN * spacing, PUSH * spacing
    for i in prange(count):
        r = row[i]
        for axis in range(3):
            position[axis, i] += dt * velocity[axis, i]
        age[i] += dt
        if r < 0:
            continue
        for k in range(plane_count[r]):
            for axis in range(3):
                plane[r, k, 3] += dt * velocity[axis, i] * plane[r, k, axis]
        bits = blocking_planes(plane[r], plane_count[r], shape[r], skin)
        for k in range(plane_count[r]):
            stopped[r, k] = np.float32(0.0)
            if bits >> k & 1:
                approach = np.float32(0.0)
                for axis in range(3):
                    approach += (velocity[axis, i] - plane[r, k, 4 + axis]) * plane[r, k, axis]
                approach = min(approach, np.float32(0.0))
                stopped[r, k] = approach
                # whoever is deep inside comes out slowly, whoever has just been hit comes out at once
                depth = min(skin - plane[r, k, 3], most - np.float32(2.0) * dt * approach)
                for axis in range(3):
                    position[axis, i] += depth * plane[r, k, axis]
                    velocity[axis, i] -= approach * plane[r, k, axis]


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
