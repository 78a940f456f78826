"""What is done once a step of the world for every grain: rows filled before, position and orientation brought home after."""

import numpy as np

from ..jit import parallel_kernel, prange

ASK_AGAIN = 0.01
"""Radii that a grain moves before it asks for walls at another place."""


@parallel_kernel
def load_rows(position, velocity, spin, radius, mass, last_asked, place, motion, asked, begun):
    """State → rows of the pair kernel; `begun` keeps the spin for the turning of orientations."""
    for i in prange(len(radius)):
        r = np.float64(radius[i])
        way = 0.0
        for axis in range(3):
            way += (position[axis, i] - last_asked[axis, i]) ** 2
        again = not way <= (ASK_AGAIN * r) ** 2
        for axis in range(3):
            if again:
                last_asked[axis, i] = position[axis, i]
            asked[i, axis] = last_asked[axis, i]
            place[i, axis] = position[axis, i]
            motion[i, axis] = velocity[axis, i]
            motion[i, 4 + axis] = r * spin[axis, i]
            begun[axis, i] = spin[axis, i]
        place[i, 3] = r
        motion[i, 3] = r
        motion[i, 7] = mass[i]


@parallel_kernel
def bring_home(place, spin, begun, dt, position, orientation, age):
    """Rows → state, and q ← exp(½ Δt ω) q with the mean spin of the step."""
    for i in prange(len(age)):
        for axis in range(3):
            position[axis, i] = place[i, axis]
        age[i] += np.float32(dt)
        wx, wy, wz = (
            0.5 * (spin[0, i] + begun[0, i]),
            0.5 * (spin[1, i] + begun[1, i]),
            0.5 * (spin[2, i] + begun[2, i]),
        )
        rate = np.sqrt(wx * wx + wy * wy + wz * wz)
        half = 0.5 * dt * rate
        share = 0.5 * dt if half < 1.0e-6 else np.sin(half) / rate
        c, x, y, z = np.cos(half), share * wx, share * wy, share * wz
        a, b, d, e = (
            np.float64(orientation[0, i]),
            np.float64(orientation[1, i]),
            np.float64(orientation[2, i]),
            np.float64(orientation[3, i]),
        )
        qw, qx = c * a - x * b - y * d - z * e, c * b + x * a + y * e - z * d
        qy, qz = c * d - x * e + y * a + z * b, c * e + x * d - y * b + z * a
        size = 1.0 / np.sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
        orientation[0, i], orientation[1, i] = qw * size, qx * size
        orientation[2, i], orientation[3, i] = qy * size, qz * size
