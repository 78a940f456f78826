"""Settings of the body kind Solid, and what is known of real ones."""

from dataclasses import dataclass

from ..params import param
from .preset import NamedParams


@dataclass(frozen=True)
class SolidParams:
    """Rubber, jelly, dough, clay: elastic, and if wanted it keeps dents, tears and joins again."""

    density: float = param(
        1000.0,
        "Density",
        unit="kg/m³",
        low=1.0,
        high=3.0e4,
        soft=(50.0, 3000.0),
        help="Mass of one cubic metre: snow 400, rubber 1100, dough 1100, clay 1800",
    )
    stiffness: float = param(
        1.0e6,
        "Stiffness",
        unit="Pa",
        low=1.0,
        high=1.0e12,
        soft=(1.0e3, 1.0e8),
        help="Young's modulus E: jelly 5 kPa, soft rubber 1 MPa, tyre 10 MPa",
    )
    squash: float = param(
        0.4,
        "Squash",
        low=0.0,
        high=0.495,
        soft=(0.0, 0.49),
        help="Poisson's ratio ν: how much it bulges sideways when pressed. 0: cork, 0.3: snow, 0.45 and more: rubber, jelly",
    )
    plastic: bool = param(False, "Dents", help="Off: it always springs back. On: beyond the yield points it keeps its new shape")
    squeeze_yield: float = param(
        0.02,
        "Dents at",
        low=0.0,
        high=0.9,
        soft=(0.001, 0.2),
        help="Squeeze θ_c it takes without a lasting dent: 0.02 is 2 % of its length. Less: dents more easily",
    )
    stretch_yield: float = param(
        0.01,
        "Stretches at",
        low=0.0,
        high=5.0,
        soft=(0.001, 0.2),
        help="Stretch θ_s it takes without staying longer: 0.01 is 1 % of its length",
    )
    toughness: float = param(
        2.0,
        "Toughness",
        low=0.001,
        high=1000.0,
        soft=(0.05, 10.0),
        help="Plastic stretch it bears before it tears: 0.1 crumbles, 10 draws strings like chewing gum",
    )
    keep_volume: bool = param(
        True,
        "Keeps volume",
        help="On: only its shape yields, as in clay and dough. Off: it can be packed, as snow can",
    )
    hardening: float = param(
        0.0,
        "Hardening",
        low=0.0,
        high=50.0,
        soft=(0.0, 20.0),
        help="Gets stiffer where it is packed and softer where it is loosened (ξ); snow is 10, others 0",
    )
    friction: float = param(
        0.5, "Friction", low=0.0, high=10.0, soft=(0.0, 1.5), help="Between this and other solids; at colliders their own counts"
    )
    drive_mesh: bool = param(
        True,
        "Deform the mesh",
        help="Besides points and surface, write the object's own mesh as it deforms, with its UVs and materials",
    )
    scheme: str = param(
        "rest",
        "Shape memory",
        advanced=True,
        help="How the deformation of a body without Dents is followed; one with Dents always adds it up",
        choices=[
            ("rest", "Rest shape", "Measured against the shape at the first frame: it returns exactly and bounces well"),
            ("paper", "Added up", "The paper's scheme: step by step; calmer, may creep"),
        ],
    )
    implicitness: float = param(
        0.55,
        "Implicitness",
        low=0.5,
        high=1.0,
        advanced=True,
        help="Where in a step forces are taken (θ): 0.5 keeps all energy and rings, 1 calms fastest",
    )
    liveliness: float = param(
        0.0,
        "Liveliness",
        low=0.0,
        high=1.0,
        advanced=True,
        help="Share of the particles' own velocity that is kept (1 − α): more is livelier and noisier",
    )
    slave_spacing: float = param(
        0.0,
        "Slave spacing",
        low=0.0,
        high=3.0,
        advanced=True,
        help="Distance between computation points in particle spacings; 1 is the paper's. 0: 2 without Dents, 1.25 with",
    )
    slave_rule: str = param(
        "cover",
        "New slaves",
        advanced=True,
        help="Where computation points are added to what is drawn apart",
        choices=[
            ("cover", "Where none is", "Every place within reach of the material gets one"),
            ("paper", "Where neighbours part", "The paper's rule: beside particles whose neighbours have gone away"),
        ],
    )
    cfl: float = param(
        0.4,
        "Courant number",
        low=0.05,
        high=1.0,
        advanced=True,
        help="Farthest a particle moves in one step, in particle spacings",
    )
    wave_steps: float = param(
        4.0,
        "Stiff step",
        low=0.1,
        high=1.0e4,
        soft=(1.0, 50.0),
        advanced=True,
        help="How far an elastic wave may travel in one step, in slave spacings: more is faster and calmer",
    )


def slave_spacing(params: SolidParams) -> float:
    """Distance between slaves in particle spacings. What flows gets closer ones: parts join when they touch, not before."""
    return params.slave_spacing or (1.25 if params.plastic else 2.0)


def lame(params: SolidParams) -> tuple[float, float]:
    """µ and λ [Pa] of Young's modulus and Poisson's ratio."""
    e, nu = params.stiffness, params.squash
    return e / (2.0 * (1.0 + nu)), e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))


def _preset(label: str, source: str, **values: float | bool) -> NamedParams:
    return NamedParams(label, SolidParams(**values), source)  # type: ignore[arg-type]


PRESETS: dict[str, NamedParams] = {
    "rubber": _preset(
        "Rubber ball",
        "Magnitude of soft vulcanised rubber: E 1–10 MPa, ν just below 0.5; ν is lowered so that the volume may give a little",
        density=1100.0, stiffness=2.0e6, squash=0.45,
    ),
    "hard_rubber": _preset(
        "Hard ball",
        "Figure 5a of the slave-particle paper: E 69 MPa, ν 0.3",
        density=1000.0, stiffness=6.9e7, squash=0.3,
    ),
    "jelly": _preset(
        "Jelly",
        "Magnitude of a gelatine dessert: E of a few kPa, nearly incompressible, as dense as water; chosen, not one measurement",
        density=1050.0, stiffness=8.0e3, squash=0.45,
    ),
    "dough": _preset(
        "Dough",
        "Magnitude of bread dough: E some 10 kPa, flows beyond a few percent of strain; chosen by eye",
        density=1100.0, stiffness=2.0e4, squash=0.42, plastic=True, squeeze_yield=0.05, stretch_yield=0.05, toughness=3.0,
    ),
    "clay": _preset(
        "Modelling clay",
        "Magnitude of soft plasticine: E about 1 MPa, yield some 10 kPa, that is about 1 % of strain; chosen",
        density=1800.0, stiffness=1.0e6, squash=0.4, plastic=True, squeeze_yield=0.01, stretch_yield=0.01, toughness=1.0,
    ),
    "chewing_gum": _preset(
        "Chewing gum",
        "Chosen by eye: soft, yields early, draws long strings",
        density=1100.0, stiffness=5.0e4, squash=0.45, plastic=True, squeeze_yield=0.1, stretch_yield=0.08, toughness=30.0,
    ),
    "snow": _preset(
        "Snow",
        "Values usually quoted for Stomakhin et al., A material point method for snow simulation (2013), not checked there: "
        "E 140 kPa, ν 0.2, θ_c 0.025, θ_s 0.0075, ξ 10, 400 kg/m³. The toughness is ours",
        density=400.0, stiffness=1.4e5, squash=0.2, plastic=True, squeeze_yield=0.025, stretch_yield=0.0075, hardening=10.0,
        keep_volume=False, toughness=0.3,
    ),
}  # fmt: skip
"""Presets by name. Those without a named source are magnitudes; treat all as starting points."""
