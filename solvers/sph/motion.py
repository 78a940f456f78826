"""Moving particles and keeping them on their side of the walls."""

import numpy as np

from ..jit import inlined, parallel_kernel, prange

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


@inlined
def _stop(position, velocity, i, plane, depth):
    """Move particle i by `depth` along the plane's normal and stop it approaching the wall."""
    approach = np.float32(0.0)
    for axis in range(3):
        approach += (velocity[axis, i] - plane[4 + axis]) * plane[axis]
    for axis in range(3):
        position[axis, i] += depth * plane[axis]
        if approach < np.float32(0.0):
            velocity[axis, i] -= approach * plane[axis]


@parallel_kernel
def drift(position, velocity, age, dt, spacing, row, plane, plane_count, shape, count):
    """x ← x + Δt v, then out of the walls.

    The planes were found at the start of the step, when the particle was on its own side, so an open sheet cannot be
    crossed. A union of half-spaces (concave corner) pushes along every plane, an intersection (convex edge) only
    along the one the particle is nearest to leaving through.
    """
    skin, most = SKIN * spacing, PUSH * spacing
    for i in prange(count):
        r = row[i]
        for axis in range(3):
            position[axis, i] += dt * velocity[axis, i]
        age[i] += dt
        if r < 0:
            continue
        best, outermost = -1, np.float32(-1.0e30)
        for k in range(plane_count[r]):
            moved = plane[r, k, 3]
            for axis in range(3):
                moved += dt * (velocity[axis, i] - plane[r, k, 4 + axis]) * plane[r, k, axis]
            if shape[r] == 0 and moved < skin:
                _stop(position, velocity, i, plane[r, k], min(skin - moved, most + dt * np.abs(plane[r, k, 4])))
            if moved > outermost:
                best, outermost = k, moved
        if shape[r] == 1 and outermost < skin:
            _stop(position, velocity, i, plane[r, best], min(skin - outermost, most))


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
