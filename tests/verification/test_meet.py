"""Different kinds of matter and free bodies in one scene."""

from itertools import combinations

import numpy as np
import pytest

from solvers import Body, Collider, InvalidScene, Mesh, Scene, WorldParams
from solvers.materials.foam_params import FoamParams
from solvers.materials.grains_params import GrainsParams
from solvers.rigid import RigidBodies
from solvers.scene import ColliderParams
from solvers.world import World

SPACING = 0.02
_PARAMS = {"grains": GrainsParams(mode="all", size=0.02), "foam": FoamParams()}
KINDS = ("water", "grains", "foam")


def _world(bodies, colliders=(), gravity=-9.81, frames=241):
    scene = Scene(
        "Meeting", tuple(bodies), tuple(colliders),
        world=WorldParams(spacing=SPACING, gravity=(0.0, 0.0, gravity), frame_end=frames),
    )  # fmt: skip
    world = World(scene)
    world.start()
    return world


def _body(name, kind, low, high, velocity=(0.0, 0.0, 0.0)):
    return Body(name, kind, Mesh.box(low, high), _PARAMS.get(kind), velocity)


def _tank(width, height):
    """Slippery: nothing hangs on its walls."""
    return Collider("Tank", Mesh.box((0.0, 0.0, 0.0), (width, width, height), inward=True), ColliderParams(friction=0.0))


def _free(world) -> RigidBodies:
    assert world.rigid is not None
    return world.rigid


def _heights(world, kind):
    return np.concatenate([part.position[2] for part in world._solvers[kind].matter()])


@pytest.mark.parametrize("one,other", list(combinations(KINDS, 2)))
def test_collision_keeps_momentum(one, other):
    """Two bodies of different kinds collide in empty space: total momentum stays, and it really passes from one to the other."""
    size = 6 * SPACING
    world = _world(
        [
            _body("One", one, (0.0, 0.0, 0.0), (size, size, size), (0.5, 0.1, 0.0)),
            _body("Other", other, (size + 0.01, 0.0, 0.0), (2 * size + 0.01, size, size), (-0.5, 0.0, 0.0)),
        ],
        gravity=0.0,
    )
    before = np.array(world.totals()["momentum"])
    own = np.array(world._solvers[one].totals()["momentum"])
    energy = world.totals()["kinetic_energy"]
    for frame in range(2, 6):
        world.advance(frame)
    after = np.array(world.totals()["momentum"])
    passed = np.array(world._solvers[one].totals()["momentum"]) - own
    assert np.abs(after - before).max() < 2.0e-5 * np.abs(own).max()
    assert passed[0] < -0.2 * own[0]
    assert world.totals()["kinetic_energy"] < 1.001 * energy


@pytest.mark.parametrize("low,high", [("grains", "foam"), ("water", "foam"), ("grains", "water")])
def test_stack_stays(low, high):
    """A light layer on a heavy one in a tank: after settling, neither moves nor mixes."""
    edge = 0.12
    world = _world(
        [_body("Low", low, (0.0, 0.0, 0.0), (edge, edge, 0.08)), _body("High", high, (0.0, 0.0, 0.08), (edge, edge, 0.16))],
        [_tank(edge, 0.4)],
    )
    for frame in range(2, 26):
        world.advance(frame)
    before = np.median(_heights(world, high))
    for frame in range(26, 38):
        world.advance(frame)
    middle, top = np.median(_heights(world, high)), np.quantile(_heights(world, low), 0.95)
    assert abs(middle - before) < 0.1 * SPACING
    # the lowest twentieth of the upper layer is at most one shared cell below the top of the lower one
    assert np.quantile(_heights(world, high), 0.05) > top - 2.0 * SPACING
    assert middle > top


def test_lighter_matter_rises():
    """Foam that begins under water ends above it."""
    edge = 0.12
    light = Body("Foam", "foam", Mesh.box((0.0, 0.0, 0.0), (edge, edge, 0.06)), FoamParams(density=200.0, yield_stress=1.0))
    world = _world([light, _body("Water", "water", (0.0, 0.0, 0.06), (edge, edge, 0.14))], [_tank(edge, 0.4)])
    for frame in range(2, 60):
        world.advance(frame)
    assert np.median(_heights(world, "foam")) > np.median(_heights(world, "water")) + SPACING


def test_later_body_yields():
    """Bodies that overlap: the first is whole, the second lacks what they share; one without any room is refused."""
    edge = 6 * SPACING
    first = _body("First", "water", (0.0, 0.0, 0.0), (edge, edge, edge))
    second = _body("Second", "foam", (0.0, 0.0, 0.5 * edge), (edge, edge, 1.5 * edge))
    world = _world([first, second])
    assert world._solvers["water"].state.count == 216 and world._solvers["foam"].state.count == 108
    assert _heights(world, "foam").min() > edge
    with pytest.raises(InvalidScene, match="Second: other bodies fill"):
        _world([first, _body("Second", "foam", (0.02, 0.02, 0.02), (0.08, 0.08, 0.08))])


def _floating(density, seconds=2.5):
    """Draught of a raft over its height, by the volume it displaces."""
    width, raft, height = 0.28, 0.16, 0.08
    low, high = 0.5 * (width - raft), 0.5 * (width + raft)
    body = Collider("Raft", Mesh.box((low, low, 0.12), (high, high, 0.12 + height)), ColliderParams(free=True, density=density))
    world = _world([_body("Water", "water", (0.0, 0.0, 0.0), (width, width, 0.2))], [_tank(width, 0.5), body])
    heights = []
    for frame in range(2, int(24 * seconds) + 2):
        world.advance(frame)
        heights.append(_free(world).state[0, 2])
    volume = world._solvers["water"].state.count * SPACING**3
    bottom = np.mean(heights[-12:]) - 0.5 * height
    level = (volume - raft**2 * bottom) / (width**2 - raft**2)
    return (level - bottom) / height, np.ptp(heights[-12:])


def test_archimedes():
    """A raft of half the density of water floats half submerged."""
    draught, swing = _floating(500.0)
    assert draught == pytest.approx(0.5, abs=0.05) and swing < 0.01


def test_heavy_bodies_sink():
    """One of twice its density lies on the floor."""
    width = 0.24
    box = Collider("Box", Mesh.box((0.08, 0.08, 0.16), (0.16, 0.16, 0.24)), ColliderParams(free=True, density=2000.0))
    world = _world([_body("Water", "water", (0.0, 0.0, 0.0), (width, width, 0.16))], [_tank(width, 0.5), box])
    for frame in range(2, 38):
        world.advance(frame)
    assert _free(world).state[0, 2] < 0.05
    assert _heights(world, "water").max() < 0.3


def test_body_and_water_keep_momentum():
    """Water hits a free body in empty space: what it loses the body gets, but for what is on its way."""
    size = 5 * SPACING
    box = Collider("Box", Mesh.box((size + 0.01, 0.0, 0.0), (2 * size, size, size)), ColliderParams(free=True, density=400.0))
    water = _body("Water", "water", (0.0, 0.0, 0.0), (size, size, size), (1.0, 0.0, 0.0))
    world = _world([water], [box], gravity=0.0)
    before = np.array(world.totals()["momentum"])
    for frame in range(2, 6):
        world.advance(frame)
    body = _free(world).shapes[0].mass * _free(world).state[0, 7:10]
    late = world.company.late[0, :3]
    total = np.array(world._solvers["water"].totals()["momentum"]) + body + late
    assert body[0] > 0.05 * before[0]
    assert np.abs(total - before).max() < 2.0e-4 * before[0]
