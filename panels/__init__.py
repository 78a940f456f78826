"""Draws the sidebar and Properties › Physics; calls nothing but operators. What a panel holds stands in `contents`."""

import bpy

from . import menus, overlay, physics, sidebar

CLASSES: tuple[type, ...] = (*sidebar.CLASSES, *physics.CLASSES, *menus.CLASSES)


def register() -> None:
    for item in CLASSES:
        bpy.utils.register_class(item)
    overlay.register()
    menus.register()


def unregister() -> None:
    menus.unregister()
    overlay.unregister()
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
