"""Farm jobs: what the template says is what a farm has to run, and running it bakes, surfaces and renders."""

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from examples.addon import ROOT
from tests.blender.artist import part, small_scene, tsubu

__all__ = ["tsubu"]
pytestmark = pytest.mark.usefixtures("tsubu")


def shot(folder: Path, frames: int = 3) -> Path:
    """A saved file of a small tank with water before a camera and a white sky, 64 × 48 pixels by Cycles."""
    scene = small_scene(frames)
    scene.tsubu.surface.enabled = True
    scene.render.engine, scene.cycles.device = "CYCLES", "CPU"
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    scene.render.resolution_x, scene.render.resolution_y = 64, 48
    bpy.data.objects["Tank"].hide_render = True
    scene.world = bpy.data.worlds.new("White")
    scene.world.use_nodes, scene.view_settings.view_transform = True, "Standard"
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (1.0, 1.0, 1.0, 1.0)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0.25, -2.0, 0.25), (np.pi / 2.0, 0.0, 0.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    path = folder / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def run(path: Path, steps: int = 9) -> dict[str, list[str]]:
    """Runs every task of the first steps of a template, in order, as a farm would; returns the output of each step's tasks."""
    template = json.loads(path.read_text(encoding="utf-8"))
    values = {f"Param.{entry['name']}": _default(entry, path.parent) for entry in template["parameterDefinitions"]}
    values["Param.Blender"] = ""
    told: dict[str, list[str]] = {}
    for step in template["steps"][:steps]:
        space = step.get("parameterSpace", {}).get("taskParameterDefinitions", [])
        for task in itertools.product(*([(f"Task.Param.{one['name']}", text) for text in _tasks(one, values)] for one in space)):
            known = values | dict(task) | _files(step, values)
            action = step["script"]["actions"]["onRun"]
            words = [re.sub(r"\{\{(.+?)\}\}", lambda found, known=known: known[found[1]], word) for word in action["args"]]
            done = subprocess.run(
                [sys.executable, str(ROOT / "examples" / "bare_blender.py"), *words], capture_output=True, text=True, timeout=300
            )
            assert done.returncode == 0, (step["name"], (done.stdout + done.stderr)[-3000:])
            told.setdefault(step["name"], []).append(done.stdout)
    return told


def _default(parameter: dict[str, Any], place: Path) -> str:
    """Paths are relative to the template, as the specification demands."""
    if parameter["type"] != "PATH":
        return str(parameter["default"])
    assert not Path(parameter["default"]).is_absolute() and ".." not in parameter["default"]
    return str(place / parameter["default"])


def _tasks(space: dict[str, Any], values: dict[str, str]) -> list[str]:
    if space["type"] == "STRING":
        return space["range"]
    first, last = map(int, values["Param.Frames"].split("-"))
    size = int(values["Param.ChunkSize"])
    return [f"{begin}-{min(begin + size - 1, last)}" for begin in range(first, last + 1, size)]


def _files(step: dict[str, Any], values: dict[str, str]) -> dict[str, str]:
    found = {}
    for entry in step["script"].get("embeddedFiles", ()):
        path = Path(values["Param.Output"]).parent / entry["filename"]
        path.write_text(entry["data"], encoding="utf-8")
        found[f"Task.File.{entry['name']}"] = str(path)
    return found


def test_frames_are_baked_surfaced_and_rendered(tmp_path: Path) -> None:
    """The exported job, run task by task, gives verified frames and one picture each, and can be run again at no cost."""
    blend = shot(tmp_path)
    saved = blend.read_bytes()
    assert bpy.ops.tsubu.export_farm(filepath=str(tmp_path / "farm.json"), chunk=2) == {"FINISHED"}
    template = json.loads((tmp_path / "farm.json").read_text(encoding="utf-8"))
    assert [step["name"] for step in template["steps"]] == ["Bake", "Surface", "Assemble", "Render"]
    told = run(tmp_path / "farm.json")
    assert "openjd_progress: 100.0" in told["Bake"][0] and "openjd_status: frame 3 of 3" in told["Bake"][0]
    assert len(told["Surface"]) == len(told["Render"]) == 2, "three frames in chunks of two"
    assert "openjd_progress: 100.0" in told["Surface"][1] and "openjd_progress: 50.0" in told["Render"][0]
    folder = tmp_path / "tsubu" / "shot_Scene"
    frames = part("solvers.bake.manifest").read(folder).frames
    assert {frame: sorted(entry["role"] for entry in line["files"]) for frame, line in frames.items()} == {
        frame: ["points", "surface"] for frame in (1, 2, 3)
    }
    assert part("solvers.bake.verify").verify(folder) == []
    pictures = sorted(path.name for path in (tmp_path / "render").iterdir())
    assert pictures == [f"shot_Scene_farm_{frame:04d}.png" for frame in (1, 2, 3)]
    picture = part("bridge.canvas").read_picture(tmp_path / "render" / pictures[0])[:, :, :3]
    assert picture[:4].min() > 0.95 and picture[20:28, 28:36].mean() < 0.95, "grey water before a white sky"
    assert blend.read_bytes() == saved
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*_00*")}
    run(tmp_path / "farm.json", steps=1)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*_00*")} == before, "a repeated bake keeps its frames"


def test_wedges_leave_the_scenes_bake_alone(tmp_path: Path) -> None:
    """Two spacings give two bakes of different size and a sheet with both; the scene's own bake folder stays as it was."""
    shot(tmp_path, frames=2)
    scene = bpy.context.scene
    scene.tsubu.surface.enabled = False
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    own = {path: path.read_bytes() for path in (tmp_path / "tsubu" / "shot_Scene").rglob("*") if path.is_file()}
    bpy.ops.wm.save_mainfile()
    scene.tsubu.wedge_setting, scene.tsubu.wedge_values = "world.spacing", "0.1 0.125"
    assert bpy.ops.tsubu.export_wedges(filepath=str(tmp_path / "wedges.json")) == {"FINISHED"}
    run(tmp_path / "wedges.json")
    place = tmp_path / "tsubu" / "shot_Scene_wedge_world.spacing"
    counts = [part("solvers.bake.manifest").read(place / value).frames[2]["particles"] for value in ("0.1", "0.125")]
    assert counts == [125, 64]
    sheet = part("bridge.canvas").read_picture(place / "sheet.png")
    assert sheet.shape[1] == 2 * 480 + 3 * 12 and sheet.shape[0] == 360 + 12 + 34 + 12
    assert np.ptp(sheet[372:400, :480, :3]) > 0.5, "a label stands below the picture"
    assert {path: path.read_bytes() for path in (tmp_path / "tsubu" / "shot_Scene").rglob("*") if path.is_file()} == own


def test_wedges_lie_in_the_order_of_their_values() -> None:
    """Numbers and vectors by size, words after them."""
    order = part("bridge.wedge")._order
    assert sorted(["10", "2", "-1", "0.5"], key=order) == ["-1", "0.5", "2", "10"]
    assert sorted(["0,0,-2", "sticky", "0,0,-40", "0,0,-10"], key=order) == ["0,0,-40", "0,0,-10", "0,0,-2", "sticky"]


@pytest.mark.parametrize(
    ("setting", "values", "message"),
    [
        ("Column.vsicosity", ["1"], "viscosity"),
        ("Nobody.viscosity", ["1"], "world.spacing"),
        ("viscosity", ["1"], "OWNER.SETTING"),
        ("world.spacing", ["0.1", "-3"], "least allowed"),
        ("world.spacing", ["0.1", "fast"], "fast"),
        ("world.spacing", ["0.1", "0.1"], "different"),
        ("surface.velocity", ["maybe"], "on or off"),
    ],
)
def test_bad_wedges_are_refused(tmp_path: Path, setting: str, values: list[str], message: str) -> None:
    """A setting that is not there, or a value it cannot have, is named before anything is sent to a farm."""
    shot(tmp_path)
    with pytest.raises(part("solvers.errors").InvalidScene, match=message):
        part("bridge.farm").wedge_job(bpy.context.scene, tmp_path, setting, values, 1)


def test_paths_elsewhere_are_left_to_the_submission(tmp_path: Path) -> None:
    """A job written away from the file has no default for its paths, because only paths below it are allowed as such."""
    shot(tmp_path)
    farm = part("bridge.farm")
    assert farm.paths_to_give(farm.frame_job(bpy.context.scene, tmp_path)) == []
    assert farm.paths_to_give(farm.frame_job(bpy.context.scene, tmp_path / "jobs")) == ["BlendFile", "CacheFolder", "Output"]


def test_export_needs_a_saved_file(tmp_path: Path) -> None:
    """A file that was never saved cannot be opened by a farm: the button is off and says why."""
    small_scene()
    assert not bpy.ops.tsubu.export_farm.poll()
    with pytest.raises(part("solvers.errors").InvalidScene, match="never saved"):
        part("bridge.farm").frame_job(bpy.context.scene, tmp_path)


def test_render_refuses_missing_frames(tmp_path: Path) -> None:
    """The file for rendering is not made while a frame is missing: another one would be rendered in its place."""
    shot(tmp_path, frames=2)
    bpy.context.scene.tsubu.surface.enabled = False
    cli = part("bridge.cli")
    assert cli.main(["bake"]) == 0
    (tmp_path / "tsubu" / "shot_Scene" / "points" / "Water_0002.usdc").unlink()
    assert cli.main(["assemble", "--out", str(tmp_path / "out.blend")]) == 4
    assert not (tmp_path / "out.blend").exists()
