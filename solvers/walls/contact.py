"""Keeping particles out of walls, whatever the shape of the corner."""

import numpy as np

from ..jit import kernel, parallel_kernel, prange
from .borrow import borrowed
from .planes import INTERSECTION, INTERSECTION_OF_FIRST, UNION, UNION_OF_FIRST
from .walls import NearWalls


@kernel
def blocking_planes(plane, count, shape, margin):
    """Which planes hold a particle that is nearer to the wall than `margin` [m]: one bit per plane, 0 if none does.

    In a union every plane counts; in an intersection only the one that is nearest to letting the particle out.
    """
    if count == 0:
        return 0
    if shape == UNION or count == 1:
        bits = 0
        for slot in range(count):
            if plane[slot, 3] < margin:
                bits |= 1 << slot
        return bits
    if shape == INTERSECTION:
        out = 0
        for slot in range(1, count):
            if plane[slot, 3] > plane[out, 3]:
                out = slot
        return 1 << out if plane[out, 3] < margin else 0
    near_pair = 1 if plane[1, 3] <= plane[2, 3] else 2
    far_pair = 3 - near_pair
    first_holds = plane[0, 3] < margin
    if shape == UNION_OF_FIRST:
        bits = 1 if first_holds else 0
        return bits | 1 << far_pair if plane[far_pair, 3] < margin else bits
    # INTERSECTION_OF_FIRST
    if not first_holds or plane[near_pair, 3] >= margin:
        return 0
    if plane[0, 3] >= plane[near_pair, 3]:
        return 1
    return 1 << near_pair | (1 << far_pair if plane[far_pair, 3] < margin else 0)


@kernel
def _push(plane, count, shape, margin, shift):
    """Displacement that brings a particle to `margin` in front of the planes that hold it; True if there is any."""
    shift[0], shift[1], shift[2] = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    bits = blocking_planes(plane, count, shape, margin)
    if bits == 0:
        return False
    # Walls of a corner are not square in general: go round until all of them are satisfied.
    for _ in range(8):
        worst = np.float32(0.0)
        for slot in range(count):
            if bits >> slot & 1:
                along = plane[slot, 0] * shift[0] + plane[slot, 1] * shift[1] + plane[slot, 2] * shift[2]
                lack = margin - plane[slot, 3] - along
                if lack > np.float32(0.0):
                    worst = max(worst, lack)
                    for axis in range(3):
                        shift[axis] += lack * plane[slot, axis]
        if worst <= np.float32(1.0e-3) * margin:
            break
    return True


@parallel_kernel
def _keep_all_outside(row, all_plane, count, shape, margin, position, velocity, shifts):
    for i in prange(len(position)):
        at = row[i]
        if at < 0:
            continue
        plane, shift = borrowed(all_plane), borrowed(shifts)[at]
        if not _push(plane[at], count[at], shape[at], margin, shift):
            continue
        bits = blocking_planes(plane[at], count[at], shape[at], margin)
        for axis in range(3):
            position[i, axis] += shift[axis]
        for slot in range(count[at]):
            if bits >> slot & 1:
                approach = np.float32(0.0)
                for axis in range(3):
                    approach += plane[at, slot, axis] * (velocity[i, axis] - plane[at, slot, 4 + axis])
                if approach < np.float32(0.0):
                    for axis in range(3):
                        velocity[i, axis] -= approach * plane[at, slot, axis]


def keep_outside(near: NearWalls, position: np.ndarray, velocity: np.ndarray, margin: float) -> None:
    """Move particles that are nearer to a wall than `margin` [m] out to it, and take away the velocity into the wall.

    `position` and `velocity`, float32 (n, 3), are changed in place; `near` must belong to these positions. A margin of a
    few hundredths of the spacing keeps particles clearly on their side of two-sided sheets.
    """
    shifts = np.empty((len(near.count), 3), dtype=np.float32)
    _keep_all_outside(near.row, near.plane, near.count, near.shape, np.float32(margin), position, velocity, shifts)


__all__ = ["INTERSECTION_OF_FIRST", "blocking_planes", "keep_outside"]
