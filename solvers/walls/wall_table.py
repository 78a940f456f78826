"""The merged table of all colliders as kernels see it, and how a point finds its candidate list."""

from typing import NamedTuple

import numpy as np

from ..jit import inlined
from .table import block_key, find_block

STILL, RIGID, DEFORMING = 0, 1, 2
"""How a collider moves."""


class WallTable(NamedTuple):
    """Triples and look-up tables of all colliders, one after the other. Local coordinates are the colliders' own."""

    triple: np.ndarray
    """r, d, n, kind, primitive, component, is the primitive measured itself; float32 (n, 11), the last four whole numbers."""
    corner: np.ndarray
    """Corners of each primitive, float32 (p, 9), or (p, 18) with the corners' velocities [m/s] if something deforms."""
    slots: np.ndarray
    lists: np.ndarray
    """See `Lookup`."""
    collider: np.ndarray
    """int64 (k, 8), columns named below."""
    frame: np.ndarray
    """float64 (k, 43), columns named below."""


# Columns of `WallTable.collider`.
FIRST_SLOT, SLOT_MASK, MOTION, ACTIVE, HAS_OPEN, FIRST_LIST, FIRST_TRIPLE, FIRST_PRIMITIVE = 0, 1, 2, 3, 4, 5, 6, 7
# Columns of `WallTable.frame`.
ROTATION, OFFSET = 0, 9
"""Local to world, rotation row by row: world = rotation · local + offset."""
BEFORE = 12
"""The same one step earlier."""
VELOCITY, SPIN, PIVOT = 24, 27, 30
"""Rigid motion: velocity of the pivot [m/s], angular velocity [rad/s], place of the pivot [m]."""
LOW, HIGH = 33, 36
"""Bounds of the band around the surface, local."""
VOXEL, FRICTION, STEP, PER_METRE = 39, 40, 41, 42
"""Voxel edge [m], friction, time step [s], voxels per metre."""


@inlined
def to_local(frame, c, column, x, y, z):
    """World point to the rest frame of collider c: Rᵀ (x − p), in double precision, then float32."""
    dx = x - frame[c, column + 9]
    dy = y - frame[c, column + 10]
    dz = z - frame[c, column + 11]
    lx = frame[c, column] * dx + frame[c, column + 3] * dy + frame[c, column + 6] * dz
    ly = frame[c, column + 1] * dx + frame[c, column + 4] * dy + frame[c, column + 7] * dz
    lz = frame[c, column + 2] * dx + frame[c, column + 5] * dy + frame[c, column + 8] * dz
    return np.float32(lx), np.float32(ly), np.float32(lz)


@inlined
def voxel_at(table, c, x, y, z):
    """Key of the block that holds a local point, or -1 outside the collider's band, and the voxel's place in the block."""
    frame = table.frame
    none = np.int64(-1)
    if x < frame[c, 33] or y < frame[c, 34] or z < frame[c, 35] or x > frame[c, 36] or y > frame[c, 37] or z > frame[c, 38]:
        return none, none
    per_metre = frame[c, PER_METRE]
    i = np.int64(np.floor(x * per_metre))
    j = np.int64(np.floor(y * per_metre))
    k = np.int64(np.floor(z * per_metre))
    return block_key(i >> 2, j >> 2, k >> 2), (i & 3) << 4 | (j & 3) << 2 | (k & 3)


@inlined
def list_at(table, c, x, y, z):
    """Place of the candidate list of the cell that holds a local point, or -1 far from the surface."""
    key, voxel = voxel_at(table, c, x, y, z)
    if key < 0:
        return np.int64(-1)
    first = table.collider[c, FIRST_LIST]
    block = find_block(table.slots, table.collider[c, FIRST_SLOT], table.collider[c, SLOT_MASK], key)
    if block < 0:
        return np.int64(-1)
    place = np.int64(table.lists[first + block + voxel])
    return place + first if place >= 0 else np.int64(-1)
