"""What the point cache shows of a continuum: grains that every material point carries with it, the same all its life."""

import numpy as np

from ..materials.grains_params import PACKING, GrainsParams, grain_volume
from ..mesh.noise import unit
from ..state import State
from .continuum import ZONE_CONTINUUM

FIRST_ID = 1 << 28
"""Numbers of carried grains begin here: two for each material point."""
_STREAM = 320
_SPREAD = 0.3
"""Farthest that a carried grain lies from its point along an axis, in diameters."""


def random_turns(number: np.ndarray, seed: int) -> np.ndarray:
    """Unit quaternions (n, 4), evenly spread, the same for a number (Shoemake)."""
    a, b, c = (unit(number[:, None], seed, _STREAM + 5 + axis) for axis in range(3))
    first, second = np.sqrt(1.0 - a), np.sqrt(a)
    b, c = 2.0 * np.pi * b, 2.0 * np.pi * c
    return np.stack([second * np.cos(c), first * np.sin(b), first * np.cos(b), second * np.sin(c)], axis=1).astype(np.float32)


def carried_grains(points: State, chosen: np.ndarray, params: GrainsParams, seed: int) -> dict[str, np.ndarray]:
    """Grains of the chosen points (indices) of one member, as `Solver.points` gives them, in order of number.

    A point of full size stands for φ d³/V grains, a little more than one: each carries one, some by chance carry two.
    """
    ids = points.live("id")[chosen]
    chosen, ids = chosen[np.argsort(ids, kind="stable")], np.sort(ids, kind="stable")
    more = PACKING * params.size**3 / grain_volume(params) - 1.0
    twice = unit(ids[:, None], seed, _STREAM) < more
    which = np.concatenate([np.arange(len(ids)), np.flatnonzero(twice)])
    number = FIRST_ID + 2 * ids[which].astype(np.int64) + (np.arange(len(which)) >= len(ids))
    order = np.argsort(number)
    which, number = which[order], number[order]
    offset = np.stack([unit(number[:, None], seed, _STREAM + 1 + axis) for axis in range(3)], axis=1)
    at = chosen[which]
    position = points.live("position")[:, at].T + (2.0 * offset - 1.0) * _SPREAD * params.size
    size = unit(number[:, None], seed, _STREAM + 4)
    radius = 0.5 * params.size * (1.0 + params.size_spread * (2.0 * size - 1.0))
    return {
        "position": position.astype(np.float32),
        "velocity": np.ascontiguousarray(points.live("velocity")[:, at].T, dtype=np.float32),
        "id": number.astype(np.int32),
        "radius": radius.astype(np.float32),
        "rotation": random_turns(number, seed),
        "spin": np.zeros((len(number), 3), np.float32),
        "age": points.live("age")[at],
        "body": points.live("body")[at],
        "zone": np.full(len(number), ZONE_CONTINUUM, np.int32),
    }
