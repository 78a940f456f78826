"""How much of each cell of a lattice a solid fills, by rows of cells along the rays of its box tree."""

from typing import NamedTuple

import numpy as np

from ..jit import exact_kernel, parallel_kernel, prange
from ..watch import Silent, Watch
from .tree import cast_row
from .winding import Solid

_BLOCK = 4
"""Edge, in cells, of the blocks that are tested for holes nearby as one."""
_SLAB_CELLS = 1 << 22
"""Cells looked at together: what memory is needed besides the result."""


class Lattice(NamedTuple):
    """Cells in the turned axes of a solid."""

    origin: np.ndarray
    """Low corner of the first cell [m], float64 (3,)."""
    step: np.ndarray
    """Size of a cell [m], float64 (3,)."""
    shape: tuple[int, int, int]
    """Number of cells along each axis."""

    def centres(self, index: np.ndarray) -> np.ndarray:
        """Middle of cells [m], float64 (n, 3), from their indices (n, 3)."""
        return self.origin + (index + 0.5) * self.step


class Cells(NamedTuple):
    """The cells that a solid touches, in order of z, y, x."""

    index: np.ndarray
    """int64 (n, 3)."""
    central: np.ndarray
    """Whether the cell's centre is inside, bool (n,)."""
    fraction: np.ndarray
    """Filled part of the cell, float32 (n,), from 0 to 1."""
    middle: np.ndarray
    """Middle of the filled part, relative to the cell, float32 (n, 3), from 0 to 1."""
    volume: float
    """Volume [m³] that the solid encloses."""


@exact_kernel
def _central_winding(corners, boxes, origin, step, y, z, winding):
    """Winding numbers at the cell centres of one row, int16 (x,)."""
    places, signs, crossing = cast_row(corners, boxes, y, z)
    turns = 0
    for i in range(winding.shape[0] - 1, -1, -1):
        centre = origin[0] + (i + 0.5) * step[0]
        while crossing > 0 and places[crossing - 1] > centre:
            crossing -= 1
            turns += signs[crossing]
        winding[i] = turns


@exact_kernel
def _add_interval(low, high, u, v, weight, filled):
    """Add the stretch from low to high [cells] of a ray at (u, v) in the column to the cells it runs through."""
    for i in range(max(0, int(low)), min(filled.shape[0], int(high) + 1)):
        begin, end = max(low, i), min(high, i + 1)
        part = weight * (end - begin)
        if part > 0.0:
            filled[i, 0] += np.float32(part)
            filled[i, 1] += np.float32(part * (0.5 * (begin + end) - i))
            filled[i, 2] += np.float32(part * u)
            filled[i, 3] += np.float32(part * v)


@exact_kernel
def _fill_column(corners, boxes, either_sign, origin, step, j, k, sub, filled, integral):
    """Add sub × sub rays through the column (j, k) to its cells float32 (x, 4) and integrals (2,)."""
    weight = 1.0 / (sub * sub)
    for ray in range(sub * sub):
        v, u = (ray // sub + 0.5) / sub, (ray % sub + 0.5) / sub
        places, signs, count = cast_row(corners, boxes, origin[1] + (j + u) * step[1], origin[2] + (k + v) * step[2])
        turns = 0
        for crossing in range(count - 1):
            turns -= signs[crossing]
            length = places[crossing + 1] - places[crossing]
            integral[0] += weight * turns * length
            if turns > 0 or (either_sign and turns < 0):
                integral[1] += weight * length
                low, high = (places[crossing] - origin[0]) / step[0], (places[crossing + 1] - origin[0]) / step[0]
                _add_interval(low, high, u, v, weight, filled)


@parallel_kernel
def _fill_rows(corners, boxes, either_sign, origin, step, sub, winding, filled, integral):
    nz, ny, _ = winding.shape
    for column in prange(ny * nz):
        k, j = column // ny, column % ny
        y, z = origin[1] + (j + 0.5) * step[1], origin[2] + (k + 0.5) * step[2]
        _central_winding(corners, boxes, origin, step, y, z, winding[k, j])
        _fill_column(corners, boxes, either_sign, origin, step, j, k, sub, filled[k, j], integral[k, j])


def _filled_rows(solid: Solid, lattice: Lattice, sub: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cast a central and sub × sub further rays along x through each column of cells.

    Returns the winding number at each cell's centre int16 (z, y, x), the filled part of each cell and its first
    moments, float32 (z, y, x, 4), and per column the mean integrals along x of the winding number and of the
    inside [m], float64 (z, y, 2).
    """
    shape = lattice.shape[::-1]
    winding = np.empty(shape, dtype=np.int16)
    filled = np.zeros((*shape, 4), dtype=np.float32)
    integral = np.zeros((*shape[:2], 2))
    tree = solid.tree
    _fill_rows(tree.corners, tree.boxes, solid.either_sign, lattice.origin, lattice.step, sub, winding, filled, integral)
    return winding, filled, integral


def _rays_per_side(lattice: Lattice) -> int:
    """Sub-rays across a column: more where columns are few and each matters more."""
    columns = lattice.shape[1] * lattice.shape[2]
    return 4 if columns <= 20_000 else 3 if columns <= 80_000 else 2


def fill_cells(solid: Solid, lattice: Lattice, watch: Watch | None = None) -> Cells:
    """What the solid fills of each lattice cell. Cost follows the columns of the lattice and the cells inside."""
    watch = watch or Silent()
    nx, ny, nz = lattice.shape
    sub = _rays_per_side(lattice)
    depth = max(1, _SLAB_CELLS // (nx * ny))
    parts: list[tuple[np.ndarray, ...]] = []
    signed = positive = 0.0
    central_excess = 0
    for first in range(0, nz, depth):
        watch.poll()
        slab = lattice._replace(
            origin=lattice.origin + np.array([0.0, 0.0, first * lattice.step[2]]), shape=(nx, ny, min(depth, nz - first))
        )
        winding, filled, integral = _filled_rows(solid, slab, sub)
        signed += float(integral[..., 0].sum())
        positive += float(integral[..., 1].sum())
        part, excess = _slab_cells(solid, slab, winding, filled, first)
        central_excess += excess
        parts.append(part)
    index, central, fraction, middle = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    # The volume of the mesh is exact where it does not cross itself; rays measure only what the overlaps count twice.
    # A hole's surface, half the sphere away from the mesh, is not the cone's: their difference is counted in cells.
    overlap = (signed - positive) * float(lattice.step[1] * lattice.step[2])
    enclosed = solid.closed_volume - overlap + central_excess * float(np.prod(lattice.step))
    return Cells(index, central, fraction, middle, max(enclosed, 0.0))


def _slab_cells(
    solid: Solid, slab: Lattice, winding: np.ndarray, filled: np.ndarray, first: int
) -> tuple[tuple[np.ndarray, ...], int]:
    """Index, central, fraction and middle of a slab's touched cells; how many more centres are inside without the cones."""
    closed = solid.counts(winding)
    central = closed if solid.caps is None else _open_central(solid, slab, winding)
    where = np.argwhere(central | (filled[..., 0] > 0.0))
    row = tuple(where.T)
    amount = filled[row]
    fraction = amount[:, 0]
    middle = np.full((len(where), 3), 0.5, dtype=np.float32)
    np.divide(amount[:, 1:], amount[:, :1], out=middle, where=amount[:, :1] > 0.0)
    index = where[:, ::-1] + np.array([0, 0, first])
    return (index, central[row], np.minimum(fraction, 1.0), middle), int(central.sum()) - int(closed.sum())


def _open_central(solid: Solid, slab: Lattice, winding: np.ndarray) -> np.ndarray:
    """Whether each cell's centre is inside an open mesh, bool (z, y, x); one by one only near its holes."""
    block_shape = tuple(-(-n // _BLOCK) for n in winding.shape)
    block = np.indices(block_shape).reshape(3, -1)[::-1].T
    middle = slab.origin + (block + 0.5) * (_BLOCK * slab.step)
    radius = 0.5 * (_BLOCK - 1) * float(np.linalg.norm(slab.step)) * (1.0 + 1.0e-9)
    near = ~solid.holes_negligible(np.ascontiguousarray(middle), radius).reshape(block_shape)
    for axis, length in enumerate(winding.shape):
        near = np.repeat(near, _BLOCK, axis=axis).take(np.arange(length), axis=axis)
    where = np.nonzero(near)
    central = solid.counts(winding)
    central[where] = solid.inside_turned(slab.centres(np.stack(where[::-1], axis=1)), winding[where])
    return central


def enclosed_volume(solid: Solid, columns: int = 64) -> float:
    """Volume [m³] where the winding number exceeds one half, holes closed by cones: exact unless the mesh crosses itself."""
    boxes = solid.tree.boxes[1]
    extent = np.maximum(boxes[3:] - boxes[:3], 1.0e-300)
    step = extent / np.array([1.0, columns, columns])
    lattice = Lattice(boxes[:3].copy(), step, (1, columns, columns))
    _, _, integral = _filled_rows(solid, lattice, 1)
    overlap = float((integral[..., 0] - integral[..., 1]).sum() * step[1] * step[2])
    return max(solid.closed_volume - overlap, 0.0)
