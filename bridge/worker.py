"""The worker process: Blender starts it, reads its status, asks it to stop, and may be closed meanwhile.

numba lives in that process only. It runs with Blender's own Python, which ignores PYTHONPATH (-I), so the folders of the
modules it needs travel in TSUBU_IMPORT_PATHS.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..solvers.bake import files, lock, status
from ..solvers.errors import TsubuError
from .cache import user_folder

LOG = "bake.log"
_NEEDED = ("numpy", "numba", "llvmlite")
_WELCOME = ("openvdb", "pxr")


class Child(NamedTuple):
    """A worker that this Blender started."""

    process: subprocess.Popen
    before: float
    """When the bake began whose status was in the folder before, 0 if there was none."""
    appended: int = 0
    """Bytes that were in the log before."""


class Options(NamedTuple):
    """How the worker is to bake."""

    threads: int = 0
    resume: bool = False
    from_frame: int | None = None
    points_only: bool = False
    """Leave the surfaces to a later run."""
    openjd: bool = False
    """Tell progress to a farm, and end with this process: a farm that kills a task means all of it."""


_children: dict[Path, Child] = {}


def _module_folder(name: str) -> str | None:
    """The folder that has to be on the path for `import name`; nothing is imported here."""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if found is None:
        return None
    if found.submodule_search_locations:
        return str(Path(next(iter(found.submodule_search_locations))).parent)
    return str(Path(found.origin).parent) if found.origin else None


def import_paths() -> list[str]:
    """Folders of the modules that the worker imports. Raises `TsubuError` if the compiler is not installed."""
    paths: list[str] = []
    for name in (*_NEEDED, *_WELCOME):
        folder = _module_folder(name)
        if folder is None and name in _NEEDED:
            raise TsubuError(
                f"The Python of this Blender has no {name}, without which nothing can be baked. "
                "Install Tsubu from the zip of your platform, which brings it along, and restart Blender."
            )
        if folder is not None and folder not in paths:
            paths.append(folder)
    return paths


def _environment() -> dict[str, str]:
    chosen = dict(os.environ)
    chosen["TSUBU_IMPORT_PATHS"] = os.pathsep.join(import_paths())
    if not chosen.get("TSUBU_JIT_CACHE"):
        chosen["TSUBU_JIT_CACHE"] = str(user_folder("jit"))
    return chosen


def _engine(*words: str) -> list[str]:
    """The command line of the engine in Blender's own Python."""
    main = Path(__file__).resolve().parent.parent / "solvers" / "__main__.py"
    return [sys.executable, *bpy.app.python_args, str(main), *words]


def _command(folder: Path, options: Options) -> list[str]:
    words = ["bake", str(folder), "--threads", str(options.threads)]
    if options.from_frame is not None:
        words += ["--from-frame", str(options.from_frame)]
    given = {"--resume": options.resume, "--points-only": options.points_only, "--openjd": options.openjd}
    return _engine(*words, *(flag for flag, wanted in given.items() if wanted))


def run(*words: str) -> int:
    """Runs a command of the engine to its end, with its output on ours; returns its exit code. Ctrl-C ends both."""
    with subprocess.Popen(_engine(*words), stdin=subprocess.DEVNULL, env=_environment(), cwd=tempfile.gettempdir()) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            process.terminate()
            return process.wait()


def start(folder: Path, options: Options) -> Child:
    """Starts the worker on the job in `folder`, in a session of its own: closing Blender does not end it."""
    environment = _environment()
    detached: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
    if options.openjd:
        detached = {}
    log = folder / LOG
    with files.folder_errors(folder), open(log, "ab" if options.resume or options.from_frame is not None else "wb") as stream:
        (folder / status.CANCEL).unlink(missing_ok=True)
        appended = stream.tell()
        before = _status_began(folder)
        process = subprocess.Popen(
            _command(folder, options),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=tempfile.gettempdir(),
            **detached,
        )
    _children[folder] = Child(process, before, appended)
    return _children[folder]


def run_script(path: Path, *words: str) -> str:
    """Runs a script that needs the engine but not Blender; returns "" or the last thing that it complained about."""
    command = [sys.executable, *bpy.app.python_args, str(path), *words]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=_environment(), cwd=tempfile.gettempdir(),
        encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    lines = (done.stderr or done.stdout).strip().splitlines()
    return "" if done.returncode == 0 else (lines[-1] if lines else f"exit code {done.returncode}")


def ask(folder: Path, *words: str) -> subprocess.Popen:
    """Starts a command of the engine that answers on its standard output; ends with this process."""
    words = (words[0], str(folder), *words[1:])
    return subprocess.Popen(
        _engine(*words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
        cwd=tempfile.gettempdir(),
        text=True,
        encoding="utf-8",
        errors="replace",
    )


def child_of(folder: Path) -> Child | None:
    return _children.get(folder)


def is_running(folder: Path) -> bool:
    """Whether a worker bakes in `folder`, of this Blender or of another."""
    child = _children.get(folder)
    owner = lock.owner_of(folder)
    if child is not None and child.process.poll() is None:
        # A worker that has said its last word and given the lock back is only tidying up.
        return owner is not None or not has_begun(folder) or status.read(folder).get("phase") not in status.FINAL
    return lock.is_running(folder, owner)


def has_begun(folder: Path) -> bool:
    """Whether the status in `folder` is that of the newest worker, not of an earlier one."""
    child = _children.get(folder)
    return child is None or _status_began(folder) != child.before


def _status_began(folder: Path) -> float:
    """When the bake began that wrote the status in `folder`, seconds since 1970; 0 if there is no status."""
    return float(status.read(folder).get("started", 0.0))


def cancel(folder: Path) -> None:
    """Asks the bake in `folder` to stop. Call again until it has: a worker that has only just begun may miss the file."""
    child = _children.get(folder)
    if child is not None and child.process.poll() is None and not has_begun(folder):
        child.process.terminate()
        return
    status.request_cancel(folder)


def cancel_and_wait(folder: Path, seconds: float = 10.0) -> bool:
    """Cancels and waits until nobody bakes in `folder` any more."""
    deadline = time.monotonic() + seconds
    while is_running(folder):
        if time.monotonic() > deadline:
            return False
        cancel(folder)
        time.sleep(0.05)
    (folder / status.CANCEL).unlink(missing_ok=True)
    return True


def kill(folder: Path) -> None:
    """Ends a worker of this Blender that does not listen. Files are whole at every moment."""
    child = _children.get(folder)
    if child is not None and child.process.poll() is None:
        child.process.kill()
        child.process.wait()


def last_words(folder: Path) -> str:
    """The error in the log, or its last line."""
    try:
        lines = (folder / LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    told = [line.partition("tsubu: error: ")[2] for line in lines if line.startswith("tsubu: error: ")]
    return told[-1] if told else (lines[-1] if lines else "")


def forget(folder: Path) -> None:
    _children.pop(folder, None)
