"""Tsubu in Blender's own menus: Add › Tsubu Example."""

import bpy


class TSUBU_MT_examples(bpy.types.Menu):
    """Scenes that bake and render as they are"""

    bl_idname = "TSUBU_MT_examples"
    bl_label = "Tsubu Example"

    def draw(self, context):
        self.layout.operator_enum("tsubu.add_example", "name")


def _in_add_menu(menu, context) -> None:
    menu.layout.separator()
    menu.layout.menu(TSUBU_MT_examples.bl_idname, icon="PARTICLES")


CLASSES = (TSUBU_MT_examples,)


def register() -> None:
    bpy.types.VIEW3D_MT_add.append(_in_add_menu)


def unregister() -> None:
    bpy.types.VIEW3D_MT_add.remove(_in_add_menu)
