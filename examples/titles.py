"""Which examples there are, read without importing them: a menu must not run anything."""

import ast
from pathlib import Path

HERE = Path(__file__).resolve().parent


def titles() -> dict[str, str]:
    """Name → title of every example."""
    found: dict[str, str] = {}
    for path in sorted(HERE.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                if any(isinstance(target, ast.Name) and target.id == "TITLE" for target in node.targets):
                    found[path.stem] = str(node.value.value)
    return found
