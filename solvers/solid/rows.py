"""What masters and slaves exchange in a step: shape functions and gradients, once per step, used in every product.

With d = x_s − x_m, mean d̄ = Σ w d and K = Σ w (d − d̄)(d − d̄)ᵀ:

    g = w K⁻¹ (d − d̄)           ∇v = Σ v_s gᵀ: the gradient of the least-squares linear fit (6), (15); its transpose gives forces
    N = w (1 − (d − d̄)·K⁻¹ d̄)   v_m = Σ N v_s: the same fit at the master's place (7)

Σ g = 0 and Σ N = 1 whatever the arrangement, so momentum and mass are conserved; Σ g x_sᵀ = I and Σ N x_s = x_m, so linear
fields, rigid rotation among them, are exact. The correction in N is shortened where it would make a share negative.
"""

import numpy as np

from ..jit import parallel_kernel, prange

ENTRY = 4
"""Numbers of an entry: g [1/m] (3) and N."""

_MOST_CORRECTION = 0.9
_FLAT = 0.03
"""det K over (tr K / 3)³ below which a neighbourhood is flat or a thread: its inverse is guarded."""
_GUARD = 0.02
"""Added to the diagonal of a flat K, in squared reaches."""
_LEAST = 1.0e-12
_LEAST_VOLUME = 1.0e-3
"""Volume ratio below which the inverse of F is cut: a master pressed flat or turning inside out."""


@parallel_kernel
def fill_rows(position, slaves, start, slave, weight, reach, skip, row, centre):
    """`position` (3, capacity) of masters, `slaves` (k, 4): places of slaves; `reach` (n,); masters where `skip` is true are
    left out. Writes
    row and centre."""
    for m in prange(len(start) - 1):
        if skip[m]:
            continue
        guard = _GUARD * reach[m] * reach[m]
        px, py, pz = position[0, m], position[1, m], position[2, m]
        mx, my, mz = 0.0, 0.0, 0.0
        xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(start[m], start[m + 1]):
            s, w = slave[k], np.float64(weight[k])
            x, y, z = slaves[s, 0] - px, slaves[s, 1] - py, slaves[s, 2] - pz
            wx, wy, wz = w * x, w * y, w * z
            mx += wx
            my += wy
            mz += wz
            xx += wx * x
            yy += wy * y
            zz += wz * z
            xy += wx * y
            xz += wx * z
            yz += wy * z
        xx, yy, zz = xx - mx * mx, yy - my * my, zz - mz * mz
        xy, xz, yz = xy - mx * my, xz - mx * mz, yz - my * mz
        third = (xx + yy + zz) / 3.0
        i00, i01, i02 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
        det = xx * i00 + xy * i01 + xz * i02
        if det < _FLAT * third * third * third or third < _LEAST * guard:
            xx, yy, zz = xx + guard, yy + guard, zz + guard
            i00, i01, i02 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
            det = xx * i00 + xy * i01 + xz * i02
        i11, i12, i22 = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
        scale = 1.0 / det
        i00, i01, i02, i11, i12, i22 = i00 * scale, i01 * scale, i02 * scale, i11 * scale, i12 * scale, i22 * scale
        cx, cy, cz = i00 * mx + i01 * my + i02 * mz, i01 * mx + i11 * my + i12 * mz, i02 * mx + i12 * my + i22 * mz
        most = 0.0
        for k in range(start[m], start[m + 1]):
            s = slave[k]
            x, y, z = slaves[s, 0] - px - mx, slaves[s, 1] - py - my, slaves[s, 2] - pz - mz
            most = max(most, x * cx + y * cy + z * cz)
        short = min(1.0, _MOST_CORRECTION / max(most, 1.0e-30))
        sx, sy, sz = mx, my, mz
        for k in range(start[m], start[m + 1]):
            s, w = slave[k], np.float64(weight[k])
            x, y, z = slaves[s, 0] - px - mx, slaves[s, 1] - py - my, slaves[s, 2] - pz - mz
            row[k, 0] = w * (i00 * x + i01 * y + i02 * z)
            row[k, 1] = w * (i01 * x + i11 * y + i12 * z)
            row[k, 2] = w * (i02 * x + i12 * y + i22 * z)
            shift = short * w * (x * cx + y * cy + z * cz)
            row[k, 3] = w - shift
            sx, sy, sz = sx - shift * x, sy - shift * y, sz - shift * z
        # zero but where N was shortened or K guarded
        centre[m, 0], centre[m, 1], centre[m, 2] = sx, sy, sz


@parallel_kernel
def carry_rows(slaves, start, slave, whole, rest_row, elastic, row):
    """Rows of masters that remember their rest shape (`whole` of their body is true), from the rows at rest.

    F_E = Σ x_s g₀ᵀ comes from the places of the slaves, not from a sum over time: it cannot drift, and a body that is let go
    returns to its shape exactly. g = F⁻ᵀ g₀ is the same gradient in the present shape; N does not change.
    """
    for m in prange(len(start) - 1):
        if not whole[m] or start[m] == start[m + 1]:
            continue
        s0 = slave[start[m]]
        ox, oy, oz = slaves[s0, 0], slaves[s0, 1], slaves[s0, 2]
        a, b, c, d, e, f, g, h, i = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(start[m], start[m + 1]):
            s = slave[k]
            x, y, z = slaves[s, 0] - ox, slaves[s, 1] - oy, slaves[s, 2] - oz
            u, v, w = np.float64(rest_row[k, 0]), np.float64(rest_row[k, 1]), np.float64(rest_row[k, 2])
            a, b, c = a + x * u, b + x * v, c + x * w
            d, e, f = d + y * u, e + y * v, f + y * w
            g, h, i = g + z * u, h + z * v, i + z * w
        elastic[0, m], elastic[1, m], elastic[2, m] = a, b, c
        elastic[3, m], elastic[4, m], elastic[5, m] = d, e, f
        elastic[6, m], elastic[7, m], elastic[8, m] = g, h, i
        i00, i01, i02 = e * i - f * h, f * g - d * i, d * h - e * g
        det = a * i00 + b * i01 + c * i02
        if abs(det) < _LEAST_VOLUME:
            det = _LEAST_VOLUME if det >= 0.0 else -_LEAST_VOLUME
        q = 1.0 / det
        i00, i01, i02 = i00 * q, i01 * q, i02 * q
        i10, i11, i12 = (c * h - b * i) * q, (a * i - c * g) * q, (b * g - a * h) * q
        i20, i21, i22 = (b * f - c * e) * q, (c * d - a * f) * q, (a * e - b * d) * q
        for k in range(start[m], start[m + 1]):
            u, v, w = np.float64(rest_row[k, 0]), np.float64(rest_row[k, 1]), np.float64(rest_row[k, 2])
            row[k, 0] = i00 * u + i01 * v + i02 * w
            row[k, 1] = i10 * u + i11 * v + i12 * w
            row[k, 2] = i20 * u + i21 * v + i22 * w
            row[k, 3] = rest_row[k, 3]


@parallel_kernel
def follow_slaves(slaves, start, slave, whole, row, position):
    """x_m = Σ N x_s for masters that remember their rest shape."""
    for m in prange(len(start) - 1):
        if not whole[m] or start[m] == start[m + 1]:
            continue
        s0 = slave[start[m]]
        ox, oy, oz = slaves[s0, 0], slaves[s0, 1], slaves[s0, 2]
        x, y, z = 0.0, 0.0, 0.0
        for k in range(start[m], start[m + 1]):
            s, share = slave[k], np.float64(row[k, 3])
            x += share * (slaves[s, 0] - ox)
            y += share * (slaves[s, 1] - oy)
            z += share * (slaves[s, 2] - oz)
        position[0, m], position[1, m], position[2, m] = ox + x, oy + y, oz + z


@parallel_kernel
def sort_back(row, back_entry, back):
    for k in prange(len(back_entry)):
        e = back_entry[k]
        for part in range(4):
            back[k, part] = row[e, part]
