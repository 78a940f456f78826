"""What leaves a scene for good: drains, the world box, infinity; for every kind."""

import numpy as np
import pytest

from solvers import Body, Collider, InvalidScene, Mesh, Scene, WorldParams
from solvers.bake.checks import checked
from solvers.materials import MATERIALS
from solvers.materials.grains_params import GrainsParams
from solvers.scene import ColliderParams
from solvers.world import World

SPACING = 0.02
_PARAMS = {"grains": GrainsParams(mode="all", size=SPACING)}


def _block(name, kind, x, z=0.1, velocity=(0.0, 0.0, 0.0)):
    return Body(name, kind, Mesh.box((x, 0.0, z), (x + 0.08, 0.08, z + 0.08)), _PARAMS.get(kind), velocity)


def _world(bodies, colliders=(), **world):
    made = World(Scene("Limits", tuple(bodies), tuple(colliders), world=WorldParams(spacing=SPACING, frame_end=48, **world)))
    made.start()
    return made


def _ids(world, kind):
    """Ids of the second body."""
    state = world._solvers[kind].state
    return np.sort(state.live("id")[state.live("body") == 1])


@pytest.mark.parametrize("kind", list(MATERIALS))
def test_drain_swallows(kind):
    """Of two blocks the one that falls into the drain is gone to the last particle, and counted; the other keeps its ids."""
    sink = Collider("Sink", Mesh.box((-0.1, -0.1, -1.0), (0.2, 0.2, 0.05)), ColliderParams(drain=True))
    world = _world([_block("Lost", kind, 0.0), _block("Kept", kind, 0.5)], [sink])
    kept = _ids(world, kind)
    whole = world._solvers[kind].state.count
    for frame in range(2, 8):
        world.advance(frame)
    totals = world.totals()
    assert totals["swallowed"] == totals["swallowed by Sink"] == whole - len(kept) > 0
    assert totals["dropped"] == 0
    assert np.array_equal(_ids(world, kind), kept) and world._solvers[kind].state.count == len(kept)


def test_drain_moves_and_closes():
    """A drain that comes along swallows; while it is off it does not. Nor is it a wall."""
    motion = np.repeat(np.eye(4)[None], 48, axis=0)
    motion[5:, 0, 3] = 1.0  # arrives at frame 6
    active = np.ones(48)
    active[:10] = 0.0
    sink = Collider(
        "Sink", Mesh.box((-1.2, -0.2, -1.0), (-0.8, 0.2, 1.0)), ColliderParams(drain=True), motion, {"enabled": active}
    )
    world = _world([_block("Block", "water", 0.0)], [sink], gravity=(0.0, 0.0, 0.0))
    for frame in range(2, 11):
        world.advance(frame)
    assert world.totals()["swallowed"] == 0
    world.advance(11)
    world.advance(12)
    assert world.totals()["swallowed"] == 64 and world.totals()["particles"] == 0


@pytest.mark.parametrize("kind", list(MATERIALS))
def test_world_box(kind):
    """What leaves the box is dropped and counted by kind; along an axis without a length there is no limit."""
    world = _world(
        [_block("Lost", kind, 0.0, velocity=(2.0, 0.0, 0.0)), _block("Kept", kind, 0.0, z=5.0)],
        box_size=(0.6, 0.0, 0.0), gravity=(0.0, 0.0, 0.0),
    )  # fmt: skip
    kept, whole = _ids(world, kind), world._solvers[kind].state.count
    for frame in range(2, 8):
        world.advance(frame)
    totals = world.totals()
    assert totals["dropped"] == totals[f"dropped {kind}"] == whole - len(kept) > 0
    assert np.array_equal(_ids(world, kind), kept)


def test_drains_need_an_inside():
    """An open drain and a free one are refused by name, with the cure."""
    for mesh, params, cure in (
        (Mesh.open_box((0, 0, 0), (1, 1, 1)), ColliderParams(drain=True), "close it"),
        (Mesh.box((0, 0, 0), (1, 1, 1)), ColliderParams(drain=True, free=True), "turn one of them off"),
    ):
        with pytest.raises(InvalidScene, match=f"Sink.*{cure}"):
            checked(Scene("Bad", (_block("Block", "water", 0.0),), (Collider("Sink", mesh, params),)))
