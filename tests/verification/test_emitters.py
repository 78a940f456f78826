"""Emitters of every kind: where particles come out, which way, and that nobody is born where somebody is."""

import numpy as np
import pytest

from solvers import Body, Collider, Emitter, EmitterParams, InvalidScene, Mesh, Scene, WorldParams
from solvers.emission import Stream
from solvers.materials import MATERIALS
from solvers.materials.grains_params import GrainsParams
from solvers.scene import ColliderParams
from solvers.world import World

SPACING = 0.02
_PARAMS = {"grains": GrainsParams(mode="all", size=SPACING, size_spread=0.0)}
_CUBE = ((0.0, 0.0, 0.0), (0.08, 0.08, 0.08))


def _emitter(kind, mesh=None, name="Source", motion=None, **params):
    return Emitter(name, kind, mesh or Mesh.box(*_CUBE), EmitterParams(**params), _PARAMS.get(kind), motion)


def _world(emitters, bodies=(), colliders=(), frames=4):
    settings = WorldParams(spacing=SPACING, gravity=(0.0, 0.0, 0.0), frame_end=48)
    world = World(Scene("Emitters", tuple(bodies), tuple(colliders), tuple(emitters), world=settings))
    world.start()
    for frame in range(2, frames + 1):
        world.advance(frame)
    return world


def _places(world, kind):
    return np.concatenate([part.position for part in world._solvers[kind].matter()], axis=1).T


def _closest(one, other):
    return np.sqrt(((one[:, None] - other[None]) ** 2).sum(axis=2)).min()


@pytest.mark.parametrize("kind", list(MATERIALS))
def test_fill_once_and_keep_full(kind):
    """Both fill their mesh and no more: the number of particles is that of a body; nobody is born twice."""
    for source in ("fill", "volume"):
        world = _world([_emitter(kind, source=source, speed=0.0)])
        sites = world.streams.all[0].mouth()
        count = world._solvers[kind].state.count
        assert 0.85 * len(sites) <= count <= len(sites), source
        assert abs(_places(world, kind).mean(axis=0) - 0.04).max() < 0.25 * SPACING
        assert world.totals()["blocked"] == 0


@pytest.mark.parametrize("kind", list(MATERIALS))
def test_volume_keeps_its_rate(kind):
    """A quarter of a litre per second into a volume of half a litre: after half a second an eighth has come."""
    rate = 2.5e-4
    world = _world([_emitter(kind, source="volume", rate=rate, speed=0.0)], frames=13)
    spacing = world.streams.all[0].spacing
    born = world._solvers[kind].state.count + world.totals()["blocked"]
    assert abs(born - 0.5 * rate / spacing**3) <= 1.0
    assert world._solvers[kind].state.count > 0.7 * born


@pytest.mark.parametrize("kind", list(MATERIALS))
def test_surface_and_normals(kind):
    """A sphere that emits along its normals: everybody starts outwards at the set speed; volume = area × speed × time."""
    mesh = Mesh.sphere((0.0, 0.0, 0.0), 0.06, 2)
    emitter = _emitter(kind, mesh, source="surface", aim="normal", speed=0.5, end=0.05)
    births = Stream(emitter, WorldParams(), SPACING).advance(0.0, 0.01)
    assert births is not None
    outwards = births.position / np.linalg.norm(births.position, axis=1)[:, None]
    assert np.abs(births.velocity - 0.5 * outwards).max() < 0.1
    world = _world([emitter], frames=3)
    count, spacing = world._solvers[kind].state.count, world.streams.all[0].spacing
    layers = int(0.05 * 0.5 / spacing) + 1
    mouth = len(world.streams.all[0].mouth())
    assert count + world.totals()["blocked"] == layers * mouth
    assert mouth == pytest.approx(4.0 * np.pi * 0.06**2 / spacing**2, rel=0.1)
    assert count >= mouth and np.linalg.norm(_places(world, kind), axis=1).min() > 0.04


def test_a_painted_surface_emits_where_it_is_painted():
    """A plate painted from 0 at one end to 1 at the other: half the flow of an unpainted one, and its middle at two thirds."""
    plate = Mesh.rectangle((0.0, 0.0, 0.0), (0.4, 0.0, 0.0), (0.0, 0.2, 0.0))
    params = EmitterParams(source="surface", speed=0.5, rate_group="Ramp")
    counts = {}
    for name, weights in (("ramp", plate.vertices[:, 0] / 0.4), ("full", np.ones(4))):
        emitter = Emitter("Source", "water", plate, params, weights={"rate": weights})
        births = Stream(emitter, WorldParams(), 0.01).advance(0.0, 0.4)
        assert births is not None
        counts[name] = len(births.position)
        middle = {"ramp": 2.0 / 3.0, "full": 0.5}[name]
        assert births.position[:, 0].mean() == pytest.approx(0.4 * middle, rel=0.03)
    assert counts["ramp"] == pytest.approx(0.5 * counts["full"], rel=0.03)


@pytest.mark.parametrize("kind", list(MATERIALS))
def test_nobody_is_born_in_others(kind):
    """Half of the volume is taken by another kind, a quarter by a solid collider: only the rest is filled."""
    other = "foam" if kind != "foam" else "water"
    body = Body("Body", other, Mesh.box((0.0, 0.0, 0.0), (0.08, 0.08, 0.04)))
    block = Collider("Block", Mesh.box((-0.01, -0.01, 0.04), (0.04, 0.09, 0.09)), ColliderParams(free=True))
    world = _world([_emitter(kind, source="fill", speed=0.0)], [body], [block], frames=2)
    places = _places(world, kind)
    sites = len(world.streams.all[0].mouth())
    assert 0 < len(places) <= 0.3 * sites and world.totals()["blocked"] == sites - len(places)
    assert _closest(places, _places(world, other)) > 0.6 * SPACING
    assert places[:, 0].min() > 0.03 and places[:, 2].min() > 0.035


def test_motion_is_inherited():
    """What leaves a moving emitter takes its velocity along, whatever it leaves from."""
    motion = np.repeat(np.eye(4)[None], 48, axis=0)
    motion[:, 0, 3] = np.arange(48) / 24.0  # 1 m/s
    for source in ("flow", "surface", "fill"):
        world = _world([_emitter("water", source=source, speed=0.5, inherit=1.0, motion=motion)], frames=2)
        velocity = world._solvers["water"].points([0])["velocity"]
        assert np.median(velocity[:, 0]) == pytest.approx(1.0, abs=0.1) and np.median(velocity[:, 2]) < -0.3, source


def test_messages():
    """No room and no direction are named, with the cure."""
    body = Body("Pond", "water", Mesh.box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)))
    with pytest.raises(InvalidScene, match="Source: the emitter lies wholly inside the body Pond.*let it start later"):
        _world([_emitter("foam")], [body])
    with pytest.raises(InvalidScene, match="Source: its normals point to all sides"):
        _world([_emitter("water", aim="normal")])
    block = Collider("Block", Mesh.box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0)))
    with pytest.raises(InvalidScene, match="wholly inside a collider .Block"):
        _world([_emitter("water")], colliders=[block])
