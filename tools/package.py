"""Builds the extension's zips, one for each platform, with Blender's own packer.

python -m tools.package            every platform and Python, into dist/
python -m tools.package --here     this platform and this Python only, for tests
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tools.wheels import PLATFORMS, PYTHONS, ROOT, PackagingError, gather, wanted_wheels

MANIFEST = "blender_manifest.toml"
_HEADING = "[permissions]"
"""A list at the top of the manifest has to stand before this table."""


class Built(NamedTuple):
    """One finished zip."""

    path: Path
    megabytes: float


def packer() -> Path:
    """Blender's `blender_ext.py`, found beside the installed bpy without importing it."""
    found = find_spec("bpy")
    places = list(found.submodule_search_locations or ()) if found else []
    tools = sorted(path for place in places for path in Path(place).glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    if not tools:
        raise PackagingError("Blender's packer was not found: install the bpy wheel (make environment).")
    return tools[-1]


def here() -> tuple[str, str]:
    """Blender's name of this platform, and this Python."""
    system = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}.get(platform.system(), platform.system().lower())
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine().lower())
    name = f"{system}-{machine}"
    if name not in PLATFORMS:
        raise PackagingError(f"Tsubu is not packaged for {name}; known are {', '.join(PLATFORMS)}.")
    return name, f"{sys.version_info.major}.{sys.version_info.minor}"


def manifest_text(source: str, wheels: list[Path], platforms: tuple[str, ...]) -> str:
    """The manifest with its wheels listed and its platforms narrowed to those that are packaged."""
    listed = "wheels = [\n" + "".join(f"  {json.dumps('./wheels/' + path.name)},\n" for path in wheels) + "]\n\n"
    if source.count(f"\n{_HEADING}\n") != 1:
        raise PackagingError(f"{MANIFEST} has to hold one table {_HEADING}.")
    text = source.replace(f"\n{_HEADING}\n", f"\n{listed}{_HEADING}\n")
    lines = [
        f"platforms = {json.dumps(list(platforms))}" if line.startswith("platforms = ") else line for line in text.split("\n")
    ]
    return "\n".join(lines)


def _excluded(manifest: str) -> set[str]:
    """Names at the top of the repository that the manifest leaves out ("/docs/")."""
    patterns = tomllib.loads(manifest)["build"]["paths_exclude_pattern"]
    return {pattern.strip("/") for pattern in patterns if pattern.startswith("/")}


def stage(root: Path, place: Path, wheels: list[Path], platforms: tuple[str, ...]) -> None:
    """Lays out in `place` what is packed: the sources, the wheels, the completed manifest."""
    source = (root / MANIFEST).read_text(encoding="utf-8")
    left_out = _excluded(source) | {MANIFEST}
    for path in sorted(root.iterdir()):
        if path.name in left_out or path.name.startswith("."):
            continue
        if path.is_dir():
            shutil.copytree(path, place / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(path, place / path.name)
    (place / "wheels").mkdir()
    for wheel in wheels:
        try:
            os.link(wheel, place / "wheels" / wheel.name)
        except OSError:  # another disk, or a file system without links
            shutil.copy2(wheel, place / "wheels" / wheel.name)
    (place / MANIFEST).write_text(manifest_text(source, wheels, platforms), encoding="utf-8")


def _run(*words: str | Path) -> str:
    done = subprocess.run([sys.executable, str(packer()), *map(str, words)], capture_output=True, text=True)
    said = (done.stdout + done.stderr).strip()
    if done.returncode:
        raise PackagingError(f"Blender's packer refused ({' '.join(map(str, words[:1]))}):\n{said}")
    return said


def build(out: Path, platforms: tuple[str, ...], pythons: tuple[str, ...], wheels: Path, root: Path = ROOT) -> list[Built]:
    """Builds and validates the zips of `platforms` into `out`; returns them."""
    files = gather(wanted_wheels(platforms, pythons), wheels)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".tmp-") as place:
        source, target = Path(place) / "source", Path(place) / "built"
        source.mkdir(), target.mkdir()
        stage(root, source, files, platforms)
        _run("validate", source)
        _run("build", "--source-dir", source, "--output-dir", target, "--split-platforms")
        built = []
        for path in sorted(target.glob("*.zip")):
            _run("validate", path)
            final = out / path.name
            os.replace(path, final)
            built.append(Built(final, final.stat().st_size / 1e6))
    if len(built) != len(platforms):
        raise PackagingError(f"{len(platforms)} zips were expected, {len(built)} were built.")
    return built


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.package", description=__doc__)
    parser.add_argument("--here", action="store_true", help="only for this platform and this Python")
    parser.add_argument("--python", action="append", metavar="X.Y", help="carry wheels for this Python (may be repeated)")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--wheels", type=Path, default=ROOT / "wheels", help="where downloads are kept")
    arguments = parser.parse_args()
    try:
        name, python = here() if arguments.here else ("", "")
        platforms, pythons = ((name,), (python,)) if arguments.here else (tuple(PLATFORMS), PYTHONS)
        built = build(arguments.out, platforms, tuple(arguments.python or pythons), arguments.wheels)
    except PackagingError as error:
        print(error, file=sys.stderr)
        return 1
    for item in built:
        print(f"{item.megabytes:6.1f} MB  {item.path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
