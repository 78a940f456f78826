"""Elastic stiffness of the particles on the grid, without a matrix.

For velocities p at the nodes, every particle sees the rate of strain D = sym ∇p, answers with the stress rate
a tr(D) I + 2 b dev D, and hands the forces back to the nodes by the transpose of the same gradient:

    (K p)_i = Σ_particles V (a tr(D) I + 2 b dev D) g_i

K is symmetric and, with a and b not negative, never gives energy. One pass over the particles costs about as much as an
explicit step without its material law.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, parallel_kernel, prange
from ..lane_rows import load_rows, pair8, store_folded, store_rows, twice8
from ..simd import load8, splat8, store8
from ..walls.borrow import borrowed
from .tiles import BLOCK_FLOATS
from .transfer import ROW, _block_place, _collect, _prepare_gather

_STRIDE_I, _STRIDE_J = 4 * 8 * 8, 4 * 8
_ZERO, _TWO, _HALF, _THIRD = (np.float32(v) for v in (0.0, 2.0, 0.5, 1.0 / 3.0))


class Moduli(NamedTuple):
    """Stiffness of every particle [Pa], float32 (capacity,) each."""

    bulk: np.ndarray
    """a: pressure by rate of volume."""
    shear: np.ndarray
    """b: shear stress by rate of shear, what yielding leaves of it."""


@inlined
def _gather_gradient(rows, r, first):
    """Gradient of the nodes' velocity at one particle, three columns from float 0 of its row."""
    near, far = pair8(rows[r + 22], rows[r + 23]), pair8(rows[r + 24], _ZERO)
    near_z, far_z = pair8(rows[r + 32], rows[r + 33]), pair8(rows[r + 34], _ZERO)
    by_x, by_y, by_z = splat8(_ZERO), splat8(_ZERO), splat8(_ZERO)
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
        by_x = by_x + splat8(rows[r + 25 + i]) * line
        by_y = by_y + w * line_y
        by_z = by_z + w * line_z
    store_folded(rows, r, by_x)
    store_folded(rows, r + 4, by_y)
    store_folded(rows, r + 8, by_z)


@inlined
def _answer(particles, moduli, scale, p, rows):
    """Replace the gradients of eight rows by V times the columns of the stress rate, scaled."""
    g00, g10, g20, _, g01, g11, g21, _ = load_rows(rows, 0, ROW)
    g02, g12, g22, _, _, _, _, _ = load_rows(rows, 8, ROW)
    volume = load8(particles.volume, p) * scale
    a, b = load8(moduli.bulk, p) * volume, load8(moduli.shear, p) * volume
    trace = g00 + g11 + g22
    pressure = (a - _TWO * _THIRD * b) * trace
    t00, t11, t22 = pressure + _TWO * b * g00, pressure + _TWO * b * g11, pressure + _TWO * b * g22
    t01, t02, t12 = b * (g01 + g10), b * (g02 + g20), b * (g12 + g21)
    zero = splat8(_ZERO)
    store_rows(rows, 0, ROW, (t00, t01, t02, zero, t01, t11, t12, zero))
    # the weights begin at float 16: floats 12 … 15 are free
    store_rows(rows, 8, ROW, (t02, t12, t22, zero, zero, zero, zero, zero))


@inlined
def _scatter_forces(rows, r, block, first):
    """Σ stress · gradient of the weights to 27 nodes, two along z at once."""
    tx, ty, tz = twice8(rows, r), twice8(rows, r + 4), twice8(rows, r + 8)
    near, far = pair8(rows[r + 22], rows[r + 23]), pair8(rows[r + 24], _ZERO)
    near_z, far_z = pair8(rows[r + 32], rows[r + 33]) * tz, pair8(rows[r + 34], _ZERO) * tz
    for i in range(3):
        wx, gx = rows[r + 16 + i], rows[r + 25 + i]
        for j in range(3):
            wy, gy = rows[r + 19 + j], rows[r + 28 + j]
            across = splat8(gx * wy) * tx + splat8(wx * gy) * ty
            w = splat8(wx * wy)
            place = first + i * _STRIDE_I + j * _STRIDE_J
            store8(block, place, load8(block, place) + near * across + w * near_z)
            store8(block, place + 8, load8(block, place + 8) + far * across + w * far_z)


@parallel_kernel
def stiffness_blocks(all_particles, all_moduli, all_tiles, step, all_scratch, all_node, all_block):
    """Fill the block of every particle tile with Δt² K p for the velocities `all_node` (tiles, 64, 4); mass lanes get 0."""
    for part in prange(len(all_tiles.part) - 1):
        particles, moduli, tiles = borrowed(all_particles), borrowed(all_moduli), borrowed(all_tiles)
        node = borrowed(all_node)
        rows, base = borrowed(all_scratch.rows[part]), borrowed(all_scratch.base[part])
        first_block = 8 * ROW
        # gradient and force are each taken in cells
        scale = splat8(step.dt * step.dt * step.per_cell * step.per_cell)
        for tile in range(tiles.part[part], tiles.part[part + 1]):
            _collect(node, tiles.around, tile, rows, first_block)
            block = borrowed(all_block[tile])
            for c in range(0, BLOCK_FLOATS, 8):
                store8(block, c, splat8(_ZERO))
            end = tiles.start[tile + 1]
            for p in range(tiles.start[tile], end, 8):
                live = min(8, end - p)
                _prepare_gather(particles, step, p, rows, base)
                for lane in range(live):
                    place = first_block + _block_place(base, lane, tiles.origin, tile)
                    _gather_gradient(rows, lane * ROW, place)
                _answer(particles, moduli, scale, p, rows)
                for lane in range(live):
                    _scatter_forces(rows, lane * ROW, block, _block_place(base, lane, tiles.origin, tile))
