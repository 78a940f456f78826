"""Walls that seem to leap at grains: overlap without motion is no blow, and steps within a step see the wall where it is."""

import numpy as np
import pytest

from solvers.hybrid.oracle import box_around, close_packed
from solvers.materials.grains_params import PACKING
from solvers.scene import Collider, ColliderParams, Mesh
from solvers.watch import Silent
from tests.verification.grain_scenes import RADIUS, floor, grains, run, walls_of

NOTHING = np.zeros(3)


def test_overlap_that_appears_does_not_throw():
    """A grain that finds itself a fifth of its radius deep in a wall leaves it slower than 0.2 m/s, and a wall that has to carry
    carries it in the end: it comes to rest upon it."""
    engine, walls = grains([(0.0, 0.0, 0.8 * RADIUS)]), walls_of(floor())
    fastest = 0.0
    for _ in range(400):
        run(engine, walls, 5.0e-4)
        fastest = max(fastest, float(np.abs(engine.state.live("velocity")).max()))
    assert fastest < 0.2
    assert engine.state.live("position")[2, 0] == pytest.approx(RADIUS, abs=0.02 * RADIUS)


def test_a_blow_keeps_its_whole_bounce():
    """What does come by motion is pressed back in full: e = 0.5 from a wall, whatever part of a step the touch falls into."""
    walls = walls_of(floor())
    for height in (1.1, 1.1037, 1.2071):
        engine = grains([(0.0, 0.0, height * RADIUS)], velocity=(0.0, 0.0, -1.5))
        run(engine, walls, 0.01, gravity=NOTHING)
        assert engine.state.live("velocity")[2, 0] == pytest.approx(0.75, rel=0.02)


def test_a_wall_that_is_posed_ahead_pushes_as_one_that_is_not():
    """A plate at 1 m/s against a grain, in steps posed one by one and in pairs posed at the end of both: the same speed."""
    motion = np.tile(np.eye(4), (3, 1, 1))
    motion[:, 2, 3] = np.arange(3) / 24.0
    plate = Collider("Plate", Mesh.box((-1.0, -1.0, -0.1), (1.0, 1.0, 0.0)), ColliderParams(friction=0.5), motion)
    speeds = []
    for together in (1, 4):
        engine, walls = grains([(0.0, 0.0, 1.004 * RADIUS)]), walls_of(plate)
        dt, time = 1.0e-4, 0.0
        for _ in range(60 // together):
            time += together * dt
            walls.pose(time, together * dt)
            for part in range(together):
                engine.advance(walls, dt, NOTHING, 1.0, Silent(), (together - 1 - part) * dt)
        speeds.append(float(engine.state.live("velocity")[2, 0]))
    assert speeds[0] == pytest.approx(1.5, rel=0.03)
    assert speeds[1] == pytest.approx(speeds[0], rel=1.0e-3)


def test_the_oracles_box_holds_company_only():
    """The box of the map: cells of points, and of grains that share theirs; one that flies alone does not stretch it."""
    grain = np.array([[0.5, 0.6, 40.5], [0.5, 0.6, 0.5], [0.5, 0.6, 0.5]])
    point = np.array([[3.5, -2.5], [0.5, 0.5], [0.5, 0.5]], np.float32)
    box = box_around(grain, point, 1.0, "Sand")
    assert box.low.tolist() == [-5, -2, -2] and box.shape == (12, 6, 6)
    alone = box_around(grain[:, 1:], np.zeros((3, 0), np.float32), 1.0, "Sand")
    assert alone.shape == (46, 6, 6)
    packing = np.full(box.shape, 0.1)
    packing[8, 2, 2] = 0.7
    ratio = np.array([1.0, 1.3], np.float32)
    close_packed(point, ratio, 1.1, box.low, 1.0, packing)
    changed = np.argwhere(packing == PACKING) + box.low
    assert sorted(map(tuple, changed.tolist())) == [(i, j, k) for i in (3, 4) for j in (0, 1) for k in (0, 1)][1:]
