"""Both halves of a hybrid scene as one state: what the world's loop and a checkpoint see."""

from collections.abc import Mapping

import numpy as np

from ..dem.state import GrainState
from ..state import State


class ZonedGrainState(GrainState):
    """Grains that know their zone, 0 discrete, 1 hybrid, and what others did to them since they last met the nodes [N s]."""

    def __init__(self) -> None:
        super().__init__()
        self.layout["zone"] = ("i4", 1)
        self.layout["impulse"] = ("f8", 3)
        self.layout["size"] = ("f4", 1)
        self.layout["affine"] = ("f8", 9)
        for name in ("zone", "impulse", "size", "affine"):
            self._arrays[name], self._other[name] = self._empty(name, 0), self._empty(name, 0)


class HybridState:
    """Grains and material points together."""

    def __init__(self, grains: GrainState, points: State) -> None:
        self.grains, self.points = grains, points
        self.clock = np.zeros(4)
        """Way [m] and steps since the last look of the oracle, how often it has looked, and calm frames in a row."""

    @property
    def count(self) -> int:
        return self.grains.count + self.points.count

    def live(self, name: str) -> np.ndarray:
        """An array that both have, grains first."""
        return np.concatenate([self.grains.live(name), self.points.live(name)], axis=-1)

    def dump(self) -> dict[str, np.ndarray]:
        arrays = {f"grain_{name}": value for name, value in self.grains.dump().items()}
        arrays |= {f"point_{name}": value for name, value in self.points.dump().items()}
        return arrays | {"clock": self.clock.copy()}

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.grains.load({name[6:]: value for name, value in arrays.items() if name.startswith("grain_")})
        self.points.load({name[6:]: value for name, value in arrays.items() if name.startswith("point_")})
        clock = np.asarray(arrays["clock"])
        self.clock = np.zeros(4)
        self.clock[: len(clock)] = clock  # older states know of no calm frames
