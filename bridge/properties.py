"""`object.tsubu` and `scene.tsubu`: what the artist sets. Made anew at every registration from what the engine declares."""

import dataclasses
from typing import Any, NamedTuple

import bpy

from ..solvers.materials.grains_params import GrainsParams
from ..solvers.materials.registry import MATERIALS, Material
from ..solvers.meet.pairs import MeetingParams
from ..solvers.params import declarations
from ..solvers.scene import ColliderParams, EmitterParams, SurfaceParams, WorldParams
from .generated import Units, make_group, make_property, stable_number

NONE, COLLIDER, EMITTER = "NONE", "COLLIDER", "EMITTER"
FROM_SCENE = ("frames_per_second",)
"""World parameters that Blender's scene decides alone."""
DEFAULT_KIND = "water"
"""What emitters pour unless told otherwise. Fixed, because files do not store a default."""
_ENDS_AFTER = 2.0
"""Seconds that an emitter flows if it stops at all and nothing else is said."""
_RESERVED = {"role", "emitter", "emitter_kind", "collider", "velocity", "spin", "output"}
_registered: list[type] = []


class Role(NamedTuple):
    """One thing that an object can be."""

    name: str
    """Identifier of the enumeration."""
    label: str
    help: str
    icon: str
    number: int


def roles() -> tuple[Role, ...]:
    """Everything an object can be marked as: nothing, the registered body kinds, collider, emitter."""
    bodies = tuple(
        Role(kind.upper(), material.label, material.help, _icon(material), stable_number(kind))
        for kind, material in MATERIALS.items()
    )
    return (
        Role(NONE, "None", "Takes no part in the simulation", "X", 0),
        *bodies,
        Role(COLLIDER, "Collider", "A wall that everything collides with", "MOD_PHYSICS", 1),
        Role(EMITTER, "Emitter", "A mesh from which a material flows", "PARTICLES", 2),
    )


_ICONS = {"water": "MOD_FLUIDSIM", "drops": "MATFLUID", "grains": "POINTCLOUD_DATA", "foam": "MOD_OCEAN", "solid": "MESH_CUBE"}


def _icon(material: Material) -> str:
    return getattr(material, "icon", "") or _ICONS.get(material.kind, "PHYSICS")


def kind_of(role: str) -> str | None:
    """The body kind behind a role, None for colliders, emitters and the rest."""
    kind = role.lower()
    return kind if role not in (NONE, COLLIDER, EMITTER) and kind in MATERIALS else None


def _kinds() -> list[tuple[str, str, str, str, int]]:
    return [(kind, entry.label, entry.help, _icon(entry), stable_number(kind)) for kind, entry in MATERIALS.items()]


def _object_class(groups: dict[str, type]) -> type:
    kinds = _kinds()
    annotations: dict[str, Any] = {
        "role": bpy.props.EnumProperty(
            name="Role",
            description="What the object is in the simulation",
            items=[(role.name, role.label, role.help, role.icon, role.number) for role in roles()],
            default=NONE,
            options=set(),
            override={"LIBRARY_OVERRIDABLE"},
        ),
        "velocity": bpy.props.FloatVectorProperty(
            name="Velocity",
            description="Velocity of the body at the first frame",
            subtype="XYZ",
            unit="VELOCITY",
            options=set(),
            override={"LIBRARY_OVERRIDABLE"},
        ),
        "spin": bpy.props.FloatVectorProperty(
            name="Spin",
            description="Turning at the first frame about the middle of the body, as angle per second",
            subtype="EULER",
            unit="ROTATION",
            options=set(),
            override={"LIBRARY_OVERRIDABLE"},
        ),
        "output": bpy.props.StringProperty(
            name="Output",
            description="Name of the point and surface files. Bodies and emitters with the same name share one surface; "
            "empty: the kind decides",
            options=set(),
            override={"LIBRARY_OVERRIDABLE"},
        ),
        "emitter_kind": bpy.props.EnumProperty(
            name="Material",
            description="What flows out of the emitter",
            items=kinds,
            default=DEFAULT_KIND if DEFAULT_KIND in MATERIALS else kinds[0][0],
            options=set(),
            override={"LIBRARY_OVERRIDABLE"},
        ),
    }
    annotations |= _instance_properties()
    for name in ("collider", "emitter", *MATERIALS):
        annotations[name] = bpy.props.PointerProperty(type=groups[name], override={"LIBRARY_OVERRIDABLE"})
    return type("TSUBU_PG_object", (bpy.types.PropertyGroup,), {"__annotations__": annotations, "__doc__": "Tsubu of an object"})


def _emitter_properties() -> dict[str, Any]:
    """The engine's emitter ends after an hour, which is for ever; an artist switches on that it ends at all."""
    end = next(entry for entry in declarations(EmitterParams) if entry.name == "end")
    return {
        "stops": bpy.props.BoolProperty(
            name="Stops",
            description="The flow ends at a time of its own; off: it lasts as long as the scene",
            options=set(),
            override={"LIBRARY_OVERRIDABLE"},
        ),
        "end": make_property(dataclasses.replace(end, default=_ENDS_AFTER, help="When it ends, in seconds from the first frame")),
    }


def emitter_known(group: Any) -> dict[str, Any]:
    """Parameters of an emitter that its property group does not decide."""
    return {} if group.stops else {"end": EmitterParams().end}


def _wedge_search(self: Any, context: Any, text: str) -> list[tuple[str, str]]:
    from .wedge import settings_of

    found = ((entry.path, f"{entry.declared.label} [{entry.declared.unit or '1'}]") for entry in settings_of(context.scene))
    return [entry for entry in found if text.lower() in " ".join(entry).lower()]


def _instance_properties() -> dict[str, Any]:
    """What is shown in place of the points of kinds that turn."""
    return {
        "instance_object": bpy.props.PointerProperty(
            type=bpy.types.Object,
            name="Show As",
            description="Object that stands on every grain, turned and scaled with it. Empty: round points",
            poll=lambda _, item: item.type in ("MESH", "CURVE", "SURFACE", "META", "FONT"),
            update=_instances_changed,
            options=set(),
            override={"LIBRARY_OVERRIDABLE"},
        ),
        "instance_collection": bpy.props.PointerProperty(
            type=bpy.types.Collection,
            name="Or One Of",
            description="Collection of which one object stands on every grain, always the same one",
            update=_instances_changed,
            options=set(),
            override={"LIBRARY_OVERRIDABLE"},
        ),
    }


def _instances_changed(_: Any, context: Any) -> None:
    """What is played already follows at once."""
    from . import show

    show.refresh_instances(context.scene)


def _scene_class(groups: dict[str, type]) -> type:
    annotations: dict[str, Any] = {
        "world": bpy.props.PointerProperty(type=groups["world"]),
        "surface": bpy.props.PointerProperty(type=groups["surface"]),
        "meeting": bpy.props.PointerProperty(type=groups["meeting"]),
        "scale": bpy.props.FloatProperty(
            name="Scale",
            description="Metres simulated for each metre seen. 0.1: a two-metre model splashes as if it were twenty centimetres "
            "tall. Lengths and speeds shrink with it; gravity and materials stay as they are",
            default=1.0,
            min=1.0e-6,
            max=1.0e6,
            soft_min=0.01,
            soft_max=100.0,
            precision=3,
            options=set(),
        ),
        "sizing": bpy.props.EnumProperty(
            name="Detail",
            description="How the size of the particles is given",
            items=[
                ("RESOLUTION", "Resolution", "By the number of particles along the longest side of the bodies", 0),
                ("SPACING", "Spacing", "By the distance between neighbouring particles", 1),
            ],
            default="RESOLUTION",
            options=set(),
        ),
        "resolution": bpy.props.IntProperty(
            name="Resolution",
            description="Particles along the longest side of the largest body (or emitter, if there is no body)",
            default=32,
            min=2,
            max=4096,
            soft_max=512,
            options=set(),
        ),
        "quality": bpy.props.EnumProperty(
            name="Quality",
            description="How much of the detail is simulated",
            items=[
                ("PREVIEW", "Preview", "Coarser by Preview Detail: to see quickly how it moves", 0),
                ("FINAL", "Final", "As set", 1),
            ],
            default="FINAL",
            options=set(),
        ),
        "preview_detail": bpy.props.IntProperty(
            name="Preview Detail",
            description="Part of the resolution that a preview has. Half of it takes about a tenth of the time",
            default=50,
            min=5,
            max=100,
            subtype="PERCENTAGE",
            options=set(),
        ),
        "coarsen_grains": bpy.props.BoolProperty(
            name="Larger Grains",
            description="A preview makes grains larger, too. Off: they keep their size, and take as long as in the final bake",
            default=False,
            options=set(),
        ),
        "show_roles": bpy.props.BoolProperty(
            name="Role Colors",
            description="Outline marked objects in the color of their role in 3-D views. Never rendered",
            default=True,
            options=set(),
        ),
        "show_spacing": bpy.props.BoolProperty(
            name="Particle Spacing",
            description="Dots on the active body as far apart as its particles will be",
            default=False,
            options=set(),
        ),
        "use_scene_gravity": bpy.props.BoolProperty(
            name="Scene Gravity", description="Use the gravity of Blender's scene", default=True, options=set()
        ),
        "use_scene_range": bpy.props.BoolProperty(
            name="Scene Range", description="Bake the frame range of Blender's scene", default=True, options=set()
        ),
        "threads": bpy.props.IntProperty(
            name="Threads",
            description="Processor threads for the bake; 0: all. The result does not depend on it",
            default=0,
            min=0,
            max=1024,
            options=set(),
        ),
        "cache_folder": bpy.props.StringProperty(
            name="Cache Folder",
            description="Where the bake is written. Empty: a folder of its own beside the .blend file",
            subtype="DIR_PATH",
            options={"PATH_SUPPORTS_BLEND_RELATIVE"},
        ),
        "wedge_setting": bpy.props.StringProperty(
            name="Setting", description="What is varied: an object's or the world's setting", search=_wedge_search, options=set()
        ),
        "wedge_values": bpy.props.StringProperty(
            name="Values", description="One bake for each, with blanks between them, in SI units: 0.1 0.5 2", options=set()
        ),
        "token": bpy.props.StringProperty(name="Token", description="Tells this scene's bake from others", options={"HIDDEN"}),
        "bake_folder": bpy.props.StringProperty(name="Bake", description="Folder of the last bake", options={"HIDDEN"}),
        "shown": bpy.props.StringProperty(name="Shown", description="State of the bake that is played", options={"HIDDEN"}),
        "bake_folder_relative": bpy.props.StringProperty(
            name="Bake", description="The same, seen from the .blend file", options={"HIDDEN"}
        ),
    }
    return type("TSUBU_PG_scene", (bpy.types.PropertyGroup,), {"__annotations__": annotations, "__doc__": "Tsubu of a scene"})


def register() -> None:
    """Adds `object.tsubu` and `scene.tsubu`."""
    if clash := (_RESERVED | set(_instance_properties())) & set(MATERIALS):
        raise ValueError(f"A body kind cannot be called {', '.join(sorted(clash))}: object.tsubu has a setting of that name.")
    groups = {
        "collider": make_group(ColliderParams, "collider"),
        "emitter": make_group(EmitterParams, "emitter", instead=_emitter_properties()),
        "world": make_group(WorldParams, "world", leave_out=FROM_SCENE),
        "surface": make_group(SurfaceParams, "surface"),
        "meeting": make_group(MeetingParams, "meeting"),
        **{kind: make_group(material.params, kind) for kind, material in MATERIALS.items()},
    }
    for item in (*groups.values(), _object_class(groups), _scene_class(groups)):
        bpy.utils.register_class(item)
        _registered.append(item)
    bpy.types.Object.tsubu = bpy.props.PointerProperty(type=_registered[-2], override={"LIBRARY_OVERRIDABLE"})
    bpy.types.Scene.tsubu = bpy.props.PointerProperty(type=_registered[-1])


def unregister() -> None:
    del bpy.types.Scene.tsubu
    del bpy.types.Object.tsubu
    while _registered:
        bpy.utils.unregister_class(_registered.pop())


def units_of(scene: Any) -> Units:
    """Lengths of the scene → metres of the simulation."""
    return Units(_unit_scale(scene), float(f"{scene.tsubu.scale:.7g}"))


def _unit_scale(scene: Any) -> float:
    """Metres in a Blender unit; Blender ignores the unit scale where units are switched off."""
    settings = scene.unit_settings
    return 1.0 if settings.system == "NONE" else float(f"{settings.scale_length:.7g}")


def detail(scene: Any) -> float:
    """Part of the detail that is simulated: 1, or less for a preview."""
    return scene.tsubu.preview_detail / 100.0 if scene.tsubu.quality == "PREVIEW" else 1.0


def as_baked(scene: Any, material: Any) -> Any:
    """A body kind's parameters as the scene's quality has them: a preview may have larger grains."""
    if scene.tsubu.coarsen_grains and isinstance(material, GrainsParams):
        return dataclasses.replace(material, size=float(f"{material.size / detail(scene):.4g}"))
    return material


def frame_range(scene: Any) -> tuple[int, int]:
    """First and last frame of the bake."""
    if scene.tsubu.use_scene_range:
        return scene.frame_start, scene.frame_end
    return scene.tsubu.world.frame_start, scene.tsubu.world.frame_end


def gravity(scene: Any) -> tuple[float, float, float]:
    """[m/s²] as Blender shows it: what the scene stores, times the unit scale."""
    if not scene.tsubu.use_scene_gravity:
        stored = scene.tsubu.world.gravity
    else:
        stored = scene.gravity if scene.use_gravity else (0.0, 0.0, 0.0)
    factor = _unit_scale(scene)
    return tuple(float(f"{part:.7g}") * factor for part in stored)  # type: ignore[return-value]
