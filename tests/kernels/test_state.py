"""Particle arrays grow, shrink and come back together."""

import numpy as np

from solvers.state import State

LAYOUT = {"position": ("f4", 3), "id": ("i4", 1), "age": ("f4", 1)}


def _state(count: int) -> State:
    state = State(LAYOUT)
    state.append({"position": np.arange(3.0 * count).reshape(3, count), "age": np.arange(count)})
    return state


def test_ids_are_never_given_twice():
    """Dropping the youngest particles does not free their ids."""
    state = _state(5)
    state.keep(np.array([True, False, True, True, False]))
    state.append({"position": np.zeros((3, 2))})
    assert state.live("id").tolist() == [0, 2, 3, 5, 6]
    assert state.live("age").tolist() == [0.0, 2.0, 3.0, 0.0, 0.0]


def test_a_dump_continues_where_it_stopped():
    """Dump, load and append give the same arrays as appending without the detour."""
    state, other = _state(7), State(LAYOUT)
    other.load(state.dump())
    for each in (state, other):
        each.append({"position": np.ones((3, 4)), "age": np.full(4, 2.0)})
    for name in LAYOUT:
        assert np.array_equal(state.live(name), other.live(name))
    assert state.next_id == other.next_id == 11


def test_no_particles_at_all():
    """An empty state can be dumped, loaded and added to."""
    state = State(LAYOUT)
    other = State(LAYOUT)
    other.load(state.dump())
    other.append({"position": np.zeros((3, 1))})
    assert other.count == 1
