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
SLAVES: dict[str, tuple[str, int]] = {
    "position": ("f8", 3),
    "velocity": ("f8", 3),
    "anchor": ("f8", 3),
    "body": ("i4", 1),
    "root": ("i4", 1),
}
"""`root`: 1 + id of a master of the piece of material that the slave carries (see `flesh`), 0 where it carries all in reach."""

TOUCHING: dict[str, tuple[str, int]] = {"first": ("i4", 1), "second": ("i4", 1), "grip": ("f8", 3), "slid": ("i4", 1)}
"""Pairs of masters, by id, that pressed on each other in the last step, in order; `grip`: how far the spring across is drawn."""


class SolidState(State):
    """The masters; slaves and pairs that touch ride along."""

    def __init__(self) -> None:
        super().__init__(MASTERS)
        self.slaves = State(SLAVES)
        self.touching = State(TOUCHING)

    def _parts(self) -> dict[str, State]:
        return {"slave_": self.slaves, "touching_": self.touching}

    def dump(self) -> dict[str, np.ndarray]:
        arrays = super().dump()
        for start, part in self._parts().items():
            arrays |= {start + name: value for name, value in part.dump().items()}
        return arrays

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        super().load(arrays)
        for start, part in self._parts().items():
            part.load({name.removeprefix(start): value for name, value in arrays.items() if name.startswith(start)})
