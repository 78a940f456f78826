import numpy as np
import pytest

from solvers.errors import InvalidScene
from solvers.jit import set_threads
from solvers.mesh import inside, oriented, volume
from solvers.mesh.fill import fill, fill_count
from solvers.scene import Mesh
from tests.kernels.mesh_shapes import flipped, holed, joined, lumpy, naive_winding, nearest_neighbour, rotated, torus


def places(mesh: Mesh, spacing: float, jitter: float = 0.0, seed: int = 0) -> np.ndarray:
    return fill(mesh.vertices, mesh.triangles, spacing, jitter=jitter, seed=seed, owner="Body")


def test_box_gets_the_exact_lattice():
    """Unit box, spacing 0.1: the 1000 cell centres, 0.05 from every face, x running fastest."""
    found = places(Mesh.box((0, 0, 0), (1, 1, 1)), 0.1)
    axis = (np.arange(10) + 0.5) * 0.1
    z, y, x = np.meshgrid(axis, axis, axis, indexing="ij")
    assert found.shape == (1000, 3) and found.dtype == np.float64
    assert np.allclose(found, np.stack([x, y, z], axis=-1).reshape(-1, 3), atol=1e-12)


@pytest.mark.parametrize("low", [(0.0, 0.0, 0.0), (-0.3, 0.7, -1.1), (123.4, -56.7, 8.9)])
@pytest.mark.parametrize("cells", [(1, 1, 1), (7, 3, 5), (1, 12, 9)])
def test_boxes_of_whole_cells_wherever_they_are(low: tuple[float, float, float], cells: tuple[int, int, int]):
    """Sides of whole spacings give exactly one particle a cell, half a spacing from the faces, despite rounding."""
    spacing = 0.07
    high = tuple(a + spacing * n for a, n in zip(low, cells, strict=True))
    found = places(Mesh.box(low, (high[0], high[1], high[2])), spacing)
    assert len(found) == np.prod(cells)
    assert np.allclose(found.min(axis=0) - low, 0.5 * spacing) and np.allclose(high - found.max(axis=0), 0.5 * spacing)


SHAPES = {
    "sphere": Mesh.sphere((0.1, 0.2, 0.3), 1.0, 3),
    "odd box": Mesh.box((0, 0, 0), (1.04, 0.97, 1.33)),
    "turned box": rotated(Mesh.box((0, 0, 0), (1.0, 0.5, 1.5))),
    "thin torus": rotated(torus(1.5, 0.18, 64, 24)),
    "plate of 0.6 spacings": rotated(Mesh.box((0, 0, 0), (3.0, 3.0, 0.06))),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("spacing", [0.1, 0.0773])
@pytest.mark.parametrize("jitter", [0.0, 0.8])
def test_volume_is_matched(name: str, spacing: float, jitter: float):
    """count × spacing³ is the volume within 1 %, and every particle is inside by the naive winding number."""
    mesh = SHAPES[name]
    found = places(mesh, spacing, jitter)
    true = volume(mesh.vertices, mesh.triangles)
    assert true / spacing**3 > 200
    assert len(found) * spacing**3 == pytest.approx(true, rel=0.01)
    some = found[:: max(1, len(found) // 300)]
    assert np.all(naive_winding(mesh.vertices, mesh.triangles, some) > 0.5)
    assert fill_count(mesh.vertices, mesh.triangles, spacing) == pytest.approx(len(found), rel=0.01)


def test_self_intersecting_mesh_is_filled_once():
    """Two overlapping cubes in one mesh hold their union, at one density."""
    both = joined(Mesh.box((0, 0, 0), (1, 1, 1)), Mesh.box((0.5, 0.5, 0.5), (1.5, 1.5, 1.5)))
    assert len(places(both, 0.1)) == 1875
    turned = rotated(both)
    found = places(turned, 0.09)
    assert len(found) * 0.09**3 == pytest.approx(1.875, rel=0.01)
    assert nearest_neighbour(found).min() > 0.5 * 0.09
    assert fill_count(turned.vertices, turned.triangles, 0.09) == pytest.approx(len(found), rel=0.02)


def test_slightly_open_mesh_is_filled():
    """A ball that lost 2 % of its triangles still holds its volume within 2 %, inside the ball."""
    ball = Mesh.sphere((0, 0, 0), 1.0, 4)
    found = places(holed(ball, 0.02), 0.08)
    assert len(found) * 0.08**3 == pytest.approx(volume(ball.vertices, ball.triangles), rel=0.02)
    assert np.linalg.norm(found, axis=1).max() < 1.01


def test_tank_without_lid_is_filled_to_the_brim():
    """Five faces of a cube enclose most of it, nothing above the opening."""
    tank = Mesh.open_box((0, 0, 0), (1, 1, 1))
    found = places(tank, 0.05)
    probe = np.random.default_rng(0).uniform(0.0, 1.2, (20000, 3))
    enclosed = inside(tank.vertices, tank.triangles, probe).mean() * 1.2**3
    assert len(found) * 0.05**3 == pytest.approx(enclosed, rel=0.03)
    assert inside(tank.vertices, tank.triangles, found).all()


def test_inverted_and_mixed_normals_are_filled():
    """A mesh turned inside out, wholly or here and there, holds the same particles."""
    mesh = rotated(torus(1.0, 0.4, 24, 12))
    expected = places(mesh, 0.1)
    assert np.array_equal(places(flipped(mesh), 0.1), expected)
    mixed = mesh.triangles.copy()
    mixed[::7] = mixed[::7, ::-1]
    assert np.array_equal(oriented(mesh.vertices, mixed), mesh.triangles)
    assert np.array_equal(places(Mesh(mesh.vertices, mixed), 0.1), expected)


def test_cavity_stays_empty():
    """An inner shell with normals inwards is a cavity."""
    hollow = joined(Mesh.sphere((0, 0, 0), 1.0, 3), flipped(Mesh.sphere((0, 0, 0), 0.6, 3)))
    found = places(hollow, 0.08)
    assert np.linalg.norm(found, axis=1).min() > 0.57
    assert len(found) * 0.08**3 == pytest.approx(volume(hollow.vertices, hollow.triangles), rel=0.01)


def test_jitter_is_bounded_seeded_and_inside():
    """Shaken particles move by at most jitter × spacing / 2 a side, fill that range, stay inside, and follow the seed."""
    mesh = Mesh.sphere((0, 0, 0), 1.0, 3)
    still = places(mesh, 0.12, seed=4)
    shaken = places(mesh, 0.12, jitter=0.5, seed=4)
    shift = shaken - still
    assert np.abs(shift).max() <= 0.03 + 1e-12
    assert np.abs(shift).max() > 0.029 and abs(shift.mean()) < 0.001 and shift.std() == pytest.approx(0.03 / 3**0.5, rel=0.05)
    assert inside(mesh.vertices, mesh.triangles, shaken).all()
    assert np.array_equal(shaken, places(mesh, 0.12, jitter=0.5, seed=4))
    assert not np.array_equal(shaken, places(mesh, 0.12, jitter=0.5, seed=5))


def exact_unit(seed: int, stream: int, index: tuple[int, int, int]) -> float:
    """The hash in whole numbers of Python."""
    value, size = 0x9E3779B97F4A7C15, 2**64
    for part in (seed, stream, *index):
        value = ((value ^ (part % size)) + 0x9E3779B97F4A7C15) % size
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 % size
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB % size
        value ^= value >> 31
    return (value >> 11) / 2**53


def test_jitter_is_the_same_on_every_machine():
    """The random numbers are our own hash of seed and cell: these digits must never change."""
    found = places(Mesh.box((0, 0, 0), (2, 1, 1)), 1.0, jitter=1.0, seed=7)
    expected = [[i + exact_unit(7, 200, (i, 0, 0)), exact_unit(7, 201, (i, 0, 0)), exact_unit(7, 202, (i, 0, 0))] for i in (0, 1)]
    assert np.allclose(found, expected, rtol=0.0, atol=1e-15)
    first, second = [0.6113271256277797, 0.6366404842861089, 0.6006018067153355], [1.1880696070814682, 0.24464303914167396]
    assert np.allclose(found.reshape(-1)[:5], first + second, rtol=0.0, atol=1e-15)


def test_one_thread_is_many():
    """The particles of a lumpy, holed, shaken mesh do not depend on the number of threads."""
    mesh = holed(lumpy(), 0.03)
    try:
        set_threads(1)
        one = places(mesh, 0.06, jitter=0.7, seed=3)
    finally:
        set_threads(0)
    assert np.array_equal(one, places(mesh, 0.06, jitter=0.7, seed=3))


def test_added_particles_keep_their_distance():
    """Where the border is filled up by moved particles, none is nearer to another than 0.6 spacings."""
    for side in (1.03, 1.04, 1.07):
        box = Mesh.box((0, 0, 0), (side, side, side))
        found = places(box, 0.1)
        assert len(found) == round(side**3 / 0.1**3)
        assert nearest_neighbour(found).min() > 0.06


@pytest.mark.parametrize(
    ("mesh", "spacing", "jitter", "words"),
    [
        (Mesh.rectangle((0, 0, 0), (1, 0, 0), (0, 1, 0)), 0.05, 0.0, ["open (4 open edges)", "encloses nothing", "emitter"]),
        (rotated(Mesh.rectangle((0, 0, 0), (1, 0, 0), (0, 1, 0))), 0.01, 0.0, ["open (4 open edges)", "Solidify"]),
        (Mesh.box((0, 0, 0), (1, 1, 0)), 0.05, 0.0, ["0 m³", "scale", "Solidify"]),
        (Mesh.box((0, 0, 0), (0.01, 0.01, 0.01)), 0.1, 0.0, ["too thin", "1e-06 m³", "0.001 m³", "reduce the particle spacing"]),
        (Mesh.box((0, 0, 0), (5, 5, 0.002)), 0.1, 0.0, ["too thin", "0.05 m³", "0.1 m"]),
        (Mesh.box((0, 0, 0), (1e4, 1e4, 1e4)), 1e-3, 0.0, ["spacing of 0.001 m", "10000 × 10000 × 10000 m", "increase"]),
        (Mesh.box((0, 0, 0), (1, 1, 1)), 0.0, 0.0, ["particle spacing is 0", "above zero"]),
        (Mesh.box((0, 0, 0), (1, 1, 1)), 0.1, 1.5, ["jitter is 1.5", "0 (lattice) to 1"]),
        (Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32)), 0.1, 0.0, ["empty"]),
    ],
)
def test_what_cannot_be_filled_is_named(mesh: Mesh, spacing: float, jitter: float, words: list[str]):
    """No inside, no thickness, no room, too much room: each message names the object, the value and the cure."""
    with pytest.raises(InvalidScene) as caught:
        places(mesh, spacing, jitter)
    assert str(caught.value).startswith("Body: ")
    for word in words:
        assert word in str(caught.value)
