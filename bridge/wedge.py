"""Wedges in Blender: each value of a setting baked into a folder of its own, a picture of each, all of them on one sheet.

The scene's own bake is never touched. A wedge's folder holds its bake, wedge.json (setting, value, frame) and picture.png.
"""

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..solvers import job
from ..solvers.bake import cli, files, lock, manifest
from ..solvers.bake.checks import checked
from ..solvers.errors import BakeFolderError, InvalidScene
from ..solvers.materials.registry import MATERIALS
from ..solvers.meet.pairs import MeetingParams
from ..solvers.params import Declaration, declarations
from ..solvers.scene import ColliderParams, EmitterParams, SurfaceParams, WorldParams
from ..solvers.wedge import parsed, split, varied
from . import cache, playback, worker
from .canvas import Canvas, read_picture
from .export import export_now
from .properties import COLLIDER, EMITTER, NONE, kind_of
from .stored_paths import KIND, OUTPUT

NOTE, PICTURE, SHEET = "wedge.json", "picture.png", "sheet.png"
_TILE = 480
"""Longer side of a picture [pixels]."""
_MARGIN, _LABEL = 12, 34


class Setting(NamedTuple):
    """A setting that can be varied."""

    path: str
    """Its address, see `solvers.wedge`."""
    declared: Declaration


def settings_of(scene: Any) -> list[Setting]:
    """Everything that can be varied in `scene`, marked objects first."""
    found: list[Setting] = []
    for item in scene.objects:
        role = item.tsubu.role
        if role == NONE:
            continue
        kind = item.tsubu.emitter_kind if role == EMITTER else kind_of(role)
        groups: list[type] = [{COLLIDER: ColliderParams, EMITTER: EmitterParams}[role]] if role in (COLLIDER, EMITTER) else []
        groups += [MATERIALS[kind].params] if kind else []
        found += [Setting(f"{item.name}.{entry.name}", entry) for group in groups for entry in declarations(group)]
    for owner, group in (("world", WorldParams), ("surface", SurfaceParams), ("meeting", MeetingParams)):
        found += [Setting(f"{owner}.{entry.name}", entry) for entry in declarations(group)]
    return found


def check_values(scene: Any, setting: str, values: list[str]) -> None:
    """Raises `InvalidScene` unless `values` are several different values that `setting` can have."""
    owner, name = split(setting)
    known = {entry.path: entry.declared for entry in settings_of(scene)}
    if setting not in known:
        mine = [path for path in known if path.startswith(f"{owner}.")]
        raise InvalidScene(f"{setting}: {owner} has no setting {name!r}; there are {', '.join(mine or known)}.")
    for text in values:
        parsed(text, known[setting], owner)
    if len({files.file_name(text) for text in values}) != len(values) or not values:
        raise InvalidScene(f"{setting}: give one or more different values, with blanks between them; given are {values}.")


def wedge_folder_name(scene: Any, setting: str) -> str:
    """Name of the folder beside the scene's bakes in which those of the wedges lie."""
    return f"{cache.own_name(scene)}_wedge_{files.file_name(setting)}"


def run(context: Any, setting: str, value: str, frame: int, folder: Path, openjd: bool) -> int:
    """Bakes one wedge and renders its picture; returns the exit code of the bake. Continues where it stopped."""
    exported = export_now(context)
    scene = checked(varied(exported.scene, setting, value))
    if not scene.world.frame_start <= frame <= scene.world.frame_end:
        first, last = scene.world.frame_start, scene.world.frame_end
        raise InvalidScene(f"Frame {frame} of the picture is not baked; the range is {first} to {last}.")
    place = folder / files.file_name(value)
    job.make_folder(place)
    lock.refuse_running(place)
    job.write_checked(scene, place)
    note = {"setting": setting, "value": value, "frame": frame}
    files.write_bytes(place / NOTE, files.json_bytes(note, indent=1))
    flags = ["--openjd"] if openjd else []
    code = worker.run("bake", str(place), "--resume", "--threads", str(context.scene.tsubu.threads), *flags)
    if code == cli.FOLDER:  # the scene changed since an earlier try: its frames do not belong to it
        code = worker.run("bake", str(place), "--threads", str(context.scene.tsubu.threads), *flags)
    if code == cli.OK:
        _photograph(context.scene, place, frame, 1.0 / exported.metres)
    return code


def _photograph(scene: Any, place: Path, frame: int, scale: float) -> None:
    """Renders a frame of the bake in `place` instead of the scene's own, with the materials of its own."""
    own = {(item[KIND], item[OUTPUT]): item for item in scene.objects if playback.is_playback(item)}
    loaded = playback.load_bake(scene, place, scale=scale)
    for item in loaded.objects:
        twin = own.get((item[KIND], item[OUTPUT]))
        if twin is not None and twin.material_slots:
            item.material_slots[0].material = twin.material_slots[0].material
            item.hide_render = twin.hide_render
    for item in own.values():
        item.hide_render = True
    render = scene.render
    render.resolution_percentage = max(1, round(100.0 * _TILE / max(render.resolution_x, render.resolution_y, 1)))
    if hasattr(render.image_settings, "media_type"):
        render.image_settings.media_type = "IMAGE"
    render.image_settings.file_format, render.image_settings.color_mode = "PNG", "RGB"
    scene.frame_set(frame)
    with files.folder_errors(place), files.replacing(place / PICTURE) as temporary:
        render.filepath = str(temporary)
        bpy.ops.render.render(write_still=True, scene=scene.name)


def contact_sheet(folder: Path) -> Path:
    """Pictures of all wedges in `folder` side by side with their values, in the order of the values."""
    notes = []
    for path in sorted(folder.glob(f"*/{NOTE}")):
        if not (path.parent / PICTURE).is_file():
            raise BakeFolderError(f"{path.parent} has no picture yet; run its wedge again.")
        notes.append((json.loads(path.read_bytes()), path.parent))
    if not notes:
        raise BakeFolderError(f"{folder} holds no wedges. Run them first.")
    notes.sort(key=lambda entry: _order(entry[0]["value"]))
    pictures = [read_picture(place / PICTURE) for _, place in notes]
    height, width = (max(picture.shape[axis] for picture in pictures) for axis in (0, 1))
    columns = math.ceil(math.sqrt(len(notes) * height / width * 1.6)) if len(notes) > 3 else len(notes)
    columns = max(1, min(columns, len(notes)))
    rows = math.ceil(len(notes) / columns)
    canvas = Canvas(columns * (width + _MARGIN) + _MARGIN, rows * (height + _MARGIN + _LABEL) + _MARGIN)
    for index, ((note, place), picture) in enumerate(zip(notes, pictures, strict=True)):
        x = _MARGIN + index % columns * (width + _MARGIN)
        y = _MARGIN + index // columns * (height + _MARGIN + _LABEL)
        canvas.paste(picture, x, y)
        canvas.text(x + 2, y + height + 22, f"{note['setting']} = {note['value']}", 17.0)
        canvas.text(x + width - 2, y + height + 22, _facts(place), 13.0, (0.6, 0.6, 0.62), anchor=1.0)
    return canvas.save(folder / SHEET)


def _order(value: str) -> tuple[tuple[float, ...], str]:
    """Numbers and vectors by size, words by letters after them."""
    try:
        return tuple(float(part) for part in value.split(",")), value
    except ValueError:
        return (math.inf,), value


def _facts(place: Path) -> str:
    """ "12 345 particles, 48 s" of the last baked frame and of all."""
    frames = manifest.read(place).frames
    last = frames[max(frames)]
    seconds = float(np.sum([entry.get("seconds") or 0.0 for entry in frames.values()]))
    return f"{last.get('particles', 0):,} particles, {seconds:.0f} s"
