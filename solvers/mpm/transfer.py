"""Particles to grid and back, eight particles at a time.

Weights are those of a box of half width l (in cells) seen through a hat: generalised interpolation (uGIMP). With l = ½ they
are the quadratic B-spline; grains use l = ¼. With f the place in cells from the first of three nodes, u = max(0, f − 1 + l):

    q = u² / 4l,   w = (1 − f + q,  f − 2q,  q)

Two gradients are offered. *Moments* (with APIC): g_i = w_i (i − f) / D, D = Σ w_i (i − f)²; it is exact for linear fields,
it is the affine matrix itself, and force and velocity gradient are transposes of each other. *Slopes* (with PIC/FLIP):
g_i = dw_i/df. Forces are −V τ g, affine momentum is m C (x_i − x_p).
"""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, parallel_kernel, prange
from ..lane_math import ALL_LANES, abs8, floor8
from ..lane_rows import load_rows, pair8, store_folded, store_rows, store_whole, twice8
from ..simd import less8, load8, max8, splat8, store8
from ..walls.borrow import borrowed
from .tiles import BLOCK, BLOCK_FLOATS, TILE

ROW = 48
"""Floats of one particle in the scratch rows."""
SCRATCH_FLOATS = 8 * ROW + 2 * BLOCK_FLOATS
_STRIDE_I, _STRIDE_J = 4 * BLOCK * BLOCK, 4 * BLOCK
_ZERO, _ONE, _TWO = np.float32(0.0), np.float32(1.0), np.float32(2.0)
_FINITE = np.float32(1.0e18)


class Particles(NamedTuple):
    """What transfers read and write, by component, float32 (components, capacity)."""

    position: np.ndarray
    velocity: np.ndarray
    affine: np.ndarray
    """Velocity gradient [1/s], (9, capacity): component 3 c + r is ∂v_r/∂x_c."""
    stress: np.ndarray
    """Kirchhoff stress τ [Pa], (6, capacity): xx, yy, zz, xy, xz, yz."""
    mass: np.ndarray
    """[kg], (capacity,)."""
    volume: np.ndarray
    """Volume at rest [m³], (capacity,)."""
    density: np.ndarray
    """Mass density that the grid has at the particle [kg/m³], (capacity,); written by the gather."""


class Step(NamedTuple):
    """Numbers of one step."""

    cell: np.float32
    """Cell size h [m]."""
    per_cell: np.float32
    half: np.float32
    """Half width of a particle in cells: ½ is the quadratic B-spline."""
    affine: np.float32
    """1: affine momentum (APIC); 0: none (PIC/FLIP)."""
    flip: np.float32
    """Share of FLIP in the particle's velocity."""
    slopes: bool
    """Gradients from the slopes of the weights instead of moments."""
    dt: np.float32


class Scratch(NamedTuple):
    """Working room of each part."""

    rows: np.ndarray
    """float32 (parts, SCRATCH_FLOATS)."""
    base: np.ndarray
    """int32 (parts, 24)."""


@inlined
def _weights(place, half):
    """First node, place from it, the three weights and u/2l (the slope of q), all lanes."""
    base = floor8(place - half)
    f = place - base
    u = max8(f - (_ONE - half), splat8(_ZERO))
    q = u * u * (np.float32(0.25) / half)
    return base, f, _ONE - f + q, f - _TWO * q, q, u * (np.float32(0.5) / half)


@inlined
def _spread(f, q):
    """1/D with D = Σ w_i (i − f)² = f + 2q − f²."""
    return _ONE / (f + _TWO * q - f * f)


@inlined
def _prepare_scatter(particles, step, p, rows, base):
    """What each of eight particles gives to its nodes, one row each: momentum, affine and stress columns, weights."""
    n = particles.mass.size
    x = load8(particles.position, p) * step.per_cell
    y = load8(particles.position, n + p) * step.per_cell
    z = load8(particles.position, 2 * n + p) * step.per_cell
    bx, fx, x0, x1, x2, sx = _weights(x, step.half)
    by, fy, y0, y1, y2, sy = _weights(y, step.half)
    bz, fz, z0, z1, z2, sz = _weights(z, step.half)
    mass, c = load8(particles.mass, p), particles.affine
    k = mass * (step.cell * step.affine)
    a00, a10, a20 = k * load8(c, p), k * load8(c, n + p), k * load8(c, 2 * n + p)
    a01, a11, a21 = k * load8(c, 3 * n + p), k * load8(c, 4 * n + p), k * load8(c, 5 * n + p)
    a02, a12, a22 = k * load8(c, 6 * n + p), k * load8(c, 7 * n + p), k * load8(c, 8 * n + p)
    k, t = load8(particles.volume, p) * (-step.dt * step.per_cell), particles.stress
    t00, t11, t22 = k * load8(t, p), k * load8(t, n + p), k * load8(t, 2 * n + p)
    t01, t02, t12 = k * load8(t, 3 * n + p), k * load8(t, 4 * n + p), k * load8(t, 5 * n + p)
    zero = splat8(_ZERO)
    if step.slopes:
        store_rows(rows, 32, ROW, (t00, t01, t02, zero, t01, t11, t12, zero))
        store_rows(rows, 40, ROW, (t02, t12, t22, zero, sx, sy, sz, zero))
    else:
        # moments: stress and affine momentum act through the same weights (i − f)
        rx, ry, rz = _spread(fx, x2), _spread(fy, y2), _spread(fz, z2)
        a00, a10, a20 = a00 + rx * t00, a10 + rx * t01, a20 + rx * t02
        a01, a11, a21 = a01 + ry * t01, a11 + ry * t11, a21 + ry * t12
        a02, a12, a22 = a02 + rz * t02, a12 + rz * t12, a22 + rz * t22
    u = mass * load8(particles.velocity, p) - a00 * fx - a01 * fy - a02 * fz
    v = mass * load8(particles.velocity, n + p) - a10 * fx - a11 * fy - a12 * fz
    w = mass * load8(particles.velocity, 2 * n + p) - a20 * fx - a21 * fy - a22 * fz
    store_rows(rows, 0, ROW, (u, v, w, mass, a00, a10, a20, zero))
    store_rows(rows, 8, ROW, (a01, a11, a21, zero, a02, a12, a22, zero))
    store_rows(rows, 16, ROW, (x0, x1, x2, y0, y1, y2, z0, z1))
    store_rows(rows, 24, ROW, (z2, zero, zero, zero, zero, zero, zero, zero))
    store_whole(base, 0, bx)
    store_whole(base, 8, by)
    store_whole(base, 16, bz)


@inlined
def _block_place(base, lane, origin, tile):
    """Float index in the block of the first node of a particle's stencil."""
    i = np.int64(base[lane] - origin[tile, 0]) + 1
    j = np.int64(base[8 + lane] - origin[tile, 1]) + 1
    k = np.int64(base[16 + lane] - origin[tile, 2]) + 1
    return i * _STRIDE_I + j * _STRIDE_J + k * 4


@inlined
def _scatter_moments(rows, r, block, first):
    """Σ w (m v + A (i − f)) to 27 nodes, two along z at once."""
    momentum, ax, ay, az = twice8(rows, r), twice8(rows, r + 4), twice8(rows, r + 8), twice8(rows, r + 12)
    near, far = pair8(rows[r + 22], rows[r + 23]), pair8(rows[r + 24], _ZERO)
    near_z, far_z = pair8(_ZERO, rows[r + 23]) * az, pair8(_TWO * rows[r + 24], _ZERO) * az
    for i in range(3):
        along = momentum
        for j in range(3):
            w = splat8(rows[r + 16 + i] * rows[r + 19 + j])
            place = first + i * _STRIDE_I + j * _STRIDE_J
            store8(block, place, load8(block, place) + w * (near * along + near_z))
            store8(block, place + 8, load8(block, place + 8) + w * (far * along + far_z))
            along = along + ay
        momentum = momentum + ax


@inlined
def _slope(s, i):
    """Slope of weight i: (s − 1, 1 − 2s, s)."""
    if i == 0:
        return s - _ONE
    return _ONE - _TWO * s if i == 1 else s


@inlined
def _scatter_slopes(rows, r, block, first):
    """As `_scatter_moments`, with the stress acting through the slopes of the weights."""
    momentum, ax, ay, az = twice8(rows, r), twice8(rows, r + 4), twice8(rows, r + 8), twice8(rows, r + 12)
    tx, ty, tz = twice8(rows, r + 32), twice8(rows, r + 36), twice8(rows, r + 40)
    sx, sy, sz = rows[r + 44], rows[r + 45], rows[r + 46]
    near, far = pair8(rows[r + 22], rows[r + 23]), pair8(rows[r + 24], _ZERO)
    near_z = pair8(_ZERO, rows[r + 23]) * az + pair8(_slope(sz, 0), _slope(sz, 1)) * tz
    far_z = pair8(_TWO * rows[r + 24], _ZERO) * az + pair8(_slope(sz, 2), _ZERO) * tz
    for i in range(3):
        along = momentum
        for j in range(3):
            wx, wy = rows[r + 16 + i], rows[r + 19 + j]
            w = splat8(wx * wy)
            carried = w * along + splat8(_slope(sx, i) * wy) * tx + splat8(wx * _slope(sy, j)) * ty
            place = first + i * _STRIDE_I + j * _STRIDE_J
            store8(block, place, load8(block, place) + near * carried + w * near_z)
            store8(block, place + 8, load8(block, place + 8) + far * carried + w * far_z)
            along = along + ay
        momentum = momentum + ax


@parallel_kernel
def scatter(all_particles, all_tiles, step, all_scratch, all_block):
    """Fill the block of every particle tile with momentum and mass, internal forces of the step included."""
    for part in prange(len(all_tiles.part) - 1):
        particles, tiles = borrowed(all_particles), borrowed(all_tiles)
        rows, base = borrowed(all_scratch.rows[part]), borrowed(all_scratch.base[part])
        for tile in range(tiles.part[part], tiles.part[part + 1]):
            block = borrowed(all_block[tile])
            for c in range(0, BLOCK_FLOATS, 8):
                store8(block, c, splat8(_ZERO))
            end = tiles.start[tile + 1]
            for p in range(tiles.start[tile], end, 8):
                _prepare_scatter(particles, step, p, rows, base)
                for lane in range(min(8, end - p)):
                    first = _block_place(base, lane, tiles.origin, tile)
                    if step.slopes:
                        _scatter_slopes(rows, lane * ROW, block, first)
                    else:
                        _scatter_moments(rows, lane * ROW, block, first)


@inlined
def _collect(node, around, tile, rows, first):
    """Copy the nodes around a tile into its block, at float `first` of `rows`."""
    for i in range(BLOCK):
        ti, ni = (i + 3) // TILE, (i + 3) % TILE
        for j in range(BLOCK):
            tj, nj = (j + 3) // TILE, (j + 3) % TILE
            place = first + (i * BLOCK + j) * BLOCK * 4
            line = ni * 16 + nj * 4
            owner = np.int64(around[tile, ti * 9 + tj * 3])
            for c in range(4):
                rows[place + c] = node[owner, line + 3, c]
            owner = np.int64(around[tile, ti * 9 + tj * 3 + 1])
            store8(rows, place + 4, load8(node, (owner * 64 + line) * 4))
            store8(rows, place + 12, load8(node, (owner * 64 + line) * 4 + 8))
            owner = np.int64(around[tile, ti * 9 + tj * 3 + 2])
            store8(rows, place + 20, load8(node, (owner * 64 + line) * 4))
            for c in range(4):
                rows[place + 28 + c] = node[owner, line + 2, c]
    for c in range(16):
        rows[first + BLOCK * BLOCK * BLOCK * 4 + c] = _ZERO


@inlined
def _prepare_gather(particles, step, p, rows, base):
    """Weights and gradients of eight particles, one row each."""
    n = particles.mass.size
    bx, fx, x0, x1, x2, sx = _weights(load8(particles.position, p) * step.per_cell, step.half)
    by, fy, y0, y1, y2, sy = _weights(load8(particles.position, n + p) * step.per_cell, step.half)
    bz, fz, z0, z1, z2, sz = _weights(load8(particles.position, 2 * n + p) * step.per_cell, step.half)
    if step.slopes:
        gx0, gx1, gx2 = sx - _ONE, _ONE - _TWO * sx, sx
        gy0, gy1, gy2 = sy - _ONE, _ONE - _TWO * sy, sy
        gz0, gz1, gz2 = sz - _ONE, _ONE - _TWO * sz, sz
    else:
        rx, ry, rz = _spread(fx, x2), _spread(fy, y2), _spread(fz, z2)
        gx0, gx1, gx2 = splat8(_ZERO) - x0 * fx * rx, x1 * (_ONE - fx) * rx, x2 * (_TWO - fx) * rx
        gy0, gy1, gy2 = splat8(_ZERO) - y0 * fy * ry, y1 * (_ONE - fy) * ry, y2 * (_TWO - fy) * ry
        gz0, gz1, gz2 = splat8(_ZERO) - z0 * fz * rz, z1 * (_ONE - fz) * rz, z2 * (_TWO - fz) * rz
    zero = splat8(_ZERO)
    store_rows(rows, 16, ROW, (x0, x1, x2, y0, y1, y2, z0, z1))
    store_rows(rows, 24, ROW, (z2, gx0, gx1, gx2, gy0, gy1, gy2, zero))
    store_rows(rows, 32, ROW, (gz0, gz1, gz2, zero, zero, zero, zero, zero))
    store_whole(base, 0, bx)
    store_whole(base, 8, by)
    store_whole(base, 16, bz)


@inlined
def _gather_one(rows, r, first):
    """Velocity, mass and velocity gradient at one particle, into the first 16 floats of its row."""
    near, far = pair8(rows[r + 22], rows[r + 23]), pair8(rows[r + 24], _ZERO)
    near_z, far_z = pair8(rows[r + 32], rows[r + 33]), pair8(rows[r + 34], _ZERO)
    value, by_x, by_y, by_z = splat8(_ZERO), splat8(_ZERO), splat8(_ZERO), splat8(_ZERO)
    for i in range(3):
        line, line_y, line_z = splat8(_ZERO), splat8(_ZERO), splat8(_ZERO)
        for j in range(3):
            place = first + i * _STRIDE_I + j * _STRIDE_J
            a, b = load8(rows, place), load8(rows, place + 8)
            summed = near * a + far * b
            w = splat8(rows[r + 19 + j])
            line = line + w * summed
            line_y = line_y + splat8(rows[r + 28 + j]) * summed
            line_z = line_z + w * (near_z * a + far_z * b)
        w = splat8(rows[r + 16 + i])
        value = value + w * line
        by_x = by_x + splat8(rows[r + 25 + i]) * line
        by_y = by_y + w * line_y
        by_z = by_z + w * line_z
    store_folded(rows, r, value)
    store_folded(rows, r + 4, by_x)
    store_folded(rows, r + 8, by_y)
    store_folded(rows, r + 12, by_z)


@inlined
def _gather_change(rows, r, first):
    """Velocity change at one particle, into floats 36 … 39 of its row."""
    near, far = pair8(rows[r + 22], rows[r + 23]), pair8(rows[r + 24], _ZERO)
    value = splat8(_ZERO)
    for i in range(3):
        for j in range(3):
            place = first + i * _STRIDE_I + j * _STRIDE_J
            w = splat8(rows[r + 16 + i] * rows[r + 19 + j])
            value = value + w * (near * load8(rows, place) + far * load8(rows, place + 8))
    store_folded(rows, r + 36, value)


@inlined
def _finish_eight(particles, step, p, rows):
    """Write back eight whole rows. Returns largest |Δx| along an axis and |v|², lane by lane, and which lanes are finite."""
    n = particles.mass.size
    u, v, w, mass, g00, g10, g20, _ = load_rows(rows, 0, ROW)
    g01, g11, g21, _, g02, g12, g22, _ = load_rows(rows, 8, ROW)
    dx, dy, dz = u * step.dt, v * step.dt, w * step.dt
    store8(particles.position, p, load8(particles.position, p) + dx)
    store8(particles.position, n + p, load8(particles.position, n + p) + dy)
    store8(particles.position, 2 * n + p, load8(particles.position, 2 * n + p) + dz)
    if step.flip > _ZERO:
        _, _, _, _, cu, cv, cw, _ = load_rows(rows, 32, ROW)
        u = u + step.flip * (load8(particles.velocity, p) + cu - u)
        v = v + step.flip * (load8(particles.velocity, n + p) + cv - v)
        w = w + step.flip * (load8(particles.velocity, 2 * n + p) + cw - w)
    store8(particles.velocity, p, u)
    store8(particles.velocity, n + p, v)
    store8(particles.velocity, 2 * n + p, w)
    k, c = splat8(step.per_cell), particles.affine
    store8(c, p, k * g00)
    store8(c, n + p, k * g10)
    store8(c, 2 * n + p, k * g20)
    store8(c, 3 * n + p, k * g01)
    store8(c, 4 * n + p, k * g11)
    store8(c, 5 * n + p, k * g21)
    store8(c, 6 * n + p, k * g02)
    store8(c, 7 * n + p, k * g12)
    store8(c, 8 * n + p, k * g22)
    store8(particles.density, p, mass * (k * k * k))
    speed2 = u * u + v * v + w * w
    return max8(abs8(dx), max8(abs8(dy), abs8(dz))), speed2, less8(dx * dx + dy * dy + dz * dz + speed2, splat8(_FINITE))


@inlined
def _finish_one(particles, step, p, rows, r):
    """As `_finish_eight` for one particle. Returns |Δx|, |v|² and whether they are finite."""
    farthest, speed2 = _ZERO, _ZERO
    for axis in range(3):
        v = rows[r + axis]
        particles.position[axis, p] += v * step.dt
        farthest = max(farthest, abs(v * step.dt))
        if step.flip > _ZERO:
            v += step.flip * (particles.velocity[axis, p] + rows[r + 36 + axis] - v)
        particles.velocity[axis, p] = v
        speed2 += v * v
        for c in range(3):
            particles.affine[3 * c + axis, p] = step.per_cell * rows[r + 4 + 4 * c + axis]
    particles.density[p] = rows[r + 3] * (step.per_cell * step.per_cell * step.per_cell)
    return farthest, speed2, farthest * farthest + speed2 < _FINITE


@parallel_kernel
def gather(all_particles, all_tiles, step, all_scratch, all_node, all_change, moved):
    """Velocity, velocity gradient, density and place of every particle from the nodes.

    `moved`, float32 (particle tiles, 2): farthest way along an axis [m] and largest |v|² [m²/s²] in each tile; infinite if a
    particle's velocity is not a number.
    """
    for part in prange(len(all_tiles.part) - 1):
        particles, tiles = borrowed(all_particles), borrowed(all_tiles)
        node, change = borrowed(all_node), borrowed(all_change)
        rows, base = borrowed(all_scratch.rows[part]), borrowed(all_scratch.base[part])
        first_block = 8 * ROW
        for tile in range(tiles.part[part], tiles.part[part + 1]):
            _collect(node, tiles.around, tile, rows, first_block)
            if step.flip > _ZERO:
                _collect(change, tiles.around, tile, rows, first_block + BLOCK_FLOATS)
            end = tiles.start[tile + 1]
            farthest, speed2, finite = _ZERO, _ZERO, True
            far8, fast8 = splat8(_ZERO), splat8(_ZERO)
            for p in range(tiles.start[tile], end, 8):
                live = min(8, end - p)
                _prepare_gather(particles, step, p, rows, base)
                for lane in range(live):
                    place = first_block + _block_place(base, lane, tiles.origin, tile)
                    _gather_one(rows, lane * ROW, place)
                    if step.flip > _ZERO:
                        _gather_change(rows, lane * ROW, place + BLOCK_FLOATS)
                if live == 8:
                    way, speed, good = _finish_eight(particles, step, p, rows)
                    far8, fast8 = max8(far8, way), max8(fast8, speed)
                    finite = finite and good == ALL_LANES
                else:
                    for lane in range(live):
                        one_way, one_speed, fine = _finish_one(particles, step, p + lane, rows, lane * ROW)
                        farthest, speed2 = max(farthest, one_way), max(speed2, one_speed)
                        finite = finite and fine
            store8(rows, 0, far8)
            store8(rows, 8, fast8)
            for lane in range(8):
                farthest, speed2 = max(farthest, rows[lane]), max(speed2, rows[8 + lane])
            moved[tile, 0] = farthest if finite else np.float32(np.inf)
            moved[tile, 1] = speed2 if finite else np.float32(np.inf)
