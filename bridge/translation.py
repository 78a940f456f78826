"""Gives Blender the interface in other languages while the extension is on."""

import bpy

from .japanese import BUTTONS, TABLE

_CONTEXTS = ("*", "Operator")
"""Blender looks up names of buttons among operators, everything else in the default context."""


def register() -> None:
    words = {(context, english): japanese for context in _CONTEXTS for english, japanese in TABLE.items()}
    words |= {("Operator", english): japanese for english, japanese in BUTTONS.items()}
    bpy.app.translations.register(__name__, {"ja_JP": words})


def unregister() -> None:
    bpy.app.translations.unregister(__name__)
