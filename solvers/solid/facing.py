"""Which way the surface faces at the outer masters, so that bodies touch as surfaces and not as heaps of balls.

Between two faces the line from centre to centre tilts from pair to pair, and bodies would catch on each other's balls whatever
their friction. So a pair touches along the normal of the surfaces; its gap is the distance of its masters along it, less one
spacing, and masters that face each other share the stiffness of one contact by how nearly they do (weights that fall to zero at
`BESIDE`), so that what slides is handed from master to master smoothly.
"""

import numpy as np

from ..jit import parallel_kernel, prange

BESIDE = 0.75
"""Farthest that the masters of a pair lie beside each other, in spacings: somebody is in reach wherever a lattice stands."""
_PASSED = 0.5
"""Cosine between normal and centre line below which a pair is a pair of balls (crossing edges), unless the cosine between its two
normals says that they face each other."""
_SHARP = 12
"""How much more the flatter of two places counts: where an edge stands on a face, the normal is that of the face."""


@parallel_kernel
def _lean(start, index, place, outer, out):
    for s in prange(len(outer)):
        m = outer[s]
        for k in range(start[m], start[m + 1]):
            for axis in range(3):
                out[s, axis] -= place[index[k], axis] - place[m, axis]


def outward(start: np.ndarray, index: np.ndarray, place: np.ndarray, outer: np.ndarray, spacing: float) -> np.ndarray:
    """Normals of the masters `outer` (s,) from the neighbours `index` of masters at `place` (n, 3), float64 (s, 3). They are the
    longer the flatter the surface: divided by a power of how far the neighbours stand to one side."""
    lean = np.zeros((len(outer), 3))
    _lean(start, index, place, outer, lean)
    size = np.maximum(np.linalg.norm(lean, axis=1) / spacing, 1.0e-6)
    return lean / (spacing * size ** (1 + _SHARP))[:, None]


def carried(normal: np.ndarray, elastic: np.ndarray) -> np.ndarray:
    """Normals (s, 3) after the deformation F (9, s): along F⁻ᵀ n (the cofactors of F), their lengths as before."""
    a, b, c, d, e, f, g, h, i = elastic
    x, y, z = normal.T
    turned = np.stack(
        [
            (e * i - f * h) * x + (f * g - d * i) * y + (d * h - e * g) * z,
            (c * h - b * i) * x + (a * i - c * g) * y + (b * g - a * h) * z,
            (b * f - c * e) * x + (c * d - a * f) * y + (a * e - b * d) * z,
        ],
        axis=1,
    )
    size = np.linalg.norm(normal, axis=1) / np.maximum(np.linalg.norm(turned, axis=1), 1.0e-30)
    return turned * size[:, None]


def touching(
    away: np.ndarray, first: np.ndarray, second: np.ndarray, one: np.ndarray, other: np.ndarray, apart: np.ndarray,
    spacing: float, count: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Normal (p, 3) towards the first, distance along it [m] (p,) and share of a contact's stiffness (p,) of pairs `first`,
    `second` of `count` masters, `away` (p, 3) [m] from the second to the first, with normals `one`, `other` (p, 3). Of pairs that
    are two fleshes (`apart`) those that face each other push outwards even when they have been pressed through each other."""
    distance = np.linalg.norm(away, axis=1)
    line = away / np.maximum(distance, 1.0e-30)[:, None]
    normal = other - one
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1.0e-30)[:, None]
    size = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    faces = apart & (np.einsum("ij,ij->i", one, other) < -_PASSED * size)
    balls = (np.einsum("ij,ij->i", normal, line) < _PASSED) & ~faces
    normal[balls] = line[balls]
    along = np.einsum("ij,ij->i", away, normal)
    beside = np.maximum(distance**2 - along**2, 0.0) / (BESIDE * spacing) ** 2
    weight = np.where(balls, 1.0, np.maximum(1.0 - beside, 0.0) ** 2)
    total = np.bincount(first, weight, count) + np.bincount(second, weight, count)
    return normal, along, weight / np.maximum(0.5 * (total[first] + total[second]), 1.0e-30)
