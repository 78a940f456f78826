"""The sums over neighbours against plain NumPy."""

from typing import NamedTuple

import numpy as np
import pytest

from solvers.sph import passes
from solvers.sph.neighbours import Blocks, Neighbourhood
from solvers.state import State

SPACING = 0.1
H = 0.2


class Cloud(NamedTuple):
    state: State
    blocks: Blocks
    walled: passes.Walled
    reach: passes.Reach
    offset: np.ndarray
    """x_i − x_j, (n, n, 3)."""
    closeness: np.ndarray
    """1 − q for neighbours, 0 for others, (n, n)."""


@pytest.fixture(scope="module")
def cloud() -> Cloud:
    rng = np.random.default_rng(7)
    side = np.arange(6) * SPACING
    points = np.stack(np.meshgrid(side, side, side, indexing="ij")).reshape(3, -1) + rng.uniform(-0.02, 0.02, (3, 216))
    state = State({"position": ("f4", 3), "velocity": ("f4", 3), "id": ("i4", 1)})
    state.append({"position": points, "velocity": rng.normal(size=(3, 216))})
    blocks = Neighbourhood(H, cubes=True).find(state)
    row = np.full(216, -1, np.int32)
    row[::5] = np.arange(len(row[::5]))
    walls = len(row[::5])
    walled = passes.Walled(
        row,
        rng.uniform(0.0, 0.4, walls).astype(np.float32),
        rng.normal(size=(walls, 3)).astype(np.float32),
        rng.normal(size=(walls, 3)).astype(np.float32),
    )
    x = state.live("position").T.astype(np.float64)
    offset = x[:, None] - x[None]
    q = np.sqrt((offset**2).sum(axis=2)) / H
    closeness = np.where((q < 1.0) & ~np.eye(216, dtype=bool), 1.0 - q, 0.0)
    return Cloud(state, blocks, walled, passes.reach_of(H, SPACING**3), offset, closeness)


def _slopes(cloud: Cloud) -> np.ndarray:
    """∇δ_ij, (n, n, 3)."""
    c = 21.0 / (2.0 * np.pi)
    return -20.0 * c / H**5 * SPACING**3 * cloud.closeness[..., None] ** 3 * cloud.offset


def _wall(cloud: Cloud, values: np.ndarray) -> np.ndarray:
    """Wall rows spread over all particles, zero away from walls."""
    row = cloud.walled.row
    return np.where((row >= 0).reshape(-1, *[1] * (values.ndim - 1)), values[np.maximum(row, 0)], 0.0)


def test_density_and_diagonal(cloud: Cloud):
    """δ_i and the diagonal of the pressure equation equal the plain sums, walls included."""
    density, diagonal = np.zeros(216, np.float32), np.zeros(216, np.float32)
    passes.density_pass(cloud.state["position"], cloud.blocks, cloud.walled, cloud.reach, density, diagonal)
    t = cloud.closeness
    expected = float(cloud.reach.own) + 21.0 / (2.0 * np.pi) / 8.0 * (t**4 * (5.0 - 4.0 * t)).sum(axis=1)
    slopes = _slopes(cloud)
    total = slopes.sum(axis=1) + _wall(cloud, cloud.walled.slope)
    assert np.allclose(density, expected + _wall(cloud, cloud.walled.weight), rtol=1e-5)
    assert np.allclose(diagonal, (total**2).sum(axis=1) + (slopes**2).sum(axis=(1, 2)), rtol=1e-4)


def test_a_lattice_at_rest_has_density_one():
    """Inside a cubic lattice δ = 1."""
    side = np.arange(7) * SPACING
    state = State({"position": ("f4", 3), "id": ("i4", 1)})
    state.append({"position": np.stack(np.meshgrid(side, side, side, indexing="ij")).reshape(3, -1)})
    blocks = Neighbourhood(H, cubes=True).find(state)
    nowhere = passes.Walled(np.full(343, -1, np.int32), *(np.zeros(shape, np.float32) for shape in (1, (1, 3), (1, 3))))
    density, diagonal = np.zeros(343, np.float32), np.zeros(343, np.float32)
    passes.density_pass(state["position"], blocks, nowhere, passes.reach_of(H, SPACING**3), density, diagonal)
    inside = np.all((state.live("position") > 0.19) & (state.live("position") < 0.41), axis=0)
    assert np.allclose(density[inside], 1.0, atol=1e-5)


def test_rate_of_compression(cloud: Cloud):
    """dδ/dt equals Σ (v_i − v_j)·∇δ_ij + (v_i − v_wall)·∇λ_i."""
    rate = np.zeros(216, np.float32)
    passes.rate_pass(cloud.state["position"], cloud.state["velocity"], cloud.blocks, cloud.walled, cloud.reach, rate)
    v = cloud.state.live("velocity").T.astype(np.float64)
    expected = ((v[:, None] - v[None]) * _slopes(cloud)).sum(axis=(1, 2))
    expected += ((v - _wall(cloud, cloud.walled.velocity)) * _wall(cloud, cloud.walled.slope)).sum(axis=1)
    # (1 − q)³ is kept in 16 bits: half a unit of each pair at most
    x = cloud.state.live("position").T.astype(np.float64)
    along = np.abs(((v[:, None] - v[None]) * (x[:, None] - x[None])).sum(axis=2)) * (np.abs(_slopes(cloud)).sum(axis=2) > 0.0)
    rounding = float(cloud.reach.slope) * 0.5 / 65535.0 * along.sum(axis=1)
    assert np.all(np.abs(rate - expected) < rounding + 1e-3 + 1e-4 * np.abs(expected))


def test_pressure_conserves_momentum(cloud: Cloud):
    """Away from walls pressure forces cancel in pairs; with walls they equal the plain sum."""
    rng = np.random.default_rng(2)
    pressure = np.zeros(224, np.float32)
    pressure[:216] = rng.uniform(0.0, 1.0e3, 216)
    specific = np.full(216, 1.0e-3, np.float32)
    acceleration = np.zeros((3, 224), np.float32)
    passes.pressure_pass(cloud.state["position"], pressure, cloud.blocks, cloud.walled, cloud.reach, specific, acceleration)
    p = pressure[:216].astype(np.float64)
    pairs = -1.0e-3 * ((p[:, None] + p[None])[..., None] * _slopes(cloud)).sum(axis=1)
    assert np.abs(pairs.sum(axis=0)).max() < 1e-9 * np.abs(pairs).sum()
    free = cloud.walled._replace(row=np.full(216, -1, np.int32))
    alone = np.zeros((3, 224), np.float32)
    passes.pressure_pass(cloud.state["position"], pressure, cloud.blocks, free, cloud.reach, specific, alone)
    assert np.abs(alone.astype(np.float64).sum(axis=1)).max() < 1e-6 * np.abs(alone).sum()
    expected = pairs - 1.0e-3 * p[:, None] * _wall(cloud, cloud.walled.slope)
    assert np.allclose(acceleration[:, :216].T, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


def test_viscosity_brakes_differences_only(cloud: Cloud):
    """A uniform velocity feels no viscosity; a difference is pulled to the mean, and momentum is conserved."""
    nowhere = cloud.walled._replace(row=np.full(216, -1, np.int32))
    viscosity, specific = np.ones(224, np.float32), np.full(216, 1.0e-3, np.float32)
    drag = np.zeros(len(cloud.walled.weight), np.float32)
    result = np.zeros((3, 224), np.float32)
    uniform = np.ones((3, 224), np.float32)
    passes.viscosity_pass(cloud.state["position"], uniform, cloud.blocks, nowhere, cloud.reach, viscosity, drag, specific, result)
    assert np.abs(result[:, :216]).max() == 0.0
    velocity = cloud.state["velocity"]
    passes.viscosity_pass(
        cloud.state["position"], velocity, cloud.blocks, nowhere, cloud.reach, viscosity, drag, specific, result
    )
    assert np.abs(result[:, :216].sum(axis=1)).max() < 1e-4 * np.abs(result[:, :216]).sum()
    assert (result[:, :216] * velocity[:, :216]).sum() < 0.0
