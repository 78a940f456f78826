"""Settings of what is not a body: colliders, emitters, the world and the surface.

Each is declared once with unit, range, default and help text; the interface, the validation and the job file read them here.
Everyone imports them from `solvers.scene`.
"""

from dataclasses import dataclass

from .params import param

PAINTABLE = ("friction", "contact_angle")
"""Settings of a collider that may differ from place to place: NAME_group names the vertex group, NAME_painted is the value where
its weight is 1. `Collider.weights` holds the weights."""
PAINTED_FLOW = ("rate",)
"""The same of an emitter, whose flow is multiplied by the weight."""


@dataclass(frozen=True)
class ColliderParams:
    """How a surface treats what touches it."""

    friction: float = param(
        0.3, "Friction", low=0.0, high=10.0, soft=(0.0, 1.0), animatable=True, help="Coulomb friction: 0 is ice, 1 is rubber"
    )
    friction_group: str = param(
        "", "Painted by", help="Vertex group that leads from the friction (weight 0) to the painted friction (weight 1)"
    )
    friction_painted: float = param(
        1.0,
        "Painted friction",
        low=0.0,
        high=10.0,
        soft=(0.0, 1.0),
        animatable=True,
        needs="friction_group",
        help="Coulomb friction where the vertex group's weight is 1",
    )
    two_sided: bool = param(
        True,
        "Two-sided if open",
        help="An open mesh (a sheet, a cup without thickness) blocks from both sides. Closed meshes always block from outside",
    )
    enabled: bool = param(True, "Active", animatable=True, help="Off: nothing collides with this object")
    contact: str = param(
        "separate",
        "Contact",
        help="What foam and sand do where they touch this object",
        choices=[
            ("separate", "Separate", "They slide with friction and may leave; adhesion holds them back"),
            ("slip", "Slip", "They slide freely and do not leave"),
            ("stick", "Stick", "They move with the object"),
        ],
    )
    adhesion: float = param(
        0.0,
        "Adhesion",
        unit="Pa",
        low=0.0,
        high=1.0e9,
        soft=(0.0, 500.0),
        animatable=True,
        help="Pull that foam on this object withstands before it lets go: 0 is dry, 20 is cream on glass, 200 is glue",
    )
    contact_angle: float = param(
        70.0,
        "Contact angle",
        unit="°",
        low=0.0,
        high=180.0,
        soft=(10.0, 170.0),
        animatable=True,
        help="How drops sit on this object: 20 is clean glass, 70 is plastic, 110 is wax, 160 is a lotus leaf",
    )
    contact_angle_group: str = param(
        "", "Painted by", help="Vertex group that leads from the contact angle (weight 0) to the painted angle (weight 1)"
    )
    contact_angle_painted: float = param(
        150.0,
        "Painted angle",
        unit="°",
        low=0.0,
        high=180.0,
        soft=(10.0, 170.0),
        animatable=True,
        needs="contact_angle_group",
        help="Contact angle where the vertex group's weight is 1: a leaf that is waxy in the middle",
    )
    hysteresis: float = param(
        0.0,
        "Angle hysteresis",
        unit="°",
        low=0.0,
        high=180.0,
        soft=(0.0, 60.0),
        animatable=True,
        help="Advancing minus receding contact angle: drops stick to a slope until gravity overcomes it. "
        "They leave a trail where the receding angle is below 20°",
    )
    drain: bool = param(
        False, "Drain", help="It swallows what enters it, and blocks nothing. Its mesh must be closed; it may be animated"
    )
    free: bool = param(False, "Free", help="Gravity, grains and colliders move it; it must be closed and not animated")
    mass: float = param(
        0.0, "Mass", unit="kg", low=0.0, high=1.0e9, soft=(0.0, 100.0), needs="free", help="Free only. 0: by its density"
    )
    density: float = param(
        1000.0,
        "Density",
        unit="kg/m³",
        low=0.1,
        high=1.0e5,
        soft=(100.0, 8000.0),
        needs="free",
        help="Free only: wood 600, steel 7800; does not count if a mass is given",
    )
    velocity: tuple[float, float, float] = param(
        (0.0, 0.0, 0.0), "Velocity", unit="m/s", low=-1.0e4, high=1.0e4, needs="free", help="Free only: at the first frame"
    )
    spin: tuple[float, float, float] = param(
        (0.0, 0.0, 0.0), "Spin", unit="rad/s", low=-1.0e4, high=1.0e4, needs="free", help="Free only: turning at the first frame"
    )
    driven: bool = param(
        False, "Driven spin", needs="free", help="Free only: the spin is kept whatever happens, as of a wheel on an engine"
    )
    bounce: float = param(
        0.2, "Bounce", low=0.0, high=1.0, needs="free", help="Free only: speed after hitting a collider over the speed before"
    )


@dataclass(frozen=True)
class EmitterParams:
    """How a mesh feeds a material into the scene."""

    source: str = param(
        "flow",
        "From",
        help="Where particles come out",
        choices=[
            ("flow", "Cross-section", "A stream as wide as the mesh"),
            ("surface", "Surface", "All over the mesh"),
            ("volume", "Volume", "Within the mesh, wherever there is room"),
            ("fill", "Fill once", "The whole mesh at its start, wherever there is room"),
        ],
    )
    aim: str = param(
        "fixed",
        "Aim",
        help="Which way they go",
        choices=[
            ("fixed", "Direction", "Along the direction below"),
            ("normal", "Normal", "Away from the mesh: along its normals, or from its middle within a volume"),
        ],
    )
    speed: float = param(
        1.0, "Speed", unit="m/s", low=0.0, high=1000.0, soft=(0.0, 10.0), animatable=True, help="Speed of what leaves the mesh"
    )
    direction: tuple[float, float, float] = param(
        (0.0, 0.0, -1.0), "Direction", low=-1.0e6, high=1.0e6, animatable=True, help="Where it flows; only the direction counts"
    )
    rate: float = param(
        0.0,
        "Flow rate",
        unit="m³/s",
        low=0.0,
        high=1.0e4,
        soft=(0.0, 0.1),
        animatable=True,
        help="Volume per second. 0: as much as the cross-section or surface lets through at the given speed; "
        "a volume is kept full",
    )
    rate_group: str = param(
        "",
        "Painted by",
        help="Vertex group that thins the flow: nothing leaves where its weight is 0, the full flow where it is 1",
    )
    start: float = param(0.0, "Start", unit="s", low=0.0, high=1.0e6, help="When it begins, in seconds from the first frame")
    end: float = param(
        3600.0, "End", unit="s", low=0.0, high=1.0e6, help="When it ends, in seconds from the first frame; an hour is for ever"
    )
    inherit: float = param(
        0.0, "Inherit motion", low=0.0, high=1.0, animatable=True, help="How much of the emitter's own velocity is passed on"
    )
    enabled: bool = param(True, "Active", animatable=True, help="Off: nothing leaves this object")


@dataclass(frozen=True)
class WorldParams:
    """What all bodies share."""

    spacing: float = param(
        0.01,
        "Particle spacing",
        unit="m",
        low=1.0e-6,
        high=100.0,
        soft=(0.001, 0.1),
        help="Distance between neighbouring particles",
    )
    gravity: tuple[float, float, float] = param(
        (0.0, 0.0, -9.81), "Gravity", unit="m/s²", low=-1.0e4, high=1.0e4, help="Acceleration of everything that is free to fall"
    )
    frames_per_second: float = param(24.0, "Frame rate", unit="1/s", low=0.01, high=1.0e5, help="Frames per second of the scene")
    frame_start: int = param(1, "First frame", low=-1048574, high=1048574, help="Frame that shows the initial state")
    frame_end: int = param(48, "Last frame", low=-1048574, high=1048574, help="Last frame to be baked")
    seed: int = param(
        0, "Seed", low=0, high=2147483647, advanced=True, help="Another seed gives another arrangement of the particles"
    )
    jitter: float = param(
        0.0,
        "Jitter",
        low=0.0,
        high=1.0,
        advanced=True,
        help="Irregularity of the first arrangement: 0 is a perfect lattice, 1 is as random as sand",
    )
    checkpoint_every: int = param(
        10, "Checkpoint interval", low=1, high=10000, advanced=True, help="Frames between full states from which a bake can go on"
    )
    world_limit: float = param(
        0.0,
        "World limit",
        unit="m",
        low=0.0,
        high=1.0e6,
        advanced=True,
        help="Particles farther than this from the middle of the scene are dropped and counted. "
        "0: twenty times the size of the scene, 100 m at least",
    )
    box_size: tuple[float, float, float] = param(
        (0.0, 0.0, 0.0),
        "World box",
        unit="m",
        low=0.0,
        high=1.0e6,
        advanced=True,
        help="Particles that leave a box of this size are dropped and counted. 0 along an axis: no limit there",
    )
    box_centre: tuple[float, float, float] = param(
        (0.0, 0.0, 0.0),
        "Box center",
        unit="m",
        low=-1.0e6,
        high=1.0e6,
        advanced=True,
        help="Where the middle of the world box is",
    )


@dataclass(frozen=True)
class SurfaceParams:
    """The mesh-ready surface written beside the points."""

    enabled: bool = param(True, "Surface", help="Write an OpenVDB surface for every frame")
    voxel: float = param(
        0.5,
        "Voxel size",
        low=0.1,
        high=4.0,
        soft=(0.25, 1.0),
        help="Edge of a surface voxel in particle spacings; smaller is finer",
    )
    radius: float = param(
        2.0,
        "Blend radius",
        low=1.0,
        high=6.0,
        soft=(1.0, 4.0),
        advanced=True,
        help="Reach of a particle in spacings; larger is rounder",
    )
    smoothing: str = param(
        "kind",
        "Smoothing",
        help="3-D Gaussian filter of the density volume",
        choices=[
            ("kind", "By material", "Satin for foam, 3 × 3 × 3 for everything else"),
            ("none", "None", "As the particles lie"),
            ("3", "3 × 3 × 3", "Light smoothing"),
            ("5", "5 × 5 × 5", "Strong smoothing"),
            ("satin", "Satin", "Hides the particles and keeps ridges and peaks, whatever the voxel size"),
        ],
    )
    anisotropic: bool = param(
        True,
        "Thin sheets",
        help="Stretch each particle's blob along its neighbours, so that sheets and threads are smooth and thin",
    )
    spray: float = param(
        1.0,
        "Spray",
        low=0.0,
        high=1.0,
        help="Size of drops that fly alone: 1 is as large as their volume, smaller calms a splash down, 0 leaves them out",
    )
    wall_overlap: float = param(
        0.25,
        "Wall overlap",
        low=0.0,
        high=4.0,
        soft=(0.0, 1.0),
        advanced=True,
        help="How far the surface enters a wall it touches, in spacings, so that no gap shows",
    )
    velocity: bool = param(True, "Velocity", help="Write a velocity grid for motion blur")
