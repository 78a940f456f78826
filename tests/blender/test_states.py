"""Quality, Extend, Reset, disk space, report, lists and colours: the states around a bake."""

import os
import signal
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender.artist import add_box, part, select, small_scene, tsubu
from tests.blender.drawn import drawn

__all__ = ["tsubu"]
pytestmark = pytest.mark.usefixtures("tsubu")


def baked(tmp_path: Path, frames: int = 3, surfaces: bool = False) -> Path:
    scene = small_scene(frames)
    scene.tsubu.surface.enabled = surfaces
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert bpy.ops.tsubu.bake() == {"FINISHED"}
    folder = part("bridge.cache").found_folder(scene)
    assert folder is not None
    return folder


def frames_of(folder: Path) -> list[int]:
    return sorted(part("solvers.bake.manifest").read(folder).frames)


def test_preview_is_coarser() -> None:
    """Half the resolution, an eighth of the particles; the estimate and the job agree, by resolution and by spacing."""
    scene = small_scene()
    scene.tsubu.resolution = 12
    for sizing in ("RESOLUTION", "SPACING"):
        scene.tsubu.sizing = sizing
        scene.tsubu.world.spacing = 0.5 / 12
        for quality, spacing in (("FINAL", 0.5 / 12), ("PREVIEW", 0.5 / 6)):
            scene.tsubu.quality = quality
            assert part("operators.view").estimate(bpy.context).spacing == pytest.approx(spacing, rel=1e-3)
            assert part("bridge.export").export_now(bpy.context).scene.world.spacing == pytest.approx(spacing, rel=1e-3)


def test_a_preview_may_have_larger_grains() -> None:
    """Grains keep their size in a preview unless Larger Grains is on: half the detail, twice the size; final as set."""
    scene = small_scene()
    body = bpy.data.objects["Column"]
    body.tsubu.role, body.tsubu.grains.size = "GRAINS", 0.05
    for quality, coarser, size in (("PREVIEW", False, 0.05), ("PREVIEW", True, 0.1), ("FINAL", True, 0.05)):
        scene.tsubu.quality, scene.tsubu.coarsen_grains = quality, coarser
        assert part("bridge.export").export_now(bpy.context).scene.bodies[0].params.size == pytest.approx(size)
        assert part("operators.view").estimate(bpy.context).filled == pytest.approx((0.5 / size) ** 3, rel=1.0)


def test_extend_adds_frames_and_keeps_the_rest(tmp_path: Path) -> None:
    """Extend lengthens the scene's range and bakes only what is new."""
    folder = baked(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in (folder / "points").iterdir()}
    assert bpy.ops.tsubu.extend(frames=2) == {"FINISHED"}
    assert bpy.context.scene.frame_end == 5 and frames_of(folder) == [1, 2, 3, 4, 5]
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_what_plays_a_bake_is_listed_with_its_material(tmp_path: Path) -> None:
    """Display and Render: points and surface with eye and camera, and the material of what is rendered."""
    assert "Nothing is baked or loaded yet" in drawn("playback").texts()
    baked(tmp_path, surfaces=True)
    log = drawn("playback").log
    assert log.count(("prop", "hide_viewport")) == log.count(("prop", "hide_render")) == 2
    assert log.count(("prop", "material")) == 1, "points lie behind the surface"
    assert [kind for _, kind, _ in part("operators.view").shown(bpy.context.scene)] == ["Surface", "Points"]


def test_zones_are_shown_and_hidden_again(tmp_path: Path) -> None:
    """Points that carry a zone get a material that shows it; the same button brings back the one from before."""
    small_scene()
    assert not bpy.ops.tsubu.show_zones.poll()
    item = bpy.data.objects["Column"]
    item["tsubu_kind"], item["tsubu_output"] = "points", "Grains"  # stands for a point cache of hybrid grains
    item.data.attributes.new("zone", "INT", "POINT")
    own = bpy.data.materials.new("Own")
    item.data.materials.append(own)
    assert bpy.ops.tsubu.show_zones() == {"FINISHED"}
    assert item.material_slots[0].material.name == "Tsubu Zones"
    assert bpy.ops.tsubu.show_zones() == {"FINISHED"}
    assert item.material_slots[0].material == own


def test_reset_ends_a_deaf_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped process, a scene half read, an error, a cancel asked for: after Reset the scene bakes again."""
    folder = baked(tmp_path)
    scene, bake, monitor = bpy.context.scene, part("bridge.bake"), part("bridge.monitor")
    scene.frame_end = 200
    begun = bake.begin_now(bpy.context, bake.Request(resume=True))
    child = part("bridge.worker").child_of(folder)
    os.kill(child.process.pid, signal.SIGSTOP)  # alive, but it hears nothing
    monitor.set_problem(scene, "It went wrong")
    monitor.set_exporting(scene, 0.5)
    monkeypatch.setattr(part("bridge.reset"), "_PATIENCE", 0.3)
    assert begun.folder == folder and not bpy.ops.tsubu.bake.poll()
    assert bpy.ops.tsubu.reset() == {"FINISHED"}
    assert child.process.poll() is not None
    state = monitor.look(scene, now=True)
    assert not state.running and "It went wrong" not in state.message
    assert not (folder / "lock").exists() and not (folder / "cancel").exists()
    assert {1, 2, 3} <= set(frames_of(folder))
    scene.frame_end = 4
    assert bpy.ops.tsubu.bake() == {"FINISHED"}


def test_switching_off_does_not_end_a_bake(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The extension switched off and on while a bake runs: it is told where the bake goes on, and it is found again."""
    folder = baked(tmp_path)
    scene, monitor = bpy.context.scene, part("bridge.monitor")
    scene.frame_end = 200
    part("bridge.bake").begin_now(bpy.context, part("bridge.bake").Request(resume=True))
    part("operators.watch").unregister()
    assert str(folder) in capfd.readouterr().out
    part("operators.watch").register()
    assert monitor.look(scene, now=True).running
    assert bpy.ops.tsubu.reset() == {"FINISHED"}


def test_reset_without_anything(tsubu: Any) -> None:
    """Reset may always be pressed."""
    assert bpy.ops.tsubu.reset() == {"FINISHED"}


def test_space_is_freed_and_nothing_is_lost(tmp_path: Path) -> None:
    """Surfaces and checkpoints go; points stay, the bake can be extended, and surfaces can be made again."""
    folder = baked(tmp_path, surfaces=True)
    view, verify = part("operators.view"), part("solvers.bake.verify").verify
    sizes = view.cache_sizes(bpy.context.scene)
    assert sizes == part("solvers.bake.prune").sizes(folder) and min(sizes) > 0
    assert bpy.ops.tsubu.prune(what="SURFACES") == {"FINISHED"}
    assert list((folder / "surface").iterdir()) == []
    assert [finding.kind for finding in verify(folder)] == ["job"], "it says that surfaces are to be made again"
    assert [(item["tsubu_kind"], item.hide_render) for item in bpy.context.scene.objects if "tsubu_kind" in item] == [
        ("points", False)
    ], "the points are shown instead"
    assert bpy.ops.tsubu.prune(what="STATES") == {"FINISHED"}
    assert [path.name for path in (folder / "state").iterdir()] == ["0003.npz"]
    assert view.cache_sizes(bpy.context.scene).surface == 0
    assert part("bridge.cli").main(["surface"]) == 0
    assert len(list((folder / "surface").iterdir())) == 3 and verify(folder) == []
    assert bpy.ops.tsubu.extend(frames=1) == {"FINISHED"} and frames_of(folder) == [1, 2, 3, 4]


def test_report_shows_what_the_manifest_says(tmp_path: Path) -> None:
    """Step size from the steps of each frame, energy from its least; the picture is an image of Blender and a file."""
    plots = part("bridge.report_picture").plots_of(
        [
            {"particles": 10, "steps": 0, "kinetic_energy": 0.0, "potential_energy": 5.0, "seconds": 0.5},
            {"particles": 12, "steps": 4, "kinetic_energy": 2.0, "potential_energy": 3.0, "seconds": None},
            {"particles": 12, "steps": 12, "kinetic_energy": 1.0, "potential_energy": 3.5, "seconds": 2.0},
        ],
        25.0,
    )
    particles, step, energy, seconds = ([curve.values.tolist() for curve in plot.curves] for plot in plots)
    assert particles == [[10.0, 12.0, 12.0]]
    np.testing.assert_allclose(step, [[np.nan, 10.0, 5.0]])
    np.testing.assert_allclose(energy, [[0.0, 2.0, 1.0], [2.0, 0.0, 0.5], [2.0, 2.0, 1.5]])
    np.testing.assert_allclose(seconds, [[0.5, np.nan, 2.0]])
    folder = baked(tmp_path)
    assert bpy.ops.tsubu.report() == {"FINISHED"}
    image = bpy.data.images["Tsubu Report"]
    compared = part("solvers.bake.measures").measured(folder)
    assert [entry.what for entry in compared][:1] == ["Volume filled"]
    assert image.size[0] == 1280 and image.size[1] == 800 + 30 * (len(compared) + 2) + 16, "a line for every measure"
    assert Path(image.filepath) == folder / "report.png"
    picture = part("bridge.canvas").read_picture(folder / "report.png")
    blue = (picture[:, :, 2] > 0.8) & (picture[:, :, 0] < 0.5)
    assert 200 < np.count_nonzero(blue) < 20000, "a thin blue curve in each plot"
    bpy.ops.tsubu.report()
    assert [entry.name for entry in bpy.data.images].count("Tsubu Report") == 1


def test_settings_are_copied(tsubu: Any) -> None:
    """Role and settings of the active object go to the other selected ones; an empty without a surface is passed over."""
    small_scene()
    column = bpy.data.objects["Column"]
    column.tsubu.water.density = 700.0
    second = add_box("Second", (2.0, 0.0, 0.0), (2.5, 0.5, 0.5))
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    select(column, second, empty)
    assert bpy.ops.tsubu.copy_settings() == {"FINISHED"}
    assert second.tsubu.role == "WATER" and second.tsubu.water.density == 700.0
    assert second.display_type == "WIRE", "it looks as its role asks for"
    assert empty.tsubu.role == "NONE"
    spout = add_box("Spout", (4.0, 0.0, 0.0), (4.5, 0.5, 0.5), "EMITTER")
    spout.tsubu.emitter_kind, spout.tsubu.emitter.speed, spout.tsubu.foam.density = "foam", 3.0, 123.0
    select(spout, second)
    assert bpy.ops.tsubu.copy_settings() == {"FINISHED"}
    given = second.tsubu
    assert (given.role, given.emitter_kind, given.emitter.speed, given.foam.density) == ("EMITTER", "foam", 3.0, 123.0)


def test_collection_is_marked_as_a_unit(tsubu: Any) -> None:
    """Everything with a surface in the active collection and those inside it, and nothing else."""
    small_scene()
    outer, inner = bpy.data.collections.new("Set"), bpy.data.collections.new("Inner")
    bpy.context.scene.collection.children.link(outer)
    outer.children.link(inner)
    rocks = [add_box(f"Rock {index}", (0, 0, 0), (1, 1, 1)) for index in range(2)]
    for rock, place in zip(rocks, (outer, inner), strict=True):
        bpy.context.scene.collection.objects.unlink(rock)
        place.objects.link(rock)
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children["Set"]
    assert bpy.ops.tsubu.mark_collection(role="COLLIDER") == {"FINISHED"}
    assert [rock.tsubu.role for rock in rocks] == ["COLLIDER"] * 2
    assert bpy.data.objects["Column"].tsubu.role == "WATER"
    listed = part("operators.view").marked(bpy.context.scene)
    assert [(item.name, role.label) for item, role in listed] == [
        ("Column", "Water"), ("Rock 0", "Collider"), ("Rock 1", "Collider"), ("Tank", "Collider"),
    ]  # fmt: skip


def test_overlay_lines_and_dots(tsubu: Any) -> None:
    """Outlines are the edges of the evaluated mesh; dots lie on the faces of the box, as far apart as particles."""
    overlay = part("panels.overlay")
    small_scene()
    column = bpy.data.objects["Column"]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    lines = overlay.edge_lines(column, depsgraph)
    assert lines.shape == (24, 3) and {tuple(place) for place in lines} == {tuple(v.co) for v in column.data.vertices}
    dots = overlay.spacing_dots(np.zeros(3), np.array([1.0, 2.0, 0.5]), 0.25)
    assert len(dots) == 2 * (4 * 8 + 8 * 2 + 2 * 4)
    on_face = np.isclose(dots, 0.0) | np.isclose(dots, [1.0, 2.0, 0.5])
    assert on_face.any(axis=1).all()
    assert len(overlay.spacing_dots(np.zeros(3), np.ones(3), 1e-4)) == 0, "too many to draw"
    assert len({overlay.colour_of(role.name) for role in part("operators.view").roles()}) == len(part("operators.view").roles())


def test_overlay_leaves_no_trace(tsubu: Any) -> None:
    """The draw handler goes with the extension."""
    overlay = part("panels.overlay")
    assert overlay._handle is not None
    tsubu.unregister()
    assert overlay._handle is None and overlay._batches == {}
    tsubu.register()
