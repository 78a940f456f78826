"""Out of every stuck state: a worker that does not answer, a scene that was being read, an error that stays, a stale lock."""

from typing import Any

from ..solvers.bake import lock, status
from . import cache, monitor, preflight, worker

_PATIENCE = 5.0
"""Seconds that a worker has to stop by itself."""


def reset(scene: Any) -> str:
    """Ends what runs for `scene` and forgets what is remembered about it; frames stay. Returns what was done."""
    folder = cache.found_folder(scene)
    done = "Nothing was running; errors are forgotten"
    preflight.forget(scene)
    if folder is not None and not cache.why_foreign(scene, folder):
        if worker.is_running(folder):
            done = "The bake was ended; it can be resumed"
            if not worker.cancel_and_wait(folder, _PATIENCE):
                worker.kill(folder)
                done = "The worker did not answer and was ended; the bake can be resumed"
        if lock.owner_of(folder) is not None and not worker.is_running(folder):
            with lock.Lock(folder):  # taking it clears what a dead worker left
                done += "; a stale lock was removed"
        (folder / status.CANCEL).unlink(missing_ok=True)
        worker.forget(folder)
    monitor.forget_scene(scene)
    return done
