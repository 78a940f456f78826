"""The law of solids on single elements: singular values, derivative, plasticity."""

import numpy as np
import pytest

from solvers.jit import kernel
from solvers.solid import law
from solvers.solid.svd import svd

MU, LAM = 3.0e4, 7.0e4


def _points(f: np.ndarray, **more: float) -> law.Points:
    n = len(f)
    return law.Points(
        np.ascontiguousarray(f.reshape(n, 9).T), np.full(n, more.get("plastic_volume", 1.0)), np.zeros(n), np.zeros(n),
        np.zeros(n, np.int32), np.ones(n), np.zeros(n, np.int32),
    )  # fmt: skip


def _table(
    squeeze: float = law.NEVER, stretch: float = law.NEVER, keep: float = 0.0, xi: float = 0.0, tough: float = 1e3
) -> np.ndarray:
    return np.array([[MU, LAM, squeeze, stretch, xi, 1000.0, keep, tough]])


def _stress(f: np.ndarray, table: np.ndarray | None = None, **more: float) -> tuple[np.ndarray, np.ndarray]:
    stress, curve = np.zeros((len(f), 9), np.float32), np.zeros((len(f), law.CURVE), np.float32)
    law.stress_and_curvature(_points(f, **more), _table() if table is None else table, len(f), stress, curve)
    return stress.reshape(-1, 3, 3), curve


def _rotations(count: int, seed: int = 0) -> np.ndarray:
    q = np.random.default_rng(seed).normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    w, x, y, z = q.T
    return np.array(
        [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    ).transpose(2, 0, 1)  # fmt: skip


@kernel
def _energy(mu, lam, a, b, c, d, e, f, g, h, i):
    return law.energy(mu, lam, (a, b, c, d, e, f, g, h, i))


def energy(f: np.ndarray) -> float:
    return _energy(MU, LAM, *map(float, f.ravel()))


def test_svd_matches_numpy_also_for_flat_and_inverted_matrices():
    """U diag(s) Vᵀ = A with rotations U and V; values are numpy's, the last one with the sign of det A."""
    rng = np.random.default_rng(1)
    matrices = list(rng.normal(size=(200, 3, 3))) + [
        np.eye(3),
        np.zeros((3, 3)),
        np.diag([2.0, 0.0, 0.0]),
        np.diag([1.0, 1.0, -1.0]),
    ]
    matrices.append(np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 1.0]))
    for a in matrices:
        found = svd(tuple(map(float, a.ravel())))
        u, s, v = np.array(found[:3]).T, np.array(found[3:6]), np.array(found[6:]).T
        np.testing.assert_allclose(u @ np.diag(s) @ v.T, a, atol=1e-7)
        np.testing.assert_allclose(u @ u.T, np.eye(3), atol=1e-9)
        assert np.linalg.det(u) == pytest.approx(1.0) and np.linalg.det(v) == pytest.approx(1.0)
        np.testing.assert_allclose(np.abs(s), np.linalg.svd(a)[1], atol=1e-7)


def test_rotation_carries_no_stress():
    """Rigid rotation: τ = 0."""
    stress, _ = _stress(_rotations(50))
    assert np.abs(stress).max() < 1e-5 * MU


def test_stress_is_the_derivative_of_the_energy():
    """τ = ∂Ψ/∂F Fᵀ by central differences, at strains up to 30 %."""
    rng = np.random.default_rng(2)
    f = _rotations(8, 3) @ (np.eye(3) + 0.3 * rng.uniform(-1, 1, (8, 3, 3)))
    stress, _ = _stress(f)
    eps = 1e-6
    for k in range(8):
        slope = np.zeros((3, 3))
        for i in range(3):
            for j in range(3):
                step = np.zeros((3, 3))
                step[i, j] = eps
                slope[i, j] = (energy(f[k] + step) - energy(f[k] - step)) / (2 * eps)
        np.testing.assert_allclose(stress[k], slope @ f[k].T, atol=2e-5 * MU)


def test_curvature_is_the_derivative_of_the_stress():
    """U Z Uᵀ = δP Fᵀ for a gradient G (δF = G F), by differences of P = τ F⁻ᵀ where nothing is projected."""
    rng = np.random.default_rng(4)
    f = _rotations(6, 5) @ (1.1 * np.eye(3) + 0.08 * rng.uniform(-1, 1, (6, 3, 3)))  # stretched: the derivative is definite
    _, curve = _stress(f)

    @kernel
    def apply(curve, m, g):
        return law.bent(curve, m, (g[0], g[1], g[2], g[3], g[4], g[5], g[6], g[7], g[8]))

    # at a stretch the odd eigenvalue 2µ(1 − 2/(σᵢ+σⱼ)) + λ(J−1)σₖ is positive, the even one is, too, for this λ/µ
    eps = 1e-4
    for m in range(6):
        g = rng.normal(size=(3, 3))
        plus, minus = (np.eye(3) + eps * g) @ f[m], (np.eye(3) - eps * g) @ f[m]
        tau, _ = _stress(np.array([plus, minus]))
        p = [tau[0] @ np.linalg.inv(plus).T, tau[1] @ np.linalg.inv(minus).T]
        wanted = (p[0] - p[1]) / (2 * eps) @ f[m].T
        found = np.array(apply(curve, m, g.ravel().astype(np.float32))).reshape(3, 3)
        np.testing.assert_allclose(found, wanted, atol=3e-3 * np.abs(wanted).max())


def test_curvature_is_never_negative():
    """Projected: G : δP Fᵀ ≥ 0 for every gradient, also where the body is squeezed flat or turned inside out."""
    rng = np.random.default_rng(6)
    f = rng.normal(size=(200, 3, 3))
    _, curve = _stress(f)

    @kernel
    def apply(curve, m, g):
        return law.bent(curve, m, (g[0], g[1], g[2], g[3], g[4], g[5], g[6], g[7], g[8]))

    for m in range(200):
        g = rng.normal(size=9).astype(np.float32)
        z = np.array(apply(curve, m, g))
        # G : U Z Uᵀ with δF = G F is the second variation of the energy
        assert g @ z >= -1e-3 * np.abs(z).max()


def test_clamp_keeps_singular_values_inside_the_yield_points():
    """(18): σ ∈ [1 − θ_c, 1 + θ_s]; the rest becomes plastic, det F = det F_E det F_P."""
    f = np.array([np.diag([1.2, 0.9, 1.0])])
    points = _points(f)
    law.flow(points, _table(0.025, 0.0075), np.zeros((9, 1)), 0.01, 1)
    s = np.linalg.svd(points.elastic[:, 0].reshape(3, 3))[1]
    assert s.max() <= 1.0075 + 1e-12 and s.min() >= 0.975 - 1e-12
    assert np.linalg.det(points.elastic[:, 0].reshape(3, 3)) * points.plastic_volume[0] == pytest.approx(1.2 * 0.9)


def test_keeping_volume_leaves_the_volume_elastic():
    """With Keeps volume only the shape yields: det F_P = 1."""
    points = _points(np.array([np.diag([1.2, 0.9, 1.0])]))
    law.flow(points, _table(0.02, 0.01, keep=1.0), np.zeros((9, 1)), 0.01, 1)
    assert np.linalg.det(points.elastic[:, 0].reshape(3, 3)) == pytest.approx(1.2 * 0.9)
    assert points.plastic_volume[0] == pytest.approx(1.0)


def test_torn_material_pulls_no_more_and_heals_when_pressed():
    """Beyond its toughness a master bears no tension; pressed together it is whole again."""
    points, table = _points(np.array([np.eye(3)])), _table(0.02, 0.01, tough=0.3)
    pull, press = np.zeros((9, 1)), np.zeros((9, 1))
    pull[0], press[[0, 4, 8]] = 10.0, -1.0
    for _ in range(4):
        law.flow(points, table, pull, 0.01, 1)
    assert points.torn[0] == 1
    law.flow(points, table, pull, 0.01, 1)
    assert np.linalg.svd(points.elastic[:, 0].reshape(3, 3))[1].max() <= 1.0 + 1e-12
    law.flow(points, table, press, 0.01, 1)
    assert points.torn[0] == 0


def test_packed_snow_is_harder():
    """Hardening e^{ξ(1 − J_P)}: the same strain, more stress where the plastic volume has shrunk."""
    f = np.array([np.diag([1.01, 1.0, 1.0])])
    loose, _ = _stress(f, _table(xi=10.0))
    packed, _ = _stress(f, _table(xi=10.0), plastic_volume=0.9)
    assert packed[0, 0, 0] / loose[0, 0, 0] == pytest.approx(np.e, rel=1e-5)
