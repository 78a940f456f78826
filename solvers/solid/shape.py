"""Shape functions of moving least squares and their full gradients.

N(x) = w (1 − (d − d̄)·K⁻¹ d̄) is a function of the place x: its weights w, the mean d̄ and K move with x. The slope of the
local fit alone
(`rows.fill_rows`, the paper's way) leaves that out. It is exact for linear fields but underrates bending by a third; the full
gradient ∇N of the interpolated field does not (Belytschko, Lu and Gu, "Element-free Galerkin methods", found the same). It is
needed only where the neighbours are new, so that central differences are affordable; Σ ∇N = 0 and Σ ∇N x_sᵀ = I hold as before.
"""

from ..jit import exact_kernel, parallel_kernel, prange

_STEP = 1.0e-4
"""Half a difference in kernel radii: errors of 10⁻⁸ are below the float32 of the result."""
_FLAT = 1.0e-6
_GUARD = 0.02


@exact_kernel
def shape_at(px, py, pz, place, first, last, slave, reach, out):
    """N of entries first … last of a master at (px, py, pz) into `out` [first … last]."""
    inverse = 1.0 / (reach * reach)
    total, mx, my, mz = 0.0, 0.0, 0.0, 0.0
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(first, last):
        s = slave[k]
        x, y, z = place[s, 0] - px, place[s, 1] - py, place[s, 2] - pz
        q = max(1.0 - (x * x + y * y + z * z) * inverse, 0.0)
        w = q * q * q
        out[k] = w
        total += w
        mx += w * x
        my += w * y
        mz += w * z
        xx += w * x * x
        yy += w * y * y
        zz += w * z * z
        xy += w * x * y
        xz += w * x * z
        yz += w * y * z
    one = 1.0 / total
    mx, my, mz = mx * one, my * one, mz * one
    xx, yy, zz = xx * one - mx * mx, yy * one - my * my, zz * one - mz * mz
    xy, xz, yz = xy * one - mx * my, xz * one - mx * mz, yz * one - my * mz
    third = (xx + yy + zz) / 3.0
    i00, i01, i02 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    det = xx * i00 + xy * i01 + xz * i02
    if det < _FLAT * third * third * third or third <= 0.0:
        guard = _GUARD * reach * reach
        xx, yy, zz = xx + guard, yy + guard, zz + guard
        i00, i01, i02 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
        det = xx * i00 + xy * i01 + xz * i02
    i11, i12, i22 = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    cx = (i00 * mx + i01 * my + i02 * mz) / det
    cy = (i01 * mx + i11 * my + i12 * mz) / det
    cz = (i02 * mx + i12 * my + i22 * mz) / det
    for k in range(first, last):
        s = slave[k]
        x, y, z = place[s, 0] - px - mx, place[s, 1] - py - my, place[s, 2] - pz - mz
        out[k] = out[k] * one * (1.0 - x * cx - y * cy - z * cz)


@parallel_kernel
def shape_rows(position, place, start, slave, reach, skip, plus, minus, row):
    """∇N [1/m] and N of each entry into `row` float32 (entries, 4). `position` (3, capacity) of masters, `place` (k, 4) of
    slaves; `reach` (n,);
    `plus`, `minus`: room, float64 (entries,). Masters where `skip` is true are left out."""
    for m in prange(len(start) - 1):
        if skip[m]:
            continue
        step = _STEP * reach[m]
        first, last = start[m], start[m + 1]
        x, y, z = position[0, m], position[1, m], position[2, m]
        for axis in range(3):
            dx, dy, dz = step if axis == 0 else 0.0, step if axis == 1 else 0.0, step if axis == 2 else 0.0
            shape_at(x + dx, y + dy, z + dz, place, first, last, slave, reach[m], plus)
            shape_at(x - dx, y - dy, z - dz, place, first, last, slave, reach[m], minus)
            for k in range(first, last):
                row[k, axis] = (plus[k] - minus[k]) / (2.0 * step)
        shape_at(x, y, z, place, first, last, slave, reach[m], plus)
        for k in range(first, last):
            row[k, 3] = plus[k]
