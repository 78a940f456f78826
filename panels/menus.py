"""Tsubu in Blender's own menus: Add › Tsubu Example; and the menu of presets."""

import bpy

from ..operators import view


class TSUBU_MT_examples(bpy.types.Menu):
    """Scenes that bake and render as they are"""

    bl_idname = "TSUBU_MT_examples"
    bl_label = "Tsubu Example"

    def draw(self, context):
        self.layout.operator_enum("tsubu.add_example", "name")


class TSUBU_MT_presets(bpy.types.Menu):
    """Known materials, then presets of your own"""

    bl_idname = "TSUBU_MT_presets"
    bl_label = "Presets"

    def draw(self, context):
        item = context.object
        if view.has_known_presets(item):
            self.layout.operator_enum("tsubu.preset", "preset")
        own = view.own_presets(item)
        if own:
            self.layout.separator()
            self.path_menu(own, "script.execute_preset", props_default={"menu_idname": self.bl_idname}, filter_ext=_is_preset)


def _is_preset(extension: str) -> bool:
    return extension.lower() == ".py"


def _in_add_menu(menu, context) -> None:
    menu.layout.separator()
    menu.layout.menu(TSUBU_MT_examples.bl_idname, icon="PARTICLES")


CLASSES = (TSUBU_MT_examples, TSUBU_MT_presets)


def register() -> None:
    bpy.types.VIEW3D_MT_add.append(_in_add_menu)


def unregister() -> None:
    bpy.types.VIEW3D_MT_add.remove(_in_add_menu)
