"""The same settings under Properties › Physics, in one foldout beside those of other simulations."""

import bpy

from . import contents


class _Place:
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"


class TSUBU_PT_physics_main(_Place, contents.Main, bpy.types.Panel):
    bl_idname = "TSUBU_PT_physics_main"


class TSUBU_PT_physics_values(_Place, contents.ObjectAdvanced, bpy.types.Panel):
    bl_idname = "TSUBU_PT_physics_values"
    bl_parent_id = "TSUBU_PT_physics_main"


class TSUBU_PT_physics_bake(_Place, contents.Bake, bpy.types.Panel):
    bl_idname = "TSUBU_PT_physics_bake"
    bl_parent_id = "TSUBU_PT_physics_main"


class TSUBU_PT_physics_world(_Place, contents.World, bpy.types.Panel):
    bl_idname = "TSUBU_PT_physics_world"
    bl_parent_id = "TSUBU_PT_physics_main"


class TSUBU_PT_physics_world_advanced(_Place, contents.WorldAdvanced, bpy.types.Panel):
    bl_idname = "TSUBU_PT_physics_world_advanced"
    bl_parent_id = "TSUBU_PT_physics_world"


class TSUBU_PT_physics_meeting(_Place, contents.Meeting, bpy.types.Panel):
    bl_idname = "TSUBU_PT_physics_meeting"
    bl_parent_id = "TSUBU_PT_physics_world"


class TSUBU_PT_physics_surface(_Place, contents.Surface, bpy.types.Panel):
    bl_idname = "TSUBU_PT_physics_surface"
    bl_parent_id = "TSUBU_PT_physics_main"


class TSUBU_PT_physics_playback(_Place, contents.Playback, bpy.types.Panel):
    bl_idname = "TSUBU_PT_physics_playback"
    bl_parent_id = "TSUBU_PT_physics_main"


class TSUBU_PT_physics_farm(_Place, contents.Farm, bpy.types.Panel):
    bl_idname = "TSUBU_PT_physics_farm"
    bl_parent_id = "TSUBU_PT_physics_main"


class TSUBU_PT_physics_objects(_Place, contents.Objects, bpy.types.Panel):
    bl_idname = "TSUBU_PT_physics_objects"
    bl_parent_id = "TSUBU_PT_physics_main"


CLASSES = (
    TSUBU_PT_physics_main,
    TSUBU_PT_physics_values,
    TSUBU_PT_physics_objects,
    TSUBU_PT_physics_world,
    TSUBU_PT_physics_world_advanced,
    TSUBU_PT_physics_meeting,
    TSUBU_PT_physics_surface,
    TSUBU_PT_physics_bake,
    TSUBU_PT_physics_playback,
    TSUBU_PT_physics_farm,
)
