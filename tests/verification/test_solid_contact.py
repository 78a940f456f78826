"""Solids that touch: walls, each other, themselves; friction, momentum, joining."""

from typing import Any

import numpy as np
import pytest

from solvers.materials.solid_params import SolidParams
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.solid.embed import Embedding
from solvers.world import World
from tests.verification.solid_scenes import SPACING, cube, energy_of, run, solver_of, world_of


def test_bounce_returns_what_the_integrator_leaves() -> None:
    """An elastic cube that does not bulge sideways, thrown flat at a smooth wall: one wave runs up and down, and it comes back
    with at least 80 % of its speed, never with more than it had."""
    wall = Collider("Wall", Mesh.box((-1.0, -1.0, -1.0), (1.0, 1.0, -0.02)), ColliderParams(friction=0.0))
    world = world_of(cube(velocity=(0.0, 0.0, -1.0), wave_steps=0.5, squash=0.0, implicitness=0.5), colliders=(wall,), rate=200.0)
    run(world, 40)
    totals = world.totals()
    back = totals["momentum"][2] / totals["mass"]
    assert 0.8 < back <= 1.0
    assert abs(totals["momentum"][0]) < 1e-3 * totals["mass"]


@pytest.mark.parametrize("implicitness", [0.5, 0.55])
def test_what_falls_flat_does_not_gain(implicitness: float) -> None:
    """A cube of the default material dropped flat from 30 cm, at the solver's own steps: motion, strain and height together never
    exceed what they were, at any of 200 looks a second, and never return higher."""
    floor = Collider("Floor", Mesh.box((-2.0, -2.0, -1.0), (2.0, 2.0, 0.0)))
    block = Body("Cube", "solid", Mesh.box((-0.2, -0.2, 0.3), (0.2, 0.2, 0.7)), SolidParams(implicitness=implicitness))
    world = world_of(block, colliders=(floor,), gravity=9.81, rate=200.0)
    begin, heights = world.totals()["potential_energy"], []
    for _ in range(120):
        solver = run(world, 1)
        heights.append(world.totals()["potential_energy"])
        assert sum(energy_of(solver)) + heights[-1] < 1.002 * begin
    assert max(heights[60:]) > 1.1 * min(heights), "it bounces"


def test_bodies_push_and_keep_momentum() -> None:
    """A stiff light cube meets a soft heavy one in free space: momentum is kept, they do not pass through each other."""
    one = cube("One", velocity=(1.0, 0.0, 0.0), stiffness=1.0e6, density=500.0)
    other = cube("Other", shift=(0.45, 0.02, 0.03), stiffness=1.0e5, density=2000.0)
    world = world_of(one, other, rate=200.0)
    before = np.array(world.totals()["momentum"])
    solver = run(world, 60)
    after = np.array(world.totals()["momentum"])
    np.testing.assert_allclose(after, before, atol=1e-4 * np.abs(before).max())
    state = solver.state
    left, right = (state.live("position")[0, state.live("body") == member] for member in (0, 1))
    assert left.max() < right.min() + SPACING
    masses = [state.live("mass")[state.live("body") == member] for member in (0, 1)]
    speeds = [state.live("velocity")[0, state.live("body") == member].mean() for member in (0, 1)]
    assert speeds[1] > 0.12 and speeds[0] < speeds[1], (masses[0].sum(), speeds)


@pytest.mark.parametrize(("friction", "slides"), [(0.45, False), (0.27, True)])
def test_friction_on_a_slope(friction: float, slides: bool) -> None:
    """On a slope of 20° (tan 0.364) a block stays with µ = 0.45 (24°) and slides with µ = 0.27 (15°)."""
    angle = np.radians(20.0)
    floor = Collider("Slope", Mesh.box((-3.0, -3.0, -1.0), (3.0, 3.0, 0.0)), ColliderParams(friction=friction))
    block = cube(stiffness=1.0e6, implicitness=1.0, wave_steps=8.0)
    pull = (9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle))
    world = World(Scene("Slope", (block,), (floor,), world=WorldParams(spacing=SPACING, gravity=pull, frames_per_second=25.0)))
    world.start()
    solver = solver_of(world)
    begin = solver.state.live("position")[0].mean()
    run(world, 25)
    moved = solver.state.live("position")[0].mean() - begin
    if slides:
        expected = 0.5 * (9.81 * np.sin(angle) - friction * 9.81 * np.cos(angle))
        assert moved == pytest.approx(expected, rel=0.25)
    else:
        assert abs(moved) < 0.02


@pytest.mark.parametrize(("friction", "low", "high"), [(0.1, 0.6, 1.0), (0.6, -0.01, 0.01)])
def test_friction_between_bodies(friction: float, low: float, high: float) -> None:
    """A block on a slab glued to a slope of 20° slides with µ = 0.1 as one that knows of no particles, but for a part of the way,
    and stays with µ = 0.6; the way is given in parts of ½ (g sin − µ g cos) t² for µ = 0.1."""
    angle, settings = np.radians(20.0), SolidParams(stiffness=1.0e6, friction=friction, implicitness=1.0)
    slab = Body("Slab", "solid", Mesh.box((-0.3, -0.3, 0.0), (0.7, 0.3, 0.2)), settings)
    block = Body("Block", "solid", Mesh.box((-0.137, -0.129, 0.2), (0.163, 0.171, 0.5)), settings)
    floor = Collider("Slope", Mesh.box((-3.0, -3.0, -1.0), (3.0, 3.0, 0.0)), ColliderParams(contact="stick"))
    pull = (9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle))
    settings_of_world = WorldParams(spacing=SPACING, gravity=pull, frames_per_second=50.0)
    world = World(Scene("Slope", (slab, block), (floor,), world=settings_of_world))
    world.start()
    state = solver_of(world).state
    top = state.live("body") == 1
    begin = state.live("position")[0, top].mean()
    run(world, 15)
    moved = state.live("position")[0, top].mean() - begin
    assert low < moved / (0.5 * (pull[0] + 0.1 * pull[2]) * 0.3**2) < high


@pytest.mark.parametrize("scheme", ["rest", "paper"])
def test_push_by_another_kind_arrives(scheme: str) -> None:
    """Momentum that others write into the masters' velocities is in the next step's motion, all of it."""
    world = world_of(cube(scheme=scheme))
    solver = run(world, 1)
    top = solver.state.live("position")[2] > 0.3
    (matter,) = solver.matter()
    matter.velocity[0, top] += 2.0
    given = float(matter.mass[top].sum()) * 2.0
    run(world, 3)
    assert world.totals()["momentum"][0] == pytest.approx(given, rel=1e-5)
    assert solver.state.live("velocity")[0].min() > 0.0 or solver.state.live("velocity")[0].mean() > 0.4


@pytest.mark.parametrize("plastic", [False, True])
def test_sheet_without_thickness_holds(plastic: bool) -> None:
    """A cube dropped on an open sheet stays on its side, elastic or not."""
    sheet = Collider("Sheet", Mesh.rectangle((-1.0, -1.0, 0.0), (2.0, 0.0, 0.0), (0.0, 2.0, 0.0)))
    block = cube(low=-0.2, high=0.2, shift=(0.0, 0.0, 0.3), plastic=plastic, velocity=(0.0, 0.0, -3.0))
    world = world_of(block, colliders=(sheet,), gravity=9.81, rate=25.0)
    solver = run(world, 12)
    assert solver.state.live("position")[2].min() > 0.0
    assert solver.state.live("position")[2].min() < 0.3


def test_pieces_joined_by_pressing_carry_load() -> None:
    """Two halves of dough pressed together share slaves: pulled apart, both move; elastic halves only touch and part."""
    results = {}
    for plastic in (True, False):
        params = SolidParams(stiffness=1.0e5, squash=0.3, plastic=plastic, squeeze_yield=0.05, stretch_yield=0.05, toughness=50.0)
        halves = [Mesh.box((0.0, 0.0, 0.0), (0.3, 0.2, 0.2)), Mesh.box((0.45, 0.0, 0.0), (0.75, 0.2, 0.2))]
        both = Mesh(np.concatenate([h.vertices for h in halves]), np.concatenate([halves[0].triangles, halves[1].triangles + 8]))
        world = world_of(Body("Dough", "solid", both, params), rate=100.0)
        solver = solver_of(world)
        state = solver.state
        right = state.live("rest")[0] > 0.4

        def push(speed: float, solver: Any = solver, right: np.ndarray = right) -> None:
            """Gives the right half a velocity along x and brings the left one to rest."""
            state = solver.state
            state.live("velocity")[...], state.live("gradient")[...] = 0.0, 0.0
            state.live("velocity")[0, right] = speed
            middle = 0.5 * (state.live("position")[0, ~right].max() + state.live("position")[0, right].min())
            behind = state.slaves.live("position")[0] > middle
            state.slaves.live("velocity")[...] = 0.0
            state.slaves.live("velocity")[0, behind] = speed
            state.live("told")[...] = state.live("velocity")  # not a push by others: the slaves have it already

        for _ in range(17):  # 17 cm at 1 m/s: the gap of 15 cm closes
            push(-1.0)
            run(world, 1)
        assert state.live("position")[0, right].min() - state.live("position")[0, ~right].max() < 1.6 * SPACING
        push(0.5)
        begin = state.live("position")[0, ~right].mean()
        run(world, 30)
        results[plastic] = float(state.live("position")[0, ~right].mean() - begin) / 0.3
    assert results[True] > 0.15, "joined: the left half is dragged along (0.25 m/s is the common velocity)"
    assert results[False] < 0.02, "elastic bodies do not stick to themselves"


def _c_shape(gap: float) -> Mesh:
    """Two arms of 8 spacings, 3 thick and 4 wide, `gap` spacings apart, joined at x = 0."""
    arm, thick, open_ = 11.0 * SPACING, 3.0 * SPACING, gap * SPACING
    low, high = thick, thick + open_
    outline = [(0.0, 0.0), (arm, 0.0), (arm, low), (low, low), (low, high), (arm, high), (arm, high + thick), (0.0, high + thick)]
    vertices = np.array([(x, y, z) for y in (0.0, 4.0 * SPACING) for x, z in outline])
    cap = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 7), (4, 5, 6), (4, 6, 7)]
    triangles = cap + [(a + 8, c + 8, b + 8) for a, b, c in cap]
    for k in range(8):
        n = (k + 1) % 8
        triangles += [(k, 8 + k, n), (n, 8 + k, 8 + n)]
    return Mesh(vertices, np.array(triangles, np.int32))


@pytest.mark.parametrize("gap", [2.0, 3.0])
def test_what_was_pressed_together_opens_again(gap: float) -> None:
    """A C of rubber that stands on its lower arm is pressed flat by 2 ½ spacings more than its gap and let go: the arms do not
    pass through each other, and swing about the gap that they had."""
    thick, height = 3.0 * SPACING, (6.0 + gap) * SPACING
    floor = Collider("Floor", Mesh.box((-1.0, -1.0, -0.3), (2.0, 1.0, 0.0)), ColliderParams(contact="stick"))
    motion = np.tile(np.eye(4), (161, 1, 1))
    down = (gap + 2.5) * SPACING
    motion[:, 2, 3] = np.interp(np.arange(161), [0, 25, 40, 55], [0.0, -down, -down, 0.3])
    lid = Collider("Lid", Mesh.box((0.1, -1.0, height + 0.001), (2.0, 1.0, height + 0.3)), motion=motion)
    body = Body("C", "solid", _c_shape(gap), SolidParams(stiffness=1.0e5, implicitness=1.0))
    world = world_of(body, colliders=(floor, lid))
    state = solver_of(world).state
    rest = state.live("rest")
    tip, upper = rest[0] > 8.0 * SPACING, rest[2] > thick + 0.5 * gap * SPACING
    openings = []
    for _ in range(160):
        run(world, 1)
        z = state.live("position")[2]
        openings.append((z[tip & upper].min() - z[tip & ~upper].max()) / SPACING - 1.0)
    assert min(openings[:40]) < 0.0, "pressed together"
    assert min(openings) > -1.6, "not through each other"
    assert max(openings[60:]) > gap and 0.6 * gap < np.mean(openings[60:]) < 1.8 * gap


def test_arms_beside_a_narrow_gap_feel_nothing_of_each_other() -> None:
    """Nothing but the bend joins the arms of a C: no slave is seen by both away from it, however narrow the gap,
    and vertices of the driven mesh follow their own arm."""
    world = world_of(Body("C", "solid", _c_shape(2.0), SolidParams(stiffness=1.0e5)))
    solver = solver_of(world)
    state, links = solver.state, solver.exchange.links()
    rest = state.live("rest")
    upper = np.repeat(np.where(rest[0] > 7.0 * SPACING, np.where(rest[2] > 4.0 * SPACING, 1, -1), 0), np.diff(links.start))
    seen = np.stack([np.bincount(links.slave, upper == side, state.slaves.count) for side in (1, -1)])
    assert (seen > 0).sum() > 20 and not (seen > 0).all(axis=0).any()
    np.testing.assert_allclose(np.bincount(np.repeat(np.arange(state.count), np.diff(links.start)), links.weight), 1.0, atol=1e-6)
    lifted = state.live("position").copy()
    lifted[2] += np.where(rest[2] > 4.0 * SPACING, 1.0, 0.0)
    embedding = Embedding(_c_shape(2.0).vertices, np.ascontiguousarray(rest.T), SPACING)
    moved = embedding.follow(lifted)[:, 2] - _c_shape(2.0).vertices[:, 2]
    ends = _c_shape(2.0).vertices[:, 0] > 0.3
    np.testing.assert_allclose(moved[ends], np.where(_c_shape(2.0).vertices[ends, 2] > 0.2, 1.0, 0.0), atol=1e-5)
