"""`blender -b scene.blend -c tsubu …`: the same bake without a window, with exit codes."""

from pathlib import Path
from typing import Any

import bpy
import pytest

from tests.blender.artist import part, small_scene, tsubu

__all__ = ["tsubu"]
pytestmark = pytest.mark.usefixtures("tsubu")


def _run(*arguments: str) -> int:
    return part("bridge.cli").main(arguments)


def test_commands(tmp_path: Path, capfd: Any) -> None:
    """bake, info, verify, free: done is 0, damage 5, folder trouble 4, a wrong command 2; the .blend is not touched."""
    scene = small_scene(frames=40)
    blend = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    saved = blend.read_bytes()
    assert _run("info") == 4 and "no bake" in capfd.readouterr().err
    assert _run("bake", "--frames", "3-4", "--threads", "1") == 0
    told = capfd.readouterr().out
    assert "frame 4:" in told and "1 threads" in told
    assert blend.read_bytes() == saved
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    scene = bpy.context.scene
    assert _run("info") == 0 and "3 to 4" in capfd.readouterr().out
    assert _run("verify") == 0
    folder = part("bridge.cache").found_folder(scene)
    victim = next((folder / "points").glob("*0004*"))
    victim.write_bytes(victim.read_bytes()[:-1])
    assert _run("verify") == 5 and "truncated" in capfd.readouterr().out
    assert _run("bake", "--resume", "--frames", "3-5") == 0
    assert _run("verify") == 0 and sorted(part("solvers.bake.manifest").read(folder).frames) == [3, 4, 5]
    assert _run("free") == 0 and not (folder / "points").exists()
    assert _run("bake", "--frames", "9-3") == 2
    assert _run("fly") == 2
    assert _run("bake", "--scene", "Elsewhere") == 2 and "Elsewhere" in capfd.readouterr().err


def test_bad_scene_is_exit_code_2(capfd: Any) -> None:
    """An invalid scene is bad input, named on stderr."""
    small_scene()
    bpy.data.objects["Column"].scale.z = 0.0
    assert _run("bake") == 2
    assert "Column" in capfd.readouterr().err


def test_command_is_registered(tsubu: Any) -> None:
    """Blender knows the command while the extension is on."""
    cli = part("bridge.cli")
    assert cli._handle is not None
    tsubu.unregister()
    assert cli._handle is None
    tsubu.register()


def test_other_scene_of_the_file(tmp_path: Path) -> None:
    """--scene bakes another scene than the active one, into that scene's folder."""
    small_scene(frames=1)
    second = bpy.context.scene.copy()
    second.name = "Second"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "two.blend"))
    assert _run("bake", "--scene", "Second") == 0
    assert part("bridge.cache").found_folder(second) == tmp_path / "tsubu" / "two_Second"
    assert part("bridge.cache").found_folder(bpy.data.scenes["Scene"]) is None
