"""Japanese: every text that the interface shows has an entry, and fields of formatted texts survive."""

import ast
import string
import warnings
from typing import Any

import pytest

from examples.addon import ROOT
from tests.blender import visible_texts
from tests.blender.artist import part, tsubu

__all__ = ["tsubu"]
pytestmark = pytest.mark.usefixtures("tsubu")


def _missing(shown: set[str]) -> list[str]:
    return sorted(shown - set(part("bridge.japanese").TABLE))


def test_buttons_panels_and_messages_are_translated() -> None:
    """Labels and help of operators, panels and their properties, drawn texts and reasons of buttons that are off."""
    declared = visible_texts.declared_texts()
    assert len(visible_texts.class_texts()) > 80 and len(visible_texts.source_texts()) > 50
    missing = _missing((visible_texts.class_texts() | visible_texts.source_texts()) - declared)
    assert not missing, "bridge/japanese lacks:\n" + "\n".join(missing)


def test_declared_settings_are_translated() -> None:
    """Settings of the engine. Those of kinds in work come and go: what is missing is named, and must stay the exception."""
    declared = visible_texts.declared_texts()
    missing = _missing(declared)
    if missing:
        warnings.warn("bridge/japanese lacks settings:\n" + "\n".join(missing), stacklevel=1)
    assert len(declared) - len(missing) >= 140, "most settings have an entry"


def test_panels_draw_nothing_that_cannot_be_translated() -> None:
    """Words inside f-strings would stay English for ever."""
    assert visible_texts.untranslatable() == []


def test_fields_survive() -> None:
    """A translated text has the same {fields} as its original."""

    def fields(text: str) -> list[tuple[Any, Any]]:
        return sorted((name, form) for _, name, form, _ in string.Formatter().parse(text) if name)

    for english, japanese in part("bridge.japanese").TABLE.items():
        assert fields(english) == fields(japanese), english
        assert japanese.strip() == japanese and japanese


def _said(path: str) -> set[str]:
    """Messages with values that a file of the repository makes, an X in the place of every value."""
    found = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Finding", "InvalidScene", "spoken"):
            given = list(node.args)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "text":
            given = [node.value]
        else:
            continue
        for entry in given:
            if isinstance(entry, ast.JoinedStr):
                found.add("".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in entry.values))
    return found


def test_messages_with_values_are_translated() -> None:
    """What the check before baking finds, what an export refuses and what buttons report is known by its sentence."""
    patterns = [part("bridge.spoken").pattern_of(english) for english in part("bridge.japanese.messages").MESSAGES]
    files = ["solvers/bake/preflight.py", "bridge/preflight.py", "bridge/parts.py", "bridge/tracks.py", "bridge/export.py"]
    files += [f"operators/{path.name}" for path in sorted((ROOT / "operators").glob("*.py"))]
    said = set().union(*map(_said, files))
    assert len(said) > 30
    missing = sorted(text for text in said if text != "X" and not any(pattern.fullmatch(text) for pattern in patterns))
    assert not missing, "bridge/japanese/messages.py lacks:\n" + "\n".join(missing)


_FOR_COMMANDS = {
    "bridge/cli.py", "bridge/cli_farm.py", "bridge/wedge.py", "bridge/example.py", "solvers/job.py", "solvers/bake/cli.py",
    "solvers/bake/resurface.py", "solvers/bake/verify.py", "solvers/bake/warm.py", "solvers/drops/paper.py",
    "solvers/walls/density.py", "solvers/walls/walls.py", "solvers/mpm/grid.py",
}  # fmt: skip
"""Files some of whose errors only a command line or a mistake in the engine itself can bring about: those may stay English."""
_ERRORS = ("InvalidScene", "BakeFolderError", "TsubuError", "PlaybackError")


def test_errors_are_translated() -> None:
    """Whatever the engine refuses or gives up for is known by its sentence."""
    patterns = [part("bridge.spoken").pattern_of(english) for english in part("bridge.japanese.messages").MESSAGES]
    missing, seen = [], 0
    for path in sorted([*(ROOT / "solvers").rglob("*.py"), *(ROOT / "bridge").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") in _ERRORS and node.args):
                continue
            given = node.args[0].values if isinstance(node.args[0], ast.JoinedStr) else [node.args[0]]
            text = "".join(str(word.value) if isinstance(word, ast.Constant) else "X" for word in given)
            seen += 1
            known = text == "X" or any(pattern.fullmatch(text) for pattern in patterns)
            if not known and path.relative_to(ROOT).as_posix() not in _FOR_COMMANDS:
                missing.append(f"{path.relative_to(ROOT)}:{node.lineno}: {text}")
    assert seen > 150
    assert not missing, "bridge/japanese/errors.py lacks:\n" + "\n".join(missing)


def test_messages_keep_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message comes back in Japanese with its values; what nobody has translated stays as it is."""
    spoken = part("bridge.spoken")
    monkeypatch.setattr(spoken, "_in_japanese", lambda: True)
    told = spoken.spoken("a wall 4.9 mm thick, thinner than the spacing of 5.6 mm: it may leak")
    assert "4.9 mm" in told and "5.6 mm" in told and "壁" in told
    refused = spoken.spoken("Cup: its scale in frame 3 is zero along an axis; give it a size (or unmark it).")
    assert refused.startswith("Cup：フレーム 3")
    monkeypatch.setattr(spoken, "pgettext_iface", lambda text: {"Column": "列", "grains": "粒"}.get(text, text))
    told = spoken.spoken("Column: its scale in frame 3 is zero along an axis; give it a size (or unmark it).")
    assert told.startswith("Column："), "an object's name is not"
    assert "粒" in spoken.spoken("only 2.1 grains across its thinnest side"), "words of the interface are translated"
    assert spoken.spoken("nobody has said this") == "nobody has said this"


def test_lines_break_between_japanese_letters() -> None:
    """Japanese has no blanks: lines break between letters, which are as wide as two."""
    lines = part("panels.drawing").lines_of("ベイクに失敗しました。もう一度試してください", 20)
    assert len(lines) == 3 and "".join(lines) == "ベイクに失敗しました。もう一度試してください"
