"""Where particles leave a scene for good: drains that swallow, an optional box around the world, and infinity.

Whatever is lost is counted by kind, and by drain. Ids of the others stay as they are.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .enclosure import Enclosure
from .scene import Collider, WorldParams

_LIMIT_FACTOR, _LEAST_LIMIT = 20.0, 100.0

Leaves = Callable[[np.ndarray], np.ndarray]
"""Which of the places (3, n) [m] are where nobody stays, bool (n,)."""


class Limits:
    """The drains and limits of a scene, and what they have taken so far."""

    def __init__(self, colliders: Iterable[Collider], world: WorldParams, kinds: Iterable[str]) -> None:
        self._world = world
        self._drains = [Enclosure(collider, world.frames_per_second) for collider in colliders if collider.params.drain]
        self._kinds = tuple(kinds)
        self.swallowed = np.zeros((len(self._drains), len(self._kinds)), np.int64)
        """Particles by drain and kind."""
        self.dropped = np.zeros(len(self._kinds), np.int64)
        """Particles by kind that have left the world."""

    def drain(self, solvers: Mapping[str, Any], time: float) -> None:
        """Swallow what is in a drain at `time` [s]."""
        for row, drain in enumerate(self._drains):
            if drain.is_on(time):
                for column, solver in enumerate(solvers.values()):
                    if solver.state.count:
                        self.swallowed[row, column] += solver.drop(lambda place, drain=drain: drain.inside(place, time))

    def guard(self, solvers: Mapping[str, Any], centre: np.ndarray, size: float) -> None:
        """Forget what has left the box of the world, or gone far beyond a scene of half the size `size` around `centre` [m]."""
        limit = self._world.world_limit or max(_LIMIT_FACTOR * size, _LEAST_LIMIT)
        middle, half = np.asarray(self._world.box_centre, float), 0.5 * np.asarray(self._world.box_size, float)
        half[half <= 0.0] = np.inf  # an axis without a length has no limit

        def leaves(place: np.ndarray) -> np.ndarray:
            near = np.abs(place - centre[:, None]).max(axis=0, initial=0.0) <= limit
            return ~(near & (np.abs(place - middle[:, None]) <= half[:, None]).all(axis=0))

        for column, solver in enumerate(solvers.values()):
            self.dropped[column] += solver.drop(leaves)

    def totals(self) -> dict[str, Any]:
        """For the manifest: how many particles are gone, and where to."""
        drains = {f"swallowed by {drain.name}": int(row.sum()) for drain, row in zip(self._drains, self.swallowed, strict=True)}
        lost = {f"dropped {kind}": int(count) for kind, count in zip(self._kinds, self.dropped, strict=True) if count}
        return {"dropped": int(self.dropped.sum()), "swallowed": int(self.swallowed.sum()), **drains, **lost}

    def dump(self) -> dict[str, np.ndarray]:
        return {"swallowed": self.swallowed.copy(), "dropped": self.dropped.copy()}

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.swallowed[:], self.dropped[:] = arrays["swallowed"], arrays["dropped"]
