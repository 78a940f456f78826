"""Pairs of masters that press on each other: what they remember from step to step."""

import numpy as np

from solvers.solid.links import Links
from solvers.solid.pairs import PairSearch, remember
from solvers.solid.state import TOUCHING
from solvers.state import State

SPACING = 0.1


def _masters() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two bodies of two masters each, one above the other: places (3, 4), bodies (4,), ids (4,) with gaps."""
    places = np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.0, 0.095], [0.3, 0.0, 0.095]]).T
    return places, np.array([0, 0, 1, 1], np.int32), np.array([3, 4, 7, 9], np.int32)


def _find(search: PairSearch, places: np.ndarray, body: np.ndarray, ids: np.ndarray, touching: State):
    alone, none = np.zeros(2, bool), np.empty(0, np.int32)
    links = Links(np.zeros(len(ids) + 1, np.int64), none, np.empty(0, np.float32), np.zeros(1, np.int64), none, none)
    return search.find(
        places, places, places, body, alone, np.ones(2), np.full(2, 0.5), ids, touching, np.zeros((9, len(ids))), links
    )


def test_pair_that_pressed_keeps_its_spring_and_a_new_one_has_none():
    """Springs across are found again by the ids of their pair, without what lies along the normal; others start undrawn."""
    places, body, ids = _masters()
    search, touching = PairSearch(SPACING), State(TOUCHING)
    first = _find(search, places, body, ids, touching)
    assert list(zip(first.first, first.second, strict=True)) == [(0, 2), (1, 3)]
    assert not first.grip.any() and not first.slid.any()
    drawn = np.array([[0.01, 0.002, 0.5], [0.02, 0.0, 0.0]])
    remember(touching, ids, first, drawn, np.array([True, False]), np.array([True, False]))
    again = _find(search, places, body, ids, touching)
    np.testing.assert_allclose(again.grip, [[0.01, 0.002, 0.0], [0.0, 0.0, 0.0]], atol=1e-15)
    assert again.slid.tolist() == [True, False]


def test_memory_follows_masters_that_move_up_in_the_list():
    """When masters leave, the others' numbers change but not their ids: the spring stays with its pair."""
    places, body, ids = _masters()
    search, touching = PairSearch(SPACING), State(TOUCHING)
    both = _find(search, places, body, ids, touching)
    remember(touching, ids, both, np.array([[0.01, 0.0, 0.0], [0.02, 0.0, 0.0]]), np.ones(2, bool), np.zeros(2, bool))
    stay = np.array([False, True, True, True])
    search.forget()
    left = _find(search, places[:, stay], body[stay], ids[stay], touching)
    assert list(zip(left.first, left.second, strict=True)) == [(0, 2)]
    np.testing.assert_allclose(left.grip, [[0.02, 0.0, 0.0]])


def test_normal_is_that_of_the_surfaces_and_shares_add_up_to_one_contact():
    """Two flat lattices, one above the other and shifted by any part of a spacing: every pair of their faces touches along
    z at the distance of the faces, and the shares of a master away from the rim add up to about one."""
    flat = np.stack(np.meshgrid(np.arange(9), np.arange(9), np.arange(3), indexing="ij"), -1).reshape(-1, 3) * SPACING
    for shift in ((0.0, 0.0), (0.5, 0.5), (0.3, 0.1)):
        above = flat + np.array([shift[0] * SPACING, shift[1] * SPACING, 2.98 * SPACING])
        places = np.concatenate([flat, above]).T
        body = np.repeat(np.array([0, 1], np.int32), len(flat))
        ids = np.arange(2 * len(flat), dtype=np.int32)
        found = _find(PairSearch(SPACING), places, body, ids, State(TOUCHING))
        low = places[:, found.first]
        inside = (np.abs(low[:2] - 0.4).max(axis=0) < 0.25) & (low[2] > 0.15)
        assert np.abs(found.normal[inside] - [0.0, 0.0, -1.0]).max() < 1e-6
        np.testing.assert_allclose(found.gap[inside], -0.02 * SPACING, atol=1e-12)
        total = np.bincount(found.first[inside], found.stiffness[inside], len(ids))
        total = total[total > 0.0] / 0.5
        assert 0.9 < total.min() and total.max() < 1.1
