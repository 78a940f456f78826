"""Imports go one way: panels → operators → bridge → solvers."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ("panels", "operators", "bridge", "solvers")
SHIPPED = {"numpy", "numba", "llvmlite", "openvdb", "pyopenvdb", "pxr"}


def _imports(path: Path) -> set[str]:
    """Absolute names, and relative ones resolved against the repository."""
    here = path.relative_to(ROOT).with_suffix("").parts
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(here[: len(here) - node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            names |= {module} if node.module else {f"{module}.{alias.name}".lstrip(".") for alias in node.names}
    return {name.split(".")[0] for name in names}


def _sources(folder: str) -> list[Path]:
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found, f"{folder}/ holds no source"
    return found


def test_solvers_import_only_what_is_shipped() -> None:
    """solvers/ knows the standard library, numpy, numba, openvdb and pxr: no bpy, nothing above itself."""
    allowed = SHIPPED | set(sys.stdlib_module_names) | {"solvers"}
    wrong = {str(path.relative_to(ROOT)): extra for path in _sources("solvers") if (extra := _imports(path) - allowed)}
    assert not wrong


@pytest.mark.parametrize("layer", LAYERS)
def test_no_layer_looks_up(layer: str) -> None:
    """A layer imports itself and those below it. Panels reach the engine through operators only."""
    below = set(LAYERS[LAYERS.index(layer) :]) if layer != "panels" else {"panels", "operators"}
    wrong = {str(path): extra for path in _sources(layer) if (extra := _imports(path) & (set(LAYERS) - below))}
    assert not wrong


def test_linter_forbids_bpy_in_solvers(tmp_path: Path) -> None:
    """ruff's TID251 refuses `import bpy` in solvers/ and allows it in bridge/."""
    for folder, refused in (("solvers", True), ("bridge", False)):
        command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--stdin-filename", f"{ROOT}/{folder}/example.py", "-"]
        done = subprocess.run(command, input="import bpy\n\nbpy.app\n", capture_output=True, text=True, cwd=ROOT)
        assert ("TID251" in done.stdout) == refused, done.stdout + done.stderr


def test_engine_runs_without_bpy() -> None:
    """Importing everything in solvers/ leaves bpy unloaded."""
    code = (
        "import importlib, pkgutil, sys, solvers\n"
        "for info in pkgutil.walk_packages(solvers.__path__, 'solvers.'):\n"
        "    if not info.name.endswith('__main__'): importlib.import_module(info.name)\n"
        "print('bpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "False"
