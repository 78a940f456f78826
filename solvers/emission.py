"""Emitters: particles that flow out of a mesh, grow on it, or appear within it.

*Layers* (cross-section and surface): points that cover the mesh. Each time the flow has advanced by one spacing, a layer enters
at exactly the place it would have reached, so that a stream is a continuous lattice whatever the step. A smaller flow rate thins
the layers, point by point, by error diffusion: the volume is right at all times.

*Sites* (volume and fill): the lattice that fills the mesh. So many of them as the rate asks for get a particle where there is
room, in an order that looks random.
"""

from dataclasses import dataclass

import numpy as np

from .errors import InvalidScene
from .mesh import footprint, painted, surface_points
from .mesh.fill import fill
from .mesh.noise import hashed
from .mesh.triangles import area_vectors, corners_of, is_closed, volume, welded
from .scene import Emitter, WorldParams

_REFILL = 0.5
"""A volume that is kept full is looked at each time the flow, or what falls, could have moved by this part of a spacing."""
_RIGID = 1.0e-6
"""Motions that stretch by less only turn and move."""
_VANISHED = 1.0e-3
"""Least scale of an emitter, in that of the first frame."""


@dataclass
class Inlet:
    """Where a stream comes out, for kinds that are pushed out rather than dropped."""

    mouth: np.ndarray
    """Places of a layer, float64 (n, 3) [m]."""
    way: np.ndarray
    """Unit vectors (n, 3) along which the flow leaves each, all the same."""
    velocity: np.ndarray
    """Velocities (n, 3) of what leaves [m/s]."""
    speed: float
    """Of the flow in the nozzle [m/s]."""
    spacing: float
    """Between the particles of the stream [m]."""


@dataclass
class Births:
    """Particles to be added: position and velocity, float64 (n, 3)."""

    position: np.ndarray
    velocity: np.ndarray
    wanted: int | None = None
    """How many of them, the first that have room; None: all."""
    missed: bool = True
    """Whether those that find no room are counted as blocked."""


class Stream:
    """One emitter in time. `distance`, `layers` and `debt` are its state."""

    def __init__(self, emitter: Emitter, world: WorldParams, spacing: float) -> None:
        """`spacing` [m] between the particles that leave."""
        self.emitter = emitter
        self.world = world
        self.spacing = spacing
        self.distance = 0.0
        self.layers = 0
        self.blocked = 0.0
        """Particles that found no room so far."""
        self.share = 1.0
        """Of the speed that was asked for: less where nothing more goes through the mouth."""
        self._shapes: dict[tuple[int, bytes], tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        self._layered = emitter.params.source in ("flow", "surface")
        self._to_rest = np.linalg.inv(self._matrix(0.0))
        places, _, weight = self._places(0.0, np.eye(3))
        if len(places) == 0:
            raise InvalidScene(
                f"{emitter.name}: the emitter is smaller than the particle spacing ({spacing:g} m). "
                "Enlarge it or lower the spacing."
            )
        if not weight.any():
            raise InvalidScene(
                f"{emitter.name}: the vertex group {emitter.params.rate_group!r} has no weight on the side that the flow leaves. "
                "Paint it there, or choose another one beside Painted by."
            )
        self.debt = _phases(0, len(places)) if self._layered else np.zeros(1)

    def value(self, name: str, time: float):
        """A parameter at `time`, keyed frames interpolated."""
        keyed = self.emitter.animated.get(name)
        if keyed is None:
            return getattr(self.emitter.params, name)
        low, high, part = self._row(time, len(keyed))
        return (1.0 - part) * np.asarray(keyed[low], float) + part * np.asarray(keyed[high], float)

    def _row(self, time: float, rows: int) -> tuple[int, int, float]:
        place = time * self.world.frames_per_second
        low = int(np.clip(np.floor(place), 0, rows - 1))
        return low, min(low + 1, rows - 1), min(max(place - low, 0.0), 1.0)

    def _matrix(self, time: float) -> np.ndarray:
        motion = self.emitter.motion
        if motion is None:
            return np.eye(4)
        low, high, part = self._row(time, len(motion))
        return (1.0 - part) * motion[low] + part * motion[high]

    def _move(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rotation (3, 3), stretch (3, 3) and shift (3,) since the start: x → R S x + t.

        The stretch comes first and makes another mesh, which holds more or fewer particles: they keep their distance.
        """
        matrix = self._matrix(time) @ self._to_rest
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

    def _places(self, time: float, stretch: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points of the mesh in its shape at `time`, stretched, at its place at the start, float64 (n, 3), unit vectors that lead
        away from it there, and how full a layer is at each (n,): a stream's cross-section and a surface can be painted."""
        mesh, name = self.emitter.mesh, self.emitter.name
        frame = int(round(time * self.world.frames_per_second)) if mesh.deforming else 0
        shape = (frame, stretch.tobytes())
        if shape not in self._shapes:
            matrix = self._matrix(0.0)
            vertices = (mesh.at(frame) @ matrix[:3, :3].T + matrix[:3, 3]) @ stretch.T
            source, weights = self.emitter.params.source, self.emitter.weights.get("rate")
            full = None
            if source == "flow":
                fixed = self.emitter.params.aim == "fixed"
                way = self._rest_direction(0.0, stretch) if fixed else self._mean_normal(vertices)
                points = footprint(vertices, mesh.triangles, way, self.spacing, owner=name)
                away = np.broadcast_to(way, points.shape)
                if weights is not None:
                    full = painted(vertices, mesh.triangles, weights, way, points, owner=name)
            elif source == "surface":
                points = surface_points(vertices, mesh.triangles, self.spacing, self.world.seed, name)
                on = _lying_on(vertices, mesh.triangles, points)
                away = _normals(vertices, mesh.triangles)[on]
                if weights is not None:
                    full = _weights_at(vertices, mesh.triangles[on], weights, points)
            else:
                points = fill(vertices, mesh.triangles, self.spacing, owner=name)
                arm = points - points.mean(axis=0)
                away = arm / np.maximum(np.linalg.norm(arm, axis=1), 1.0e-30)[:, None]
            self._shapes = {shape: (points, away, np.ones(len(points)) if full is None else full)}
        return self._shapes[shape]

    def _mean_normal(self, vertices: np.ndarray) -> np.ndarray:
        """Unit normal of an open mesh as a whole."""
        total = area_vectors(corners_of(vertices, self.emitter.mesh.triangles)).sum(axis=0)
        length = float(np.linalg.norm(total))
        if length < 1.0e-6 * float(np.ptp(vertices, axis=0).max()) ** 2:
            raise InvalidScene(
                f"{self.emitter.name}: its normals point to all sides, so a stream along them has no direction. "
                "Use Surface, aim along a direction, or take an open mesh."
            )
        return total / length

    def _full(self, time: float) -> float:
        """Places of the layer at `time`, each as far as it is painted."""
        if "rate" not in self.emitter.weights:
            return float(len(self.debt))
        return float(self._places(time, self._move(time)[1])[2].sum())

    def mouth(self) -> np.ndarray:
        """Where particles come out at the start, float64 (n, 3) [m]."""
        return self._places(0.0, np.eye(3))[0]

    def _flow(self, time: float, full: float) -> tuple[float, float]:
        """Speed [m/s] of the layers and the share of each that is filled; `full`: places of a layer, as far as painted."""
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
        return self._next_layers(time, dt, active) if self._layered else self._next_sites(time, dt, active)

    def _next_layers(self, time: float, dt: float, active: float) -> Births | None:
        full = self._full(time)
        speed, share = self._flow(time, full)
        self.blocked += full * share * speed * (1.0 - self.share) * active / self.spacing
        speed *= self.share
        self.distance += speed * active
        due = int(np.floor(self.distance / self.spacing)) + (1 if speed > 0.0 else 0)
        if due <= self.layers:
            return None
        now = time + dt
        rotation, stretch, shift = self._move(now)
        layer, away, weight = self._places(now, stretch)
        # a mesh that deforms or is scaled may grow or shrink by some places
        self.debt = np.concatenate([self.debt[: len(layer)], _phases(len(self.debt), len(layer))])
        lattice = layer @ rotation.T + shift
        direction = self._ways(away, now, rotation, stretch)
        positions, ways = [], []
        while self.layers < due:
            ahead = self.distance - self.layers * self.spacing
            self.debt = self.debt + share * weight
            born = self.debt >= 1.0
            self.debt = self.debt - born
            positions.append(lattice[born] + ahead * direction[born])
            ways.append(direction[born])
            self.layers += 1
        position = np.concatenate(positions)
        return Births(position, speed * np.concatenate(ways) + self._inherited(position, now))

    def inlet(self, time: float) -> Inlet | None:
        """The mouth of a stream through a cross-section while it flows."""
        params = self.emitter.params
        if params.source != "flow" or not params.start <= time < params.end or not self.value("enabled", time):
            return None
        speed = self._flow(time, self._full(time))[0]
        if not speed > 0.0:
            return None
        rotation, stretch, shift = self._move(time)
        layer, away, _ = self._places(time, stretch)
        mouth = layer @ rotation.T + shift
        way = self._ways(away, time, rotation, stretch)
        return Inlet(mouth, way, speed * way + self._inherited(mouth, time), speed, self.spacing)

    def _ways(self, away: np.ndarray, time: float, rotation: np.ndarray, stretch: np.ndarray) -> np.ndarray:
        """Unit directions (n, 3) in which particles leave at `time`; `away` is of the stretched mesh that has not turned yet."""
        if self.emitter.params.aim == "fixed":
            return np.broadcast_to(rotation @ self._rest_direction(time, stretch), away.shape)
        return away @ rotation.T

    def _next_sites(self, time: float, dt: float, active: float) -> Births | None:
        """Of a volume: `distance` is the volume owed, in particles, or the way since it was last filled, in spacings."""
        now = time + dt
        speed, rate = float(self.value("speed", time)), float(self.value("rate", time))
        once = self.emitter.params.source == "fill"
        wanted = None
        if once:
            if self.layers:
                return None
        elif rate > 0.0:
            self.distance += rate * active / self.spacing**3
            wanted = int(self.distance)
            if wanted == 0:
                return None
            self.distance -= wanted
        else:
            gravity = float(np.linalg.norm(self.world.gravity))
            self.distance += active * max(speed, np.sqrt(gravity * self.spacing)) / self.spacing
            if self.layers and self.distance < _REFILL:
                return None
            self.distance = 0.0
        rotation, stretch, shift = self._move(now)
        sites, away, _ = self._places(now, stretch)
        order = np.argsort(hashed(np.arange(len(sites)).reshape(-1, 1), self.world.seed, self.layers), kind="stable")
        self.layers += 1
        position = sites[order] @ rotation.T + shift
        velocity = speed * self._ways(away[order], now, rotation, stretch) + self._inherited(position, now)
        return Births(position, velocity, wanted, missed=once or wanted is not None)

    def _inherited(self, position: np.ndarray, time: float) -> np.ndarray:
        share = float(self.value("inherit", time))
        if share == 0.0 or self.emitter.motion is None:
            return np.zeros_like(position)
        step = 0.5 / self.world.frames_per_second
        rest = (position - self._matrix(time)[:3, 3]) @ _inverse(self._matrix(time)[:3, :3]).T
        before, after = self._matrix(max(time - step, 0.0)), self._matrix(time + step)
        moved = rest @ (after - before)[:3, :3].T + (after - before)[:3, 3]
        return share * moved / (time + step - max(time - step, 0.0))

    def dump(self) -> dict[str, np.ndarray]:
        return {"flow": np.array([self.distance, self.layers, self.blocked]), "debt": self.debt}

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        self.distance, self.layers, self.blocked = float(arrays["flow"][0]), int(arrays["flow"][1]), float(arrays["flow"][2])
        self.debt = np.array(arrays["debt"])


def _inverse(matrix: np.ndarray) -> np.ndarray:
    """Inverse (3, 3). Libraries of linear algebra may take a millisecond for it, in every step."""
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    adjugate = np.array(
        [
            [e * i - f * h, c * h - b * i, b * f - c * e],
            [f * g - d * i, a * i - c * g, c * d - a * f],
            [d * h - e * g, b * g - a * h, a * e - b * d],
        ]
    )
    return adjugate / (a * adjugate[0, 0] + b * adjugate[1, 0] + c * adjugate[2, 0])


def _normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals of the triangles (m, 3), outwards if the mesh is closed."""
    vectors = area_vectors(corners_of(vertices, triangles))
    sign = -1.0 if is_closed(welded(vertices, triangles)) and volume(vertices, triangles) < 0.0 else 1.0
    return sign * vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1.0e-30)[:, None]


def _lying_on(vertices: np.ndarray, triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The triangle that each point (n, 3) lies on: in whose plane and outline it is, int64 (n,)."""
    corners = corners_of(vertices, triangles)
    vectors = area_vectors(corners)
    normal = vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1.0e-30)[:, None]
    result = np.empty(len(points), dtype=np.int64)
    for start in range(0, len(points), 256):
        part = points[start : start + 256, None]
        off = np.abs(np.einsum("ptk,tk->pt", part - corners[None, :, 0], normal))
        for corner in range(3):
            a, b = corners[:, corner], corners[:, (corner + 1) % 3]
            across = np.cross(normal, b - a)
            across /= np.maximum(np.linalg.norm(across, axis=1), 1.0e-30)[:, None]
            off += np.maximum(-np.einsum("ptk,tk->pt", part - a[None], across), 0.0)
        result[start : start + 256] = np.argmin(off, axis=1)
    return result


def _weights_at(vertices: np.ndarray, triangles: np.ndarray, weights: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Vertex weights (v,) at points (n, 3) that lie on the triangles (n, 3), linear in each, float64 (n,)."""
    corners = vertices[triangles]
    total = area_vectors(corners)
    size = np.maximum(np.sum(total * total, axis=1), 1.0e-60)
    share = np.empty((len(points), 3))
    for corner in range(3):
        part = corners.copy()
        part[:, corner] = points
        share[:, corner] = np.clip(np.sum(area_vectors(part) * total, axis=1) / size, 0.0, 1.0)
    return np.sum(share * weights[triangles], axis=1) / np.maximum(share.sum(axis=1), 1.0e-30)


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
