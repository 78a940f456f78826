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
        "Stiffness: three times the shear modulus of 0.5 MPa that MatWeb gives for vulcanised natural rubber. Density: "
        "chosen for rubber with filler (950 kg/m³ without). Squash: real rubber is nearer 0.5; lowered so that the volume "
        "may give a little",
        density=1100.0, stiffness=1.5e6, squash=0.45,
    ),
    "hard_rubber": _preset(
        "Hard ball",
        "Stiffness and squash: figure 5a of the slave-particle paper (69 MPa, 0.3). Density: chosen",
        density=1000.0, stiffness=6.9e7, squash=0.3,
    ),
    "jelly": _preset(
        "Jelly",
        "Stiffness: reckoned from the Bloom test. 225 g on the 12.7 mm punch, 4 mm deep, are 32 kPa at 6.67 % gelatine by "
        "the formula of the flat punch; a modulus that grows as the square of the concentration leaves 8 kPa at 3.3 %. "
        "Not measured on a dessert. Density and squash: chosen (water with sugar, nearly incompressible)",
        density=1050.0, stiffness=8.0e3, squash=0.45,
    ),
    "soft_jelly": _preset(
        "Soft jelly",
        "Stiffness: three times the shear modulus of 0.4 kPa of a standard pectin jelly, which sags by 23.5 % when it is "
        "turned out (Nielsen, Marr and Hvidt, Correlation between sagging and shear elasticity, 2001). Density and "
        "squash: chosen",
        density=1100.0, stiffness=1.2e3, squash=0.45,
    ),
    "dough": _preset(
        "Dough",
        "All chosen by eye. Real dough is a gel whose modulus falls with time by a power law (Ng, McKinley and "
        "Padmanabhan, Linear to non-linear rheology of wheat flour dough, 2006); here it is elastic up to the yield "
        "points",
        density=1100.0, stiffness=2.0e4, squash=0.42, plastic=True, squeeze_yield=0.05, stretch_yield=0.05, toughness=3.0,
    ),
    "clay": _preset(
        "Modelling clay",
        "All chosen by eye: stiff, yields at about 1 % of strain, that is some 10 kPa",
        density=1800.0, stiffness=1.0e6, squash=0.4, plastic=True, squeeze_yield=0.01, stretch_yield=0.01, toughness=1.0,
    ),
    "chewing_gum": _preset(
        "Chewing gum",
        "That it leaves the linear range below 1 % of strain, springs back by a quarter to a third and draws very long is "
        "measured (Martinetti et al., A critical gel fluid with high extensibility: the rheology of chewing gum, 2014). "
        "The yield points are 2 %, so that it stands under its own weight; stiffness, toughness, density and squash are "
        "chosen by eye",
        density=1100.0, stiffness=5.0e4, squash=0.45, plastic=True, squeeze_yield=0.02, stretch_yield=0.02, toughness=30.0,
    ),
    "snow": _preset(
        "Snow",
        "All but the toughness: table 2 of Stomakhin et al., A material point method for snow simulation (2013), as "
        "programs quote it that name the table. Toughness: chosen",
        density=400.0, stiffness=1.4e5, squash=0.2, plastic=True, squeeze_yield=0.025, stretch_yield=0.0075, hardening=10.0,
        keep_volume=False, toughness=0.3,
    ),
}  # fmt: skip
"""Presets by name. Each source says what is from the literature, what is reckoned from it and what is chosen."""
