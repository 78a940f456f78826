"""Before a render begins: does every frame that will be rendered have its files?

Blender shows another frame where a file is missing, and says nothing. This says it, where a render starts: in a dialog, and
on the error stream for renders without a window. Nothing here is needed for the picture itself.
"""

import sys
from pathlib import Path
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..solvers.bake.manifest import MANIFEST
from ..solvers.job import JOB
from .bake_folder import KINDS, PlaybackError, listed, sequences, unfit_frames
from .stored_paths import KIND, OUTPUT, folder_of, is_playback

_known: dict[int, tuple[Any, list[str]]] = {}
"""Scene's session number → what was looked at, and what was found."""


def render_problems(scene: Any) -> list[str]:
    """One sentence for each playback object of `scene` that would be rendered wrong; [] if all is well."""
    frames = range(min(scene.frame_start, scene.frame_current), max(scene.frame_end, scene.frame_current) + 1)
    return [text for item in _rendered(scene) if (text := _problem(item, folder_of(item), frames))]


def range_problems(scene: Any) -> list[str]:
    """The same for the scene's range, for panels: folders are read again only after they have changed."""
    items = _rendered(scene)
    folders = {folder for item in items if (folder := folder_of(item))}
    names = tuple((item.name, item[KIND], item[OUTPUT]) for item in items)
    key = (scene.frame_start, scene.frame_end, names, tuple(sorted(_stamp(folder) for folder in folders)))
    known = _known.get(scene.session_uid)
    if known is None or known[0] != key:
        frames = range(scene.frame_start, scene.frame_end + 1)
        known = (key, [text for item in items if (text := _problem(item, folder_of(item), frames))])
        _known[scene.session_uid] = known
    return known[1]


def _rendered(scene: Any) -> list[Any]:
    return [item for item in scene.objects if is_playback(item) and not item.hide_render]


def _stamp(folder: Path) -> tuple[str, ...]:
    """Changes when a file comes or goes, or when a frame is finished."""
    times = []
    for name in (*KINDS, MANIFEST, JOB):
        try:
            times.append(str((folder / name).stat().st_mtime_ns))
        except OSError:
            times.append("")
    return (str(folder), *times)


def _problem(item: Any, folder: Path | None, wanted: range) -> str:
    if folder is None:
        return f"{item.name}: its playback modifier is gone. Load the bake again."
    try:
        found = [entry for entry in sequences(folder) if (entry.kind, entry.output) == (item[KIND], item[OUTPUT])]
        unfit = unfit_frames(found[0], wanted) if found else tuple(wanted)
    except PlaybackError as error:
        return f"{item.name}: {error}"
    if not unfit:
        return ""
    return (
        f"{item.name}: frames {listed(unfit)} are not baked or damaged; other frames would be rendered in their place. "
        f"Resume the bake of {folder}."
    )


@persistent
def _at_render_start(scene: Any, *_: Any) -> None:
    problems = render_problems(scene)
    for text in problems:
        print(f"tsubu: warning: {text}", file=sys.stderr, flush=True)
    if problems and not bpy.app.background:
        # Renders run in a thread of their own, where nothing may be drawn: the main loop does it.
        bpy.app.timers.register(_ask_for_attention)


def _ask_for_attention() -> None:
    manager = bpy.context.window_manager
    if not manager.windows:
        return
    # The main window: the one that a render opens is too young to take a dialog.
    with bpy.context.temp_override(window=manager.windows[0]):
        bpy.ops.tsubu.render_warning("INVOKE_DEFAULT")


def register() -> None:
    bpy.app.handlers.render_init.append(_at_render_start)


def unregister() -> None:
    _known.clear()
    bpy.app.handlers.render_init.remove(_at_render_start)
    if bpy.app.timers.is_registered(_ask_for_attention):
        bpy.app.timers.unregister(_ask_for_attention)
