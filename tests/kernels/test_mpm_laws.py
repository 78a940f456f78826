"""The laws of foam and grains on single elements."""

import numpy as np
import pytest

from solvers.mpm.foam_law import foam_law, foam_law_single
from solvers.mpm.grain_law import grain_law, grain_law_single
from solvers.mpm.points import FoamPoints, GrainPoints

NEVER = 1.0e30


def foam_points(count: int, density: float = 100.0) -> FoamPoints:
    def zero(*shape):
        return np.zeros((*shape, count + 8), np.float32)

    elastic = zero(6)
    elastic[:3] = 1.0
    return FoamPoints(
        elastic, zero() + 1.0, zero(9), zero(6), zero(), zero(), zero(), zero() + density, np.zeros(count + 8, np.int32)
    )


def grain_points(count: int) -> GrainPoints:
    p = foam_points(count)
    return GrainPoints(p.elastic, p.volume, p.gradient, p.stress, p.plastic, p.density, p.body)


def foam_row(shear, bulk, strength, viscosity, exponent, stretch=NEVER, swelling=NEVER) -> np.ndarray:
    return np.array([[shear, bulk, np.sqrt(2 / 3) * strength, viscosity, exponent, 100.0, stretch, swelling]], np.float32)


def run_foam(points: FoamPoints, table: np.ndarray, dt: float, steps: int, count: int = 1) -> None:
    room = np.zeros((-(-count // 1024), 64), np.float32)
    for _ in range(steps):
        foam_law(points, table, count, np.float32(dt), room)


def steady_shear_stress(rate: float, exponent: float, strength: float, viscosity: float) -> tuple[float, float]:
    """τ₁₂ after the elastic start in simple shear of a stiff foam, and the law's value."""
    wanted = strength / np.sqrt(3) + viscosity / np.sqrt(2) * (rate / np.sqrt(2)) ** exponent
    shear = 400.0 * wanted
    points = foam_points(1)
    points.gradient[3] = rate
    run_foam(points, foam_row(shear, 10.0 * shear, strength, viscosity, exponent), 0.05 * wanted / shear / rate, 900)
    return float(points.stress[3, 0]), float(wanted)


@pytest.mark.parametrize("exponent", [0.1, 0.22, 0.5, 1.0, 1.7, 3.0])
def test_flow_curve(exponent):
    """Steady simple shear over four decades: τ₁₂ = σ_Y/√3 + (η/√2)(γ̇/√2)^m within 0.1 %."""
    for rate in np.geomspace(0.01, 100.0, 9):
        found, wanted = steady_shear_stress(rate, exponent, 30.0, 20.0)
        assert found == pytest.approx(wanted, rel=1e-3), rate


def test_limits_of_the_flow_curve():
    """σ_Y = 0, m = 1 is a Newtonian liquid (τ = η/2 · γ̇); η = 0 is perfectly plastic (τ = σ_Y/√3)."""
    for rate in (0.1, 10.0):
        found, _ = steady_shear_stress(rate, 1.0, 0.0, 20.0)
        assert found == pytest.approx(10.0 * rate, rel=1e-3)
        found, _ = steady_shear_stress(rate, 0.5, 30.0, 0.0)
        assert found == pytest.approx(30.0 / np.sqrt(3), rel=1e-3)


def test_below_yield_is_elastic():
    """A small simple shear gives τ₁₂ = µ γ, leaves no plastic strain and comes back to zero."""
    points, table = foam_points(1), foam_row(100.0, 1000.0, 30.0, 5.0, 0.5)
    points.gradient[3] = 1.0
    run_foam(points, table, 1e-3, 100)
    assert points.stress[3, 0] == pytest.approx(10.0, rel=1e-2)
    points.gradient[3] = -1.0
    run_foam(points, table, 1e-3, 100)
    assert points.plastic[0] == 0.0
    assert np.abs(points.stress[:, 0]).max() < 0.05


def test_rotation_gives_no_stress():
    """A rigid rotation by half a turn leaves the stress at zero."""
    points, steps = foam_points(1), 20000
    dt = np.pi / steps
    # the exact rotation of a step, as an increment: (R − I)/Δt about z and x together
    axis = np.array([0.6, 0.0, 0.8])
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    step = np.sin(dt) * k + (1 - np.cos(dt)) * k @ k
    points.gradient[:, :] = (step / dt).T.reshape(9, 1)
    run_foam(points, foam_row(100.0, 1000.0, 1.0, 5.0, 0.5), dt, steps)
    assert np.abs(points.stress[:, 0]).max() < 0.3  # 0.03 % of the bulk modulus after 20 000 roundings


def _naive_foam(b, volume, gradient, dt, row):
    """One step in double precision with bisection."""
    shear, bulk, strength, eta, m = (float(value) for value in row[:5])
    f = np.eye(3) + dt * gradient
    volume = volume * np.linalg.det(f)
    unit = f / np.cbrt(np.linalg.det(f))
    b = unit @ b @ unit.T
    third = np.trace(b) / 3
    dev = b - third * np.eye(3)
    s = shear * np.linalg.norm(dev)
    if s > strength:
        low, high = strength, s
        for _ in range(200):
            middle = 0.5 * (low + high)
            drive = 2 * shear * third * dt * (middle - strength) ** (1 / m)
            low, high = (middle, high) if eta ** (1 / m) * (middle - s) + drive < 0 else (low, middle)
        b = dev * (low / s) + third * np.eye(3)
        b = b / np.cbrt(np.linalg.det(b))
    return b, volume, bulk / 2 * (volume**2 - 1) * np.eye(3) + shear * (b - np.trace(b) / 3 * np.eye(3))


def _six(tensor: np.ndarray) -> np.ndarray:
    return np.array([tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]])


def test_eight_lanes_one_lane_and_bisection_agree():
    """Random steps of 100 points of three materials: lanes = single, and both are the paper's bisection."""
    rng = np.random.default_rng(7)
    table = np.concatenate(
        [foam_row(290.0, 3e3, 30.0, 27.0, 0.22), foam_row(1e3, 9e3, 50.0, 4.0, 2.5), foam_row(80.0, 500.0, 10.0, 3.0, 1.0)]
    )
    lanes, single = foam_points(100), foam_points(100)
    gradient, body = rng.normal(scale=20.0, size=(100, 3, 3)), rng.integers(0, 3, 108).astype(np.int32)
    for points in (lanes, single):
        points.gradient[:, :100] = gradient.transpose(2, 1, 0).reshape(9, 100)
        points.body[:] = body
    b, volume, tau = np.tile(np.eye(3), (100, 1, 1)), np.ones(100), np.zeros((100, 3, 3))
    for _ in range(8):
        run_foam(lanes, table, 2e-3, 1, count=100)
        foam_law_single(single, table, 100, np.float32(2e-3))
        for p in range(100):
            b[p], volume[p], tau[p] = _naive_foam(b[p], volume[p], gradient[p], 2e-3, table[body[p]])
    wanted = np.stack([_six(t) for t in tau], axis=1)
    scale = np.abs(wanted).max(axis=0)
    assert (np.abs(lanes.stress[:, :100] - single.stress[:, :100]) < 1e-4 * scale).all()
    assert (np.abs(lanes.stress[:, :100] - wanted) < 2e-4 * scale).all()
    assert lanes.plastic[:100].min() > 0.0


def test_tearing_and_healing():
    """Pulled beyond its stretch a point carries nothing and stores nothing; pressed together it resists again."""
    table = foam_row(290.0, 3000.0, 30.0, 1.0, 0.5, stretch=0.7, swelling=1.25)
    points = foam_points(1)
    # uniaxial stretch with a little swelling, so that the mean stress is tensile
    points.gradient[0], points.gradient[4], points.gradient[8] = 1.0, -0.49, -0.49
    run_foam(points, table, 1e-3, 300)
    assert points.torn[0] == 0.0 and points.stress[0, 0] > 10.0
    run_foam(points, table, 1e-3, 800)
    assert points.torn[0] == 1.0
    assert np.abs(points.stress[:, 0]).max() == 0.0
    plastic, volume = points.plastic[0], points.volume[0]
    run_foam(points, table, 1e-3, 500)
    assert points.plastic[0] == pytest.approx(plastic, abs=1e-3) and points.volume[0] >= volume
    assert np.allclose(points.elastic[:3, 0], 1.0, atol=1e-6)
    points.gradient[:] = 0.0
    points.gradient[0] = points.gradient[4] = points.gradient[8] = -1.0
    run_foam(points, table, 1e-3, 60)
    assert points.torn[0] == 0.0 and points.stretch[0] == 0.0
    assert points.stress[0, 0] < -50.0


def grain_row(shear=1e5, bulk=2e5, angle=30.0) -> np.ndarray:
    return np.array([[shear, bulk, np.sqrt(2) * np.tan(np.radians(angle)), 0.0, 0.0, 100.0, 0.0, 0.0]], np.float32)


def run_grains(points: GrainPoints, table: np.ndarray, dt: float, steps: int, count: int = 1) -> None:
    room = np.zeros((-(-count // 1024), 64), np.float32)
    for _ in range(steps):
        grain_law(points, table, count, np.float32(dt), room)


@pytest.mark.parametrize("angle", [20.0, 35.0, 45.0])
def test_grains_yield_at_the_friction_angle_without_dilation(angle):
    """Simple shear under pressure: τ/p = tan φ, and the volume is that of the compression, whatever the shear."""
    points, table = grain_points(1), grain_row(angle=angle)
    points.gradient[0] = points.gradient[4] = points.gradient[8] = -1.0
    run_grains(points, table, 1e-4, 100)
    volume = points.volume[0]
    points.gradient[:] = 0.0
    points.gradient[3] = 1.0
    run_grains(points, table, 1e-4, 5000)
    pressure = -points.stress[:3, 0].mean()
    assert points.stress[3, 0] / pressure == pytest.approx(np.tan(np.radians(angle)), rel=2e-2)
    assert points.volume[0] == pytest.approx(volume, rel=1e-5)
    assert pressure > 1000.0


def test_grains_carry_no_tension():
    """Opened grains carry nothing; closed again by the same way they carry exactly what they did: no volume is gained."""
    points, table = grain_points(1), grain_row()
    points.density[:] = 1.0
    for sign in (1.0, -1.0):
        points.gradient[0] = points.gradient[4] = points.gradient[8] = 0.0
        points.gradient[8] = sign
        run_grains(points, table, 1e-3, 100)
        if sign > 0.0:
            assert points.volume[0] == pytest.approx(1.105, rel=1e-3)
            assert np.abs(points.stress[:, 0]).max() == 0.0
    assert points.volume[0] == pytest.approx(1.0, abs=2e-4)
    run_grains(points, table, 1e-3, 10)
    assert points.stress[2, 0] < -500.0


def test_grain_lanes_are_single_lanes():
    """Eight lanes and one lane of the grain law agree over random steps of two materials."""
    rng = np.random.default_rng(3)
    table = np.concatenate([grain_row(), grain_row(3e4, 9e4, 40.0)])
    lanes, single = grain_points(60), grain_points(60)
    gradient, body = rng.normal(scale=30.0, size=(9, 60)), rng.integers(0, 2, 68).astype(np.int32)
    for points in (lanes, single):
        points.gradient[:, :60], points.body[:] = gradient, body
    for _ in range(10):
        run_grains(lanes, table, 1e-3, 1, count=60)
        grain_law_single(single, table, 60, np.float32(1e-3))
    scale = np.abs(single.stress[:, :60]).max(axis=0) + 1.0
    assert (np.abs(lanes.stress[:, :60] - single.stress[:, :60]) < 1e-3 * scale).all()
    assert np.abs(single.stress[:, :60]).max() > 100.0
