"""The one place where Blender data becomes files and files become Blender data.

`export` writes a job, `worker` starts the engine on it, `monitor` reads how far it is, `playback` turns a bake folder into
ordinary objects. Nothing here imports numba: solving happens in the worker process.
"""

from . import cli, properties, render_check, stored_paths, translation

_PARTS = (properties, cli, stored_paths, render_check, translation)


def register() -> None:
    for part in _PARTS:
        part.register()


def unregister() -> None:
    for part in reversed(_PARTS):
        part.unregister()
