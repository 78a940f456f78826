"""What a button does: a few lines each, calling bridge/. A new operator is a file here and a line in `CLASSES`."""

import bpy

from . import watch
from .bake import TSUBU_OT_bake, TSUBU_OT_bake_again, TSUBU_OT_extend, TSUBU_OT_redo, TSUBU_OT_resume
from .display import TSUBU_OT_show_zones
from .example import TSUBU_OT_add_example
from .farm import TSUBU_OT_export_farm, TSUBU_OT_export_wedges
from .load_bake import TSUBU_OT_load_bake, TSUBU_OT_reload_bake
from .manage import (
    TSUBU_OT_cancel,
    TSUBU_OT_free,
    TSUBU_OT_open_log,
    TSUBU_OT_prune,
    TSUBU_OT_reset,
    TSUBU_OT_take_over,
)
from .mark import TSUBU_OT_mark
from .preflight import TSUBU_OT_preflight, TSUBU_OT_preflight_fix, TSUBU_OT_preflight_select
from .preset import TSUBU_OT_preset, TSUBU_OT_preset_save
from .render_warning import TSUBU_OT_render_warning
from .report import TSUBU_OT_report
from .several import TSUBU_OT_copy_settings, TSUBU_OT_mark_collection
from .stones import TSUBU_OT_stones
from .watch import TSUBU_OT_watch

CLASSES: tuple[type, ...] = (
    TSUBU_OT_add_example,
    TSUBU_OT_mark,
    TSUBU_OT_mark_collection,
    TSUBU_OT_copy_settings,
    TSUBU_OT_preset,
    TSUBU_OT_preset_save,
    TSUBU_OT_stones,
    TSUBU_OT_bake,
    TSUBU_OT_bake_again,
    TSUBU_OT_resume,
    TSUBU_OT_extend,
    TSUBU_OT_redo,
    TSUBU_OT_watch,
    TSUBU_OT_cancel,
    TSUBU_OT_free,
    TSUBU_OT_open_log,
    TSUBU_OT_take_over,
    TSUBU_OT_reset,
    TSUBU_OT_prune,
    TSUBU_OT_load_bake,
    TSUBU_OT_reload_bake,
    TSUBU_OT_show_zones,
    TSUBU_OT_render_warning,
    TSUBU_OT_report,
    TSUBU_OT_preflight,
    TSUBU_OT_preflight_select,
    TSUBU_OT_preflight_fix,
    TSUBU_OT_export_farm,
    TSUBU_OT_export_wedges,
)


def register() -> None:
    for item in CLASSES:
        bpy.utils.register_class(item)
    watch.register()


def unregister() -> None:
    watch.unregister()
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
