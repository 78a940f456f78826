"""Solids as physics: rigid motion, patch test, bar, beam, plasticity, tearing; bad input."""

from typing import Any

import numpy as np
import pytest

from benchmarks import bar, cantilever, zero_energy
from solvers.errors import InvalidScene
from solvers.materials.solid_params import SolidParams
from solvers.scene import Body, Collider, Mesh
from solvers.walls import Walls
from solvers.watch import Silent
from tests.verification.solid_scenes import SPACING, cube, energy_of, run, solver_of, strain, world_of


@pytest.mark.parametrize("scheme", ["rest", "paper"])
def test_flight_is_exact_and_strains_nothing(scheme: str) -> None:
    """Free fall: x = v t + ½ g t², but for the integrator's (θ − ½) g Δt t; no strain, mass as filled."""
    world = world_of(cube(velocity=(3.0, -2.0, 5.0), scheme=scheme), gravity=10.0)
    before = solver_of(world).state.live("position").copy()
    solver = run(world, 10)
    moved = solver.state.live("position") - before
    assert np.ptp(moved, axis=1).max() < 1e-6
    steps, time = world.steps, 0.2
    np.testing.assert_allclose(moved.mean(axis=1), [0.6, -0.4, 1.0 - 5.0 * time**2 * (1.0 + 0.1 / steps)], atol=2e-4)
    assert strain(solver) < 1e-5
    assert world.totals()["mass"] == pytest.approx(1000.0 * 0.4**3, rel=1e-12)


@pytest.mark.parametrize("scheme", ["rest", "paper"])
def test_turned_body_feels_no_force(scheme: str) -> None:
    """Masters and slaves turned by 100° with F_E = R: the next step moves nobody."""
    world = world_of(cube(scheme=scheme, stiffness=1.0e7))
    solver = run(world, 1)
    angle = np.radians(100.0)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    for part in (solver.state, solver.state.slaves):
        part.live("position")[...] = turn @ part.live("position")
    solver.state.live("elastic")[...] = turn.ravel()[:, None]
    run(world, 1)
    assert np.abs(solver.state.live("velocity")).max() < 2e-3
    assert strain(solver) < 1e-5


@pytest.mark.parametrize("scheme", ["rest", "paper"])
def test_full_turn_returns_the_body_and_keeps_angular_momentum(scheme: str) -> None:
    """A stiff body that has spun by 360° has its shape back; angular momentum is conserved."""
    world = world_of(cube(spin=(0.0, 0.0, 2.0 * np.pi), stiffness=1.0e6, scheme=scheme, wave_steps=0.25), rate=100.0)
    solver = solver_of(world)
    state = solver.state

    def momentum() -> np.ndarray:
        arm = state.live("position") - state.live("position").mean(axis=1)[:, None]
        turning = (state.live("mass") * np.cross(arm.T, state.live("velocity").T).T).sum(axis=1)
        return turning

    rest, begin = state.live("position").copy(), momentum()
    # the transfer keeps part of the spin in the gradient, which the masters' places do not show: compare after one step
    run(world, 1)
    begin = momentum()
    run(world, 99)
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
    world = world_of(ball, spacing=0.05)
    solver = solver_of(world)
    masters, slaves = solver.state, solver.state.slaves
    for part in (masters, slaves):
        place = part.live("position")
        spin = np.cross([0.0, 0.0, 2.0], place.T).T
        part.live("velocity")[...] = spin + np.array([1.5, 0.0, -3.0])[:, None] * place
    masters.live("told")[...] = masters.live("velocity")
    begin, energies, strained = energy_of(solver), [], []
    for _ in range(25):
        run(world, 4)
        now = energy_of(solver)
        energies.append(sum(now) / sum(begin))
        strained.append(now[1] / sum(begin))
    assert max(strained) > 0.15
    assert max(energies) < 1.005
    assert energies[-1] > left


@pytest.mark.parametrize("stiffness", [2.0e4, 1.0e6])
def test_body_thrown_with_a_spin_goes_on_spinning(stiffness: float) -> None:
    """A turn a second for a second in flight at the default settings: 95 % of the angular momentum are left."""
    ball = Body(
        "Ball", "solid", Mesh.sphere((0.0, 0.0, 0.0), 0.2, 3), SolidParams(stiffness=stiffness), spin=(0.0, 0.0, 2.0 * np.pi)
    )
    world = world_of(ball, gravity=9.81, rate=25.0)
    state = solver_of(world).state

    def angular() -> float:
        arm = state.live("position") - state.live("position").mean(axis=1)[:, None]
        return float(state.live("mass") @ np.cross(arm.T, state.live("velocity").T)[:, 2])

    begin = angular()
    run(world, 25)
    assert 0.95 * begin < angular() < 1.005 * begin


@pytest.mark.parametrize("scheme", ["rest", "paper"])
def test_patch_gives_uniform_stress(scheme: str) -> None:
    """A linear map of all places: F is the map at every master, also at edges and corners; slaves inside feel no force."""
    world = world_of(cube(scheme=scheme))
    solver = run(world, 1)
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


def test_long_wobble_returns_to_the_rest_shape() -> None:
    """Jelly dropped on a table and shaken is itself again: its masters stand as at rest, but for sagging under gravity."""
    table = Collider("Table", Mesh.box((-1.0, -1.0, -1.0), (1.0, 1.0, 0.0)))
    world = world_of(
        cube(shift=(0.0, 0.0, 0.1), stiffness=2.0e5, implicitness=1.0),
        colliders=(table,),
        gravity=9.81,
        rate=25.0,
    )
    solver = run(world, 60)
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
    world = world_of(Body("Bar", "solid", mesh, params), rate=100.0)
    solver = solver_of(world)
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


def test_split_gives_both_parts_slaves_of_their_own() -> None:
    """A bar of weak clay torn apart: every master of either part still sees as many slaves as at rest."""
    mesh = Mesh.box((0.0, 0.0, 0.0), (0.8, 0.2, 0.2))
    params = SolidParams(stiffness=1.0e5, squash=0.2, plastic=True, squeeze_yield=0.01, stretch_yield=0.002, toughness=0.05)
    world = world_of(Body("Bar", "solid", mesh, params), rate=100.0)
    solver = solver_of(world)
    state = solver.state
    seen = np.diff(solver.exchange.links().start)
    right = state.live("rest")[0] > 0.4
    state.live("velocity")[0] = np.where(right, 2.0, -2.0)
    run(world, 40)
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
        world_of(cube("Good"), cube("Bad", shift=(1.0, 0.0, 0.0), **change))


def test_open_and_thin_meshes_are_refused() -> None:
    """An open sheet, and a plate thinner than two particles: the error says which spacing is needed."""
    sheet = Mesh.rectangle((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    with pytest.raises(InvalidScene, match="Sheet.*open"):
        world_of(Body("Sheet", "solid", sheet))
    plate = Mesh.box((0.0, 0.0, 0.0), (1.0, 1.0, 0.06))
    with pytest.raises(InvalidScene, match=r"Plate.*thinner than two.*0\.02[5-9]"):
        world_of(Body("Plate", "solid", plate))
    inverted = Mesh.box((0.0, 0.0, 0.0), (0.4, 0.4, 0.4), inward=True)
    world = world_of(Body("Inside out", "solid", inverted))
    assert solver_of(world).state.count == 512, "a mesh turned inside out is filled all the same"
