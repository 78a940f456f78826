"""Links, shape functions and gradients against naive NumPy; what they must reproduce and conserve."""

import numpy as np
import pytest

from solvers.solid.links import link, within
from solvers.solid.rows import carry_rows, fill_rows
from solvers.solid.shape import shape_rows
from solvers.solid.solve import Solver, blocks, empty_system
from solvers.solid.transfer import CARRIED, load_masters, to_masters, to_slaves

REACH = 0.35


def _cloud(seed: int = 0, masters: int = 120, slaves: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(0.0, 1.0, (masters, 3)), rng.uniform(-0.3, 1.3, (slaves, 3))


def _padded(points: np.ndarray) -> np.ndarray:
    return np.concatenate([points, np.zeros((len(points), 1))], axis=1)


def _rows(masters, slaves, links, kind):
    row, centre = np.zeros((len(links.slave), 4), np.float32), np.zeros((len(masters), 3))
    skip = np.zeros(len(masters), bool)
    if kind == "fit":
        fill_rows(
            masters.T.copy(),
            _padded(slaves),
            links.start,
            links.slave,
            links.weight,
            np.full(len(masters), REACH),
            skip,
            row,
            centre,
        )
    else:
        room = np.empty((2, len(row)))
        shape_rows(
            masters.T.copy(), _padded(slaves), links.start, links.slave, np.full(len(masters), REACH), skip, room[0], room[1], row
        )
    return row, centre


def _sum(links, values):
    master = np.repeat(np.arange(len(links.start) - 1), np.diff(links.start))
    total = np.zeros((len(links.start) - 1, *values.shape[1:]))
    np.add.at(total, master, values)
    return total


def _zeros(points):
    return np.zeros(len(points), np.int32)


def test_within_finds_what_a_full_search_finds():
    """All pairs closer than the reach, of the same group only."""
    a, b = _cloud(1)
    ga, gb = np.arange(len(a), dtype=np.int32) % 3, np.arange(len(b), dtype=np.int32) % 3
    start, index, square = within(a, ga, b, gb, REACH)
    distance = np.linalg.norm(a[:, None] - b[None], axis=2)
    wanted = (distance < REACH) & (ga[:, None] == gb[None])
    for m in range(len(a)):
        found = index[start[m] : start[m + 1]]
        assert sorted(found) == list(np.flatnonzero(wanted[m]))
        np.testing.assert_allclose(np.sqrt(square[start[m] : start[m + 1]]), distance[m, found])


@pytest.mark.parametrize("kind", ["fit", "full"])
def test_rows_reproduce_linear_fields(kind):
    """Σ N = 1, Σ N x = x_m, Σ g = 0, Σ g xᵀ = I in a cloud without any order."""
    masters, slaves = _cloud(2)
    links = link(masters, _zeros(masters), slaves, _zeros(slaves), np.array([REACH]))
    row, centre = _rows(masters, slaves, links, kind)
    places = slaves[links.slave]
    np.testing.assert_allclose(_sum(links, row[:, 3].astype(float)), 1.0, atol=2e-6)
    np.testing.assert_allclose(_sum(links, row[:, 3:4] * places), masters + centre, atol=2e-5)
    np.testing.assert_allclose(_sum(links, row[:, :3].astype(float)), 0.0, atol=2e-4)
    np.testing.assert_allclose(
        _sum(links, places[:, :, None] * row[:, None, :3]), np.tile(np.eye(3), (len(masters), 1, 1)), atol=2e-4
    )
    if kind == "fit":
        assert row[:, 3].min() >= 0.0, "a share of mass is never negative"


def test_first_layout_needs_no_shortening_and_gives_every_master_as_many_slaves():
    """A box: all masters see nearly the same number of slaves, also at the surface, and N reproduces their places exactly."""
    from solvers.solid.layout import REACH as FACTOR
    from solvers.solid.layout import first_layout

    for ratio in (1.0, 2.0):
        side = (np.arange(8) + 0.5) * 0.05
        masters = np.stack(np.meshgrid(side, side, side, indexing="ij"), -1).reshape(-1, 3)
        reach = FACTOR * ratio * 0.05
        slaves = first_layout(masters, 0.05, ratio * 0.05, reach)
        links = link(masters, _zeros(masters), slaves, _zeros(slaves), np.array([reach]))
        row, centre = np.zeros((len(links.slave), 4), np.float32), np.zeros((len(masters), 3))
        fill_rows(
            masters.T.copy(),
            _padded(slaves),
            links.start,
            links.slave,
            links.weight,
            np.full(512, reach),
            np.zeros(512, bool),
            row,
            centre,
        )
        seen = np.diff(links.start)
        assert seen.min() >= 0.75 * seen.max()
        assert np.abs(centre).max() < 1e-12


def test_fit_is_numpys_weighted_least_squares():
    """The gradient is that of numpy's weighted linear fit."""
    masters, slaves = _cloud(3, masters=20)
    links = link(masters, _zeros(masters), slaves, _zeros(slaves), np.array([REACH]))
    row, _ = _rows(masters, slaves, links, "fit")
    field = np.sin(3.0 * slaves[:, 0]) * slaves[:, 1] + slaves[:, 2] ** 2
    for m in range(20):
        part = slice(links.start[m], links.start[m + 1])
        own, w = links.slave[part], np.sqrt(links.weight[part])
        basis = np.concatenate([np.ones((len(own), 1)), slaves[own] - masters[m]], axis=1)
        wanted = np.linalg.lstsq(basis * w[:, None], field[own] * w, rcond=None)[0]
        np.testing.assert_allclose(field[own] @ row[part, :3], wanted[1:], rtol=1e-3, atol=1e-4)


def test_flat_and_lonely_neighbourhoods_do_not_crash():
    """Slaves in one plane, on one line, a single one: finite rows, Σ N = 1, Σ g = 0."""
    masters = np.array([[0.5, 0.5, 0.0], [5.0, 0.0, 0.0], [9.0, 0.0, 0.0]])
    sheet = np.stack(np.meshgrid(np.linspace(0.3, 0.7, 5), np.linspace(0.3, 0.7, 5), [0.0]), -1).reshape(-1, 3)
    line = np.stack([np.linspace(4.8, 5.2, 5), np.zeros(5), np.zeros(5)], axis=1)
    slaves = np.concatenate([sheet, line, [[9.05, 0.0, 0.0]]])
    links = link(masters, _zeros(masters), slaves, _zeros(slaves), np.array([REACH]))
    for kind in ("fit", "full"):
        row, _ = _rows(masters, slaves, links, kind)
        assert np.isfinite(row).all()
        np.testing.assert_allclose(_sum(links, row[:, 3].astype(float)), 1.0, atol=1e-5)
        np.testing.assert_allclose(_sum(links, row[:, :3].astype(float)), 0.0, atol=1e-3)


def test_transfer_conserves_mass_and_momenta_and_carries_linear_fields():
    """To slaves and back: mass, linear and angular momentum are kept, an affine velocity field comes back as it was."""
    masters, slaves = _cloud(4, masters=300, slaves=600)
    links = link(masters, _zeros(masters), slaves, _zeros(slaves), np.array([REACH]))
    row, centre = _rows(masters, slaves, links, "fit")
    back = row[links.back_entry]
    gradient = np.array([[0.3, -1.0, 0.2], [0.8, -0.1, 0.5], [0.1, 0.4, 0.6]])
    velocity = masters @ gradient.T + np.array([1.0, -2.0, 3.0])
    mass = np.random.default_rng(5).uniform(0.5, 1.5, len(masters))
    carried = np.zeros((len(masters), CARRIED))
    field = np.repeat(gradient.ravel()[:, None], len(masters), axis=1)
    load_masters(masters.T.copy(), velocity.T.copy(), field, mass, centre, len(masters), carried)
    slave_mass, slave_velocity = np.zeros(len(slaves)), np.zeros((len(slaves), 4))
    to_slaves(carried, links.back_start, links.back_master, back, _padded(slaves), slave_mass, slave_velocity)
    assert slave_mass.sum() == pytest.approx(mass.sum(), rel=1e-6)
    np.testing.assert_allclose((slave_mass[:, None] * slave_velocity[:, :3]).sum(0), (mass[:, None] * velocity).sum(0), rtol=1e-5)
    heavy = slave_mass > 0.01
    np.testing.assert_allclose(
        slave_velocity[heavy, :3], (slaves @ gradient.T + np.array([1.0, -2.0, 3.0]))[heavy], atol=0.05
    )  # exact but where N was shortened
    out_velocity, out_gradient = velocity.T.copy(), np.zeros((9, len(masters)))
    exact = _padded(slaves @ gradient.T + np.array([1.0, -2.0, 3.0]))
    to_masters(links.start, links.slave, row, exact, exact, 1.0, 0.0, out_velocity, out_gradient, np.zeros_like(out_velocity))
    np.testing.assert_allclose(out_velocity.T, velocity + centre @ gradient.T, atol=1e-5)
    np.testing.assert_allclose(out_gradient, field, atol=1e-3)


def test_carried_rows_are_the_rows_of_the_deformed_body():
    """After an affine map F of all slaves, g = F⁻ᵀ g₀ and F comes out of the places; Σ g xᵀ = I again."""
    masters, slaves = _cloud(6)
    links = link(masters, _zeros(masters), slaves, _zeros(slaves), np.array([REACH]))
    rest, _ = _rows(masters, slaves, links, "full")
    f = np.array([[1.4, 0.3, 0.0], [-0.2, 0.8, 0.1], [0.0, 0.5, 1.1]])
    moved = slaves @ f.T + 5.0
    elastic, row = np.zeros((9, len(masters))), np.zeros_like(rest)
    carry_rows(_padded(moved), links.start, links.slave, np.ones(len(masters), bool), rest, elastic, row)
    np.testing.assert_allclose(elastic.T.reshape(-1, 3, 3), np.tile(f, (len(masters), 1, 1)), atol=2e-4)
    np.testing.assert_allclose(
        _sum(links, moved[links.slave][:, :, None] * row[:, None, :3]), np.tile(np.eye(3), (len(masters), 1, 1)), atol=2e-3
    )


def test_conjugate_gradients_solve_the_dense_system():
    """The matrix-free solve is numpy's solve of the matrix that the products describe; that matrix is symmetric."""
    from solvers.solid import law

    masters, slaves = _cloud(7, masters=60, slaves=60)
    links = link(masters, _zeros(masters), slaves, _zeros(slaves), np.array([0.5]))
    row = np.zeros((len(links.slave), 4), np.float32)
    centre = np.zeros((60, 3))
    fill_rows(
        masters.T.copy(),
        _padded(slaves),
        links.start,
        links.slave,
        links.weight,
        np.full(60, 0.5),
        np.zeros(60, bool),
        row,
        centre,
    )
    rng = np.random.default_rng(8)
    f = np.eye(3) + 0.2 * rng.uniform(-1, 1, (60, 3, 3))
    points = law.Points(f.reshape(60, 9).T.copy(), np.ones(60), np.zeros(60), np.zeros(60), np.zeros(60, np.int32),
                        np.full(60, 0.01), np.zeros(60, np.int32))  # fmt: skip
    table = np.array([[300.0, 700.0, law.NEVER, law.NEVER, 0.0, 1000.0, 0.0, 1.0]])
    stress, curve = np.zeros((60, 9), np.float32), np.zeros((60, law.CURVE), np.float32)
    law.stress_and_curvature(points, table, 60, stress, curve)
    mass, back = rng.uniform(0.5, 1.5, 60), row[links.back_entry]
    spread = np.zeros((60, 6), np.float32)
    spread[:, :3] = 0.02 * rng.uniform(0.5, 1.5, (60, 3))
    spread[:, 3:] = 0.005 * rng.uniform(-1.0, 1.0, (60, 3))
    system, solver = empty_system(links, row, back, curve, mass, spread), Solver()
    dense = np.zeros((180, 180))
    for column in range(180):
        vector, out = np.zeros((60, 4), np.float32), np.zeros((60, 4), np.float32)
        vector[column // 3, column % 3] = 1.0
        solver.multiply(system, None, 0.1, vector, out)
        dense[:, column] = out[:, :3].ravel()
    assert np.abs(dense - dense.T).max() < 1e-5 * np.abs(dense).max()
    assert np.linalg.eigvalsh(dense).min() > 0.0
    right = np.zeros((60, 4), np.float32)
    right[:, :3] = rng.normal(size=(60, 3))
    inverse, change = np.zeros((60, 6), np.float32), np.zeros((60, 4), np.float32)
    none = np.zeros((60, 6))
    blocks(links.back_start, links.back_master, back, np.full(60, 3.0), np.full(60, 7.0), mass, spread, 0.1, none, inverse)
    iterations = solver.solve(system, None, 0.1, inverse, right, change, 1e-6, 200)
    assert 3 < iterations < 200
    np.testing.assert_allclose(change[:, :3].ravel(), np.linalg.solve(dense, right[:, :3].ravel()), atol=1e-4)


def test_inertia_of_linear_motion_is_that_of_the_masters() -> None:
    """½ vᵀ M v = ½ Σ m |v_m|² for any linear motion, in the rest shape and turned; no motion has less than nine hundredths
    of what masses at the slaves have; a row of M adds up to the slave's mass."""
    from solvers.solid import law, layout
    from solvers.solid.inertia import carry_spread, spread_at_rest

    masters = np.stack(np.meshgrid(np.arange(6), np.arange(4), np.arange(2), indexing="ij"), -1).reshape(-1, 3) + 0.5
    count, reach = len(masters), layout.REACH * 2.0
    slaves = layout.first_layout(masters, 1.0, 2.0, layout.RIM * reach)
    zeros = np.zeros(len(slaves), np.int32)
    links = link(masters, zeros[:count] if count <= len(slaves) else np.zeros(count, np.int32), slaves, zeros, np.array([reach]))
    rest, room = np.zeros((len(links.slave), 4), np.float32), np.empty((2, len(links.slave)))
    whole, mass, place = np.ones(count, bool), np.full(count, 3.0), masters.T.copy()
    shape_rows(place, _padded(slaves), links.start, links.slave, np.full(count, reach), ~whole, room[0], room[1], rest)
    spread = spread_at_rest(links.start, links.slave, rest, _padded(slaves), place, mass, whole, ~whole)
    f = np.array([[0.0, -1.1, 0.0], [0.9, 0.0, 0.2], [0.0, 0.1, 1.0]])
    moved, row, elastic = _padded(slaves @ f.T), np.zeros_like(rest), np.zeros((9, count))
    carry_rows(moved, links.start, links.slave, whole, rest, elastic, row)
    carried = np.zeros_like(spread)
    carry_spread(elastic, spread, whole, carried)
    back = row[links.back_entry]
    own = np.bincount(links.slave, 3.0 * row[:, 3], len(slaves))
    system = empty_system(links, row, back, np.zeros((count, law.CURVE), np.float32), own, carried)
    out, c = np.zeros((len(slaves), 4), np.float32), np.array([[0.3, -2.0, 1.0], [0.5, 0.7, 0.0], [-1.0, 0.4, 0.2]])
    middle = masters.mean(axis=0) @ f.T
    velocity = _padded((moved[:, :3] - middle) @ c.T + [0.1, 0.2, 0.3]).astype(np.float32)
    at_masters = (masters @ f.T - middle) @ c.T + [0.1, 0.2, 0.3]
    twice = Solver().multiply(system, None, 0.0, velocity, out)
    assert twice == pytest.approx(3.0 * (at_masters**2).sum(), rel=1e-4)
    assert own @ (velocity[:, :3].astype(float) ** 2).sum(axis=1) > 1.2 * twice, "what masses at the slaves would give"
    still = np.zeros_like(velocity)
    still[:, 0] = 1.0
    Solver().multiply(system, None, 0.0, still, out)
    np.testing.assert_allclose(out[:, 0], own, atol=1e-4)
    dense = np.zeros((len(slaves), len(slaves)))
    for s in range(len(slaves)):
        vector = np.zeros_like(velocity)
        vector[s, 0] = 1.0
        Solver().multiply(system, None, 0.0, vector, out)
        dense[:, s] = out[:, 0]
    assert np.linalg.eigvalsh(dense / np.sqrt(np.outer(own, own))).min() > 0.09
