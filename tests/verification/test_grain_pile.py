"""Piles: they stand at an angle and stop moving."""

import numpy as np

from solvers import Body, Collider, GrainsParams, Mesh, Scene, WorldParams
from solvers.scene import ColliderParams
from solvers.world import World


def test_pile_stands_and_stops():
    """A collapsed column stands at an angle of repose; its kinetic energy falls to round-off, and nothing creeps any more."""
    params = GrainsParams(mode="all", size=0.01, friction_angle=35.0, rolling=0.2, restitution=0.2, wall_friction=1.0)
    scene = Scene(
        "Pile",
        (Body("Sand", "grains", Mesh.box((-0.04, -0.04, 0.0), (0.04, 0.04, 0.12)), params),),
        (Collider("Floor", Mesh.rectangle((-1, -1, 0), (2, 0, 0), (0, 2, 0)), ColliderParams(friction=1.0)),),
        world=WorldParams(frames_per_second=10.0, frame_end=40),
    )
    world = World(scene)
    world.start()
    begun = world.totals()["potential_energy"]
    for frame in range(2, 14):
        world.advance(frame)
    before = world.points("Grains")["position"]
    world.advance(14)
    after, totals = world.points("Grains")["position"], world.totals()
    assert totals["particles"] == len(before) > 500
    assert totals["kinetic_energy"] < 1.0e-13 * begun
    assert np.abs(after - before).max() < 1.0e-6 * 0.01
    distance = np.hypot(after[:, 0], after[:, 1])
    rings = np.arange(0.01, 0.08, 0.01)
    top = np.array([np.quantile(after[np.abs(distance - ring) < 0.006, 2], 0.97) for ring in rings])
    angle = np.degrees(np.arctan(-np.polyfit(rings, top, 1)[0]))
    assert 15.0 < angle < 40.0
