"""Rows and block lists against all pairs."""

import numpy as np
import pytest

from solvers.sph.neighbours import Blocks, Neighbourhood
from solvers.state import State

H = 0.2


def _state(points: np.ndarray) -> State:
    state = State({"position": ("f4", 3), "id": ("i4", 1)})
    state.append({"position": points})
    return state


def _pairs(state: State, blocks: Blocks) -> np.ndarray:
    """How often each particle lists each other one, (n, n)."""
    listed = np.zeros((state.count, state.count), int)
    for i in range(state.count):
        for block in range(blocks.first[i], blocks.last[i]):
            for lane in range(8):
                if blocks.bits[block] >> lane & 1:
                    listed[i, blocks.start[block] + lane] += 1
    return listed


def _all_pairs(state: State) -> np.ndarray:
    x = state.live("position").T
    near = ((x[:, None] - x[None]) ** 2).sum(axis=2) < np.float32(H) ** 2
    np.fill_diagonal(near, False)
    return near.astype(int)


@pytest.mark.parametrize("kind", ["cloud", "far flung", "clump", "one", "negative"])
def test_every_neighbour_once(kind: str):
    """Each pair closer than h is listed exactly once from each side, nobody lists himself, whatever the arrangement."""
    rng = np.random.default_rng(3)
    points = rng.uniform(0.0, 1.0, (3, 500))
    if kind == "far flung":
        points[:, 0], points[:, 1] = (900.0, -700.0, 800.0), (-900.0, 700.0, 0.0)
    elif kind == "clump":
        points *= 0.15
    elif kind == "one":
        points = points[:, :1]
    elif kind == "negative":
        points -= 5.0
    state = _state(points)
    blocks = Neighbourhood(H).find(state)
    assert np.array_equal(_pairs(state, blocks), _all_pairs(state))


def test_sorting_moves_whole_particles():
    """Position and id stay together, nobody is lost."""
    points = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 400)).astype(np.float32)
    state = _state(points)
    Neighbourhood(H).sort(state)
    assert sorted(state.live("id")) == list(range(400))
    assert np.array_equal(state.live("position"), points[:, state.live("id")])
