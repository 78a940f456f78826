"""Stores in parallel loops that numba (seen with 0.68) takes for dead code and leaves out, without a word.

In the body of a `prange` loop a store counts as dead if its array was made in the same stretch of straight code by anything that
numba does not know to share memory: a field of a named tuple (`walls.plane[i] += …`), `borrowed(array)`. Arrays that are
arguments, or bound before the loop or outside of the stretch, are safe; so are fields handed to a function that stores.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "solvers"
OWN = ("np.empty", "np.zeros", "np.full", "np.ones")
"""What makes an array of the loop's own: nobody else sees it."""


def _is_parallel_loop(node: ast.AST) -> bool:
    return isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "prange"


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.AugAssign):
        return [node.target]
    if isinstance(node, ast.Assign):
        return [part for target in node.targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return []


def _array_of(target: ast.expr) -> ast.expr | None:
    """The array that a store goes to; None if it is no store into an array."""
    if not isinstance(target, ast.Subscript):
        return None
    while isinstance(target, ast.Subscript):
        target = target.value
    return target


def _stretches(body: list[ast.stmt]) -> list[list[ast.stmt]]:
    """A list of statements and all lists nested in it."""
    found = [body]
    for statement in body:
        for name in ("body", "orelse"):
            inner = getattr(statement, name, None)
            if inner:
                found += _stretches(inner)
    return found


def dropped(source: str) -> list[str]:
    """Stores of a module that numba would leave out, as `line: store`."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        if not any("parallel_kernel" in ast.unparse(entry) for entry in function.decorator_list):
            continue
        for loop in (node for node in ast.walk(function) if _is_parallel_loop(node)):
            for stretch in _stretches(loop.body):  # type: ignore[attr-defined]
                made: set[str] = set()
                for statement in stretch:
                    for target in _targets(statement):
                        array = _array_of(target)
                        if array is not None and (not isinstance(array, ast.Name) or array.id in made):
                            found.append(f"{statement.lineno}: {ast.unparse(target)}")
                    if isinstance(statement, ast.Assign) and not ast.unparse(statement.value).startswith(OWN):
                        made |= {target.id for target in _targets(statement) if isinstance(target, ast.Name)}
    return found


@pytest.mark.parametrize(
    ("store", "lost"),
    [
        ("walls.plane[i, 3] += x[i]", True),
        ("plane = borrowed(walls.plane)\n        plane[i] += x[i]", True),
        ("for k in range(3):\n            walls.plane[i, k] = x[k]", True),
        ("plane = borrowed(walls.plane)\n        for k in range(3):\n            plane[i, k] = x[k]", False),
        ("work = np.empty(3)\n        work[0] = x[i]", False),
        ("x[i] += 1.0", False),
        ("put(walls, i, x[i])", False),
    ],
)
def test_the_rule_finds_them(store: str, lost: bool) -> None:
    """What numba was seen to drop is found, what it was seen to keep is not."""
    source = f"@parallel_kernel\ndef run(walls, x):\n    for i in prange(len(x)):\n        {store}\n"
    assert bool(dropped(source)) == lost


def test_no_kernel_loses_a_store() -> None:
    """No parallel kernel of the engine stores where numba would leave it out."""
    lost = {str(path.relative_to(ROOT)): stores for path in sorted(ROOT.rglob("*.py")) if (stores := dropped(path.read_text()))}
    assert not lost
