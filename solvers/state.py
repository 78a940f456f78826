"""The arrays that make up a material's particles: what a checkpoint holds.

Vectors are stored by component, shape (3, capacity), so that one component of neighbouring particles lies together
in memory. Eight spare elements follow the last particle: kernels may read (never use) them.
"""

from collections.abc import Mapping

import numpy as np

SPARE = 8


class State:
    """Named particle arrays that grow, shrink and are reordered together."""

    def __init__(self, layout: Mapping[str, tuple[str, int]]) -> None:
        """`layout`: name → (dtype, components); 1 component is a flat array."""
        self.layout = dict(layout)
        self.count = 0
        self.next_id = 0
        self._arrays = {name: self._empty(name, 0) for name in self.layout}
        self._other = {name: self._empty(name, 0) for name in self.layout}

    def _empty(self, name: str, capacity: int) -> np.ndarray:
        dtype, components = self.layout[name]
        size = capacity + SPARE
        return np.zeros(size if components == 1 else (components, size), dtype=dtype)

    def __getitem__(self, name: str) -> np.ndarray:
        """The whole array, spare elements included; a view that stays valid until the next append or reorder."""
        return self._arrays[name]

    def live(self, name: str) -> np.ndarray:
        """The elements in use, (n,) or (components, n)."""
        return self._arrays[name][..., : self.count]

    @property
    def capacity(self) -> int:
        return self._arrays[next(iter(self.layout))].shape[-1] - SPARE

    def reserve(self, capacity: int) -> None:
        if capacity <= self.capacity:
            return
        for name in self.layout:
            grown = self._empty(name, capacity)
            grown[..., : self.count] = self.live(name)
            self._arrays[name] = grown
            self._other[name] = self._empty(name, capacity)

    def append(self, values: Mapping[str, np.ndarray]) -> None:
        """Add particles; arrays not named start at zero. Ids are given in order of birth."""
        added = next(iter(values.values())).shape[-1]
        total = self.count + added
        if total > self.capacity:
            self.reserve(max(total, int(self.capacity * 1.25)))
        for name in self.layout:
            fresh = self._arrays[name][..., self.count : total]
            fresh[...] = values[name] if name in values else 0
        if "id" in self.layout:
            self._arrays["id"][self.count : total] = np.arange(self.next_id, self.next_id + added)
        self.next_id += added
        self.count = total

    def keep(self, mask: np.ndarray) -> None:
        """Drop the particles where `mask` is false, keeping the order of the others."""
        kept = int(np.count_nonzero(mask))
        for name in self.layout:
            self._arrays[name][..., :kept] = self.live(name)[..., mask]
        self.count = kept

    def spare_arrays(self) -> dict[str, np.ndarray]:
        """Arrays of the same shape to gather a reordered state into; `swap` makes them current."""
        return self._other

    def swap(self) -> None:
        self._arrays, self._other = self._other, self._arrays

    def dump(self) -> dict[str, np.ndarray]:
        """Everything needed to continue, without the spare elements."""
        arrays = {name: self.live(name).copy() for name in self.layout}
        arrays["next_id"] = np.array([self.next_id], dtype=np.int64)
        return arrays

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        count = arrays[next(iter(self.layout))].shape[-1]
        self.count = 0
        self.reserve(count)
        self.count = count
        for name in self.layout:
            self._arrays[name][..., :count] = arrays[name]
        self.next_id = int(arrays["next_id"][0])
