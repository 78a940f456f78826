"""Free rigid bodies among grains."""

from typing import Any

import numpy as np
import pytest

from solvers import Body, Collider, GrainsParams, InvalidScene, Mesh, Scene, WorldParams
from solvers.rigid import RigidBodies, mass_properties
from solvers.scene import ColliderParams
from solvers.world import World


def _world(collider: Collider, body: Mesh, gravity=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), more=()) -> Any:
    params = GrainsParams(mode="all", size=0.02, restitution=0.3)
    scene = Scene(
        "Free",
        (Body("Sand", "grains", body, params, velocity),),
        (collider, *more),
        world=WorldParams(gravity=gravity, frames_per_second=50.0),
    )
    world = World(scene)
    world.start()
    return world


def test_mass_properties():
    """A box: volume, centre, and inertia m/12 (b² + c²); a sphere: 2/5 m r² within the error of its facets."""
    box = Mesh.box((1.0, 2.0, 3.0), (1.2, 2.4, 3.6))
    volume, centre, inertia = mass_properties(box.vertices, box.triangles)
    assert volume == pytest.approx(0.048)
    assert centre == pytest.approx([1.1, 2.2, 3.3])
    assert np.diag(inertia) == pytest.approx(0.048 / 12.0 * np.array([0.16 + 0.36, 0.04 + 0.36, 0.04 + 0.16]))
    ball = Mesh.sphere((0.0, 0.0, 0.0), 1.0, 4)
    volume, _, inertia = mass_properties(ball.vertices, ball.triangles)
    assert np.diag(inertia) / volume == pytest.approx(0.4, rel=0.01)


def test_momentum_of_a_hit():
    """A cloud of grains hits a free box off its middle: momentum and angular momentum of both together stay."""
    box = Collider("Box", Mesh.box((0.0, 0.0, 0.0), (0.1, 0.2, 0.2)), ColliderParams(free=True, density=500.0))
    world = _world(box, Mesh.box((-0.15, 0.08, 0.08), (-0.02, 0.2, 0.2)), velocity=(1.0, 0.0, 0.0))
    solver, rigid = world._solvers["grains"], world.rigid
    assert isinstance(rigid, RigidBodies)

    def momenta() -> tuple[np.ndarray, np.ndarray]:
        state, mass = solver.state, solver.engine.mass()
        p = mass * state.live("velocity")
        own = (0.4 * mass * state.live("radius").astype(np.float64) ** 2 * state.live("spin")).sum(axis=1)
        body, weight = rigid.state[0], rigid.shapes[0].mass
        linear = p.sum(axis=1) + weight * body[7:10]
        angular = np.cross(state.live("position").T, p.T).sum(axis=0) + own
        return linear, angular + np.cross(body[0:3], weight * body[7:10]) + body[10:13]

    before = momenta()
    for frame in range(2, 14):
        world.advance(frame)
    after = momenta()
    assert rigid.state[0, 7] > 0.02 and np.abs(rigid.spin(0)).max() > 0.1
    assert after[0] == pytest.approx(before[0], abs=1.0e-5 * np.abs(before[0]).max())
    assert after[1] == pytest.approx(before[1], abs=3.0e-3 * np.abs(before[1]).max())


def test_free_fall_and_free_spin():
    """Far from all grains a body falls by ½ g t² and keeps angular momentum and energy of its tumbling."""
    box = Collider("Box", Mesh.box((5.0, 0.0, 0.0), (5.1, 0.2, 0.4)), ColliderParams(free=True, mass=2.0, spin=(0.3, 8.0, 0.2)))
    world = _world(box, Mesh.box((0, 0, 0), (0.05, 0.05, 0.05)), gravity=(0.0, 0.0, -9.81))
    rigid = world.rigid
    momentum, energy = rigid.state[0, 10:13].copy(), rigid.state[0, 10:13] @ rigid.spin(0)
    height = rigid.state[0, 2]
    for frame in range(2, 12):
        world.advance(frame)
    assert rigid.state[0, 2] - height == pytest.approx(-0.5 * 9.81 * 0.04, rel=0.01)
    assert rigid.state[0, 10:13] == pytest.approx(momentum, rel=1.0e-12)
    assert rigid.state[0, 10:13] @ rigid.spin(0) == pytest.approx(energy, rel=0.01)
    assert len(world.totals()["pose Box"]) == 7


def test_heavier_sinks_deeper():
    """Balls of different density rest on a bed of grains; the heavier one lies deeper, and neither sinks on."""
    depth = []
    for density in (300.0, 6000.0):
        ball = Collider("Ball", Mesh.sphere((0.1, 0.1, 0.18), 0.05), ColliderParams(free=True, density=density))
        tray = Collider("Tray", Mesh.open_box((0, 0, 0), (0.2, 0.2, 0.4)))
        world = _world(ball, Mesh.box((0, 0, 0), (0.2, 0.2, 0.12)), gravity=(0.0, 0.0, -9.81), more=(tray,))
        for frame in range(2, 42):
            world.advance(frame)
        assert abs(world.rigid.state[0, 9]) < 0.02
        depth.append(world.rigid.state[0, 2])
    assert 0.1 < depth[1] < depth[0] - 0.005


def test_checkpoint_of_a_free_body():
    """The rigid state is part of the checkpoint: a restored world goes on bit for bit."""
    box = Collider("Box", Mesh.box((0.0, 0.0, 0.0), (0.1, 0.2, 0.2)), ColliderParams(free=True))
    mesh = Mesh.box((-0.15, 0.08, 0.08), (-0.02, 0.2, 0.2))
    one, other = (_world(box, mesh, velocity=(2.0, 0.0, 0.0)) for _ in range(2))
    for frame in (2, 3, 4):
        one.advance(frame)
    other.restore({name: np.array(array) for name, array in one.checkpoint().items()}, 4)
    one.advance(5)
    other.advance(5)
    assert one.checkpoint()["rigid"].tobytes() == other.checkpoint()["rigid"].tobytes()
    assert one.checkpoint()["grains/position"].tobytes() == other.checkpoint()["grains/position"].tobytes()


def test_bad_free_colliders():
    """An open mesh and an animated one are refused by name."""
    sheet = Collider("Sheet", Mesh.rectangle((0, 0, 0), (1, 0, 0), (0, 1, 0)), ColliderParams(free=True))
    with pytest.raises(InvalidScene, match="Sheet.*open"):
        RigidBodies((sheet,))
    motion = np.tile(np.eye(4), (3, 1, 1))
    motion[:, 0, 3] = (0.0, 1.0, 2.0)
    with pytest.raises(InvalidScene, match="Box.*animat"):
        RigidBodies((Collider("Box", Mesh.box((0, 0, 0), (1, 1, 1)), ColliderParams(free=True), motion),))


def _bed(mode: str) -> Scene:
    ball = Collider("Ball", Mesh.sphere((0.08, 0.08, 0.17), 0.04), ColliderParams(free=True, density=4000.0))
    tray = Collider("Tray", Mesh.open_box((0, 0, 0), (0.16, 0.16, 0.4)))
    sand = Body("Sand", "grains", Mesh.box((0, 0, 0), (0.16, 0.16, 0.12)), GrainsParams(mode=mode, size=0.01))
    return Scene("Bed", (sand,), (tray, ball), world=WorldParams(frames_per_second=50.0))


def test_hybrid_carries_a_free_body():
    """A ball that falls on a bed whose inside is a continuum is stopped by the grains around it."""
    world: Any = World(_bed("hybrid"))
    world.start()
    for frame in range(2, 10):
        world.advance(frame)
    assert world.totals()["grains_saved"] > 0.02
    # Unhindered it would have fallen by ½ g (0.16 s)² = 12.5 cm, to below the bed's middle.
    assert 0.10 < world.rigid.state[0, 2] < 0.17


def test_continuum_has_nothing_to_push_with():
    """Continuum only: refused with the cure."""
    with pytest.raises(InvalidScene, match="Sand.*hybrid"):
        World(_bed("continuum"))
