from typing import Any

import numpy as np
import pytest

from solvers.errors import Cancelled, InvalidScene
from solvers.jit import set_threads
from solvers.scene import SurfaceParams
from solvers.surface import make_surface
from solvers.surface.blocks import find_blocks
from solvers.watch import Silent
from tests.verification.surface_shapes import (
    SPACING,
    ball,
    dense,
    enclosed,
    jittered,
    lattice,
    roughness,
    sample,
    sample_velocity,
    sheet,
    surface_of,
    top_heights,
)

LOOKS = [(False, "none"), (False, "3"), (False, "5"), (True, "3"), (True, "5"), (True, "satin")]


@pytest.mark.parametrize(("anisotropic", "smoothing"), LOOKS)
def test_sphere_and_box_keep_their_volume(anisotropic: bool, smoothing: str):
    """A ball of radius 10.2 and a box of 16³ particles enclose count · spacing³ within 2 % in every look; radius within 1 %."""
    points = ball(10.2)
    volume = surface_of(points, anisotropic=anisotropic, smoothing=smoothing)
    assert enclosed(volume) == pytest.approx(len(points), rel=0.02)
    directions = np.random.default_rng(0).normal(size=(400, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    radius = (3.0 * len(points) / (4.0 * np.pi)) ** (1.0 / 3.0)
    assert np.mean(sample(volume, radius * directions)) == pytest.approx(0.0, abs=0.01 * radius)
    box = lattice((0, 0, 0), (16, 16, 16)) + 0.3
    assert enclosed(surface_of(box, anisotropic=anisotropic, smoothing=smoothing)) == pytest.approx(len(box), rel=0.02)


@pytest.mark.parametrize(
    "settings",
    [{"voxel": 0.25}, {"voxel": 0.375}, {"radius": 1.2}, {"radius": 3.0}, {"radius": 4.0}, {"smoothing": "satin", "voxel": 0.3}],
)
def test_volume_does_not_depend_on_voxel_or_blend_radius(settings: dict):
    """The calibration holds the ball's volume within 2.5 % over voxel sizes and blend radii."""
    points = jittered(ball(8.0), 0.15)
    assert enclosed(surface_of(points, **settings)) == pytest.approx(len(points), rel=0.025)


@pytest.mark.parametrize(("anisotropic", "smoothing"), LOOKS)
def test_lone_particle_is_a_ball_of_its_own_volume(anisotropic: bool, smoothing: str):
    """One particle, wherever it lies between the voxels, shows as a ball of one cubic spacing ± 20 %."""
    for place in ([0.3, 0.2, 0.1], [0.25, 0.25, 0.25], [0.0, 0.0, 0.0]):
        volume = surface_of(np.array([place]), anisotropic=anisotropic, smoothing=smoothing)
        assert enclosed(volume) == pytest.approx(1.0, rel=0.2)


def test_spray_is_as_large_as_asked_and_nothing_else_changes():
    """A lone particle at *Spray* 0.7 has 0.34 of its volume, at 0 none; sheet, thread and a ball of 30 keep theirs."""
    lone = np.array([[0.3, 0.2, 0.1]])
    assert enclosed(surface_of(lone, spray=0.7, voxel=0.25)) == pytest.approx(0.7**3, rel=0.25)
    assert len(surface_of(lone, spray=0.0).phi) == 0 or enclosed(surface_of(lone, spray=0.0)) == 0.0
    thread = lattice((0, 0, 0), (12, 1, 1)) + 0.21
    for company in (ball(2.0), sheet(12), thread):
        whole, calm = surface_of(company), surface_of(company, spray=0.0)
        assert enclosed(calm) == pytest.approx(enclosed(whole), rel=0.05)


def test_drops_of_few_particles_do_not_vanish():
    """Two, eight and thirty particles: between 60 % and 120 % of their volume in every look."""
    for points in (np.array([[0.3, 0.2, 0.1], [1.3, 0.2, 0.1]]), lattice((0, 0, 0), (2, 2, 2)) + 0.13, ball(2.0)):
        for anisotropic, smoothing in LOOKS:
            part = enclosed(surface_of(points, anisotropic=anisotropic, smoothing=smoothing)) / len(points)
            assert 0.6 < part < 1.2


@pytest.mark.parametrize("anisotropic", [False, True])
def test_gradient_is_one_in_the_band(anisotropic: bool):
    """|∇φ| = 1 within 2 % on average and 10 % almost everywhere, two voxels to each side."""
    volume = surface_of(ball(10.2), anisotropic=anisotropic)
    field, _ = dense(volume)
    voxel = volume.voxel_size / SPACING
    slope = np.sqrt(sum(part**2 for part in np.gradient(field, voxel)))[np.abs(field) < 1.9 * voxel]
    assert np.mean(slope) == pytest.approx(1.0, abs=0.02)
    assert np.percentile(np.abs(slope - 1.0), 95) < 0.1


@pytest.mark.parametrize("smoothing", ["3", "5", "satin"])
@pytest.mark.parametrize("anisotropic", [False, True])
def test_flat_surface_is_flat_and_half_a_spacing_above_the_top(anisotropic: bool, smoothing: str):
    """Resting lattice, top layer at 5: surface at 5.5 within 0.02, flat within 0.05 spacings."""
    heights = top_heights(surface_of(lattice((0, 0, 0), (20, 20, 6)), anisotropic=anisotropic, smoothing=smoothing), 5.0, 14.0)
    assert heights == pytest.approx(5.5, abs=0.02)
    assert np.ptp(heights) < 0.05


def test_filter_sizes_are_progressively_smoother():
    """Jittered pool: curvature of the surface falls from none to 3 to 5, and each is smoother with anisotropic blobs."""
    pool = jittered(lattice((0, 0, 0), (20, 20, 5)), 0.2)
    looks = [(anisotropic, smoothing) for anisotropic in (False, True) for smoothing in ("none", "3", "5")]
    rough = {look: roughness(surface_of(pool, anisotropic=look[0], smoothing=look[1]), 4.0, 15.0) for look in looks}
    for anisotropic in (False, True):
        assert rough[anisotropic, "none"] > 1.05 * rough[anisotropic, "3"] > 1.05 * rough[anisotropic, "5"]
    for smoothing in ("none", "3", "5"):
        assert rough[True, smoothing] < 0.8 * rough[False, smoothing]


def test_satin_hides_particles_and_keeps_ridges_at_any_voxel_size():
    """Satin leaves a jittered pool two thirds as rough as 3 × 3 × 3 does, with voxels of ½ and ⅓ spacing alike; ridges of eight
    spacings keep four fifths of their height."""
    pool = jittered(lattice((0, 0, 0), (20, 20, 5)), 0.2)
    light = roughness(surface_of(pool, smoothing="3"), 4.0, 15.0)
    for voxel in (0.5, 1.0 / 3.0):
        assert roughness(surface_of(pool, smoothing="satin", voxel=voxel), 4.0, 15.0) < 0.7 * light
    fine = lattice((0, 0, 0), (32, 12, 9))
    ridged = fine[fine[:, 2] <= 5.0 + 1.5 * np.cos(2.0 * np.pi * fine[:, 0] / 8.0)]
    height = np.ptp(top_heights(surface_of(ridged, smoothing="satin"), 4.0, 8.0))
    assert height > 0.8 * np.ptp(top_heights(surface_of(ridged, smoothing="none"), 4.0, 8.0))


def test_sheet_of_one_particle_is_one_spacing_thick():
    """A sheet one particle thick has no holes and a thickness of one spacing within 12 %."""
    for anisotropic in (False, True):
        volume = surface_of(jittered(sheet(24), 0.15), anisotropic=anisotropic)
        middle = lattice((4, 4, 0), (20, 20, 1)) + [0.0, 0.0, 0.21]
        middle[:, :2] += np.random.default_rng(1).uniform(0.0, 1.0, (len(middle), 2))
        assert np.all(sample(volume, middle) < 0.0)
        assert enclosed(volume) / 24**2 == pytest.approx(1.0, abs=0.12)


def test_stretched_sheet_is_thinner_and_holds_together_longer_with_anisotropic_blobs():
    """Particles 1.3 apart in a sheet: anisotropic blobs keep it whole, and thinner than the lattice sheet."""
    points = sheet(18, stretch=1.3)
    volume = surface_of(points, anisotropic=True)
    inner = (lattice((3, 3, 0), (14, 14, 1)) + [0.5, 0.5, 0.0]) * 1.3 + [0.0, 0.0, 0.21]
    assert np.all(sample(volume, inner) < 0.0)
    assert enclosed(volume) / (17 * 1.3) ** 2 < 0.95


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many blocks each surface works on, kept or not."""
    counts: list[int] = []

    def counted(*arguments: Any) -> Any:
        blocks = find_blocks(*arguments)
        counts.append(len(blocks.key))
        return blocks

    monkeypatch.setattr("solvers.surface.make.find_blocks", counted)
    return counts


def test_memory_follows_the_drops_and_not_the_distance(made: list[int]):
    """Two drops 14 000 spacings apart take as many blocks, at work and in the end, as two drops side by side."""
    drop = ball(4.0)
    near = surface_of(np.concatenate([drop, drop + [40.0, 0.0, 0.0]]))
    far = surface_of(np.concatenate([drop, drop + [8000.0, 8000.0, 8000.0]]))
    assert made[0] == made[1]
    assert far.memory == near.memory


def test_blocks_follow_the_surface(made: list[int]):
    """A box twice as long in every direction needs about four times the blocks, at work and in the end, not eight."""
    kept = [len(surface_of(lattice((0, 0, 0), (side, side, side))).phi) for side in (24, 48)]
    assert kept[1] < 5.0 * kept[0]
    assert made[1] < 5.0 * made[0]


def test_frames_share_one_voxel_grid():
    """Moving everything by eight voxels moves the blocks by one and changes no distance: the grid is fixed in space."""
    points = jittered(ball(4.0), 0.2)
    here, there = surface_of(points), surface_of(points + [4.0, 0.0, 0.0])
    assert np.array_equal(here.origin + [8, 0, 0], there.origin)
    assert here.phi == pytest.approx(there.phi, abs=2e-4 * SPACING)


def test_threads_do_not_change_a_bit():
    """One thread and two give identical arrays."""
    points = jittered(ball(6.0), 0.2)
    velocity = np.random.default_rng(5).normal(size=points.shape)
    results = []
    try:
        for threads in (1, 2):
            set_threads(threads)
            results.append(surface_of(points, velocity=velocity))
    finally:
        set_threads(0)
    for name in ("origin", "phi", "velocity_origin", "velocity"):
        assert np.array_equal(getattr(results[0], name), getattr(results[1], name))


def sphere_points(radius: float, count: int = 2000) -> np.ndarray:
    directions = np.random.default_rng(0).normal(size=(count, 3))
    return radius * directions / np.linalg.norm(directions, axis=1)[:, None]


@pytest.mark.parametrize("voxel", [0.375, 0.5, 0.7])
def test_velocity_grid_reproduces_a_linear_field_at_the_surface(voxel: float):
    """Spinning, shearing ball: right at the surface within 3 % of the largest speed; if jittered, within 1.5 % on average."""
    matrix = np.array([[0.2, -1.0, 0.3], [1.0, 0.1, 0.0], [-0.3, 0.4, -0.3]])
    at = sphere_points(8.0)
    fastest = np.linalg.norm(at @ matrix.T, axis=1).max()
    points = ball(8.0)
    error = sample_velocity(surface_of(points, velocity=points @ matrix.T, voxel=voxel), at) - at @ matrix.T
    assert np.linalg.norm(error, axis=1).max() < 0.03 * fastest
    points = jittered(points, 0.2)
    error = sample_velocity(surface_of(points, velocity=points @ matrix.T, voxel=voxel), at) - at @ matrix.T
    assert np.linalg.norm(error, axis=1).mean() < 0.015 * fastest


@pytest.mark.parametrize("voxel", [0.25, 0.5, 0.8, 1.5])
def test_every_corner_around_the_surface_has_a_velocity(voxel: float):
    """Uniform motion of a jittered ball is sampled exactly all over its surface: no corner of a cell is left at 0."""
    points = jittered(ball(6.0), 0.2)
    volume = surface_of(points, velocity=np.tile([1.0, -2.0, 0.5], (len(points), 1)), voxel=voxel)
    at = sphere_points(6.0)
    slope = np.stack([sample(volume, at + 0.1 * axis) - sample(volume, at - 0.1 * axis) for axis in np.eye(3)], axis=1) / 0.2
    for _ in range(4):
        at = at - sample(volume, at)[:, None] * slope
    assert np.abs(sample(volume, at)).max() < 0.1 * voxel
    assert sample_velocity(volume, at) == pytest.approx(np.tile([1.0, -2.0, 0.5], (len(at), 1)), abs=1e-3)


def test_cloud_without_velocity_or_particles_is_fine():
    """No velocity attribute: no velocity grid. No particles: an empty volume."""
    cloud = {"position": np.zeros((1, 3), np.float32)}
    assert make_surface(cloud, SPACING, SurfaceParams(), None, Silent()).velocity is None
    assert len(surface_of(np.zeros((0, 3))).phi) == 0


def test_diverged_particle_is_an_error_that_counts():
    """A NaN among the positions is refused with the number of bad particles."""
    cloud = {"position": np.array([[0.0, 0.0, 0.0], [np.nan, 0.0, 0.0]], np.float32)}
    with pytest.raises(InvalidScene, match="1 of 2"):
        make_surface(cloud, SPACING, SurfaceParams(), None, Silent())


def test_cancel_is_obeyed_between_phases():
    """The watch is asked several times; a cancel at the third time ends the work."""

    class Impatient(Silent):
        asked = 0

        def poll(self) -> None:
            self.asked += 1
            if self.asked == 3:
                raise Cancelled

    watch = Impatient()
    with pytest.raises(Cancelled):
        make_surface({"position": ball(3.0).astype(np.float32) * SPACING}, SPACING, SurfaceParams(), None, watch)
    assert watch.asked == 3
