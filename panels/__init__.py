"""Draws the sidebar; calls nothing but operators. A new panel is a file here and a line in `CLASSES`."""

import bpy

from .sidebar import TSUBU_PT_sidebar

CLASSES: tuple[type, ...] = (TSUBU_PT_sidebar,)


def register() -> None:
    for item in CLASSES:
        bpy.utils.register_class(item)


def unregister() -> None:
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
