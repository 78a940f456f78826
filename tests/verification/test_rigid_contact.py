"""Free rigid bodies against walls and against each other."""

import math
from typing import Any

import numpy as np
import pytest

from solvers import Body, Collider, GrainsParams, InvalidScene, Mesh, Scene, WorldParams
from solvers.rigid.surface_points import surface_points
from solvers.scene import ColliderParams
from solvers.walls.motion import rotation_matrix
from solvers.world import World

GRAVITY = 9.81


def _floor(friction: float = 0.5, height: float = 0.0) -> Collider:
    """An open sheet, as Blender's plane."""
    return Collider("Floor", Mesh.rectangle((-3, -3, height), (6, 0, 0), (0, 6, 0)), ColliderParams(friction=friction))


def _free(name: str, mesh: Mesh, **params: Any) -> Collider:
    return Collider(name, mesh, ColliderParams(free=True, **{"density": 500.0, "friction": 0.5, **params}))


def _world(*colliders: Collider, gravity=(0.0, 0.0, -GRAVITY)) -> Any:
    """The colliders, and one grain at rest in a tray far away: something that steps."""
    tray = Collider("Tray", Mesh.open_box((3.9, -0.1, 0.0), (4.1, 0.1, 0.2)))
    single = GrainsParams(mode="all", size=0.02, size_spread=0.0)
    sand = Body("Sand", "grains", Mesh.box((3.98, 0, 0), (4.01, 0.03, 0.03)), single)
    rate = WorldParams(gravity=gravity, frames_per_second=50.0, frame_end=500)
    world = World(Scene("Free", (sand,), (*colliders, tray), world=rate))
    world.start()
    return world


def _run(world: Any, seconds: float) -> None:
    for frame in range(world.frame + 1, world.frame + 1 + round(50.0 * seconds)):
        world.advance(frame)


def _momenta(world: Any) -> tuple[np.ndarray, np.ndarray]:
    linear, angular = np.zeros(3), np.zeros(3)
    for state, shape in zip(world.rigid.state, world.rigid.shapes, strict=True):
        linear += shape.mass * state[7:10]
        angular += np.cross(state[0:3], shape.mass * state[7:10]) + state[10:13]
    return linear, angular


def test_points_that_can_touch():
    """A box: its eight corners and points along its twelve edges, none on the diagonals of its faces; all look inwards."""
    box = Mesh.box((0, 0, 0), (1, 2, 3))
    points = surface_points(box.vertices, box.triangles)
    at_limit = np.isclose(points.place, 0.0) | np.isclose(points.place, [1.0, 2.0, 3.0])
    assert (at_limit.sum(axis=1) >= 2).all()  # on an edge: two coordinates at a limit
    assert (at_limit.sum(axis=1) == 3).sum() == 8
    assert len(points.place) > 40
    inside = points.place + 0.1 * points.inward
    assert ((inside > 0.0) & (inside < [1.0, 2.0, 3.0])).all()
    fine = Mesh.sphere((0, 0, 0), 1.0, 6)
    assert len(surface_points(fine.vertices, fine.triangles).place) < 3100 < len(fine.vertices)


def test_box_comes_to_rest_on_a_sheet():
    """Dropped on an open plane it lies flat at half its height, and stays there to a micrometre."""
    world = _world(_floor(), _free("Box", Mesh.box((0, 0, 0.05), (0.1, 0.12, 0.2)), bounce=0.0))
    _run(world, 0.5)
    state = world.rigid.state[0]
    assert state[0:3] == pytest.approx([0.05, 0.06, 0.075], abs=1.0e-6)
    assert state[3] == pytest.approx(1.0, abs=1.0e-9)
    before = state[0:7].copy()
    _run(world, 0.3)
    assert world.rigid.state[0, 0:7] == pytest.approx(before, abs=1.0e-7)


def test_bounce():
    """A ball dropped from h rises to e² h."""
    ball = _free("Ball", Mesh.sphere((0, 0, 0.35), 0.05, 4), bounce=0.6, friction=0.0)
    world = _world(_floor(0.0), ball)
    heights = []
    for frame in range(2, 38):
        world.advance(frame)
        heights.append(world.rigid.state[0, 2])
    landed = int(np.argmin(heights[:18]))
    assert max(heights[landed:]) - 0.05 == pytest.approx(0.36 * 0.3, rel=0.05)


@pytest.mark.parametrize(("degrees", "slides"), [(20.0, False), (35.0, True)])
def test_incline(degrees: float, slides: bool):
    """Friction 0.5 holds a block below 26.6°; above it slides with g (sin a − µ cos a)."""
    angle = math.radians(degrees)
    tilt = (GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))
    world = _world(_floor(), _free("Block", Mesh.box((0, 0, 0), (0.2, 0.2, 0.05)), bounce=0.0), gravity=tilt)
    _run(world, 0.4)
    way = world.rigid.state[0, 0] - 0.1
    expected = 0.5 * GRAVITY * (math.sin(angle) - 0.5 * math.cos(angle)) * 0.4**2 if slides else 0.0
    assert way == pytest.approx(expected, rel=0.02, abs=1.0e-5)


def test_two_free_bodies_keep_their_momentum():
    """An off-centre hit of two boxes in empty space: linear and angular momentum stay to round-off, energy does not grow,
    and the first no longer flies on as before."""
    one = _free("One", Mesh.box((-0.3, 0.03, 0.02), (-0.1, 0.13, 0.12)), velocity=(2.0, 0.0, 0.0), bounce=0.5)
    two = _free("Two", Mesh.box((0.0, 0.0, 0.0), (0.1, 0.15, 0.2)), density=900.0, spin=(0.0, 3.0, 1.0))
    world = _world(one, two, gravity=(0.0, 0.0, 0.0))
    before = _momenta(world)
    _run(world, 0.3)
    after = _momenta(world)
    assert after[0] == pytest.approx(before[0], abs=1.0e-12 * np.abs(before[0]).max())
    assert after[1] == pytest.approx(before[1], abs=1.0e-6 * np.abs(before[1]).max())
    assert world.rigid.state[0, 7] < 1.5 and world.rigid.state[1, 7] > 0.2


def test_head_on_restitution():
    """Two equal boxes meet face to face: they part with e times the speed of approach."""
    one = _free("One", Mesh.box((-0.3, 0.0, 0.0), (-0.1, 0.1, 0.1)), velocity=(1.0, 0.0, 0.0), bounce=0.4)
    two = _free("Two", Mesh.box((0.0, 0.0, 0.0), (0.2, 0.1, 0.1)), bounce=0.4)
    world = _world(one, two, gravity=(0.0, 0.0, 0.0))
    _run(world, 0.2)
    assert world.rigid.state[:, 7] == pytest.approx([0.3, 0.7], abs=1.0e-6)


def test_stack():
    """Three boxes on each other stand still."""
    boxes = [_free(f"Box {k}", Mesh.box((0, 0, 0.1 * k), (0.1, 0.1, 0.1 * k + 0.1)), bounce=0.0) for k in range(3)]
    world = _world(_floor(), *boxes)
    _run(world, 0.5)
    assert world.rigid.state[:, 2] == pytest.approx([0.05, 0.15, 0.25], abs=2.0e-5)
    assert np.abs(world.rigid.state[:, 0:2] - 0.05).max() < 1.0e-4


def test_plate_on_posts():
    """A plate wider than the posts under it: their corners hold its face, which has no points there."""
    posts = [Collider(f"Post {x}", Mesh.box((x, -0.02, 0.0), (x + 0.04, 0.02, 0.2))) for x in (-0.12, 0.08)]
    world = _world(_floor(), *posts, _free("Plate", Mesh.box((-0.3, -0.2, 0.2), (0.3, 0.2, 0.22)), bounce=0.0))
    _run(world, 0.4)
    assert world.rigid.state[0, 2] == pytest.approx(0.21, abs=1.0e-5)


def test_crossed_edges():
    """A bar with its edge down falls across another bar's edge: edge meets edge, and it does not fall through."""
    half = math.sqrt(0.5)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, half, -half], [0.0, half, half]])
    across = np.array([[half, 0.0, half], [0.0, 1.0, 0.0], [-half, 0.0, half]])
    bar = Mesh.box((-0.3, -0.05, -0.05), (0.3, 0.05, 0.05))
    other = Mesh.box((-0.05, -0.3, -0.05), (0.05, 0.3, 0.05))
    fixed = Collider("Fixed", Mesh(bar.vertices @ turn.T, bar.triangles))
    free = _free("Bar", Mesh(other.vertices @ across.T + [0.0, 0.0, 0.16], other.triangles), bounce=0.0, friction=1.0)
    world = _world(fixed, free)
    _run(world, 0.15)
    assert world.rigid.state[0, 2] == pytest.approx(2.0 * 0.05 / half, abs=4.0e-3)


def _wheel(radius: float, width: float, middle: tuple[float, float, float], sides: int = 64) -> Mesh:
    """A closed cylinder about the y axis."""
    angle = 2.0 * math.pi * np.arange(sides) / sides
    ring = np.stack([radius * np.cos(angle), np.zeros(sides), radius * np.sin(angle)], axis=1)
    half = np.array([0.0, 0.5 * width, 0.0])
    vertices = np.concatenate([ring - half, ring + half, [-half, half]]) + middle
    near, far, nxt = np.arange(sides), np.arange(sides) + sides, np.roll(np.arange(sides), -1)
    faces = [np.stack([near, far, nxt], 1), np.stack([nxt, far, nxt + sides], 1)]
    faces += [np.stack([near, nxt, np.full(sides, 2 * sides)], 1), np.stack([nxt + sides, far, np.full(sides, 2 * sides + 1)], 1)]
    return Mesh(vertices, np.concatenate(faces).astype(np.int32))


def test_driven_wheel_rolls():
    """On a rough floor a wheel driven at ω goes forward at ω r and keeps its height."""
    wheel = _free("Wheel", _wheel(0.1, 0.06, (0.0, 0.0, 0.1)), spin=(0.0, 10.0, 0.0), driven=True, friction=1.0, bounce=0.0)
    world = _world(_floor(1.0), wheel)
    _run(world, 0.6)
    begun = world.rigid.state[0, 0]
    _run(world, 0.4)
    assert (world.rigid.state[0, 0] - begun) / 0.4 == pytest.approx(1.0, rel=0.01)
    assert world.rigid.state[0, 2] == pytest.approx(0.1, abs=2.0e-3)
    assert world.rigid.spin(0) == pytest.approx([0.0, 10.0, 0.0], abs=1.0e-9)


def test_lifted_by_a_moving_floor():
    """A prescribed platform carries a free box up at its own speed, without a gap and without sinking in."""
    platform = Mesh.box((-0.3, -0.3, -0.1), (0.3, 0.3, 0.0))
    motion = np.tile(np.eye(4), (500, 1, 1))
    motion[:, 2, 3] = 0.5 * np.arange(500) / 50.0
    box = _free("Box", Mesh.box((0, 0, 0), (0.1, 0.1, 0.1)), bounce=0.0)
    world = _world(Collider("Lift", platform, ColliderParams(), motion), box)
    _run(world, 0.4)
    assert world.rigid.state[0, 2] - 0.05 == pytest.approx(0.5 * 0.4, abs=1.0e-4)


def test_overlap_is_undone_gently():
    """A box that begins 1 cm inside a block comes out without being thrown."""
    block = Collider("Block", Mesh.box((-1, -1, -0.5), (1, 1, 0.0)))
    world = _world(block, _free("Box", Mesh.box((0, 0, -0.01), (0.1, 0.1, 0.09)), bounce=0.0))
    highest = 0.0
    for frame in range(2, 30):
        world.advance(frame)
        highest = max(highest, world.rigid.state[0, 2])
    assert world.rigid.state[0, 2] == pytest.approx(0.05, abs=1.0e-3) and highest < 0.052


def test_deep_overlap_is_refused():
    """Deeper than walls can be felt: both are named. Inside a tank, whose normals point inwards, nothing overlaps."""
    box = _free("Box", Mesh.box((0, 0, -0.05), (0.1, 0.1, 0.05)))
    with pytest.raises(InvalidScene, match="Box.*deep inside Block"):
        _world(Collider("Block", Mesh.box((-1, -1, -0.5), (1, 1, 0.0))), box)
    with pytest.raises(InvalidScene, match="Box.*deep inside Pin"):
        _world(Collider("Pin", Mesh.box((0.04, 0.04, -0.5), (0.06, 0.06, 0.01))), box)
    _world(Collider("Room", Mesh.box((-1, -1, -1), (1, 1, 1), inward=True)), box)


def test_resumes_bit_for_bit():
    """Contacts have no memory: a restored world goes on as the first one did."""
    box = _free("Box", Mesh.box((0, 0, 0.02), (0.1, 0.12, 0.2)), spin=(1.0, 2.0, 0.0))
    one, other = (_world(_floor(), box) for _ in range(2))
    _run(one, 0.2)
    other.restore({name: np.array(array) for name, array in one.checkpoint().items()}, one.frame)
    _run(one, 0.1)
    _run(other, 0.1)
    assert one.rigid.state.tobytes() == other.rigid.state.tobytes()
    assert np.linalg.norm(rotation_matrix(one.rigid.state[0, 3:7]) - np.eye(3)) > 0.01
