"""The tab "Tsubu" in the sidebar of the 3-D view."""

import bpy

from . import contents


class _Place:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Tsubu"


class TSUBU_PT_sidebar_main(_Place, contents.Main, bpy.types.Panel):
    bl_idname = "TSUBU_PT_sidebar_main"


class TSUBU_PT_sidebar_values(_Place, contents.ObjectAdvanced, bpy.types.Panel):
    bl_idname = "TSUBU_PT_sidebar_values"
    bl_parent_id = "TSUBU_PT_sidebar_main"


class TSUBU_PT_sidebar_bake(_Place, contents.Bake, bpy.types.Panel):
    bl_idname = "TSUBU_PT_sidebar_bake"


class TSUBU_PT_sidebar_world(_Place, contents.World, bpy.types.Panel):
    bl_idname = "TSUBU_PT_sidebar_world"


class TSUBU_PT_sidebar_world_advanced(_Place, contents.WorldAdvanced, bpy.types.Panel):
    bl_idname = "TSUBU_PT_sidebar_world_advanced"
    bl_parent_id = "TSUBU_PT_sidebar_world"


class TSUBU_PT_sidebar_meeting(_Place, contents.Meeting, bpy.types.Panel):
    bl_idname = "TSUBU_PT_sidebar_meeting"
    bl_parent_id = "TSUBU_PT_sidebar_world"


class TSUBU_PT_sidebar_surface(_Place, contents.Surface, bpy.types.Panel):
    bl_idname = "TSUBU_PT_sidebar_surface"


class TSUBU_PT_sidebar_playback(_Place, contents.Playback, bpy.types.Panel):
    bl_idname = "TSUBU_PT_sidebar_playback"


class TSUBU_PT_sidebar_farm(_Place, contents.Farm, bpy.types.Panel):
    bl_idname = "TSUBU_PT_sidebar_farm"


class TSUBU_PT_sidebar_objects(_Place, contents.Objects, bpy.types.Panel):
    bl_idname = "TSUBU_PT_sidebar_objects"
    bl_parent_id = "TSUBU_PT_sidebar_main"


CLASSES = (
    TSUBU_PT_sidebar_main,
    TSUBU_PT_sidebar_values,
    TSUBU_PT_sidebar_objects,
    TSUBU_PT_sidebar_world,
    TSUBU_PT_sidebar_world_advanced,
    TSUBU_PT_sidebar_meeting,
    TSUBU_PT_sidebar_surface,
    TSUBU_PT_sidebar_bake,
    TSUBU_PT_sidebar_playback,
    TSUBU_PT_sidebar_farm,
)
