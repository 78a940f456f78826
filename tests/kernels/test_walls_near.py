"""The planes that `Walls.near` finds, against brute force and closed geometry."""

from collections.abc import Sequence

import numpy as np
import pytest

from examples.shapes import bowl
from solvers.errors import InvalidScene
from solvers.jit import set_threads
from solvers.scene import Collider, ColliderParams, Mesh
from solvers.walls import NearWalls, Walls
from solvers.watch import Silent

REACH = 0.08


def walls_of(*colliders: Collider | Mesh, reach: float = REACH) -> Walls:
    named = [c if isinstance(c, Collider) else Collider(f"Wall {i}", c) for i, c in enumerate(colliders)]
    return Walls(named, reach=reach, frames_per_second=10.0, frame_start=1, watch=Silent())


def planes_at(walls: Walls, point: Sequence[float], before: Sequence[float] | None = None) -> tuple[np.ndarray, int]:
    """Planes (count, 8) and shape at one point; no planes and shape 0 away from walls."""
    side_of = None if before is None else np.array([before], dtype=np.float32)
    near = walls.near(np.array([point], dtype=np.float32), side_of)
    row = near.row[0]
    return (near.plane[row, : near.count[row]].copy(), int(near.shape[row])) if row >= 0 else (np.zeros((0, 8)), 0)


def turned_square(normal: np.ndarray, centre: np.ndarray, half: float) -> Mesh:
    """A square sheet with the given normal."""
    side = np.cross(normal, [1.0, 0.0, 0.0] if abs(normal[0]) < 0.8 else [0.0, 1.0, 0.0])
    side /= np.linalg.norm(side)
    up = np.cross(normal, side)
    corners = [centre + half * (a * side + b * up) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return Mesh(np.array(corners), np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32))


@pytest.mark.parametrize("seed", range(10))
def test_distance_to_a_tilted_plane_is_exact(seed: int):
    """On a flat wall at any tilt d and n are those of the plane to float32 precision, all the way to the reach (19)."""
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    mesh = turned_square(normal, np.array([0.3, -0.2, 0.1]), 0.6)
    walls = walls_of(Collider("Slope", mesh, ColliderParams(two_sided=False)))
    points = (np.array([0.3, -0.2, 0.1]) + rng.uniform(-0.25, 0.25, (2000, 3))).astype(np.float32)
    exact = (points.astype(np.float64) - [0.3, -0.2, 0.1]) @ normal
    near = walls.near(points)
    inside = np.abs(exact) < REACH * 0.9999
    assert inside.sum() > 300
    assert (near.row[inside] >= 0).all() and (near.row[np.abs(exact) > REACH * 1.0001] < 0).all()
    rows = near.row[inside]
    assert (near.count[rows] == 1).all()
    np.testing.assert_allclose(near.plane[rows, 0, 3], exact[inside], atol=2.5e-7)
    np.testing.assert_allclose(near.plane[rows, 0, :3], np.tile(normal, (len(rows), 1)), atol=1e-6)


@pytest.mark.parametrize("subdivisions", [5, 6])
def test_nearest_triple_is_that_of_brute_force(subdivisions: int):
    """The look-up returns the plane of the triple whose voxel centre is nearest, as a search over all triples does.

    Triangles are smaller than voxels here; wider ones have the rule of the next test.
    """
    walls = walls_of(Mesh.sphere((0.1, 0.2, 0.3), 0.5, subdivisions))
    rng = np.random.default_rng(subdivisions)
    direction = rng.normal(size=(1500, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    points = (np.array([0.1, 0.2, 0.3]) + direction * rng.uniform(0.44, 0.56, (1500, 1))).astype(np.float32)
    near = walls.near(points)
    triple = walls.table.triple.astype(np.float64)
    checked = 0
    for point, row in zip(points.astype(np.float64) - walls.table.frame[0, 9:12], near.row, strict=True):
        if row < 0 or near.count[row] != 1:
            continue
        square = np.sum((triple[:, :3] - point) ** 2, axis=1)
        best = np.sort(square)[:2]
        if best[1] - best[0] < 1e-6 * best[0]:
            continue
        t = triple[np.argmin(square)]
        checked += 1
        np.testing.assert_allclose(near.plane[row, 0, :3], t[4:7], atol=1e-6)
        assert near.plane[row, 0, 3] == pytest.approx((point - t[:3]) @ t[4:7] + t[3], abs=1e-6)
    assert checked > 300


@pytest.mark.parametrize("subdivisions", [1, 2])
def test_facets_wider_than_a_voxel_give_the_nearest_triangle(subdivisions: int):
    """Where facets are wider than voxels, d is the distance to the plane of the triangle that is really nearest."""
    mesh = Mesh.sphere((0.1, 0.2, 0.3), 0.5, subdivisions)
    walls = walls_of(mesh)
    rng = np.random.default_rng(subdivisions)
    direction = rng.normal(size=(1500, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    points = (np.array([0.1, 0.2, 0.3]) + direction * rng.uniform(0.48, 0.56, (1500, 1))).astype(np.float32)
    near = walls.near(points)
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    # A sphere of facets is convex: outside of it the nearest triangle's plane is the farthest of all planes below.
    farthest = np.max(np.einsum("pj,tj->pt", points.astype(np.float64), normal) - np.einsum("tj,tj->t", a, normal), axis=1)
    single = (near.row >= 0) & (near.count[near.row] == 1) & (farthest > 0.0)
    assert single.sum() > 300
    error = np.abs(near.plane[near.row[single], 0, 3] - farthest[single])
    assert np.mean(error < 2e-6) > 0.995  # the rest lie over a corner of many facets, none of them square below
    assert error.max() < 1e-3


def test_distance_is_continuous_around_a_faceted_cylinder():
    """Around a prism of 16 sides (22.5° from facet to facet) the distance never jumps, outside and inside."""
    angle = np.linspace(0.0, 2.0 * np.pi, 17)[:-1]
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(16)], axis=1) * 0.5
    low, high = ring - [0, 0, 1.0], ring + [0, 0, 1.0]
    sides = [t for i in range(16) for t in ((i, (i + 1) % 16, (i + 1) % 16 + 16), (i, (i + 1) % 16 + 16, i + 16))]
    caps = [t for i in range(1, 15) for t in ((0, i + 1, i), (16, 16 + i, 17 + i))]
    triangles = np.array(sides + caps, dtype=np.int32)
    path = np.linspace(0.0, 2.0 * np.pi, 4001)
    for turned, radius in ((triangles, 0.53), (triangles[:, ::-1], 0.46)):
        walls = walls_of(Mesh(np.concatenate([low, high]), np.ascontiguousarray(turned)))
        points = np.stack([radius * np.cos(path), radius * np.sin(path), 0.1 * np.sin(3 * path)], axis=1)
        near = walls.near(points.astype(np.float32))
        assert (near.row >= 0).all()
        jump = np.abs(np.diff(near.plane[near.row, 0, 3]))
        assert jump.max() < 5.0e-4  # the path itself moves 8e-4 from point to point


def test_no_particle_within_reach_is_missed():
    """Every point within the reach of a sphere's triangles has a plane, and none beyond reach and a voxel has one (21)."""
    walls = walls_of(Mesh.sphere((0.0, 0.0, 0.0), 0.5, 4))
    rng = np.random.default_rng(3)
    points = rng.uniform(-0.7, 0.7, (20000, 3)).astype(np.float32)
    distance = np.linalg.norm(points, axis=1) - 0.5
    near = walls.near(points)
    assert (near.row[np.abs(distance) < 0.95 * REACH] >= 0).all()
    assert (near.row[np.abs(distance) > 1.6 * REACH] < 0).all()


def test_concave_corner_has_all_its_walls():
    """In a tank's corner two and three planes are found, nearest first, joined as a union."""
    walls = walls_of(Mesh.box((0, 0, 0), (1, 1, 1), inward=True))
    edge, shape = planes_at(walls, (0.5, 0.02, 0.03))
    assert shape == 0
    np.testing.assert_allclose(edge[:, 3], [0.02, 0.03], atol=1e-6)
    np.testing.assert_allclose(edge[:, :3], [[0, 1, 0], [0, 0, 1]], atol=1e-6)
    corner, shape = planes_at(walls, (0.03, 0.98, 0.01))
    assert shape == 0
    np.testing.assert_allclose(corner[:, 3], [0.01, 0.02, 0.03], atol=1e-6)
    np.testing.assert_allclose(corner[:, :3], [[0, 0, 1], [0, -1, 0], [1, 0, 0]], atol=1e-6)


def test_convex_edge_is_an_intersection():
    """Around the edge of a solid box both faces are reported as an intersection, the governing one first."""
    walls = walls_of(Mesh.box((0, 0, 0), (1, 1, 1)))
    over, shape = planes_at(walls, (0.5, 0.97, 1.02))
    assert shape == 1
    np.testing.assert_allclose(over[:, 3], [0.02, -0.03], atol=1e-6)
    corner, shape = planes_at(walls, (1.01, 1.02, 1.03))
    assert shape == 1
    np.testing.assert_allclose(corner[:, 3], [0.03, 0.02, 0.01], atol=1e-6)
    inside, _ = planes_at(walls, (0.5, 0.5, 0.95))
    np.testing.assert_allclose(inside[:, 3], [-0.05], atol=1e-6)


def test_box_on_a_floor():
    """At the foot of a box: floor and side are a union; at its upright edge it is floor ∪ (side ∩ side)."""
    floor = Mesh.box((-2, -2, -1), (2, 2, 0))
    walls = walls_of(floor, Mesh.box((0, 0, 0), (0.5, 0.5, 0.5)))
    foot, shape = planes_at(walls, (-0.02, 0.25, 0.03))
    assert shape == 0
    np.testing.assert_allclose(foot[:, 3], [0.02, 0.03], atol=1e-6)
    upright, shape = planes_at(walls, (-0.02, -0.01, 0.03))
    assert shape == 2
    np.testing.assert_allclose(upright[:, 3], [0.03, 0.02, 0.01], atol=1e-6)


def test_roof_over_an_inner_corner():
    """Where two walls of an L-shaped block meet under its top: top ∩ (wall ∪ wall)."""
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)
    low, high = np.column_stack([outline, np.zeros(6)]), np.column_stack([outline, np.ones(6)])
    sides = [t for i in range(6) for t in ((i, (i + 1) % 6, (i + 1) % 6 + 6), (i, (i + 1) % 6 + 6, i + 6))]
    cap = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    triangles = sides + [(a + 6, b + 6, c + 6) for a, b, c in cap] + [(c, b, a) for a, b, c in cap]
    walls = walls_of(Mesh(np.concatenate([low, high]), np.array(triangles, dtype=np.int32)))
    planes, shape = planes_at(walls, (1.02, 1.03, 0.99))
    assert shape == 3
    np.testing.assert_allclose(planes[:, 3], [-0.01, 0.02, 0.03], atol=1e-6)


def test_extended_planes_of_far_triangles_never_act():
    """Beside a short wall, in the plane it would have if it went on, there is nothing."""
    walls = walls_of(Mesh.box((0, 0, 0), (1, 1, 1)))
    assert len(planes_at(walls, (1.2, 0.5, 1.01))[0]) == 0
    assert len(planes_at(walls, (0.5, 0.5, 0.5))[0]) == 0


def test_rim_of_a_sheet():
    """Beyond the edge of a sheet its plane is bounded by the edge: an intersection that lets the particle go."""
    walls = walls_of(turned_square(np.array([0.0, 0.0, 1.0]), np.zeros(3), 0.5))
    middle, shape = planes_at(walls, (0.1, 0.0, -0.02))
    np.testing.assert_allclose(middle[0, :4], [0, 0, -1, 0.02], atol=1e-6)
    rim, shape = planes_at(walls, (0.53, 0.0, 0.02))
    assert shape == 1
    np.testing.assert_allclose(rim[:, :4], [[1, 0, 0, 0.03], [0, 0, 1, 0.02]], atol=1e-6)
    within, shape = planes_at(walls, (0.47, 0.0, 0.02))
    assert shape == 1
    np.testing.assert_allclose(within[:, 3], [0.02, -0.03], atol=1e-6)
    corner, shape = planes_at(walls, (0.48, 0.47, 0.02))
    assert shape == 1
    np.testing.assert_allclose(corner[:, 3], [0.02, -0.02, -0.03], atol=1e-6)


def test_open_tank_rim_in_its_corner():
    """At the rim of a tank's corner: rim ∩ (wall ∪ wall)."""
    walls = walls_of(Mesh.open_box((0, 0, 0), (1, 1, 1)))
    planes, shape = planes_at(walls, (0.01, 0.02, 0.97))
    assert shape == 3
    np.testing.assert_allclose(planes[:, 3], [-0.03, 0.01, 0.02], atol=1e-6)
    np.testing.assert_allclose(planes[0, :3], [0, 0, 1], atol=1e-6)


def test_inside_a_bowl_the_top_of_its_rim_does_not_act():
    """Points inside a bowl below its rim, at every height and azimuth, have no governing plane that they lie behind."""
    rng = np.random.default_rng(2)
    walls = walls_of(bowl(0.10, 0.012), reach=0.01)
    angle, height = rng.uniform(0.0, 2.0 * np.pi, 20000), rng.uniform(0.03, 0.1115, 20000)
    across = np.sqrt(0.1**2 - (0.112 - height) ** 2) * np.cos(np.pi / 96) - rng.uniform(0.0005, 0.0095, 20000)
    points = np.stack([across * np.cos(angle), across * np.sin(angle), height], axis=1).astype(np.float32)
    near = walls.near(points)
    rows = near.row[near.row >= 0]
    assert len(rows) > 15000
    assert (near.plane[rows, 0, 3] > -1.0e-4).all()


def test_open_meshes_work_from_both_sides():
    """Outside a tank without lid the planes face outwards; one-sided, they face the side of the normals only."""
    tank = Mesh.open_box((0, 0, 0), (1, 1, 1))
    walls = walls_of(tank)
    for point, normal in (((0.5, 0.02, 0.5), 1.0), ((0.5, -0.02, 0.5), -1.0)):
        planes, _ = planes_at(walls, point)
        np.testing.assert_allclose(planes[0, :4], [0, normal, 0, 0.02], atol=1e-6)
    outer, shape = planes_at(walls, (0.5, -0.02, -0.03))
    assert shape == 1
    np.testing.assert_allclose(outer[:, 3], [0.03, 0.02], atol=1e-6)
    # Just outside the side wall and above the floor's level, the side wall alone decides on which side the point is.
    beside, shape = planes_at(walls, (0.5, -0.02, 0.03))
    np.testing.assert_allclose(beside[0, :4], [0, -1, 0, 0.02], atol=1e-6)
    single = walls_of(Collider("Tank", tank, ColliderParams(two_sided=False)))
    np.testing.assert_allclose(planes_at(single, (0.5, -0.02, 0.5))[0][0, :4], [0, 1, 0, -0.02], atol=1e-6)


def test_a_crossing_particle_gets_a_negative_distance():
    """With the earlier position given, a sheet still belongs to the side from which the particle came."""
    walls = walls_of(turned_square(np.array([0.0, 0.0, 1.0]), np.zeros(3), 0.5))
    planes, _ = planes_at(walls, (0.1, 0.1, -0.01), before=(0.1, 0.1, 0.02))
    np.testing.assert_allclose(planes[0, :4], [0, 0, 1, -0.01], atol=1e-6)
    planes, _ = planes_at(walls, (0.1, 0.1, -0.01), before=(0.1, 0.1, -0.03))
    np.testing.assert_allclose(planes[0, :4], [0, 0, -1, 0.01], atol=1e-6)
    # Around the edge is no crossing.
    planes, shape = planes_at(walls, (0.49, 0.0, -0.01), before=(0.53, 0.0, 0.02))
    assert shape == 1
    np.testing.assert_allclose(planes[0, :4], [0, 0, -1, 0.01], atol=1e-6)


def test_thin_plate_is_an_intersection_of_its_sides():
    """Above a plate thinner than a voxel the upper face holds, below it the lower one."""
    walls = walls_of(Mesh.box((0, 0, 0), (1, 1, 0.01)))
    above, shape = planes_at(walls, (0.5, 0.5, 0.03))
    assert shape == 1
    np.testing.assert_allclose(above[:, 2:4], [[1, 0.02], [-1, -0.03]], atol=1e-6)
    below, shape = planes_at(walls, (0.5, 0.5, -0.02))
    assert shape == 1
    np.testing.assert_allclose(below[:, 2:4], [[-1, 0.02], [1, -0.03]], atol=1e-6)


def test_answers_do_not_depend_on_threads_or_batching():
    """One thread, two threads, and particles asked for one by one give the same bits."""
    walls = walls_of(Mesh.open_box((0, 0, 0), (1, 1, 1)), Mesh.sphere((0.5, 0.5, 0.1), 0.2, 3))
    points = np.random.default_rng(5).uniform(0, 1, (4000, 3)).astype(np.float32)

    def copied(near: NearWalls) -> list[bytes]:
        rows = near.row[near.row >= 0]
        used = [near.plane[r, : near.count[r]].tobytes() for r in rows]
        return [near.row.tobytes(), near.shape[rows].tobytes(), *used]

    set_threads(1)
    one = copied(walls.near(points))
    set_threads(0)
    assert copied(walls.near(points)) == one
    near = walls.near(points)
    kept = {int(i): near.plane[r, : near.count[r]].copy() for i, r in enumerate(near.row) if r >= 0}
    for i in list(kept)[::97]:
        np.testing.assert_array_equal(planes_at(walls, points[i])[0], kept[i])


def test_no_colliders():
    """A scene without colliders has no walls anywhere."""
    walls = walls_of()
    assert (walls.near(np.zeros((5, 3), dtype=np.float32)).row == -1).all()
    assert walls.signed_distance(np.zeros((5, 3), dtype=np.float32), 0.5).tolist() == [0.5] * 5


@pytest.mark.parametrize(
    ("mesh", "message"),
    [
        (Mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32)), "no faces"),
        (Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]]), np.array([[0, 1, 2]], dtype=np.int32)), "vertex 2"),
        (Mesh(np.zeros((3, 3)), np.array([[0, 1, 2]], dtype=np.int32)), "no area"),
        (Mesh(np.eye(3), np.array([[0, 1, 3]], dtype=np.int32)), "vertex 3"),
    ],
)
def test_bad_meshes_are_named(mesh: Mesh, message: str):
    """Meshes that cannot be walls are refused with the collider's name and the reason."""
    with pytest.raises(InvalidScene, match=f"Fence.*{message}"):
        walls_of(Collider("Fence", mesh))


def test_signed_distance():
    """Distances near a box and a sphere: positive outside, negative inside, limited, also beyond the reach of `near`."""
    walls = walls_of(Mesh.box((0, 0, 0), (1, 1, 1)), Mesh.sphere((3, 0, 0), 0.5, 5))
    points = np.random.default_rng(1).uniform(-0.4, 1.4, (3000, 3)).astype(np.float32)
    q = np.abs(points - 0.5) - 0.5
    exact = np.linalg.norm(np.maximum(q, 0.0), axis=1) + np.minimum(q.max(axis=1), 0.0)
    for limit in (0.05, 0.3):
        near = np.abs(exact) < 0.99 * limit
        found = walls.signed_distance(points, limit)
        np.testing.assert_allclose(found[near], exact[near], atol=1e-5)
        np.testing.assert_allclose(found[exact > limit], limit)
    ball = np.array([[3.6, 0, 0], [3.45, 0, 0], [3, 0.52, 0]], dtype=np.float32)
    np.testing.assert_allclose(walls.signed_distance(ball, 0.2), [0.1, -0.05, 0.02], atol=1e-3)
