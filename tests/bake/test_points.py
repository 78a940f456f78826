"""Point caches hold the same numbers in both formats, small and with the same bytes every time."""

import os

import numpy as np
import pytest

from solvers import BakeFolderError
from solvers.bake.modules import blender_modules, points_format
from solvers.bake.points import read_points, write_points


def _points(count: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(count)
    return {
        "position": generator.normal(size=(count, 3)).astype(np.float32),
        "velocity": generator.normal(size=(count, 3)).astype(np.float32),
        "id": generator.permutation(count).astype(np.int32) + 2**25,
        "radius": generator.random(count, dtype=np.float32),
        "age": generator.random(count, dtype=np.float32),
        "body": generator.integers(0, 3, count, dtype=np.int32),
        "stretch": generator.random((count, 3), dtype=np.float32),
    }


@pytest.mark.parametrize("count", [0, 1, 7, 5000])
@pytest.mark.parametrize("suffix", ["usdc", "ply"])
def test_points_read_back_bit_for_bit(count, suffix, tmp_path):
    """What is read is what was written: names, types, shapes and bits; 0 and 1 particles included."""
    given = _points(count)
    path = tmp_path / f"p.{suffix}"
    write_points(path, given)
    back = read_points(path)
    assert set(back) == set(given)
    for name, array in given.items():
        assert back[name].dtype == array.dtype and back[name].shape == array.shape, name
        assert back[name].tobytes() == array.tobytes(), name


@pytest.mark.parametrize("suffix", ["usdc", "ply"])
def test_points_are_small_and_stable(suffix, tmp_path):
    """At most 40 bytes a particle for position, velocity, id and radius; the same points give the same bytes."""
    count = 20_000
    slim = {name: array for name, array in _points(count).items() if name in ("position", "velocity", "id", "radius")}
    for name in "ab":
        write_points(tmp_path / f"{name}.{suffix}", slim)
    assert os.path.getsize(tmp_path / f"a.{suffix}") / count <= 40.0
    assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_usd_is_what_blender_reads(tmp_path):
    """Prim /pts with widths of twice the radius, velocities, and vertex primvars pid and age; z up, metres."""
    given = _points(10)
    write_points(tmp_path / "p.usdc", given)
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(str(tmp_path / "p.usdc"))
    prim = UsdGeom.Points(stage.GetPrimAtPath("/pts"))
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    np.testing.assert_array_equal(np.array(prim.GetWidthsAttr().Get()), given["radius"] * 2)
    np.testing.assert_array_equal(np.array(prim.GetVelocitiesAttr().Get()), given["velocity"])
    for name, kind in (("pid", "int[]"), ("age", "float[]"), ("stretch", "float3[]")):
        primvar = UsdGeom.PrimvarsAPI(prim).GetPrimvar(name)
        assert primvar.GetInterpolation() == "vertex" and str(primvar.GetTypeName()) == kind


def test_ply_header(tmp_path):
    """Properties are called as the playback nodes expect them."""
    write_points(tmp_path / "p.ply", _points(2))
    header = (tmp_path / "p.ply").read_bytes().split(b"end_header")[0].decode()
    names = [line.split()[2] for line in header.splitlines() if line.startswith("property")]
    assert names[:8] == ["x", "y", "z", "vx", "vy", "vz", "pid", "radius"]
    assert "property int pid" in header and "element vertex 2" in header


@pytest.mark.parametrize("suffix", ["usdc", "ply"])
def test_damaged_points_are_named(suffix, tmp_path):
    """Truncated, foreign and missing files raise an error with the path."""
    path = tmp_path / f"p.{suffix}"
    with pytest.raises(BakeFolderError, match=f"p.{suffix} is missing"):
        read_points(path)
    write_points(path, _points(1000))
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(BakeFolderError, match=f"p.{suffix}"):
        read_points(path)
    path.write_bytes(b"hello")
    with pytest.raises(BakeFolderError, match=f"p.{suffix}"):
        read_points(path)


def test_wrong_shapes_are_refused(tmp_path):
    """An attribute of another length never reaches a file."""
    with pytest.raises(ValueError, match=r"'age'.*\(3,\)"):
        write_points(tmp_path / "p.ply", {**_points(4), "age": np.zeros(3)})
    assert not (tmp_path / "p.ply").exists()


def test_format_can_be_forced(monkeypatch):
    """USD where it is there; TSUBU_POINTS decides by hand."""
    assert blender_modules().usd and points_format() == "usdc"
    monkeypatch.setenv("TSUBU_POINTS", "ply")
    assert points_format() == "ply"
