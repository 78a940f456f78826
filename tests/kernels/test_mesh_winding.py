import numpy as np
import pytest

from solvers.jit import set_threads
from solvers.mesh import inside, make_solid, volume, winding_number
from solvers.mesh.tree import angle_sum, build_tree, dipole_moments
from solvers.scene import Mesh
from tests.kernels.mesh_shapes import flipped, holed, joined, lumpy, naive_winding, rotated


def around(mesh: Mesh, count: int, seed: int = 0) -> np.ndarray:
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    return np.random.default_rng(seed).uniform(low - 0.1, high + 0.1, (count, 3))


@pytest.mark.parametrize(
    "mesh",
    [
        lumpy(),
        holed(lumpy(), 0.03),
        holed(lumpy(), 0.4),
        Mesh.open_box((0, 0, 0), (1, 1, 1)),
        joined(lumpy(), rotated(lumpy(2))),
        flipped(holed(lumpy(), 0.1)),
    ],
    ids=["closed", "slightly open", "very open", "tank", "overlapping", "inverted and open"],
)
def test_inside_is_the_naive_winding_number(mesh: Mesh):
    """The fast test decides every random point as the sum over all solid angles does."""
    points = around(mesh, 1500)
    naive = naive_winding(mesh.vertices, mesh.triangles, points)
    inverted = volume(mesh.vertices, mesh.triangles) < 0.0
    found = inside(mesh.vertices, mesh.triangles, points)
    assert 0.02 < found.mean() < 0.98
    assert np.array_equal(found, np.abs(naive) > 0.5 if inverted else naive > 0.5)


def test_inside_near_the_half_turn_surface_of_holes():
    """Points within 1e-6 of where the winding number is one half, in a hole of any shape, still fall on the right side."""
    tank = rotated(holed(lumpy(2), 0.15))
    points = around(tank, 400, seed=3)
    start, end = points[:200], points[200:]
    winding = naive_winding(tank.vertices, tank.triangles, points)
    crosses = (winding[:200] > 0.5) != (winding[200:] > 0.5)
    start, end = start[crosses], end[crosses]
    first = winding[:200][crosses] > 0.5
    for _ in range(40):
        middle = 0.5 * (start + end)
        same = (naive_winding(tank.vertices, tank.triangles, middle) > 0.5) == first
        start, end = np.where(same[:, None], middle, start), np.where(same[:, None], end, middle)
    away = 1e-6 * (end - start) / np.linalg.norm(end - start, axis=1)[:, None]
    assert len(start) > 20
    for offset in (-away, away):
        probe = start + offset
        expected = naive_winding(tank.vertices, tank.triangles, probe) > 0.5
        assert np.array_equal(inside(tank.vertices, tank.triangles, probe), expected)


def test_rays_through_edges_and_vertices():
    """Lattice points whose rays run through vertices, along edges, in faces and through diagonals are all decided."""
    box = Mesh.box((0, 0, 0), (1, 1, 1))
    axis = np.array([-0.5, -0.25, 0.25, 0.5, 0.75, 1.25, 1.5])
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    expected = np.all((grid > 0.0) & (grid < 1.0), axis=1)
    assert np.array_equal(inside(box.vertices, box.triangles, grid), expected)
    octahedron = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    axis = np.arange(-8, 9) / 8.0
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    reach = np.abs(grid).sum(axis=1)
    found = inside(octahedron, np.array(faces), grid)
    assert found[reach < 1.0].all() and not found[reach > 1.0].any()


def test_points_in_the_plane_of_a_missing_lid():
    """In the opening of a tank, where nothing is cut, points just below and above differ and those in it are smooth."""
    tank = Mesh.open_box((0, 0, 0), (1, 1, 1))
    line = np.stack([np.full(21, 0.5), np.full(21, 0.45), np.linspace(0.9, 1.1, 21)], axis=1)
    winding = -naive_winding(tank.vertices, tank.triangles, line)
    assert np.array_equal(inside(tank.vertices, tank.triangles, line), winding > 0.5)
    axis = np.linspace(0.05, 0.95, 19)
    plane = np.stack(np.meshgrid(axis, axis, [1.0]), axis=-1).reshape(-1, 3)
    winding = -naive_winding(tank.vertices, tank.triangles, plane)
    clear = np.abs(winding - 0.5) > 1e-9
    assert np.array_equal(inside(tank.vertices, tank.triangles, plane)[clear], (winding > 0.5)[clear])


def test_dipoles_stay_within_their_error_bound():
    """For each tolerance the tree's sum differs from the full sum by no more than the bound it returns, and that by no
    more than the tolerance."""
    mesh = holed(lumpy(), 0.5)
    tree = build_tree(mesh.vertices[mesh.triangles])
    moments = dipole_moments(tree)
    points = around(mesh, 2000)
    full = angle_sum(tree, moments, points, 0.0)[:, 0]
    assert np.allclose(full[:200], naive_winding(mesh.vertices, mesh.triangles, points[:200]), atol=1e-12)
    for tolerance in (0.5, 0.05, 1e-3):
        quick = angle_sum(tree, moments, points, tolerance)
        difference = np.abs(quick[:, 0] - full)
        assert difference.max() > 1e-9, "nothing was approximated"
        assert np.all(difference <= quick[:, 1] + 1e-12) and quick[:, 1].max() <= tolerance * 1.001


def test_holes_called_negligible_are():
    """Where holes are called negligible within a radius, no point within it is decided by them."""
    mesh = holed(lumpy(), 0.03)
    solid = make_solid(mesh.vertices, mesh.triangles)
    points = solid.turned(around(mesh, 3000))
    sure = solid.holes_negligible(points, 0.05)
    assert 0.1 < sure.mean() < 0.99
    assert solid.caps is not None
    shift = np.random.default_rng(2).normal(size=points.shape)
    nearby = (points + 0.05 * shift / np.linalg.norm(shift, axis=1)[:, None])[sure]
    caps = solid.caps
    seen = angle_sum(caps, dipole_moments(caps), nearby, 0.0)[:, 0]
    assert np.abs(seen).max() < 0.5


def test_winding_number_of_overlaps_and_cavities():
    """Two nested balls count 2 in the inner one; turned inwards, the inner one is a cavity with 0."""
    outer, inner = Mesh.sphere((0, 0, 0), 1.0, 2), Mesh.sphere((0, 0, 0), 0.5, 2)
    points = np.array([[0.0, 0.01, 0.02], [0.7, 0.0, 0.0], [2.0, 0.0, 0.0]])
    both, hollow = joined(outer, inner), joined(outer, flipped(inner))
    assert np.allclose(winding_number(both.vertices, both.triangles, points), [2, 1, 0], atol=1e-12)
    assert np.allclose(winding_number(hollow.vertices, hollow.triangles, points), [0, 1, 0], atol=1e-12)
    assert inside(both.vertices, both.triangles, points).tolist() == [True, True, False]
    assert inside(hollow.vertices, hollow.triangles, points).tolist() == [False, True, False]


def test_inside_far_from_the_origin():
    """A kilometre from the origin a 1 cm blob is decided as at the origin."""
    mesh = lumpy(2)
    points = around(mesh, 2000)
    here = inside(mesh.vertices * 0.01, mesh.triangles, points * 0.01)
    there = inside(mesh.vertices * 0.01 + 1000.0, mesh.triangles, points * 0.01 + 1000.0)
    assert np.array_equal(here, there)


def test_one_thread_is_many():
    """The decision does not depend on the number of threads."""
    mesh = holed(lumpy(), 0.05)
    points = around(mesh, 5000)
    try:
        set_threads(1)
        one = inside(mesh.vertices, mesh.triangles, points)
    finally:
        set_threads(0)
    assert np.array_equal(one, inside(mesh.vertices, mesh.triangles, points))


def test_seams_with_doubled_vertices_are_closed():
    """A mesh exported with separate corners for every face is as closed as the welded one."""
    mesh = lumpy(2)
    split = mesh.vertices[mesh.triangles].reshape(-1, 3)
    solid = make_solid(split, np.arange(len(split)).reshape(-1, 3))
    assert solid.open_edge_count == 0
    points = around(mesh, 1000)
    assert np.array_equal(solid.inside(points), inside(mesh.vertices, mesh.triangles, points))
