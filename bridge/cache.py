"""Which folder a scene bakes into, and whose a folder is.

Every bake folder carries blender.json: the token of its scene, the .blend file, the scene's name and the Blender that
began the bake. A folder is ours only if all of that fits; a copied file, a second scene or a second Blender gets
another folder, and nothing is shared by accident.
"""

import json
import os
import uuid
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..solvers.bake import files
from ..solvers.bake.process import host_name, start_mark
from ..solvers.errors import BakeFolderError

OWNER = "blender.json"
_PACKAGE = (__package__ or "").rpartition(".")[0]
_remembered: dict[int, tuple[str, str]] = {}
"""Token and folder by the scene's session number: an undo may take them out of the scene, but not out of the world."""


class Owner(NamedTuple):
    """Who may write a bake folder."""

    token: str = ""
    blend: str = ""
    """Absolute path of the .blend file, "" if it was never saved."""
    blend_from_here: str = ""
    """The same, relative to the bake folder: file and bakes may be moved or copied together."""
    scene: str = ""
    host: str = ""
    pid: int = 0
    mark: str = ""
    """Start mark of the Blender process, see `solvers.bake.process`."""
    metres: float = 1.0
    """Simulated metres in a Blender unit."""


def user_folder(name: str) -> Path:
    """A folder of the extension in the user's files, made if need be."""
    return Path(bpy.utils.extension_path_user(_PACKAGE, path=name, create=True))


def read_owner(folder: Path) -> Owner | None:
    """Who owns `folder`; None if it says nothing."""
    try:
        values = json.loads((folder / OWNER).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(values, dict):
        return None
    known = Owner()._asdict()
    right = {name: values[name] for name in known if isinstance(values.get(name), type(known[name]))}
    return Owner(**right)


def token_of(scene: Any) -> str:
    """What is remembered is newer than what the scene holds: an undo may have put back an older token."""
    return _remembered.get(scene.session_uid, (scene.tsubu.token, ""))[0]


def found_folder(scene: Any) -> Path | None:
    """The folder of the scene's last bake, wherever file and folder have moved together; None if there is none."""
    token = token_of(scene)
    settings = scene.tsubu
    candidates = [_remembered.get(scene.session_uid, ("", ""))[1], settings.bake_folder]
    if bpy.data.filepath and settings.bake_folder_relative:
        candidates.insert(1, bpy.path.abspath(settings.bake_folder_relative))
    for text in filter(None, candidates if token else ()):
        folder = Path(text)
        owner = read_owner(folder)
        if owner is not None and owner.token == token:
            return folder
    return _found_unsaved(scene)


def _found_unsaved(scene: Any) -> Path | None:
    """A bake that this file began but does not know of: Blender was closed without saving, or a farm baked it."""
    if not bpy.data.filepath:
        return None
    folder = base_folder(scene) / own_name(scene)
    owner = read_owner(folder)
    if owner is None or owner.scene != scene.name or not _same_file(owner, folder, bpy.data.filepath):
        return None
    if any(token_of(other) == owner.token for other in bpy.data.scenes if other != scene):
        return None
    _remembered[scene.session_uid] = (owner.token, str(folder))
    return folder


def why_foreign(scene: Any, folder: Path) -> str:
    """Why this scene must not write `folder`; "" if it is its own."""
    owner = read_owner(folder)
    if owner is None:
        return f"{folder} was not baked from Blender"
    if owner.token != token_of(scene):
        return f"{folder} belongs to scene {owner.scene!r} of {_file_name(owner.blend)}"
    twins = [other.name for other in bpy.data.scenes if other != scene and token_of(other) == owner.token]
    if twins and scene.name != owner.scene:
        return f"The bake belongs to scene {owner.scene!r}, of which this one is a copy"
    here = bpy.data.filepath
    if owner.blend and not _same_file(owner, folder, here) and os.path.exists(owner.blend):
        return f"The bake belongs to {_file_name(owner.blend)}, of which this file is a copy"
    if _is_other_blender(owner):
        return f"The bake belongs to another running Blender (process {owner.pid}) that has the same file open"
    return ""


def _file_name(blend: str) -> str:
    return os.path.basename(blend) if blend else "a file that was never saved"


def _same_file(owner: Owner, folder: Path, here: str) -> bool:
    if not here:
        return False
    beside = os.path.normpath(folder / owner.blend_from_here) if owner.blend_from_here else ""
    return os.path.normpath(here) in (os.path.normpath(owner.blend), beside)


def _is_other_blender(owner: Owner) -> bool:
    if owner.host != host_name() or owner.pid == os.getpid():
        return False
    return bool(owner.mark) and start_mark(owner.pid) == owner.mark


def _is_free(folder: Path) -> bool:
    """Whether nobody has anything in `folder`."""
    try:
        return not any(folder.iterdir())
    except FileNotFoundError:
        return True
    except NotADirectoryError:
        return False
    except OSError as error:
        raise files.explained(error, folder) from error


def base_folder(scene: Any) -> Path:
    """The folder in which the scene's bakes lie, beside those of other scenes."""
    if scene.tsubu.cache_folder:
        if scene.tsubu.cache_folder.startswith("//") and not bpy.data.filepath:
            raise BakeFolderError(
                f"The cache folder {scene.tsubu.cache_folder} is relative to the .blend file, which was never saved. "
                "Save the file or choose another folder."
            )
        return Path(bpy.path.abspath(scene.tsubu.cache_folder))
    if bpy.data.filepath:
        return Path(bpy.data.filepath).parent / "tsubu"
    return user_folder("bakes")


def planned_folder(scene: Any) -> Path:
    """Where the next bake goes: the scene's own folder, or the first one that nobody has."""
    base = base_folder(scene)
    known = found_folder(scene)
    if known is not None and known.parent == base and not why_foreign(scene, known):
        return known
    name = own_name(scene)
    number = 1
    while True:
        folder = base / (name if number == 1 else f"{name}-{number}")
        if _is_free(folder):
            return folder
        number += 1


def own_name(scene: Any) -> str:
    stem = Path(bpy.data.filepath).stem if bpy.data.filepath else f"unsaved {os.getpid()}"
    return files.file_name(f"{stem}_{scene.name}")


def claim(scene: Any, folder: Path, metres: float) -> None:
    """Makes `folder` this scene's own and notes it in the scene. A folder that is new to the scene gets a new token."""
    known = found_folder(scene)
    token = token_of(scene) if known == folder and not why_foreign(scene, folder) else uuid.uuid4().hex
    _write_owner(scene, folder, token, metres)
    note(scene, token, folder)


def take_over(scene: Any, folder: Path) -> None:
    """The scene becomes the owner of a bake that belonged to a copy of it. Others lose it: the token is new."""
    owner = read_owner(folder) or Owner()
    token = uuid.uuid4().hex
    _write_owner(scene, folder, token, owner.metres)
    note(scene, token, folder)


def _write_owner(scene: Any, folder: Path, token: str, metres: float) -> None:
    here = bpy.data.filepath
    owner = Owner(
        token=token,
        blend=here,
        blend_from_here=_relative(here, folder),
        scene=scene.name,
        host=host_name(),
        pid=os.getpid(),
        mark=start_mark(os.getpid()),
        metres=metres,
    )
    with files.folder_errors(folder):
        files.write_bytes(folder / OWNER, files.json_bytes(owner._asdict(), indent=1))


def note(scene: Any, token: str, folder: Path) -> None:
    """Writes the bake into the scene. After an undo the watching operator does it again."""
    _remembered[scene.session_uid] = (token, str(folder))
    settings = scene.tsubu
    settings.token = token
    settings.bake_folder = str(folder)
    settings.bake_folder_relative = "//" + _relative(str(folder), Path(bpy.data.filepath).parent) if bpy.data.filepath else ""


def note_again(scene: Any) -> None:
    """Puts back what an undo took out of the scene."""
    token, folder = _remembered.get(scene.session_uid, ("", ""))
    if token and scene.tsubu.token != token:
        note(scene, token, Path(folder))


def forget_session() -> None:
    _remembered.clear()


def _relative(path: str, start: Path) -> str:
    """`path` seen from `start`, with forward slashes; "" if that is impossible (other drive) or there is no path."""
    if not path:
        return ""
    try:
        return os.path.relpath(path, start).replace(os.sep, "/")
    except ValueError:
        return ""
