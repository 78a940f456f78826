"""Settings, roles and panels come from what the engine declares."""

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender.artist import add_box, part, select, small_scene, tsubu
from tests.blender.drawn import drawn

__all__ = ["tsubu"]


def test_properties_mirror_declarations(tsubu: Any) -> None:
    """Every declared parameter is a property with its default, help text and limits."""
    declarations = part("solvers.params").declarations
    generated = part("bridge.generated")
    item = add_box("Box", (0, 0, 0), (1, 1, 1))
    settings, scene = item.tsubu, bpy.context.scene.tsubu
    engine = part("solvers.scene")
    groups = [
        (settings.collider, engine.ColliderParams), (settings.emitter, engine.EmitterParams),
        (scene.surface, engine.SurfaceParams),
        (scene.meeting, part("solvers.meet.pairs").MeetingParams), (scene.world, engine.WorldParams),
    ]  # fmt: skip
    groups += [(getattr(settings, kind), entry.params) for kind, entry in part("solvers.materials.registry").MATERIALS.items()]
    for group, params in groups:
        for entry in declarations(params):
            if entry.name == "frames_per_second" or (params is engine.EmitterParams and entry.name == "end"):
                continue  # Blender's scene and the switch Stops decide these
            known = group.bl_rna.properties[entry.name]
            assert known.description == entry.help
            value = generated.engine_value(getattr(group, entry.name), entry, generated.Units())
            assert value == pytest.approx(entry.default) if entry.kind != "choice" else value == entry.default
            assert known.is_animatable == entry.animatable
            if entry.kind in ("float", "int") and not generated.dimension_of(entry.unit).shown and entry.high is not None:
                assert known.hard_max == pytest.approx(entry.high / generated.dimension_of(entry.unit).factor, rel=1e-6)


@dataclass(frozen=True)
class SludgeParams:
    """Made up for this test."""


def _with_sludge(monkeypatch: pytest.MonkeyPatch, first: bool = False) -> None:
    """Registers a body kind that the interface has never heard of."""
    params = part("solvers.params")
    registry = part("solvers.materials.registry")
    fields = {
        "goo": params.param(30.0, "Goo", unit="°", low=0.0, high=90.0, help="How gooey"),
        "mood": params.param("calm", "Mood", help="How it feels", choices=[("calm", "Calm", "a"), ("wild", "Wild", "b")]),
        "depth": params.param(0.5, "Depth", unit="m", low=0.0, high=1.0, help="How deep", advanced=True),
    }
    annotations = {"goo": float, "mood": str, "depth": float}
    made = dataclass(frozen=True)(type("SludgeParams", (), {"__annotations__": annotations, "__doc__": "Sludge.", **fields}))
    sludge = registry.Material("sludge", "Sludge", "Oozes", made, "nowhere:Solver")
    kinds = {"sludge": sludge, **registry.MATERIALS} if first else {**registry.MATERIALS, "sludge": sludge}
    for name in list(registry.MATERIALS):
        monkeypatch.delitem(registry.MATERIALS, name)
    for name, entry in kinds.items():
        monkeypatch.setitem(registry.MATERIALS, name, entry)


def test_new_material_appears_by_being_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind added to the registry gets a role, a button, its settings in both places, and is exported in the engine's units."""
    addon = part("bridge").__name__ and __import__("examples.addon", fromlist=["load_addon"]).load_addon()
    _with_sludge(monkeypatch)
    addon.register()
    try:
        small_scene()
        item = bpy.data.objects["Column"]
        select(item)
        assert bpy.ops.tsubu.mark(role="SLUDGE") == {"FINISHED"}
        item.tsubu.sludge.mood = "wild"
        item.tsubu.sludge.goo = np.pi / 4
        log = drawn("main").log
        assert ("prop", "goo") in log and ("prop", "mood") in log and ("prop", "depth") not in log
        assert ("prop", "depth") in drawn("values").log
        body = part("bridge.export").export_now(bpy.context).scene.bodies[0]
        assert (body.kind, body.params.mood, body.params.depth) == ("sludge", "wild", 0.5)
        assert body.params.goo == pytest.approx(45.0, rel=1e-5)
        tap = add_box("Tap", (0, 0, 2), (1, 1, 3), "EMITTER")
        tap.tsubu.emitter_kind = "sludge"
        assert part("bridge.export").export_now(bpy.context).scene.emitters[0].kind == "sludge"
    finally:
        addon.unregister()


def test_roles_in_files_survive_new_kinds(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """A file saved today keeps its roles when kinds are added before the old ones."""
    addon = __import__("examples.addon", fromlist=["load_addon"]).load_addon()
    addon.register()
    add_box("Sea", (0, 0, 0), (1, 1, 1), "WATER")
    add_box("Tap", (0, 0, 0), (1, 1, 1), "EMITTER")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "old.blend"))
    addon.unregister()
    _with_sludge(monkeypatch, first=True)
    addon.register()
    try:
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "old.blend"))
        assert bpy.data.objects["Sea"].tsubu.role == "WATER"
        assert (bpy.data.objects["Tap"].tsubu.role, bpy.data.objects["Tap"].tsubu.emitter_kind) == ("EMITTER", "water")
    finally:
        addon.unregister()


def test_mark_and_unmark(tsubu: Any) -> None:
    """Marking changes the whole selection; what has no surface is named and left alone."""
    first, second = add_box("A", (0, 0, 0), (1, 1, 1)), add_box("B", (0, 0, 0), (1, 1, 1))
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(lamp)
    select(first, second, lamp)
    assert bpy.ops.tsubu.mark(role="COLLIDER") == {"FINISHED"}
    assert (first.tsubu.role, second.tsubu.role, lamp.tsubu.role) == ("COLLIDER", "COLLIDER", "NONE")
    select(second)
    assert bpy.ops.tsubu.mark(role="NONE") == {"FINISHED"}
    assert (first.tsubu.role, second.tsubu.role) == ("COLLIDER", "NONE")
    select(lamp)
    with pytest.raises(RuntimeError, match="select a mesh"):
        bpy.ops.tsubu.mark(role="WATER")
    select()
    with pytest.raises(RuntimeError, match="Select the objects"):
        bpy.ops.tsubu.mark(role="WATER")


def test_duplicate_rename_delete(tsubu: Any) -> None:
    """A duplicate has the same role and settings, a renamed object its new name, a deleted one is gone."""
    small_scene()
    column = bpy.data.objects["Column"]
    column.tsubu.water.viscosity = 2.0
    twin = column.copy()
    bpy.context.scene.collection.objects.link(twin)
    twin.location.x = 1.0
    twin.tsubu.water.viscosity = 3.0
    column.name = "Pillar"
    bpy.data.objects.remove(bpy.data.objects["Tank"])
    found = part("bridge.export").export_now(bpy.context).scene
    assert {body.name: body.params.viscosity for body in found.bodies} == {"Pillar": 2.0, "Column.001": 3.0}
    assert found.colliders == ()


def test_linked_objects(tsubu: Any, tmp_path: Any) -> None:
    """A linked object takes part with the settings of its own file; marking it says what to do; an override can be marked."""
    small_scene()
    bpy.data.objects["Tank"].tsubu.collider.friction = 0.75
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "assets.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    small_scene()
    bpy.data.objects.remove(bpy.data.objects["Tank"])
    with bpy.data.libraries.load(str(tmp_path / "assets.blend"), link=True) as (_, wanted):
        wanted.objects = ["Tank"]
    tank = bpy.data.objects["Tank"]
    bpy.context.scene.collection.objects.link(tank)
    collider = part("bridge.export").export_now(bpy.context).scene.colliders[0]
    assert (collider.name, collider.params.friction) == ("Tank", pytest.approx(0.75)) or "Tank" in collider.name
    select(tank)
    assert bpy.ops.tsubu.mark(role="NONE") == {"CANCELLED"}
    assert tank.tsubu.role == "COLLIDER"
    own = tank.override_create(remap_local_usages=True)
    own.tsubu.role = "NONE"
    assert part("bridge.export").export_now(bpy.context).scene.colliders == ()


def test_marking_can_be_undone(tsubu: Any) -> None:
    """Undo takes a role back and redo brings it again."""
    item = add_box("Box", (0, 0, 0), (1, 1, 1))
    select(item)
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.tsubu.mark(role="WATER")
    bpy.ops.ed.undo_push(message="Mark")
    bpy.ops.ed.undo()
    assert bpy.data.objects["Box"].tsubu.role == "NONE"
    bpy.ops.ed.redo()
    assert bpy.data.objects["Box"].tsubu.role == "WATER"


def test_estimate_follows_mesh_and_resolution(tsubu: Any) -> None:
    """Spacing and count are those of the export; scaling the body and the resolution are followed without a new bake."""
    scene = small_scene()
    look = part("operators.view").estimate
    found = look(bpy.context)
    assert (found.bodies, found.colliders, found.filled) == (1, 1, 6**3)
    assert found.spacing == pytest.approx(part("bridge.export").export_now(bpy.context).scene.world.spacing, rel=1e-6)
    scene.tsubu.resolution = 12
    assert look(bpy.context).filled == pytest.approx(12**3, rel=0.01)
    bpy.data.objects["Column"].scale = (2.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    assert look(bpy.context).filled == pytest.approx(12**3 / 4, rel=0.01)
    scene.tsubu.sizing, scene.tsubu.world.spacing, scene.tsubu.scale = "SPACING", 0.05, 0.1
    found = look(bpy.context)
    assert found.spacing == pytest.approx(0.005) and found.filled == pytest.approx(2 * 10**3, rel=0.01)
    scene.frame_end = 25
    add_box("Tap", (0, 0, 2), (0.1, 0.1, 2.1), "EMITTER").tsubu.emitter.rate = 0.001
    bpy.context.view_layer.update()
    assert look(bpy.context).poured == pytest.approx(0.001 * 0.1**3 / 0.005**3, rel=0.01)


def test_estimate_counts_grains_by_their_own_size(tsubu: Any) -> None:
    """A cube of edge a holds 0.6 a³ / (π/6 d³) grains, whatever the resolution of the other materials."""
    scene = small_scene()
    column = bpy.data.objects["Column"]
    column.tsubu.role = "GRAINS"
    column.tsubu.grains.size, column.tsubu.grains.size_spread = 0.05, 0.0
    inside = part("operators.view").estimate(bpy.context)
    edges = [column.dimensions[axis] for axis in range(3)]
    expected = 0.6 * edges[0] * edges[1] * edges[2] / (3.141592653589793 / 6.0 * 0.05**3)
    assert inside.filled == pytest.approx(expected, rel=0.01)
    scene.tsubu.resolution = 50
    assert part("operators.view").estimate(bpy.context).filled == inside.filled


def test_panel_shows_the_pairs_that_can_meet(tsubu: Any) -> None:
    """Nothing with one kind; with two, their friction and sticking, and no other pair's."""
    small_scene()
    assert not part("operators.view").meeting_rows(bpy.context.scene)
    add_box("Sand", (0.0, 0.0, 0.5), (0.2, 0.2, 0.7), "GRAINS")
    seen = {name for kind, name in drawn("meeting").log if kind == "prop"}
    assert seen == {"friction", "friction_water_grains", "stick_water_grains"}


def test_pairs_reach_the_engine(tsubu: Any) -> None:
    """What is set between two kinds is in the job."""
    small_scene()
    bpy.context.scene.tsubu.meeting.stick_grains_foam = True
    bpy.context.scene.tsubu.meeting.friction = 0.5
    meeting = part("bridge.export").export_now(bpy.context).scene.meeting
    assert meeting.stick_grains_foam and meeting.friction == 0.5 and not meeting.stick_water_grains


PANELS = ("main", "objects", "bake", "world", "world_advanced", "surface", "playback", "farm")


@pytest.mark.parametrize("name", PANELS)
def test_panels_draw_without_anything(tsubu: Any, name: str) -> None:
    """Every panel draws in an empty scene."""
    assert drawn(name).log


@pytest.mark.parametrize("role", ["WATER", "COLLIDER", "EMITTER"])
def test_panels_draw_the_settings_of_a_role(tsubu: Any, role: str) -> None:
    """The active object's settings are drawn, all of them, in one of the two panels."""
    small_scene()
    item = bpy.data.objects["Column"]
    item.tsubu.role = role
    item.tsubu.collider.free = item.tsubu.emitter.stops = True
    item.tsubu.collider.friction_group = item.tsubu.collider.contact_angle_group = "Wax"
    select(item)
    seen = {name for kind, name in drawn("main").log + drawn("values").log if kind == "prop"}
    group = {"WATER": item.tsubu.water, "COLLIDER": item.tsubu.collider, "EMITTER": item.tsubu.emitter}[role]
    assert {name for name in group.bl_rna.properties.keys() if name not in ("rna_type", "name")} <= seen
    assert "Spacing" in drawn("world").texts() and "216 particles" in drawn("world").texts() or role != "WATER"


@pytest.mark.parametrize(
    ("phase", "words"),
    [
        ("preparing", ["Preparing", "tsubu.cancel"]),
        ("compiling", ["Compiling", "tsubu.cancel"]),
        ("simulating", ["Simulating  7 / 20", "1,234 particles", "1 h 07 min left", "tsubu.cancel"]),
        ("surfacing", ["Surfacing", "tsubu.cancel"]),
        ("done", ["tsubu.bake", "tsubu.resume", "tsubu.free", "All well", "5 particles went down", "1,234 particles left"]),
        ("failed", ["All well", "tsubu.open_log", "tsubu.bake"]),
        ("stopped", ["All well", "tsubu.open_log", "tsubu.resume"]),
    ],
)
def test_bake_panel_tells_the_state(tsubu: Any, monkeypatch: pytest.MonkeyPatch, phase: str, words: list[str]) -> None:
    """Progress with phase, frame, particles and time left while it runs; outcome, log and buttons afterwards."""
    small_scene()
    monitor = part("bridge.monitor")
    running = phase in monitor.RUNNING
    state = monitor.BakeState(phase, None, running, 0.3, 7, 1, 20, 1234, 4020.0, "All well", lost=(5, 1234, 0))
    monkeypatch.setattr(monitor, "_look", lambda scene: state)
    monitor.forget()
    text = drawn("bake").texts()
    assert all(word in text for word in words), text
    assert ("tsubu.bake" in text) != running and "no room" not in text


def test_disabled_buttons_say_why(tsubu: Any) -> None:
    """Each button that cannot be pressed gives its reason."""
    for name, reason in (
        ("bake", "Nothing is marked"), ("resume", "Nothing has been baked"), ("free", "Nothing has been baked"),
        ("cancel", "No bake is running"), ("open_log", "no log"), ("take_over", "Nothing has been baked"),
        ("redo", "Nothing has been baked"), ("reload_bake", "No bake is loaded"),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match=reason):
            getattr(bpy.ops.tsubu, name)()


def test_settings_that_need_a_switch(tsubu: Any) -> None:
    """Mass and spin of a collider are shown when it is Free, and not before."""
    item = add_box("Wheel", (0, 0, 0), (1, 1, 1), "COLLIDER")
    select(item)
    assert ("prop", "free") in drawn("main").log and ("prop", "mass") not in drawn("main").log
    item.tsubu.collider.free = True
    assert {("prop", name) for name in ("mass", "density", "velocity", "spin", "driven")} <= set(drawn("main").log)


def test_an_emitter_stops_only_if_it_is_told_to(tsubu: Any) -> None:
    """New emitters flow as long as the scene and show no End; with Stops on, End is a short time, and what the engine gets."""
    scene = small_scene()
    scene.frame_end = 241
    tap = add_box("Tap", (0, 0, 2), (0.1, 0.1, 2.1), "EMITTER")
    tap.tsubu.emitter.rate = 0.5
    select(tap)
    export, look = part("bridge.export").export_now, part("operators.view").estimate
    assert ("prop", "stops") in drawn("main").log and ("prop", "end") not in drawn("main").log
    assert export(bpy.context).scene.emitters[0].params.end >= 3600.0
    for_ever = look(bpy.context).poured
    tap.tsubu.emitter.stops = True
    assert ("prop", "end") in drawn("main").log and 0.0 < tap.tsubu.emitter.end < 10.0
    assert export(bpy.context).scene.emitters[0].params.end == tap.tsubu.emitter.end
    assert look(bpy.context).poured == pytest.approx(for_ever * tap.tsubu.emitter.end / 10.0, rel=0.01)
