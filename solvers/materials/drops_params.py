"""Settings of the body kind Drops, and what is known of real liquids."""

from dataclasses import dataclass

from ..params import param


@dataclass(frozen=True)
class DropsParams:
    """Liquid in the small, where surface tension rules: drops, puddles, dew, rain on glass."""

    density: float = param(
        998.0, "Density", unit="kg/m³", low=1.0, high=3.0e4, soft=(500.0, 2000.0), help="Mass of one cubic metre; water is 998"
    )
    surface_tension: float = param(
        0.0728,
        "Surface tension",
        unit="N/m",
        low=1.0e-4,
        high=10.0,
        soft=(0.01, 0.5),
        help="How strongly the surface pulls itself together: water 0.073, soapy water 0.025, mercury 0.49",
    )
    viscosity: float = param(
        1.0e-3, "Viscosity", unit="Pa·s", low=0.0, high=1.0e4, soft=(0.0, 10.0), help="Water 0.001, olive oil 0.08, honey 10"
    )
    scheme: str = param(
        "tension",
        "Scheme",
        advanced=True,
        help="How the liquid holds together",
        choices=[
            ("tension", "Surface tension", "Physical: density, tension, viscosity and contact angles as set"),
            ("paper", "Replication", "The paper's raw model with its own numbers; contact angles of colliders are ignored"),
        ],
    )
    calm: float = param(
        0.1,
        "Calming",
        low=0.0,
        high=10.0,
        soft=(0.0, 1.0),
        advanced=True,
        help="Least viscosity, in multiples of √(tension × spacing × density): lets drops come to rest; 0 leaves them ringing",
    )
    cfl: float = param(
        0.2, "Courant number", low=0.02, high=0.4, advanced=True, help="Farthest a particle moves between two looks at the walls"
    )
    rest_density: float = param(30.0, "Rest density", low=0.1, high=1.0e4, advanced=True, help="Replication: ρ₀ of (3.3)")
    pressure: float = param(0.04, "Pressure", low=0.0, high=1.0e6, advanced=True, help="Replication: k_pressure of (3.3)")
    near_pressure: float = param(0.1, "Near pressure", low=0.0, high=1.0e6, advanced=True, help="Replication: k_near of (3.6)")
    linear_viscosity: float = param(4.0, "Linear viscosity", low=0.0, high=1.0e6, advanced=True, help="Replication: σ of (3.8)")
    square_viscosity: float = param(8.0, "Square viscosity", low=0.0, high=1.0e6, advanced=True, help="Replication: β of (3.8)")
    interfacial: float = param(
        2.0, "Interfacial tension", low=-1.0e4, high=1.0e4, advanced=True, help="Replication: k_ift (3.12)"
    )
    threshold: int = param(80, "Threshold", low=1, high=10000, advanced=True, help="Replication: c of (3.12)")
    time_step: float = param(
        3.0e-5, "Time step", unit="s", low=1.0e-6, high=1.0e-2, advanced=True, help="Replication: Δt of the paper, 0.03 ms"
    )

    @property
    def capillary_length(self) -> float:
        """κ⁻¹ = √(γ/ρg) (3.10) [m] under the Earth's gravity."""
        return (self.surface_tension / (self.density * 9.81)) ** 0.5


@dataclass(frozen=True)
class DropsPreset:
    """A real liquid: its settings and where the numbers come from."""

    label: str
    params: DropsParams
    source: str
    ior: float
    """Index of refraction of its surface in a render; mercury is a mirror and has none that matters."""


def _preset(label: str, source: str, ior: float, **values: float) -> DropsPreset:
    return DropsPreset(label, DropsParams(**values), source, ior)  # type: ignore[arg-type]


PRESETS: dict[str, DropsPreset] = {
    "water": _preset(
        "Water", "Tables of water at 20 °C (surface tension 72.8 mN/m: IAPWS R1-76)", 1.333,
        density=998.0, surface_tension=0.0728, viscosity=1.0e-3,
    ),
    "soapy_water": _preset(
        "Soapy water", "Magnitude above the critical micelle concentration; chosen, not fitted to one soap", 1.333,
        density=998.0, surface_tension=0.025, viscosity=1.0e-3,
    ),
    "milk": _preset(
        "Milk",
        "Surface tension at 20 °C ± 2 mN/m: 'Surface tension of whole and skim-milk between 18 and 135 °C' (Bertsch); the rest "
        "are magnitudes of whole milk", 1.35,
        density=1030.0, surface_tension=0.0524, viscosity=2.0e-3,
    ),
    "honey": _preset(
        "Honey", "Magnitudes at 20 °C: 17 % of water give 10 Pa·s, 14 % 40, 20 % 2; viscosity falls tenfold when warm", 1.49,
        density=1420.0, surface_tension=0.055, viscosity=10.0,
    ),
    "mercury": _preset(
        "Mercury", "Tables of mercury at 20 °C; in air, surface tensions from 0.47 to 0.49 N/m are measured", 1.5,
        density=13546.0, surface_tension=0.486, viscosity=1.55e-3,
    ),
}  # fmt: skip
"""Presets by name."""
