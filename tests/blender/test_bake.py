"""Bake, cancel, resume and free as an artist does them, with the real engine in its own process."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import pytest

from tests.blender.artist import part, select, small_scene, tsubu

__all__ = ["tsubu"]
pytestmark = pytest.mark.usefixtures("tsubu")


def _state(scene: Any) -> Any:
    return part("bridge.monitor").look(scene, now=True)


def _folder(scene: Any) -> Path:
    folder = part("bridge.cache").found_folder(scene)
    assert folder is not None
    return folder


def _frames(scene: Any) -> list[int]:
    return sorted(part("solvers.bake.manifest").read(_folder(scene)).frames)


def _wait(condition: Any, seconds: float = 300.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


def _begin(scene: Any, **request: Any) -> Path:
    """Starts a bake as the button in a window does, without waiting for its end."""
    bake = part("bridge.bake")
    return bake.begin_now(bpy.context, bake.Request(**request)).folder


def _long_scene() -> Any:
    """A bake that takes far longer than any test."""
    scene = small_scene(frames=5000)
    scene.tsubu.resolution = 16
    return scene


def test_bake_resume_free(tmp_path: Path) -> None:
    """Bake writes every frame and shows it; a longer range resumes; Free deletes frames and playback and keeps the job."""
    scene = small_scene(frames=2)
    scene.tsubu.surface.enabled = True
    scene.tsubu.scale = 0.5
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    loaded = "numba" in sys.modules  # by other tests of this process
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    folder = _folder(scene)
    assert folder == tmp_path / "tsubu" / "shot_Scene"
    assert _frames(scene) == [1, 2] and _state(scene).phase == "done"
    shown = {item.name for item in scene.objects} - {"Column", "Tank"}
    assert shown == {"Water points", "Water surface"}
    assert tuple(scene.objects["Water surface"].scale) == pytest.approx((2.0, 2.0, 2.0)), "metres back to Blender units"
    assert ("numba" in sys.modules) == loaded, "the bake brought numba into Blender's process"
    with pytest.raises(RuntimeError, match="All frames are baked"):
        bpy.ops.tsubu.resume()
    gone = next((folder / "points").glob("*_0002*"))
    before = gone.read_bytes()
    gone.unlink()
    assert bpy.ops.tsubu.resume() == {"FINISHED"} and gone.read_bytes() == before, "a frame that was lost is made again"
    scene.frame_end = 3
    assert bpy.ops.tsubu.resume() == {"FINISHED"}
    assert _frames(scene) == [1, 2, 3]
    log = (folder / "bake.log").read_text()
    assert "continuing from the state of frame 2" in log
    assert {item.name for item in scene.objects} - {"Column", "Tank"} == shown, "no second set of objects"
    assert bpy.ops.tsubu.redo(frame=3) == {"FINISHED"}
    assert bpy.ops.tsubu.open_log() == {"FINISHED"} and "frame 3" in bpy.data.texts["Tsubu Log"].as_string()
    look = scene.objects["Water surface"].material_slots[0].material = bpy.data.materials.new("Look")
    assert bpy.ops.tsubu.free() == {"FINISHED"}
    assert not (folder / "points").exists() and (folder / "job.json").exists()
    assert set(scene.objects.keys()) == {"Column", "Tank"}
    with pytest.raises(RuntimeError, match="Nothing has been baked"):
        bpy.ops.tsubu.resume()
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    assert scene.objects["Water surface"].material_slots[0].material == look, "materials are remembered"


def test_baked_water_is_where_the_artist_put_it(tmp_path: Path) -> None:
    """With unit scale and Tsubu's scale, the played points of the first frame fill the body in Blender units."""
    scene = small_scene(frames=1)
    scene.unit_settings.scale_length = 0.1
    scene.tsubu.scale = 2.0
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scaled.blend"))
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    scene.frame_set(1)
    points = scene.objects["Water points"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = points.matrix_world
    places = [matrix @ point.co for point in points.data.points]
    assert len(places) == 6**3
    for axis in range(3):
        values = [place[axis] for place in places]
        assert min(values) == pytest.approx(0.5 / 12, rel=0.02) and max(values) == pytest.approx(0.5 - 0.5 / 12, rel=0.02)


def test_errors_stay_where_the_artist_looks() -> None:
    """A scene that cannot be baked reports the object and keeps the message for the panel; the next try clears it."""
    scene = small_scene()
    bpy.data.objects["Column"].scale.x = 0.0
    with pytest.raises(RuntimeError, match="Column.*scale.*zero"):
        bpy.ops.tsubu.bake()
    state = _state(scene)
    assert state.phase == "failed" and "Column" in state.message
    bpy.data.objects["Column"].scale.x = 1.0
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    assert _state(scene).phase == "done"
    first = _state(scene).started
    assert bpy.ops.tsubu.bake_again() == {"FINISHED"}
    assert _state(scene).started > first


def test_worker_errors_are_told() -> None:
    """What the engine refuses after the export comes back as its own words, with the log."""
    scene = small_scene()
    scene.tsubu.sizing, scene.tsubu.world.spacing = "SPACING", 0.0002
    with pytest.raises(RuntimeError, match="spacing.*memory"):
        bpy.ops.tsubu.bake()
    state = _state(scene)
    assert state.phase == "failed" and "memory" in state.message and state.log is not None
    assert "memory" in state.log.read_text()


def test_changed_scene_is_not_resumed() -> None:
    """Resume refuses a scene whose finished frames do not belong to it any more, and leaves the folder as it was."""
    scene = small_scene(frames=1)
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    before = (_folder(scene) / "job.json").read_bytes()
    bpy.data.objects["Column"].tsubu.water.viscosity = 5.0
    scene.frame_end = 2
    with pytest.raises(RuntimeError, match="viscosity"):
        bpy.ops.tsubu.resume()
    assert (_folder(scene) / "job.json").read_bytes() == before


def test_cancel_within_a_second_and_resume() -> None:
    """Cancel stops a running bake at once; what was finished stays, and Resume goes on from there."""
    scene = _long_scene()
    folder = _begin(scene)
    _wait(lambda: len(_frames(scene)) >= 2)
    with pytest.raises(RuntimeError, match="running"):
        bpy.ops.tsubu.bake()
    begun = time.monotonic()
    assert bpy.ops.tsubu.cancel() == {"FINISHED"}
    stopped = time.monotonic() - begun
    assert not part("bridge.worker").is_running(folder)
    assert _state(scene).phase == "cancelled"
    finished = _frames(scene)
    print(f"cancelled after {stopped:.2f} s with {len(finished)} frames")
    scene.frame_end = finished[-1] + 1
    assert bpy.ops.tsubu.resume() == {"FINISHED"}
    assert _frames(scene)[-1] == finished[-1] + 1


def test_cancel_before_the_worker_has_begun() -> None:
    """A cancel in the first moments, while Python is still starting, is not lost."""
    scene = _long_scene()
    folder = _begin(scene)
    assert bpy.ops.tsubu.cancel() == {"FINISHED"}
    assert not part("bridge.worker").is_running(folder)
    assert _state(scene).phase == "cancelled"


def test_worker_outlives_the_file_and_is_found_again(tmp_path: Path) -> None:
    """Loading another file leaves the bake alone; reopening finds it, though the file was not saved after Bake was pressed."""
    _long_scene()
    blend = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=blend)
    folder = _begin(bpy.context.scene)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert _state(bpy.context.scene).phase == "nothing"
    bpy.ops.wm.open_mainfile(filepath=blend)
    scene = bpy.context.scene
    assert scene.tsubu.token == ""
    _wait(lambda: _state(scene).phase == "simulating")
    state = _state(scene)
    assert state.running and state.folder == folder
    assert bpy.ops.tsubu.cancel() == {"FINISHED"}
    assert _state(scene).phase == "cancelled"


def test_worker_has_a_session_of_its_own() -> None:
    """Signals to Blender's terminal or session do not reach the worker."""
    scene = _long_scene()
    folder = _begin(scene)
    child = part("bridge.worker").child_of(folder)
    try:
        assert os.getsid(child.process.pid) == child.process.pid != os.getsid(0)
    finally:
        assert part("bridge.worker").cancel_and_wait(folder)


def test_killed_worker_is_told_and_resumed() -> None:
    """A worker that dies without a word is noticed, not waited for; Resume continues."""
    scene = _long_scene()
    folder = _begin(scene)
    _wait(lambda: len(_frames(scene)) >= 2)
    part("bridge.worker").child_of(folder).process.kill()
    _wait(lambda: not _state(scene).running)
    state = _state(scene)
    assert state.phase in ("failed", "stopped") and state.message
    scene.frame_end = max(_frames(scene)) + 1
    assert bpy.ops.tsubu.resume() == {"FINISHED"}
    assert _state(scene).phase == "done"


def test_old_status_is_not_the_new_bake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A worker that has said nothing yet has not begun, however fresh the last word of the one before it is."""
    worker = part("bridge.worker")
    (tmp_path / "status.json").write_text(json.dumps({"phase": "done", "started": time.time() + 0.25}))
    monkeypatch.setattr(worker, "_command", lambda *_: [sys.executable, "-c", "import time; time.sleep(60)"])
    child = worker.start(tmp_path, worker.Options())
    try:
        assert worker.is_running(tmp_path) and not worker.has_begun(tmp_path)
        (tmp_path / "status.json").write_text(json.dumps({"phase": "done", "started": time.time() + 1.0}))
        assert worker.has_begun(tmp_path) and not worker.is_running(tmp_path)
    finally:
        child.process.kill()
        worker.forget(tmp_path)


def test_unsaved_file_is_announced() -> None:
    """A file that was never saved bakes into the user's folder, and says so."""
    bake = part("bridge.bake")
    scene = small_scene(frames=1)
    begun = bake.begin_now(bpy.context, bake.Request())
    assert begun.folder.parent.name == "bakes" and any("never saved" in text and "Save" in text for text in begun.warnings)
    _wait(lambda: not _state(scene).running)
    assert _state(scene).phase == "done"


def test_undo_does_not_lose_the_bake(tmp_path: Path) -> None:
    """Undoing back to before Bake leaves the bake known to the scene."""
    scene = small_scene(frames=1)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "undo.blend"))
    bpy.ops.ed.undo_push(message="Before")
    select(bpy.data.objects["Tank"])
    bpy.ops.tsubu.mark(role="COLLIDER")
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    folder = _folder(scene)
    bpy.ops.ed.undo_push(message="Baked")
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    assert scene.tsubu.token == "", "the undo was meant to take the note away"
    assert _state(scene).phase == "done" and _folder(scene) == folder
    scene.frame_end = 2
    assert bpy.ops.tsubu.resume() == {"FINISHED"}
    assert _folder(scene) == folder and _frames(scene) == [1, 2]


def test_reload_of_the_extension_keeps_everything(tsubu: Any, tmp_path: Path) -> None:
    """Switching the extension off and on again keeps roles, settings and the bake."""
    scene = small_scene(frames=1)
    bpy.data.objects["Column"].tsubu.water.viscosity = 0.25
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "reload.blend"))
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    tsubu.unregister()
    assert not hasattr(scene, "tsubu")
    tsubu.register()
    assert bpy.data.objects["Column"].tsubu.role == "WATER"
    assert bpy.data.objects["Column"].tsubu.water.viscosity == pytest.approx(0.25)
    assert _state(scene).phase == "done"


def test_modules_travel_by_path() -> None:
    """The worker finds numba with -I, by the folders passed to it; a missing compiler is named with its cure."""
    worker = part("bridge.worker")
    folders = worker.import_paths()
    assert any((Path(folder) / "numba").is_dir() for folder in folders)
    command = worker._command(Path("/x"), worker.Options())
    assert "-I" in command and command[0] == sys.executable


def test_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without numba nothing starts, and the message says what to install."""
    worker = part("bridge.worker")
    found = worker._module_folder
    monkeypatch.setattr(worker, "_module_folder", lambda name: None if name == "numba" else found(name))
    scene = small_scene()
    with pytest.raises(RuntimeError, match="no numba.*zip"):
        bpy.ops.tsubu.bake()
    assert part("bridge.cache").found_folder(scene) is None
