"""Between masters and slaves: mass and momentum one way, velocity and its gradient the other.

Every slave gathers from its own list of masters and every master from its own list of slaves: nothing is scattered, and sums
have a fixed order.
"""

import numpy as np

from ..jit import parallel_kernel, prange

CARRIED = 13
"""Numbers a master hands to its slaves: momentum at the origin (3), mass times gradient (9), mass."""


@parallel_kernel
def load_masters(position, velocity, gradient, mass, centre, count, carried):
    """m (v − C x̃), m C and m of every master, float64 (n, CARRIED). With C the transfer keeps angular momentum, too
    (Jiang et al., affine particle-in-cell)."""
    for m in prange(count):
        weight = mass[m]
        x, y, z = position[0, m] + centre[m, 0], position[1, m] + centre[m, 1], position[2, m] + centre[m, 2]
        for i in range(3):
            c0, c1, c2 = gradient[3 * i, m], gradient[3 * i + 1, m], gradient[3 * i + 2, m]
            carried[m, i] = weight * (velocity[i, m] - c0 * x - c1 * y - c2 * z)
            carried[m, 3 + 3 * i], carried[m, 4 + 3 * i], carried[m, 5 + 3 * i] = weight * c0, weight * c1, weight * c2
        carried[m, 12] = weight


@parallel_kernel
def to_slaves(carried, back_start, back_master, back, place, mass, velocity):
    """(1), (2): mass (k,) and velocity (k, 4) of slaves at `place` (k, 4); also (21), the velocity that carries them along."""
    for s in prange(len(back_start) - 1):
        x, y, z = place[s, 0], place[s, 1], place[s, 2]
        total, px, py, pz = 0.0, 0.0, 0.0, 0.0
        for k in range(back_start[s], back_start[s + 1]):
            m, share = back_master[k], np.float64(back[k, 3])
            c = carried[m]
            total += share * c[12]
            px += share * (c[0] + c[3] * x + c[4] * y + c[5] * z)
            py += share * (c[1] + c[6] * x + c[7] * y + c[8] * z)
            pz += share * (c[2] + c[9] * x + c[10] * y + c[11] * z)
        mass[s] = total
        inverse = 1.0 / total if total > 0.0 else 0.0
        velocity[s, 0], velocity[s, 1], velocity[s, 2] = px * inverse, py * inverse, pz * inverse


@parallel_kernel
def to_masters(start, slave, row, slave_velocity, before, part, keep, velocity, gradient, moving):
    """(7), (8) and (15): velocity (3, capacity) and gradient (9, capacity) of masters from velocities of slaves (k, 4).

    `slave_velocity` is that after `part` (θ) of the step, which moves everybody (`moving`, (3, capacity)); at its end the change
    since `before` (k, 4) is 1/θ as large.
    (8) blends with the master's own velocity, to which the *change* of the slaves is added (`keep` of it, 1 − α of the paper):
    the paper's form as printed would take a share of gravity away.
    """
    for m in prange(len(start) - 1):
        if start[m] == start[m + 1]:
            for i in range(9):
                gradient[i, m] = 0.0
            continue
        first = slave[start[m]]
        rx, ry, rz = slave_velocity[first, 0], slave_velocity[first, 1], slave_velocity[first, 2]
        g00, g01, g02, g10, g11, g12, g20, g21, g22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        vx, vy, vz, bx, by, bz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(start[m], start[m + 1]):
            s = slave[k]
            # relative to one of them: what all have in common leaves no rounding behind
            x, y, z = slave_velocity[s, 0] - rx, slave_velocity[s, 1] - ry, slave_velocity[s, 2] - rz
            a, b, c, share = np.float64(row[k, 0]), np.float64(row[k, 1]), np.float64(row[k, 2]), np.float64(row[k, 3])
            g00 += x * a
            g01 += x * b
            g02 += x * c
            g10 += y * a
            g11 += y * b
            g12 += y * c
            g20 += z * a
            g21 += z * b
            g22 += z * c
            vx += share * x
            vy += share * y
            vz += share * z
            bx += share * (before[s, 0] - rx)
            by += share * (before[s, 1] - ry)
            bz += share * (before[s, 2] - rz)
        gradient[0, m], gradient[1, m], gradient[2, m] = g00, g01, g02
        gradient[3, m], gradient[4, m], gradient[5, m] = g10, g11, g12
        gradient[6, m], gradient[7, m], gradient[8, m] = g20, g21, g22
        ex, ey, ez = (vx - bx) / part, (vy - by) / part, (vz - bz) / part
        ox, oy, oz = keep * (velocity[0, m] - rx - bx), keep * (velocity[1, m] - ry - by), keep * (velocity[2, m] - rz - bz)
        moving[0, m], moving[1, m], moving[2, m] = rx + vx + ox, ry + vy + oy, rz + vz + oz
        velocity[0, m], velocity[1, m], velocity[2, m] = rx + bx + ex + ox, ry + by + ey + oy, rz + bz + ez + oz
