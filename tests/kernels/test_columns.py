"""Solids along vertical lines: overlaps and wall thicknesses against closed forms."""

import numpy as np
import pytest

from examples.shapes import bowl
from solvers import Mesh
from solvers.mesh.columns import crossings, overlap_volume, spans, wall_thickness


def solid(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    return mesh.vertices, mesh.triangles


def test_boxes_share_a_box() -> None:
    """Two boxes share the product of their overlaps, exactly; boxes that only touch share nothing."""
    one = solid(Mesh.box((0, 0, 0), (1, 1, 1)))
    assert overlap_volume(one, solid(Mesh.box((0.5, 0.25, 0.75), (3, 3, 3)))) == pytest.approx(0.5 * 0.75 * 0.25, rel=1e-9)
    assert overlap_volume(one, solid(Mesh.box((1.0, 0, 0), (2, 1, 1)))) == 0.0


def test_spheres_share_a_lens() -> None:
    """Spheres of radius r at distance d share π (2 r − d)² (d² + 4 d r) / (12 d)."""
    r, d = 1.0, 1.2
    lens = np.pi * (2 * r - d) ** 2 * (d * d + 4 * d * r) / (12 * d)
    found = overlap_volume(solid(Mesh.sphere((0, 0, 0), r, 4)), solid(Mesh.sphere((d, 0, 0), r, 4)), lines=64)
    assert found == pytest.approx(lens, rel=0.02)


def test_hollow_is_outside() -> None:
    """A shell is inside twice along a line through its middle: in the lower and in the upper wall."""
    outer, inner = Mesh.box((0, 0, 0), (3, 3, 3)), Mesh.box((1, 1, 1), (2, 2, 2), inward=True)
    vertices = np.concatenate([outer.vertices, inner.vertices])
    triangles = np.concatenate([outer.triangles, inner.triangles + 8])
    line = crossings(vertices, triangles, np.array([1.51]), np.array([1.43]))[0]
    assert spans(*line) == [(0.0, 1.0), (2.0, 3.0)]


def test_thickness_of_plate_and_bowl() -> None:
    """A plate is as thick as it is high; a bowl as its wall; a cube as its edge."""
    assert wall_thickness(*solid(Mesh.box((0, 0, 0), (1, 1, 0.02)))) == pytest.approx(0.02)
    assert wall_thickness(*solid(bowl(0.1, 0.012, steps=48))) == pytest.approx(0.012, rel=0.1)
    assert wall_thickness(*solid(Mesh.box((0, 0, 0), (1, 1, 1)))) == pytest.approx(1.0)
