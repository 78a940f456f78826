"""Drops that leave a tap, hang under a plate and fall."""

import numpy as np
import pytest

from benchmarks.drop_shapes import ball_on_plane
from examples.shapes import cylinder
from solvers import Body, Collider, Emitter, EmitterParams, Mesh, Scene, WorldParams
from solvers.world import World


def test_a_tap_of_drops_delivers_its_rate():
    """A thin jet begins with fewer particles than make a drop; after 60 ms the rate's volume is there, blocked ones counted."""
    tap = Emitter("Tap", "drops", cylinder((0.0, 0.0, 0.0), 1.2e-3, 8.0e-4), EmitterParams(speed=0.1, rate=4.0e-7))
    spacing = 4.0e-4
    world = World(Scene("Tap", emitters=(tap,), world=WorldParams(spacing=spacing, frames_per_second=50.0, frame_end=4)))
    world.start()
    for frame in (2, 3, 4):
        world.advance(frame)
    totals = world.totals()
    # a layer of the jet is 28 particles
    assert totals["particles"] + totals["blocked"] == pytest.approx(4.0e-7 * 0.06 / spacing**3, abs=30)
    assert totals["blocked"] < 0.1 * totals["particles"]
    assert np.isfinite(world.points("Drops")["position"]).all() and world.points("Drops")["position"][:, 2].max() < 1.0e-3


@pytest.mark.parametrize(("volume", "angle", "hangs"), [(8.0e-9, 60.0, True), (1.5e-7, 110.0, False)])
def test_small_drops_hang_where_large_ones_fall(volume: float, angle: float, hangs: bool):
    """Under a plate: 8 µL at 60° are held by surface tension, 150 µL at 110° let go. Gravity points away from the wall."""
    particles = 200
    world = World(ball_on_plane(volume, particles, angle, gravity=-9.81, fps=20.0, frames=2))
    world.start()
    world.advance(2)
    away = world.points("Drops")["position"][:, 2] / (volume / particles) ** (1.0 / 3.0)  # in spacings
    assert (away.max() < 6.0 and (away < 1.5).mean() > 0.3) if hangs else away.min() > 4.0


def test_what_falls_for_ever_does_not_slow_the_rest():
    """A drop that fell past everything half a second ago, at 5 m/s, leaves the step to the one that stands on the plate."""
    radius, spacing = 1.5e-3, 3.0e-4
    standing = Body("Standing", "drops", Mesh.sphere((0.0, 0.0, radius), radius, 3))
    fallen = Body("Fallen", "drops", Mesh.sphere((0.02, 0.0, -1.2), radius, 3), velocity=(0.0, 0.0, -5.0))
    plate = Collider("Plate", Mesh.rectangle((-5e-3, -5e-3, 0.0), (0.01, 0.0, 0.0), (0.0, 0.01, 0.0)))
    params = WorldParams(spacing=spacing, frames_per_second=500.0, frame_end=2)
    worlds = []
    for bodies in ((standing,), (standing, fallen)):
        world = World(Scene("Fall", bodies, (plate,), world=params))
        world.start()
        world.advance(2)
        worlds.append(world)
    alone, both = (world._solvers["drops"].fastest() for world in worlds)
    assert both == pytest.approx(alone, rel=0.2)
    falling = worlds[1].points("Drops")
    last = falling["position"][:, 2] < -1.0
    assert last.sum() > 100 and falling["velocity"][last, 2].mean() == pytest.approx(-5.0 - 9.81 / 500.0, rel=1e-3)
    assert np.ptp(falling["position"][last, 2]) < 3.0 * radius
