"""Settings of the body kind Water."""

from dataclasses import dataclass

from ..params import param


@dataclass(frozen=True)
class WaterParams:
    """Bulk liquid; with fine particles also the drops that it leaves."""

    density: float = param(
        1000.0,
        "Density",
        unit="kg/m³",
        low=1.0,
        high=3.0e4,
        soft=(500.0, 2000.0),
        help="Mass of one cubic metre; fresh water is 1000",
    )
    viscosity: float = param(
        1.0e-3, "Viscosity", unit="Pa·s", low=0.0, high=1.0e4, soft=(0.0, 10.0), help="Water 0.001, olive oil 0.08, honey 10"
    )
    tension: str = param(
        "auto",
        "Surface tension",
        help="Whether splashes leave drops that bead, hang and merge, by the colliders' contact angles",
        choices=[
            ("auto", "Automatic", "Where the particles are fine enough to show it: spacing up to 1.3 mm for water"),
            ("on", "On", "Always; particles act as drops of their size. Takes about twice the time"),
            ("off", "Off", "Never"),
        ],
    )
    surface_tension: float = param(
        0.0728,
        "Tension",
        unit="N/m",
        low=1.0e-4,
        high=10.0,
        soft=(0.01, 0.5),
        advanced=True,
        help="How strongly the surface pulls itself together: water 0.073, soapy water 0.025, mercury 0.49",
    )
    scheme: str = param(
        "incompressible",
        "Scheme",
        advanced=True,
        help="How pressure is found",
        choices=[
            ("incompressible", "Incompressible", "Divergence-free and constant-density: large steps, volume kept"),
            ("reference", "Weakly compressible", "The paper's explicit scheme: small steps, kept as the reference"),
        ],
    )
    tolerance: float = param(
        1.0e-3,
        "Density error",
        low=1.0e-5,
        high=0.1,
        advanced=True,
        help="Mean compression at which the incompressible solver is satisfied; 0.001 is 0.1 %",
    )
    stiffness_speed: float = param(
        0.0,
        "Speed of sound",
        unit="m/s",
        low=0.0,
        high=2.0e3,
        advanced=True,
        help="Reference scheme only. 0: ten times the fastest speed that gravity allows in the scene",
    )
    cfl: float = param(
        0.4,
        "Courant number",
        low=0.05,
        high=1.0,
        advanced=True,
        help="Farthest a particle moves in one step, in particle spacings",
    )
