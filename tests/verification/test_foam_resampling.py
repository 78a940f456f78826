"""Resampling and healing: totals, cavities, dust, where torn foam came to rest."""

import numpy as np
import pytest

from solvers import WorldParams
from solvers.materials.foam_params import FoamParams
from solvers.mpm.foam import FoamSolver
from solvers.mpm.resample import CROWDED, Resampler
from solvers.world import Member
from tests.verification.foam_scenes import no_walls, pulled_rod, totals_of


def test_resampling_conserves():
    """Insertion and merging change mass, momentum and volume by rounding only; ids of survivors stay, new ones are new."""
    solver, _ = pulled_rod(False, frames=2)
    state, tiles = solver.state, solver.grid
    rng = np.random.default_rng(0)
    state.live("velocity")[...] = rng.normal(size=state.live("velocity").shape)
    x = state.live("position")
    x[2] = 2.0 * x[2]  # drawn out: voids along z
    x[:2] *= 0.4  # and crowded across
    before, ids = totals_of(state), set(state.live("id").tolist())
    sampler = Resampler(0.005, np.array([200.0 * 0.005**3]))
    for round_ in range(20):
        state.live("plastic")[...] = 1.0 + 0.01 * round_  # who looks for voids changes as the foam flows
        solver.grid.loosen()
        solver.grid.sort(state, no_walls(solver.cell))
        assert tiles.tiles is not None
        sampler.run(state, tiles.tiles, solver.cell, 0.5)
    after, now = totals_of(state), state.live("id")
    assert len(set(now.tolist())) == state.count
    merged, born = len(ids - set(now.tolist())), int(np.count_nonzero(now > max(ids)))
    assert merged > 50 and born > 50
    for first, second in zip(before, after, strict=True):
        assert np.allclose(first, second, rtol=1e-6, atol=1e-9)


def test_cavities_stay_empty():
    """A bubble three cells wide in flowing foam is left alone; a hole of one particle is filled."""
    spacing = 0.01
    grid = np.stack(np.meshgrid(*[np.arange(18)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) * spacing + 0.5 * spacing
    bubble = np.linalg.norm(grid - 0.09, axis=1) < 0.03
    hole = np.linalg.norm(grid - np.array([0.035, 0.035, 0.035]), axis=1) < 0.012
    filled = {"bubble": 0, "hole": 0}
    solver = FoamSolver([Member("Foam", FoamParams(), "Foam")], WorldParams(spacing=spacing), 1.0)
    solver.add(0, grid[~(bubble | hole)], np.zeros((np.count_nonzero(~(bubble | hole)), 3)))
    state = solver.state
    first_new = state.next_id
    sampler = Resampler(spacing, np.array([200.0 * spacing**3]))
    for round_ in range(30):
        state.live("plastic")[...] = 1.0 + 0.01 * round_  # who looks for voids changes as the foam flows
        solver.grid.loosen()
        solver.grid.sort(state, no_walls(solver.cell))
        assert solver.grid.tiles is not None
        sampler.run(state, solver.grid.tiles, solver.cell, 0.5)
    new = state.live("position").T[state.live("id") >= first_new]
    filled["bubble"] = int(np.count_nonzero(np.linalg.norm(new - 0.09, axis=1) < 0.03))
    filled["hole"] = int(np.count_nonzero(np.linalg.norm(new - 0.035, axis=1) < 0.012))
    assert filled["bubble"] == 0 and filled["hole"] >= 1
    assert len(new) == filled["hole"], "nothing is added at the surface"
    assert CROWDED < 0.5


def test_torn_dust_draws_back():
    """A torn particle alone beside a block goes into the nearest whole one: mass and momentum stay, one particle less."""
    spacing = 0.01
    grid = np.stack(np.meshgrid(*[np.arange(6)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) * spacing
    solver = FoamSolver([Member("Foam", FoamParams(), "Foam")], WorldParams(spacing=spacing), 1.0)
    solver.add(0, np.concatenate([grid, [[0.066, 0.02, 0.02]]]), np.tile([1.0, 0.0, 0.0], (len(grid) + 1, 1)))
    state = solver.state
    state.live("torn")[-1], state.live("density")[-1], state.live("velocity")[:, -1] = 1.0, 20.0, (0.0, 3.0, 0.0)
    before = totals_of(state)
    solver.grid.sort(state, no_walls(solver.cell))
    assert solver.grid.tiles is not None
    Resampler(spacing, np.array([200.0 * spacing**3])).run(state, solver.grid.tiles, solver.cell, 0.5)
    assert state.count == len(grid) and not state.live("torn").any()
    for first, second in zip(before, totals_of(state), strict=True):
        assert np.allclose(first, second, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("opening", "gap", "torn_after"), [(-1.0, 0.08, 0), (1.0, 0.08, 1), (-1.0, 0.03, 1)])
def test_torn_foam_heals_where_it_came_to_rest(opening: float, gap: float, torn_after: int):
    """A torn particle that lies on a block becomes part of it, without strain; one that is being drawn off it does not, nor one
    in the gap to another block."""
    spacing = 0.01
    grid = np.stack(np.meshgrid(*[np.arange(6)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) * spacing
    solver = FoamSolver([Member("Foam", FoamParams(), "Foam")], WorldParams(spacing=spacing), 1.0)
    grid = np.concatenate([grid, grid + np.array([0.05 + gap, 0.0, 0.0])])
    solver.add(0, np.concatenate([grid, [[0.06, 0.02, 0.02]]]), np.zeros((len(grid) + 1, 3)))
    state = solver.state
    state.live("torn")[-1], state.live("stretch")[-1], state.live("jacobian")[-1] = 1.0, 2.0, 1.2
    state.live("density")[:] = 200.0
    state.live("affine")[0, -1], state.live("elastic")[0, -1] = opening, 1.3
    solver.grid.sort(state, no_walls(solver.cell))
    assert solver.grid.tiles is not None
    Resampler(spacing, np.array([200.0 * spacing**3])).run(state, solver.grid.tiles, solver.cell, 0.5)
    ours = int(np.argmax(state.live("id")))
    assert state.count == len(grid) + 1 and state.live("torn").sum() == torn_after
    if not torn_after:
        assert state.live("jacobian")[ours] == 1.0 and state.live("stretch")[ours] == 0.0
        assert np.array_equal(state.live("elastic")[:, ours], [1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
