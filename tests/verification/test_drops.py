"""Drops against what is known of drops: spheres, caps, volume, momentum, slopes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.drop_shapes import angle_of_particles, ball_on_plane, cap, crossings, radius_of, surface_of, surface_volume
from solvers.drops import law, wetting
from solvers.errors import InvalidScene
from solvers.materials.drops_params import PRESETS, DropsParams
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.world import World
from tests.verification.worlds import same_on_threads_and_resumed, world_after

ML = 1.0e-6
ZERO = (0.0, 0.0, 0.0)


def _cube(particles: int = 400, **world: Any) -> Scene:
    side = ML ** (1.0 / 3.0)
    settings = {"frames_per_second": 1.0, "gravity": ZERO, "jitter": 0.3} | world
    body = Body("Drop", "drops", Mesh.box(ZERO, (side, side, side)))
    return Scene("Cube", (body,), world=WorldParams(spacing=(ML / particles) ** (1.0 / 3.0), **settings))


@pytest.fixture(scope="module")
def cube() -> World:
    """A cube of 1 mL after 1 s."""
    return world_after(_cube(), 1)


def test_a_cube_becomes_a_ball(cube: World):
    """Radii of the surface around the centre differ by less than 3 % (standard deviation) once tension has done its work."""
    points = crossings(surface_of(cube))
    radius = np.linalg.norm(points - points.mean(axis=0), axis=1)
    assert radius.std() / radius.mean() < 0.03


def test_volume_is_kept_for_ten_seconds(cube: World):
    """1 mL after 10 s against the same drop after 1 s: 1 %."""
    before = surface_volume(surface_of(cube))
    scene = _cube(frames_per_second=1.0 / 9.0)
    later = World(scene)
    later.restore(cube.checkpoint(), 2)
    later.advance(3)
    assert abs(surface_volume(surface_of(later)) / before - 1.0) < 0.01


def test_a_settled_drop_stands_still(cube: World):
    """After 1 s nobody in a free drop of 1 mL is faster than 5 mm/s."""
    assert np.abs(cube.points("Drops")["velocity"]).max() < 5.0e-3


def test_two_drops_merge_and_keep_mass_and_momentum():
    """Two drops that meet become one body; mass is the same number, momentum is kept to float precision."""
    radius = radius_of(0.2 * ML)
    apart = 1.1 * radius
    bodies = (
        Body("Left", "drops", Mesh.sphere((-apart, 0.0, 0.0), radius, 3), velocity=(0.1, 0.0, 0.0)),
        Body("Right", "drops", Mesh.sphere((apart, 0.0, 0.0), radius, 3), velocity=(-0.05, 0.02, 0.0)),
    )
    world = world_after(
        Scene("Two", bodies, world=WorldParams(spacing=(0.2 * ML / 120) ** (1 / 3), gravity=ZERO, frames_per_second=10.0)), 0
    )
    before = world.totals()
    for frame in range(2, 6):
        world.advance(frame)
    after = world.totals()
    assert after["mass"] == before["mass"]
    scale = before["mass"] * 0.1
    assert np.abs(np.subtract(after["momentum"], before["momentum"])).max() < 1.0e-4 * scale
    points = world.points("Drops")["position"].astype(float)
    spread = np.linalg.norm(points - points.mean(axis=0), axis=1).max()
    assert spread < 1.6 * 2.0 ** (1.0 / 3.0) * radius


@pytest.mark.parametrize("angle", [50.0, 110.0])
def test_drop_takes_the_angle_of_its_surface(angle: float):
    """A ball of 300 particles set down on a plane becomes the cap of the requested angle, within 10° at this resolution."""
    volume, particles = 4.0e-9, 300
    unit = np.sqrt(998.0 * volume / particles * law.TENSION_SHARE / 0.0728)
    world = world_after(ball_on_plane(volume, particles, angle, fps=1.0 / (1100.0 * unit), frames=2), 1)
    assert abs(angle_of_particles(world.points("Drops")["position"].astype(float)) - angle) < 10.0


@pytest.mark.parametrize("start", [100.0, 30.0])
def test_angle_does_not_depend_on_the_way(start: float):
    """A cap that has to spread and one that has to draw back end at the same angle, 65° within 8° at 300 particles."""
    volume, particles = 4.0e-9, 300
    spacing = (volume / particles) ** (1.0 / 3.0)
    unit = np.sqrt(998.0 * spacing**3 * law.TENSION_SHARE / 0.0728)
    scene = ball_on_plane(volume, particles, 65.0, fps=1.0 / (900.0 * unit), frames=2)
    body = Body("Drop", "drops", cap(volume, start, 0.1 * spacing))
    world = world_after(replace(scene, bodies=(body,)), 1)
    points = world.points("Drops")["position"].astype(float)
    assert abs(angle_of_particles(points) - 65.0) < 8.0


def test_drop_across_two_surfaces_goes_to_the_wetter_one():
    """Half of the floor at 40°, half at 120°: the drop moves to the side that it wets better."""
    volume = 4.0e-9
    radius = radius_of(volume)
    side = 8.0 * radius
    halves = tuple(
        Collider(
            name, Mesh.rectangle((low, -side, 0.0), (side, 0.0, 0.0), (0.0, 2.0 * side, 0.0)), ColliderParams(contact_angle=a)
        )
        for name, low, a in (("Glass", -side, 40.0), ("Wax", 0.0, 120.0))
    )
    body = Body("Drop", "drops", Mesh.sphere((0.0, 0.0, radius), radius, 3))
    spacing = (volume / 300) ** (1.0 / 3.0)
    params = WorldParams(spacing=spacing, gravity=ZERO, frames_per_second=25.0)
    world = world_after(Scene("Two", (body,), halves, world=params), 1)
    assert world.points("Drops")["position"][:, 0].mean() < -0.3 * radius


def _slides(tilt: float, hysteresis: float) -> np.ndarray:
    """Place down the slope [radii] of a 20 µL drop of 200 particles, every 50 ms, after 0.15 s of rest on the level."""
    volume = 2.0e-8
    level = ball_on_plane(volume, 200, 90.0, gravity=9.81, fps=20.0, frames=9, hysteresis=hysteresis)
    world = world_after(level, 3)
    tilted = ball_on_plane(volume, 200, 90.0, gravity=9.81, fps=20.0, frames=9, hysteresis=hysteresis, tilt=tilt)
    slope = World(tilted)
    slope.restore(world.checkpoint(), 4)
    places = [slope.points("Drops")["position"][:, 0].mean()]
    for frame in (5, 6, 7):
        slope.advance(frame)
        places.append(slope.points("Drops")["position"][:, 0].mean())
    return (np.array(places) - places[0]) / radius_of(volume)


def test_drop_stays_below_and_slides_above_the_angle_of_its_hysteresis():
    """ρ g V sin α = (π/4) w γ (cos θ_r − cos θ_a) gives 40° for 30° of hysteresis: at 25° the drop stands, at 60° it runs."""
    stays, runs = _slides(25.0, 30.0), _slides(60.0, 30.0)
    assert stays[2] < 0.25
    assert abs(stays[3] - stays[2]) < 0.03
    assert runs[2] > 2.0


def test_drop_without_hysteresis_runs_down_a_gentle_slope():
    """Nothing but its own viscosity brakes it: on 10° it goes half a radius and more in 0.1 s (5 if nothing did)."""
    assert _slides(10.0, 0.0)[2] > 0.5


@pytest.mark.parametrize(("hysteresis", "leaves"), [(40.0, True), (10.0, False)])
def test_a_sliding_drop_leaves_a_trail_where_its_receding_angle_is_small(hysteresis: float, leaves: bool):
    """100 µL on 70°: with 10° to 50° a film stays on the way, with 25° to 35° the drop takes everything along."""
    volume, particles = 1.0e-7, 300
    level = ball_on_plane(volume, particles, 30.0, gravity=9.81, fps=20.0, frames=9, hysteresis=hysteresis)
    world = world_after(level, 2)
    tilted = ball_on_plane(volume, particles, 30.0, gravity=9.81, fps=20.0, frames=9, hysteresis=hysteresis, tilt=70.0)
    slope = World(tilted)
    slope.restore(world.checkpoint(), 3)
    for frame in range(4, 8 if leaves else 6):
        slope.advance(frame)
    place = slope.points("Drops")["position"] / slope.spacing
    behind = place[:, 0] < np.median(place[:, 0]) - 8.0
    assert (0.15 < behind.mean() < 0.6) if leaves else behind.mean() < 0.05
    if leaves:
        assert (place[behind, 2] < 1.5).all()
    assert len(place) == len(world.points("Drops")["position"])


def test_walls_follow_their_law():
    """The pull of a half-space is the integral of the pair force over it, checked by summing a fine lattice."""
    for distance in (0.3, 1.0, 2.0):
        step = 0.05
        side = np.arange(-3.0, 3.0, step) + 0.5 * step
        depth = -(np.arange(0.0, 3.0, step) + 0.5 * step)
        x, y, z = np.meshgrid(side, side, depth, indexing="ij")
        r = np.sqrt(x * x + y * y + (distance - z) ** 2)
        q = np.minimum(r / law.COHESION_REACH, 1.0)
        pull = (law.STRENGTH * q * (1.0 - q) ** 2 * (distance - z) / r).sum() * step**3
        assert law.wall_cohesion(distance) == pytest.approx(pull, rel=0.01)


def test_table_of_angles_rises():
    """The calibration is a function: angles rise, and strengths between two entries lie between theirs."""
    assert (np.diff(wetting.TABLE[:, 0]) > 0.0).all()
    assert wetting.TABLE[0, 0] == 0.0 and wetting.TABLE[-1, 0] == 180.0
    low, middle, high = wetting.strengths(np.array([96.8, 107.5, 118.2]))[:, 0]
    assert low > middle > high


def test_threads_and_resume_change_nothing():
    """One thread equals two, and a restored checkpoint goes on to the same bits, mid-way in a neighbour list's life."""
    same_on_threads_and_resumed(ball_on_plane(4.0e-9, 5000, 60.0, gravity=9.81, fps=2000.0, frames=4))


def test_threads_and_resume_change_nothing_about_a_trail():
    """The same for a drop that slides and leaves a film."""
    tilted = ball_on_plane(1.0e-7, 300, 30.0, gravity=9.81, fps=30.0, frames=4, hysteresis=40.0, tilt=70.0)
    same_on_threads_and_resumed(tilted)


def test_capillary_length_of_water():
    """κ⁻¹ of water is 2.7 mm (3.10)."""
    assert PRESETS["water"].params.capillary_length == pytest.approx(2.7e-3, rel=0.02)


def test_a_metre_of_drop_is_refused():
    """Surface tension does not show at that size: the message says so, names the object and offers a scale."""
    body = Body("Lake", "drops", Mesh.box(ZERO, (1.0, 1.0, 1.0)))
    with pytest.raises(InvalidScene, match=r"Lake.*capillary length.*scale the scene down 100 times"):
        World(Scene("Big", (body,)))


def test_too_few_particles_are_refused():
    """A drop of a few particles names the spacing that it needs."""
    body = Body("Speck", "drops", Mesh.box(ZERO, (2.0e-3, 2.0e-3, 2.0e-3)))
    with pytest.raises(InvalidScene, match=r"Speck: 8 particles.*spacing to 0\.64 mm"):
        world_after(Scene("Small", (body,), world=WorldParams(spacing=1.0e-3)))


def test_a_tap_may_begin_with_one_particle():
    """What an emitter lets out gathers before it is a drop: the least size is asked of bodies only."""
    from solvers.scene import Emitter, EmitterParams

    tap = Emitter("Tap", "drops", Mesh.rectangle((0.0, 0.0, 0.0), (2e-3, 0.0, 0.0), (0.0, 2e-3, 0.0)), EmitterParams(speed=0.2))
    scene = Scene("Tap", (), emitters=(tap,), world=WorldParams(spacing=1.0e-3, gravity=ZERO, frames_per_second=50.0))
    assert 0 < world_after(scene, 1).totals()["particles"] < 30


def test_angles_beyond_180_are_refused():
    """A contact angle outside 0–180° names the collider."""
    scene = ball_on_plane(4.0e-9, 100, 200.0)
    with pytest.raises(InvalidScene, match=r"Plane.*200"):
        from solvers import job

        job.checked(scene)


def test_honey_is_stable():
    """A viscosity ten thousand times that of water is solved implicitly: a drop of honey stays whole and slow."""
    scene = _cube(100, frames_per_second=20.0)
    honey = Body("Honey", "drops", scene.bodies[0].mesh, DropsParams(density=1420.0, surface_tension=0.055, viscosity=10.0))
    world = world_after(Scene("Honey", (honey,), world=scene.world), 1)
    assert np.abs(world.points("Drops")["velocity"]).max() < 0.1


def test_a_moving_wall_is_met_where_it_is():
    """A plate that rises into a drop at rest takes its lowest layer along: it lies on the plate then, not a step ahead."""
    spacing, dt = 1.0e-4, 1.0e-4
    motion = np.tile(np.eye(4), (3, 1, 1))
    motion[:, 2, 3] = 2.0 * spacing * np.arange(3)
    plate = Collider("Plate", Mesh.box((-0.01, -0.01, -0.01), (0.01, 0.01, 0.0)), ColliderParams(contact_angle=90.0), motion)
    drop = Body("Drop", "drops", Mesh.box((-3.0e-4, -3.0e-4, 1.0e-4), (3.0e-4, 3.0e-4, 7.0e-4)))
    world = WorldParams(spacing=spacing, frames_per_second=1.0 / dt, frame_end=3, gravity=ZERO, jitter=0.0)
    stage = world_after(Scene("Lift", (drop,), (plate,), world=world))
    solver: Any = stage._solvers["drops"]
    assert solver.state.live("position")[2].min() < 1.6 * spacing
    stage.walls.pose(dt, dt)
    solver.step(stage.walls, dt, stage.watch)
    lowest = solver.state.live("position")[2].min() / spacing
    assert 2.0 - 1.0e-5 < lowest < 2.6, lowest
