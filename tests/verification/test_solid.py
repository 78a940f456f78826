"""Solids as physics: rigid motion, patch test, bar, beam, bounce, plasticity, contact, tearing and joining."""

from typing import Any

import numpy as np
import pytest

from benchmarks import bar, cantilever, zero_energy
from solvers.errors import InvalidScene
from solvers.materials.solid_params import SolidParams
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.walls import Walls
from solvers.watch import Silent
from solvers.world import World

SPACING = 0.05


def _world(*bodies: Body, colliders: tuple[Collider, ...] = (), gravity: float = 0.0, rate: float = 50.0, **world: Any) -> World:
    settings = {"spacing": SPACING, "gravity": (0.0, 0.0, -gravity), "frames_per_second": rate, "frame_end": 1000, **world}
    made = World(Scene("Test", bodies, colliders, world=WorldParams(**settings)))
    made.start()
    return made


def _run(world: World, frames: int) -> Any:
    for frame in range(world.frame + 1, world.frame + frames + 1):
        world.advance(frame)
    return _solver(world)


def _solver(world: World) -> Any:
    return world._solvers["solid"]


def _cube(
    name: str = "Cube", low: float = 0.0, high: float = 0.4, shift: tuple[float, ...] = (0.0, 0.0, 0.0), **more: Any
) -> Body:
    motion = {key: more.pop(key) for key in ("velocity", "spin") if key in more}
    mesh = Mesh.box(tuple(low + s for s in shift), tuple(high + s for s in shift))  # type: ignore[arg-type]
    return Body(name, "solid", mesh, SolidParams(**{"stiffness": 1.0e5, **more}), **motion)


def _strain(solver: Any) -> float:
    """Largest deviation of a singular value of F_E from 1."""
    return float(np.abs(np.linalg.svd(solver.state.live("elastic").T.reshape(-1, 3, 3), compute_uv=False) - 1.0).max())


@pytest.mark.parametrize("scheme", ["rest", "paper"])
def test_flight_is_exact_and_strains_nothing(scheme: str) -> None:
    """Free fall: x = v t + ½ g t², but for the integrator's (θ − ½) g Δt t; no strain, mass as filled."""
    world = _world(_cube(velocity=(3.0, -2.0, 5.0), scheme=scheme), gravity=10.0)
    before = _solver(world).state.live("position").copy()
    solver = _run(world, 10)
    moved = solver.state.live("position") - before
    assert np.ptp(moved, axis=1).max() < 1e-6
    steps, time = world.steps, 0.2
    np.testing.assert_allclose(moved.mean(axis=1), [0.6, -0.4, 1.0 - 5.0 * time**2 * (1.0 + 0.1 / steps)], atol=2e-4)
    assert _strain(solver) < 1e-5
    assert world.totals()["mass"] == pytest.approx(1000.0 * 0.4**3, rel=1e-12)


@pytest.mark.parametrize("scheme", ["rest", "paper"])
def test_turned_body_feels_no_force(scheme: str) -> None:
    """Masters and slaves turned by 100° with F_E = R: the next step moves nobody."""
    world = _world(_cube(scheme=scheme, stiffness=1.0e7))
    solver = _run(world, 1)
    angle = np.radians(100.0)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    for part in (solver.state, solver.state.slaves):
        part.live("position")[...] = turn @ part.live("position")
    solver.state.live("elastic")[...] = turn.ravel()[:, None]
    _run(world, 1)
    assert np.abs(solver.state.live("velocity")).max() < 2e-3
    assert _strain(solver) < 1e-5


@pytest.mark.parametrize("scheme", ["rest", "paper"])
def test_full_turn_returns_the_body_and_keeps_angular_momentum(scheme: str) -> None:
    """A stiff body that has spun by 360° has its shape back; angular momentum is conserved."""
    world = _world(_cube(spin=(0.0, 0.0, 2.0 * np.pi), stiffness=1.0e6, scheme=scheme, wave_steps=0.25), rate=100.0)
    solver = _solver(world)
    state = solver.state

    def momentum() -> np.ndarray:
        arm = state.live("position") - state.live("position").mean(axis=1)[:, None]
        turning = (state.live("mass") * np.cross(arm.T, state.live("velocity").T).T).sum(axis=1)
        return turning

    rest, begin = state.live("position").copy(), momentum()
    # the transfer keeps part of the spin in the gradient, which the masters' places do not show: compare after one step
    _run(world, 1)
    begin = momentum()
    _run(world, 99)
    np.testing.assert_allclose(momentum()[2], begin[2], rtol=0.02)
    a, b = rest - rest.mean(axis=1)[:, None], state.live("position") - state.live("position").mean(axis=1)[:, None]
    u, _, vt = np.linalg.svd(b @ a.T)
    turn = u @ vt
    # what centrifugal force stretches (ρ ω² r²/E ~ 10⁻³) is all that is left
    assert np.abs(b - turn @ a).max() < 2e-3 * 0.4
    assert abs(np.degrees(np.arctan2(turn[1, 0], turn[0, 0]))) < 15.0


@pytest.mark.parametrize(("implicitness", "left"), [(0.5, 0.85), (0.55, 0.0)])
def test_soft_ball_that_spins_and_wobbles_in_flight_gains_no_energy(implicitness: float, left: float) -> None:
    """A good part of its energy goes through the strain and back for two seconds: the sum never grows, and with θ = ½ hardly
    falls."""
    ball = Body("Ball", "solid", Mesh.sphere((0.0, 0.0, 0.0), 0.2, 3), SolidParams(stiffness=5.0e4, implicitness=implicitness))
    world = _world(ball, spacing=0.05)
    solver = _solver(world)
    masters, slaves = solver.state, solver.state.slaves
    for part in (masters, slaves):
        place = part.live("position")
        spin = np.cross([0.0, 0.0, 2.0], place.T).T
        part.live("velocity")[...] = spin + np.array([1.5, 0.0, -3.0])[:, None] * place
    masters.live("told")[...] = masters.live("velocity")
    begin, energies, strained = _energy(solver), [], []
    for _ in range(25):
        _run(world, 4)
        now = _energy(solver)
        energies.append(sum(now) / sum(begin))
        strained.append(now[1] / sum(begin))
    assert max(strained) > 0.15
    assert max(energies) < 1.005
    assert energies[-1] > left


def _energy(solver: Any) -> tuple[float, float]:
    """Energy of motion, by the solver's own inertia, and of strain [J]."""
    from solvers.solid import law
    from solvers.solid.solve import Solver, empty_system

    exchange, state = solver.exchange, solver.state
    place, links = exchange.places(), exchange.links()
    row, back, centre = exchange.rows(place)
    mass, velocity = exchange.to_slaves(back, centre, place)
    _, curve = solver._stress()
    out = np.zeros((len(mass), 4), np.float32)
    system = empty_system(links, row, back, curve, mass, exchange.spread())
    kinetic = 0.5 * Solver().multiply(system, None, 0.0, velocity.astype(np.float32), out)
    values = np.linalg.svd(state.live("elastic").T.reshape(-1, 3, 3), compute_uv=False)
    mu, lam = solver.bodies.table[0, law.MU], solver.bodies.table[0, law.LAMBDA]
    density = mu * ((values - 1.0) ** 2).sum(axis=1) + 0.5 * lam * (values.prod(axis=1) - 1.0) ** 2
    return kinetic, float(state.live("volume") @ density)


@pytest.mark.parametrize("stiffness", [2.0e4, 1.0e6])
def test_body_thrown_with_a_spin_goes_on_spinning(stiffness: float) -> None:
    """A turn a second for a second in flight at the default settings: 95 % of the angular momentum are left."""
    ball = Body(
        "Ball", "solid", Mesh.sphere((0.0, 0.0, 0.0), 0.2, 3), SolidParams(stiffness=stiffness), spin=(0.0, 0.0, 2.0 * np.pi)
    )
    world = _world(ball, gravity=9.81, rate=25.0)
    state = _solver(world).state

    def angular() -> float:
        arm = state.live("position") - state.live("position").mean(axis=1)[:, None]
        return float(state.live("mass") @ np.cross(arm.T, state.live("velocity").T)[:, 2])

    begin = angular()
    _run(world, 25)
    assert 0.95 * begin < angular() < 1.005 * begin


@pytest.mark.parametrize("scheme", ["rest", "paper"])
def test_patch_gives_uniform_stress(scheme: str) -> None:
    """A linear map of all places: F is the map at every master, also at edges and corners; slaves inside feel no force."""
    world = _world(_cube(scheme=scheme))
    solver = _run(world, 1)
    state, f = solver.state, np.array([[1.05, 0.02, 0.0], [0.0, 0.97, 0.03], [0.01, 0.0, 1.02]])
    rate = (f - np.eye(3)) / 1.0e-3
    if scheme == "rest":
        state.slaves.live("position")[...] = f @ state.slaves.live("position")
    else:  # the scheme adds up velocities: move the masters there in one step
        state.live("velocity")[...] = rate @ state.live("position")
        state.live("gradient")[...] = rate.ravel()[:, None]
    links, place = solver.exchange.links(), solver.exchange.places()
    row, back, centre = solver.exchange.rows(place)
    if scheme == "paper":
        from solvers.solid import law
        from solvers.solid.transfer import to_masters

        mass, velocity = solver.exchange.to_slaves(back, centre, place)
        to_masters(
            links.start,
            links.slave,
            row,
            velocity,
            velocity,
            1.0,
            0.0,
            state["velocity"],
            state["gradient"],
            np.zeros_like(state["velocity"]),
        )
        law.flow(solver._points(), solver.bodies.table, state["gradient"], 1.0e-3, state.count)
    np.testing.assert_allclose(state.live("elastic").T.reshape(-1, 3, 3), np.tile(f, (state.count, 1, 1)), atol=2e-5)
    stress, _ = solver._stress()
    assert np.ptp(stress, axis=0).max() < 1e-3 * np.abs(stress).max()
    force = np.zeros((len(place), 3))
    np.add.at(
        force, links.slave, -np.einsum("eij,ej->ei", stress[0].reshape(1, 3, 3).repeat(len(row), 0), row[:, :3].astype(float))
    )
    masters = state.live("position").T
    deep = np.all((place[:, :3] > masters.min(axis=0) + 0.15) & (place[:, :3] < masters.max(axis=0) - 0.15), axis=1)
    assert deep.any()
    assert np.abs(force[deep]).max() < 0.02 * np.abs(force).max()


def test_bar_gives_young_and_poisson_back() -> None:
    """Uniaxial stretch between grips: E from the grips' force and ν from the waist, both within 2 %."""
    found = bar.pull(SPACING, 40)
    assert found.young == pytest.approx(bar.STIFFNESS, rel=0.02)
    assert found.poisson == pytest.approx(bar.SQUASH, rel=0.02)


def test_cantilever_sags_as_beam_theory_says() -> None:
    """Tip deflection under its own weight: within 5 % with four particles across, and better with six."""
    errors = [abs(cantilever.deflection(size, 50) / cantilever.theory() - 1.0) for size in (0.05, 1.0 / 30.0)]
    assert errors[0] < 0.05 and errors[1] < 0.5 * errors[0]


def test_alternating_velocity_is_removed_by_slaves_only() -> None:
    """The checkerboard stays for ever with particles alone; slaves take it out in one step."""
    assert zero_energy.particles_alone(14, 15)[-1] > 0.99
    assert zero_energy.with_slaves(14, 15, "paper", 1.0)[-1] < 1e-3


def test_bounce_returns_what_the_integrator_leaves() -> None:
    """An elastic cube that does not bulge sideways, thrown flat at a smooth wall: one wave runs up and down, and it comes back
    with at least 80 % of its speed, never with more than it had."""
    wall = Collider("Wall", Mesh.box((-1.0, -1.0, -1.0), (1.0, 1.0, -0.02)), ColliderParams(friction=0.0))
    world = _world(_cube(velocity=(0.0, 0.0, -1.0), wave_steps=0.5, squash=0.0, implicitness=0.5), colliders=(wall,), rate=200.0)
    _run(world, 40)
    totals = world.totals()
    back = totals["momentum"][2] / totals["mass"]
    assert 0.8 < back <= 1.0
    assert abs(totals["momentum"][0]) < 1e-3 * totals["mass"]


@pytest.mark.parametrize("implicitness", [0.5, 0.55])
def test_what_falls_flat_does_not_gain(implicitness: float) -> None:
    """A cube of the default material dropped flat from 30 cm, at the solver's own steps: motion, strain and height together never
    exceed what they were, at any of 200 looks a second, and never return higher."""
    floor = Collider("Floor", Mesh.box((-2.0, -2.0, -1.0), (2.0, 2.0, 0.0)))
    cube = Body("Cube", "solid", Mesh.box((-0.2, -0.2, 0.3), (0.2, 0.2, 0.7)), SolidParams(implicitness=implicitness))
    world = _world(cube, colliders=(floor,), gravity=9.81, rate=200.0)
    begin, heights = world.totals()["potential_energy"], []
    for _ in range(120):
        solver = _run(world, 1)
        heights.append(world.totals()["potential_energy"])
        assert sum(_energy(solver)) + heights[-1] < 1.002 * begin
    assert max(heights[60:]) > 1.1 * min(heights), "it bounces"


def test_long_wobble_returns_to_the_rest_shape() -> None:
    """Jelly dropped on a table and shaken is itself again: its masters stand as at rest, but for sagging under gravity."""
    table = Collider("Table", Mesh.box((-1.0, -1.0, -1.0), (1.0, 1.0, 0.0)))
    world = _world(
        _cube(shift=(0.0, 0.0, 0.1), stiffness=2.0e5, implicitness=1.0),
        colliders=(table,),
        gravity=9.81,
        rate=25.0,
    )
    solver = _run(world, 60)
    rest, place = solver.state.live("rest"), solver.state.live("position")
    shape = (place - place.mean(axis=1)[:, None]) - (rest - rest.mean(axis=1)[:, None])
    sag = 1000.0 * 9.81 * 0.4**2 / 2.0e5
    assert np.abs(shape).max() < 1.5 * sag
    assert np.abs(solver.state.live("velocity")).max() < 0.02
    assert place[2].min() == pytest.approx(0.5 * SPACING, abs=0.25 * SPACING)


@pytest.mark.parametrize("keep_volume", [False, True])
def test_yielded_bar_keeps_the_plastic_part(keep_volume: bool) -> None:
    """Stretched by 8 % with a yield point of 1 % and let go, a bar stays about 7 % longer."""
    mesh = Mesh.box((0.0, -0.1, -0.1), (1.0, 0.1, 0.1))
    params = SolidParams(stiffness=1.0e6, squash=0.2, plastic=True, stretch_yield=0.01, squeeze_yield=0.5,
                         keep_volume=keep_volume, implicitness=1.0, toughness=100.0)  # fmt: skip
    world = _world(Body("Bar", "solid", mesh, params), rate=100.0)
    solver = _solver(world)
    state = solver.state
    # every particle draws along: a uniform stretch of 8 % in one frame, then rest
    world.watch = Silent()
    walls = Walls((), reach=0.1, frames_per_second=24.0, frame_start=1, watch=Silent())
    for _ in range(40):
        state.live("velocity")[...] = 0.0
        state.live("gradient")[...] = 0.0
        state.live("velocity")[0] = 0.2 * (state.live("position")[0] - 0.5)
        state.live("gradient")[0] = 0.2
        _stretch_only(solver, 0.01)
    assert np.ptp(state.live("position")[0]) / 0.95 == pytest.approx(1.08, abs=0.01)
    state.live("velocity")[...] = 0.0
    state.live("gradient")[...] = 0.0
    for _ in range(150):
        solver.step(walls, 2.0e-3, Silent())
    left = np.ptp(state.live("position")[0]) / 0.95 - 1.0
    assert left == pytest.approx(0.07, abs=0.012)
    assert state.live("plastic").min() > 0.05


def _stretch_only(solver: Any, dt: float) -> None:
    """Moves masters and slaves along x by the velocity field of the masters and lets the law yield, without forces."""
    from solvers.solid import law

    state = solver.state
    for part in (state, state.slaves):
        part.live("position")[0] += dt * 0.2 * (part.live("position")[0] - 0.5)
    law.flow(solver._points(), solver.bodies.table, state["gradient"], dt, state.count)
    solver._anchor(0)


def test_bodies_push_and_keep_momentum() -> None:
    """A stiff light cube meets a soft heavy one in free space: momentum is kept, they do not pass through each other."""
    one = _cube("One", velocity=(1.0, 0.0, 0.0), stiffness=1.0e6, density=500.0)
    other = _cube("Other", shift=(0.45, 0.02, 0.03), stiffness=1.0e5, density=2000.0)
    world = _world(one, other, rate=200.0)
    before = np.array(world.totals()["momentum"])
    solver = _run(world, 60)
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
    block = _cube(stiffness=1.0e6, implicitness=1.0, wave_steps=8.0)
    pull = (9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle))
    world = World(Scene("Slope", (block,), (floor,), world=WorldParams(spacing=SPACING, gravity=pull, frames_per_second=25.0)))
    world.start()
    solver = _solver(world)
    begin = solver.state.live("position")[0].mean()
    _run(world, 25)
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
    state = _solver(world).state
    top = state.live("body") == 1
    begin = state.live("position")[0, top].mean()
    _run(world, 15)
    moved = state.live("position")[0, top].mean() - begin
    assert low < moved / (0.5 * (pull[0] + 0.1 * pull[2]) * 0.3**2) < high


@pytest.mark.parametrize("scheme", ["rest", "paper"])
def test_push_by_another_kind_arrives(scheme: str) -> None:
    """Momentum that others write into the masters' velocities is in the next step's motion, all of it."""
    world = _world(_cube(scheme=scheme))
    solver = _run(world, 1)
    top = solver.state.live("position")[2] > 0.3
    (matter,) = solver.matter()
    matter.velocity[0, top] += 2.0
    given = float(matter.mass[top].sum()) * 2.0
    _run(world, 3)
    assert world.totals()["momentum"][0] == pytest.approx(given, rel=1e-5)
    assert solver.state.live("velocity")[0].min() > 0.0 or solver.state.live("velocity")[0].mean() > 0.4


@pytest.mark.parametrize("plastic", [False, True])
def test_sheet_without_thickness_holds(plastic: bool) -> None:
    """A cube dropped on an open sheet stays on its side, elastic or not."""
    sheet = Collider("Sheet", Mesh.rectangle((-1.0, -1.0, 0.0), (2.0, 0.0, 0.0), (0.0, 2.0, 0.0)))
    cube = _cube(low=-0.2, high=0.2, shift=(0.0, 0.0, 0.3), plastic=plastic, velocity=(0.0, 0.0, -3.0))
    world = _world(cube, colliders=(sheet,), gravity=9.81, rate=25.0)
    solver = _run(world, 12)
    assert solver.state.live("position")[2].min() > 0.0
    assert solver.state.live("position")[2].min() < 0.3


def test_pieces_joined_by_pressing_carry_load() -> None:
    """Two halves of dough pressed together share slaves: pulled apart, both move; elastic halves only touch and part."""
    results = {}
    for plastic in (True, False):
        params = SolidParams(stiffness=1.0e5, squash=0.3, plastic=plastic, squeeze_yield=0.05, stretch_yield=0.05, toughness=50.0)
        halves = [Mesh.box((0.0, 0.0, 0.0), (0.3, 0.2, 0.2)), Mesh.box((0.45, 0.0, 0.0), (0.75, 0.2, 0.2))]
        both = Mesh(np.concatenate([h.vertices for h in halves]), np.concatenate([halves[0].triangles, halves[1].triangles + 8]))
        world = _world(Body("Dough", "solid", both, params), rate=100.0)
        solver = _solver(world)
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
            _run(world, 1)
        assert state.live("position")[0, right].min() - state.live("position")[0, ~right].max() < 1.6 * SPACING
        push(0.5)
        begin = state.live("position")[0, ~right].mean()
        _run(world, 30)
        results[plastic] = float(state.live("position")[0, ~right].mean() - begin) / 0.3
    assert results[True] > 0.15, "joined: the left half is dragged along (0.25 m/s is the common velocity)"
    assert results[False] < 0.02, "elastic bodies do not stick to themselves"


def test_split_gives_both_parts_slaves_of_their_own() -> None:
    """A bar of weak clay torn apart: every master of either part still sees as many slaves as at rest."""
    mesh = Mesh.box((0.0, 0.0, 0.0), (0.8, 0.2, 0.2))
    params = SolidParams(stiffness=1.0e5, squash=0.2, plastic=True, squeeze_yield=0.01, stretch_yield=0.002, toughness=0.05)
    world = _world(Body("Bar", "solid", mesh, params), rate=100.0)
    solver = _solver(world)
    state = solver.state
    seen = np.diff(solver.exchange.links().start)
    right = state.live("rest")[0] > 0.4
    state.live("velocity")[0] = np.where(right, 2.0, -2.0)
    _run(world, 40)
    gap = state.live("position")[0, right].min() - state.live("position")[0, ~right].max()
    assert gap > 5.0 * SPACING
    solver._refresh()
    now = np.diff(solver.exchange.links().start)
    assert now.min() >= 0.6 * np.median(seen)
    speeds = [state.live("velocity")[0, part].mean() for part in (right, ~right)]
    assert speeds[0] > 0.5 and speeds[1] < -0.5
    assert abs(world.totals()["momentum"][0]) < 1e-4 * world.totals()["mass"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"squash": 0.5}, "Squash"),
        ({"stiffness": 0.0}, "Stiffness"),
        ({"implicitness": 0.9}, "implicitness"),
    ],
)
def test_bad_settings_are_named(change: dict[str, float], message: str) -> None:
    """Poisson's ratio of 0.5, no stiffness, schemes that do not go together: an error that names the body and the setting."""
    with pytest.raises(InvalidScene, match=message):
        _world(_cube("Good"), _cube("Bad", shift=(1.0, 0.0, 0.0), **change))


def test_open_and_thin_meshes_are_refused() -> None:
    """An open sheet, and a plate thinner than two particles: the error says which spacing is needed."""
    sheet = Mesh.rectangle((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    with pytest.raises(InvalidScene, match="Sheet.*open"):
        _world(Body("Sheet", "solid", sheet))
    plate = Mesh.box((0.0, 0.0, 0.0), (1.0, 1.0, 0.06))
    with pytest.raises(InvalidScene, match=r"Plate.*thinner than two.*0\.02[5-9]"):
        _world(Body("Plate", "solid", plate))
    inverted = Mesh.box((0.0, 0.0, 0.0), (0.4, 0.4, 0.4), inward=True)
    world = _world(Body("Inside out", "solid", inverted))
    assert _solver(world).state.count == 512, "a mesh turned inside out is filled all the same"
