"""Settings of the body kind Foam, and what is known of real ones."""

from dataclasses import dataclass

from ..params import param


@dataclass(frozen=True)
class FoamParams:
    """Shaving cream, whipped cream, toothpaste: elastic until it yields, then it flows."""

    density: float = param(
        200.0,
        "Density",
        unit="kg/m³",
        low=1.0,
        high=3.0e4,
        soft=(20.0, 2500.0),
        help="Mass of one cubic metre: shaving cream 80, whipped cream 300–500, mayonnaise 900, concrete 2300",
    )
    firmness: float = param(
        290.0,
        "Firmness",
        unit="Pa",
        low=1.0e-3,
        high=1.0e9,
        soft=(10.0, 1.0e4),
        help="Shear modulus µ: how stiff it is before it yields",
    )
    yield_stress: float = param(
        31.9,
        "Yield",
        unit="Pa",
        low=0.0,
        high=1.0e9,
        soft=(0.0, 1000.0),
        help="Yield stress in tension σ_Y: how hard one must push before it flows; in shear it yields at σ_Y/√3. 0: a liquid",
    )
    thickness: float = param(
        27.2,
        "Thickness",
        unit="Pa·sᵐ",
        low=0.0,
        high=1.0e7,
        soft=(0.0, 200.0),
        help="Viscosity η once it flows. 0: it yields without any further resistance",
    )
    thinning: float = param(
        0.22,
        "Thinning",
        low=0.1,
        high=3.0,
        soft=(0.1, 1.5),
        help="Exponent m: below 1 it gets thinner the faster it is sheared, 1 is a Bingham fluid, above 1 it thickens",
    )
    volume_stiffness: float = param(
        20.0,
        "Volume stiffness",
        low=1.0,
        high=1.0e5,
        soft=(2.0, 100.0),
        advanced=True,
        help="Bulk modulus κ in multiples of the firmness: higher keeps the volume better and needs more steps",
    )
    tearing: bool = param(True, "Tearing", help="Off: it never tears and draws endless threads")
    stringiness: float = param(
        3.0,
        "Stringiness",
        low=1.01,
        high=1.0e3,
        soft=(1.2, 20.0),
        help="How many times its length a strand can be drawn out before it tears",
    )
    resampling: bool = param(
        True, "Resampling", help="Fill holes that stretching leaves between the particles, and merge crowded ones"
    )
    transfer: str = param(
        "apic",
        "Transfer",
        advanced=True,
        help="How particles and grid exchange momentum",
        choices=[
            ("apic", "APIC", "Affine: keeps rotation, no noise"),
            ("flip", "PIC/FLIP", "A blend: livelier, noisier"),
        ],
    )
    flip: float = param(0.95, "FLIP share", low=0.0, high=1.0, advanced=True, help="0 is PIC (damped), 1 is FLIP; PIC/FLIP only")
    stepping: str = param(
        "automatic",
        "Steps",
        advanced=True,
        help="How long a time step is",
        choices=[
            ("automatic", "Automatic", "Large steps where they are much longer than explicit ones, else explicit"),
            ("explicit", "Explicit", "Many cheap steps that follow the speed of sound"),
            ("implicit", "Large", "Few steps with a solve each: stiff foam that moves slowly"),
        ],
    )
    cfl: float = param(
        0.4,
        "Courant number",
        low=0.05,
        high=0.8,
        advanced=True,
        help="Farthest an elastic wave travels in one step, in grid cells",
    )


@dataclass(frozen=True)
class FoamPreset:
    """A real foam: its settings and where the numbers come from."""

    label: str
    params: FoamParams
    source: str


def _preset(label: str, source: str, **values: float) -> FoamPreset:
    return FoamPreset(label, FoamParams(**values), source)  # type: ignore[arg-type]


def foam_doubts(params: FoamParams) -> list[str]:
    """Settings that are allowed but hardly meant."""
    if params.yield_stress > params.firmness:
        return [
            f"Yield ({params.yield_stress:g} Pa) is above Firmness ({params.firmness:g} Pa): it stretches like rubber to more "
            "than twice its length before it flows. Lower Yield or raise Firmness"
        ]
    return []


def in_shear(yield_stress: float, consistency: float, index: float) -> dict[str, float]:
    """Our settings from a rheometer's fit τ = τ_y + K γ̇ⁿ [Pa, Pa·sⁿ]: in steady shear they give the same curve."""
    return {
        "yield_stress": float(f"{yield_stress * 3.0**0.5:.4g}"),
        "thickness": float(f"{consistency * 2.0 ** (0.5 * (1.0 + index)):.4g}"),
        "thinning": index,
    }


def of_bubbles(tension: float, radius: float, gas: float) -> dict[str, float]:
    """Firmness and yield of a foam: surface tension [N/m], mean radius of its bubbles [m], and the share of gas.

    G = 1.4 φ (φ − φ_c) γ/R and τ_y = 0.5 (φ − φ_c)² γ/R with φ_c = 0.64: Saint-Jalmes, Durian: Vanishing elasticity for wet
    foams: equivalence with emulsions and role of polydispersity (1999); Denkov, Tcholakova, Höhler, Cohen-Addad: Foam rheology.
    """
    loose, pressure = gas - 0.64, tension / radius
    return {
        "firmness": float(f"{1.4 * gas * loose * pressure:.3g}"),
        "yield_stress": float(f"{3.0**0.5 * 0.5 * loose * loose * pressure:.3g}"),
    }


_STRANDS = "Fei, Batty, Grinspun, Zheng: A multi-scale model for coupling strands with shear-dependent liquid, 2019"

PRESETS: dict[str, FoamPreset] = {
    "shaving_cream": _preset(
        "Shaving cream",
        "Firmness, yield, thickness and thinning from the literature: those of the foam paper (Yue and others: Continuum foam, "
        "2015), which took them from rheometers and changed them by up to 40 %; the figures stand in the published scenes of "
        f"{_STRANDS}. They suit bubbles of 0.07 mm (of_bubbles gives 290 and 54 Pa). Density chosen from the 40–100 kg/m³ of "
        "Komatsu, Yamada, Fukushima: Rheological properties of soap foam, 1978, who measured 50–85 Pa with bubbles of 0.1 mm",
        density=80.0, firmness=290.0, yield_stress=31.9, thickness=27.2, thinning=0.22,
    ),
    "whipped_cream": _preset(
        "Whipped cream",
        f"All five from the literature: the cream of a pie in the published scenes of {_STRANDS}. No rheometer's fit of whipped "
        "cream was found. 275 kg/m³ is cream from a can; hand-whipped cream of 100 % overrun has 500",
        density=275.0, firmness=1600.0, yield_stress=120.0, thickness=5.0, thinning=0.27,
    ),
    "marshmallow": _preset(
        "Warm marshmallow",
        "Nothing from a measurement, and none was found. Chosen by eye for a warm, soft confection; cold marshmallow is a gel, "
        "at least ten times firmer",
        density=350.0, firmness=2500.0, yield_stress=250.0, thickness=60.0, thinning=0.5, stringiness=8.0,
    ),
    "meringue": _preset(
        "Meringue (raw)",
        "Density from a measurement: the lightest of the egg foams of Spencer, Scanlon, Page (Drainage and coarsening effects on "
        "the time-dependent rheology of whole egg and egg white foams and batters), 235–1225 kg/m³. Firmness and yield follow "
        "from measured laws of foams (of_bubbles) with 0.05 N/m, bubbles of 0.03 mm and 81 % of gas, all three chosen. Thickness "
        "chosen; thinning as of foams with stiff bubble surfaces (Denkov and others: The role of surfactant type and bubble "
        "surface mobility in foam rheology, 2009)",
        density=235.0, thickness=12.0, thinning=0.25, **of_bubbles(0.05, 1.5e-5, 0.81),
    ),
    "toothpaste": _preset(
        "Toothpaste",
        "Flow curve from a measurement: paste A of Cole, Cleaning of toothpaste from process equipment by fluid flow at "
        "laboratory and pilot scales (EngD thesis, University of Birmingham 2011), table 4.4, τ = 55.89 + 80.47 γ̇^0.5413 Pa. "
        "Density, firmness and stringiness are chosen",
        density=1350.0, firmness=3000.0, stringiness=2.0, **in_shear(55.89, 80.47, 0.5413),
    ),
    "mayonnaise": _preset(
        "Mayonnaise",
        "Flow curve from a measurement: mayonnaise homogenised for two minutes at 10 000/min, τ = 77.42 γ̇^0.2628 Pa (Rheological "
        "properties of mayonnaise with non-traditional ingredients, Food Processing: Techniques and Technology; others there: "
        "66–134 Pa·sⁿ, n 0.20–0.26). A power law never rests, so it is written as 30 + 40.8 γ̇^0.398, 10 % off at most between "
        f"0.1 and 100 per second. Firmness from the published scenes of {_STRANDS}; density chosen",
        density=910.0, firmness=1000.0, **in_shear(30.0, 40.8, 0.398),
    ),
    "wet_concrete": _preset(
        "Wet concrete",
        "Yield chosen from those measured, 100–2000 Pa (Ferraris, de Larrard: Modified slump test to measure rheological "
        "parameters of fresh concrete, 1998): with 700 Pa a slump cone of 30 cm goes down by 15 cm. Bingham, m = 1 (Wallevik, "
        "Wallevik: Rheology as a tool in concrete science, 2011). Plastic viscosity, 40 Pa·s, and firmness are chosen",
        density=2350.0, firmness=3.0e4, stringiness=1.3, **in_shear(700.0, 40.0, 1.0),
    ),
}  # fmt: skip
"""Presets by name. Real values vary with freshness, recipe and temperature; treat them as starting points. Yield is that of
tension, √3 times that of shear, as soft matter shows (Martinie, Buggisch, Willenbacher: Apparent elongational yield stress of
soft matter, J. Rheol. 57, 2013)."""
