"""Everybody in a scene who may meet: kinds and free rigid bodies, when they meet, and what is exchanged."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..rigid import RigidBodies
from ..rigid.seeping import sampled, seeping_force
from ..scene import Scene
from ..walls import Walls
from ..walls.reaction import WallReaction
from .meeting import REACH, Meeting, Party, cell_of
from .pairs import pair_law
from .touch import Touch

_WAY, _FALL = 0.2, 0.004
"""Between two meetings nobody moves farther than the first, nor falls from rest farther than the second, in shared cells."""


class Company:
    """The kinds of a scene and its free bodies."""

    def __init__(self, scene: Scene, solvers: Mapping[str, Any], rigid: RigidBodies | None) -> None:
        """Grains push free bodies contact by contact in their own steps. Kinds with a `reaction` feel them as walls and write
        down what the walls get. Every other kind meets them particle by particle between its steps (`touch`)."""
        self.solvers = dict(solvers)
        self.rigid = rigid
        self.gravity = np.array(scene.world.gravity, np.float64)
        kinds = list(self.solvers)
        self._touching = [] if rigid is None else [solver for solver in self.solvers.values() if not feels_bodies(solver)]
        """Solvers that meet free bodies particle by particle."""
        self.touch: Touch | None = None
        self.meeting = Meeting(pair_law(kinds, scene.meeting), self.gravity)
        self._account = WallReaction(len(scene.colliders))
        self.late = np.zeros((0 if rigid is None else len(rigid), 6))
        """Impulse and moment about the centre that each body has yet to get, see `_push_bodies`."""
        for solver in self.solvers.values():
            if rigid is not None and hasattr(solver, "reaction"):
                solver.reaction = self._account
        dense = max((solver.densest for solver in self.solvers.values() if hasattr(solver, "reaction")), default=0.0)
        self._soaking = [solver for solver in self.solvers.values() if rigid is not None and hasattr(solver, "wet")]
        """Solvers whose liquid seeps under bodies."""
        soaked = range(0 if rigid is None or not self._soaking else len(rigid))
        self._skins = [sampled(*rigid.rest_mesh(k), scene.world.spacing) for k in soaked]  # type: ignore[union-attr]
        self.added = np.array([] if rigid is None else [dense * shape.volume for shape in rigid.shapes])
        """Upper bound of each body's added mass [kg]."""

    @property
    def needs_touch(self) -> bool:
        """Whether `touch` has to be set before anybody meets."""
        return bool(self._touching)

    @property
    def alone(self) -> bool:
        """Whether there is one kind and nobody else: nothing is ever exchanged."""
        return len(self.solvers) == 1 and not self._touching

    @property
    def reach(self) -> float:
        """How far walls must be known around particles that meet [m]."""
        return 0.0 if self.alone else REACH * cell_of(self._parties())

    def _parties(self) -> list[Party]:
        return [Party(index, matter) for index, solver in enumerate(self.solvers.values()) for matter in solver.matter()]

    def interval(self, steps: Mapping[str, float]) -> float:
        """Time [s] from one meeting to the next, by the kinds' stable steps: the longest, unless somebody moves too far in it."""
        if self.alone:
            return next(iter(steps.values()))
        parties = self._parties()
        cell = cell_of(parties)
        fastest = max(float(np.abs(party.matter.velocity).max(initial=0.0)) for party in parties)
        if self.rigid is not None:
            fastest = max(fastest, self.rigid.fastest())
        gravity = float(np.linalg.norm(self.gravity))
        return min(max(steps.values()), _WAY * cell / max(fastest, 1.0e-30), np.sqrt(_FALL * cell / max(gravity, 1.0e-30)))

    def move_bodies(self, walls: Walls, dt: float) -> None:
        """Free bodies through an interval of dt [s], where no kind moves them in its own steps."""
        if self.rigid is not None and not any(hasattr(solver, "rigid") for solver in self.solvers.values()):
            self.rigid.meet(walls, dt, self.gravity, 1)
            self.rigid.fall(dt, self.gravity)

    def _push_bodies(self) -> None:
        """Give the bodies what their walls have got, light ones with a delay.

        Water answers the acceleration of a body with the inertia of what it has to move aside (added mass). A body that is
        lighter than that would be thrown back and forth from step to step; it gets D = θ (R + P), R = what it has not got yet,
        θ = M/(M + added mass). In the mean that is the force, and nothing is lost.
        """
        if self.rigid is None:
            return
        impulse, moment = self._account.take()
        for index, shape in enumerate(self.rigid.shapes):
            centre = self.rigid.state[index, 0:3]
            own = impulse[shape.number]
            self.late[index, :3] += own
            self.late[index, 3:] += moment[shape.number] - np.cross(centre, own)
            given = self.late[index] * (shape.mass / (shape.mass + self.added[index]))
            self.late[index] -= given
            self.rigid.push(index, given[:3], given[3:])

    def _seep(self, walls: Walls, dt: float) -> None:
        """Lift bodies that lie so close to a wall that no particle gets between."""
        if self.rigid is None:
            return
        for k, skin in enumerate(self._skins):
            here = skin._replace(place=self.rigid.placed(k, skin.place), normal=self.rigid.turned(k, skin.normal))
            for solver in self._soaking:
                force, moment = seeping_force(here, walls, solver.wet(), self.gravity)
                self.late[k, :3] += dt * force
                self.late[k, 3:] += dt * (moment - np.cross(self.rigid.state[k, 0:3], force))

    def meet(self, walls: Walls | None, dt: float) -> None:
        """Whoever touches pushes. `walls`: the colliders that are not free, None if the scene has no collider."""
        if walls is not None:
            self._seep(walls, dt)
        self._push_bodies()
        if self.alone:
            return
        self.meeting.exchange(self._parties(), dt, walls)
        if self.touch is not None:
            self.touch.push([part for solver in self._touching for part in solver.matter() if part.count], dt)


def feels_bodies(solver: Any) -> bool:
    """Whether free bodies are walls for a kind, and it pushes them."""
    return hasattr(solver, "rigid") or hasattr(solver, "reaction")
