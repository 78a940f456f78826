"""The list of pairs and the vector contact kernel, against naive NumPy."""

import numpy as np
import pytest

from solvers import jit
from solvers.dem.engine import Engine
from solvers.dem.law import Pair, pair_forces
from solvers.dem.neighbours import Contacts
from solvers.watch import Silent
from tests.verification.grain_scenes import RADIUS, SAND, close_packed, walls_of

MOIST = SAND._replace(rolling=0.2, cohesion=300.0)


def _shaken(setting, gap: float = 0.97, count: int = 11) -> Engine:
    """A crowded, restless packing (two chunks or more with count = 13)."""
    engine = close_packed(count, setting=setting, gap=gap)
    random = np.random.default_rng(2)
    engine.state.live("velocity")[:] = random.normal(0.0, 0.05, (3, engine.state.count))
    engine.state.live("spin")[:] = random.normal(0.0, 5.0, (3, engine.state.count))
    return engine


def _by_id(engine: Engine, name: str) -> np.ndarray:
    return engine.state.live(name)[..., np.argsort(engine.state.live("id"))]


def naive_pairs(position: np.ndarray, radius: np.ndarray, skin: float) -> set[tuple[int, int]]:
    apart = np.linalg.norm(position[:, :, None] - position[:, None, :], axis=0)
    near = apart < radius[:, None] + radius[None] + skin
    return {(int(i), int(j)) for i, j in zip(*np.nonzero(np.triu(near, 1)), strict=True)}


def listed(engine: Engine) -> list[tuple[int, int]]:
    pairs = engine.listed_pairs()
    assert pairs is not None
    room = len(pairs.first) // len(pairs.count)
    places = np.concatenate([c * room + np.arange(count) for c, count in enumerate(pairs.count)])
    return list(zip(pairs.first[places].tolist(), pairs.second[places].tolist(), strict=True))


@pytest.mark.parametrize("gap", [0.95, 1.2])
def test_list_is_complete(gap: float):
    """The half list names every pair within the skin once, also for mixed sizes and grains far away from all others."""
    engine = close_packed(9, gap=gap, spread=0.4)
    engine.state.live("position")[:, 5] = (40.0, -3.0, 7.0)
    engine._list(engine.law())
    found = listed(engine)
    wanted = naive_pairs(engine.state.live("position"), engine.state.live("radius").astype(np.float64), 0.3 * engine.largest)
    assert len(found) == len(set(found))
    assert set(found) == wanted


@pytest.mark.parametrize("setting", [SAND, MOIST])
def test_one_step_is_the_naive_law(setting):
    """After one step, velocities and spins are those of the law written out in NumPy, memories included."""
    engine = _shaken(setting)
    state, dt = engine.state, engine.stiffness.step
    engine.advance(walls_of(), dt, np.zeros(3), 0.0, Silent())
    # second step: the memory of the first takes part
    before = {name: state.live(name).copy() for name in ("position", "velocity", "spin")}
    engine.unlist()
    order = np.argsort(state.live("id"))
    expected = _naive_step(engine, before, state.contacts, dt)
    engine.advance(walls_of(), dt, np.zeros(3), 0.0, Silent())
    for name, wanted in expected.items():
        change = np.abs(wanted - before[name]).max()
        assert np.abs(_by_id(engine, name) - wanted[:, order]).max() < 2.0e-5 * change


def _naive_step(engine: Engine, before: dict[str, np.ndarray], old: Contacts, dt: float) -> dict[str, np.ndarray]:
    """Velocities and spins (3, n) after a step from `before`, pair by pair."""
    state, law = engine.state, engine.law()
    radius, mass = state.live("radius").astype(np.float64), engine.mass()
    x, v, w = before["position"].T, before["velocity"].T, before["spin"].T
    memory = {(int(i), int(j)): s.astype(np.float64) for i, j, s in zip(*old, strict=True)}
    reach = 0.1 * engine.largest if law.wet else 0.0
    force, moment = np.zeros_like(x), np.zeros_like(x)
    row = np.array([[1.0, law.damping, law.friction, law.rolling, law.cohesion]], np.float64)
    for i, j in sorted(naive_pairs(x.T, radius, reach)):
        offset = x[i] - x[j]
        distance, total = np.linalg.norm(offset), radius[i] + radius[j]
        normal = offset / distance
        if distance >= total and (i, j) not in memory:
            continue
        spring = memory.get((i, j), np.zeros(6)) * (distance < total)
        relative = v[i] - v[j]
        surface = (radius[i] * w[i] + radius[j] * w[j]) / total
        slip = relative - (relative @ normal) * normal - np.cross(surface, offset)
        stretched = spring[:3] + dt * slip
        stretched -= (stretched @ normal) * normal
        spring = np.concatenate([stretched, spring[3:] + dt * (w[i] - w[j])])
        pair = Pair(
            offset[None], relative[None], np.array([[w[i], w[j]]]), np.array([[radius[i], radius[j]]]),
            np.array([[mass[i], mass[j]]]), spring[None], row,
        )  # fmt: skip
        pull, turn = (part[0] for part in pair_forces(pair, law, dt))
        force[i] += pull
        force[j] -= pull
        lever = np.cross(offset, pull) / total
        moment[i] += turn - radius[i] * lever
        moment[j] += -turn - radius[j] * lever
    return {"velocity": (v + dt * force / mass[:, None]).T, "spin": (w + dt * moment / (0.4 * mass * radius**2)[:, None]).T}


def test_memory_survives_a_new_order():
    """Sorting the grains anew and rebuilding the list changes no contact's memory."""
    engine = _shaken(SAND._replace(rolling=0.2))
    for _ in range(4):
        engine.advance(walls_of(), 10 * engine.stiffness.step, np.zeros(3), 0.0, Silent())
    state = engine.state
    engine.unlist()

    def by_ids() -> dict[tuple[int, int], np.ndarray]:
        ids, result = state.live("id"), {}
        for i, j, spring in zip(*state.contacts, strict=True):
            forward = ids[i] < ids[j]
            key = (int(ids[i]), int(ids[j])) if forward else (int(ids[j]), int(ids[i]))
            result[key] = spring if forward else -spring
        return result

    before = by_ids()
    shuffle = np.random.default_rng(1).permutation(state.count)
    place = np.empty_like(shuffle)
    place[shuffle] = np.arange(len(shuffle))
    first, second = place[state.contacts.first], place[state.contacts.second]
    swap = first > second
    spring = np.where(swap[:, None], -state.contacts.spring, state.contacts.spring)
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    order = np.argsort(first, kind="stable")
    state.contacts = Contacts(first[order].astype(np.int32), second[order].astype(np.int32), spring[order])
    for name in state.layout:
        state.live(name)[...] = state.live(name)[..., shuffle].copy()
    engine._list(engine.law())
    engine.unlist()
    after = by_ids()
    assert len(before) > 1000 and set(before) == set(after)
    assert all(np.array_equal(before[key], after[key]) for key in before)


def test_threads_change_nothing():
    """One thread and two give the same bytes after many steps and rebuilt lists, in several chunks."""
    results = []
    for threads in (1, 2):
        jit.set_threads(threads)
        engine = _shaken(MOIST, count=15)
        for _ in range(6):
            engine.advance(walls_of(), 30 * engine.stiffness.step, np.array((0.0, 0.0, -9.81)), 0.0, Silent())
        pairs = engine.listed_pairs()
        assert pairs is not None and len(pairs.count) == 3
        results.append({name: _by_id(engine, name).tobytes() for name in ("position", "velocity", "spin", "orientation")})
    jit.set_threads(0)
    assert results[0] == results[1]


def test_weights_scale_mass_and_force():
    """Grains of weight ½ weigh half and push half: they move as whole ones do."""
    motion = []
    for weight in (1.0, 0.5):
        engine = _shaken(SAND, count=5)
        engine.state.live("weight")[:] = weight
        engine.advance(walls_of(), 40 * engine.stiffness.step, np.zeros(3), 0.0, Silent())
        motion.append((_by_id(engine, "velocity").copy(), engine.contacts()))
    assert motion[1][0] == pytest.approx(motion[0][0], rel=1.0e-3, abs=1.0e-6)
    assert np.abs(motion[1][1].force).sum() == pytest.approx(0.5 * np.abs(motion[0][1].force).sum(), rel=1.0e-3)


def test_contact_forces_can_be_read():
    """Forces from `contacts` are those that changed the momenta; branches join the centres; Σ f ⊗ b is a pressure."""
    engine = _shaken(SAND._replace(restitution=0.9), count=6, gap=0.95)
    dt = 1.0e-3 * engine.stiffness.step
    engine.advance(walls_of(), dt, np.zeros(3), 0.0, Silent())
    contacts = engine.contacts()
    before = engine.state.live("velocity").copy()
    ids = engine.state.live("id").copy()
    engine.advance(walls_of(), dt, np.zeros(3), 0.0, Silent())
    assert np.array_equal(ids, engine.state.live("id"))
    force = np.zeros((engine.state.count, 3))
    np.add.at(force, contacts.first, contacts.force)
    np.add.at(force, contacts.second, -contacts.force)
    gained = (engine.state.live("velocity") - before) * engine.mass() / dt
    assert gained.T == pytest.approx(force, abs=2.0e-3 * np.abs(force).max())
    x = engine.state.live("position").T
    assert contacts.branch == pytest.approx(x[contacts.first] - x[contacts.second], abs=1.0e-5 * RADIUS)
    assert np.trace(np.einsum("ki,kj->ij", contacts.force, contacts.branch)) > 0.0


def test_removed_grains_take_their_contacts_along():
    """After some grains are taken away the others keep their memories, renumbered."""
    engine = _shaken(SAND, count=6)
    engine.advance(walls_of(), 20 * engine.stiffness.step, np.zeros(3), 0.0, Silent())
    engine.unlist()
    state = engine.state
    ids = state.live("id").copy()
    known = {(ids[i], ids[j]): s.copy() for i, j, s in zip(*state.contacts, strict=True)}
    keep = ids % 3 != 0
    state.keep(keep)
    ids = state.live("id")
    left = {(ids[i], ids[j]): s for i, j, s in zip(*state.contacts, strict=True)}
    assert set(left) == {key for key in known if key[0] % 3 and key[1] % 3}
    assert all(np.array_equal(left[key], known[key]) for key in left)
