"""The compiled libraries a package carries: fetched once into wheels/, found there ever after.

The versions are the ones that requirements-dev.txt pins, so that what is tested is what is shipped.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = ("numba", "llvmlite")
"""Never numpy: Blender has its own."""
PYTHONS = ("3.11", "3.13")
"""Pythons of Blender 4.5 and 5.0, and of 5.1 and later."""
PLATFORMS: dict[str, tuple[str, ...]] = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64"),
    "windows-x64": ("win_amd64",),
    "macos-arm64": ("macosx_12_0_arm64",),
}
"""Blender's name of a platform → the tags that pip accepts for it."""


class PackagingError(Exception):
    """A package cannot be made. The message says what is missing."""


class Wheel(NamedTuple):
    """One library for one Python and one platform."""

    library: str
    version: str
    python: str
    platform: str

    def find(self, folder: Path) -> Path | None:
        """The fetched file, if it is there and whole."""
        tag = "cp" + self.python.replace(".", "")
        for path in sorted(folder.glob(f"{self.library}-{self.version}-{tag}-*.whl")):
            if any(name in path.name for name in PLATFORMS[self.platform]) and zipfile.is_zipfile(path):
                return path
        return None

    def fetch(self, folder: Path) -> Path:
        """Downloads the file with pip, whole or not at all."""
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".tmp-") as place:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            command += ["--only-binary=:all:", "--python-version", self.python, "--dest", place]
            command += [word for name in PLATFORMS[self.platform] for word in ("--platform", name)]
            done = subprocess.run([*command, f"{self.library}=={self.version}"], capture_output=True, text=True)
            found = sorted(Path(place).glob("*.whl"))
            if done.returncode or len(found) != 1:
                words = (done.stderr or done.stdout).strip()[-500:]
                raise PackagingError(
                    f"{self.library} {self.version} for Python {self.python} on {self.platform} could not be downloaded: {words}"
                )
            return Path(shutil.move(found[0], folder / found[0].name))


def pinned_versions(requirements: Path = ROOT / "requirements-dev.txt") -> dict[str, str]:
    """Library → version, of the libraries that are shipped."""
    text = requirements.read_text(encoding="utf-8")
    found = {name: match[1] for name in LIBRARIES if (match := re.search(rf"^{name}==(\S+)$", text, re.MULTILINE))}
    if missing := sorted(set(LIBRARIES) - set(found)):
        raise PackagingError(f"{requirements} pins no version of {', '.join(missing)}.")
    return found


def wanted_wheels(platforms: tuple[str, ...], pythons: tuple[str, ...]) -> list[Wheel]:
    """Every library for every platform and Python."""
    versions = pinned_versions()
    return [Wheel(name, versions[name], python, platform) for platform in platforms for python in pythons for name in LIBRARIES]


def gather(wanted: list[Wheel], folder: Path) -> list[Path]:
    """The files of all `wanted`, downloading only what is not in `folder` yet."""
    found = []
    for wheel in wanted:
        path = wheel.find(folder)
        if path is None:
            print(f"Downloading {wheel.library} {wheel.version} for Python {wheel.python}, {wheel.platform}", flush=True)
            path = wheel.fetch(folder)
        found.append(path)
    return found
