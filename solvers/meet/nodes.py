"""Momentum between kinds at grid nodes: the paper's equation (8), with separation and friction.

「ハイブリッドな粉粒体シミュレーション手法の開発」 (楽 詠灝, Smith, Chen, Chantharayukhonthorn, Kamrin, Grinspun): what meets
at a node gets one velocity, the mean by mass (8). Here only the normal part agrees, and only while the kinds are pressed
together; the tangential part is bounded by Coulomb's law. Every impulse acts on both with opposite sign.
"""

import numpy as np

from ..jit import inlined, kernel

MASS, VOLUME, MOMENTUM, SLOPE = 0, 1, 2, 5
COLUMNS = 8
"""Of a kind at a node: mass [kg], volume [m³], momentum (3) [kg m/s], slope of the filled part (3) [1/m]."""
SLACK = 0.05
"""Overfilling that is only the unevenness of particles."""
MIXED = 0.5
"""How much gravity has to say about where two belong that fill the same place, beside how they grow and thin out."""
FRICTION, STICK = 0, 1
"""Columns of a pair's law: Coulomb coefficient, negative if the two have nothing to do with each other here; 1 if they hold
on to each other."""


@inlined
def _weight(x):
    """Quadratic B-spline at a distance of x cells, |x| ≤ 1.5."""
    x = abs(x)
    return 0.75 - x * x if x < 0.5 else 0.5 * (1.5 - x) ** 2


@inlined
def _slope(x):
    """Its derivative."""
    if abs(x) < 0.5:
        return -2.0 * x
    return x - 1.5 if x > 0.0 else x + 1.5


@kernel
def gather_nodes(position, velocity, mass, volume, kind, corner, cell, nodes):
    """Mass, volume, momentum and slope of every kind at the nodes.

    position, velocity: float64 (n, 3), in cells from the grid's corner and in m/s; kind: int (n,); corner: int (n, 27) rows of
    the nodes of a particle's stencil; nodes: float64 (nodes, kinds, COLUMNS), zero at the start. Serial: a fixed order of sums.
    """
    inverse = 1.0 / cell
    for p in range(len(kind)):
        base = (np.floor(position[p, 0] - 0.5), np.floor(position[p, 1] - 0.5), np.floor(position[p, 2] - 0.5))
        fill = volume[p] * inverse**3
        for i in range(3):
            x = position[p, 0] - base[0] - i
            for j in range(3):
                y = position[p, 1] - base[1] - j
                for k in range(3):
                    z = position[p, 2] - base[2] - k
                    weight = _weight(x) * _weight(y) * _weight(z)
                    row = nodes[corner[p, 9 * i + 3 * j + k], kind[p]]
                    row[MASS] += weight * mass[p]
                    row[VOLUME] += weight * volume[p]
                    for axis in range(3):
                        row[MOMENTUM + axis] += weight * mass[p] * velocity[p, axis]
                    # the node's own place moves against the particle's: hence the sign
                    row[SLOPE] -= fill * inverse * _slope(x) * _weight(y) * _weight(z)
                    row[SLOPE + 1] -= fill * inverse * _weight(x) * _slope(y) * _weight(z)
                    row[SLOPE + 2] -= fill * inverse * _weight(x) * _weight(y) * _slope(z)


@kernel
def exchange(nodes, law, backing, cell, touching, push, fastest_push, slow, down, change):
    """Impulses between all pairs of kinds at every node; `change` (nodes, kinds, 3) gets the changes of velocity [m/s].

    law: float64 (kinds, kinds, 2); touching: part of a node's cell that both together must fill to be in contact;
    push: speed [m/s] that drives them apart where a cell is filled twice, less in proportion, at most `fastest_push`. `backing`
    (kinds,) multiplies the masses for approaches below `slow` [m/s], see `Matter`. `down` (3,): direction of gravity.
    """
    inverse = 1.0 / cell**3
    kinds = nodes.shape[1]
    for node in range(len(nodes)):
        for a in range(kinds):
            for b in range(a + 1, kinds):
                one, other = nodes[node, a], nodes[node, b]
                if one[MASS] <= 0.0 or other[MASS] <= 0.0 or law[a, b, FRICTION] < 0.0:
                    continue
                filled = (one[VOLUME] + other[VOLUME]) * inverse
                if filled < touching:
                    continue
                # From a to b: b grows and a thins out. Where two have run into each other so far that neither does, the denser
                # one belongs below.
                over = max(filled - 1.0 - SLACK, 0.0)
                sink = MIXED * min(over, 1.0) / cell
                if one[MASS] * other[VOLUME] > other[MASS] * one[VOLUME]:
                    sink = -sink
                nx = other[SLOPE] - one[SLOPE] + sink * down[0]
                ny = other[SLOPE + 1] - one[SLOPE + 1] + sink * down[1]
                nz = other[SLOPE + 2] - one[SLOPE + 2] + sink * down[2]
                length = np.sqrt(nx * nx + ny * ny + nz * nz)
                if length * cell < 1.0e-6:
                    continue
                nx, ny, nz = nx / length, ny / length, nz / length
                dx = one[MOMENTUM] / one[MASS] + change[node, a, 0] - other[MOMENTUM] / other[MASS] - change[node, b, 0]
                dy = one[MOMENTUM + 1] / one[MASS] + change[node, a, 1] - other[MOMENTUM + 1] / other[MASS] - change[node, b, 1]
                dz = one[MOMENTUM + 2] / one[MASS] + change[node, a, 2] - other[MOMENTUM + 2] / other[MASS] - change[node, b, 2]
                approach = dx * nx + dy * ny + dz * nz
                apart = min(push * over, fastest_push)
                stick = law[a, b, STICK] > 0.0
                if approach + apart <= 0.0 and not stick:
                    continue
                reduced = one[MASS] * other[MASS] / (one[MASS] + other[MASS])
                normal = approach + apart
                # what is slow rests on all that lies behind it: see `Matter.backing`
                ra, rb = backing[a] * one[MASS], backing[b] * other[MASS]
                resting = min(max(normal, 0.0), slow)
                normal += resting * (ra * rb / ((ra + rb) * reduced) - 1.0)
                tx, ty, tz = dx - approach * nx, dy - approach * ny, dz - approach * nz
                slip = np.sqrt(tx * tx + ty * ty + tz * tz)
                held = 1.0
                if not stick and slip > 0.0:
                    held = min(1.0, law[a, b, FRICTION] * normal / slip)
                jx, jy, jz = normal * nx + held * tx, normal * ny + held * ty, normal * nz + held * tz
                ma, mb = reduced / one[MASS], reduced / other[MASS]
                change[node, a, 0] -= ma * jx
                change[node, a, 1] -= ma * jy
                change[node, a, 2] -= ma * jz
                change[node, b, 0] += mb * jx
                change[node, b, 1] += mb * jy
                change[node, b, 2] += mb * jz


@kernel
def return_changes(position, kind, corner, change, result):
    """Changes of velocity at the particles, float64 (n, 3): Σ w Δv. Momentum is the nodes' to rounding, energy at most theirs."""
    for p in range(len(kind)):
        bx, by, bz = np.floor(position[p, 0] - 0.5), np.floor(position[p, 1] - 0.5), np.floor(position[p, 2] - 0.5)
        sx, sy, sz = 0.0, 0.0, 0.0
        for i in range(3):
            for j in range(3):
                for k in range(3):
                    x, y, z = position[p, 0] - bx - i, position[p, 1] - by - j, position[p, 2] - bz - k
                    weight = _weight(x) * _weight(y) * _weight(z)
                    row = change[corner[p, 9 * i + 3 * j + k], kind[p]]
                    sx += weight * row[0]
                    sy += weight * row[1]
                    sz += weight * row[2]
        result[p, 0], result[p, 1], result[p, 2] = sx, sy, sz
