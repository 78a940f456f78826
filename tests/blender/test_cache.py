"""Whose a bake folder is: nothing is shared by accident."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import pytest

from tests.blender.artist import part, small_scene, tsubu

__all__ = ["tsubu"]
pytestmark = pytest.mark.usefixtures("tsubu")


def _cache() -> Any:
    return part("bridge.cache")


def _saved(path: Path) -> Any:
    """A small scene in a saved file, with a folder of its own, as if it had baked."""
    scene = small_scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    _claim(scene)
    bpy.ops.wm.save_mainfile()
    return scene


def _claim(scene: Any) -> Path:
    folder = _cache().planned_folder(scene)
    folder.mkdir(parents=True)
    _cache().claim(scene, folder, 1.0)
    (folder / "job.json").write_text("{}")
    return folder


def _reopen(path: Path) -> Any:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.context.scene


def test_own_folder_is_used_again(tmp_path: Path) -> None:
    """The same scene of the same file bakes into the same folder, also after reopening and after renaming the scene."""
    _saved(tmp_path / "shot.blend")
    scene = _reopen(tmp_path / "shot.blend")
    folder = _cache().found_folder(scene)
    assert folder == tmp_path / "tsubu" / "shot_Scene"
    assert _cache().why_foreign(scene, folder) == "" and _cache().planned_folder(scene) == folder
    scene.name = "Renamed"
    assert _cache().why_foreign(scene, folder) == "" and _cache().planned_folder(scene) == folder


def test_copied_file_gets_its_own_folder(tmp_path: Path) -> None:
    """A copy of the .blend neither resumes nor frees the original's bake: it gets a new folder, or takes the bake over."""
    _saved(tmp_path / "shot.blend")
    shutil.copy(tmp_path / "shot.blend", tmp_path / "copy.blend")
    scene = _reopen(tmp_path / "copy.blend")
    folder = _cache().found_folder(scene)
    assert folder is not None and "shot.blend" in _cache().why_foreign(scene, folder)
    assert _cache().planned_folder(scene) == tmp_path / "tsubu" / "copy_Scene"
    for name in ("resume", "free"):
        with pytest.raises(RuntimeError):
            getattr(bpy.ops.tsubu, name)()
    before = json.loads((folder / "blender.json").read_text())["token"]
    assert bpy.ops.tsubu.take_over() == {"FINISHED"}
    assert _cache().why_foreign(scene, folder) == ""
    assert json.loads((folder / "blender.json").read_text())["token"] != before
    original = _reopen(tmp_path / "shot.blend")
    assert _cache().found_folder(original) is None, "the original has lost it"
    assert _cache().planned_folder(original) != folder


def test_save_as_into_the_same_place_keeps_the_original_safe(tmp_path: Path) -> None:
    """After Save As the new file sees the old bake but writes into a folder of its own."""
    scene = _saved(tmp_path / "v1.blend")
    first = _cache().found_folder(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "v2.blend"))
    assert _cache().found_folder(scene) == first
    assert _cache().planned_folder(scene) == tmp_path / "tsubu" / "v2_Scene"
    _claim(scene)
    assert _cache().found_folder(scene) == tmp_path / "tsubu" / "v2_Scene"
    assert json.loads((first / "blender.json").read_text())["token"] != scene.tsubu.token


def test_moved_and_copied_projects_keep_their_bakes(tmp_path: Path) -> None:
    """File and folder moved together, or copied together, still belong to each other."""
    (tmp_path / "old").mkdir()
    _saved(tmp_path / "old" / "shot.blend")
    shutil.copytree(tmp_path / "old", tmp_path / "twin")
    scene = _reopen(tmp_path / "twin" / "shot.blend")
    folder = _cache().found_folder(scene)
    assert folder == tmp_path / "twin" / "tsubu" / "shot_Scene" and _cache().why_foreign(scene, folder) == ""
    (tmp_path / "old").rename(tmp_path / "new")
    scene = _reopen(tmp_path / "new" / "shot.blend")
    folder = _cache().found_folder(scene)
    assert folder == tmp_path / "new" / "tsubu" / "shot_Scene" and _cache().why_foreign(scene, folder) == ""


def test_copied_scene_gets_its_own_folder(tmp_path: Path) -> None:
    """A full copy of a scene carries the token along, but not the right to the folder."""
    scene = _saved(tmp_path / "shot.blend")
    folder = _cache().found_folder(scene)
    twin = scene.copy()
    assert twin.tsubu.token == scene.tsubu.token
    assert "copy" in _cache().why_foreign(twin, folder) and _cache().why_foreign(scene, folder) == ""
    second = _claim(twin)
    assert second != folder and twin.tsubu.token != scene.tsubu.token
    assert _cache().found_folder(scene) == folder and _cache().found_folder(twin) == second


def test_scenes_with_the_same_file_name(tmp_path: Path) -> None:
    """Names that look the same on disk do not meet: A? and A* would both be A_."""
    first = _saved(tmp_path / "shot.blend")
    first.name = "A?"
    second = bpy.data.scenes.new("A*")
    folders = {_claim(scene) for scene in (second, bpy.data.scenes.new("A:"))}
    assert len(folders) == 2


def test_another_blender_with_the_same_file(tmp_path: Path) -> None:
    """While the Blender that began a bake is open, another one with the same file does not write there."""
    scene = _saved(tmp_path / "shot.blend")
    folder = _cache().found_folder(scene)
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        owner = json.loads((folder / "blender.json").read_text())
        owner |= {"pid": other.pid, "mark": part("solvers.bake.process").start_mark(other.pid)}
        (folder / "blender.json").write_text(json.dumps(owner))
        assert "another running Blender" in _cache().why_foreign(scene, folder)
        assert _cache().planned_folder(scene) != folder
    finally:
        other.communicate(b"\n")
    assert _cache().why_foreign(scene, folder) == "", "it is closed now"


def test_unsaved_files_never_meet(tmp_path: Path) -> None:
    """Two files that were never saved have folders of their own, in one Blender and in two."""
    folders = []
    for _ in range(2):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        folders.append(_claim(small_scene()))
    assert folders[0] != folders[1]
    assert str(os.getpid()) in folders[0].name


def test_foreign_content_is_never_overwritten(tmp_path: Path) -> None:
    """A folder that holds anything unknown is left alone; the bake gets another one."""
    scene = small_scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    taken = tmp_path / "tsubu" / "shot_Scene"
    taken.mkdir(parents=True)
    (taken / "thesis.txt").write_text("ten years of work")
    assert _cache().planned_folder(scene) == tmp_path / "tsubu" / "shot_Scene-2"


def test_chosen_cache_folder(tmp_path: Path) -> None:
    """A chosen folder holds the bakes of several scenes side by side; a relative one needs a saved file."""
    scene = small_scene()
    scene.tsubu.cache_folder = "//bakes"
    with pytest.raises(part("solvers.errors").BakeFolderError, match="never saved"):
        _cache().planned_folder(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert _cache().planned_folder(scene) == tmp_path / "bakes" / "shot_Scene"
    scene.tsubu.cache_folder = str(tmp_path / "elsewhere")
    assert _claim(scene).parent == tmp_path / "elsewhere"
