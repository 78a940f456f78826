"""Messages in the language of the interface, with the names and values that stand in them.

The engine speaks English and knows no Blender. What it says is recognised here by its sentence, and said again.
"""

import re
from functools import cache

import bpy
from bpy.app.translations import pgettext_iface

from .japanese.messages import MESSAGES

_WORDS = ("how", "kind", "what")
"""Fields that are words of the interface; others are names and values, which stay as they are: an object may be called Column."""
_FIELD = re.compile(r"\\\{(\w+)\\\}")


def spoken(text: str) -> str:
    """`text` as an artist reads it; in English if nobody has translated it."""
    found = pgettext_iface(text)
    if found != text or not _in_japanese():
        return found
    for pattern, wanted in _patterns():
        if match := pattern.fullmatch(text):
            given = match.groupdict().items()
            return wanted.format(**{name: pgettext_iface(value) if name in _WORDS else value for name, value in given})
    return text


def _in_japanese() -> bool:
    view = bpy.context.preferences.view
    return view.use_translate_interface and (bpy.app.translations.locale or "").startswith("ja")


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """What messages look like, those that say most first, and what they become."""
    order = sorted(MESSAGES, key=lambda english: -len(re.sub(r"\{\w+\}", "", english)))
    return tuple((pattern_of(english), MESSAGES[english]) for english in order)


def pattern_of(english: str) -> re.Pattern[str]:
    """Matches every message that a template with {fields} may become."""
    return re.compile(_FIELD.sub(lambda match: f"(?P<{match[1]}>.+?)", re.escape(english)), re.DOTALL)
