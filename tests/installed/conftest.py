"""The built zip, and a Python like the one inside Blender: it has no numba of its own."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tools.package import build, here

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".installed" / f"python{sys.version_info.major}{sys.version_info.minor}"
"""Made anew by every run. At a fixed place, because compiled kernels are kept by the path of their sources."""


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip for this platform and this Python, built from the working tree."""
    name, python = here()
    return build(tmp_path_factory.mktemp("dist"), (name,), (python,), ROOT / "wheels")[0].path


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that sees the packages of this environment, except the compiler."""
    place = tmp_path_factory.mktemp("bare") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    code = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    target = Path(subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip())
    for entry in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not entry.name.startswith(("numba", "llvmlite")) and entry.suffix != ".pth":
            (target / entry.name).symlink_to(entry)
    return python


@pytest.fixture(scope="session")
def resources() -> Path:
    """An empty user folder for Blender; compiled kernels of earlier runs stay beside it."""
    folder = HOME / "user"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


@pytest.fixture(scope="session")
def artist(package: Path, bare_python: Path, resources: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What an artist saw who installed the zip and worked with it."""
    folder = tmp_path_factory.mktemp("artist")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TSUBU_", "PYTHON"))}
    environment |= {"BLENDER_USER_RESOURCES": str(resources), "TSUBU_JIT_CACHE": str(HOME / "jit")}
    command = [str(bare_python), str(Path(__file__).with_name("artist.py")), str(package), str(folder)]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"blender"')]
    assert lines, (done.stdout + done.stderr)[-4000:]
    return json.loads(lines[-1])
