"""Closed forms of single grains and small sets of them."""

import numpy as np
import pytest

from solvers.dem.law import damping_ratio
from solvers.scene import Collider, ColliderParams, Mesh
from solvers.watch import Silent
from tests.verification.grain_scenes import GRAVITY, RADIUS, SAND, close_packed, floor, grains, run, walls_of

NOTHING = np.zeros(3)


def _no_walls():
    return walls_of()


@pytest.mark.parametrize("restitution", [0.0, 0.1, 0.3, 0.5, 0.8, 1.0])
def test_pair_restitution(restitution: float):
    """Head-on pair: relative speed after over before is e (critical damping, e = 0, leaves next to nothing)."""
    setting = SAND._replace(restitution=restitution)
    measured = []
    for shift in np.linspace(0.0, 1.0, 5):
        speed = 0.5
        apart = 2.2 * RADIUS + 0.01 * shift * RADIUS
        engine = grains([[0, 0, 0], [apart, 0, 0]], [[speed, 0, 0], [-speed, 0, 0]], setting=setting)
        run(engine, _no_walls(), 0.02, NOTHING)
        v = engine.state.live("velocity")[0]
        order = np.argsort(engine.state.live("id"))
        measured.append((v[order][1] - v[order][0]) / (2.0 * speed))
        assert v.sum() == pytest.approx(0.0, abs=1.0e-6)
    assert np.mean(measured) == pytest.approx(restitution, abs=0.02)
    assert np.ptp(measured) < 0.04


@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.9])
def test_wall_restitution(restitution: float):
    """A ball that hits a wall squarely leaves with e times its speed, and does not slide."""
    engine = grains([[0.0, 0.0, 1.5 * RADIUS]], [[0.0, 0.0, -0.5]], setting=SAND._replace(restitution=restitution))
    run(engine, walls_of(floor()), 0.03, NOTHING)
    velocity = engine.state.live("velocity")[:, 0]
    assert velocity[2] == pytest.approx(0.5 * restitution, abs=0.012)
    assert np.abs(velocity[:2]).max() < 1.0e-6


def test_damping_ratio_is_exact():
    """ζ(e) inverts e = exp(−π ζ/√(1 − ζ²)) to round-off."""
    for restitution in (1.0e-6, 0.01, 0.5, 0.99, 1.0):
        zeta = damping_ratio(restitution)
        assert np.exp(-np.pi * zeta / np.sqrt(1.0 - zeta * zeta)) == pytest.approx(restitution, rel=1.0e-12)
    assert damping_ratio(0.0) == 1.0


def _on_slope(angle: float, friction: float, rolling: float, seconds: float) -> tuple[float, float]:
    """Speed down the slope and surface speed of a ball that starts at rest on a slope [m/s]; gravity is turned instead."""
    engine = grains([[0.0, 0.0, RADIUS]], setting=SAND._replace(wall_friction=friction, rolling=rolling, restitution=0.2))
    walls = walls_of(floor(friction))
    gravity = 9.81 * np.array((np.sin(angle), 0.0, -np.cos(angle)))
    run(engine, walls, seconds, gravity)
    return float(engine.state.live("velocity")[0, 0]), float(engine.state.live("spin")[1, 0]) * RADIUS


def test_rolling_down_a_slope():
    """A ball that rolls without slipping accelerates by 5/7 g sin θ and turns at v/r."""
    angle, seconds = np.radians(20.0), 0.2
    speed, surface = _on_slope(angle, 0.5, 0.0, seconds)
    assert speed == pytest.approx(5.0 / 7.0 * 9.81 * np.sin(angle) * seconds, rel=0.005)
    assert surface == pytest.approx(speed, rel=0.005)


def test_slipping_down_a_slope():
    """Below tan θ = 7/2 µ a ball rolls; above it slips: a = g (sin θ − µ cos θ), turning by 5/2 µ g cos θ / r."""
    angle, seconds, friction = np.radians(50.0), 0.1, 0.2
    assert np.tan(angle) > 3.5 * friction
    speed, surface = _on_slope(angle, friction, 0.0, seconds)
    assert speed == pytest.approx(9.81 * (np.sin(angle) - friction * np.cos(angle)) * seconds, rel=0.01)
    assert surface == pytest.approx(2.5 * friction * 9.81 * np.cos(angle) * seconds, rel=0.02)


def test_frictionless_slope():
    """Without friction a ball slides by g sin θ and does not turn."""
    angle = np.radians(35.0)
    speed, surface = _on_slope(angle, 0.0, 0.0, 0.1)
    assert speed == pytest.approx(9.81 * np.sin(angle) * 0.1, rel=0.002)
    assert surface == 0.0


@pytest.mark.parametrize("angle,moves", [(4.0, False), (8.0, True)])
def test_rolling_resistance_holds(angle: float, moves: bool):
    """Rolling resistance µ_r = 0.1 holds a ball on slopes up to tan θ = 0.1 (5.7°) for good, and no steeper."""
    speed, _ = _on_slope(np.radians(angle), 0.5, 0.1, 0.4)
    if moves:
        wanted = 5.0 / 7.0 * 9.81 * (np.sin(np.radians(angle)) - 0.1 * np.cos(np.radians(angle))) * 0.4
        assert speed == pytest.approx(wanted, rel=0.03)
    else:
        assert abs(speed) < 1.0e-8


@pytest.mark.parametrize("angle,moves", [(18.0, False), (25.0, True)])
def test_coulomb_limit(angle: float, moves: bool):
    """Three balls that block each other's rolling stand on a slope below the friction angle (21.8°), and slip above."""
    corners = RADIUS * (1.0 - 1.0e-4) * np.array([[2 / np.sqrt(3), 0, 0], [-1 / np.sqrt(3), 1, 0], [-1 / np.sqrt(3), -1, 0]])
    setting = SAND._replace(friction=10.0, wall_friction=0.4, rolling=1.0, restitution=0.2)
    engine = grains(corners + np.array((0.0, 0.0, RADIUS)), setting=setting)
    tilt = np.radians(angle)
    run(engine, walls_of(floor(0.4)), 0.3, 9.81 * np.array((np.sin(tilt), 0.0, -np.cos(tilt))))
    speed = engine.state.live("velocity")[0].mean()
    if moves:
        assert speed == pytest.approx(9.81 * (np.sin(tilt) - 0.4 * np.cos(tilt)) * 0.3, rel=0.1)
    else:
        assert abs(speed) < 1.0e-6


def test_free_fall_is_exact():
    """Nothing but gravity: v = g t to round-off, x = ½ g t² up to half a step."""
    engine = grains([[0.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]])
    run(engine, _no_walls(), 0.1)
    velocity, position = engine.state.live("velocity")[:, 0], engine.state.live("position")[:, 0]
    assert velocity == pytest.approx([1.0, 0.0, -0.981], rel=1.0e-12)
    assert position == pytest.approx([0.1, 0.0, -0.5 * 9.81 * 0.01], abs=9.81 * 0.1 * engine.stiffness.step)


def test_momentum_of_a_closed_packing():
    """Grains that crash into each other with friction, spin and rolling resistance keep linear and angular momentum."""
    setting = SAND._replace(rolling=0.2, restitution=0.4)
    engine = close_packed(6, setting=setting, gap=1.35)
    state = engine.state
    random = np.random.default_rng(3)
    state.live("velocity")[:] = random.normal(0.0, 0.3, (3, state.count)) - 10.0 * state.live("position")
    state.live("spin")[:] = random.normal(0.0, 20.0, (3, state.count))

    def momenta():
        mass, radius = engine.mass(), state.live("radius").astype(np.float64)
        p = mass * state.live("velocity")
        orbital = np.cross(state.live("position").T, p.T).sum(axis=0)
        return p.sum(axis=1), orbital + (0.4 * mass * radius**2 * state.live("spin")).sum(axis=1)

    def energy():
        mass = engine.mass()
        return 0.5 * (mass * (state.live("velocity") ** 2).sum(axis=0)).sum()

    (linear, angular), scale, begun = momenta(), float(np.abs(engine.mass() * state.live("velocity")).sum()), energy()
    run(engine, _no_walls(), 0.1, NOTHING)
    after = momenta()
    assert energy() < 0.8 * begun
    assert np.abs(after[0] - linear).max() < 1.0e-6 * scale
    assert np.abs(after[1] - angular).max() < 1.0e-6 * scale * 6 * 2 * RADIUS


@pytest.mark.parametrize("pull", [(-1.0, 0.0, -1.0), (-1.0, -1.0, -1.0)])
def test_edges_and_corners_are_round(pull: tuple[float, float, float]):
    """A ball pulled towards the edge or the corner of a box rests on it with its centre one radius away, not on a mitre."""
    box = Collider("Box", Mesh.box((-0.1, -0.1, -0.1), (0.0, 0.0 if pull[1] else 0.1, 0.0)), ColliderParams(friction=1.0))
    direction = np.array(pull) / np.linalg.norm(pull)
    engine = grains([-1.01 * RADIUS * direction], setting=SAND._replace(restitution=0.2, wall_friction=1.0, rolling=0.3))
    run(engine, walls_of(box), 0.05, 9.81 * direction)
    place = engine.state.live("position")[:, 0]
    assert place == pytest.approx(-RADIUS * direction, abs=0.01 * RADIUS)


@pytest.mark.parametrize("thickness", [0.0, 0.2 * RADIUS])
def test_thin_walls_do_not_leak(thickness: float):
    """Fast grains against a sheet and against a plate much thinner than a grain: none gets through."""
    if thickness == 0.0:
        wall = floor(half=0.2)
    else:
        wall = Collider("Plate", Mesh.box((-0.2, -0.2, -thickness), (0.2, 0.2, 0.0)))
    random = np.random.default_rng(5)
    grid = np.stack(np.meshgrid(*[np.arange(5)] * 2, indexing="ij"), axis=-1).reshape(-1, 2) * 2.4 * RADIUS - 0.05
    layers = [np.column_stack([grid, np.full(len(grid), (2.0 + 2.2 * k) * RADIUS)]) for k in range(3)]
    place = np.concatenate(layers)
    engine = grains(place, [0.0, 0.0, -4.0], radius=RADIUS * random.uniform(0.8, 1.0, len(place)), stiffness=4.0e8)
    run(engine, walls_of(wall), 0.02)
    height = engine.state.live("position")[2]
    within = np.abs(engine.state.live("position")[:2]).max(axis=0) < 0.2
    assert (height[within] > 0.5 * RADIUS).all()


def test_moving_wall_drags_and_throws():
    """A ball at rest on a table that moves at 0.3 m/s ends up rolling along at 2/7 of that, slip gone (no rolling resistance)."""
    motion = np.tile(np.eye(4), (49, 1, 1))
    motion[:, 0, 3] = 0.3 / 24.0 * np.arange(49)
    table = Collider("Table", floor(0.8, half=2.0).mesh, ColliderParams(friction=0.8), motion=motion)
    engine = grains([[0.0, 0.0, RADIUS]], setting=SAND._replace(wall_friction=0.8, restitution=0.2))
    walls = walls_of(table)
    time = 0.0
    while time < 0.5:
        dt = engine.stable_dt(0.3, 9.81)
        walls.pose(time + dt, dt)
        engine.advance(walls, dt, GRAVITY, 0.3, Silent())
        time += dt
    assert engine.state.live("velocity")[0, 0] == pytest.approx(0.3 * 2.0 / 7.0, rel=0.01)
    surface = engine.state.live("velocity")[0, 0] - RADIUS * engine.state.live("spin")[1, 0]
    assert surface == pytest.approx(0.3, rel=0.01)


@pytest.mark.parametrize("strength,hangs", [(1.3, True), (0.7, False)])
def test_bridge_holds_its_weight(strength: float, hangs: bool):
    """Wet grains: a ball hangs from another if the bridge (Rumpf: 4/1.15 σ r²) is stronger than its weight, and falls if not."""
    weight = 4.0 / 3.0 * np.pi * RADIUS**3 * SAND.density * 9.81
    cohesion = strength * weight * 1.15 / (4.0 * RADIUS**2)
    engine = grains([[0, 0, 0], [0, 0, -1.9999 * RADIUS]], setting=SAND._replace(cohesion=cohesion, restitution=0.2))
    engine.state.live("fixed")[0] = 1
    run(engine, _no_walls(), 0.1)
    lower = int(np.argmax(engine.state.live("id") == 1))
    assert (engine.state.live("position")[2, lower] > -2.1 * RADIUS) == hangs
