"""The tab "Tsubu" in the sidebar of the 3-D view."""

import bpy


class TSUBU_PT_sidebar(bpy.types.Panel):
    """What has been baked, and how to show it."""

    bl_idname = "TSUBU_PT_sidebar"
    bl_label = "Tsubu"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Tsubu"

    def draw(self, context):
        column = self.layout.column(align=True)
        column.operator("tsubu.load_bake", icon="FILE_FOLDER")
        column.operator("tsubu.reload_bake", icon="FILE_REFRESH")
