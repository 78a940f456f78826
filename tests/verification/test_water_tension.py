"""Water whose particles are fine enough has surface tension and wets walls; coarse water is what it was."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.drop_shapes import angle_of_particles
from benchmarks.water_beads import bead
from solvers import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.errors import InvalidScene
from solvers.materials.water_params import WaterParams
from solvers.sph.tension import resolved
from solvers.world import World
from tests.verification.worlds import same_on_threads_and_resumed, world_after

ZERO = (0.0, 0.0, 0.0)


def _cube(spacing: float, side: float, tension: str = "auto", **more) -> Scene:
    body = Body("Water", "water", Mesh.box(ZERO, (side, side, side)), WaterParams(tension=tension))
    return Scene("Cube", (body,), world=WorldParams(spacing=spacing, gravity=ZERO, **more))


def test_a_free_cube_of_fine_water_becomes_a_ball():
    """512 particles of 1 mm, no gravity: its axes of inertia end within 4 % of each other; ids, mass and momentum are kept."""
    world = world_after(_cube(1.0e-3, 8.0e-3, frames_per_second=20.0), 2)
    points = world.points("Water")
    across = points["position"].astype(float) - points["position"].mean(axis=0)
    axes = np.sqrt(np.linalg.eigvalsh(across.T @ across))
    assert axes[0] / axes[2] > 0.96
    corners = np.linalg.norm(across, axis=1).max() / np.sqrt((across**2).sum(axis=1).mean() * 5.0 / 3.0)
    assert corners < 1.15  # a cube: 1.34
    assert np.array_equal(np.sort(points["id"]), np.arange(512))
    totals = world.totals()
    assert totals["mass"] == pytest.approx(1000.0 * (8.0e-3) ** 3)
    assert np.abs(totals["momentum"]).max() < 1.0e-3 * totals["mass"] * 0.1


@pytest.mark.parametrize("angle", [60.0, 120.0])
def test_what_is_left_on_a_wall_takes_its_contact_angle(angle: float):
    """A drop of Water, 300 particles, stands on a plane at the plane's contact angle, within 10° at this resolution."""
    world = world_after(bead(angle, 300), 12)
    assert abs(angle_of_particles(world.points("Water")["position"].astype(float)) - angle) < 10.0


def test_a_splash_in_a_small_box_leaves_beads_with_the_angle_of_the_walls():
    """A ball of 4 mm hits the floor of a small box at 0.7 m/s and comes to rest as a bead of the set angle, flattened by its
    weight less than it is without surface tension; nobody is lost."""
    ball = Body("Ball", "water", Mesh.sphere((0.0, 0.0, 3.2e-3), 3.0e-3, 4), velocity=(0.0, 0.0, -0.7))
    box = Collider("Box", Mesh.open_box((-0.02, -0.02, 0.0), (0.02, 0.02, 0.02)), ColliderParams(contact_angle=110.0))
    world_params = WorldParams(spacing=6.0e-4, frames_per_second=20.0)
    height = {}
    for tension in ("auto", "off"):
        body = replace(ball, params=WaterParams(tension=tension))
        world = world_after(Scene("Splash", (body,), (box,), world=world_params), 4)
        position = world.points("Water")["position"]
        assert np.array_equal(np.sort(world.points("Water")["id"]), np.arange(len(position)))
        height[tension] = float(position[:, 2].max())
    assert height["auto"] > 2.5e-3 and height["off"] < 1.5e-3
    # a puddle of any size is no higher than 2 κ⁻¹ sin(θ/2) = 4.5 mm
    assert height["auto"] < 4.5e-3


def test_a_free_body_is_pulled_as_much_as_it_pulls():
    """Without gravity water spreads on a floating block: what the one gets of momentum the other loses, to 0.1 %."""
    water = Body("Water", "water", Mesh.box((-3e-3, -3e-3, 0.0), (3e-3, 3e-3, 4e-3)), WaterParams(tension="on"))
    params = ColliderParams(contact_angle=50.0, free=True, density=600.0)
    block = Collider("Block", Mesh.box((-6e-3, -6e-3, -4e-3), (6e-3, 6e-3, 0.0)), params)
    settings = WorldParams(spacing=8e-4, gravity=ZERO, frames_per_second=100.0)
    world = world_after(Scene("Free", (water,), (block,), world=settings), 1)
    assert world.rigid is not None
    given = np.array(world.totals()["momentum"])
    body = world.rigid.shapes[0].mass * world.rigid.state[0, 7:10] + world.company.late[0, :3]
    assert given[2] < -3.0e-6
    assert np.abs(given + body).max() < 1.0e-3 * abs(given[2])


def test_coarse_water_is_unchanged():
    """Automatic is off, bit for bit, where the liquid's capillary length has fewer than two spacings."""
    assert resolved(1.36e-3, 1000.0, 0.0728) and not resolved(1.37e-3, 1000.0, 0.0728) and not resolved(1.0e-3, 1000.0, 0.025)
    floor = (Collider("Floor", Mesh.rectangle((-0.05, -0.05, -1.0e-3), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0))),)
    results = []
    for tension in ("auto", "off"):
        scene = replace(_cube(2.0e-3, 0.016, tension, frames_per_second=50.0), colliders=floor)
        results.append(world_after(replace(scene, world=replace(scene.world, gravity=(0.0, 0.0, -9.81))), 2).checkpoint())
    for name, value in results[0].items():
        assert value.tobytes() == results[1][name].tobytes(), name


def test_threads_and_resume_change_nothing():
    """One thread equals two, and a restored checkpoint goes on to the same bits."""
    scene = bead(70.0, 1500, frames=4)
    same_on_threads_and_resumed(replace(scene, world=replace(scene.world, frames_per_second=2000.0)))


@pytest.mark.parametrize(
    ("params", "said"),
    [
        (WaterParams(tension="off"), "Second: surface tension is off, but on for other water"),
        (WaterParams(tension="on", density=900.0), "Second: its density or surface tension differs from that of First"),
        (WaterParams(tension="on", scheme="reference"), "Second: surface tension needs the incompressible scheme"),
    ],
)
def test_liquids_that_do_not_go_together_are_refused(params: WaterParams, said: str):
    """The message names the body and the cure."""
    bodies = tuple(
        Body(name, "water", Mesh.box((x, 0.0, 0.0), (x + 5e-3, 5e-3, 5e-3)), given)
        for name, x, given in (("First", 0.0, WaterParams(tension="on", scheme=params.scheme)), ("Second", 0.01, params))
    )
    if params.scheme == "reference":
        bodies = (replace(bodies[1], name="Second"),)
    with pytest.raises(InvalidScene, match=said):
        World(Scene("Two", bodies, world=WorldParams(spacing=1e-3)))
