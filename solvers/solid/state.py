"""Masters and slaves as one state: what a checkpoint holds."""

from collections.abc import Mapping

import numpy as np

from ..state import State

MASTERS: dict[str, tuple[str, int]] = {
    "position": ("f8", 3),
    "velocity": ("f8", 3),
    "told": ("f8", 3),
    "gradient": ("f8", 9),
    "elastic": ("f8", 9),
    "plastic_volume": ("f8", 1),
    "plastic": ("f8", 1),
    "drawn": ("f8", 1),
    "torn": ("i4", 1),
    "mass": ("f8", 1),
    "volume": ("f8", 1),
    "rest": ("f8", 3),
    "anchor": ("f8", 3),
    "grip": ("f8", 3),
    "held": ("i4", 1),
    "age": ("f4", 1),
    "id": ("i4", 1),
    "body": ("i4", 1),
}
"""`told`: velocity as the solver left it; what differs was given by other kinds. `held`: number + 1 of the collider a master is
glued to, `contact.SLID` if it slid, else 0. Double precision: deformation is the sum of many small steps, and a stiff body feels
the seventh digit."""
SLAVES: dict[str, tuple[str, int]] = {"position": ("f8", 3), "velocity": ("f8", 3), "anchor": ("f8", 3), "body": ("i4", 1)}


class SolidState(State):
    """The masters; the slaves ride along."""

    def __init__(self) -> None:
        super().__init__(MASTERS)
        self.slaves = State(SLAVES)

    def dump(self) -> dict[str, np.ndarray]:
        return super().dump() | {f"slave_{name}": value for name, value in self.slaves.dump().items()}

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        super().load(arrays)
        self.slaves.load({name[6:]: value for name, value in arrays.items() if name.startswith("slave_")})
