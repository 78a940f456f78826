"""What a farm's tasks are made of: `blender -c tsubu surface | assemble | wedge | sheet`; and `farm`, which writes the job."""

import argparse
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import bpy

from ..solvers.bake import cli as engine
from ..solvers.errors import BakeFolderError, InvalidScene
from . import cache, farm, show, wedge, worker
from .bake_folder import listed, sequences, unfit_frames
from .properties import frame_range


def add_commands(command: Callable[[str, Any, str], argparse.ArgumentParser]) -> None:
    surfacing = command("surface", _surface, "make the surfaces again from the baked points")
    surfacing.add_argument("--frames", type=engine.frame_range, metavar="A-B", help="only these frames")
    staging = command("assemble", _assemble, "save a copy of the file that plays the bake and renders without Tsubu")
    staging.add_argument("--out", required=True, metavar="FILE.blend")
    staging.add_argument("--frames", type=engine.frame_range, metavar="A-B", help="frames that must be there")
    exporting = command("farm", _farm, "write the job that a render farm runs (Open Job Description, JSON)")
    exporting.add_argument("--out", required=True, metavar="FILE.json")
    exporting.add_argument("--chunk", type=int, default=4, metavar="N", help="frames in one task")
    exporting.add_argument("--setting", default="", help="write a job of wedges instead: which setting, such as world.spacing")
    exporting.add_argument("--values", default="", help="its values, with blanks between them")
    exporting.add_argument("--frame", type=int, metavar="N", help="frame of the wedges' pictures; without it the last one")
    wedging = command("wedge", _wedge, "bake the scene with another value of one setting, and render a picture")
    wedging.add_argument("--setting", required=True, help="such as world.spacing or Column.viscosity")
    wedging.add_argument("--value", required=True)
    wedging.add_argument("--frame", type=int, required=True, metavar="N", help="frame of the picture")
    wedging.add_argument("--folder", required=True, help="where the bakes of all values lie")
    sheeting = command("sheet", _sheet, "lay the pictures of wedges side by side")
    sheeting.add_argument("--folder", required=True)


def in_scene(scene: Any) -> Any:
    """A context in which `scene` is the active one."""
    if scene == bpy.context.scene:
        return nullcontext()
    return bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0])


def baked_folder(scene: Any) -> Path:
    folder = cache.found_folder(scene)
    if folder is None:
        raise BakeFolderError(f"Scene {scene.name!r} has no bake; run bake first. It would be in {cache.planned_folder(scene)}.")
    return folder


def _surface(scene: Any, options: argparse.Namespace) -> int:
    words = ["surface", str(baked_folder(scene))]
    if options.frames:
        # In one word: a range that begins with a negative frame would look like an option.
        words.append(f"--frames={options.frames[0]}-{options.frames[1]}")
    return worker.run(*words, *(["--openjd"] if options.openjd else []))


def _assemble(scene: Any, options: argparse.Namespace) -> int:
    folder = baked_folder(scene)
    first, last = options.frames or frame_range(scene)
    found = sequences(folder)
    if scene.tsubu.surface.enabled and not any(sequence.kind == "surface" for sequence in found):
        raise BakeFolderError(f"{folder} has no surfaces yet; run the command surface first.")
    for sequence in found:
        if unfit := unfit_frames(sequence, range(first, last + 1)):
            raise BakeFolderError(f"{folder}: frames {listed(unfit)} of {sequence.output} are not baked or damaged. Bake again.")
    show.show(scene, folder)
    out = Path(bpy.path.abspath(options.out))
    out.parent.mkdir(parents=True, exist_ok=True)
    for window in bpy.context.window_manager.windows:  # the file renders the scene that it was made for
        window.scene = scene
    bpy.ops.wm.save_as_mainfile(filepath=str(out), copy=True)
    print(f"tsubu: {out} plays {folder} and renders without Tsubu", flush=True)
    return engine.OK


def _farm(scene: Any, options: argparse.Namespace) -> int:
    out = Path(bpy.path.abspath(options.out)).absolute()
    if options.setting:
        values = options.values.split()
        frame = frame_range(scene)[1] if options.frame is None else options.frame
        template = farm.wedge_job(scene, out.parent, options.setting, values, frame)
    else:
        template = farm.frame_job(scene, out.parent, options.chunk)
    print(f"tsubu: {farm.write(template, out)}", flush=True)
    if missing := farm.paths_to_give(template):
        print(f"tsubu: give {', '.join(missing)} when you submit it: they do not lie below its folder", flush=True)
    return engine.OK


def _wedge(scene: Any, options: argparse.Namespace) -> int:
    if scene.camera is None:
        raise InvalidScene(f"Scene {scene.name!r} has no camera, so no picture can be taken. Add one.")
    with in_scene(scene):
        return wedge.run(bpy.context, options.setting, options.value, options.frame, Path(options.folder), options.openjd)


def _sheet(_: Any, options: argparse.Namespace) -> int:
    print(f"tsubu: {wedge.contact_sheet(Path(options.folder))}", flush=True)
    return engine.OK
