"""The grains of a scene: arrays that a checkpoint holds, the memory of their contacts included."""

from collections.abc import Callable, Mapping

import numpy as np

from ..state import State
from .neighbours import Contacts, no_contacts, renumbered
from .wall_contact import MEMORY_COLUMNS


class GrainState(State):
    """Grains by component. Positions, velocities and spins are float64: overlaps are small differences of positions, and
    a heap at rest moves by less than float32 can add to a velocity. `asked` is where a grain last asked for walls: one that
    hardly moves asks at the same place, gets the same planes to the last bit, and comes to rest."""

    def __init__(self) -> None:
        super().__init__(
            {
                "position": ("f8", 3),
                "velocity": ("f8", 3),
                "spin": ("f8", 3),
                "orientation": ("f4", 4),
                "radius": ("f4", 1),
                "weight": ("f4", 1),
                "id": ("i4", 1),
                "body": ("i4", 1),
                "age": ("f4", 1),
                "fixed": ("i4", 1),
                "wall_row": ("i4", 1),
                "asked": ("f4", 3),
            }
        )
        self.contacts: Contacts = no_contacts()
        """Memory of the contacts while no list holds it."""
        self.wall_memory = np.zeros((0, 3, MEMORY_COLUMNS))
        """Memory of wall contacts; `wall_row` tells a grain's row."""
        self.collect: Callable[[], None] = lambda: None
        """Called before anybody looks at `contacts`: brings the memory home from the list."""

    def keep(self, mask: np.ndarray) -> None:
        self.collect()
        new_index = np.where(mask, np.cumsum(mask) - 1, -1)
        self.contacts = renumbered(self.contacts, new_index)
        super().keep(mask)

    def dump(self) -> dict[str, np.ndarray]:
        self.collect()
        arrays = super().dump()
        arrays |= {"contact_first": self.contacts.first, "contact_second": self.contacts.second}
        arrays |= {"contact_spring": self.contacts.spring, "wall_memory": self.wall_memory.copy()}
        return arrays

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        super().load(arrays)
        names = ("contact_first", "contact_second", "contact_spring")
        self.contacts = Contacts(*(np.array(arrays[name]) for name in names))
        self.wall_memory = np.array(arrays["wall_memory"])
