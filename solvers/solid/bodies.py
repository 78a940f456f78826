"""What the members of a solver are: materials, spacings and rules, by member."""

from collections.abc import Sequence

import numpy as np

from ..errors import InvalidScene
from ..materials.solid_params import SolidParams, lame, slave_spacing
from ..world import Member
from . import law, layout

_CONTACT = 2.0
"""Stiffness of contacts in (λ + 2µ) · spacing: half a spacing of material on one particle's area."""
_REMEMBERS_FROM = 1.5
"""Slave spacing in particle spacings from which a body may remember its shape: with about one master a slave, alternating
velocities of slaves would strain no master and stay for ever; the paper's transfer through the masters removes them."""
_COMMON = ("implicitness", "liveliness")


def material_row(params: SolidParams) -> list[float]:
    """A row of the law's table, see `law`."""
    mu, lam = lame(params)
    squeeze, stretch = (params.squeeze_yield, params.stretch_yield) if params.plastic else (law.NEVER, law.NEVER)
    return [mu, lam, squeeze, stretch, params.hardening, params.density, float(params.keep_volume), params.toughness]


class Bodies:
    """Arrays by member; nothing here changes once the scene is known."""

    def __init__(self, members: Sequence[Member], spacing: float) -> None:
        """Particle spacing [m]."""
        self.names = tuple(member.name for member in members)
        self.settings: tuple[SolidParams, ...] = tuple(member.params for member in members)
        first = self.settings[0]
        for member in members:
            for name in _COMMON:
                if getattr(member.params, name) != getattr(first, name):
                    raise InvalidScene(
                        f"{member.name}: {name} is {getattr(member.params, name):g}, but {members[0].name} has "
                        f"{getattr(first, name):g}; all solids of a scene need the same."
                    )
        self.implicitness, self.liveliness = first.implicitness, first.liveliness
        self.spacing = spacing
        self.slave_spacing = np.array([slave_spacing(entry) for entry in self.settings]) * spacing
        """Distance between slaves [m]."""
        self.reach = layout.REACH * self.slave_spacing
        """Kernel radius h [m]: how far a master sees slaves."""
        self.table = np.array([material_row(entry) for entry in self.settings])
        modulus = self.table[:, law.LAMBDA] + 2.0 * self.table[:, law.MU]
        self.sound = float(np.sqrt(modulus / self.table[:, law.DENSITY]).max())
        """Speed of the fastest elastic wave [m/s]."""
        self.contact_stiffness = _CONTACT * modulus * spacing
        """Of contact springs [N/m]."""
        self.friction = np.array([entry.friction for entry in self.settings])
        self.flows = np.array([entry.plastic for entry in self.settings])
        """Members with Dents."""
        self.emitted = np.zeros(len(members), bool)
        """Members that emitters feed."""
        coarse = self.slave_spacing >= _REMEMBERS_FROM * spacing
        self.remembers = ~self.flows & coarse & np.array([entry.scheme == "rest" for entry in self.settings])
        """Members that remember their rest shape (total Lagrangian); the others follow the paper (updated Lagrangian)."""

    def feed(self, names: set[str]) -> None:
        """Members that emitters feed grow: their neighbours are searched in the present shape."""
        self.emitted[...] = [name in names for name in self.names]
        self.remembers &= ~self.emitted

    @property
    def renewed(self) -> np.ndarray:
        """Members whose neighbours are those of the present shape, bool."""
        return self.flows | self.emitted
