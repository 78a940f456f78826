"""`blender -b scene.blend -c tsubu bake | verify | info | free | …`: the scene's bake without a window, for scripts and farms.

Exit codes are those of `python -m solvers`: 0 done, 1 failed, 2 bad input, 3 cancelled, 4 folder trouble, 5 damage found.
"""

import argparse
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from ..solvers.bake import cli as engine
from ..solvers.bake.files import readable_bytes
from ..solvers.errors import BakeFolderError, InvalidScene, TsubuError
from . import bake, cache, cli_farm, worker
from .bake_folder import PlaybackError

_handle: Any = None


def main(arguments: Sequence[str]) -> int:
    """Runs one command on the current scene and returns its exit code."""
    try:
        options = _parser().parse_args(list(arguments))
    except SystemExit as stop:  # argparse has printed what was wrong, or the help
        return int(stop.code or 0)
    try:
        scene = _scene(options.scene)
        if options.cache:
            scene.tsubu.cache_folder = options.cache
        with ending_kindly():
            return options.run(scene, options)
    except InvalidScene as error:
        return _say(error, engine.BAD_INPUT, options)
    except (BakeFolderError, PlaybackError) as error:
        return _say(error, engine.FOLDER, options)
    except TsubuError as error:
        return _say(error, engine.FAILED, options)


def _say(error: Exception, code: int, options: argparse.Namespace) -> int:
    print(f"tsubu: error: {error}", file=sys.stderr, flush=True)
    if options.openjd:
        print(f"openjd_fail: {error}", flush=True)
    return code


@contextmanager
def ending_kindly() -> Iterator[None]:
    """A farm that cancels a task asks by SIGTERM first: treated as Ctrl-C, which lets a bake save its state."""
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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
        added.add_argument("--cache", default="", metavar="FOLDER", help="folder of the bakes, instead of the scene's")
        added.add_argument("--openjd", action="store_true", help="print progress for Open Job Description")
        added.set_defaults(run=run)
        return added

    baking = command("bake", _bake, "export the scene, simulate and write all frames")
    baking.add_argument("--frames", type=engine.frame_range, metavar="A-B", help="instead of the scene's range")
    baking.add_argument("--threads", type=int, metavar="N", help="instead of the scene's number; 0: all cores")
    baking.add_argument("--resume", action="store_true", help="continue from the last checkpoint instead of beginning again")
    baking.add_argument("--from-frame", type=int, metavar="N", help="keep the frames before N, redo N and what follows")
    baking.add_argument(
        "--unchanged", action="store_true", help="resume if the finished frames still belong to the scene, else begin again"
    )
    baking.add_argument("--points-only", action="store_true", help="no surfaces; the command surface makes them afterwards")
    command("verify", _verify, "compare every frame with the manifest")
    command("info", _info, "tell what the bake holds and how far it is")
    command("free", _free, "delete what was baked, keep the job")
    cli_farm.add_commands(command)
    return parser


def _bake(scene: Any, options: argparse.Namespace) -> int:
    request = bake.Request(
        options.resume,
        options.from_frame,
        options.frames,
        options.threads,
        options.unchanged,
        options.points_only,
        options.openjd,
    )
    with cli_farm.in_scene(scene):
        begun = bake.begin_now(bpy.context, request)
    for warning in begun.warnings:
        print(f"tsubu: warning: {warning}", flush=True)
    print(f"tsubu: baking into {begun.folder}", flush=True)
    return _follow(begun.folder)


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
    return cli_farm.baked_folder(scene)


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
