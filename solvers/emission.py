"""Emitters: layers of particles that flow out of a mesh.

A layer is a square lattice across the flow that covers the mesh's cross-section. Each time the flow has advanced by one
spacing, a layer enters at exactly the place it would have reached, so that the stream is a continuous lattice whatever
the step. A smaller flow rate thins the layers, point by point, by error diffusion: the volume is right at all times.
"""

from dataclasses import dataclass

import numpy as np

from .errors import InvalidScene
from .mesh import footprint, painted
from .scene import Emitter, WorldParams

_RIGID = 1.0e-6
"""Motions that stretch by less only turn and move."""
_VANISHED = 1.0e-3
"""Least scale of an emitter, in that of the first frame."""


@dataclass
class Births:
    """Particles to be added: position and velocity, float64 (n, 3)."""

    position: np.ndarray
    velocity: np.ndarray


class Stream:
    """One emitter in time. `distance`, `layers` and `debt` are its state."""

    def __init__(self, emitter: Emitter, world: WorldParams, spacing: float) -> None:
        """`spacing` [m] between the particles that leave."""
        self.emitter = emitter
        self.world = world
        self.spacing = spacing
        self.distance = 0.0
        self.layers = 0
        self.blocked = 0
        self._shapes: dict[tuple[int, bytes], tuple[np.ndarray, np.ndarray]] = {}
        lattice, weight = self._lattice(0.0)
        if len(lattice) == 0:
            raise InvalidScene(
                f"{emitter.name}: the emitter is smaller than the particle spacing ({spacing:g} m). "
                "Enlarge it or lower the spacing."
            )
        if not weight.any():
            raise InvalidScene(
                f"{emitter.name}: the vertex group {emitter.params.rate_group!r} has no weight on the side that the flow leaves. "
                "Paint it there, or choose another one beside Painted by."
            )
        self.debt = _phases(0, len(lattice))

    def value(self, name: str, time: float):
        """A parameter at `time`, keyed frames interpolated."""
        keyed = self.emitter.animated.get(name)
        if keyed is None:
            return getattr(self.emitter.params, name)
        place = time * self.world.frames_per_second
        low = int(np.clip(np.floor(place), 0, len(keyed) - 1))
        high = min(low + 1, len(keyed) - 1)
        part = min(max(place - low, 0.0), 1.0)
        return (1.0 - part) * np.asarray(keyed[low], float) + part * np.asarray(keyed[high], float)

    def _matrix(self, time: float) -> np.ndarray:
        motion = self.emitter.motion
        if motion is None:
            return np.eye(4)
        place = time * self.world.frames_per_second
        low = int(np.clip(np.floor(place), 0, len(motion) - 1))
        high = min(low + 1, len(motion) - 1)
        part = min(max(place - low, 0.0), 1.0)
        return (1.0 - part) * motion[low] + part * motion[high]

    def _move(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rotation (3, 3), stretch (3, 3) and shift (3,) since the start: x → R S x + t.

        The stretch comes first and makes another mesh, which holds more or fewer particles: they keep their distance.
        """
        matrix = self._matrix(time) @ np.linalg.inv(self._matrix(0.0))
        left, stretch, right = np.linalg.svd(matrix[:3, :3])
        if np.abs(stretch - 1.0).max() < _RIGID:
            return matrix[:3, :3], np.eye(3), matrix[:3, 3]
        if stretch.min() < _VANISHED:
            raise InvalidScene(
                f"{self.emitter.name}: its scale shrinks to {stretch.min():.2g} of that at the first frame. "
                "End the emission earlier, or stop scaling it at 1/100."
            )
        return left @ right, right.T @ np.diag(stretch) @ right, matrix[:3, 3]

    def _rest_direction(self, time: float, stretch: np.ndarray) -> np.ndarray:
        """Unit flow direction before the emitter turns; it is stretched with the mesh."""
        direction = stretch @ np.asarray(self.value("direction", time), float)
        length = float(np.linalg.norm(direction))
        if not length > 0.0:
            raise InvalidScene(f"{self.emitter.name}: the flow direction has no length; give it one component at least.")
        return direction / length

    def _lattice(self, time: float, stretch: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The layer of the mesh in its shape at `time` and its place at the start, float64 (n, 3), and how full it is (n,)."""
        mesh = self.emitter.mesh
        frame = int(round(time * self.world.frames_per_second)) if mesh.deforming else 0
        stretch = np.eye(3) if stretch is None else stretch
        shape = (frame, stretch.tobytes())
        if shape not in self._shapes:
            matrix = self._matrix(0.0)
            vertices = (mesh.at(frame) @ matrix[:3, :3].T + matrix[:3, 3]) @ stretch.T
            direction = self._rest_direction(0.0, stretch)
            layer = footprint(vertices, mesh.triangles, direction, self.spacing, owner=self.emitter.name)
            weights = self.emitter.weights.get("rate")
            full = np.ones(len(layer))
            if weights is not None:
                full = painted(vertices, mesh.triangles, weights, direction, layer, owner=self.emitter.name)
            self._shapes = {shape: (layer, full)}
        return self._shapes[shape]

    def _full(self, time: float) -> float:
        """Places of the layer at `time`, each as far as it is painted."""
        if "rate" not in self.emitter.weights:
            return float(len(self.debt))
        return float(self._lattice(time, self._move(time)[1])[1].sum())

    def mouth(self) -> np.ndarray:
        """Where particles come out at the start, float64 (n, 3) [m]."""
        return self._lattice(0.0)[0]

    def _flow(self, time: float, full: float) -> tuple[float, float]:
        """Speed [m/s] of the stream and the share of each layer that is filled; `full`: places of a layer, as far as painted."""
        speed = float(self.value("speed", time))
        rate = float(self.value("rate", time))
        area = full * self.spacing**2
        if rate <= 0.0:
            return speed, 1.0
        speed = max(speed, rate / area)
        return speed, rate / (area * speed)

    def advance(self, time: float, dt: float) -> Births | None:
        """What enters during [time, time + dt], as it stands at `time + dt`."""
        params = self.emitter.params
        active = min(time + dt, params.end) - max(time, params.start)
        if active <= 0.0 or not self.value("enabled", time):
            return None
        speed, share = self._flow(time, self._full(time))
        self.distance += speed * active
        due = int(np.floor(self.distance / self.spacing)) + (1 if speed > 0.0 else 0)
        if due <= self.layers:
            return None
        now = time + dt
        rotation, stretch, shift = self._move(now)
        layer, weight = self._lattice(now, stretch)
        # a mesh that deforms or is scaled may grow or shrink by some places
        self.debt = np.concatenate([self.debt[: len(layer)], _phases(len(self.debt), len(layer))])
        lattice = layer @ rotation.T + shift
        direction = rotation @ self._rest_direction(now, stretch)
        positions = []
        while self.layers < due:
            ahead = self.distance - self.layers * self.spacing
            self.debt = self.debt + share * weight
            born = self.debt >= 1.0
            self.debt = self.debt - born
            positions.append(lattice[born] + ahead * direction)
            self.layers += 1
        position = np.concatenate(positions)
        velocity = np.broadcast_to(speed * direction, position.shape) + self._inherited(position, now)
        return Births(position, velocity)

    def _inherited(self, position: np.ndarray, time: float) -> np.ndarray:
        share = float(self.value("inherit", time))
        if share == 0.0 or self.emitter.motion is None:
            return np.zeros_like(position)
        step = 0.5 / self.world.frames_per_second
        rest = (position - self._matrix(time)[:3, 3]) @ np.linalg.inv(self._matrix(time)[:3, :3]).T
        before, after = self._matrix(max(time - step, 0.0)), self._matrix(time + step)
        moved = rest @ (after - before)[:3, :3].T + (after - before)[:3, 3]
        return share * moved / (time + step - max(time - step, 0.0))

    def dump(self) -> dict[str, np.ndarray]:
        return {"flow": np.array([self.distance, self.layers, self.blocked]), "debt": self.debt}

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        self.distance, self.layers, self.blocked = float(arrays["flow"][0]), int(arrays["flow"][1]), int(arrays["flow"][2])
        self.debt = np.array(arrays["debt"])


def _phases(first: int, last: int) -> np.ndarray:
    """A low-discrepancy phase for each of the points first … last − 1, so that a thinned layer is spread evenly."""
    return np.modf(np.arange(first, max(first, last)) * 0.6180339887498949 + 0.5)[0]


def crowded(new: np.ndarray, present: np.ndarray, distance: float) -> np.ndarray:
    """Which of the `new` points (n, 3) have a `present` one (3, m) closer than `distance`: there is no room for them."""
    low, high = new.min(axis=0) - distance, new.max(axis=0) + distance
    close = np.all((present >= low[:, None]) & (present <= high[:, None]), axis=0)
    others = present[:, close].T.astype(np.float64)
    result = np.zeros(len(new), bool)
    if len(others) == 0:
        return result
    for start in range(0, len(new), 256):
        part = new[start : start + 256]
        squared = (part**2).sum(1)[:, None] + (others**2).sum(1)[None] - 2.0 * part @ others.T
        result[start : start + 256] = squared.min(axis=1) < distance**2
    return result
