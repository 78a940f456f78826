from pathlib import Path

import numpy as np
import pytest

from solvers.bake.modules import blender_modules
from solvers.jit import set_threads
from solvers.surface import write_vdb
from tests.verification.surface_shapes import SPACING, ball, dense, enclosed, jittered, lattice, surface_of

if not blender_modules().openvdb:
    pytest.skip("this Python has no openvdb", allow_module_level=True)
import openvdb


def written(path: Path, points: np.ndarray, **settings):
    """Surface of a cloud that spins about z, and the grids of its file."""
    velocity = np.stack([-points[:, 1], points[:, 0], np.ones(len(points))], axis=1) if len(points) else points
    volume = surface_of(points, velocity=velocity, **settings)
    write_vdb(path, volume, {"frame": 7})
    return volume, {grid.name: grid for grid in openvdb.readAll(str(path))[0]}


def test_file_holds_the_level_set_and_the_velocity(tmp_path: Path):
    """Read back: class, background, transform and every distance (half floats) are those of the volume; inside is negative."""
    volume, grids = written(tmp_path / "a.vdb", jittered(ball(6.0), 0.2))
    surface, velocity = grids["surface"], grids["velocity"]
    assert surface.gridClass == openvdb.GridClass.LEVEL_SET
    assert surface.background == pytest.approx(3.0 * volume.voxel_size, rel=1e-3)
    assert surface.transform.indexToWorld((2, 0, 0)) == pytest.approx((2.0 * volume.voxel_size, 0.0, 0.0))
    assert velocity.transform.indexToWorld((0, 3, 0)) == pytest.approx((0.0, 6.0 * volume.voxel_size, 0.0))
    field, low = dense(volume)
    stored = np.zeros(field.shape, np.float32)
    surface.copyToArray(stored, ijk=tuple(int(part) for part in low))
    assert stored / SPACING == pytest.approx(field, abs=2e-3)
    assert stored[tuple(np.array(stored.shape) // 2)] < 0.0
    assert surface.activeVoxelCount() == int((np.abs(volume.phi) < volume.background).sum())
    assert volume.velocity is not None and volume.velocity_origin is not None
    block = np.zeros((4, 4, 4, 3), np.float32)
    velocity.copyToArray(block, ijk=tuple(volume.velocity_origin[3].tolist()))
    assert block == pytest.approx(volume.velocity[3], rel=2e-3, abs=2e-3)
    assert openvdb.readMetadata(str(tmp_path / "a.vdb"))["frame"] == 7


def test_mesh_of_the_file_is_closed_and_has_the_right_volume(tmp_path: Path):
    """OpenVDB's own mesher finds a closed surface of the ball's volume within 3 %: the flood fill left no false inside."""
    points = ball(7.0)
    _, grids = written(tmp_path / "a.vdb", points)
    vertices, triangles, quads = grids["surface"].convertToPolygons()
    faces = np.concatenate([triangles, quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(int)
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    assert np.all(np.unique(edges, axis=0, return_counts=True)[1] == 2)
    a, b, c = (vertices[faces[:, corner]].astype(np.float64) / SPACING for corner in range(3))
    volume = abs(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0
    assert volume == pytest.approx(len(points), rel=0.03)


def test_large_body_has_no_false_inside(tmp_path: Path):
    """A hollow box wider than a tile of OpenVDB, with a drop in its middle: every stored sign is right."""
    points = lattice((0, 0, 0), (40, 30, 30)) + 0.3
    hollow = points[~np.all((points > 6.0) & (points < np.array([34.0, 24.0, 24.0])), axis=1)]
    cloud = np.concatenate([hollow, ball(2.5) + [20.0, 15.0, 15.0]])
    volume, grids = written(tmp_path / "a.vdb", cloud)
    field, low = dense(volume)
    stored = np.zeros(field.shape, np.float32)
    grids["surface"].copyToArray(stored, ijk=tuple(int(part) for part in low))
    sure = np.abs(field) > 0.01
    assert np.array_equal(stored[sure] < 0.0, field[sure] < 0.0)
    assert enclosed(volume) == pytest.approx(len(cloud), rel=0.03)


def test_bytes_depend_on_nothing_but_the_particles(tmp_path: Path):
    """Written twice, with one thread and with two: the same bytes."""
    points = jittered(ball(5.0), 0.2)
    try:
        for name, threads in (("a", 1), ("b", 2), ("c", 2)):
            set_threads(threads)
            written(tmp_path / f"{name}.vdb", points)
    finally:
        set_threads(0)
    contents = {name: (tmp_path / f"{name}.vdb").read_bytes() for name in "abc"}
    assert contents["a"] == contents["b"] == contents["c"]


def test_empty_frame_is_a_valid_file(tmp_path: Path):
    """No particles: both grids are there, empty, with the frame's voxel size; nothing unfinished is left in the folder."""
    _, grids = written(tmp_path / "a.vdb", np.zeros((0, 3)))
    assert set(grids) == {"surface", "velocity"}
    assert grids["surface"].empty() and grids["velocity"].empty()
    assert grids["surface"].transform.voxelSize() == pytest.approx((0.5 * SPACING,) * 3)
    assert [path.name for path in tmp_path.iterdir()] == ["a.vdb"]


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A full disk while writing: the frame that was there stays as it was, the unfinished one goes."""
    written(tmp_path / "a.vdb", ball(2.0))
    before = (tmp_path / "a.vdb").read_bytes()

    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("solvers.surface.vdb.stable_vdb", full)
    with pytest.raises(OSError, match="No space"):
        written(tmp_path / "a.vdb", ball(3.0))
    assert (tmp_path / "a.vdb").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.vdb"]
