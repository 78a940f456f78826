"""Scatter and gather of the material point method against plain NumPy, and what they conserve."""

import numpy as np
import pytest

from solvers.jit import fit_threads, set_threads
from solvers.mpm.grid import LAYOUT, Grid, Transfer
from solvers.state import State
from solvers.walls import Walls
from solvers.watch import Silent
from tests.kernels import mpm_naive as naive

CELL, DT = 0.02, 1.0e-3
GRAVITY = np.array([0.0, 0.5, -9.81], np.float32)
KINDS = {
    "apic": Transfer(),
    "apic_box": Transfer(half=0.25),
    "flip": Transfer(apic=False, flip=0.9),
    "ugimp": Transfer(half=0.25, apic=False, flip=0.95),
}


def no_walls() -> Walls:
    return Walls([], reach=CELL, frames_per_second=24.0, frame_start=1, watch=Silent())


def state_of(cloud: naive.Cloud) -> State:
    state = State(LAYOUT | {"id": ("i4", 1)})
    state.append(naive.as_state(cloud))
    return state


def in_order(state: State, name: str) -> np.ndarray:
    """An array of the state by particle id, (n, …)."""
    return state.live(name)[..., np.argsort(state.live("id"))].T.astype(np.float64)


def by_node(grid: Grid) -> dict[tuple, np.ndarray]:
    places = np.rint(grid.node_places() / CELL).astype(int).reshape(-1, 3)
    return {tuple(place): node for place, node in zip(places.tolist(), grid.nodes.reshape(-1, 4), strict=True) if node[3] > 0}


@pytest.mark.parametrize("kind", KINDS)
def test_transfers_are_the_naive_ones(kind):
    """Momentum, mass, velocity, velocity gradient, density and place agree with sums over nodes in double precision."""
    transfer, cloud = KINDS[kind], naive.random_cloud(120, seed=3)
    state, grid = state_of(cloud), Grid(CELL, transfer, "test", 0.1)
    grid.sort(state, no_walls())
    grid.scatter(state, DT)
    momentum, mass = naive.scatter(cloud, CELL, transfer.half, transfer.apic, DT)
    found = by_node(grid)
    assert set(found) >= {node for node in mass if mass[node] > 1e-8}
    largest = max(np.abs(value).max() for value in momentum.values())
    for node, value in found.items():
        assert np.abs(value[:3] - momentum[node]).max() < 3e-6 * largest
        assert abs(value[3] - mass[node]) < 3e-6 * 2e-3
    grid.update(no_walls(), GRAVITY, DT)
    grid.gather(state, DT)
    calm, _ = naive.scatter(cloud._replace(tau=0.0 * cloud.tau), CELL, transfer.half, transfer.apic, DT)
    for p in range(len(cloud.x)):
        velocity, change, gradient, density = np.zeros(3), np.zeros(3), np.zeros((3, 3)), 0.0
        for node, w, g, _ in naive.stencil(cloud, p, CELL, transfer.half, not transfer.apic):
            before = calm[node] / mass[node] if mass[node] > 0.0 else np.zeros(3)
            after = momentum[node] / mass[node] + DT * GRAVITY if mass[node] > 0.0 else np.zeros(3)
            velocity, change = velocity + w * after, change + w * (after - before)
            gradient, density = gradient + np.outer(after, g), density + w * mass[node] / CELL**3
        assert np.allclose(in_order(state, "position")[p], cloud.x[p] + DT * velocity, atol=3e-8)
        share = 0.0 if transfer.apic else transfer.flip
        wanted = (1 - share) * velocity + share * (cloud.v[p] + change)
        assert np.allclose(in_order(state, "velocity")[p], wanted, atol=5e-6)
        assert np.allclose(in_order(state, "affine")[p].reshape(3, 3).T, gradient, atol=2e-5 * np.abs(gradient).max() + 2e-3)
        assert np.isclose(in_order(state, "density")[p], density, rtol=1e-5)


def _momenta(state: State) -> tuple[np.ndarray, np.ndarray]:
    """Linear momentum and APIC angular momentum, Σ x × m v + m ε : (C D)ᵀ with D = h²/4."""
    mass, x, v = in_order(state, "mass"), in_order(state, "position"), in_order(state, "velocity")
    c = in_order(state, "affine").reshape(-1, 3, 3).transpose(0, 2, 1) * CELL**2 / 4.0
    spin = np.stack([c[:, 2, 1] - c[:, 1, 2], c[:, 0, 2] - c[:, 2, 0], c[:, 1, 0] - c[:, 0, 1]], axis=1)
    return (mass[:, None] * v).sum(0), (mass[:, None] * (np.cross(x, v) + spin)).sum(0)


@pytest.mark.parametrize("kind", KINDS)
def test_momentum_is_conserved(kind):
    """Without gravity linear momentum stays to round-off over 30 steps of random stress; with APIC angular momentum too."""
    cloud = naive.random_cloud(400, seed=5)
    state, grid = state_of(cloud), Grid(CELL, KINDS[kind], "test", 0.1)
    before = _momenta(state)
    for _ in range(30):
        if grid.due(0.0):
            grid.sort(state, no_walls())
        grid.scatter(state, DT)
        grid.update(no_walls(), np.zeros(3, np.float32), DT)
        grid.gather(state, DT)
    after = _momenta(state)
    scale = (cloud.mass[:, None] * np.abs(cloud.v)).sum()
    assert np.abs(after[0] - before[0]).max() < 3e-6 * scale
    if kind == "apic":
        assert np.abs(after[1] - before[1]).max() < 3e-6 * scale * 0.15


def test_free_fall_is_exact():
    """A cloud without stress falls as one: v = v₀ + g t and x by the sum of steps, whatever the transfer."""
    for transfer in KINDS.values():
        cloud = naive.random_cloud(200, seed=8)
        cloud = cloud._replace(v=np.tile([1.0, -2.0, 0.5], (200, 1)), c=0.0 * cloud.c, tau=0.0 * cloud.tau)
        state, grid = state_of(cloud), Grid(CELL, transfer, "test", 0.1)
        for _ in range(50):
            if grid.due(0.0):
                grid.sort(state, no_walls())
            grid.scatter(state, DT)
            grid.update(no_walls(), GRAVITY, DT)
            grid.gather(state, DT)
        velocity = cloud.v[0] + 50 * DT * GRAVITY
        way = 50 * DT * cloud.v[0] + DT**2 * GRAVITY * 50 * 51 / 2
        assert np.allclose(in_order(state, "velocity"), velocity, atol=1e-5)
        assert np.allclose(in_order(state, "position") - cloud.x, way, atol=2e-6)
        assert np.abs(in_order(state, "affine")).max() < 1e-2


def _run(threads: int, sort_always: bool = False) -> dict[str, np.ndarray]:
    set_threads(threads)
    fit_threads(10**7)
    state, grid = state_of(naive.random_cloud(3000, seed=1)), Grid(CELL, Transfer(), "test")
    for _ in range(25):
        if grid.due(0.0) or sort_always:
            grid.sort(state, no_walls())
        grid.scatter(state, DT)
        grid.update(no_walls(), GRAVITY, DT)
        grid.gather(state, DT)
    set_threads(0)
    return {name: in_order(state, name) for name in ("position", "velocity", "affine")}


def test_one_thread_is_two_threads():
    """The number of threads changes no bit."""
    one, two = _run(1), _run(2)
    assert all((one[name] == two[name]).all() for name in one)


def test_wandering_between_sorts_changes_only_rounding():
    """Particles that left their tile since the last sort give the same sums as freshly sorted ones."""
    rare, always = _run(2), _run(2, sort_always=True)
    assert np.abs(rare["position"] - always["position"]).max() < 1e-6
    assert np.abs(rare["velocity"] - always["velocity"]).max() < 1e-4


def test_far_away_tiles_cost_nothing():
    """Two clouds 200 m apart use as many tiles as two clouds near each other."""
    near, far = naive.random_cloud(100, seed=2, low=0.0, high=0.08), naive.random_cloud(100, seed=2, low=0.0, high=0.08)
    tiles = []
    for distance in (1.6, 200.0):
        state = state_of(near)
        shifted = naive.as_state(far)
        shifted["position"] = shifted["position"] + np.float32(distance)
        state.append(shifted)
        grid = Grid(CELL, Transfer(), "test")
        grid.sort(state, no_walls())
        assert grid.tiles is not None
        tiles.append(grid.tiles.count)
    assert tiles[1] <= tiles[0] + 27
