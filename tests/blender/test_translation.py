"""Japanese: every text that the interface shows has an entry, and fields of formatted texts survive."""

import string
import warnings
from typing import Any

import pytest

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
    assert not missing, "bridge/japanese.py lacks:\n" + "\n".join(missing)


def test_declared_settings_are_translated() -> None:
    """Settings of the engine. Those of kinds in work come and go: what is missing is named, and must stay the exception."""
    declared = visible_texts.declared_texts()
    missing = _missing(declared)
    if missing:
        warnings.warn("bridge/japanese.py lacks settings:\n" + "\n".join(missing), stacklevel=1)
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


def test_lines_break_between_japanese_letters() -> None:
    """Japanese has no blanks: lines break between letters, which are as wide as two."""
    lines = part("panels.drawing").lines_of("ベイクに失敗しました。もう一度試してください", 20)
    assert len(lines) == 3 and "".join(lines) == "ベイクに失敗しました。もう一度試してください"
