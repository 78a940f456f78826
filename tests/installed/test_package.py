"""Packaging: wheels are fetched once, the manifest lists them, the zip holds what is needed and no more."""

import subprocess
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tools import wheels
from tools.package import ROOT, manifest_text
from tools.wheels import PLATFORMS, PYTHONS, PackagingError, Wheel, gather, pinned_versions, wanted_wheels

LINUX = Wheel("numba", "0.68.1", "3.11", "linux-x64")


def _wheel(folder: Path, name: str) -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("numba/__init__.py", "")
    return path


def test_every_platform_and_python_is_wanted() -> None:
    """Two libraries for three platforms and two Pythons, in the versions that the tests run with."""
    import llvmlite
    import numba

    wanted = wanted_wheels(tuple(PLATFORMS), PYTHONS)
    assert len(set(wanted)) == 12 and {wheel.platform for wheel in wanted} == {"linux-x64", "windows-x64", "macos-arm64"}
    assert pinned_versions() == {"numba": numba.__version__, "llvmlite": llvmlite.__version__}


def test_cache_is_keyed_by_version_python_and_platform(tmp_path: Path) -> None:
    """A fetched file serves only its own version, Python and platform, and only if it is whole."""
    for other in ("numba-0.67.0-cp311-cp311", "numba-0.68.1-cp313-cp313"):
        _wheel(tmp_path, f"{other}-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl")
    _wheel(tmp_path, "numba-0.68.1-cp311-cp311-win_amd64.whl")
    torn = tmp_path / "numba-0.68.1-cp311-cp311-manylinux_2_27_x86_64.whl"
    torn.write_bytes(b"PK\x03\x04 torn")
    assert LINUX.find(tmp_path) is None
    right = _wheel(tmp_path, "numba-0.68.1-cp311-cp311-manylinux_2_28_x86_64.whl")
    assert LINUX.find(tmp_path) == right


def test_second_run_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the folder is not downloaded again; what is missing is, once, and lies there whole."""
    calls: list[list[str]] = []

    def pip(command: list[str], **_: Any) -> subprocess.CompletedProcess:
        calls.append(command)
        _wheel(Path(command[command.index("--dest") + 1]), "numba-0.68.1-cp311-cp311-manylinux_2_28_x86_64.whl")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(wheels.subprocess, "run", pip)
    first, second = gather([LINUX], tmp_path), gather([LINUX], tmp_path)
    assert first == second and len(calls) == 1
    assert [path.name for path in tmp_path.iterdir()] == [first[0].name]


def test_failed_download_names_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a network the message says what is missing and for what."""
    monkeypatch.setattr(
        wheels.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1, "", "no route to host")
    )
    with pytest.raises(PackagingError, match=r"numba 0\.68\.1 for Python 3\.11 on linux-x64 .* no route to host"):
        gather([LINUX], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_manifest_lists_wheels_before_its_tables() -> None:
    """The completed manifest is the repository's with wheels and platforms; the repository itself lists no wheels."""
    source = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
    assert "wheels" not in tomllib.loads(source)
    done = tomllib.loads(manifest_text(source, [Path("a/numba-1.whl"), Path("b/llvmlite-2.whl")], ("linux-x64",)))
    assert done["wheels"] == ["./wheels/numba-1.whl", "./wheels/llvmlite-2.whl"] and done["platforms"] == ["linux-x64"]
    rest = {name: value for name, value in tomllib.loads(source).items() if name != "platforms"}
    assert {name: done[name] for name in rest} == rest
    with pytest.raises(PackagingError, match="permissions"):
        manifest_text("id = 'x'\n", [], ())


def test_zip_holds_what_is_needed_and_no_more(package: Path) -> None:
    """All sources of the four layers and the licence; no tests, tools, documents, caches, hidden files or numpy."""
    with zipfile.ZipFile(package) as archive:
        names = set(archive.namelist())
    for layer in ("panels", "operators", "bridge", "solvers"):
        sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / layer).rglob("*.py")}
        assert sources <= names
    assert {"__init__.py", "blender_manifest.toml", "LICENSE"} <= names
    tops = {name.split("/")[0] for name in names}
    assert tops == {
        "__init__.py",
        "blender_manifest.toml",
        "LICENSE",
        "README.md",
        "wheels",
        "panels",
        "operators",
        "bridge",
        "solvers",
        "examples",
    }
    assert "examples/dam_break.py" in names and "examples/studio.py" in names and "examples/blend.py" not in names
    assert not [name for name in names if "__pycache__" in name or "/." in name or name.startswith("wheels/numpy")]
    assert len([name for name in names if name.endswith(".whl")]) == 2
