"""The command line. Exit codes: 0 done, 1 failed, 2 bad input, 3 cancelled, 4 folder trouble, 5 verify found damage."""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import BakeFolderError, Cancelled, InvalidScene, TsubuError
from . import files, lock, manifest, status
from .worker import MakeWorld, Options, real_world

OK, FAILED, BAD_INPUT, CANCELLED, FOLDER, DAMAGED = range(6)


def main(arguments: Sequence[str], make_world: MakeWorld = real_world) -> int:
    """Runs one command and returns its exit code. `make_world` is replaced in tests."""
    options = _parser().parse_args(arguments)
    folder = Path(options.job or "")
    try:
        return options.run(folder, options, make_world)
    except Cancelled as stop:
        print(f"tsubu: {stop or 'cancelled'}", file=sys.stderr)
        return CANCELLED
    except KeyboardInterrupt:
        print("tsubu: interrupted", file=sys.stderr)
        return CANCELLED
    except InvalidScene as error:
        return _say(error, BAD_INPUT, options)
    except BakeFolderError as error:
        return _say(error, FOLDER, options)
    except TsubuError as error:
        return _say(error, FAILED, options)


def _say(error: Exception, code: int, options: argparse.Namespace) -> int:
    print(f"tsubu: error: {error}", file=sys.stderr)
    if getattr(options, "openjd", False):
        print(f"openjd_fail: {error}", flush=True)
    return code


def frame_range(text: str) -> tuple[int, int]:
    """"10-20", "10" or "-5--1" as first and last frame."""
    cut = text.find("-", 1)
    first, last = (text, text) if cut < 0 else (text[:cut], text[cut + 1 :])
    try:
        numbers = int(first), int(last)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no frame range; write A-B, such as 1-48") from error
    if numbers[1] < numbers[0]:
        raise argparse.ArgumentTypeError(f"the frame range {text} is reversed; write {numbers[1]}-{numbers[0]}")
    return numbers


def _parser() -> argparse.ArgumentParser:
    about = "Bake particles and surfaces from a job folder."
    parser = argparse.ArgumentParser(prog="python -m solvers", description=about, epilog=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.add_argument("job", metavar="JOB", nargs=None if name != "warm" else "?", help="bake folder that holds job.json")
        added.set_defaults(run=run)
        return added

    baking = command("bake", _bake, "simulate and write all frames")
    baking.add_argument("--resume", action="store_true", help="continue from the last checkpoint instead of beginning again")
    baking.add_argument("--from-frame", type=int, metavar="N", help="keep the frames before N, redo N and what follows")
    baking.add_argument("--points-only", action="store_true", help="no surfaces; the command surface makes them afterwards")
    surfacing = command("surface", _surface, "make the surfaces again from the baked points")
    surfacing.add_argument("--frames", type=frame_range, metavar="A-B", help="only these frames")
    surfacing.add_argument("--jobs", type=int, default=0, metavar="N", help="frames at a time, one process each; 0: one per core")
    for added in (baking, surfacing):
        added.add_argument("--threads", type=int, default=0, metavar="N", help="threads in all; 0: as many as the machine bears")
        added.add_argument("--openjd", action="store_true", help="print progress for Open Job Description")
    command("info", _info, "tell what a job holds and how far it is")
    command("verify", _verify, "compare every frame with the manifest")
    command("cancel", _cancel, "ask a running bake to stop")
    command("free", _free, "delete what was baked, keep the job")
    probing = command("probe", _probe, "simulate a few steps and foretell time, memory and disk, as one line of JSON")
    probing.add_argument("--threads", type=int, default=0, metavar="N", help="threads; 0: as many as the machine bears")
    warming = command("warm", _warm, "compile ahead what a job (or, without one, any job) needs")
    warming.add_argument("--part", help=argparse.SUPPRESS)
    return parser


def _bake(folder: Path, given: argparse.Namespace, make_world: MakeWorld) -> int:
    from .start import bake_job

    options = Options(
        threads=given.threads,
        resume=given.resume,
        from_frame=given.from_frame,
        points_only=given.points_only,
        own_process=True,
        openjd=given.openjd,
        log=_log,
    )
    bake_job(folder, options, make_world)
    return OK


def _log(line: str) -> None:
    print(line, flush=True)


def _surface(folder: Path, given: argparse.Namespace, _: MakeWorld) -> int:
    from .resurface import resurface

    resurface(folder, given.frames, jobs=given.jobs, threads=given.threads, openjd=given.openjd, log=_log)
    return OK


def _info(folder: Path, _: argparse.Namespace, __: MakeWorld) -> int:
    from .. import job
    from .estimate import estimate
    from .verify import ranges

    scene = job.read(folder)
    found = manifest.read(folder)
    particles, memory = estimate(scene)
    owner = lock.owner_of(folder)
    now = status.read(folder)
    world = scene.world
    states = [frame for frame, entry in found.states.items() if manifest.intact(folder, entry["file"], thorough=False)]
    runs = lock.is_running(folder, owner)
    size = sum(entry["bytes"] for frame in found.frames.values() for entry in frame["files"])
    lines = [
        ("name", scene.name),
        ("bodies", ", ".join(f"{body.name} ({body.kind})" for body in scene.bodies)),
        ("emitters", ", ".join(f"{emitter.name} ({emitter.kind})" for emitter in scene.emitters)),
        ("colliders", ", ".join(collider.name for collider in scene.colliders)),
        ("frames", f"{world.frame_start} to {world.frame_end} at {world.frames_per_second:g} per second"),
        ("spacing", f"{world.spacing:g} m"),
        ("estimate", f"{particles:,} particles, {files.readable_bytes(memory)} of memory"),
        ("baked", f"{ranges(list(found.frames)) or 'nothing'} ({files.readable_bytes(size)})"),
        ("checkpoints", ranges(states)),
        ("points", found.header.get("points", "")),
        ("versions", ", ".join(f"{key} {value}" for key, value in found.header.get("versions", {}).items() if value)),
        ("status", f"{now.get('phase', '')} {now.get('message', '')}".strip()),
        ("running", f"process {owner.get('pid')} on {owner.get('host')}" if runs and owner else "no"),
    ]
    for name, text in lines:
        if text:
            print(f"{name:12} {text}")
    return OK


def _verify(folder: Path, _: argparse.Namespace, __: MakeWorld) -> int:
    from .verify import verify

    _require_folder(folder)
    findings = verify(folder)
    for finding in findings:
        print(f"{finding.kind:10} {finding.path}: {finding.text}")
    checked = sum(len(frame["files"]) for frame in manifest.read(folder).frames.values())
    if findings:
        broken = [finding.frame for finding in findings if finding.frame is not None]
        repair = f"--from-frame {min(broken)}" if broken else "--resume"
        print(f"{len(findings)} problems in {checked} files. Repair with: python -m solvers bake {folder} {repair}")
        return DAMAGED
    print(f"{checked} files are complete and as they were baked.")
    return OK


def _require_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise BakeFolderError(f"There is no folder {folder}.")


def _cancel(folder: Path, _: argparse.Namespace, __: MakeWorld) -> int:
    _require_folder(folder)
    if not lock.is_running(folder, lock.owner_of(folder)):
        print("tsubu: no bake is running there.")
        return OK
    status.request_cancel(folder)
    deadline = time.monotonic() + 10.0
    while lock.is_running(folder, lock.owner_of(folder)):
        if time.monotonic() > deadline:
            print("tsubu: asked, but the bake has not stopped yet.", file=sys.stderr)
            return FAILED
        time.sleep(0.05)
    print("tsubu: the bake was cancelled; it can be resumed.")
    return OK


def _free(folder: Path, _: argparse.Namespace, __: MakeWorld) -> int:
    from .resume import clear

    _require_folder(folder)
    with lock.Lock(folder):
        freed = clear(folder)
        (folder / status.STATUS).unlink(missing_ok=True)
    print(f"tsubu: {files.readable_bytes(freed)} freed; the job is kept.")
    return OK


def _probe(folder: Path, given: argparse.Namespace, _: MakeWorld) -> int:
    from .probe import probe

    _require_folder(folder)
    print(files.json_bytes(probe(folder, given.threads)._asdict()).decode().strip(), flush=True)
    return OK


def _warm(folder: Path, given: argparse.Namespace, _: MakeWorld) -> int:
    from .. import job
    from ..watch import Silent
    from .modules import blender_modules
    from .warm import Warming, any_scene, unready, warm_part

    scene = job.read(folder) if given.job else any_scene()
    if given.part:
        blender_modules()
        warm_part(scene, given.part)
        return OK
    begin = time.monotonic()
    parts = unready(scene)
    with Warming(parts, folder if given.job else None) as warming:
        failed = warming.wait(Silent())
    for part in parts:
        print(f"tsubu: {part}: {'failed' if part in failed else 'compiled'}")
    print(f"tsubu: everything is compiled ({time.monotonic() - begin:.0f} s)." if not failed else "tsubu: some parts failed.")
    return FAILED if failed else OK
