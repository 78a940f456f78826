"""Moving and deforming walls."""

import numpy as np
import pytest

from solvers.errors import InvalidScene
from solvers.scene import Collider, ColliderParams, Mesh
from solvers.walls import Walls
from solvers.watch import Silent

REACH = 0.08
RATE = 10.0


def walls_of(*colliders: Collider) -> Walls:
    return Walls(colliders, reach=REACH, frames_per_second=RATE, frame_start=1, watch=Silent())


def turn(angle: float, axis: int = 2) -> np.ndarray:
    matrix = np.eye(4)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    matrix[a, a] = matrix[b, b] = np.cos(angle)
    matrix[b, a], matrix[a, b] = np.sin(angle), -np.sin(angle)
    return matrix


def shift(x: float, y: float, z: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def rows_at(walls: Walls, points: np.ndarray, side_of: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    near = walls.near(points.astype(np.float32), None if side_of is None else side_of.astype(np.float32))
    assert (near.row >= 0).all()
    return near.plane[near.row].copy(), near.count[near.row].copy()


def test_moving_box_carries_its_walls_and_velocity():
    """A box that slides by 1 m/s: its front face is where the interpolated motion says and moves at 1 m/s."""
    motion = np.array([shift(0.1 * frame, 0.0, 0.0) for frame in range(5)])
    walls = walls_of(Collider("Ram", Mesh.box((0, 0, 0), (1, 1, 1)), motion=motion))
    for time in (0.0, 0.05, 0.13, 0.4):
        walls.pose(time, 0.01)
        planes, _ = rows_at(walls, np.array([[1.02 + time, 0.5, 0.5]]))
        np.testing.assert_allclose(planes[0, 0, :4], [1, 0, 0, 0.02], atol=2e-6)
        np.testing.assert_allclose(planes[0, 0, 4:7], [0 if time == 0.0 else 1.0, 0, 0], atol=1e-5)
    walls.pose(0.0, 0.0)
    np.testing.assert_allclose(rows_at(walls, np.array([[1.02, 0.5, 0.5]]))[0][0, 0, 4:7], [1, 0, 0], atol=1e-5)
    walls.pose(0.9, 0.01)
    np.testing.assert_allclose(rows_at(walls, np.array([[1.42, 0.5, 0.5]]))[0][0, 0, 4:7], 0.0, atol=1e-6)


def test_rotating_wall_moves_as_a_rigid_body():
    """v = v_t + ω × (x − c) at the contact, with the turn between frames at constant rate (shortest arc)."""
    rate = 0.5
    motion = np.array([shift(0.3, 0.2, 0.1) @ turn(rate * frame / RATE, axis=1) for frame in range(6)])
    walls = walls_of(Collider("Paddle", Mesh.box((-0.5, -0.5, -0.05), (0.5, 0.5, 0.05)), motion=motion))
    time = 0.27
    walls.pose(time, 0.001)
    matrix = shift(0.3, 0.2, 0.1) @ turn(rate * time, axis=1)
    local = np.array([[0.3, 0.1, 0.07], [-0.2, 0.3, 0.09], [0.1, -0.2, -0.08]])
    planes, _ = rows_at(walls, local @ matrix[:3, :3].T + matrix[:3, 3])
    for point, plane in zip(local, planes[:, 0], strict=True):
        contact = np.array([point[0], point[1], 0.05 * np.sign(point[2])])
        normal = matrix[:3, :3] @ [0, 0, np.sign(point[2])]
        np.testing.assert_allclose(plane[:3], normal, atol=1e-5)
        assert plane[3] == pytest.approx(abs(point[2]) - 0.05, abs=2e-6)
        velocity = np.cross([0, rate, 0], matrix[:3, :3] @ contact)
        np.testing.assert_allclose(plane[4:7], velocity, atol=1e-4)


def test_speed_bounds_every_point():
    """The speed of the walls is no less than that of any of their points, also for a turn about a far pivot."""
    motion = np.array([turn(0.2 * frame) for frame in range(4)])
    far = walls_of(Collider("Arm", Mesh.box((2, 0, 0), (3, 0.1, 0.1)), motion=motion))
    assert 0.2 * RATE * 3.0 <= far.speed_at(0.15) < 0.2 * RATE * 3.0 * 1.01
    assert walls_of(Collider("Still", Mesh.box((0, 0, 0), (1, 1, 1)))).speed_at(0.1) == 0.0
    cloth = waving(3)
    expected = np.linalg.norm(cloth.vertices[1] - cloth.vertices[0], axis=1).max() * RATE
    assert walls_of(Collider("Cloth", cloth)).speed_at(0.05) == pytest.approx(expected)


def test_rigid_query_equals_transforming_the_triples():
    """Asking in the rest frame gives the planes of a collider voxelised where it is, as on flat faces n and d are exact."""
    pose = shift(0.2, -0.1, 0.4) @ turn(0.7, axis=0) @ turn(0.4, axis=2)
    mesh = Mesh.box((-0.4, -0.3, -0.2), (0.4, 0.3, 0.2))
    moved = walls_of(Collider("A", mesh, motion=np.array([np.eye(4), pose])))
    moved.pose(0.1, 0.0)
    rest = walls_of(Collider("B", Mesh(mesh.vertices @ pose[:3, :3].T + pose[:3, 3], mesh.triangles)))
    rng = np.random.default_rng(4)
    points = rng.uniform(-0.5, 0.5, (3000, 3)) @ pose[:3, :3].T + pose[:3, 3]
    first, second = moved.near(points.astype(np.float32)), rest.near(points.astype(np.float32))
    both = (first.row >= 0) & (second.row >= 0)
    assert both.sum() > 1000
    assert ((first.row >= 0) != (second.row >= 0)).sum() <= 3
    a, b = first.row[both], second.row[both]
    np.testing.assert_allclose(first.plane[a, 0, 3], second.plane[b, 0, 3], atol=3e-6)


def test_a_moving_rigid_collider_is_not_voxelised_again():
    """Poses of a rigid collider leave the triples and the look-up as they are."""
    motion = np.array([turn(0.3 * frame) for frame in range(4)])
    walls = walls_of(Collider("Wheel", Mesh.box((0, 0, 0), (1, 1, 1)), motion=motion))
    table = walls.table
    triples = table.triple.copy()
    for time in np.linspace(0.0, 0.3, 7):
        walls.pose(float(time), 0.01)
    assert walls.table is table
    np.testing.assert_array_equal(table.triple, triples)


def test_scale_in_the_matrix_is_baked_and_animated_scale_deforms():
    """A constant scale belongs to the shape; a growing one makes the collider deform, with the velocity of its faces."""
    large = np.array([shift(0.1 * frame, 0, 0) @ np.diag([2.0, 2.0, 2.0, 1.0]) for frame in range(3)])
    walls = walls_of(Collider("Large", Mesh.box((0, 0, 0), (0.5, 0.5, 0.5)), motion=large))
    assert walls.table.collider[0, 2] == 1
    np.testing.assert_allclose(rows_at(walls, np.array([[0.5, 0.5, 1.03]]))[0][0, 0, 3], 0.03, atol=1e-6)
    grow = np.array([np.diag([1.0, 1.0, 1.0 + 0.1 * frame, 1.0]) for frame in range(4)])
    walls = walls_of(Collider("Growing", Mesh.box((0, 0, 0), (0.5, 0.5, 0.5)), motion=grow))
    walls.pose(0.25, 0.01)
    planes, _ = rows_at(walls, np.array([[0.25, 0.25, 0.5 * 1.25 + 0.03]]))
    np.testing.assert_allclose(planes[0, 0, :4], [0, 0, 1, 0.03], atol=2e-6)
    np.testing.assert_allclose(planes[0, 0, 4:7], [0, 0, 0.5], atol=1e-5)


def waving(frames: int, size: int = 12) -> Mesh:
    """A cloth of 1 m in the plane z = 0 that tilts, lifts and bends."""
    u, v = np.meshgrid(np.linspace(0, 1, size), np.linspace(0, 1, size), indexing="ij")
    sheets = []
    for frame in range(frames):
        z = 0.06 * frame * u + 0.02 * frame * np.sin(2.0 * v + 0.3 * frame)
        sheets.append(np.stack([u, v, z], axis=-1).reshape(-1, 3))
    index = np.arange(size * size).reshape(size, size)
    a, b, c, d = index[:-1, :-1].ravel(), index[1:, :-1].ravel(), index[1:, 1:].ravel(), index[:-1, 1:].ravel()
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return Mesh(np.array(sheets), triangles.astype(np.int32))


def test_deforming_walls_follow_their_vertices():
    """Between frames a deforming wall is where its interpolated vertices are and moves with them."""
    mesh = waving(5)
    walls = walls_of(Collider("Cloth", mesh, ColliderParams(two_sided=False)))
    rng = np.random.default_rng(0)
    for time in (0.0, 0.03, 0.12, 0.29, 0.4):
        walls.pose(time, 0.01)
        index = min(int(time * RATE), 3)
        part = time * RATE - index
        vertices = (1 - part) * mesh.vertices[index] + part * mesh.vertices[index + 1]
        velocity = (mesh.vertices[index + 1] - mesh.vertices[index]) * RATE
        pick = rng.integers(0, len(mesh.triangles), 60)
        corners = vertices[mesh.triangles[pick]]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        centre = corners.mean(axis=1)
        inner = np.all((centre[:, :2] > 0.1) & (centre[:, :2] < 0.9), axis=1)
        planes, _ = rows_at(walls, (centre + 0.02 * normal)[inner])
        np.testing.assert_allclose(planes[:, 0, 3], 0.02, atol=2e-3)
        assert np.einsum("ij,ij->i", planes[:, 0, :3], normal[inner]).min() > 0.99
        if time > 0.0:
            expected = velocity[mesh.triangles[pick]].mean(axis=1)[inner]
            np.testing.assert_allclose(planes[:, 0, 4:7], expected, atol=0.1)


def test_pose_does_not_depend_on_earlier_poses():
    """A deforming wall reached through many poses is bit for bit the wall posed at once: a resumed bake is the same."""
    mesh = waving(5)
    points = np.random.default_rng(2).uniform([0, 0, -0.1], [1, 1, 0.5], (3000, 3)).astype(np.float32)
    one, many = (walls_of(Collider("Cloth", mesh)) for _ in range(2))
    for time in np.linspace(0.0, 0.33, 23):
        many.pose(float(time), 0.005)
    many.pose(0.05, 0.005)
    for time in (0.34, 0.21):
        one.pose(time, 0.01)
        many.pose(time, 0.01)
        first, second = one.near(points), many.near(points)
        np.testing.assert_array_equal(first.row, second.row)
        used = first.row[first.row >= 0]
        np.testing.assert_array_equal(first.plane[used, 0], second.plane[used, 0])
        np.testing.assert_array_equal(one.signed_distance(points, 0.2), many.signed_distance(points, 0.2))


def test_a_deforming_wall_at_rest_is_not_voxelised_again():
    """While the vertices stay where they are the table stays too, and the wall does not move."""
    cloth = waving(3)
    held = Mesh(np.concatenate([cloth.vertices, np.repeat(cloth.vertices[-1:], 3, axis=0)]), cloth.triangles)
    walls = walls_of(Collider("Cloth", held))
    walls.pose(0.31, 0.01)
    table = walls.table
    walls.pose(0.42, 0.01)
    assert walls.table is table
    planes, _ = rows_at(walls, cloth.vertices[-1][60:62] + np.array([0.0, 0.0, 0.02]))
    np.testing.assert_array_equal(planes[:, 0, 4:7], 0.0)
    walls.pose(0.05, 0.01)
    assert walls.table is not table


def test_animated_settings():
    """Friction blends between frames; a collider that is switched off is not there."""
    collider = Collider(
        "Gate", Mesh.box((0, 0, 0), (1, 1, 1)),
        animated={"friction": np.array([0.0, 1.0, 1.0]), "enabled": np.array([1, 1, 0])},
    )  # fmt: skip
    walls = walls_of(collider)
    point = np.array([[0.5, 0.5, 1.02]])
    walls.pose(0.05, 0.01)
    assert rows_at(walls, point)[0][0, 0, 7] == pytest.approx(0.5)
    walls.pose(0.2, 0.01)
    assert walls.near(point.astype(np.float32)).row[0] == -1
    assert walls.signed_distance(point.astype(np.float32), 0.5)[0] == pytest.approx(0.5)


def test_bad_motion_is_named():
    """A transform that is not finite names the collider and the frame."""
    motion = np.array([np.eye(4), np.full((4, 4), np.nan)])
    with pytest.raises(InvalidScene, match="Ram.*frame 2"):
        walls_of(Collider("Ram", Mesh.box((0, 0, 0), (1, 1, 1)), motion=motion))
