"""Settings painted on colliders, read where particles touch."""

import numpy as np
import pytest

from solvers.errors import InvalidScene
from solvers.jit import set_threads
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene
from solvers.walls import NearWalls, Walls
from solvers.watch import Silent

REACH = 0.08


def _grid(cells: int, side: float = 1.0) -> Mesh:
    """A square sheet in z = 0 of cells × cells squares."""
    ticks = np.linspace(0.0, side, cells + 1)
    x, y = np.meshgrid(ticks, ticks, indexing="ij")
    at = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    a, b, c, d = at[:-1, :-1].ravel(), at[1:, :-1].ravel(), at[1:, 1:].ravel(), at[:-1, 1:].ravel()
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return Mesh(np.stack([x.ravel(), y.ravel(), 0.0 * x.ravel()], axis=1), triangles.astype(np.int32))


def _walls(*colliders: Collider) -> Walls:
    return Walls(colliders, reach=REACH, frames_per_second=10.0, frame_start=1, watch=Silent())


def _read(walls: Walls, points: np.ndarray, setting: str = "contact_angle") -> tuple[np.ndarray, NearWalls]:
    """The setting at plane 0 of every point."""
    points = points.astype(np.float32)
    near = walls.near(points)
    assert (near.row >= 0).all()
    return walls.setting_at(setting, near, points)[near.row, 0], near


@pytest.mark.parametrize("cells", [1, 7, 90])
def test_painted_values_are_interpolated_within_triangles(cells: int):
    """Weights linear in x and y come back exactly, on triangles far wider than a voxel and far narrower, from both sides."""
    mesh = _grid(cells)
    weight = 0.1 + 0.6 * mesh.vertices[:, 0] + 0.2 * mesh.vertices[:, 1]
    params = ColliderParams(contact_angle=40.0, contact_angle_painted=140.0)
    walls = _walls(Collider("Leaf", mesh, params, weights={"contact_angle": weight}))
    rng = np.random.default_rng(3)
    points = np.column_stack([rng.uniform(0.1, 0.9, (500, 2)), rng.uniform(-0.07, 0.07, 500)])
    found, _ = _read(walls, points)
    np.testing.assert_allclose(found, 40.0 + 100.0 * (0.1 + 0.6 * points[:, 0] + 0.2 * points[:, 1]), atol=2e-3)


def test_painted_values_belong_to_the_nearest_place_of_a_round_mesh():
    """On a ball finer than its voxels every point reads the value that belongs there."""
    mesh = Mesh.sphere((0.0, 0.0, 0.0), 0.3, 5)
    weight = np.clip(0.5 + mesh.vertices[:, 2] / 0.6, 0.0, 1.0)
    walls = _walls(
        Collider("Ball", mesh, ColliderParams(contact_angle=0.0, contact_angle_painted=100.0), weights={"contact_angle": weight})
    )
    rng = np.random.default_rng(4)
    way = rng.normal(size=(400, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    found, _ = _read(walls, 0.33 * way)
    np.testing.assert_allclose(found, 50.0 + 50.0 * way[:, 2], atol=0.6)  # a third of a triangle


def test_paint_moves_with_a_turning_collider_and_others_keep_their_own():
    """After half a turn the painted side is on the other side; a second collider without paint has its one value."""
    mesh = _grid(4)
    centred = Mesh(mesh.vertices - [0.5, 0.5, 0.0], mesh.triangles)
    turn = np.tile(np.eye(4), (2, 1, 1))
    turn[1, 0, 0] = turn[1, 1, 1] = -1.0
    params = ColliderParams(contact_angle=20.0, contact_angle_painted=120.0)
    weights = {"contact_angle": (centred.vertices[:, 0] > 0.0).astype(float)}
    other = Mesh(centred.vertices + [0.0, 0.0, 1.0], centred.triangles)
    walls = _walls(
        Collider("Disc", centred, params, motion=turn, weights=weights),
        Collider("Lid", other, ColliderParams(contact_angle=77.0)),
    )
    places = np.array([[0.4, 0.1, 0.02], [-0.4, 0.1, 0.02], [0.4, 0.1, 1.02]])
    np.testing.assert_allclose(_read(walls, places)[0], [120.0, 20.0, 77.0])
    walls.pose(0.1, 0.1)
    np.testing.assert_allclose(_read(walls, places)[0], [20.0, 120.0, 77.0])


def test_painted_friction_is_what_every_material_reads():
    """Friction in the planes of `near` follows the paint, by the same road for all materials; one thread equals two."""
    mesh = _grid(30)
    weights = {"friction": np.clip(mesh.vertices[:, 0], 0.0, 1.0)}
    walls = _walls(Collider("Floor", mesh, ColliderParams(friction=0.2, friction_painted=0.8), weights=weights))
    points = np.column_stack([np.random.default_rng(5).uniform(0.05, 0.95, (1500, 2)), np.full(1500, 0.03)]).astype(np.float32)
    results = []
    for threads in (1, 2):
        set_threads(threads)
        near = walls.near(points)
        results.append(near.plane[near.row, 0, 7].copy())
    set_threads(0)
    np.testing.assert_allclose(results[0], 0.2 + 0.6 * points[:, 0], atol=1e-4)
    assert results[0].tobytes() == results[1].tobytes()


def test_a_bent_collider_keeps_its_paint():
    """A deforming mesh is read where its vertices are now: a strip that has been lifted and stretched."""
    mesh = _grid(10)
    later = mesh.vertices * [1.5, 1.0, 1.0] + [0.0, 0.0, 0.3]
    moving = Mesh(np.stack([mesh.vertices, later]), mesh.triangles)
    params = ColliderParams(contact_angle=0.0, contact_angle_painted=100.0)
    walls = _walls(Collider("Strip", moving, params, weights={"contact_angle": mesh.vertices[:, 0]}))
    walls.pose(0.1, 0.1)
    found, _ = _read(walls, np.array([[0.3, 0.5, 0.32], [1.2, 0.5, 0.32]]))
    np.testing.assert_allclose(found, [20.0, 80.0], atol=0.01)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"bounce": np.zeros(4)}, r"'Floor': bounce cannot be painted; what can is friction, contact_angle"),
        ({"friction": np.zeros(3)}, r"'Floor': the weights of friction have shape \(3,\); give one per vertex, \(4,\)"),
        ({"friction": np.array([0.0, 0.0, 1.5, 0.0])}, r"'Floor': the weight of friction at vertex 2 is 1.5"),
    ],
)
def test_wrong_weights_are_refused(weights: dict[str, np.ndarray], said: str):
    """Messages name the collider, the setting and the vertex."""
    from solvers import job

    floor = Collider("Floor", _grid(1), weights=weights)
    with pytest.raises(InvalidScene, match=said):
        job.checked(Scene("Wrong", (Body("Drop", "drops", Mesh.sphere((0.5, 0.5, 0.2), 0.1)),), (floor,)))


def test_weights_come_back_from_a_job_folder(tmp_path):
    """Written and read: the same weights, bit for bit."""
    from solvers import job

    weight = np.array([0.0, 0.25, 0.5, 1.0])
    floor = Collider("Floor", _grid(1), weights={"contact_angle": weight})
    job.write(Scene("Painted", (Body("Drop", "drops", Mesh.sphere((0.5, 0.5, 0.2), 0.1)),), (floor,)), tmp_path)
    assert job.read(tmp_path).colliders[0].weights["contact_angle"].tobytes() == weight.tobytes()
