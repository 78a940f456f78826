"""`blender -b scene.blend -c tsubu bake | verify | info | free`: the scene's bake without a window, for scripts and farms.

Exit codes are those of `python -m solvers`: 0 done, 1 failed, 2 bad input, 3 cancelled, 4 folder trouble, 5 damage found.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy

from ..solvers.bake import cli as engine
from ..solvers.bake.files import readable_bytes
from ..solvers.errors import BakeFolderError, InvalidScene, TsubuError
from . import bake, cache, worker

_handle: Any = None


def main(arguments: Sequence[str]) -> int:
    """Runs one command on the current scene and returns its exit code."""
    try:
        options = _parser().parse_args(list(arguments))
    except SystemExit as stop:  # argparse has printed what was wrong, or the help
        return int(stop.code or 0)
    try:
        return options.run(_scene(options.scene), options)
    except InvalidScene as error:
        return _say(error, engine.BAD_INPUT)
    except BakeFolderError as error:
        return _say(error, engine.FOLDER)
    except TsubuError as error:
        return _say(error, engine.FAILED)


def _say(error: Exception, code: int) -> int:
    print(f"tsubu: error: {error}", file=sys.stderr, flush=True)
    return code


def _scene(name: str) -> Any:
    if not name:
        return bpy.context.scene
    if name not in bpy.data.scenes:
        raise InvalidScene(f"There is no scene {name!r}; there are {', '.join(scene.name for scene in bpy.data.scenes)}.")
    return bpy.data.scenes[name]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="blender -b FILE.blend -c tsubu", description="Bake the open scene with Tsubu.", epilog=__doc__
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.add_argument("--scene", default="", metavar="NAME", help="which scene; without it the active one")
        added.set_defaults(run=run)
        return added

    baking = command("bake", _bake, "export the scene, simulate and write all frames")
    baking.add_argument("--frames", type=engine.frame_range, metavar="A-B", help="instead of the scene's range")
    baking.add_argument("--threads", type=int, metavar="N", help="instead of the scene's number; 0: all cores")
    baking.add_argument("--resume", action="store_true", help="continue from the last checkpoint instead of beginning again")
    baking.add_argument("--from-frame", type=int, metavar="N", help="keep the frames before N, redo N and what follows")
    command("verify", _verify, "compare every frame with the manifest")
    command("info", _info, "tell what the bake holds and how far it is")
    command("free", _free, "delete what was baked, keep the job")
    return parser


def _bake(scene: Any, options: argparse.Namespace) -> int:
    request = bake.Request(options.resume, options.from_frame, options.frames, options.threads)
    with bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]) if scene != bpy.context.scene else _nothing():
        begun = bake.begin_now(bpy.context, request)
    for warning in begun.warnings:
        print(f"tsubu: warning: {warning}", flush=True)
    print(f"tsubu: baking into {begun.folder}", flush=True)
    return _follow(begun.folder)


def _nothing() -> Any:
    from contextlib import nullcontext

    return nullcontext()


def _follow(folder: Path) -> int:
    """Repeats the worker's log until it ends; Ctrl-C cancels. Returns the worker's exit code."""
    child = worker.child_of(folder)
    if child is None:
        return engine.FAILED
    with open(folder / worker.LOG, encoding="utf-8", errors="replace") as log:
        if child.appended:
            log.seek(child.appended)
        try:
            while child.process.poll() is None:
                _repeat(log)
                time.sleep(0.1)
        except KeyboardInterrupt:
            worker.cancel_and_wait(folder)
            child.process.wait()
        _repeat(log)
    code = child.process.returncode
    return code if code in range(6) else engine.FAILED


def _repeat(log: Any) -> None:
    if text := log.read():
        print(text, end="", flush=True)


def _folder(scene: Any) -> Path:
    folder = cache.found_folder(scene)
    if folder is None:
        raise BakeFolderError(f"Scene {scene.name!r} has no bake; run bake first. It would be in {cache.planned_folder(scene)}.")
    return folder


def _verify(scene: Any, _: argparse.Namespace) -> int:
    return engine.main(["verify", str(_folder(scene))])


def _info(scene: Any, _: argparse.Namespace) -> int:
    folder = _folder(scene)
    print(f"{'folder':12} {folder}")
    foreign = cache.why_foreign(scene, folder)
    if foreign:
        print(f"{'owner':12} {foreign}")
    return engine.main(["info", str(folder)])


def _free(scene: Any, _: argparse.Namespace) -> int:
    print(f"tsubu: {readable_bytes(bake.free(scene))} freed; the job is kept.")
    return engine.OK


def register() -> None:
    global _handle
    _handle = bpy.utils.register_cli_command("tsubu", main)


def unregister() -> None:
    global _handle
    bpy.utils.unregister_cli_command(_handle)
    _handle = None
