"""One time loop over everything in a scene.

The world samples bodies, builds the walls, and carries all materials from frame to frame. A frame is the meeting point:
within it every material takes its own stable steps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from .emission import Stream, crowded
from .errors import InvalidScene
from .jit import fit_threads
from .materials import find
from .mesh import check_mesh
from .mesh.fill import fill
from .params import validated
from .scene import Body, Emitter, Scene, WorldParams
from .walls import Walls
from .watch import Silent, Watch

_ROOM = 0.7
"""An emitted particle needs this many spacings to its nearest neighbour."""
_LIMIT_FACTOR, _LEAST_LIMIT = 20.0, 100.0


class Member(NamedTuple):
    """A body or emitter as its solver sees it."""

    name: str
    params: Any
    output: str


class Solver(Protocol):
    """Simulates all bodies and emitters of one kind."""

    bytes_per_particle: int
    state: Any

    def add(self, member: int, position: np.ndarray, velocity: np.ndarray) -> None: ...
    def stable_dt(self, wall_speed: float) -> float: ...
    def step(self, walls: Walls, dt: float, watch: Watch) -> None: ...
    def drop_outside(self, centre: np.ndarray, limit: float) -> int: ...
    def points(self, members: Sequence[int]) -> dict[str, np.ndarray]: ...
    def totals(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Output:
    """One series of point and surface files."""

    name: str
    kind: str
    label: str


def output_name(source: Body | Emitter) -> str:
    """The series a body or emitter is written to: its own choice, the kind's shared one, or its name."""
    material = find(source.kind, source.name)
    return source.output or (material.label if material.shared_surface else source.name)


class World:
    """A scene in motion."""

    def __init__(self, scene: Scene, watch: Watch | None = None) -> None:
        self.scene = scene
        self.watch = watch or Silent()
        self.spacing = scene.world.spacing
        self.frame = scene.world.frame_start
        self.dropped = 0
        self.steps = 0
        self._sources: dict[str, list[Body | Emitter]] = {}
        for source in (*scene.bodies, *scene.emitters):
            self._sources.setdefault(source.kind, []).append(source)
        if not self._sources:
            raise InvalidScene(f"{scene.name}: there is nothing to simulate. Mark at least one mesh as a body or an emitter.")
        self._centre, self._size = self._extent()
        self._solvers: dict[str, Solver] = {}
        self._members: dict[str, list[Member]] = {}
        for kind, sources in self._sources.items():
            self._add_solver(kind, sources)
        self._streams = [Stream(emitter, scene.world) for emitter in scene.emitters]
        self.walls = self._build_walls(scene)

    def _extent(self) -> tuple[np.ndarray, float]:
        """Centre of everything in the scene and half its largest side [m]."""
        meshes = [(source.mesh, getattr(source, "motion", None)) for group in self._sources.values() for source in group]
        meshes += [(collider.mesh, collider.motion) for collider in self.scene.colliders]
        corners = []
        for mesh, motion in meshes:
            vertices = mesh.vertices.reshape(-1, 3)
            box = np.array(np.meshgrid(*np.stack([vertices.min(0), vertices.max(0)], 1), indexing="ij")).reshape(3, -1).T
            for matrix in motion if motion is not None else [np.eye(4)]:
                corners.append(box @ matrix[:3, :3].T + matrix[:3, 3])
        points = np.concatenate(corners)
        low, high = points.min(axis=0), points.max(axis=0)
        return 0.5 * (low + high), float(max((high - low).max() * 0.5, self.spacing))

    def _add_solver(self, kind: str, sources: Sequence[Body | Emitter]) -> None:
        material = find(kind, sources[0].name)
        members = []
        for source in sources:
            check_mesh(source.mesh, source.name)
            params = source.params if isinstance(source, Body) else source.material
            params = validated(material.params() if params is None else params, source.name)
            members.append(Member(source.name, params, output_name(source)))
        self._members[kind] = members
        self._solvers[kind] = material.load()(members, self.scene.world, 2.0 * self._size)

    def _build_walls(self, scene: Scene) -> Walls:
        for collider in scene.colliders:
            check_mesh(collider.mesh, collider.name)
        reach = max([getattr(solver, "h", 2.0 * self.spacing) for solver in self._solvers.values()])
        return Walls(
            scene.colliders,
            reach=reach,
            frames_per_second=scene.world.frames_per_second,
            frame_start=scene.world.frame_start,
            watch=self.watch,
        )

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Every series of files this scene writes."""
        found: dict[str, Output] = {}
        for kind, members in self._members.items():
            for member in members:
                found.setdefault(member.output, Output(member.output, kind, find(kind, member.name).label))
        return tuple(found.values())

    def start(self) -> None:
        """Fill the bodies: the state of the first frame."""
        self.walls.pose(0.0, 0.0)
        for kind, sources in self._sources.items():
            for index, source in enumerate(sources):
                if isinstance(source, Body):
                    self.watch.poll()
                    self._solvers[kind].add(index, *self._filled(source))
        self._guard()

    def _filled(self, body: Body) -> tuple[np.ndarray, np.ndarray]:
        world = self.scene.world
        vertices = body.mesh.at(0)
        points = fill(vertices, body.mesh.triangles, world.spacing, jitter=world.jitter, seed=world.seed, owner=body.name)
        if self.scene.colliders:
            outside = self.walls.signed_distance(points.astype(np.float32), 0.5 * self.spacing) > 0.0
            if not outside.any():
                raise InvalidScene(
                    f"{body.name}: it lies wholly inside a collider. Move it out, or flip the collider's normals "
                    "so that they face the material (a tank's normals point inwards)."
                )
            points = points[outside]
        centre = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
        velocity = np.asarray(body.velocity) + np.cross(np.asarray(body.spin), points - centre)
        return points, velocity

    def advance(self, frame: int) -> None:
        """Simulate from the frame before to `frame`."""
        fit_threads(sum(solver.state.count for solver in self._solvers.values()))
        begin, end = self.scene.time_of(frame - 1), self.scene.time_of(frame)
        time = begin
        while time < end:
            self.watch.poll()
            left = end - time
            dt = self._step_length(time, left)
            arrival = end if dt == left else time + dt
            self.walls.pose(arrival, dt)
            for solver in self._solvers.values():
                solver.step(self.walls, dt, self.watch)
            self._emit(time, dt)
            time = arrival
            self.steps += 1
            self.watch.report(
                phase="simulating",
                done=(time - begin) / (end - begin),
                particles=sum(solver.state.count for solver in self._solvers.values()),
            )
        self._guard()
        self.frame = frame

    def _step_length(self, time: float, left: float) -> float:
        """A stable step that divides what is left of the frame evenly."""
        wall_speed = self.walls.speed_at(time)
        dt = min(solver.stable_dt(wall_speed) for solver in self._solvers.values())
        return left / max(1, int(np.ceil(left / dt - 1.0e-9)))

    def _emit(self, time: float, dt: float) -> None:
        for stream in self._streams:
            births = stream.advance(time, dt)
            if births is None or len(births.position) == 0:
                continue
            kind = stream.emitter.kind
            solver = self._solvers[kind]
            room = ~crowded(births.position, solver.state.live("position"), _ROOM * self.spacing)
            stream.blocked += int(np.count_nonzero(~room))
            solver.add(self._sources[kind].index(stream.emitter), births.position[room], births.velocity[room])

    def _guard(self) -> None:
        """Forget what has left the scene for good."""
        limit = self.scene.world.world_limit or max(_LIMIT_FACTOR * self._size, _LEAST_LIMIT)
        for solver in self._solvers.values():
            self.dropped += solver.drop_outside(self._centre, limit)

    def points(self, output: str) -> dict[str, np.ndarray]:
        """The point cache of one output at the present frame."""
        parts = []
        for kind, members in self._members.items():
            chosen = [index for index, member in enumerate(members) if member.output == output]
            if chosen:
                parts.append(self._solvers[kind].points(chosen))
        shared = [name for name in parts[0] if all(name in part for part in parts)]
        return {name: np.concatenate([part[name] for part in parts]) for name in shared}

    def totals(self) -> dict[str, Any]:
        """Conserved quantities of the whole scene at the present frame, for the manifest."""
        each = [solver.totals() for solver in self._solvers.values()]
        return {
            "particles": sum(part["particles"] for part in each),
            "mass": sum(part["mass"] for part in each),
            "momentum": [sum(part["momentum"][axis] for part in each) for axis in range(3)],
            "kinetic_energy": sum(part["kinetic_energy"] for part in each),
            "potential_energy": sum(part["potential_energy"] for part in each),
            "dropped": self.dropped,
            "blocked": sum(stream.blocked for stream in self._streams),
            "steps": self.steps,
        }

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Everything needed to go on from the present frame."""
        arrays = {"world": np.array([self.frame, self.dropped, self.steps], np.int64)}
        for kind, solver in self._solvers.items():
            arrays.update({f"{kind}/{name}": value for name, value in solver.state.dump().items()})
        for index, stream in enumerate(self._streams):
            arrays.update({f"stream{index}/{name}": value for name, value in stream.dump().items()})
        return arrays

    def restore(self, arrays: Mapping[str, np.ndarray], frame: int) -> None:
        """Go on from a checkpoint of `frame`."""
        self.frame, self.dropped, self.steps = int(arrays["world"][0]), int(arrays["world"][1]), int(arrays["world"][2])
        if self.frame != frame:
            raise InvalidScene(
                f"{self.scene.name}: the checkpoint is of frame {self.frame}, not {frame}; bake again from the start."
            )

        def part(prefix: str) -> dict[str, np.ndarray]:
            return {name[len(prefix) :]: value for name, value in arrays.items() if name.startswith(prefix)}

        for kind, solver in self._solvers.items():
            solver.state.load(part(f"{kind}/"))
        for index, stream in enumerate(self._streams):
            stream.load(part(f"stream{index}/"))
        self.walls.pose(self.scene.time_of(frame), 0.0)


__all__ = ["Member", "Output", "Solver", "World", "WorldParams", "output_name"]
