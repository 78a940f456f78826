"""Surfaces of drops at rest: smooth, with the contact angle at the wall and the volume that the particles have."""

from typing import Any

import numpy as np
import pytest

from benchmarks.drop_shapes import angle_at_wall, circle_angle, crossings, crossings_along, profile, surface_volume
from solvers.scene import Collider, ColliderParams, Mesh, SurfaceParams
from solvers.surface import SurfaceVolume, make_surface
from solvers.walls import Walls
from solvers.watch import Silent

SPACING = 0.01
NO_WEIGHT = (0.0, 0.0, 0.0)


def cap_of_particles(volume: float, angle: float, seed: int = 1) -> np.ndarray:
    """A shaken lattice within the spherical cap of a volume and contact angle on z = 0, all in spacings."""
    cut = np.cos(np.radians(angle))
    radius = (3.0 * volume / (np.pi * (2.0 + cut) * (1.0 - cut) ** 2)) ** (1.0 / 3.0)
    side = np.arange(-np.ceil(radius) - 1.0, np.ceil(radius) + 2.0)
    points = np.stack(np.meshgrid(side, side, np.arange(0.5, 2.0 * radius), indexing="ij"), axis=-1).reshape(-1, 3)
    points += np.random.default_rng(seed).uniform(-0.2, 0.2, points.shape) * [1.0, 1.0, 0.5]
    return points[np.linalg.norm(points + [0.0, 0.0, radius * cut], axis=1) < radius - 0.2]


def floor(kind: str) -> Mesh:
    if kind == "sheet":
        return Mesh.rectangle((-0.4, -0.4, 0.0), (0.8, 0.0, 0.0), (0.0, 0.8, 0.0))
    return Mesh.box((-0.4, -0.4, -0.2 if kind == "block" else -0.004), (0.4, 0.4, 0.0))


def walls_of(mesh: Mesh, **params: Any) -> Walls:
    wall = Collider("Floor", mesh, ColliderParams(**params))
    return Walls((wall,), reach=4.0 * SPACING, frames_per_second=24.0, frame_start=1, watch=Silent())


def surface(points: np.ndarray, walls: Walls, weight: tuple[float, float, float] | None = NO_WEIGHT) -> SurfaceVolume:
    cloud = {"position": (points * SPACING).astype(np.float32)}
    return make_surface(cloud, SPACING, SurfaceParams(velocity=False), walls, Silent(), weight)


@pytest.mark.parametrize("angle", [20.0, 45.0, 90.0, 135.0])
@pytest.mark.parametrize("kind", ["sheet", "block", "plate"])
def test_surface_meets_the_wall_at_its_contact_angle(kind: str, angle: float):
    """Slope at the wall and angle of the whole outline; without surface tension the slope at the wall is 90° and more."""
    found = surface(cap_of_particles(1000.0, angle), walls_of(floor(kind), contact_angle=angle))
    assert angle_at_wall(found, SPACING) == pytest.approx(angle, abs=6.0)
    assert circle_angle(profile(found)) == pytest.approx(angle, abs=4.0)


def test_nothing_shows_below_a_thin_plate():
    """A flat drop whose foot is led two spacings outwards stays above the plate's underside, and ends at the overlap in it."""
    found = surface(cap_of_particles(1000.0, 20.0), walls_of(floor("plate"), contact_angle=20.0))
    lowest = crossings(found)[:, 2].min() / SPACING
    assert lowest == pytest.approx(-0.25, abs=0.02)


def test_angle_of_the_wall_rules_over_the_particles():
    """Particles of a cap of 70° on a wall of 40°: the foot leans to 40°, and hysteresis of 60° leaves it as it is."""
    points = cap_of_particles(1000.0, 70.0)
    assert angle_at_wall(surface(points, walls_of(floor("sheet"), contact_angle=40.0)), SPACING, 1.0) < 50.0
    free = surface(points, walls_of(floor("sheet"), contact_angle=40.0, hysteresis=60.0))
    assert angle_at_wall(free, SPACING, 1.0) > 58.0


def test_surface_of_a_tilted_wall_is_that_of_a_level_one():
    """Turned by 30° about an axis that is none of the grid's, wall and drop give the same volume and the same angle."""
    axis, turn = np.array([1.0, 0.4, 0.2]) / np.linalg.norm([1.0, 0.4, 0.2]), np.radians(30.0)
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    turned = np.eye(3) + np.sin(turn) * cross + (1.0 - np.cos(turn)) * cross @ cross
    points = cap_of_particles(1000.0, 50.0)
    block = floor("block")
    tilted = surface(points @ turned.T, walls_of(Mesh(block.vertices @ turned.T, block.triangles), contact_angle=50.0))
    assert angle_at_wall(tilted, SPACING, turned=turned) == pytest.approx(50.0, abs=6.0)


def test_every_drop_keeps_its_volume():
    """A large flat drop and a small round one side by side: each keeps what it had without surface tension, within 1.5 %."""
    far = np.array([22.0, 0.0, 0.0])
    large, small = cap_of_particles(900.0, 40.0), cap_of_particles(90.0, 100.0)
    walls = walls_of(Mesh.rectangle((-0.4, -0.4, 0.0), (1.0, 0.0, 0.0), (0.0, 0.8, 0.0)), contact_angle=60.0)
    both = surface(np.concatenate([large, small + far]), walls)
    for points, side in ((large, 0), (small, 1)):
        before = open_volume(surface(points, walls, None))
        assert open_volume(both, 0.14, side) == pytest.approx(before, rel=0.015)


def open_volume(found: SurfaceVolume, border: float = np.inf, side: int = 0) -> float:
    """Volume above z = 0 [spacings³], of what lies left (0) or right (1) of x = border [m]."""
    grid = np.stack(np.meshgrid(*(np.arange(8),) * 3, indexing="ij"), axis=-1)
    place = (found.origin[:, None, None, None, :] + grid) * found.voxel_size
    inside = np.clip(0.5 - found.phi / found.voxel_size, 0.0, 1.0) * np.clip(place[..., 2] / found.voxel_size + 0.5, 0.0, 1.0)
    return float(inside[(place[..., 0] > border) == bool(side)].sum()) * (found.voxel_size / SPACING) ** 3


def test_weight_keeps_a_puddle_as_it_is():
    """A wide puddle of the height that its weight asks for is at rest: no crest along its rim, as without weight."""
    height, radius = 4.0, 16.0
    side = np.arange(-20.0, 21.0)
    points = np.stack(np.meshgrid(side, side, np.arange(0.5, height), indexing="ij"), axis=-1).reshape(-1, 3)
    points = points[np.hypot(points[:, 0], points[:, 1]) < radius]
    points += np.random.default_rng(2).uniform(-0.2, 0.2, points.shape) * [1.0, 1.0, 0.2]
    walls = walls_of(floor("sheet"), contact_angle=90.0)
    length = height / np.sqrt(2.0) * SPACING  # 2 κ⁻¹ sin(θ/2) is its height
    crest = []
    for weight in (NO_WEIGHT, (0.0, 0.0, -1.0 / length**2)):
        place, _ = crossings_along(surface(points, walls, weight), 2)
        place = place[place[:, 2] > 0.02] / SPACING
        across = np.hypot(place[:, 0], place[:, 1])
        crest.append(place[(across > 9.0) & (across < 13.0), 2].mean() - place[across < 6.0, 2].mean())
    assert crest[1] < crest[0]
    assert abs(crest[1]) < 0.1


def test_a_single_particle_on_a_wall_keeps_its_look():
    """Bodies of less than eight particles are not led."""
    one = np.array([[0.0, 0.0, 0.5]])
    walls = walls_of(floor("sheet"), contact_angle=30.0)
    assert surface_volume(surface(one, walls)) == surface_volume(surface(one, walls, None))
