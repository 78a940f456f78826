import numpy as np
import pytest

from solvers.errors import InvalidScene
from solvers.mesh import area, bounds, check_mesh, is_closed, normals, oriented, volume, welded
from solvers.scene import Mesh
from tests.kernels.mesh_shapes import flipped, joined, lumpy


def test_measures_of_a_box():
    """A 1 × 2 × 3 m box far from the origin has 6 m³, 22 m², axis-parallel normals and its own corners as bounds."""
    box = Mesh.box((1000.0, -2000.0, 500.0), (1001.0, -1998.0, 503.0))
    assert volume(box.vertices, box.triangles) == pytest.approx(6.0, rel=1e-12)
    assert area(box.vertices, box.triangles) == pytest.approx(22.0, rel=1e-12)
    assert volume(*(lambda m: (m.vertices, m.triangles))(flipped(box))) == pytest.approx(-6.0, rel=1e-12)
    middle = box.vertices[box.triangles].mean(axis=1) - box.vertices.mean(axis=0)
    unit = normals(box.vertices, box.triangles)
    assert np.allclose(np.abs(unit).max(axis=1), 1.0) and np.all(np.sum(unit * middle, axis=1) > 0.0)
    low, high = bounds(box)
    assert low.tolist() == [1000.0, -2000.0, 500.0] and high.tolist() == [1001.0, -1998.0, 503.0]


def test_bounds_ignore_loose_vertices_and_cover_all_frames():
    """Vertices that no triangle uses do not count; a deforming mesh is bounded over its frames."""
    triangle = np.array([[0, 1, 2]], dtype=np.int32)
    still = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [50, 50, 50]])
    moving = np.stack([still, still + [0, 0, 2.0]])
    low, high = bounds(Mesh(moving, triangle))
    assert low.tolist() == [0.0, 0.0, 0.0] and high.tolist() == [1.0, 1.0, 2.0]


def test_closed_and_open():
    """A box is closed; without its lid, or turned partly inside out, it is not; doubled seams close after welding."""
    box = Mesh.box((0, 0, 0), (1, 1, 1))
    assert is_closed(box.triangles)
    assert not is_closed(Mesh.open_box((0, 0, 0), (1, 1, 1)).triangles)
    mixed = box.triangles.copy()
    mixed[3] = mixed[3, ::-1]
    assert not is_closed(mixed)
    split = box.vertices[box.triangles].reshape(-1, 3)
    loose = np.arange(len(split)).reshape(-1, 3)
    assert not is_closed(loose) and is_closed(welded(split, loose))


def test_mixed_normals_are_made_to_agree():
    """A few flipped faces are turned back by their neighbours; a cavity inside keeps facing the other way."""
    shell = joined(lumpy(), flipped(Mesh.sphere((0.1, 0.2, 0.3), 0.2, 1)))
    assert np.array_equal(oriented(shell.vertices, shell.triangles), shell.triangles)
    mixed = shell.triangles.copy()
    wrong = np.random.default_rng(0).choice(len(mixed), len(mixed) // 5, replace=False)
    mixed[wrong] = mixed[wrong, ::-1]
    repaired = oriented(shell.vertices, mixed)
    assert is_closed(repaired)
    assert volume(shell.vertices, repaired) == pytest.approx(volume(shell.vertices, shell.triangles), rel=1e-12)


BOX = Mesh.box((0, 0, 0), (1, 1, 1))


def with_vertex(row: int, value: float) -> Mesh:
    vertices = BOX.vertices.copy()
    vertices[row, 1] = value
    return Mesh(vertices, BOX.triangles)


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        (Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32)), ["empty", "at least one face"]),
        (Mesh(BOX.vertices, np.zeros((0, 3), np.int32)), ["empty", "0 faces"]),
        (with_vertex(3, np.nan), ["vertex 3", "nan", "modifiers"]),
        (with_vertex(5, np.inf), ["vertex 5", "inf", "transform"]),
        (Mesh(np.stack([BOX.vertices, with_vertex(2, np.nan).vertices]), BOX.triangles), ["vertex 2", "row 1"]),
        (Mesh(BOX.vertices, np.array([[0, 1, 8]], np.int32)), ["vertex 8", "7", "export"]),
        (Mesh(BOX.vertices, np.array([[0, 1, -1]], np.int32)), ["vertex -1", "export"]),
        (Mesh(BOX.vertices * 0.0, BOX.triangles), ["size 0 m", "scale"]),
        (Mesh(BOX.vertices * [1.0, 0.0, 0.0], BOX.triangles), ["no triangle has an area", "1 × 0 × 0 m", "scale"]),
        (Mesh(BOX.vertices[:, :2], BOX.triangles), ["(8, 2)", "(n, 3)"]),
        (Mesh(BOX.vertices, BOX.triangles.astype(np.float64)), ["float64", "integers"]),
    ],
)
def test_bad_meshes_are_named_with_value_and_cure(mesh: Mesh, words: list[str]):
    """What is wrong, where, and what to do: each message names the object and holds these words."""
    with pytest.raises(InvalidScene) as caught:
        check_mesh(mesh, "Pond")
    assert str(caught.value).startswith("Pond: ")
    for word in words:
        assert word in str(caught.value)


def test_good_meshes_pass():
    """Small, far away and deforming meshes are nothing bad."""
    check_mesh(Mesh(BOX.vertices * 1e-6 + 1e3, BOX.triangles), "Speck")
    check_mesh(Mesh(np.stack([BOX.vertices, BOX.vertices * 2.0]), BOX.triangles), "Jelly")
