"""Pieces of the hybrid of grains: rates of volume, the ledger, rims of colliders, the meeting at the nodes."""

from typing import Any

import numpy as np
import pytest

from solvers import Mesh
from solvers.hybrid.continuum import ZONE_CONTINUUM, Continuum
from solvers.hybrid.couple import Coupling
from solvers.hybrid.ledger import Sums, box_sums, spread
from solvers.hybrid.locking import share_divergence
from solvers.hybrid.rims import rim_points, sharp_edges
from solvers.materials.grains_params import GrainsParams
from solvers.walls import Walls
from solvers.watch import Silent

SIZE = 0.01
CELL = 2.0 * SIZE


def no_walls() -> Walls:
    return Walls([], reach=2.0 * CELL, frames_per_second=24.0, frame_start=1, watch=Silent())


def block(seed: int = 1) -> Continuum:
    """A cube of 6 cells of points, a little shaken, sorted; the nodes hold mass and momentum."""
    continuum = Continuum([GrainsParams(size=SIZE)], "Sand")
    continuum.stiffen(1.0e6)
    axes = [np.arange(0.5 * SIZE, 6 * CELL, SIZE)] * 3
    place = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    place += np.random.default_rng(seed).uniform(-0.2, 0.2, place.shape) * SIZE
    continuum.append(0, place, np.zeros_like(place), ZONE_CONTINUUM)
    continuum.to_nodes(no_walls(), 1.0e-4, 0.0)
    return continuum


def set_nodes(continuum: Continuum, field) -> None:
    """Velocities of the nodes by `field(x)` (…, 3)."""
    nodes = continuum.grid.nodes
    nodes[..., :3] = np.where(nodes[..., 3:] > 0.0, field(continuum.grid.node_places().astype(float)), 0.0)


def test_points_of_a_cell_share_the_rate_of_volume():
    """In a linear field every point keeps its trace; in any other, all points of a cell get one, and shear stays."""
    continuum = block()
    state, tiles = continuum.state, continuum.grid.tiles
    matrix = np.random.default_rng(2).normal(size=(3, 3))
    set_nodes(continuum, lambda x: x @ matrix.T)
    continuum.grid.gather(state, 1.0e-9)
    before = state.live("affine").copy()
    arrays = (state["position"], state["velocity"], state["affine"], tiles, continuum.grid.nodes)
    share_divergence(*arrays, np.float32(1.0 / CELL), np.float32(1.0e-9))
    assert np.allclose(state.live("affine"), before, atol=1.0e-4)
    set_nodes(continuum, lambda x: np.sin(90.0 * x) + np.cos(70.0 * x[..., [1, 2, 0]]))
    continuum.grid.gather(state, 1.0e-9)
    before = state.live("affine").copy()
    share_divergence(*arrays, np.float32(1.0 / CELL), np.float32(1.0e-9))
    after = state.live("affine")
    trace = after[[0, 4, 8]].sum(axis=0)
    cell = np.floor(state.live("position") / np.float32(CELL)).astype(int)
    number = (cell[0] * 100 + cell[1]) * 100 + cell[2]
    for one in np.unique(number):
        assert np.ptp(trace[number == one]) < 1.0e-3 * np.abs(trace).max()
    assert np.ptp(before[[0, 4, 8]].sum(axis=0)[number == number[0]]) > 1.0e-2 * np.abs(trace).max()
    off = [1, 2, 3, 5, 6, 7]
    assert np.array_equal(after[off], before[off])
    assert np.allclose((after[0] - after[4]), before[0] - before[4], atol=1.0e-3)


def test_remainders_are_shared_out_to_rounding():
    """What cells owe reaches points around in full, nobody far away gets any, and cells without points around are named."""
    random = np.random.default_rng(3)
    shape = (24, 9, 8)
    points = np.zeros(shape)
    points[:14] = random.uniform(0.5, 1.0, (14, 9, 8))
    rest = Sums(np.zeros(points.size), np.zeros((3, points.size)))
    owing = [np.ravel_multi_index(place, shape) for place in ((2, 4, 4), (3, 1, 2), (15, 4, 4), (22, 4, 4))]
    rest.mass[owing] = (0.7, -0.4, 0.2, 0.3)
    rest.momentum[:, owing] = random.normal(size=(3, 4))
    extra, left = spread(rest, points.reshape(-1), shape)
    assert left.tolist() == [owing[3]]
    assert extra.mass.sum() == pytest.approx(0.5, abs=1e-12)
    assert np.allclose(extra.momentum.sum(axis=1), rest.momentum[:, owing[:3]].sum(axis=1), atol=1e-12)
    assert np.abs(extra.mass.reshape(shape)[8:11]).max() < 1e-12 and np.all(extra.mass[points.reshape(-1) == 0.0] == 0.0)
    naive: Any = sum(np.roll(np.pad(points, 2), (i, j, k), (0, 1, 2)) for i, j, k in np.ndindex(5, 5, 5))
    assert np.allclose(box_sums(points, 2), naive[4:, 4:, 4:][: shape[0], : shape[1], : shape[2]])


def test_the_rim_of_a_slot_is_found_and_hidden_edges_are_not():
    """Two floor plates beside a slot, their outer ends inside walls: rims are the two edges of the slot, above and below."""
    ends, ways = sharp_edges(*(lambda mesh: (mesh.at(0), mesh.triangles))(Mesh.box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))))
    assert len(ends) == 12 and np.allclose(np.linalg.norm(ways, axis=2), 1.0)
    boxes = {
        "Left": ((-0.1, 0.0, -0.06), (0.2, 0.4, 0.0)), "Right": ((0.36, 0.0, -0.06), (0.7, 0.4, 0.0)),
        "Left wall": ((-0.2, -0.1, -0.2), (0.0, 0.5, 0.5)), "Right wall": ((0.6, -0.1, -0.2), (0.8, 0.5, 0.5)),
        "Front": ((-0.2, -0.2, -0.2), (0.8, 0.0, 0.5)), "Back": ((-0.2, 0.4, -0.2), (0.8, 0.6, 0.5)),
    }  # fmt: skip
    rims = rim_points([Mesh.box(*corners) for corners in boxes.values()], CELL)
    inside = rims[(rims[:, 1] > 0.01) & (rims[:, 1] < 0.39) & (rims[:, 2] > -0.1) & (rims[:, 2] < 0.4)]
    assert set(np.round(inside[:, 0], 6)) == {0.2, 0.36} and set(np.round(inside[:, 2], 6)) == {-0.06, 0.0}


def test_grains_meet_the_nodes():
    """Grains take velocity and gradient of a linear field exactly; giving adds their whole momentum to the nodes."""
    continuum = block()
    place = np.random.default_rng(4).uniform(1.2 * CELL, 4.8 * CELL, (3, 40))
    matrix, constant = np.random.default_rng(5).normal(size=(3, 3)), np.array([0.3, -0.2, 0.1])
    coupling = Coupling(place, continuum)
    mass, velocity, affine = np.full(40, 1.0e-3), np.ones((3, 40)), np.random.default_rng(6).normal(size=(9, 40))
    before = continuum.grid.nodes.astype(float).sum(axis=(0, 1))
    coupling.give(mass, velocity, affine)
    gained = continuum.grid.nodes.astype(float).sum(axis=(0, 1)) - before
    assert np.allclose(gained, [0.04, 0.04, 0.04, 0.04], rtol=1e-4)
    set_nodes(continuum, lambda x: x @ matrix.T + constant)
    coupling.take(velocity, affine)
    assert np.allclose(velocity, matrix @ place + constant[:, None], atol=1e-5)
    assert np.allclose(affine.reshape(3, 3, 40).transpose(1, 0, 2), matrix[:, :, None], atol=1e-3)
