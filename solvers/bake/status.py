"""status.json: how far a bake is, for whoever looks. Rewritten atomically, never required for a resume."""

import json
from pathlib import Path
from typing import Any

from . import files

STATUS = "status.json"
CANCEL = "cancel"
"""Name of the file whose appearance asks a running bake to stop."""
LOST = ("swallowed", "dropped", "blocked")
"""Particles so far that went down drains, left the world, and found no room at their emitters."""
FINAL = ("done", "cancelled", "failed")


def write(folder: Path, values: dict[str, Any]) -> None:
    files.write_bytes(folder / STATUS, files.json_bytes(values), settle=False)


def read(folder: Path) -> dict[str, Any]:
    """The last status, {} if there is none."""
    try:
        values = json.loads((folder / STATUS).read_bytes())
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}


def request_cancel(folder: Path) -> None:
    """Asks the bake that runs in `folder` to stop; obeyed within a second."""
    with files.folder_errors(folder):
        (folder / CANCEL).touch()
