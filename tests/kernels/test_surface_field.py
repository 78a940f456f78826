import numpy as np
import pytest

from solvers.surface.blobs import TABLE_SIZE, WEIGHT, WeightTable, make_blobs
from solvers.surface.blocks import EDGE, Blocks, find_blocks
from solvers.surface.cells import sort_into_cells
from solvers.surface.distance import HALF_WIDTH, signed_distance
from solvers.surface.field import Cuts, density_volume, filter_of, gaussian_filter

VOXEL = np.float32(0.5)


def full_blocks(side: int) -> Blocks:
    """A cube of side³ blocks that begins at block (4, 4, 4)."""
    position = np.stack(np.meshgrid(*[np.arange(16.0, 16.0 + 4.0 * side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) + 0.5
    cells = sort_into_cells(position.astype(np.float32), 2.0)
    blocks = find_blocks(cells, np.ones(len(position), bool), 0.0, 0.5, np.full(3, 40))
    assert len(blocks.key) == side**3
    return blocks


def voxels(blocks: Blocks) -> np.ndarray:
    """Positions of all voxels [spacings], (b, 8, 8, 8, 3)."""
    within = np.stack(np.meshgrid(*[np.arange(EDGE)] * 3, indexing="ij"), axis=-1)
    return (blocks.index[:, None, None, None] * EDGE + within) * 0.5


def test_density_volume_is_the_sum_of_all_blobs():
    """Anisotropic blobs of 80 particles, one of them cut by a wall: every voxel as the formula Σ w (1−q)² gives it."""
    random = np.random.default_rng(4)
    count = 80
    position = random.uniform(17.0, 23.0, (count, 3)).astype(np.float32)
    cells = sort_into_cells(position, 2.0)
    frame = np.linalg.qr(random.normal(size=(count, 3, 3)))[0]
    axes = np.einsum("nij,nj,nkj->nik", frame, random.uniform(0.6, 4.0, (count, 3)), frame)
    shift = random.uniform(-0.3, 0.3, (3, count)).astype(np.float32)
    table = WeightTable(np.linspace(0.5, 2.0, TABLE_SIZE).astype(np.float32), np.float32(100.0))
    flat = np.ascontiguousarray(axes.reshape(count, 9)[:, [0, 4, 8, 1, 2, 5]].astype(np.float32))
    density = random.uniform(1.0, 20.0, count).astype(np.float32)
    blob = make_blobs(cells, density, flat, shift, 2.0, table)
    expected = np.interp(np.log(density) * 100.0, np.arange(TABLE_SIZE), table.value) * 8.0 / np.sqrt(np.linalg.det(axes))
    assert blob[:, WEIGHT] == pytest.approx(expected, rel=1e-3)
    plane = np.zeros((1, 3, 4), np.float32)
    plane[0, 0] = (0.6, 0.0, 0.8, -28.0)
    of = np.full(count, -1, np.int32)
    of[5] = 0
    one = np.ones(1, np.int32)
    blocks = full_blocks(2)
    volume = np.zeros(len(blocks.key) * EDGE**3, np.float32)
    behind = np.zeros((2, volume.size), np.float32)
    cuts = Cuts(of, plane, one, one * 0, np.float32(0.25))
    for part in ((0, 3), (3, 8)):
        density_volume(cells, blob, cuts, blocks, part, VOXEL, np.float32(2.5), volume, behind)
    at = voxels(blocks)
    total = np.zeros(at.shape[:4])
    centre = np.stack([cells.x, cells.y, cells.z], axis=1)[:count] + shift.T
    for i in range(count):
        d = at - centre[i]
        q = np.sqrt(np.einsum("...i,ij,...j->...", d, np.linalg.inv(axes[i]), d))
        part = expected[i] * np.maximum(0.0, 1.0 - q) ** 2
        if i == 5:
            part = part * np.clip((at @ plane[0, 0, :3] - 28.0 + 0.25) / 0.5 + 0.5, 0.0, 1.0)
        total += part
    assert volume.reshape(total.shape) == pytest.approx(total, abs=2e-3 * total.max())


@pytest.mark.parametrize("size", ["3", "5", "satin"])
def test_filter_is_the_separable_gaussian_across_blocks(size: str):
    """A random volume over 3³ blocks: inside, the same as filtering the joined array along each axis."""
    blocks = full_blocks(3)
    random = np.random.default_rng(5)
    whole = random.uniform(0.0, 2.0, (24, 24, 24)).astype(np.float32)
    volume = np.concatenate([whole[tuple(slice(8 * (n - 4), 8 * (n - 4) + 8) for n in index)].ravel() for index in blocks.index])
    result = np.empty_like(volume)
    taps = filter_of(size, 0.5).taps
    gaussian_filter(volume, blocks.beside, taps, result)
    expected = whole
    for axis in range(3):
        expected = np.apply_along_axis(lambda line: np.convolve(line, taps, "same"), axis, expected)
    middle = result.reshape(-1, 8, 8, 8)[13]
    assert middle == pytest.approx(expected[8:16, 8:16, 8:16], abs=1e-5)


@pytest.mark.parametrize("voxel", [0.1, 0.25, 0.5, 1.0])
def test_satin_is_as_wide_at_any_voxel_size(voxel: float):
    """All passes together have the standard deviation 0.7 spacings, and one pass reaches at most a block."""
    satin = filter_of("satin", voxel)
    place = (np.arange(len(satin.whole)) - len(satin.whole) // 2) * voxel
    assert np.sqrt((satin.whole * place**2).sum()) == pytest.approx(0.7, rel=0.01)
    assert satin.whole.sum() == pytest.approx(1.0, abs=1e-5)
    assert len(satin.taps) // 2 <= 8


def test_distance_of_a_sphere_is_exact_in_the_band():
    """F = (1 + (r − |x|)/12)² has its level 1 at r: |x| − r comes out within 1 % of a voxel there, 10 % at the edge."""
    blocks = full_blocks(4)
    at = voxels(blocks)
    away = np.linalg.norm(at - np.array([24.1, 23.8, 24.3]), axis=-1) / 0.5
    volume = np.maximum(0.0, 1.0 + (9.3 - away) / 12.0).astype(np.float32) ** 2
    phi = np.empty(volume.size, np.float32)
    signed_distance(volume.ravel(), blocks.beside, (0, len(blocks.key)), phi)
    true = (away - 9.3).ravel()
    band = np.abs(true) < HALF_WIDTH - 0.2
    close = np.abs(true) < 0.5
    assert np.abs(phi - true)[close].max() < 0.01
    assert np.abs(phi - true)[band].max() < 0.1
    assert np.all(np.abs(phi[np.abs(true) > HALF_WIDTH + 0.3]) == HALF_WIDTH)
    assert np.array_equal(phi < 0.0, true < 0.0)
