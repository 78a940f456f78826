"""Files exist whole or not at all, and the same content gives the same bytes."""

import errno
import zipfile

import numpy as np
import pytest

from solvers.bake import files
from solvers.bake.vdb_bytes import stable_vdb


def test_npz_bytes_do_not_depend_on_time(tmp_path):
    """Two archives of the same arrays are equal and carry no date of their own, and np.load reads them."""
    arrays = {"a/b": np.arange(6.0).reshape(2, 3), "c": np.array([1], np.int64), "empty": np.zeros((0, 3), np.float32)}
    first = files.npz_bytes(arrays)
    files.write_npz(tmp_path / "x.npz", arrays)
    with zipfile.ZipFile(tmp_path / "x.npz") as archive:
        assert {(member.date_time, member.create_system) for member in archive.infolist()} == {((1980, 1, 1, 0, 0, 0), 3)}
    assert (tmp_path / "x.npz").read_bytes() == first
    back = files.read_npz(tmp_path / "x.npz")
    assert list(back) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(back[name], array)
        assert back[name].dtype == array.dtype


def test_failed_write_leaves_the_old_file(tmp_path):
    """An error while writing leaves the old content and no temporary file."""
    path = tmp_path / "x.txt"
    files.write_bytes(path, b"old")
    with pytest.raises(RuntimeError), files.replacing(path) as temporary:
        temporary.write_bytes(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.txt"]


def _grid(seed: int):
    from solvers.bake.modules import openvdb_version

    assert openvdb_version()
    import openvdb

    grid = openvdb.FloatGrid(0.3)
    grid.name = "surface"
    grid.copyFromArray(np.random.default_rng(seed).random((24, 24, 24), dtype=np.float32))
    return openvdb, grid


def test_vdb_bytes_are_stable(tmp_path):
    """The same grid gives the same file, another grid another UUID, and OpenVDB still reads it."""
    openvdb, grid = _grid(0)
    for name in "ab":
        openvdb.write(str(tmp_path / f"{name}.vdb"), [grid], metadata={"dt": 0.04, "who": "x"})
    assert (tmp_path / "a.vdb").read_bytes() != (tmp_path / "b.vdb").read_bytes()
    for name in "ab":
        stable_vdb(tmp_path / f"{name}.vdb")
    first = (tmp_path / "a.vdb").read_bytes()
    assert first == (tmp_path / "b.vdb").read_bytes()
    back = openvdb.read(str(tmp_path / "a.vdb"), "surface")
    values = np.zeros((24, 24, 24), np.float32)
    back.copyToArray(values)
    np.testing.assert_array_equal(values, np.random.default_rng(0).random((24, 24, 24), dtype=np.float32))
    _, other = _grid(1)
    openvdb.write(str(tmp_path / "c.vdb"), [other, grid])
    stable_vdb(tmp_path / "c.vdb")
    assert (tmp_path / "c.vdb").read_bytes()[21:57] != first[21:57]


def test_truncated_vdb_is_noticed(tmp_path):
    """OpenVDB says nothing when the disk is full; the file's own table of grids does."""
    openvdb, grid = _grid(0)
    openvdb.write(str(tmp_path / "a.vdb"), [grid, grid.deepCopy()])
    whole = (tmp_path / "a.vdb").read_bytes()
    for size in (len(whole) - 1, len(whole) // 2, 100, 30):
        (tmp_path / "a.vdb").write_bytes(whole[:size])
        with pytest.raises(OSError) as caught:
            stable_vdb(tmp_path / "a.vdb")
        assert caught.value.errno == errno.ENOSPC


def test_file_names():
    """Names are safe on every system, distinct also where case is ignored."""
    names = files.file_names(("Water", "water", "a/b", "a:b", "粒", "..", "con"))
    assert names["a/b"] == "a_b" and names["a:b"] == "a_b-2" and names["粒"] == "粒"
    assert len({name.casefold() for name in names.values()}) == len(names)
    assert not any(set(name) & set('/\\:*?"<>| ') or name.strip(".") == "" for name in names.values())
    assert [files.frame_label(frame) for frame in (1, 12345, 0, -1)] == ["0001", "12345", "0000", "-0001"]
