"""Foam at walls: stick, slip, separate, adhesion, sheets."""

import numpy as np
import pytest

from solvers import Body, Collider, Mesh, Scene, WorldParams
from solvers.materials.foam_params import PRESETS, FoamParams
from solvers.scene import ColliderParams
from solvers.world import World
from tests.verification.foam_scenes import solver_of


def hanging_block(params: ColliderParams) -> float:
    """Lowest point [m] of a 4 cm block under a plate at z = 0 after 0.3 s."""
    foam = FoamParams(density=100.0, firmness=2000.0, yield_stress=400.0, thickness=5.0, thinning=0.5, volume_stiffness=5.0)
    scene = Scene(
        "Hang",
        bodies=(Body("Foam", "foam", Mesh.box((-0.02, -0.02, -0.04), (0.02, 0.02, 0.0)), foam),),
        colliders=(Collider("Plate", Mesh.box((-0.1, -0.1, 0.0), (0.1, 0.1, 0.05)), params),),
        world=WorldParams(spacing=0.005, frames_per_second=10.0, frame_end=4),
    )
    world = World(scene)
    world.start()
    for frame in range(2, 5):
        world.advance(frame)
    return float(solver_of(world).state.live("position")[2].min())


def test_contact_rules():
    """ρ g H = 39 Pa hangs: it falls freely from a dry plate and from 20 Pa, stays under 200 Pa, under stick and under slip."""
    free = -0.04 - 0.5 * 9.81 * 0.3**2
    assert hanging_block(ColliderParams(contact="separate")) == pytest.approx(free, abs=0.03)
    assert hanging_block(ColliderParams(contact="separate", adhesion=20.0)) < -0.1
    for rule in (ColliderParams(adhesion=200.0), ColliderParams(contact="stick"), ColliderParams(contact="slip")):
        assert hanging_block(rule) > -0.05


@pytest.mark.parametrize("cells", [2.5, 3.5, 4.5])
def test_foam_falls_towards_a_plate_it_will_stick_to(cells: float):
    """Foam whose tiles are near a sticky plate, though none of its particles is, goes on falling."""
    block = Mesh.box((0.0, 0.0, 0.02 * cells), (0.04, 0.04, 0.02 * cells + 0.04))
    plate = Collider("Plate", Mesh.box((-0.1, -0.1, -0.05), (0.1, 0.1, 0.0)), ColliderParams(contact="stick"))
    world = World(Scene("Fall", bodies=(Body("Foam", "foam", block),), colliders=(plate,), world=WorldParams(spacing=0.01)))
    world.start()
    world.advance(2)
    assert solver_of(world).state.live("velocity")[2].mean() == pytest.approx(-9.81 / 24.0, rel=0.01)


def test_stuck_foam_does_not_creep_away():
    """Soft foam hanging from a plate it sticks to, shaken for half a second, keeps its first layer at the plate."""
    frames = 31
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, 2, 3] = 0.01 * np.sin(2.0 * np.pi * 6.0 * np.arange(frames) / 60.0)
    scene = Scene(
        "Hang",
        bodies=(Body("Foam", "foam", Mesh.box((-0.03, -0.03, -0.03), (0.03, 0.03, 0.0)), PRESETS["shaving_cream"].params),),
        colliders=(
            Collider("Plate", Mesh.box((-0.1, -0.1, 0.0), (0.1, 0.1, 0.05)), ColliderParams(contact="stick"), motion=motion),
        ),
        world=WorldParams(spacing=0.006, frames_per_second=60.0, frame_end=frames),
    )
    world = World(scene)
    world.start()
    state = solver_of(world).state
    gap = -float(state.live("position")[2].max())
    first = set(state.live("id")[state.live("position")[2] > -0.006].tolist())
    for frame in range(2, frames + 1):
        world.advance(frame)
    here = motion[-1, 2, 3] - state.live("position")[2]
    layer = np.isin(state.live("id"), list(first))
    assert here[layer].max() < gap + 0.001


def test_loose_foam_does_not_sink_into_the_floor():
    """Foam that carries nothing (all torn) lies on the floor for two seconds; no particle is below it."""
    foam = FoamParams(density=100.0, firmness=500.0, yield_stress=5.0, thickness=0.0, volume_stiffness=5.0, resampling=False)
    scene = Scene(
        "Crumbs",
        bodies=(Body("Foam", "foam", Mesh.box((0, 0, 0.001), (0.06, 0.06, 0.021)), foam, velocity=(0.0, 0.0, -2.0)),),
        colliders=(Collider("Floor", Mesh.box((-0.5, -0.5, -0.1), (0.5, 0.5, 0.0))),),
        world=WorldParams(spacing=0.01, frames_per_second=4.0, frame_end=9),
    )
    world = World(scene)
    world.start()
    state = solver_of(world).state
    state["torn"][:], state["jacobian"][:] = 1.0, 1.2
    for frame in range(2, 10):
        world.advance(frame)
    assert state.live("position")[2].min() > -0.25 * solver_of(world).cell


def foam_on(mesh: Mesh, stepping: str, rise: float = 0.0) -> np.ndarray:
    """Heights [m] over a wall whose top is at z = 3 mm, 0.5 s after soft foam was put on it; the wall rises at `rise` [m/s]."""
    foam = FoamParams(
        density=400.0, firmness=300.0, yield_stress=15.0, thickness=3.0, thinning=0.5, volume_stiffness=10.0, stepping=stepping
    )
    frames = 11
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, 2, 3] = rise * np.arange(frames) / 20.0
    scene = Scene(
        "Tray",
        bodies=(Body("Foam", "foam", Mesh.box((-0.04, -0.04, 0.005), (0.04, 0.04, 0.085)), foam),),
        colliders=(Collider("Tray", mesh, ColliderParams(friction=0.5), motion=motion if rise else None),),
        world=WorldParams(spacing=0.01, frames_per_second=20.0, frame_end=frames),
    )
    world = World(scene)
    world.start()
    for frame in range(2, frames + 1):
        world.advance(frame)
    return solver_of(world).state.live("position")[2] - 0.003 - rise * 0.5


@pytest.mark.parametrize("stepping", ["explicit", "implicit"])
def test_sheets_hold_foam(stepping):
    """An open sheet between nodes holds foam as the top of a closed box does: nothing comes through, also when it rises."""
    sheet = Mesh.rectangle((-0.3, -0.3, 0.003), (0.6, 0.0, 0.0), (0.0, 0.6, 0.0))
    box = Mesh.box((-0.3, -0.3, -0.1), (0.3, 0.3, 0.003))
    on_sheet, on_box = foam_on(sheet, stepping), foam_on(box, stepping)
    assert on_sheet.min() > 0.0
    assert on_sheet.max() == pytest.approx(on_box.max(), abs=0.004)
    assert foam_on(sheet, stepping, rise=0.3).min() > 0.0
