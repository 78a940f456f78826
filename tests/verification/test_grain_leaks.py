"""Colliders thinner than a grain hold at the stable step; what cannot be filled is refused by name."""

from typing import Any

import numpy as np
import pytest

from solvers import Body, Collider, GrainsParams, InvalidScene, Mesh, Scene, WorldParams
from solvers.scene import ColliderParams
from solvers.world import World

SIZE = 0.01


def _run(colliders: tuple[Collider, ...], velocity: tuple[float, float, float], frames: int = 12, **more: Any) -> np.ndarray:
    """Places of about two hundred grains that are thrown; float (n, 3)."""
    body = Body("Gravel", "grains", Mesh.box((0, 0, 0.03), (0.06, 0.06, 0.09)), GrainsParams(size=SIZE, **more), velocity)
    world = World(Scene("Thin", (body,), colliders, world=WorldParams(frames_per_second=100.0, frame_end=frames + 1)))
    world.start()
    for frame in range(2, frames + 2):
        world.advance(frame)
    assert world.totals()["particles"] > 120
    return world.points("Grains")["position"]


PLATES = {
    "plate of a twentieth of a grain": Mesh.box((-1.5, -1.5, -0.0005), (1.5, 1.5, 0.0)),
    "sheet": Mesh.rectangle((-1.5, -1.5, 0.0), (3, 0, 0), (0, 3, 0)),
}
"""Wider than any grain jumps."""


@pytest.mark.parametrize("name", PLATES)
@pytest.mark.parametrize("speed", [0.0, 20.0])
def test_thin_floor_holds(name: str, speed: float):
    """Dropped or shot down at 20 m/s, not one grain is below a floor thinner than a grain."""
    place = _run((Collider("Floor", PLATES[name]),), (0.0, 0.0, -speed), frames=12 if speed == 0.0 else 6)
    assert np.abs(place[:, :2]).max() < 1.5 and place[:, 2].min() > 0.3 * SIZE


def test_thin_paddle_sweeps():
    """A paddle a twentieth of a grain thick, at 3 m/s through a heap: nobody comes out behind it."""
    motion = np.tile(np.eye(4), (30, 1, 1))
    motion[:, 0, 3] = 0.03 * np.arange(30)
    paddle = Collider("Paddle", Mesh.box((-0.05, -0.5, 0.001), (-0.0495, 0.5, 0.5)), ColliderParams(), motion)
    floor = Collider("Floor", PLATES["sheet"], ColliderParams(friction=0.0))
    place = _run((floor, paddle), (0.0, 0.0, 0.0), frames=10)
    assert place[:, 0].min() > -0.0495 + 0.3
    assert place[:, 2].min() > 0.3 * SIZE


def test_no_room_for_a_single_grain():
    """A splinter whose box is large but in which no grain fits anywhere."""
    corner = np.array([(0, 0, 0), (0.1, 0.1, 0.1), (0.002, 0, 0), (0, 0.002, 0)], float)
    splinter = Mesh(corner, np.array([(0, 2, 3), (0, 1, 2), (2, 1, 3), (3, 1, 0)], np.int32))
    with pytest.raises(InvalidScene, match="Splinter.*(room|fits|less than one grain|no point)"):
        World(Scene("Bad", (Body("Splinter", "grains", splinter, GrainsParams(size=SIZE)),))).start()


def test_body_inside_another():
    """A body whose whole space is taken is named; nothing is packed twice."""
    params = GrainsParams(size=SIZE)
    big, small = Mesh.box((0, 0, 0), (0.08, 0.08, 0.08)), Mesh.box((0.02, 0.02, 0.02), (0.035, 0.035, 0.035))
    scene = Scene("Two", (Body("Big", "grains", big, params), Body("Small", "grains", small, params)))
    with pytest.raises(InvalidScene, match="Small.*Move the bodies apart"):
        World(scene).start()


@pytest.mark.parametrize(
    ("name", "value"), [("friction_angle", 60.5), ("friction_angle", -0.1), ("restitution", 1.01), ("restitution", -0.01)]
)
def test_outside_its_range(name: str, value: float):
    """Friction angle outside 0–60° and restitution outside 0–1: the setting and the value are named."""
    label = {"friction_angle": "Friction angle", "restitution": "Restitution"}[name]
    with pytest.raises(InvalidScene, match=f"Gravel.*{label}.*{value:g}"):
        _run((), (0.0, 0.0, 0.0), 1, **{name: value})


@pytest.mark.parametrize("kind", ["grains", "water"])
def test_nobody_begins_inside_a_solid(kind: str):
    """What lies in a rock is left out, however deep; a body wholly inside is refused by name."""
    params = GrainsParams(size=SIZE) if kind == "grains" else None
    rock = Collider("Rock", Mesh.box((0.05, -0.05, -0.05), (0.3, 0.15, 0.15)))

    def started(low: float, high: float) -> np.ndarray:
        body = Body("Fill", kind, Mesh.box((low, 0.0, 0.0), (high, 0.1, 0.1)), params)
        world = World(Scene("Buried", (body,), (rock,), world=WorldParams(spacing=0.01)))
        world.start()
        return world.points("Grains" if kind == "grains" else "Water")["position"]

    place = started(0.0, 0.2)
    assert len(place) > 150 and place[:, 0].max() < 0.05
    with pytest.raises(InvalidScene, match="Fill.*inside a collider"):
        started(0.1, 0.2)
