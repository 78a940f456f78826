"""Draws the sidebar and Properties › Physics; calls nothing but operators. What a panel holds stands in `contents`."""

import bpy

from . import overlay, physics, sidebar

CLASSES: tuple[type, ...] = (*sidebar.CLASSES, *physics.CLASSES)


def register() -> None:
    for item in CLASSES:
        bpy.utils.register_class(item)
    overlay.register()


def unregister() -> None:
    overlay.unregister()
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
