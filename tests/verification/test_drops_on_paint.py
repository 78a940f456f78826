"""Drops on surfaces whose wetting an artist has painted."""

import numpy as np

from solvers import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.world import World


def _strip(side: float, columns: int) -> Mesh:
    """A level sheet around the origin, finely divided along x."""
    ticks = np.linspace(-side, side, columns + 1)
    vertices = np.array([(x, y, 0.0) for x in ticks for y in (-side, side)])
    quads = [(2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1) for i in range(columns)]
    return Mesh(vertices, np.array([(q[0], q[a], q[a + 1]) for q in quads for a in (1, 2)], np.int32))


def test_drop_goes_to_the_side_that_is_painted_wettable():
    """One mesh, 120° where x < 0 and painted to 60° where x > 0: a drop set down across the border moves to the wettable side."""
    volume, particles = 4.0e-9, 300
    radius = (3.0 * volume / (4.0 * np.pi)) ** (1.0 / 3.0)
    floor = _strip(8.0 * radius, 64)
    weights = {"contact_angle": (floor.vertices[:, 0] > 0.0).astype(float)}
    params = ColliderParams(contact_angle=120.0, contact_angle_painted=60.0)
    scene = Scene(
        "Painted",
        (Body("Drop", "drops", Mesh.sphere((0.0, 0.0, radius), radius, 3)),),
        (Collider("Leaf", floor, params, weights=weights),),
        world=WorldParams(spacing=(volume / particles) ** (1.0 / 3.0), gravity=(0.0, 0.0, 0.0), frames_per_second=25.0),
    )
    world = World(scene)
    world.start()
    world.advance(2)
    assert world.points("Drops")["position"][:, 0].mean() > 0.3 * radius


def test_drops_that_begin_against_a_wall_are_not_shot_away():
    """A body pressed on its floor: particles that start inside the wall's core are set free at its face, without energy."""
    side = 6.0e-3
    body = Body("Pad", "drops", Mesh.box((-side, -side, -2.0e-4), (side, side, 1.0e-3)))
    floor = Collider("Floor", _strip(4.0 * side, 8), ColliderParams(contact_angle=90.0))
    params = WorldParams(spacing=6.0e-4, gravity=(0.0, 0.0, 0.0), frames_per_second=500.0)
    world = World(Scene("Pressed", (body,), (floor,), world=params))
    world.start()
    world.advance(2)
    points = world.points("Drops")
    assert points["velocity"][:, 2].max() < 1.1 and points["position"][:, 2].max() < 2.5e-3  # 1.7 m/s as a spring would give
