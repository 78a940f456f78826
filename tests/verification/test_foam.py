"""Foam in the whole solver: plane shear, yield, tearing."""

import numpy as np
import pytest

from solvers import Body, Collider, Mesh, Scene, WorldParams
from solvers.materials.foam_params import FoamParams
from solvers.world import World
from tests.verification.foam_scenes import pulled_rod, sheared_slab, solver_of


@pytest.mark.parametrize("exponent", [0.4, 1.0])
def test_couette_flow_obeys_the_law(exponent):
    """Plane shear between plates: τ_xz = σ_Y/√3 + (η/√2)(γ̇/√2)^m at γ̇ = 2 U/H within 3 %, velocity linear within 12 % of U
    (half a cell at each plate)."""
    speed = 0.5
    params = FoamParams(
        density=1000.0, firmness=4e4, yield_stress=100.0, thickness=40.0, thinning=exponent, volume_stiffness=5.0, tearing=False
    )
    solver, length, height = sheared_slab(params, speed, 6)
    x, u = solver.state.live("position"), solver.state.live("velocity")[0]
    middle = (np.abs(x[0] - length / 2) < height) & (np.abs(x[2] - height / 2) < 0.3 * height)
    rate = 2.0 * speed / height
    wanted = 100.0 / np.sqrt(3) + 40.0 / np.sqrt(2) * (rate / np.sqrt(2)) ** exponent
    assert solver.state.live("stress")[4][middle].mean() == pytest.approx(wanted, rel=0.03)
    assert np.abs(u[middle] - rate * (x[2][middle] - height / 2)).max() < 0.12 * speed


def resting_block(strength: float, seconds: float) -> tuple[float, float]:
    """Height lost by a 10 cm block on the floor [m], and its cell size."""
    params = FoamParams(density=100.0, firmness=1000.0, yield_stress=strength, thickness=10.0, thinning=0.5, volume_stiffness=5.0)
    scene = Scene(
        "Block",
        bodies=(Body("Block", "foam", Mesh.box((0, 0, 0), (0.1, 0.1, 0.1)), params),),
        colliders=(Collider("Floor", Mesh.box((-0.3, -0.3, -0.1), (0.4, 0.4, 0.0))),),
        world=WorldParams(spacing=0.0125, frames_per_second=2.0, frame_end=int(2 * seconds) + 1),
    )
    world = World(scene)
    world.start()
    before = float(solver_of(world).state.live("position")[2].max())
    for frame in range(2, scene.world.frame_end + 1):
        world.advance(frame)
    return before - float(solver_of(world).state.live("position")[2].max()), solver_of(world).cell


def test_block_below_yield_keeps_its_shape():
    """ρ g H = 98 Pa: with σ_Y = 300 Pa a block slumps less than a cell in 10 s, with 20 Pa more than one in 2 s."""
    slump, cell = resting_block(300.0, 10.0)
    assert slump < cell
    slump, cell = resting_block(20.0, 2.0)
    assert slump > cell


def test_rod_tears():
    """Pulled to nearly twice its length a rod with tearing comes apart; without, it is drawn out in one piece."""
    torn, gap = pulled_rod(True, frames=20)
    whole, thread = pulled_rod(False, frames=20)
    assert gap > 2.0 * torn.cell and torn.state.live("torn").any()
    assert thread < whole.cell and not whole.state.live("torn").any()
