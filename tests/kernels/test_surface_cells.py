import numpy as np
import pytest

from solvers.errors import InvalidScene
from solvers.surface.blocks import EDGE, find_blocks
from solvers.surface.cells import runs_of_equals, sort_into_cells, sorted_order
from solvers.surface.shape import crowding


def test_radix_sort_is_a_stable_sort():
    """Keys of any size: the same order as numpy's stable sort, equal keys in input order."""
    key = np.random.default_rng(1).integers(0, 50, 4000) * 987_654_321
    assert np.array_equal(sorted_order(key, 36), np.argsort(key, kind="stable"))


def test_runs_name_every_value_once():
    """Distinct values and their first places."""
    value, start = runs_of_equals(np.array([3, 3, 5, 9, 9, 9]))
    assert value.tolist() == [3, 5, 9]
    assert start.tolist() == [0, 2, 3, 6]


@pytest.mark.parametrize("spread", [6.0, 3000.0])
def test_crowding_is_the_sum_over_all_pairs(spread: float):
    """Σ(1−q)² as a double loop gives it, in a dense cloud and in one whose bounding box has 10¹⁰ cells."""
    random = np.random.default_rng(2)
    centre = random.uniform(10.0, 10.0 + spread, (12, 3))
    position = (centre[random.integers(0, 12, 500)] + random.normal(0.0, 1.0, (500, 3))).astype(np.float32)
    cells = sort_into_cells(position, 2.0)
    density = np.empty(500, np.float32)
    density[cells.order] = crowding(cells, np.full(500, -1), 2.0)
    distance = np.linalg.norm(position[:, None].astype(np.float64) - position[None], axis=2)
    assert density == pytest.approx((np.maximum(0.0, 1.0 - distance / 2.0) ** 2).sum(axis=1), rel=2e-4)


def test_runaway_particle_is_named_before_keys_overflow():
    """Two particles 10⁷ spacings apart cannot be given keys: the error says so and names the cure."""
    position = np.array([[0.0, 0.0, 0.0], [1.0e7, 0.0, 0.0]], np.float32)
    with pytest.raises(InvalidScene, match="world limit"):
        sort_into_cells(position, 2.0)


def test_blocks_cover_the_reach_of_marked_particles_only():
    """Every voxel within reach of a marked particle lies in a block; nothing is made around the others; neighbours are right."""
    random = np.random.default_rng(3)
    position = random.uniform(20.0, 50.0, (60, 3)).astype(np.float32)
    cells = sort_into_cells(position, 2.0)
    marked = np.zeros(60, bool)
    marked[::7] = True
    shape = np.array([40, 40, 40])
    blocks = find_blocks(cells, marked, 2.5, 0.5, shape)
    known = {tuple(index) for index in blocks.index.tolist()}
    where = np.stack([cells.x, cells.y, cells.z], axis=1)[:60]
    for centre in where[marked]:
        ends = [np.floor((centre + side * 2.5) / (0.5 * EDGE)).astype(int) for side in (-1, 1)]
        corners = {tuple(int(ends[side[axis]][axis]) for axis in range(3)) for side in np.ndindex(2, 2, 2)}
        assert corners <= known
    low = blocks.index * 0.5 * EDGE
    gap = np.maximum(np.maximum(low[:, None] - where[marked], where[marked] - low[:, None] - 0.5 * EDGE), 0.0)
    assert gap.max(axis=2).min(axis=1).max() <= 2.5 + 2.0  # a cell's particles share one box, at most a cell wider
    for b, around in enumerate(blocks.beside):
        for n, other in enumerate(around):
            there = blocks.index[b] + [n // 9 - 1, n // 3 % 3 - 1, n % 3 - 1]
            assert (other >= 0) == (tuple(there.tolist()) in known)
            assert other < 0 or np.array_equal(blocks.index[other], there)
