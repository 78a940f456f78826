import numpy as np
import pytest

from solvers.scene import Collider, Mesh
from solvers.walls.walls import Walls
from solvers.watch import Silent
from tests.verification.surface_shapes import SPACING, dense, jittered, lattice, sample, surface_of, top_heights

SIDE = 14


def walls_of(*meshes: Mesh) -> Walls:
    colliders = [Collider(f"Wall {number}", mesh) for number, mesh in enumerate(meshes)]
    return Walls(colliders, reach=2.0 * SPACING, frames_per_second=24.0, frame_start=1, watch=Silent())


def scaled(*corner: float) -> tuple[float, float, float]:
    x, y, z = (part * SPACING for part in corner)
    return x, y, z


TANKS = {
    "solid": Mesh.box(scaled(0, 0, 0), scaled(SIDE, SIDE, 30), inward=True),
    "sheet": Mesh.open_box(scaled(0, 0, 0), scaled(SIDE, SIDE, 30)),
}
POOL = lattice((0, 0, 0), (SIDE, SIDE, 6)) + 0.5


@pytest.mark.parametrize("tank", TANKS)
@pytest.mark.parametrize(("anisotropic", "smoothing"), [(False, "none"), (False, "5"), (True, "3"), (True, "5")])
def test_pool_fills_the_tank_to_the_walls(tank: str, anisotropic: bool, smoothing: str):
    """No gap: floor, walls, edges and corners of the tank are inside the surface, which ends 0.25 spacings behind them."""
    volume = surface_of(POOL, walls_of(TANKS[tank]), anisotropic=anisotropic, smoothing=smoothing, wall_overlap=0.25)
    line = np.linspace(0.0, SIDE, 29)
    floor = np.array([(x, y, 0.0) for x in line for y in line])
    side = np.array([(x, y, z) for x in (0.0, SIDE) for y in line for z in np.linspace(0.0, 5.0, 9)])
    for face in (floor, side, side[:, [1, 0, 2]]):
        assert np.all(sample(volume, face) < 0.0)
    middle = np.linspace(3.0, SIDE - 3.0, 9)
    floor_end = np.array([(x, y, -0.25) for x in middle for y in middle])
    side_end = np.array([(end, y, 2.0) for end in (-0.25, SIDE + 0.25) for y in middle])
    assert sample(volume, floor_end) == pytest.approx(0.0, abs=0.05)
    assert sample(volume, side_end) == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("tank", TANKS)
@pytest.mark.parametrize(("anisotropic", "smoothing"), [(False, "3"), (False, "5"), (True, "3"), (True, "5")])
def test_free_surface_meets_the_walls_level(tank: str, anisotropic: bool, smoothing: str):
    """No bump, no rounded rim: the water level is 6 within 0.05 spacings from wall to wall, corners included."""
    volume = surface_of(POOL, walls_of(TANKS[tank]), anisotropic=anisotropic, smoothing=smoothing)
    assert top_heights(volume, 0.0, SIDE) == pytest.approx(6.0, abs=0.05)


def test_rim_of_a_restless_pool_is_no_rougher_than_its_middle():
    """Jittered water: the outer two spacings are as high as the middle within 0.05, and at most half again as uneven."""
    heights = top_heights(surface_of(jittered(POOL, 0.15), walls_of(TANKS["solid"])), 0.0, SIDE)
    rim = np.ones(heights.shape, bool)
    rim[5:-5, 5:-5] = False
    assert heights[rim].mean() == pytest.approx(heights[~rim].mean(), abs=0.05)
    assert heights[rim].std() < 1.5 * heights[~rim].std() + 0.01


@pytest.mark.parametrize("overlap", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("thickness", [0.0, 0.3, 1.0])
def test_water_on_a_thin_shelf_does_not_show_below_it(thickness: float, overlap: float):
    """A pool on a shelf, a sheet or a thin plate: nothing of it lies deeper below the upper face than the overlap."""
    if thickness == 0.0:
        shelf = Mesh.rectangle(scaled(-20, -20, 0), scaled(60, 0, 0), scaled(0, 60, 0))
    else:
        shelf = Mesh.box(scaled(-20, -20, -thickness), scaled(40, 40, 0))
    volume = surface_of(POOL, walls_of(shelf), wall_overlap=overlap)
    field, low = dense(volume)
    inside = np.argwhere(field < 0.0)
    voxel = volume.voxel_size / SPACING
    assert ((inside[:, 2] + low[2]) * voxel).min() >= -overlap - 1e-6
    middle = np.array([(x, y, -overlap) for x in np.linspace(4.0, 10.0, 5) for y in np.linspace(4.0, 10.0, 5)])
    assert sample(volume, middle) == pytest.approx(0.0, abs=0.08)


def test_water_over_a_convex_edge_is_not_carved():
    """Water lying on a block and hanging down beside it: the corner of the water beyond the block's edge stays whole."""
    block = Mesh.box(scaled(-20, -20, -20), scaled(0, 40, 0))
    above = lattice((-8, 0, 0), (4, 12, 4)) + 0.5
    beside = lattice((0, 0, -8), (4, 12, 0)) + 0.5
    volume = surface_of(np.concatenate([above, beside]), walls_of(block))
    free = np.array([(x, y, z) for x in (0.3, 1.0, 2.0, 3.0) for y in (3.0, 5.3, 8.0) for z in (-4.0, -1.0, -0.3, 0.4, 1.5, 3.0)])
    assert np.all(sample(volume, free) < 0.0)
    deep = np.array([(x, y, z) for x in (-6.0, -3.0, -1.5) for y in (3.0, 6.0, 9.0) for z in (-1.5, -3.0)])
    assert np.all(sample(volume, deep) > 0.0)


def test_far_wall_changes_nothing():
    """A wall beyond reach leaves the surface as it is without walls, to the last bit."""
    alone = surface_of(POOL)
    beside = surface_of(POOL, walls_of(Mesh.box(scaled(40, 0, 0), scaled(45, 5, 5))))
    assert np.array_equal(alone.origin, beside.origin[np.isin(beside.origin, alone.origin).all(axis=1)])
    field, low = dense(alone)
    other, corner = dense(beside)
    assert np.array_equal(low, corner) and np.array_equal(field, other)
