"""Presets of the body kinds: declared in the engine, offered by the panels, applied with undo."""

from typing import Any

import bpy
import pytest

from tests.blender.artist import add_box, part, select, small_scene, tsubu
from tests.blender.drawn import drawn

__all__ = ["tsubu"]


def _box(name: str, role: str) -> Any:
    item = add_box(name, (0, 0, 0), (1, 1, 1), role)
    select(item)
    return item


def _menu() -> list[str]:
    return [text for kind, text in drawn("main").log if kind == "menu" and text.startswith("TSUBU_MT_presets")]


def test_every_preset_of_every_kind_arrives_in_the_job(tsubu: Any) -> None:
    """What the engine declares is what the export reads back after the operator, in a scene with other units; the rest stays."""
    registry, export = part("solvers.materials.registry"), part("bridge.export")
    small_scene()
    scene, item = bpy.context.scene, bpy.data.objects["Column"]
    scene.unit_settings.scale_length, scene.tsubu.scale = 0.01, 3.0
    select(item)
    tried = 0
    for kind, material in registry.MATERIALS.items():
        item.tsubu.role = kind.upper()
        kept = [entry for entry in material.preset_keeps if entry != "mode"]
        before = {name: getattr(getattr(item.tsubu, kind), name) for name in kept}
        for name in material.presets:
            assert bpy.ops.tsubu.preset(preset=name) == {"FINISHED"}
            params = export._settings(scene, _part(item), item.tsubu.role, part("bridge.properties").units_of(scene))["params"]
            for parameter, value in material.preset_values(name).items():
                assert getattr(params, parameter) == pytest.approx(value, rel=1e-6), (kind, name, parameter)
            assert {name: getattr(getattr(item.tsubu, kind), name) for name in kept} == before
            tried += 1
    assert tried >= 12  # six of grains, seven of foam at the time of writing


def _part(item: Any) -> Any:
    found = part("bridge.parts").visible_parts(bpy.context.evaluated_depsgraph_get())
    return next(entry for entry in found if entry.holder == item)


def test_menu_names_the_preset(tsubu: Any) -> None:
    """New grains are dry sand; another preset is named after it is applied; a moved slider makes it Custom."""
    item = _box("Heap", "GRAINS")
    assert _menu() == ["TSUBU_MT_presets: Dry sand"]
    bpy.ops.tsubu.preset(preset="wet_sand")
    assert item.tsubu.grains.cohesion == pytest.approx(1000.0)
    assert _menu() == ["TSUBU_MT_presets: Wet sand"]
    item.tsubu.grains.friction_angle *= 0.9
    assert _menu() == ["TSUBU_MT_presets: Custom"]


def test_size_and_method_are_no_matter_of_the_preset(tsubu: Any) -> None:
    """Gravel keeps the grain size and the method that decide the cost of the bake."""
    item = _box("Heap", "GRAINS")
    item.tsubu.grains.size, item.tsubu.grains.mode = 0.123, "continuum"
    bpy.ops.tsubu.preset(preset="gravel")
    assert (item.tsubu.grains.size, item.tsubu.grains.mode) == (pytest.approx(0.123), "continuum")
    assert item.tsubu.grains.rolling == pytest.approx(0.35)


def test_whole_selection_of_the_kind(tsubu: Any) -> None:
    """Other selected grains follow, an emitter that pours grains too; water and unselected heaps do not."""
    first, second, third = (_box(name, "GRAINS") for name in "ABC")
    tap, sea = _box("Tap", "EMITTER"), _box("Sea", "WATER")
    tap.tsubu.emitter_kind = "grains"
    density = sea.tsubu.water.density
    select(first, second, tap, sea)
    bpy.context.view_layer.objects.active = first
    bpy.ops.tsubu.preset(preset="sugar")
    assert [item.tsubu.grains.density for item in (first, second, tap, third)] == pytest.approx([1590, 1590, 1590, 2650])
    assert sea.tsubu.water.density == density


def test_undo(tsubu: Any) -> None:
    """Undo brings the sliders back."""
    _box("Heap", "GRAINS").tsubu.grains.density = 1234.0
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.tsubu.preset(preset="rice")
    bpy.ops.ed.undo_push(message="Preset")
    assert bpy.data.objects["Heap"].tsubu.grains.density == pytest.approx(1450.0)
    bpy.ops.ed.undo()
    assert bpy.data.objects["Heap"].tsubu.grains.density == pytest.approx(1234.0)


def test_kinds_without_presets(tsubu: Any) -> None:
    """A collider has no menu, and the operator says why it cannot be used."""
    _box("Wall", "COLLIDER")
    assert _menu() == []
    with pytest.raises(RuntimeError, match="has presets"):
        bpy.ops.tsubu.preset(preset="gravel")


def test_own_preset(tsubu: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """A preset that is saved comes back on another object of the kind, method and size with it, and can be deleted."""
    monkeypatch.setattr(bpy.utils, "user_resource", lambda kind, path="", create=False: _made(tmp_path / path))
    monkeypatch.setattr(bpy.utils, "preset_paths", lambda folder: [_made(tmp_path / "presets" / folder)])
    first = _box("Heap", "GRAINS")
    first.tsubu.grains.friction_angle, first.tsubu.grains.size, first.tsubu.grains.mode = 0.7, 0.031, "hybrid"
    assert bpy.ops.tsubu.preset_save(name="My gravel") == {"FINISHED"}
    (saved,) = (tmp_path / "presets" / "tsubu" / "grains").glob("*.py")
    second = _box("Other", "GRAINS")
    assert bpy.ops.script.execute_preset(filepath=str(saved), menu_idname="TSUBU_MT_presets") == {"FINISHED"}
    values = second.tsubu.grains
    assert (values.friction_angle, values.size, values.mode) == (pytest.approx(0.7), pytest.approx(0.031), "hybrid")
    assert _menu() == ["TSUBU_MT_presets: My gravel"], "it is named as known ones are"
    values.friction_angle = 0.6
    assert _menu() == ["TSUBU_MT_presets: Custom"]
    assert bpy.ops.tsubu.preset_save(remove_active=True) == {"FINISHED"}
    assert not saved.exists()


def _made(folder: Any) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)
