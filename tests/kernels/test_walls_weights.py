"""Wall weights against direct quadrature."""

import numpy as np
import pytest

from solvers.errors import InvalidScene
from solvers.jit import kernel
from solvers.walls import NearWalls, wall_density
from solvers.walls import weights as forms

ALPHAS = np.linspace(-0.95, 0.95, 20)


@kernel
def closed_forms(alpha, h, out):
    out[0] = forms.density_weight_poly6(alpha)
    out[1] = forms.density_weight_wendland(alpha)
    out[2] = forms.density_slope_poly6(alpha)
    out[3] = forms.density_slope_wendland(alpha)
    out[4] = forms.viscosity_weight(alpha, h)
    out[5] = forms.pressure_weight(alpha, h)


def evaluated(alpha: float, h: float = 1.0) -> np.ndarray:
    out = np.empty(6)
    closed_forms(alpha, h, out)
    return out


def poly6(q: np.ndarray) -> np.ndarray:
    return 315.0 / (64.0 * np.pi) * np.maximum(1.0 - q * q, 0.0) ** 3


def wendland(q: np.ndarray) -> np.ndarray:
    return 21.0 / (2.0 * np.pi) * np.maximum(1.0 - q, 0.0) ** 4 * (4.0 * q + 1.0)


def half_space(function, alpha: float) -> float:
    """2π ∫ f(q) q (q − α) dq from α to 1: a radial function over what lies beyond a plane at distance α ≥ 0."""
    node, weight = np.polynomial.legendre.leggauss(40)
    q = alpha + (1.0 - alpha) * 0.5 * (node + 1.0)
    return float((2.0 * np.pi * function(q) * q * (q - alpha)) @ weight * 0.5 * (1.0 - alpha))


@pytest.mark.parametrize("alpha", ALPHAS)
def test_density_weights_are_half_space_integrals(alpha: float):
    """(11) and its Wendland twin are ∫W over the half-space; inside the wall they are 1 minus the mirrored value."""
    for place, function in ((0, poly6), (1, wendland)):
        expected = half_space(function, abs(alpha))
        assert evaluated(alpha)[place] == pytest.approx(expected if alpha >= 0.0 else 1.0 - expected, abs=1e-12)


def test_density_weight_is_the_papers_polynomial():
    """(11): ρ₀/256 (1−α)⁵ (35α⁴ + 175α³ + 345α² + 325α + 128)."""
    for alpha in (0.0, 0.3, 0.8):
        paper = (1 - alpha) ** 5 * (35 * alpha**4 + 175 * alpha**3 + 345 * alpha**2 + 325 * alpha + 128) / 256
        assert evaluated(alpha)[0] == pytest.approx(paper, rel=1e-12)


def test_slopes_are_derivatives():
    """The slopes are the derivatives of the weights with respect to α, on both sides of the wall."""
    step = 1.0e-5
    for alpha in ALPHAS:
        difference = (evaluated(alpha + step) - evaluated(alpha - step)) / (2.0 * step)
        assert evaluated(alpha)[2:4] == pytest.approx(difference[0:2], abs=1e-8)


@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.6])
def test_viscosity_and_pressure_weights(alpha: float):
    """(16) is ∫∇²W of the viscosity kernel, the pressure weight |∫∇W| of the spiky kernel, with h = 0.1."""
    h = 0.1
    laplacian = half_space(lambda q: 45.0 / np.pi * (1.0 - q), alpha) / h**2
    assert evaluated(alpha, h)[4] == pytest.approx(laplacian, rel=1e-9)
    # Normal component of ∇W = 45/π (1−q)² r̂, over rings: ∫ f(q) cosθ; the mean cosine of a cap is (q² − α²)/(2q (q − α)).
    node, weight = np.polynomial.legendre.leggauss(40)
    q = alpha + (1.0 - alpha) * 0.5 * (node + 1.0)
    gradient = float((45.0 / np.pi * (1.0 - q) ** 2 * np.pi * (q * q - alpha * alpha)) @ weight * 0.5 * (1.0 - alpha)) / h
    assert evaluated(alpha, h)[5] == pytest.approx(gradient, rel=1e-9)


def near_of(plane: np.ndarray, count: np.ndarray, shape: np.ndarray) -> NearWalls:
    index = np.arange(len(count), dtype=np.int32)
    return NearWalls(index, plane, count.astype(np.int32), shape.astype(np.int32), np.zeros((len(count), 3), np.int32), index)


def random_corners(total: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Planes with normals more than 30° apart; every second corner is square."""
    rng = np.random.default_rng(seed)
    planes, counts, shapes = [], [], []
    while len(planes) < total:
        normals = rng.normal(size=(3, 3))
        if len(planes) % 2:
            normals = np.linalg.qr(normals)[0]
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        if np.abs(normals @ normals.T - np.eye(3)).max() > 0.86:
            continue
        plane = np.zeros((3, 8), dtype=np.float32)
        plane[:, :3], plane[:, 3] = normals, rng.uniform(-0.5, 0.9, 3)
        count = int(rng.integers(1, 4))
        planes.append(plane)
        counts.append(count)
        shapes.append(rng.integers(0, 4) if count == 3 else rng.integers(0, 2))
    return np.array(planes), np.array(counts), np.array(shapes)


@pytest.mark.parametrize("name", ["wendland", "poly6"])
def test_corner_weights_match_quadrature(name: str):
    """Unions and intersections: one and two planes and square corners within 1e-3, oblique corners of three within 0.02."""
    grid = (np.arange(101) + 0.5) / 101 * 2.0 - 1.0
    points = np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), axis=-1).reshape(-1, 3)
    points = points[np.einsum("ij,ij->i", points, points) < 1.0]
    mass = (wendland if name == "wendland" else poly6)(np.linalg.norm(points, axis=1))
    mass /= mass.sum()
    plane, count, shape = random_corners(60, 5)
    weight, _ = wall_density(near_of(plane, count, shape), 1.0, name)
    for row in range(len(count)):
        behind = points @ plane[row, :, :3].T + plane[row, :, 3] < 0.0
        behind = behind[:, : count[row]]
        inside = {
            0: behind.any(axis=1), 1: behind.all(axis=1), 2: behind[:, 0] | behind[:, 1:].all(axis=1),
            3: behind[:, 0] & behind[:, 1:].any(axis=1),
        }[int(shape[row])]  # fmt: skip
        assert weight[row] == pytest.approx(mass[inside].sum(), abs=1e-3 if count[row] < 3 or row % 2 else 2e-2)


@pytest.mark.parametrize("name", ["wendland", "poly6"])
def test_gradient_is_the_derivative_of_the_weight(name: str):
    """The gradient follows central differences of the weight when the particle moves."""
    plane, count, shape = random_corners(80, 8)
    near = near_of(plane, count, shape)
    _, gradient = wall_density(near, 1.0, name)
    step = 0.02
    for axis in range(3):
        moved = []
        for sign in (1.0, -1.0):
            shifted = plane.copy()
            shifted[:, :, 3] += sign * step * plane[:, :, axis]
            moved.append(wall_density(near._replace(plane=shifted), 1.0, name)[0])
        np.testing.assert_allclose(gradient[:, axis], (moved[0] - moved[1]) / (2.0 * step), atol=0.02)


def test_weight_scales_with_the_support():
    """The weight depends on d/h only; its gradient is 1/h times that at h = 1."""
    plane, count, shape = random_corners(30, 2)
    small = plane.copy()
    small[:, :, 3] *= 0.01
    weight, gradient = wall_density(near_of(plane, count, shape), 1.0, "wendland")
    scaled_weight, scaled_gradient = wall_density(near_of(small, count, shape), 0.01, "wendland")
    np.testing.assert_allclose(weight, scaled_weight, atol=1e-5)
    np.testing.assert_allclose(gradient, scaled_gradient * 0.01, atol=1e-4)


def test_unused_planes_are_not_read():
    """Rows of `plane` beyond the count may hold anything, as they are never written."""
    plane, count, shape = random_corners(40, 4)
    spoilt = plane.copy()
    for row, used in enumerate(count):
        spoilt[row, used:] = np.nan
    clean = wall_density(near_of(plane, count, shape), 1.0, "wendland")
    for ours, theirs in zip(wall_density(near_of(spoilt, count, shape), 1.0, "wendland"), clean, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_plates_and_gaps():
    """Opposite planes: a plate of any thickness weighs what a thick wall does, also at its rim and where it stands on a floor;
    a gap between two walls is both of them."""
    plane = np.zeros((6, 3, 8), dtype=np.float32)
    plane[:, 0, 2], plane[:, 1, 2] = 1.0, -1.0
    plane[0, :2, 3] = 0.2, -0.5  # plate of thickness 0.3 below the particle
    plane[1, :2, 3] = 0.2, 0.4  # floor and ceiling
    plane[2, :2, :4] = (0.0, 0.0, 1.0, 0.2), (1.0, 0.0, 0.0, -0.1)  # what a plate and its rim come to: an edge
    plane[3, :, :4] = (0.0, 0.0, 1.0, 0.2), (0.0, 0.0, -1.0, -0.5), (1.0, 0.0, 0.0, -0.1)
    plane[4, :2, :4] = (1.0, 0.0, 0.0, 0.3), (0.0, 0.0, 1.0, 0.2)  # and one that stands on a floor: a corner
    plane[5, :, :4] = (1.0, 0.0, 0.0, 0.3), (0.0, 0.0, -1.0, -0.5), (0.0, 0.0, 1.0, 0.2)
    count, shape = np.array([2, 2, 2, 3, 2, 3]), np.array([1, 0, 1, 1, 0, 2])
    weight, gradient = wall_density(near_of(plane, count, shape), 1.0, "wendland")
    lone = [half_space(wendland, a) for a in (0.2, 0.4)]
    assert weight[0] == pytest.approx(lone[0], abs=1e-5)
    assert weight[1] == pytest.approx(lone[0] + lone[1], abs=1e-5)
    np.testing.assert_allclose(weight[[3, 5]], weight[[2, 4]], atol=1e-6)
    np.testing.assert_allclose(gradient[[3, 5]], gradient[[2, 4]], atol=1e-6)


def test_unknown_kernel_is_refused():
    """A misspelt kernel is an error that lists the known ones."""
    plane, count, shape = random_corners(2, 2)
    with pytest.raises(InvalidScene, match="wendland, poly6"):
        wall_density(near_of(plane, count, shape), 1.0, "gauss")
