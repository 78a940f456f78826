"""Voxelisation of colliders against naive references."""

import numpy as np
import pytest

from solvers.scene import Mesh
from solvers.walls.parts import build_shape
from solvers.walls.topology import CLOSED, ONE_SIDED, SHEET, surface_topology
from solvers.walls.voxelise import crossed_voxels, triangle_corners, triangle_normals


def naive_overlap(triangle: np.ndarray, centre: np.ndarray, half: float) -> bool:
    """Separating-axis test with all thirteen axes written out as vectors."""
    corners = triangle.reshape(3, 3) - centre
    edges = np.roll(corners, -1, axis=0) - corners
    axes = [*np.eye(3), np.cross(edges[0], edges[1])]
    axes += [np.cross(edge, box) for edge in edges for box in np.eye(3)]
    for axis in axes:
        shadow = corners @ axis
        radius = half * np.abs(axis).sum()
        if shadow.min() > radius or shadow.max() < -radius:
            return False
    return True


def random_triangles(count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    middle = rng.uniform(2.0, 5.0, (count, 1, 3))
    return (middle + rng.uniform(-1.5, 1.5, (count, 3, 3))).reshape(count, 9)


def test_voxels_are_those_that_the_triangle_meets():
    """A voxel is listed for a triangle exactly if the separating-axis test finds no gap between them."""
    corners = random_triangles(40, 3)
    voxel, size = 0.31, np.full(3, 32)
    key, owner = crossed_voxels(corners, triangle_normals(corners), voxel, size)
    listed = set(zip(key.tolist(), owner.tolist(), strict=True))
    expected = set()
    for number, triangle in enumerate(corners):
        low, high = triangle.reshape(3, 3).min(0), triangle.reshape(3, 3).max(0)
        ranges = [range(int(low[a] // voxel) - 1, int(high[a] // voxel) + 2) for a in range(3)]
        for i in ranges[0]:
            for j in ranges[1]:
                for k in ranges[2]:
                    if naive_overlap(triangle, (np.array([i, j, k]) + 0.5) * voxel, 0.5 * voxel):
                        expected.add(((i * 32 + j) * 32 + k, number))
    assert len(expected) > 1000
    assert listed == expected


def test_axis_aligned_thin_and_tiny_triangles_are_found():
    """Flat, needle-shaped and sub-voxel triangles cross at least the voxels of their corners."""
    flat, needle = [1, 1, 1, 4, 1, 1, 1, 4, 1], [1, 1, 1, 4, 4, 4, 4, 4.001, 4]
    tiny = [2.2, 2.2, 2.2, 2.21, 2.2, 2.2, 2.2, 2.21, 2.2]
    corners = np.array([flat, needle, tiny], dtype=float)
    key, owner = crossed_voxels(corners, triangle_normals(corners), 0.3, np.full(3, 20))
    for number, triangle in enumerate(corners):
        voxels = np.floor(triangle.reshape(3, 3) / 0.3).astype(int)
        for i, j, k in voxels:
            assert ((i * 20 + j) * 20 + k, number) in set(zip(key.tolist(), owner.tolist(), strict=True))


def test_conflict_keeps_the_nearest_triangle():
    """Where two triangles cross a voxel the triple belongs to the one whose triangle is nearest to the voxel's centre."""
    mesh = Mesh.sphere((0.0, 0.0, 0.0), 1.0, 3)
    topology = surface_topology(mesh.vertices, mesh.triangles, True)
    shape = build_shape(mesh.vertices, topology, 0.3, 0.0)
    corners = triangle_corners(mesh.vertices - shape.origin, topology.triangles)
    rng = np.random.default_rng(0)
    for item in rng.choice(len(shape.triples.primitive), 40, replace=False):
        centre = shape.triples.centre[item]
        kept = shape.triples.primitive[item]
        distances = [np.linalg.norm(nearest_point(triangle, centre) - centre) for triangle in corners]
        assert distances[kept] == pytest.approx(min(distances), abs=1e-9)


def nearest_point(triangle: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Nearest point by trying the plane, the edges and the corners."""
    a, b, c = triangle.reshape(3, 3)
    normal = np.cross(b - a, c - a)
    foot = point - normal * ((point - a) @ normal) / (normal @ normal)
    inside = all(np.cross(q - p, foot - p) @ normal >= 0.0 for p, q in ((a, b), (b, c), (c, a)))
    if inside:
        return foot
    tries = []
    for p, q in ((a, b), (b, c), (c, a)):
        share = np.clip((point - p) @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0)
        tries.append(p + share * (q - p))
    return min(tries, key=lambda p: float(np.linalg.norm(p - point)))


def test_distance_of_a_triple_is_that_of_its_centre_to_the_plane():
    """d is the signed distance of the voxel's centre to the triangle's plane, n its unit normal (18)."""
    mesh = Mesh.sphere((0.0, 0.0, 0.0), 1.0, 2)
    topology = surface_topology(mesh.vertices, mesh.triangles, True)
    triples = build_shape(mesh.vertices, topology, 0.2, 0.0).triples
    shape = build_shape(mesh.vertices, topology, 0.2, 0.0)
    corners = triangle_corners(mesh.vertices - shape.origin, topology.triangles)[triples.primitive]
    normal = np.cross(corners[:, 3:6] - corners[:, 0:3], corners[:, 6:9] - corners[:, 0:3])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    np.testing.assert_allclose(triples.normal, normal, atol=1e-12)
    np.testing.assert_allclose(triples.distance, np.einsum("ij,ij->i", triples.centre - corners[:, 3:6], normal), atol=1e-12)
    assert np.abs(triples.distance).max() <= shape.voxel * np.sqrt(0.75) + 1e-12


def test_a_thin_plate_keeps_both_sides():
    """A plate thinner than a voxel has triples of its upper and of its lower face in the same voxels."""
    mesh = Mesh.box((0.0, 0.0, 0.0), (1.0, 1.0, 0.02))
    topology = surface_topology(mesh.vertices, mesh.triangles, True)
    triples = build_shape(mesh.vertices, topology, 0.2, 0.0).triples
    up, down = triples.normal[:, 2] > 0.9, triples.normal[:, 2] < -0.9
    assert up.sum() == down.sum() > 50


def test_memory_follows_the_surface():
    """Twice the radius of a sphere: four times the triples and the look-up, although the volume is eightfold."""

    def sizes_of(radius: float, subdivisions: int) -> tuple[int, int]:
        mesh = Mesh.sphere((0.0, 0.0, 0.0), radius, subdivisions)
        shape = build_shape(mesh.vertices, surface_topology(mesh.vertices, mesh.triangles, True), 0.16, 0.0)
        return len(shape.triples.primitive), len(shape.lookup.lists)

    small, large = sizes_of(1.0, 4), sizes_of(2.0, 5)
    assert 3.5 < large[0] / small[0] < 4.5
    assert 3.5 < large[1] / small[1] < 4.7


def test_huge_surfaces_get_larger_voxels():
    """A floor of a square kilometre with a reach of a centimetre does not fill the memory."""
    corner = np.array([[0.0, 0.0, 0.0], [1000.0, 0.0, 0.0], [1000.0, 1000.0, 0.0], [0.0, 1000.0, 0.0]])
    topology = surface_topology(corner, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32), False)
    shape = build_shape(corner, topology, 0.01, 0.0)
    assert shape.voxel > 0.5
    assert 1.0e6 < len(shape.triples.primitive) < 3.0e6


def test_topology_tells_closed_from_open():
    """A box is closed; without its lid it is a sheet (or one-sided) with four free edges."""
    box, tank = Mesh.box((0, 0, 0), (1, 1, 1)), Mesh.open_box((0, 0, 0), (1, 1, 1))
    closed = surface_topology(box.vertices, box.triangles, True)
    assert set(closed.kind) == {CLOSED} and len(closed.free_edge) == 0
    sheet = surface_topology(tank.vertices, tank.triangles, True)
    assert set(sheet.kind) == {SHEET} and len(sheet.free_edge) == 4
    np.testing.assert_allclose(tank.vertices[sheet.free_edge[:, :2], 2], 1.0)
    assert set(surface_topology(tank.vertices, tank.triangles, False).kind) == {ONE_SIDED}


def test_seams_are_joined_and_sheets_face_one_way():
    """Split vertices do not open a mesh, and triangles of a sheet that face different ways are turned."""
    box = Mesh.box((0, 0, 0), (1, 1, 1))
    split = box.vertices[box.triangles.ravel()]
    kinds = surface_topology(split, np.arange(36, dtype=np.int32).reshape(12, 3), True).kind
    assert set(kinds) == {CLOSED}
    tank = Mesh.open_box((0, 0, 0), (1, 1, 1))
    mixed = tank.triangles.copy()
    mixed[1::2] = mixed[1::2, ::-1]
    turned = surface_topology(tank.vertices, mixed, True)
    normals = triangle_normals(triangle_corners(tank.vertices, turned.triangles))
    original = triangle_normals(triangle_corners(tank.vertices, tank.triangles))
    cosines = np.einsum("ij,ij->i", normals, original)
    np.testing.assert_allclose(cosines, cosines[0])
