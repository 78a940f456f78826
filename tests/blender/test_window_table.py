"""No button is forgotten: the table of tests/window tells which script presses what is registered."""

import re
from typing import Any

from examples.addon import ROOT
from tests.blender.artist import part, tsubu

__all__ = ["tsubu"]
_WINDOW = ROOT / "tests" / "window"


def test_every_operator_is_pressed_in_a_window(tsubu: Any) -> None:
    """Each registered operator has a row, each row an operator, and the script that a row names speaks of it."""
    text = (_WINDOW / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(tsubu\.\w+)` \| .+ \| `(\w+\.py)` \|$", text, re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted(item.bl_idname for item in part("operators").CLASSES)
    silent = {name: script for name, script in rows if not re.search(rf"\b{name[6:]}\b|_{name[6:]}\b", _script(script))}
    assert silent == {"tsubu.watch": "bake_buttons.py"}, "a script has to name what it presses"


def _script(name: str) -> str:
    return (_WINDOW / name).read_text(encoding="utf-8")
