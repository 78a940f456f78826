"""What a button does: a few lines each, calling bridge/. A new operator is a file here and a line in `CLASSES`."""

import bpy

from .load_bake import TSUBU_OT_load_bake, TSUBU_OT_reload_bake

CLASSES: tuple[type, ...] = (TSUBU_OT_load_bake, TSUBU_OT_reload_bake)


def register() -> None:
    for item in CLASSES:
        bpy.utils.register_class(item)


def unregister() -> None:
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
