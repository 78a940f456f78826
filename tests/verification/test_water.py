"""Water against what is known of water."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from examples import wave_maker
from solvers.errors import InvalidScene
from solvers.jit import set_threads
from solvers.materials.water_params import WaterParams
from solvers.scene import Body, Collider, Emitter, EmitterParams, Mesh, Scene, WorldParams
from solvers.world import World

ZERO = (0.0, 0.0, 0.0)


def _world(scene: Scene) -> World:
    world = World(scene)
    world.start()
    return world


def _run(world: World, frames: int) -> World:
    for frame in range(2, frames + 2):
        world.advance(frame)
    return world


def _pool(params: WaterParams | None = None, *, high: float = 0.1, spacing: float = 0.01, **settings) -> Scene:
    """A square tank filled to `high` [m]."""
    return Scene(
        "Pool",
        (Body("Water", "water", Mesh.box(ZERO, (0.1, 0.1, high)), params),),
        (Collider("Tank", Mesh.open_box(ZERO, (0.1, 0.1, 3.0 * high))),),
        world=WorldParams(spacing=spacing, frames_per_second=20.0, **settings),
    )


@pytest.fixture(scope="module")
def rested() -> World:
    """Water after 1.5 s in a tank."""
    return _run(_world(_pool()), 30)


def test_resting_water_keeps_its_volume(rested: World):
    """The level of resting water stays within 2 %: mean height of all particles is half the filling."""
    z = rested.points("Water")["position"][:, 2]
    assert abs(z.mean() / 0.05 - 1.0) < 0.02


@pytest.mark.parametrize("viscosity", [0.1, 10.0])
def test_a_thick_liquid_at_rest_keeps_its_volume(viscosity: float):
    """What the tolerance lets through must not add up: 1 s, level within 2 %, nobody denser than 3 %."""
    world = _run(_world(_pool(WaterParams(viscosity=viscosity))), 20)
    solver: Any = world._solvers["water"]
    assert abs(world.points("Water")["position"][:, 2].mean() / 0.05 - 1.0) < 0.02
    assert solver._fields["density"].max() < 1.03


def test_resting_water_comes_to_rest(rested: World):
    """The kinetic energy left is below 1 % of m g H."""
    totals = rested.totals()
    assert totals["kinetic_energy"] < 0.01 * totals["mass"] * 9.81 * 0.1


def test_hydrostatic_pressure(rested: World):
    """Pressure grows by ρg per metre of depth, within 8 % (mean over the middle and over 15 frames)."""
    state = rested._solvers["water"].state
    slopes = []
    for frame in range(rested.frame + 1, rested.frame + 16):
        rested.advance(frame)
        x, y, z = state.live("position")
        middle = (np.abs(x - 0.05) < 0.03) & (np.abs(y - 0.05) < 0.03) & (z > 0.02) & (z < 0.075)
        slopes.append(np.polyfit(z[middle], state.live("pressure")[middle], 1)[0])
    assert abs(np.mean(slopes) / (-1000.0 * 9.81) - 1.0) < 0.08


def test_nobody_leaves_a_tank(rested: World):
    """All particles are still inside the tank, none is lost."""
    points = rested.points("Water")["position"]
    assert len(points) == 1000
    assert points[:, :2].min() > 0.0 and points[:, :2].max() < 0.1 and points[:, 2].min() > 0.0


def test_free_fall_is_exact():
    """A block in free fall moves by its velocity and ½ g t², up to the step's own error, without spreading."""
    scene = Scene(
        "Fall",
        (Body("Water", "water", Mesh.box(ZERO, (0.1, 0.1, 0.1)), velocity=(1.0, 0.0, 2.0)),),
        world=WorldParams(spacing=0.02, frames_per_second=20.0),
    )
    world = _world(scene)
    before = world.points("Water")["position"].copy()
    _run(world, 4)
    moved = world.points("Water")["position"] - before
    time = 0.2
    assert np.allclose(moved[:, 0], time, atol=2e-3)
    assert np.allclose(moved[:, 2], 2.0 * time - 0.5 * 9.81 * time**2, atol=0.5 * 9.81 * time * time / 10)
    momentum = world.totals()["momentum"]
    assert np.allclose(momentum, [1.0, 0.0, 2.0 - 9.81 * time], atol=1e-3)


def test_blobs_that_collide_keep_their_momentum():
    """Two blocks that meet without gravity conserve momentum to round-off and do not gain energy."""
    bodies = (
        Body("Left", "water", Mesh.box(ZERO, (0.1, 0.1, 0.1)), velocity=(1.0, 0.0, 0.0)),
        Body("Right", "water", Mesh.box((0.11, 0.0, 0.0), (0.21, 0.1, 0.1)), velocity=(-1.0, 0.2, 0.0)),
    )
    world = _world(Scene("Clash", bodies, world=WorldParams(spacing=0.02, gravity=ZERO, frames_per_second=20.0)))
    before = world.totals()
    _run(world, 4)
    after = world.totals()
    assert np.allclose(after["momentum"], before["momentum"], atol=1e-4 * before["mass"])
    assert after["kinetic_energy"] <= 1.01 * before["kinetic_energy"]
    assert after["mass"] == before["mass"]


def test_the_thread_count_changes_nothing():
    """One thread and many give the same bytes."""
    results = []
    for threads in (1, 0):
        set_threads(threads)
        points = _run(_world(_pool(spacing=0.006)), 2).points("Water")
        results.append(points)
    set_threads(0)
    for name in results[0]:
        assert np.array_equal(results[0][name], results[1][name]), name


def test_a_restored_checkpoint_continues_bitwise():
    """Checkpoint, restore and go on equals never having stopped."""
    world = _run(_world(_pool()), 2)
    saved = {name: value.copy() for name, value in world.checkpoint().items()}
    for frame in (4, 5):
        world.advance(frame)
    other = World(_pool())
    other.restore(saved, 3)
    for frame in (4, 5):
        other.advance(frame)
    first, second = world.points("Water"), other.points("Water")
    for name in first:
        assert np.array_equal(first[name], second[name]), name


def test_reference_scheme_holds_water():
    """The paper's explicit scheme keeps a shallow pool inside its tank and near its level (weakly compressible: 6 %)."""
    params = WaterParams(scheme="reference", stiffness_speed=15.0, viscosity=0.1)
    world = _run(_world(_pool(params, high=0.06)), 8)
    z = world.points("Water")["position"][:, 2]
    assert abs(z.mean() / 0.03 - 1.0) < 0.06
    assert z.min() > 0.0


def test_honey_stands_longer_than_water():
    """A viscous block (implicit solve) slumps more slowly than a thin one, and nothing blows up."""
    heights = []
    for viscosity in (0.001, 200.0):
        scene = Scene(
            "Slump",
            (Body("Block", "water", Mesh.box((-0.05, -0.05, 0.0), (0.05, 0.05, 0.1)), WaterParams(viscosity=viscosity)),),
            (Collider("Floor", Mesh.rectangle((-1.0, -1.0, 0.0), (2.0, 0.0, 0.0), (0.0, 2.0, 0.0))),),
            world=WorldParams(spacing=0.0125, frames_per_second=20.0),
        )
        heights.append(_run(_world(scene), 4).points("Water")["position"][:, 2].mean())
    assert heights[1] > 1.15 * heights[0]
    assert heights[1] < 0.052


def test_a_moving_wall_pushes_water():
    """A piston that advances at 0.2 m/s sweeps its channel: no particle is left behind it."""
    frames = 11
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, 0, 3] = np.arange(frames) * 0.2 / 20.0
    piston = Collider("Piston", Mesh.box((-0.1, -0.02, -0.02), (0.0, 0.12, 0.3)), motion=motion)
    channel = Collider("Channel", Mesh.open_box((-0.3, 0.0, 0.0), (0.4, 0.1, 0.3)))
    scene = Scene(
        "Piston",
        (Body("Water", "water", Mesh.box((0.0, 0.0, 0.0), (0.3, 0.1, 0.05))),),
        (piston, channel),
        world=WorldParams(spacing=0.0125, frames_per_second=20.0, frame_end=frames),
    )
    world = _run(_world(scene), frames - 1)
    x = world.points("Water")["position"][:, 0]
    assert x.min() > 0.1 - 0.2 * 0.0125


def test_a_thin_sheet_does_not_leak():
    """A cup made of an open mesh without thickness holds water."""
    cup = Collider("Cup", Mesh.open_box(ZERO, (0.1, 0.1, 0.15)))
    turned = Collider("Cup", Mesh(cup.mesh.vertices, cup.mesh.triangles[:, ::-1].copy()))
    for collider in (cup, turned):
        scene = Scene(
            "Cup",
            (Body("Water", "water", Mesh.box((0.0, 0.0, 0.02), (0.1, 0.1, 0.08))),),
            (collider,),
            world=WorldParams(spacing=0.0125, frames_per_second=20.0),
        )
        points = _run(_world(scene), 10).points("Water")["position"]
        assert points[:, 2].min() > 0.0
        assert points[:, :2].min() > 0.0 and points[:, :2].max() < 0.1


@pytest.mark.parametrize("thickness", [0.1, 0.5])
def test_a_thin_plate_is_a_floor(thickness: float):
    """A closed plate much thinner than a spacing carries water as a thick one does: level within 4 %, nobody below it."""
    plate = Collider("Plate", Mesh.box((-0.05, -0.05, -0.01 * thickness), (0.15, 0.15, 0.0)))
    scene = _pool()
    tank = Collider("Tank", Mesh.open_box((0.0, 0.0, -0.1), (0.1, 0.1, 0.3)))
    z = _run(_world(replace(scene, colliders=(tank, plate))), 12).points("Water")["position"][:, 2]
    assert z.min() > 0.0
    assert 2.0 * z.mean() == pytest.approx(0.1, rel=0.04)


def test_a_thin_plate_that_sweeps_through_water_takes_it_along():
    """A plate of a tenth of a spacing that is drawn through a channel faster than water falls leaves none behind it."""
    frames = 13
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, 0, 3] = np.linspace(0.0, 0.2, frames)
    blade = Mesh.box((-0.001, -0.02, -0.02), (0.0, 0.12, 0.4))
    scene = Scene(
        "Blade",
        (Body("Water", "water", Mesh.box(ZERO, (0.1, 0.1, 0.08))),),
        (Collider("Tank", Mesh.open_box((-0.1, 0.0, 0.0), (0.4, 0.1, 0.5))), Collider("Blade", blade, motion=motion)),
        world=WorldParams(spacing=0.01, frames_per_second=20.0, frame_end=frames),
    )
    x = _run(_world(scene), frames - 1).points("Water")["position"][:, 0]
    assert x.min() > 0.2


def test_what_a_paddle_squeezes_stays_and_does_not_burst():
    """A paddle that swings in a narrow channel, gaps of a sixth to a third of a spacing beside and below it: nobody is pushed
    through the channel's sheet, and nobody is thrown faster than 2 m/s (the paddle's end moves at 0.5 m/s)."""
    frames = 24
    place = wave_maker.paddle_motion(frames)
    scene = Scene(
        "Paddle",
        (Body("Water", "water", Mesh.box((0.132, 0.0, 0.0), (0.42, 0.1, 0.14))),),
        (
            Collider("Channel", Mesh.open_box(ZERO, (0.42, 0.1, 0.4))),
            Collider("Paddle", Mesh.box((-0.012, 0.002, 0.004), (0.012, 0.098, 0.30)), motion=place),
        ),
        world=WorldParams(spacing=0.012, frames_per_second=wave_maker.FRAMES_PER_SECOND, frame_end=frames),
    )
    world = _world(scene)
    for frame in range(2, frames + 1):
        world.advance(frame)
        assert np.linalg.norm(world.points("Water")["velocity"], axis=1).max() < 2.0
    place = world.points("Water")["position"]
    assert place.min() > 0.0 and place[:, 1].max() < 0.1 and place[:, 0].max() < 0.42


@pytest.mark.parametrize("rate", [0.0, 4.0e-4])
def test_an_emitter_pours_the_right_volume(rate: float):
    """Speed × cross-section, or the rate that was asked for, within 3 %."""
    emitter = Emitter(
        "Tap",
        "water",
        Mesh.rectangle((0.0, 0.0, 1.0), (0.05, 0.0, 0.0), (0.0, 0.05, 0.0)),
        EmitterParams(speed=0.5, rate=rate, start=0.1, end=0.9),
    )
    scene = Scene("Tap", emitters=(emitter,), world=WorldParams(spacing=0.005, frames_per_second=20.0))
    world = _run(_world(scene), 20)
    expected = 0.8 * (rate or 0.5 * 0.05 * 0.05)
    assert abs(world.totals()["particles"] * 0.005**3 / expected - 1.0) < 0.03


@pytest.mark.parametrize("rate", [0.0, 4.0e-4])
def test_a_painted_emitter_pours_where_it_is_painted(rate: float):
    """Weights from 0 to 1 across the tap's lower face: half the flow, or all of a metered one, at two thirds of its width."""
    tap = Mesh.box((0.0, 0.0, 1.0), (0.08, 0.05, 1.02))
    low = tap.vertices[:, 2] < 1.01
    weights = np.where(low, tap.vertices[:, 0] / 0.08, 0.7)  # what is painted on the upper face does not matter
    emitter = Emitter("Tap", "water", tap, EmitterParams(speed=0.5, rate=rate, rate_group="Flow"), weights={"rate": weights})
    scene = Scene("Tap", emitters=(emitter,), world=WorldParams(spacing=0.005, frames_per_second=20.0))
    world = _run(_world(scene), 10)
    expected = 0.5 * (rate or 0.5 * 0.5 * 0.08 * 0.05)
    assert abs(world.totals()["particles"] * 0.005**3 / expected - 1.0) < 0.03
    assert world.points("Water")["position"][:, 0].mean() == pytest.approx(2.0 / 3.0 * 0.08, rel=0.03)


def test_an_emitter_without_weight_is_named():
    """A vertex group that is 0 wherever the flow leaves is an error with the object and the group."""
    tap = Mesh.box((0.0, 0.0, 1.0), (0.08, 0.05, 1.02))
    emitter = Emitter(
        "Tap", "water", tap, EmitterParams(rate_group="Flow"), weights={"rate": (tap.vertices[:, 2] > 1.01).astype(float)}
    )
    with pytest.raises(InvalidScene, match="Tap: the vertex group 'Flow' has no weight"):
        World(Scene("Tap", emitters=(emitter,), world=WorldParams(spacing=0.005)))


def test_a_widening_emitter_pours_more():
    """A tap whose mesh doubles its width in 1 s at a steady speed pours 1.5 times its first rate, within 5 %."""
    frames, wide = 21, 0.05
    tap = Mesh.rectangle((0.0, 0.0, 1.0), (wide, 0.0, 0.0), (0.0, 0.05, 0.0))
    growth = 1.0 + np.arange(frames) / (frames - 1)
    vertices = np.stack([tap.vertices * (factor, 1.0, 1.0) for factor in growth])
    emitter = Emitter("Tap", "water", Mesh(vertices, tap.triangles), EmitterParams(speed=0.5))
    scene = Scene("Tap", emitters=(emitter,), world=WorldParams(spacing=0.005, frames_per_second=20.0, frame_end=frames))
    world = _run(_world(scene), 20)
    expected = 1.5 * 0.5 * wide * 0.05
    assert abs(world.totals()["particles"] * 0.005**3 / expected - 1.0) < 0.05


def test_the_world_limit_ignores_frames_to_come():
    """A collider that wanders off later does not change what is dropped now: a range can be extended."""
    limits = []
    for frames in (3, 6):
        motion = np.tile(np.eye(4), (frames, 1, 1))
        motion[3:, 0, 3] = 1000.0
        scene = replace(
            _pool(),
            colliders=(Collider("Tank", Mesh.open_box(ZERO, (0.1, 0.1, 0.3)), motion=motion),),
            world=WorldParams(spacing=0.02, frame_end=frames),
        )
        world = World(scene)
        limits.append((world._centres[:3].tolist(), world._sizes[:3].tolist()))
        assert frames == 3 or world._sizes[3] > 400.0
    assert limits[0] == limits[1]


def test_what_falls_for_ever_does_not_shorten_the_step():
    """A drop far below all colliders is as fast as it likes; above the floor or rising it sets the step; it falls freely."""
    world = _world(_pool(spacing=0.02))
    solver: Any = world._solvers["water"]
    calm = solver.stable_dt(0.0)
    for height, speed, alone in ((-0.5, -30.0, True), (0.2, -30.0, False), (-0.5, 30.0, False)):
        solver.state["position"][:, 0], solver.state["velocity"][:, 0] = (0.05, 0.05, height), (0.0, 0.0, speed)
        assert (solver.stable_dt(0.0) == pytest.approx(calm)) == alone
    solver.state["velocity"][:, 0] = (0.0, 0.0, -30.0)
    number = solver.state["id"][0]
    world.advance(2)
    assert world.steps < 40
    place = solver.state["position"][2, list(solver.state.live("id")).index(number)]
    assert place == pytest.approx(-0.5 - 30.0 / 20.0 - 0.5 * 9.81 / 400.0, abs=2.0e-3)


def test_moving_colliders_may_meet_what_falls():
    """Where a collider moves or there is none, every particle counts."""
    lift = np.tile(np.eye(4), (30, 1, 1))
    lift[:, 2, 3] = -0.1 * np.arange(30)
    for colliders in ((), (Collider("Lift", Mesh.open_box(ZERO, (0.1, 0.1, 0.3)), motion=lift),)):
        world = _world(replace(_pool(spacing=0.02), colliders=colliders))
        solver: Any = world._solvers["water"]
        calm = solver.stable_dt(0.0)
        solver.state["position"][:, 0], solver.state["velocity"][:, 0] = (0.05, 0.05, -9.0), (0.0, 0.0, -30.0)
        assert solver.stable_dt(0.0) < 0.5 * calm
