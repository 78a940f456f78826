"""All emitters of a scene: what is born where there is room, of whatever kind."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .emission import Stream, crowded
from .enclosure import Enclosure
from .errors import InvalidScene
from .mesh import is_closed, volume, welded
from .mesh.winding import make_solid
from .rigid import RigidBodies
from .scene import Collider, Emitter, Scene

_ROOM = 0.7
"""An emitted particle needs this many spacings to its nearest neighbour."""
_PUSHED_ROOM = 0.3
"""The same where a solver pushes its material out of nozzles: who is still in the mouth is on the way out."""


class Streams:
    """The emitters of a scene in time."""

    def __init__(self, scene: Scene, spacings: Mapping[str, float], members: Mapping[str, tuple[str, int]]) -> None:
        """Distance between the particles that leave each emitter [m], its solver and which member of it it is, by name."""
        self._scene, self._members = scene, members
        self.all = [Stream(emitter, scene.world, spacings[emitter.name]) for emitter in scene.emitters]
        solid = [entry for entry in scene.colliders if self.all and _is_solid(entry)]
        self._solids = [Enclosure(entry, scene.world.frames_per_second) for entry in solid]
        """Colliders in which nothing can be born."""

    @property
    def blocked(self) -> int:
        """Particles that found no room so far."""
        return round(sum(stream.blocked for stream in self.all))

    def check(self) -> None:
        """Refuse an emitter that could only fill a solid, or lies in a body, at the first frame."""
        for stream in self.all:
            name, mouth = stream.emitter.name, stream.mouth()
            for solid in self._solids:
                if solid.inside(mouth.T, 0.0).all():
                    raise InvalidScene(
                        f"{name}: the emitter lies wholly inside a collider ({solid.name}), so nothing can leave. Move it out, "
                        "or flip the collider's normals so that they face the material (a hollow's point inwards)."
                    )
            if not _may_wait(stream.emitter):
                for body in self._scene.bodies:
                    if make_solid(body.mesh.at(0), body.mesh.triangles).inside(mouth).all():
                        raise InvalidScene(
                            f"{name}: the emitter lies wholly inside the body {body.name}, so there is no room for what leaves. "
                            "Move it out, or let it start later."
                        )

    def emit(self, solvers: Mapping[str, Any], rigid: RigidBodies | None, time: float, dt: float) -> None:
        """What is born during [time, time + dt]."""
        for stream in self.all:
            births = stream.advance(time, dt)
            if births is None or len(births.position) == 0:
                continue
            room = np.flatnonzero(self._has_room(stream, births.position, solvers, rigid, time + dt))
            wanted = len(births.position) if births.wanted is None else births.wanted
            room = room[:wanted]
            if births.missed:
                stream.blocked += wanted - len(room)
            group, member = self._members[stream.emitter.name]
            solvers[group].add(member, births.position[room], births.velocity[room])

    def drive(self, group: str, solver: Any, time: float) -> None:
        """Tell a solver that pushes its material out of nozzles where they are at `time`."""
        if not hasattr(solver, "nozzles"):
            return
        solver.nozzles.inlets = []
        for stream in self.all:
            inlet = stream.inlet(time) if self._members[stream.emitter.name][0] == group else None
            if inlet is not None:
                stream.share = solver.nozzles.open(inlet, solver.state)

    def _has_room(
        self, stream: Stream, places: np.ndarray, solvers: Mapping[str, Any], rigid: RigidBodies | None, time: float
    ) -> np.ndarray:
        """Where nobody of any kind is, and no solid collider, bool (n,)."""
        taken = np.zeros(len(places), bool)
        own, _ = self._members[stream.emitter.name]
        for group, solver in solvers.items():
            for matter in solver.matter():
                apart = stream.spacing if group == own else 0.5 * (stream.spacing + matter.spacing)
                pushed = group == own and hasattr(solver, "nozzles") and stream.emitter.params.source == "flow"
                taken |= crowded(places, matter.position, (_PUSHED_ROOM if pushed else _ROOM) * apart)
        poses = {} if rigid is None else rigid.matrices()
        for solid in self._solids:
            if solid.is_on(time):
                taken |= solid.inside(places.T, time, poses.get(solid.name))
        return ~taken

    def dump(self) -> dict[str, np.ndarray]:
        return {f"{index}/{name}": value for index, stream in enumerate(self.all) for name, value in stream.dump().items()}

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        for index, stream in enumerate(self.all):
            first = f"{index}/"
            stream.load({name[len(first) :]: value for name, value in arrays.items() if name.startswith(first)})


def _may_wait(emitter: Emitter) -> bool:
    """Whether there may be room when it begins, though there is none at the first frame."""
    return emitter.params.start > 0.0 or emitter.motion is not None or "enabled" in emitter.animated


def _is_solid(collider: Collider) -> bool:
    """Whether it is closed and its faces look outwards."""
    vertices, triangles = collider.mesh.at(0), collider.mesh.triangles
    turned = 1.0 if collider.motion is None else float(np.linalg.det(collider.motion[0, :3, :3]))
    return is_closed(welded(vertices, triangles)) and volume(vertices, triangles) * turned > 0.0
