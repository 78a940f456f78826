import numpy as np
import pytest

from solvers.errors import InvalidScene
from solvers.mesh import area, footprint, surface_points
from solvers.scene import Mesh
from tests.kernels.mesh_shapes import lumpy, nearest_neighbour, torus


def test_surface_points_are_even_seeded_and_on_the_surface():
    """One point per spacing², none within 0.6 spacings of another, all on the ball; another seed, other points."""
    ball = Mesh.sphere((0.1, 0.2, 0.3), 1.0, 4)
    found = surface_points(ball.vertices, ball.triangles, 0.1, 3)
    assert len(found) == round(area(ball.vertices, ball.triangles) / 0.01)
    assert nearest_neighbour(found).min() > 0.06
    assert nearest_neighbour(found).mean() > 0.075, "random points would have 0.05"
    reach = np.linalg.norm(found - [0.1, 0.2, 0.3], axis=1)
    assert reach.max() < 1.0 + 1e-12 and reach.min() > 0.99
    octant = np.bincount(((found - [0.1, 0.2, 0.3]) > 0.0) @ [1, 2, 4], minlength=8)
    assert octant.max() < 1.1 * octant.mean() and octant.min() > 0.9 * octant.mean()
    assert np.array_equal(found, surface_points(ball.vertices, ball.triangles, 0.1, 3))
    assert not np.array_equal(found, surface_points(ball.vertices, ball.triangles, 0.1, 4))


def test_surface_points_of_a_speck():
    """A mesh smaller than a spacing still gets one point."""
    ball = Mesh.sphere((0, 0, 0), 0.01, 1)
    assert surface_points(ball.vertices, ball.triangles, 1.0, 0).shape == (1, 3)


def test_footprint_of_a_sheet_lies_in_it():
    """A 0.4 × 0.3 m sheet at spacing 0.1 gives the 12 cell centres, at the sheet's height."""
    sheet = Mesh.rectangle((1.0, 2.0, 3.0), (0.4, 0, 0), (0, 0.3, 0))
    found = footprint(sheet.vertices, sheet.triangles, np.array([0, 0, -2.0]), 0.1)
    expected = [(1.05 + 0.1 * i, 2.05 + 0.1 * j, 3.0) for i in range(4) for j in range(3)]
    assert np.allclose(found[np.lexsort(found.T[::-1])], expected)


def test_footprint_of_a_tilted_sheet():
    """Seen askew the sheet is narrower: fewer points, all in the sheet, one spacing apart across the flow."""
    sheet = Mesh.rectangle((0, 0, 0), (2.0, 0, 0), (0, 2.0, 0))
    flow = np.array([3**0.5 / 2, 0.0, -0.5])
    found = footprint(sheet.vertices, sheet.triangles, flow, 0.1)
    assert len(found) == 200
    assert np.abs(found[:, 2]).max() < 1e-9 and found[:, :2].min() > 0.0 and found[:, :2].max() < 2.0
    across = found - (found @ flow)[:, None] * flow
    assert nearest_neighbour(across).min() == pytest.approx(0.1)


@pytest.mark.parametrize("direction", [(0.0, 0.0, -1.0), (1.0, 1.0, 0.0), (-0.2, 0.5, 0.8)])
def test_footprint_of_a_ball_is_a_disc(direction: tuple[float, float, float]):
    """The outline's area within 1 %, in the plane through the ball's middle, none outside the ball."""
    ball = Mesh.sphere((0.1, 0.2, 0.3), 1.0, 4)
    found = footprint(ball.vertices, ball.triangles, np.array(direction), 0.1) - [0.1, 0.2, 0.3]
    assert len(found) * 0.01 == pytest.approx(np.pi, rel=0.01)
    assert np.linalg.norm(found, axis=1).max() < 1.0
    assert np.abs(found @ np.array(direction)).max() < 0.01
    assert nearest_neighbour(found).min() > 0.055


@pytest.mark.parametrize("radius", [0.17, 0.2, 0.25, 0.31])
def test_footprint_of_a_narrow_jet(radius: float):
    """A jet a few particles wide carries its cross-section to within a particle."""
    ball = Mesh.sphere((0.0, 0.0, 0.0), radius, 3)
    found = footprint(ball.vertices, ball.triangles, np.array([0.0, 0.0, 1.0]), 0.1)
    assert abs(len(found) - np.pi * radius**2 / 0.01) < 1.0


def test_footprint_leaves_the_hole_of_a_ring_free():
    """Along its axis a ring pours a ring."""
    ring = torus(1.0, 0.3, 48, 24)
    found = footprint(ring.vertices, ring.triangles, np.array([0, 0, 1.0]), 0.05)
    reach = np.hypot(found[:, 0], found[:, 1])
    assert reach.min() > 0.69 and reach.max() < 1.31
    assert len(found) * 0.05**2 == pytest.approx(np.pi * (1.3**2 - 0.7**2), rel=0.02)


def test_footprint_of_a_thin_nozzle_is_one_point():
    """An outline smaller than a cell still pours one particle a layer, through its middle."""
    pipe = Mesh.box((0, 0, 0), (0.02, 0.03, 0.5))
    assert np.allclose(footprint(pipe.vertices, pipe.triangles, np.array([0, 0, 1.0]), 0.1), [[0.01, 0.015, 0.25]])
    needle = Mesh(np.array([[0.0, 0, 0], [1e-4, 0, 0], [0, 1e-4, 0]]) + 0.31, np.array([[0, 1, 2]], np.int32))
    found = footprint(needle.vertices, needle.triangles, np.array([0, 0, 1.0]), 0.1)
    assert found.shape == (1, 3) and np.abs(found - 0.31).max() < 1e-4


def test_what_cannot_pour_is_named():
    """A sheet along the flow, no direction, an empty mesh: the message names the object and the cure."""
    sheet = Mesh.rectangle((0, 0, 0), (1, 0, 0), (0, 1, 0))
    with pytest.raises(InvalidScene, match=r"Tap: the mesh has no width across .*turn the mesh"):
        footprint(sheet.vertices, sheet.triangles, np.array([1.0, 0, 0]), 0.1, "Tap")
    with pytest.raises(InvalidScene, match=r"Tap: the direction of flow is \(0.0, 0.0, 0.0\)"):
        footprint(sheet.vertices, sheet.triangles, np.zeros(3), 0.1, "Tap")
    with pytest.raises(InvalidScene, match=r"Tap: the mesh is empty"):
        surface_points(np.zeros((0, 3)), np.zeros((0, 3), np.int32), 0.1, 0, "Tap")
    blob = lumpy(1)
    with pytest.raises(InvalidScene, match=r"Tap: the particle spacing is -1"):
        footprint(blob.vertices, blob.triangles, np.array([1.0, 0, 0]), -1.0, "Tap")
