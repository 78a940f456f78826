"""The continuum of grains by itself: slopes, columns, stress set and read, weights."""

import numpy as np
import pytest

from solvers import Collider, Mesh
from solvers.mpm.continuum import Continuum, GrainMaterial, with_unit_determinant
from solvers.scene import ColliderParams
from solvers.walls import Walls
from solvers.watch import Silent

SPACING = 0.01
CELL = 2.0 * SPACING


def floor(contact: str = "stick") -> Walls:
    plate = Collider("Floor", Mesh.box((-2.0, -2.0, -0.2), (2.0, 2.0, 0.0)), ColliderParams(contact=contact))
    return Walls([plate], reach=2 * CELL, frames_per_second=24.0, frame_start=1, watch=Silent())


def block(low: tuple, high: tuple) -> np.ndarray:
    axes = [np.arange(a + SPACING / 2, b, SPACING) for a, b in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def sand(angle: float, gravity: tuple = (0.0, 0.0, -9.81)) -> Continuum:
    material = GrainMaterial(density=1600.0, shear=3.0e5, bulk=5.0e5, friction_angle=angle)
    return Continuum([material], CELL, np.array(gravity), "Sand")


def run(continuum: Continuum, walls: Walls, seconds: float) -> None:
    time = 0.0
    while time < seconds:
        dt = continuum.stable_dt()
        continuum.step(walls, dt)
        time += dt


def slide_speed(slope: float, angle: float) -> float:
    """Mean speed [m/s] in the middle of a layer on a rough plane of the given slope, after 0.6 s."""
    tilt = np.radians(slope)
    continuum = sand(angle, (9.81 * np.sin(tilt), 0.0, -9.81 * np.cos(tilt)))
    layer = block((0.0, 0.0, 0.0), (1.0, 0.06, 0.08))
    continuum.insert(layer, np.zeros_like(layer), SPACING**3)
    sides = [
        Collider("Floor", Mesh.box((-2.0, -2.0, -0.2), (4.0, 2.0, 0.0)), ColliderParams(contact="stick")),
        Collider("Left", Mesh.box((-2.0, -0.2, -0.1), (4.0, 0.0, 0.5)), ColliderParams(contact="slip")),
        Collider("Right", Mesh.box((-2.0, 0.06, -0.1), (4.0, 0.26, 0.5)), ColliderParams(contact="slip")),
    ]
    run(continuum, Walls(sides, reach=2 * CELL, frames_per_second=24.0, frame_start=1, watch=Silent()), 0.6)
    state = continuum.state
    x = state.live("position")
    middle = (x[0] > 0.35) & (x[0] < 0.65)
    return float(state.live("velocity")[0][middle].mean())


def test_layer_slides_beyond_its_friction_angle():
    """A layer on a rough slope rests at φ − 5° and runs at φ + 5°."""
    assert abs(slide_speed(25.0, 30.0)) < 0.02
    assert slide_speed(35.0, 30.0) > 0.15


def test_column_becomes_a_heap_and_rests():
    """A collapsed column ends as a heap no steeper than its friction angle and no flatter than a third of it, at rest."""
    continuum = sand(35.0)
    column = block((-0.08, -0.08, 0.0), (0.08, 0.08, 0.16))
    ids = continuum.insert(column, np.zeros_like(column), SPACING**3)
    walls = floor()
    mass = float(continuum.state.live("mass").astype(float).sum())
    run(continuum, walls, 1.0)
    state = continuum.state
    x = state.live("position").astype(float)
    assert sorted(state.live("id").tolist()) == ids.tolist()
    assert float(state.live("mass").astype(float).sum()) == mass
    radius, height = np.hypot(x[0], x[1]), x[2]
    rings = np.arange(0.03, 0.2, 0.02)
    tops = np.array(
        [np.quantile(height[np.abs(radius - ring) < 0.01], 0.98) for ring in rings if (np.abs(radius - ring) < 0.01).sum() > 30]
    )
    flank = rings[: len(tops)][tops > 0.03]
    slope = np.degrees(np.arctan(-np.polyfit(flank, tops[: len(flank)], 1)[0]))
    assert 12.0 < slope < 37.0
    kinetic = 0.5 * (state.live("velocity").astype(float) ** 2).sum(axis=0).mean()
    assert kinetic < 1e-3
    bulk_density = state.live("density")[(radius < 0.04) & (height > 0.025) & (height < 0.045)]
    assert np.median(bulk_density) == pytest.approx(1600.0, rel=0.1)


def test_stress_set_is_stress_carried():
    """Strain inverted from a stress gives that stress back through the law; b̄ has determinant 1."""
    continuum = sand(40.0)
    points = block((0.0, 0.0, 0.0), (0.04, 0.02, 0.02))
    continuum.insert(points, np.zeros_like(points), SPACING**3)
    rng = np.random.default_rng(2)
    tau = rng.normal(scale=100.0, size=(6, len(points)))
    tau[:3] -= 2000.0
    continuum.set_stress(np.arange(len(points)), tau)
    b = continuum.state.live("elastic").astype(float)
    matrix = np.array([[b[0], b[3], b[4]], [b[3], b[1], b[5]], [b[4], b[5], b[2]]]).transpose(2, 0, 1)
    assert np.allclose(np.linalg.det(matrix), 1.0, atol=1e-5)
    from solvers.mpm.grain_law import grain_law_single
    from solvers.mpm.points import GrainPoints

    s = continuum.state
    law = GrainPoints(s["elastic"], s["jacobian"], s["affine"], s["stress"], s["plastic"], s["density"], s["body"])
    s["affine"][...] = 0.0
    grain_law_single(law, continuum.table, s.count, np.float32(1e-4))
    assert np.allclose(s.live("stress"), tau, atol=1.0)
    assert np.allclose(with_unit_determinant(np.zeros((6, 2)))[:3], 1.0)


def test_weights_and_the_grid_between_the_phases():
    """Half the weight is half the mass on the grid; what is done to the nodes between the phases reaches the points."""
    continuum = sand(35.0, (0.0, 0.0, 0.0))
    points = block((0.0, 0.0, 0.0), (0.06, 0.06, 0.06))
    continuum.insert(points, np.zeros_like(points), SPACING**3)
    walls = Walls([], reach=2 * CELL, frames_per_second=24.0, frame_start=1, watch=Silent())
    continuum.prepare(walls)
    continuum.scatter(1e-4)
    whole = float(continuum.grid.nodes[..., 3].sum(dtype=np.float64))
    continuum.state["weight"][:] = 0.5
    continuum.scatter(1e-4)
    assert float(continuum.grid.nodes[..., 3].sum(dtype=np.float64)) == pytest.approx(0.5 * whole, rel=1e-5)
    assert whole == pytest.approx(1600.0 * SPACING**3 * len(points), rel=1e-5)
    continuum.update(walls, 1e-4)
    continuum.grid.nodes[..., :3] = np.where(continuum.grid.nodes[..., 3:] > 0.0, np.array([0.0, 2.0, 0.0], np.float32), 0.0)
    continuum.gather(1e-4)
    assert np.allclose(continuum.state.live("velocity"), np.array([[0.0], [2.0], [0.0]]), atol=1e-4)
    continuum.remove(np.arange(len(points)) % 2 == 0)
    assert continuum.state.count == len(points) // 2
