"""Compiled code is found again exactly as long as nothing it depends on has changed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from solvers import jit_cache

_CALLEE = "from .jit import inlined\n\n\n@inlined\ndef answer(x):\n    return x + 1.0\n"
_CALLER = "from .jit import kernel\nfrom .callee import answer\n\n\n@kernel\ndef asked(x):\n    return answer(x)\n"
_ASK = "from solvers.caller import asked; print(asked(1.0), sum(asked.stats.cache_hits.values()))"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A package of the same name with two kernels in two files."""
    package = tmp_path / "here" / "solvers"
    package.mkdir(parents=True)
    for name in ("jit.py", "jit_cache.py", "own_copies.py"):
        shutil.copy(jit_cache.SOURCES / name, package)
    (package / "__init__.py").touch()
    (package / "callee.py").write_text(_CALLEE)
    (package / "caller.py").write_text(_CALLER)
    (package / "other.py").write_text("X = 1\n")
    return package


def _ask(package: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[float, int]:
    monkeypatch.setenv("TSUBU_JIT_CACHE", str(package.parents[1] / "cache"))
    done = subprocess.run([sys.executable, "-c", _ASK], cwd=package.parent, capture_output=True, text=True, check=True)
    value, hits = done.stdout.split()
    return float(value), int(hits)


def test_code_follows_the_files_it_calls(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled once; another file does not matter, nor where the sources lie; a changed callee in another file does."""
    assert _ask(tree, monkeypatch) == (2.0, 0)
    assert _ask(tree, monkeypatch) == (2.0, 1)
    (tree / "other.py").write_text("X = 2\n")
    assert _ask(tree, monkeypatch) == (2.0, 1)
    moved = tree.parent.rename(tree.parents[1] / "there") / "solvers"
    assert _ask(moved, monkeypatch) == (2.0, 1)
    (moved / "callee.py").write_text(_CALLEE.replace("1.0", "2.0"))
    assert _ask(moved, monkeypatch) == (3.0, 0)


def test_two_processes_that_compile_at_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two signatures compiled at the same moment never share a file: at worst one is compiled again."""
    monkeypatch.setenv("TSUBU_JIT_CACHE", str(tree.parents[1] / "cache"))
    # The index is read before the other process has written its own: what a race does, made certain.
    race = "from solvers.caller import asked; f = asked._cache._cache_file; f._load_index = dict; print(asked({}))"
    for value in ("1.0", "(1 + 0j)"):
        subprocess.run([sys.executable, "-c", race.format(value)], cwd=tree.parent, check=True)
    [folder] = (tree.parents[1] / "cache" / "caller").iterdir()
    assert len(list(folder.glob("asked-*.nbc"))) == 2
    assert _ask(tree, monkeypatch)[0] == 2.0


def test_imports_are_followed() -> None:
    """A kernel's key holds what it reaches through others, and nothing that it does not."""
    root = jit_cache.SOURCES
    names = {path.relative_to(root).as_posix() for path in jit_cache.all_imported(root / "dem" / "pairs.py")}
    assert {"dem/pairs.py", "jit.py", "simd.py"} <= names and not any(name.startswith(("sph/", "surface/")) for name in names)


def test_old_versions_are_pruned(tmp_path: Path) -> None:
    """Only the most recently used folders of a module stay."""
    for number in range(10):
        (tmp_path / str(number)).mkdir()
    jit_cache.prune(tmp_path / "9")
    assert len(list(tmp_path.iterdir())) == jit_cache._KEPT_VERSIONS and (tmp_path / "9").is_dir()
