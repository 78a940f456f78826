"""Different kinds of matter and free bodies in one scene."""

from itertools import combinations

import numpy as np
import pytest

from solvers import Body, Collider, InvalidScene, Mesh, Scene, WorldParams
from solvers.materials import MATERIALS
from solvers.materials.drops_params import PRESETS as DROPS
from solvers.materials.foam_params import FoamParams
from solvers.materials.grains_params import GrainsParams
from solvers.materials.solid_params import SolidParams
from solvers.rigid import RigidBodies
from solvers.rigid.bodies import rotation_matrix
from solvers.scene import ColliderParams
from solvers.world import World

SPACING = 0.02
_PARAMS = {"grains": GrainsParams(mode="all", size=0.02), "foam": FoamParams()}


def _world(bodies, colliders=(), gravity=-9.81, frames=241, spacing=SPACING):
    scene = Scene(
        "Meeting", tuple(bodies), tuple(colliders),
        world=WorldParams(spacing=spacing, gravity=(0.0, 0.0, gravity), frame_end=frames),
    )  # fmt: skip
    world = World(scene)
    world.start()
    return world


def _body(name, kind, low, high, velocity=(0.0, 0.0, 0.0), params=None):
    return Body(name, kind, Mesh.box(low, high), params or _PARAMS.get(kind), velocity)


def _tank(width, height):
    """Slippery: nothing hangs on its walls."""
    return Collider("Tank", Mesh.box((0.0, 0.0, 0.0), (width, width, height), inward=True), ColliderParams(friction=0.0))


def _grains(kind, spacing):
    return GrainsParams(mode="all", size=spacing) if kind == "grains" else None


def _free(world) -> RigidBodies:
    assert world.rigid is not None
    return world.rigid


def _heights(world, kind):
    return np.concatenate([part.position[2] for part in world._solvers[kind].matter()])


@pytest.mark.parametrize("one,other", list(combinations(MATERIALS, 2)))
def test_collision_keeps_momentum(one, other):
    """Two bodies of different kinds collide in empty space: total momentum stays, and it really passes from one to the other.

    Scenes with drops are millimetres small: larger drops move by themselves faster than that."""
    spacing, speed = (0.001, 0.25) if "drops" in (one, other) else (SPACING, 0.5)
    size, gap = 6 * spacing, 0.5 * spacing
    world = _world(
        [
            _body("One", one, (0.0, 0.0, 0.0), (size, size, size), (speed, 0.2 * speed, 0.0), _grains(one, spacing)),
            _body(
                "Other", other, (size + gap, 0.0, 0.0), (2 * size + gap, size, size), (-speed, 0.0, 0.0), _grains(other, spacing)
            ),
        ],
        gravity=0.0, spacing=spacing,
    )  # fmt: skip
    before = np.array(world.totals()["momentum"])
    own = np.array(world._solvers[one].totals()["momentum"])
    energy = world.totals()["kinetic_energy"]
    for frame in range(2, 4 if spacing < SPACING else 6):
        world.advance(frame)
    after = np.array(world.totals()["momentum"])
    passed = np.array(world._solvers[one].totals()["momentum"]) - own
    assert np.abs(after - before).max() < 2.0e-5 * np.abs(own).max()
    assert passed[0] < -0.2 * own[0]
    assert "drops" in (one, other) or world.totals()["kinetic_energy"] < 1.001 * energy
    assert world.company.meeting.record.work < 0.0


def _two_liquids(gap, speed, output=""):
    """A drop of water and one of mercury, side by side in empty space [spacings, m/s]."""
    spacing = 0.001
    size, gap = 6 * spacing, gap * spacing
    bodies = (
        _body("Water", "drops", (0.0, 0.0, 0.0), (size, size, size), (speed, 0.0, 0.0)),
        Body(
            "Mercury", "drops", Mesh.box((size + gap, 0.0, 0.0), (2 * size + gap, size, size)), DROPS["mercury"].params,
            (-speed, 0.0, 0.0), output=output,
        ),
    )  # fmt: skip
    return Scene("Two liquids", bodies, world=WorldParams(spacing=spacing, gravity=(0.0, 0.0, 0.0), frame_end=9))


def test_two_liquids():
    """Drops of two liquids collide: each has files of its own, momentum stays and passes, neither is in the other."""
    world = World(_two_liquids(0.5, 0.25))
    world.start()
    assert [(output.name, output.kind) for output in world.outputs] == [("Drops", "drops"), ("Mercury", "drops")]
    before, own = np.array(world.totals()["momentum"]), world._solvers["drops"].totals()["momentum"][0]
    for frame in range(2, 5):
        world.advance(frame)
    after = np.array(world.totals()["momentum"])
    assert np.abs(after - before).max() < 2.0e-5 * abs(own)
    assert world._solvers["drops"].totals()["momentum"][0] < 0.5 * own
    water, mercury = (world.points(name)["position"] for name in ("Drops", "Mercury"))
    assert len(water) == len(mercury) == 216
    # the heavy one ploughs on to the left and pushes the light one before it
    assert np.median(water[:, 0]) < np.median(mercury[:, 0]) - 2.0e-3


def test_two_liquids_need_two_outputs():
    """Another liquid in the same files could not be shaded: the message names both."""
    with pytest.raises(InvalidScene, match=r"Mercury: .*than Water.*'Drops'"):
        World(_two_liquids(0.5, 0.25, output="Drops"))


@pytest.mark.parametrize("low,high", [("grains", "foam"), ("water", "foam"), ("grains", "water")])
def test_stack_stays(low, high):
    """A light layer on a heavy one in a tank for 5 s: after settling, neither moves nor mixes."""
    edge = 0.08
    world = _world(
        [_body("Low", low, (0.0, 0.0, 0.0), (edge, edge, 0.06)), _body("High", high, (0.0, 0.0, 0.06), (edge, edge, 0.12))],
        [_tank(edge, 0.3)],
    )
    middles = []
    for frame in range(2, 122):
        world.advance(frame)
        middles.append(_heights(world, high).mean())
    middle, top = np.median(_heights(world, high)), np.quantile(_heights(world, low), 0.95)
    assert np.ptp(middles[24:]) < 0.1 * SPACING
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


def test_floating_solid():
    """A soft raft of half the density of water floats half submerged, measured by the water's level beside it."""
    width, raft, height = 0.28, 0.16, 0.08
    low, high = 0.5 * (width - raft), 0.5 * (width + raft)
    soft = _body("Raft", "solid", (low, low, 0.16), (high, high, 0.16 + height), params=SolidParams(density=500.0))
    world = _world([soft, _body("Water", "water", (0.0, 0.0, 0.0), (width, width, 0.2))], [_tank(width, 0.5)])
    draughts = []
    for frame in range(2, 38):
        world.advance(frame)
        bottom = _heights(world, "solid").mean() - 0.5 * height
        water = world._solvers["water"].matter()[0].position
        beside = np.abs(water[:2] - 0.5 * width).max(axis=0) > 0.5 * raft + 0.5 * SPACING
        level = np.count_nonzero(beside) * SPACING**3 / (width**2 - (raft + SPACING) ** 2)
        draughts.append((level - bottom) / height)
    assert np.mean(draughts[-12:]) == pytest.approx(0.5, abs=0.05) and np.ptp(draughts[-12:]) < 0.15


@pytest.mark.parametrize("kind,params,density", [("solid", None, 2000.0), ("foam", FoamParams(yield_stress=500.0), 300.0)])
def test_body_lies_on_soft_matter(kind, params, density):
    """A steel-grey box on a jelly, a light one on foam below its yield: it lies on the surface, and stays."""
    width, height, box = 0.16, 0.08, 0.06
    low, high = 0.5 * (width - box), 0.5 * (width + box)
    mesh = Mesh.box((low, low, height + 0.002), (high, high, height + 0.002 + box))
    body = Collider("Box", mesh, ColliderParams(free=True, density=density))
    world = _world([_body("Bed", kind, (0.0, 0.0, 0.0), (width, width, height), params=params)], [_tank(width, 0.5), body])
    bottoms = []
    for frame in range(2, 26):
        world.advance(frame)
        bottoms.append(_free(world).state[0, 2] - 0.5 * box)
    assert height - 0.75 * SPACING < bottoms[-1] < height + 0.002
    assert np.ptp(bottoms[-12:]) < 0.05 * SPACING


def test_body_sinks_into_weak_foam():
    """Above the yield a heavy ball goes down and moves the foam aside: it rises around it, hardly anything stays inside."""
    width, height, radius = 0.16, 0.08, 0.035
    mesh = Mesh.sphere((0.5 * width, 0.5 * width, height + radius), radius, 2)
    body = Collider("Ball", mesh, ColliderParams(free=True, density=3000.0))
    foam = _body("Bed", "foam", (0.0, 0.0, 0.0), (width, width, height), params=FoamParams(yield_stress=20.0))
    world = _world([foam], [_tank(width, 0.5), body])
    for frame in range(2, 22):
        world.advance(frame)
    ball = _free(world).state[0, :3]
    away = np.linalg.norm(world._solvers["foam"].matter()[0].position - ball[:, None], axis=0)
    assert ball[2] - radius < 0.5 * height
    assert np.count_nonzero(away < radius - 0.5 * SPACING) * SPACING**3 < 0.1 * 4.0 / 3.0 * np.pi * radius**3
    assert np.quantile(_heights(world, "foam"), 0.98) > height


@pytest.mark.parametrize("kind", ["foam", "solid", "drops"])
def test_body_and_matter_keep_momentum(kind):
    """A block of a kind hits a free body off its middle, in empty space: linear and angular momentum of both together stay."""
    spacing, speed = (0.001, 0.3) if kind == "drops" else (SPACING, 1.0)
    size = 5 * spacing
    mesh = Mesh.box((size + 0.5 * spacing, 0.0, 0.4 * size), (2 * size, size, 1.4 * size))
    body = Collider("Box", mesh, ColliderParams(free=True, density=400.0))
    block = _body("Block", kind, (0.0, 0.0, 0.0), (size, size, size), (speed, 0.0, 0.0))
    world = _world([block], [body], gravity=0.0, spacing=spacing)

    def both():
        matter = world._solvers[kind].matter()[0]
        impulse = (matter.mass * matter.velocity).astype(np.float64)
        state, late = _free(world).state[0], world.company.late[0]
        linear = impulse.sum(axis=1) + _free(world).shapes[0].mass * state[7:10] + late[:3]
        turning = np.cross(matter.position.T, impulse.T).sum(axis=0) + state[10:13] + late[3:]
        return linear, turning + np.cross(state[:3], linear - impulse.sum(axis=1))

    linear, turning = both()
    own = linear[0]
    for frame in range(2, 4):
        world.advance(frame)
    after = both()
    assert _free(world).state[0, 7] > 0.1 * speed and np.linalg.norm(_free(world).spin(0)) > 0.1
    assert np.abs(after[0] - linear).max() < 2.0e-5 * own
    # the material's own transfers keep angular momentum less exactly
    assert np.abs(after[1] - turning).max() < 0.05 * own * size


def test_ball_stops_in_grains():
    """A ball dropped into a bed of grains stops; the higher it fell from the deeper."""
    width, height, radius = 0.16, 0.09, 0.025
    depths = []
    for drop in (0.0, 0.15, 0.6):
        mesh = Mesh.sphere((0.5 * width, 0.5 * width, height + radius + drop), radius, 2)
        ball = Collider("Ball", mesh, ColliderParams(free=True, density=7800.0))
        sand = GrainsParams(mode="all", size=0.012)
        bed = _body("Bed", "grains", (0.0, 0.0, 0.0), (width, width, height), params=sand)
        world = _world([bed], [_tank(width, 1.0), ball])
        bottoms = []
        for frame in range(2, 18):
            world.advance(frame)
            bottoms.append(_free(world).state[0, 2] - radius)
        assert np.ptp(bottoms[-4:]) < 0.1 * radius and bottoms[-1] > 0.0
        depths.append(height - bottoms[-1])
    assert depths[0] + 0.004 < depths[1] and depths[1] + 0.004 < depths[2]


def test_heavy_block_sinks_into_sand():
    """A block lighter than sand lies on it; one of 30 kPa goes in by most of a grain until the sand bears it, and rests."""
    width, height, box, tall, depths = 0.2, 0.09, 0.05, 0.14, []
    for density in (300.0, 20000.0):
        low, high = 0.5 * (width - box), 0.5 * (width + box)
        mesh = Mesh.box((low, low, height + 0.002), (high, high, height + 0.002 + tall))
        block = Collider("Block", mesh, ColliderParams(free=True, density=density))
        sand = _body("Sand", "grains", (0.0, 0.0, 0.0), (width, width, height), params=GrainsParams(mode="all", size=0.014))
        world = _world([sand], [_tank(width, 0.5), block])
        bottoms = []
        for frame in range(2, 14):
            world.advance(frame)
            bottoms.append(_free(world).state[0, 2] - 0.5 * tall)
        assert np.ptp(bottoms[-4:]) < 5.0e-4
        depths.append(height - bottoms[-1])
    assert depths[0] < 0.005 and depths[1] > depths[0] + 0.01


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


@pytest.mark.parametrize("density,rises", [(700.0, True), (2000.0, False)])
def test_plank_on_the_floor(density, rises):
    """Flat on the floor under water, where no particle fits below it: a light plank comes up and floats, a heavy one stays."""
    width, height = 0.24, 0.04
    plank = Collider(
        "Plank", Mesh.box((0.08, 0.08, 0.0005), (0.16, 0.16, height)), ColliderParams(free=True, density=density)
    )
    world = _world([_body("Water", "water", (0.0, 0.0, 0.0), (width, width, 0.1))], [_tank(width, 0.4), plank])
    for frame in range(2, 42):
        world.advance(frame)
    bottom = _free(world).state[0, 2] - 0.5 * height
    volume = world._solvers["water"].state.count * SPACING**3
    draught = (volume / width**2 + density / 1000.0 * 0.08**2 * height / width**2 - bottom) / height
    assert draught == pytest.approx(0.001 * density, abs=0.1) if rises else bottom < 0.001


def test_water_knocks_a_body_over():
    """A flood against a domino: it falls flat in the direction of the flow, is swept along, and floats in the end."""
    domino = Collider(
        "Domino", Mesh.box((0.5, 0.1, 0.0005), (0.54, 0.2, 0.2)), ColliderParams(free=True, density=600.0, friction=0.5)
    )
    tank = Collider("Tank", Mesh.box((0.0, 0.0, 0.0), (1.0, 0.3, 0.6), inward=True))
    world = _world([_body("Water", "water", (0.0, 0.0, 0.0), (0.25, 0.3, 0.3))], [tank, domino])
    farthest = 0.0
    for frame in range(2, 50):
        world.advance(frame)
        farthest = max(farthest, _free(world).state[0, 0])
    upright = rotation_matrix(_free(world).state[0, 3:7])[2, 2]
    assert abs(upright) < 0.3 and farthest > 0.7
    assert _free(world).state[0, 2] > 0.04


def test_what_falls_for_ever_shortens_no_step():
    """A ball that has fallen past everything moves fast and meets nothing: the water's steps are those without it."""
    pool = _body("Water", "water", (0.0, 0.0, 0.0), (0.1, 0.1, 0.06))
    ball = ColliderParams(free=True, velocity=(0.0, 0.0, -30.0))
    steps = []
    for height in (-10.0, -0.3):
        fallen = Collider("Ball", Mesh.sphere((0.5, 0.0, height), 0.05, 1), ball)
        world = _world([pool], [_tank(0.1, 0.3), fallen])
        steps.append(world._stable_steps(0.0)["water"])
    alone = _world([pool], [_tank(0.1, 0.3)])._stable_steps(0.0)["water"]
    assert steps[0] == alone and steps[1] < 0.2 * alone


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
