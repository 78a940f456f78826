"""One time loop over everything in a scene.

The world samples bodies, builds the walls, and carries all materials from frame to frame. A frame is the meeting point:
within it every material takes its own stable steps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, NamedTuple, Protocol

import numpy as np

from .depth import Depth
from .errors import InvalidScene
from .groups import Source, groups_of, outputs_of, params_of, sources_of
from .jit import fit_threads
from .limits import Leaves, Limits
from .materials import find
from .meet.company import Company, feels_bodies
from .meet.matter import Matter
from .meet.touch import Touch
from .mesh import check_mesh
from .mesh.fill import fill
from .params import validated
from .rigid import RigidBodies
from .room import buried, taken
from .scene import Body, Collider, Emitter, Scene, WorldParams
from .streams import Streams
from .walls import Walls
from .watch import Silent, Watch


class Member(NamedTuple):
    """A body or emitter as its solver sees it."""

    name: str
    params: Any
    output: str


class Solver(Protocol):
    """Simulates bodies and emitters of one kind: all, or those that can be mixed (`groups`).

    It may also have: `h`, the farthest wall its particles feel [m]; `survey(scene)`, called once before anything else;
    `fill(member, body, walls, watch)`, which returns position (n, 3) and other arrays for `add` instead of the lattice of
    `solvers.mesh.fill`; `fit(points, body, watch)`, which moves that lattice, (n, 3) [m], to fit the body where the artist wants
    no jitter; `spacing_of(member)`, the distance [m] between particles that leave an emitter; and `rigid`, the free colliders,
    which a solver that has this attribute pushes and moves in its steps; `mesh_names`, bodies whose own mesh it deforms, with
    `mesh(name)`, their vertices (v, 3) [m]; `end_frame()`, called when a frame is complete: what a checkpoint does not hold must
    not live on.
    """

    bytes_per_particle: int
    state: Any

    def add(self, member: int, position: np.ndarray, velocity: np.ndarray) -> None: ...
    def stable_dt(self, wall_speed: float) -> float: ...
    def step(self, walls: Walls, dt: float, watch: Watch) -> None: ...
    def matter(self) -> list[Matter]: ...
    def drop(self, leaves: Leaves) -> int: ...
    def points(self, members: Sequence[int]) -> dict[str, np.ndarray]: ...
    def totals(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Output:
    """One series of point and surface files."""

    name: str
    kind: str
    label: str
    spacing: float
    """Edge of the cube that one particle takes [m]: the scale of its surface."""
    weight: tuple[float, float, float] | None = None
    """Gravity × density / surface tension [1/m²] of a liquid that wets its walls, None for everything else."""


def _even_part(whole: float, most: float) -> float:
    """The largest even part of `whole` that is not longer than `most`."""
    return whole / max(1, int(np.ceil(whole / most - 1.0e-9)))


def _box_corners(vertices: np.ndarray) -> np.ndarray:
    """The eight corners of the box around vertices (n, 3), float64 (8, 3)."""
    sides = np.stack([vertices.min(axis=0), vertices.max(axis=0)], axis=1)
    return np.array(np.meshgrid(*sides, indexing="ij")).reshape(3, -1).T


class World:
    """A scene in motion."""

    def __init__(self, scene: Scene, watch: Watch | None = None) -> None:
        drains = tuple(collider for collider in scene.colliders if collider.params.drain)
        scene = self.scene = replace(scene, colliders=scene.walls)  # only the limits know of drains
        self.watch = watch or Silent()
        self.spacing = scene.world.spacing
        self.frame = scene.world.frame_start
        self.steps = 0
        self._sources = groups_of(sources_of(scene))
        self._outputs = outputs_of(sources_of(scene))
        if not self._sources:
            raise InvalidScene(f"{scene.name}: there is nothing to simulate. Mark at least one mesh as a body or an emitter.")
        self._centres, self._sizes = self._extents()
        self._solvers: dict[str, Solver] = {}
        self._members: dict[str, list[Member]] = {}
        for group, sources in self._sources.items():
            self._add_solver(group, sources)
        self.limits = Limits(drains, scene.world, self._solvers)
        self.rigid = self._free_colliders(scene)
        self.company = Company(scene, self._solvers, self.rigid)
        spacings = {emitter.name: self._emitter_spacing(emitter) for emitter in scene.emitters}
        self.streams = Streams(scene, spacings, self._places())
        self.walls = self._build_walls(scene.colliders)
        standing = tuple(collider for collider in scene.colliders if not collider.params.free)
        self.standing = self.walls if len(standing) == len(scene.colliders) else self._build_walls(standing)
        """The colliders that are not free: what kinds feel that meet free bodies particle by particle."""
        if self.rigid is not None and self.company.needs_touch:
            free = self._build_walls(tuple(collider for collider in scene.colliders if collider.params.free))
            self.company.touch = Touch(self.rigid, free, self.company.gravity)
        depth = self._depth()
        for holder in (*self._solvers.values(), self.rigid):
            if hasattr(holder, "depth"):
                holder.depth = depth  # type: ignore[union-attr]

    @property
    def solvers(self) -> Mapping[str, Any]:
        """The solver of every group."""
        return self._solvers

    def _depth(self) -> Depth | None:
        """Below what nothing is met; None where that may change."""
        gravity = np.asarray(self.scene.world.gravity, dtype=np.float64)
        strength = float(np.linalg.norm(gravity))
        standing = [collider for collider in self.scene.colliders if not collider.params.free]
        fixed = not self.standing.moving and all(collider.motion is None for collider in standing)
        if strength == 0.0 or not standing or not fixed:
            return None
        down = gravity / strength
        lowest = max(float((collider.mesh.at(0) @ down).max()) for collider in standing)
        # half the scene more, so that what is seen below it still falls in short steps
        return Depth(down.astype(np.float32), lowest + float(self._sizes[0]))

    def _extents(self) -> tuple[np.ndarray, np.ndarray]:
        """Centre (frames, 3) of everything in the scene and half its largest side (frames,) [m], up to each frame.

        Frames to come do not count: a range that is extended gives what one long bake would have given.
        """
        meshes = [(source.mesh, getattr(source, "motion", None)) for group in self._sources.values() for source in group]
        meshes += [(collider.mesh, collider.motion) for collider in self.scene.colliders]
        frames = max(1, self.scene.world.frame_end - self.scene.world.frame_start + 1)
        low, high = np.full((frames, 3), np.inf), np.full((frames, 3), -np.inf)
        for mesh, motion in meshes:
            shapes = mesh.vertices if mesh.deforming else mesh.vertices[None]
            for index in range(frames if mesh.deforming or motion is not None else 1):
                vertices = shapes[min(index, len(shapes) - 1)]
                if not mesh.deforming and motion is not None:
                    vertices = _box_corners(vertices)
                if motion is not None:
                    matrix = motion[min(index, len(motion) - 1)]
                    vertices = vertices @ matrix[:3, :3].T + matrix[:3, 3]
                low[index] = np.minimum(low[index], vertices.min(axis=0))
                high[index] = np.maximum(high[index], vertices.max(axis=0))
        low, high = np.minimum.accumulate(low), np.maximum.accumulate(high)
        return 0.5 * (low + high), np.maximum(0.5 * (high - low).max(axis=1), self.spacing)

    def _places(self) -> dict[str, tuple[str, int]]:
        """Source → its solver and which member of it the source is."""
        return {source.name: (group, index) for group, found in self._sources.items() for index, source in enumerate(found)}

    def _add_solver(self, group: str, sources: Sequence[Source]) -> None:
        material = find(sources[0].kind, sources[0].name)
        members = []
        for source in sources:
            check_mesh(source.mesh, source.name)
            members.append(Member(source.name, validated(params_of(source), source.name), self._outputs[source.name]))
        self._members[group] = members
        solver = material.load()(members, self.scene.world, 2.0 * float(self._sizes[0]))
        survey = getattr(solver, "survey", None)
        if survey is not None:
            survey(self.scene)
        self._solvers[group] = solver

    def _emitter_spacing(self, emitter: Emitter) -> float:
        """Distance between particles that leave an emitter [m]."""
        group, member = self._places()[emitter.name]
        own = getattr(self._solvers[group], "spacing_of", None)
        return self.spacing if own is None else own(member)

    def _free_colliders(self, scene: Scene) -> RigidBodies | None:
        """The free colliders; a solver that pushes them contact by contact in its own steps gets them."""
        if not any(collider.params.free for collider in scene.colliders):
            return None
        bodies = RigidBodies(scene.colliders)
        for solver in self._solvers.values():
            if hasattr(solver, "rigid"):
                solver.rigid = bodies  # type: ignore[attr-defined]
        return bodies

    def _build_walls(self, colliders: Sequence[Collider]) -> Walls:
        for collider in colliders:
            check_mesh(collider.mesh, collider.name)
        reach = max([getattr(solver, "h", 2.0 * self.spacing) for solver in self._solvers.values()])
        return Walls(
            colliders,
            reach=max(reach, self.company.reach),
            frames_per_second=self.scene.world.frames_per_second,
            frame_start=self.scene.world.frame_start,
            watch=self.watch,
        )

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Every series of files this scene writes."""
        found: dict[str, Output] = {}
        for group, members in self._members.items():
            for source, member in zip(self._sources[group], members, strict=True):
                material = find(source.kind, source.name)
                spacing = material.spacing(member.params, self.spacing)
                weight = getattr(self._solvers[group], "weight", None)
                found.setdefault(member.output, Output(member.output, source.kind, material.label, spacing, weight))
        return tuple(found.values())

    def start(self) -> None:
        """Fill the bodies: the state of the first frame."""
        self._pose(0.0, 0.0)
        if self.rigid is not None:
            self.rigid.check(self.walls)
        self.streams.check()
        for group, sources in self._sources.items():
            for index, source in enumerate(sources):
                if isinstance(source, Body):
                    self.watch.poll()
                    self._fill(self._solvers[group], index, source)
        self._guard(self.frame)

    def _fill(self, solver: Any, index: int, body: Body) -> None:
        own = getattr(solver, "fill", None)
        arrays = {"position": self._lattice(body)} if own is None else own(index, body, self.walls, self.watch)
        fit = getattr(solver, "fit", None)
        if fit is not None and self.scene.world.jitter == 0.0:
            arrays["position"] = fit(arrays["position"], body, self.watch)
        outside = ~buried(arrays["position"], self.scene.colliders)
        if not outside.any():
            raise InvalidScene(
                f"{body.name}: it lies wholly inside a collider. Move it out, or flip the collider's normals "
                "so that they face the material (a tank's normals point inwards)."
            )
        arrays = {name: values[outside] for name, values in arrays.items()}
        free = ~taken(arrays["position"], takewhile(lambda earlier: earlier is not body, self.scene.bodies))
        if not free.any():
            raise InvalidScene(f"{body.name}: other bodies fill its whole space already. Move the bodies apart.")
        if not free.all():
            arrays = {name: values[free] for name, values in arrays.items()}
        points, vertices = arrays.pop("position"), body.mesh.at(0)
        centre = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
        velocity = np.asarray(body.velocity) + np.cross(np.asarray(body.spin), points - centre)
        solver.add(index, points, velocity, **arrays)

    def _lattice(self, body: Body) -> np.ndarray:
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
        return points

    def advance(self, frame: int) -> None:
        """Simulate from the frame before to `frame`."""
        fit_threads(sum(solver.state.count for solver in self._solvers.values()))
        begin, end = self.scene.time_of(frame - 1), self.scene.time_of(frame)
        time = begin
        while time < end:
            self.watch.poll()
            left = end - time
            steps = self._stable_steps(time)
            dt = _even_part(left, self.company.interval(steps))
            arrival = end if dt == left else time + dt
            for group, solver in self._solvers.items():
                self.streams.drive(group, solver, time)
                self._carry(solver, time, arrival, steps[group])
            self.company.move_bodies(self.walls, dt)
            self.company.meet(self.standing if self.scene.colliders else None, dt)
            self.streams.emit(self._solvers, self.rigid, time, dt)
            self.limits.drain(self._solvers, arrival)
            time = arrival
            self.steps += 1
            self.watch.report(
                phase="simulating",
                done=(time - begin) / (end - begin),
                particles=sum(solver.state.count for solver in self._solvers.values()),
            )
        self._guard(frame)
        self.frame = frame

    def _pose(self, time: float, dt: float) -> None:
        """Walls at `time`, the end of a step of `dt`; free ones where they are now."""
        self.walls.pose(time, dt)
        if self.standing is not self.walls:
            self.standing.pose(time, dt)
        if self.rigid is not None:
            self.rigid.place(self.walls)

    def _stable_steps(self, time: float) -> dict[str, float]:
        """The largest stable step [s] of every solver."""
        wall_speed = max(self.walls.speed_at(time), self.rigid.fastest() if self.rigid is not None else 0.0)
        return {group: solver.stable_dt(wall_speed) for group, solver in self._solvers.items()}

    def _carry(self, solver: Solver, time: float, arrival: float, stable: float) -> None:
        """One kind from `time` to `arrival` in even steps of its own."""
        count = max(1, int(np.ceil((arrival - time) / stable - 1.0e-9)))
        dt = (arrival - time) / count
        for step in range(1, count + 1):
            self._pose(arrival if step == count else time + step * dt, dt)
            solver.step(self.walls if feels_bodies(solver) else self.standing, dt, self.watch)

    def _guard(self, frame: int) -> None:
        """Forget what has left the scene for good."""
        index = min(max(frame - self.scene.world.frame_start, 0), len(self._sizes) - 1)
        self.limits.guard(self._solvers, self._centres[index], float(self._sizes[index]))
        for solver in self._solvers.values():
            getattr(solver, "end_frame", lambda: None)()

    def points(self, output: str) -> dict[str, np.ndarray]:
        """The point cache of one output at the present frame."""
        parts = []
        for group, members in self._members.items():
            chosen = [index for index, member in enumerate(members) if member.output == output]
            if chosen:
                parts.append(self._solvers[group].points(chosen))
        shared = [name for name in parts[0] if all(name in part for part in parts)]
        return {name: np.concatenate([part[name] for part in parts]) for name in shared}

    @property
    def mesh_names(self) -> tuple[str, ...]:
        """Bodies whose own mesh is written as it deforms."""
        return tuple(name for solver in self._solvers.values() for name in getattr(solver, "mesh_names", ()))

    def mesh(self, name: str) -> np.ndarray:
        """Vertices [m], float32 (v, 3), of a body's own mesh at the present frame."""
        solvers: list[Any] = [solver for solver in self._solvers.values() if name in getattr(solver, "mesh_names", ())]
        return solvers[0].mesh(name)

    def totals(self) -> dict[str, Any]:
        """Conserved quantities of the whole scene at the present frame, for the manifest."""
        each = [solver.totals() for solver in self._solvers.values()]
        special = {name: value for part in each for name, value in part.items() if name in ("grains", "grains_saved")}
        return special | {
            "particles": sum(part["particles"] for part in each),
            "mass": sum(part["mass"] for part in each),
            "momentum": [sum(part["momentum"][axis] for part in each) for axis in range(3)],
            "kinetic_energy": sum(part["kinetic_energy"] for part in each),
            "potential_energy": sum(part["potential_energy"] for part in each),
            **self.limits.totals(),
            "blocked": self.streams.blocked,
            "steps": self.steps,
            **{f"pose {name}": pose for name, pose in (self.rigid.poses() if self.rigid is not None else {}).items()},
        }

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Everything needed to go on from the present frame."""
        arrays: dict[str, np.ndarray] = {"world": np.array([self.frame, self.steps], np.int64)}
        arrays.update({f"limits/{name}": value for name, value in self.limits.dump().items()})
        if self.rigid is not None:
            arrays["rigid"] = self.rigid.state.copy()
            arrays["late"] = self.company.late.copy()
        for group, solver in self._solvers.items():
            arrays.update({f"{group}/{name}": value for name, value in solver.state.dump().items()})
        arrays.update({f"streams/{name}": value for name, value in self.streams.dump().items()})
        return arrays

    def restore(self, arrays: Mapping[str, np.ndarray], frame: int) -> None:
        """Go on from a checkpoint of `frame`."""
        self.frame, self.steps = int(arrays["world"][0]), int(arrays["world"][1])
        if self.frame != frame:
            raise InvalidScene(
                f"{self.scene.name}: the checkpoint is of frame {self.frame}, not {frame}; bake again from the start."
            )

        def part(prefix: str) -> dict[str, np.ndarray]:
            return {name[len(prefix) :]: value for name, value in arrays.items() if name.startswith(prefix)}

        self.limits.load(part("limits/"))
        if self.rigid is not None:
            self.rigid.state[:] = arrays["rigid"]
            self.company.late[:] = arrays["late"]
        for group, solver in self._solvers.items():
            solver.state.load(part(f"{group}/"))
        self.streams.load(part("streams/"))
        self._pose(self.scene.time_of(frame), 0.0)


__all__ = ["Member", "Output", "Solver", "World", "WorldParams"]
