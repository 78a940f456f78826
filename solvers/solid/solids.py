"""The body kind Solid: the eleven steps of the paper's figure 1."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import TsubuError
from ..limits import Leaves
from ..meet.matter import Matter
from ..mpm.foam import mechanical_totals
from ..scene import Mesh, Scene, WorldParams
from ..walls import Walls
from ..watch import Watch
from ..world import Member
from . import law
from .bodies import Bodies
from .embed import Embedding
from .exchange import Exchange, Room
from .move import advance_masters, farthest_way, fastest_and_steepest
from .push import Push
from .slaves import Slaves, rigid_motion
from .solve import empty_system
from .state import SolidState
from .thin import refuse_thin
from .transfer import to_masters

SKIN = 0.2
"""How far anything of a body that flows may move before neighbours are searched again, in kernel radii."""
_GRAVITY_STEP = 0.2
_DAMPING, _KEEPING_STEP = 0.05, 1.0
"""θ − ½ from which any step is calm, and how far a wave travels in a step with θ = ½ at most, in slave spacings: with 4, a
ball that swings by half of its size has been seen to gain a third of its energy."""
_STRAIN_STEP = 0.2
"""Largest change of the deformation in a step."""


class SolidSolver:
    """All solids of a scene. Each body has slaves of its own, so that bodies touch without sticking."""

    bytes_per_particle = 2200

    def __init__(self, members: Sequence[Member], world: WorldParams, fall_height: float) -> None:
        self.members = tuple(members)
        self.bodies = bodies = Bodies(members, world.spacing)
        self.spacing = world.spacing
        self.volume = world.spacing**3
        self.h = 2.0 * world.spacing
        """How far walls are felt [m]."""
        self.gravity = np.array(world.gravity, np.float64)
        self.state = SolidState()
        self.room = Room()
        self.exchange = Exchange(self.state, bodies, self.room)
        self.push = Push(self.state, bodies, self.gravity, self.room)
        self.slaves = Slaves(world.spacing, bodies.slave_spacing, bodies.reach, [entry.slave_rule for entry in bodies.settings])
        self._filled: dict[str, Mesh] = {}
        self._meshes: dict[int, np.ndarray] = {}
        """Vertices of the bodies that drive their mesh, by member."""
        self._embeddings: dict[int, Embedding] = {}

    def survey(self, scene: Scene) -> None:
        """Members that emitters feed grow; meshes of bodies are kept, to be deformed."""
        self.bodies.feed({entry.name for entry in scene.emitters if entry.kind == "solid"})
        self._filled = {body.name: body.mesh for body in scene.bodies if body.kind == "solid"}
        driven = {member.name: index for index, member in enumerate(self.members) if member.params.drive_mesh}
        self._meshes = {driven[name]: mesh.at(0) for name, mesh in self._filled.items() if name in driven}

    @property
    def iterations(self) -> int:
        """Iterations of conjugate gradients in the last step."""
        return self.push.iterations

    @property
    def contact_count(self) -> int:
        """Contacts looked at in the last step."""
        return self.push.contact_count

    @property
    def wall_forces(self) -> dict[int, np.ndarray]:
        """Force [N] (3,) of each collider that touched something in the last step, by its number."""
        return self.push.wall_forces

    # -- particles come and go ---------------------------------------------------------------------------------------

    def add(self, member: int, position: np.ndarray, velocity: np.ndarray) -> None:
        """New masters of one member, position and velocity (n, 3), and slaves around them."""
        count = len(position)
        if count == 0:
            return
        state = self.state
        position = np.asarray(position, np.float64)
        own = state.slaves.live("position")[:, state.slaves.live("body") == member].T
        identity = np.zeros((9, count))
        identity[[0, 4, 8]] = 1.0
        velocity = np.asarray(velocity, np.float64)
        x, y, z = rigid_motion(position, velocity)[2]
        gradient = np.array([0.0, -z, y, z, 0.0, -x, -y, x, 0.0])
        state.append(
            {
                "position": position.T, "velocity": velocity.T, "told": velocity.T, "rest": position.T,
                "gradient": np.repeat(gradient[:, None], count, axis=1),
                "anchor": position.T, "elastic": identity, "plastic_volume": np.ones(count),
                "body": np.full(count, member, np.int32), "volume": np.full(count, self.volume),
                "mass": np.full(count, self.bodies.table[member, law.DENSITY] * self.volume),
            }
        )  # fmt: skip
        if len(own) == 0 and not self.bodies.emitted[member]:
            if self.members[member].name in self._filled:
                refuse_thin(position, self.spacing, self._filled[self.members[member].name], self.members[member].name)
            self.slaves.first(state, member, position, velocity, bool(self.bodies.remembers[member]))
        else:
            self.slaves.cover(state, member, position, velocity, own)
        self._anchor(member)

    def _anchor(self, member: int) -> None:
        """Neighbours of a member that flows or grows are those of the present shape."""
        self._forget()
        if self.bodies.renewed[member]:
            for part in (self.state, self.state.slaves):
                own = part.live("body") == member
                part.live("anchor")[:, own] = part.live("position")[:, own]

    def _forget(self) -> None:
        self.exchange.forget()
        self.push.pairs.forget()

    def drop(self, leaves: Leaves) -> int:
        """Forget the masters that leave, and slaves that none is left for; returns how many masters. A body that remembers its
        shape is one piece: it leaves as a whole, with its middle."""
        state = self.state
        place, body = state.live("position"), state.live("body")
        gone = leaves(place)
        whole = np.flatnonzero(self.bodies.remembers)
        if len(whole):
            count = np.maximum(np.bincount(body, minlength=len(self.members)), 1)
            middle = np.stack([np.bincount(body, row, len(self.members)) / count for row in place])
            gone = np.where(self.bodies.remembers[body], leaves(middle)[body], gone)
        if not gone.any():
            return 0
        state.keep(~gone)
        self.slaves.forget_lonely(state)
        self._forget()
        return int(np.count_nonzero(gone))

    # -- time --------------------------------------------------------------------------------------------------------

    def stable_dt(self, wall_speed: float) -> float:
        """Largest step [s]: nobody moves farther than `cfl` spacings, no strain grows too much, waves stay resolved."""
        cfl = min(entry.cfl for entry in self.bodies.settings)
        waves = min(entry.wave_steps for entry in self.bodies.settings)
        # what damps makes up for what the linear solve leaves out; without damping the step has to
        waves = min(waves, _KEEPING_STEP * _DAMPING / max(_DAMPING - self.bodies.implicitness + 0.5, 1.0e-30))
        gravity = max(float(np.linalg.norm(self.gravity)), 1.0e-30)
        dt = waves * float(self.bodies.slave_spacing.min()) / self.bodies.sound
        dt = min(dt, _GRAVITY_STEP * float(np.sqrt(self.spacing / gravity)))
        if self.state.count:
            speed, steep = fastest_and_steepest(self.state["velocity"], self.state["gradient"], self.state.count)
            if not np.isfinite(speed):
                raise TsubuError(
                    f"{self.members[0].name}: the solid became unstable (a velocity is not a number). Lower the Courant number "
                    "or the Stiff step, or check for colliders that overlap or move very fast."
                )
            dt = min(dt, cfl * self.spacing / max(speed, 1.0e-30), _STRAIN_STEP / max(steep, 1.0e-30))
        return min(dt, cfl * self.spacing / max(wall_speed, 1.0e-30))

    def step(self, walls: Walls, dt: float, watch: Watch) -> None:
        """One step of length dt [s] against walls posed at its end. Numbers are those of the paper's figure 1."""
        state, bodies, exchange = self.state, self.bodies, self.exchange
        if state.count == 0:
            return
        if self._worn():
            self._refresh()
            watch.poll()
        links, place = exchange.links(), exchange.places()
        turned, lag = exchange.turned(place, dt, bodies.implicitness * dt)
        row, back, centre = exchange.rows(turned)
        mass, before = exchange.to_slaves(back, centre, place)  # 1; 2 was done when they were made
        stress, curve = self._stress()  # 3
        watch.poll()
        system = empty_system(links, row, back, curve, mass, exchange.spread())
        velocity = self.push.solve(system, before, lag, exchange.given(back, place), stress, walls, dt, watch)  # 4 and 5
        moving = self.room.array("moving", state["velocity"].shape)
        to_masters(
            links.start, links.slave, row, velocity, before, bodies.implicitness, bodies.liveliness, state["velocity"],
            state["gradient"], moving,
        )  # 7  # fmt: skip
        law.flow(self._points(), bodies.table, state["gradient"], dt, state.count)  # 6
        near = self.push.near
        advance_masters(
            state["position"], state["velocity"], moving, state["age"], dt, self.spacing, near.row, near.plane, near.count,
            near.shape, state.count,
        )  # 8, 9  # fmt: skip
        exchange.advect(back, centre, place, velocity, before, moving, dt)  # 10; 11 is done by the next `_refresh`
        exchange.follow(row)
        state["told"][...] = state["velocity"]

    def _points(self) -> law.Points:
        state = self.state
        return law.Points(
            state["elastic"], state["plastic_volume"], state["plastic"], state["drawn"], state["torn"], state["volume"],
            state["body"],
        )  # fmt: skip

    def _worn(self) -> bool:
        """Whether something that flows or grows has moved so far within its body that neighbours have to be searched again."""
        state = self.state
        for member in np.flatnonzero(self.bodies.renewed):
            limit = SKIN * self.bodies.reach[member]
            if farthest_way(state["position"], state["anchor"], state["body"], member, state.count) > limit:
                return True
        return False

    def _refresh(self) -> None:
        """Step 11: slaves are added and deleted, and the neighbours of the present shape are taken."""
        for member in np.flatnonzero(self.bodies.renewed):
            self.slaves.resample(self.state, int(member))
            self._anchor(int(member))

    def _stress(self) -> tuple[np.ndarray, np.ndarray]:
        count, array = self.state.count, self.room.array
        stress, curve = array("stress", (count, 9), np.float32), array("curve", (count, law.CURVE), np.float32)
        law.stress_and_curvature(self._points(), self.bodies.table, count, stress, curve)
        return stress, curve

    # -- what is shown -----------------------------------------------------------------------------------------------

    def points(self, members: Sequence[int]) -> dict[str, np.ndarray]:
        """What the point cache shows of the given members, in order of id."""
        state = self.state
        chosen = np.flatnonzero(np.isin(state.live("body"), members))
        chosen = chosen[np.argsort(state.live("id")[chosen])]
        radius = (3.0 * self.volume / (4.0 * np.pi)) ** (1.0 / 3.0)
        return {
            "position": np.ascontiguousarray(state.live("position")[:, chosen].T, np.float32),
            "velocity": np.ascontiguousarray(state.live("velocity")[:, chosen].T, np.float32),
            "id": state.live("id")[chosen],
            "radius": np.full(chosen.size, radius, np.float32),
            "age": state.live("age")[chosen],
            "body": state.live("body")[chosen],
            "plastic_strain": state.live("plastic")[chosen].astype(np.float32),
            "torn": state.live("torn")[chosen],
        }

    def matter(self) -> list[Matter]:
        """What other kinds meet: the masters."""
        live = self.state.live
        return [Matter(live("position"), live("velocity"), live("mass"), live("volume"), self.spacing, sound=self.bodies.sound)]

    @property
    def mesh_names(self) -> tuple[str, ...]:
        """Bodies whose own mesh is written as it deforms."""
        return tuple(self.members[member].name for member in self._meshes)

    def mesh(self, name: str) -> np.ndarray:
        """Vertices [m], float32 (v, 3), of the body's own mesh as it is deformed now."""
        state = self.state
        member = next(index for index in self._meshes if self.members[index].name == name)
        own = np.flatnonzero(state.live("body") == member)
        own = own[np.argsort(state.live("id")[own])]
        if len(own) == 0:  # all of it has left the scene
            return np.zeros((len(self._meshes[member]), 3), np.float32)
        known = self._embeddings.get(member)
        if known is None or known.count != len(own):
            rest = np.ascontiguousarray(state.live("rest")[:, own].T)
            known = self._embeddings[member] = Embedding(self._meshes[member], rest, self.spacing)
        return known.follow(state.live("position")[:, own])

    def totals(self) -> dict[str, Any]:
        """Mass [kg], momentum [kg m/s], energies [J]."""
        return mechanical_totals(self.state, self.gravity)


__all__ = ["SolidSolver"]
