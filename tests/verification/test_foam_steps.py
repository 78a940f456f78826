"""Large steps of foam agree with explicit ones, stay stable, and are chosen where they pay."""

from dataclasses import replace

import numpy as np
import pytest

from solvers import Body, Collider, Mesh, Scene, WorldParams
from solvers.materials.foam_params import PRESETS, FoamParams
from solvers.mpm.foam import FoamSolver
from solvers.scene import ColliderParams
from solvers.world import World
from tests.verification.foam_scenes import sheared_slab, solver_of


def dropped_block(params: FoamParams, seconds: float = 0.4, speed: float = 0.0, spacing: float = 0.0125) -> FoamSolver:
    """A 10 cm block on the floor, thrown down at `speed` [m/s]; its solver."""
    scene = Scene(
        "Block",
        bodies=(Body("Block", "foam", Mesh.box((0, 0, 0), (0.1, 0.1, 0.1)), params, velocity=(0.0, 0.0, -speed)),),
        colliders=(Collider("Floor", Mesh.box((-0.5, -0.5, -0.1), (0.6, 0.6, 0.0))),),
        world=WorldParams(spacing=spacing, frames_per_second=20.0, frame_end=int(20 * seconds) + 1),
    )
    world = World(scene)
    world.start()
    for frame in range(2, scene.world.frame_end + 1):
        world.advance(frame)
    return solver_of(world)


def height(solver: FoamSolver) -> float:
    return float(solver.state.live("position")[2].max())


@pytest.mark.parametrize("name", ["wet_concrete", "marshmallow", "toothpaste"])
def test_large_steps_agree_with_explicit_ones(name):
    """Slump of a block on the floor: large steps are at least eight times fewer and lose the same height, ± 15 % of a cell."""
    params = PRESETS[name].params
    explicit = dropped_block(replace(params, stepping="explicit"))
    large = dropped_block(replace(params, stepping="implicit"))
    assert explicit.work[1] == 0 and large.work[0] == 0
    assert large.work[1] < 0.125 * explicit.work[0]
    assert height(large) == pytest.approx(height(explicit), abs=0.15 * explicit.cell)
    mass = [float(solver.state.live("mass").sum(dtype=float)) for solver in (explicit, large)]
    assert mass[0] == pytest.approx(mass[1], rel=1e-6)


def test_large_steps_are_stable():
    """A hundred times stiffer than marshmallow, thrown at the floor at 2 m/s: no energy is gained, the shape stays."""
    params = replace(PRESETS["marshmallow"].params, firmness=2.5e5, yield_stress=250.0, stepping="implicit")
    solver = dropped_block(params, seconds=0.3, speed=2.0)
    before = 0.5 * 2.0**2 + 9.81 * 0.05
    totals = solver.totals()
    energy = (totals["kinetic_energy"] + totals["potential_energy"]) / totals["mass"]
    assert energy < before and np.isfinite(height(solver))
    assert 0.02 < height(solver) < 0.12


def test_resting_foam_costs_little():
    """A block that has come to rest needs few iterations a step: the last state is the solution."""
    params = replace(PRESETS["meringue"].params, stepping="implicit")
    solver = dropped_block(params, seconds=2.0)
    assert solver.work[2] < 6 * solver.work[1]


def test_large_steps_shear_after_the_law():
    """Plane shear between plates in large steps: τ_xz = σ_Y/√3 + (η/√2)(γ̇/√2)^m within 4 %."""
    speed = 0.1
    params = FoamParams(
        density=1000.0, firmness=4e4, yield_stress=100.0, thickness=40.0, thinning=0.4, volume_stiffness=5.0, tearing=False,
        stepping="implicit",
    )  # fmt: skip
    solver, length, tall = sheared_slab(params, speed, 8)
    assert solver.work[0] == 0 and solver.work[1] > 0
    x = solver.state.live("position")
    middle = (np.abs(x[0] - length / 2) < tall) & (np.abs(x[2] - tall / 2) < 0.3 * tall)
    wanted = 100.0 / np.sqrt(3) + 40.0 / np.sqrt(2) * (2.0 * speed / tall / np.sqrt(2)) ** 0.4
    assert solver.state.live("stress")[4][middle].mean() == pytest.approx(wanted, rel=0.04)


def test_automatic_choice_follows_speed_not_the_clock():
    """Slow stiff foam takes large steps, fast foam explicit ones, and the same run takes the same steps again."""
    stiff = replace(PRESETS["wet_concrete"].params, stepping="automatic")
    slow, again = dropped_block(stiff), dropped_block(stiff)
    assert slow.work[1] > 0 and slow.work == again.work
    assert (slow.state.live("position") == again.state.live("position")).all()
    fast = dropped_block(replace(PRESETS["shaving_cream"].params, stepping="automatic"), seconds=0.05, speed=8.0)
    assert fast.work[1] == 0


@pytest.mark.parametrize("contact", ["separate", "stick", "slip"])
def test_walls_hold_in_large_steps(contact):
    """A block that hangs under a plate: stick, slip and enough adhesion hold it, a dry plate lets it fall freely."""
    foam = FoamParams(
        density=100.0, firmness=2000.0, yield_stress=400.0, thickness=5.0, thinning=0.5, volume_stiffness=5.0, stepping="implicit"
    )
    lowest = {}
    for adhesion in (0.0, 200.0):
        plate = ColliderParams(contact=contact, adhesion=adhesion)
        scene = Scene(
            "Hang",
            bodies=(Body("Foam", "foam", Mesh.box((-0.02, -0.02, -0.04), (0.02, 0.02, 0.0)), foam),),
            colliders=(Collider("Plate", Mesh.box((-0.1, -0.1, 0.0), (0.1, 0.1, 0.05)), plate),),
            world=WorldParams(spacing=0.005, frames_per_second=10.0, frame_end=4),
        )
        world = World(scene)
        world.start()
        for frame in range(2, 5):
            world.advance(frame)
        lowest[adhesion] = float(solver_of(world).state.live("position")[2].min())
    assert lowest[200.0] > -0.05
    if contact == "separate":
        assert lowest[0.0] == pytest.approx(-0.04 - 0.5 * 9.81 * 0.3**2, abs=0.03)
    else:
        assert lowest[0.0] > -0.05
