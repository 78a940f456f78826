"""The body kind Solid: the eleven steps of the paper's figure 1."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InvalidScene, TsubuError
from ..limits import Leaves
from ..materials.solid_params import SolidParams, lame, slave_spacing
from ..meet.matter import Matter
from ..mpm.contact import CONTACTS
from ..mpm.foam import mechanical_totals
from ..scene import Mesh, Scene, WorldParams
from ..walls import Walls
from ..watch import Watch
from ..world import Member
from . import law, layout
from .contact import ROUNDS, SLID, Contacts, Pressing, WallRules, joined, no_contacts, wall_contacts
from .embed import Embedding
from .links import Links, link
from .move import advance_masters, advance_slaves, farthest_way, fastest_and_steepest
from .pairs import PairSearch
from .rows import ENTRY, carry_rows, fill_rows, follow_slaves, sort_back
from .shape import shape_rows
from .slaves import Slaves, rigid_motion
from .solve import Solver, blocks, empty_system, pull
from .springs import Springs, touch
from .state import SolidState
from .thin import refuse_thin
from .transfer import CARRIED, load_masters, to_masters, to_slaves

SKIN = 0.2
"""How far anything of a body that flows may move before neighbours are searched again, in kernel radii."""
_TOLERANCE = 1.0e-3
"""Residual of the velocities at which the solver is satisfied, relative to the fastest speed in the scene."""
_MOST_ITERATIONS = 400
_GRAVITY_STEP = 0.2
_STRAIN_STEP = 0.2
"""Largest change of the deformation in a step."""
_CONTACT = 2.0
"""Stiffness of contacts in (λ + 2µ) · spacing: half a spacing of material on one particle's area."""


_REMEMBERS_FROM = 1.5
"""Slave spacing in particle spacings from which a body may remember its shape: with about one master a slave, alternating
velocities of slaves would strain no master and stay for ever; the paper's transfer through the masters removes them."""


def material_row(params: SolidParams) -> list[float]:
    """A row of the law's table, see `law`."""
    mu, lam = lame(params)
    squeeze, stretch = (params.squeeze_yield, params.stretch_yield) if params.plastic else (law.NEVER, law.NEVER)
    return [mu, lam, squeeze, stretch, params.hardening, params.density, float(params.keep_volume), params.toughness]


class SolidSolver:
    """All solids of a scene. Each body has slaves of its own, so that bodies touch without sticking."""

    bytes_per_particle = 2200

    def __init__(self, members: Sequence[Member], world: WorldParams, fall_height: float) -> None:
        self.members = tuple(members)
        self.settings: list[SolidParams] = [member.params for member in members]
        self.spacing = world.spacing
        self.volume = world.spacing**3
        first = self.settings[0]
        for member in members:
            for name in ("implicitness", "liveliness"):
                if getattr(member.params, name) != getattr(first, name):
                    raise InvalidScene(
                        f"{member.name}: {name} is {getattr(member.params, name):g}, but {members[0].name} has "
                        f"{getattr(first, name):g}; all solids of a scene need the same."
                    )
        self.slave_spacing = np.array([slave_spacing(entry) for entry in self.settings]) * world.spacing
        """Distance between slaves [m], by member."""
        self.reach = layout.REACH * self.slave_spacing
        """Kernel radius h [m], by member: how far a master sees slaves."""
        self.h = 2.0 * world.spacing
        """How far walls are felt [m]."""
        self.gravity = np.array(world.gravity, np.float64)
        self.table = np.array([material_row(entry) for entry in self.settings])
        modulus = self.table[:, law.LAMBDA] + 2.0 * self.table[:, law.MU]
        self.sound = float(np.sqrt(modulus / self.table[:, law.DENSITY]).max())
        """Speed of the fastest elastic wave [m/s]."""
        self._contact_stiffness = _CONTACT * modulus * world.spacing
        self._flows = np.array([entry.plastic for entry in self.settings])
        self._emitted = np.zeros(len(members), bool)
        coarse = self.slave_spacing >= _REMEMBERS_FROM * world.spacing
        self._remembers = ~self._flows & coarse & np.array([entry.scheme == "rest" for entry in self.settings])
        """Members that remember their rest shape (total Lagrangian); the others follow the paper (updated Lagrangian)."""
        self.state = SolidState()
        self.iterations = 0
        """Iterations of conjugate gradients in the last step."""
        self.wall_forces: dict[int, np.ndarray] = {}
        """Force [N] (3,) of each collider that touched something in the last step, by its number."""
        self.contact_count = 0
        self._links: Links | None = None
        self._rest: np.ndarray | None = None
        self._solver = Solver()
        self._room: dict[str, np.ndarray] = {}
        self._pairs = PairSearch(world.spacing)
        rules = [entry.slave_rule for entry in self.settings]
        self.slaves = Slaves(world.spacing, self.slave_spacing, self.reach, rules)
        self._bodies: dict[str, Mesh] = {}
        self._meshes: dict[int, np.ndarray] = {}
        """Vertices of the bodies that drive their mesh, by member."""
        self._embeddings: dict[int, Embedding] = {}
        self._friction = np.array([entry.friction for entry in self.settings])

    def survey(self, scene: Scene) -> None:
        """Members that emitters feed grow: their neighbours are searched in the present shape."""
        names = {entry.name for entry in scene.emitters if entry.kind == "solid"}
        self._bodies = {body.name: body.mesh for body in scene.bodies if body.kind == "solid"}
        self._emitted = np.array([member.name in names for member in self.members])
        self._remembers &= ~self._emitted
        driven = {member.name: index for index, member in enumerate(self.members) if member.params.drive_mesh}
        self._meshes = {driven[name]: mesh.at(0) for name, mesh in self._bodies.items() if name in driven}

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
        spin = rigid_motion(position, velocity)[2]
        gradient = np.array([0.0, -spin[2], spin[1], spin[2], 0.0, -spin[0], -spin[1], spin[0], 0.0])
        state.append(
            {
                "position": position.T, "velocity": velocity.T, "told": velocity.T, "rest": position.T,
                "gradient": np.repeat(gradient[:, None], count, axis=1),
                "anchor": position.T, "elastic": identity, "plastic_volume": np.ones(count),
                "body": np.full(count, member, np.int32), "volume": np.full(count, self.volume),
                "mass": np.full(count, self.table[member, law.DENSITY] * self.volume),
            }
        )  # fmt: skip
        if len(own) == 0 and not self._emitted[member]:
            if self.members[member].name in self._bodies:
                refuse_thin(position, self.spacing, self._bodies[self.members[member].name], self.members[member].name)
            self.slaves.first(state, member, position, velocity, layout.RIM if self._remembers[member] else 1.0)
        else:
            self.slaves.cover(state, member, position, velocity, own)
        self._anchor(member)

    def _anchor(self, member: int) -> None:
        """Neighbours of a member that flows or grows are those of the present shape."""
        self._links = None
        if self._flows[member] or self._emitted[member]:
            for part in (self.state, self.state.slaves):
                own = part.live("body") == member
                part.live("anchor")[:, own] = part.live("position")[:, own]

    def drop(self, leaves: Leaves) -> int:
        """Forget the masters that leave, and slaves that none is left for; returns how many masters. A body that remembers its
        shape is one piece: it leaves as a whole, with its middle."""
        state = self.state
        place, body = state.live("position"), state.live("body")
        gone = leaves(place)
        whole = np.flatnonzero(self._remembers)
        if len(whole):
            count = np.maximum(np.bincount(body, minlength=len(self.members)), 1)
            middle = np.stack([np.bincount(body, row, len(self.members)) / count for row in place])
            gone = np.where(self._remembers[body], leaves(middle)[body], gone)
        if not gone.any():
            return 0
        state.keep(~gone)
        self.slaves.forget_lonely(state)
        self._links = None
        return int(np.count_nonzero(gone))

    # -- time --------------------------------------------------------------------------------------------------------

    def stable_dt(self, wall_speed: float) -> float:
        """Largest step [s]: nobody moves farther than `cfl` spacings, no strain grows too much, waves stay resolved."""
        cfl = min(entry.cfl for entry in self.settings)
        waves = min(entry.wave_steps for entry in self.settings)
        gravity = float(np.linalg.norm(self.gravity))
        dt = min(
            waves * float(self.slave_spacing.min()) / self.sound, _GRAVITY_STEP * np.sqrt(self.spacing / max(gravity, 1.0e-30))
        )
        if self.state.count:
            speed, steep = fastest_and_steepest(self.state["velocity"], self.state["gradient"], self.state.count)
            if not np.isfinite(speed):
                raise TsubuError(
                    f"{self.members[0].name}: the solid became unstable (a velocity is not a number). Lower the Courant number "
                    "or the Stiff step, or check for colliders that overlap or move very fast."
                )
            dt = min(dt, cfl * self.spacing / max(speed, 1.0e-30), _STRAIN_STEP / max(steep, 1.0e-30))
        return min(dt, cfl * self.spacing / max(wall_speed, 1.0e-30))

    def _array(self, name: str, shape: tuple[int, ...], dtype: type = np.float64) -> np.ndarray:
        kept = self._room.get(name)
        if kept is None or kept.shape != shape:
            kept = self._room[name] = np.zeros(shape, dtype)
        return kept

    def step(self, walls: Walls, dt: float, watch: Watch) -> None:
        """One step of length dt [s] against walls posed at its end. Numbers are those of the paper's figure 1."""
        state = self.state
        if state.count == 0:
            return
        if self._worn():
            self._refresh()
            watch.poll()
        links = self._linked()
        place = self._slave_places()
        whole = self._remembers[state.live("body")]
        row, back, centre = self._rows(links, place, whole)
        mass, before = self._to_slaves(links, back, centre, place)  # 1; 2 was done when they were made
        stress, curve = self._stress()  # 3
        watch.poll()
        velocity = self._solve(links, row, back, mass, before, stress, curve, walls, dt, watch)  # 4 and 5
        theta, keep = self.settings[0].implicitness, self.settings[0].liveliness
        moving = self._array("moving", state["velocity"].shape)
        to_masters(
            links.start, links.slave, row, velocity, before, theta, keep, state["velocity"], state["gradient"], moving
        )  # 7
        law.flow(self._points(), self.table, state["gradient"], dt, state.count)  # 6
        near = self._near
        advance_masters(
            state["position"], state["velocity"], moving, state["age"], dt, self.spacing, near.row, near.plane, near.count,
            near.shape,
            state.count,
        )  # 8, 9  # fmt: skip
        self._advect(links, back, centre, place, velocity, before, moving, dt)  # 10; 11 is done by the next `_refresh`
        state["told"][...] = state["velocity"]
        if whole.any():
            follow_slaves(self._slave_places(), links.start, links.slave, whole, row, state["position"])

    def _points(self) -> law.Points:
        state = self.state
        return law.Points(
            state["elastic"],
            state["plastic_volume"],
            state["plastic"],
            state["drawn"],
            state["torn"],
            state["volume"],
            state["body"],
        )

    def _worn(self) -> bool:
        """Whether something that flows or grows has moved so far within its body that neighbours have to be searched again."""
        state = self.state
        for member in np.flatnonzero(self._flows | self._emitted):
            if farthest_way(state["position"], state["anchor"], state["body"], member, state.count) > SKIN * self.reach[member]:
                return True
        return False

    def _refresh(self) -> None:
        """Step 11: slaves are added and deleted, and the neighbours of the present shape are taken."""
        for member in range(len(self.members)):
            if self._flows[member] or self._emitted[member]:
                self.slaves.resample(self.state, member)
                self._anchor(member)

    def _linked(self) -> Links:
        if self._links is None:
            state, slaves = self.state, self.state.slaves
            anchors, slave_anchors = (np.ascontiguousarray(part.live("anchor").T) for part in (state, slaves))
            self._rest = None
            self._pairs.forget()
            self._links = link(anchors, state.live("body"), slave_anchors, slaves.live("body"), self.reach)
        return self._links

    def _slave_places(self) -> np.ndarray:
        place = self._array("place", (self.state.slaves.count, 4))
        place[:, :3] = self.state.slaves.live("position").T
        return place

    def _rows(self, links: Links, place: np.ndarray, whole: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coefficients of this step, by master and by slave, and the places they belong to (see `rows`)."""
        shape = (len(links.slave), ENTRY)
        row, back = self._array("row", shape, np.float32), self._array("back", shape, np.float32)
        centre = self._array("centre", (self.state.count, 3))
        if whole.any():
            carry_rows(place, links.start, links.slave, whole, self._rest_rows(links, whole), self.state["elastic"], row)
        if not whole.all():
            fill_rows(self.state["position"], place, links.start, links.slave, links.weight, self._reaches(), whole, row, centre)
        sort_back(row, links.back_entry, back)
        return row, back, centre

    def _reaches(self) -> np.ndarray:
        """Kernel radius of every master [m], (n,)."""
        return self.reach[self.state.live("body")]

    def _rest_rows(self, links: Links, whole: np.ndarray) -> np.ndarray:
        """Rows at rest of the masters that remember it: from anchors, made once."""
        if self._rest is None:
            anchor = np.zeros((self.state.slaves.count, 4))
            anchor[:, :3] = self.state.slaves.live("anchor").T
            self._rest = np.zeros((len(links.slave), ENTRY), np.float32)
            room = np.empty((2, len(links.slave)))
            shape_rows(
                self.state["anchor"], anchor, links.start, links.slave, self._reaches(), ~whole, room[0], room[1], self._rest
            )
        return self._rest

    def _to_slaves(self, links: Links, back: np.ndarray, centre: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        state = self.state
        carried = self._array("carried", (state.count, CARRIED))
        mass, velocity = self._array("mass", (len(place),)), self._array("velocity", (len(place), 4))
        load_masters(state["position"], state["velocity"], state["gradient"], state["mass"], centre, state.count, carried)
        to_slaves(carried, links.back_start, links.back_master, back, place, mass, velocity)
        # a body that remembers its shape keeps the velocities of its slaves: nothing is lost in transfers
        own = self._remembers[state.slaves.live("body")]
        if own.any():
            velocity[own, :3] = state.slaves.live("velocity")[:, own].T + self._given(links, back, place)[own, :3]
        return mass, velocity

    def _given(self, links: Links, back: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Change of the slaves' velocities (k, 4) by what other kinds have given their masters since the last step."""
        state, result = self.state, self._array("given", (len(place), 4))
        change = state["velocity"] - state["told"]
        if not change.any():
            result[...] = 0.0
            return result
        carried, mass = self._array("carried_given", (state.count, CARRIED)), self._array("given_mass", (len(place),))
        still, nowhere = np.zeros_like(state["gradient"]), np.zeros((state.count, 3))
        load_masters(state["position"], change, still, state["mass"], nowhere, state.count, carried)
        to_slaves(carried, links.back_start, links.back_master, back, place, mass, result)
        return result

    def _stress(self) -> tuple[np.ndarray, np.ndarray]:
        count = self.state.count
        stress, curve = self._array("stress", (count, 9), np.float32), self._array("curve", (count, law.CURVE), np.float32)
        law.stress_and_curvature(self._points(), self.table, count, stress, curve)
        return stress, curve

    def _contacts(self, walls: Walls, dt: float) -> Contacts:
        """Step 5: who touches a wall or another body."""
        state = self.state
        position = np.ascontiguousarray(state.live("position").T, np.float32)
        # about where they were a step earlier: what has just come through a sheet is pushed back
        earlier = (state.live("position") - dt * state.live("velocity")).T.astype(np.float32)
        self._near = walls.near(position, earlier)
        found = no_contacts()
        if len(self._near.particle):
            stiffness = self._contact_stiffness[state.live("body")]
            rules = WallRules(np.array([CONTACTS[name] for name in walls.contacts], np.int64), walls.setting("adhesion"))
            found = wall_contacts(self._near, rules, self.spacing, stiffness, state.live("grip"), state.live("held"))
        if len(self.members) == 1 and not self._remembers.any():
            return found
        pairs = self._pairs.find(
            state.live("position"), state.live("anchor"), state.live("rest"), state.live("body"), self._remembers,
            self._contact_stiffness, self._friction,
        )  # fmt: skip
        return joined(found, pairs)

    def _solve(
        self, links: Links, row: np.ndarray, back: np.ndarray, mass: np.ndarray, before: np.ndarray, stress: np.ndarray,
        curve: np.ndarray, walls: Walls, dt: float, watch: Watch,
    ) -> np.ndarray:  # fmt: skip
        """Velocities of slaves after the part θ of the step, float64 (k, 4): x⁺ = x + Δt v_θ, v⁺ = v + (v_θ − v)/θ.

        θ = 1 is backward Euler, θ = ½ the implicit midpoint rule, which loses no energy; (14) with β Δt² = (θ Δt)².
        """
        state, slaves = self.state, len(mass)
        ahead = self.settings[0].implicitness * dt
        square = ahead * ahead
        system = empty_system(links, row, back, curve, mass)
        start = self._array("start", (slaves, 4))
        start[...] = before
        start[:, :3] += ahead * self.gravity
        right, force = self._array("right", (slaves, 4), np.float32), self._array("force", (slaves, 4), np.float32)
        # −(θ Δt)² H v at the start velocity; what all slaves have in common bends nothing and is taken off first
        common = start.mean(axis=0)
        vector = (start - common).astype(np.float32)
        self._solver.multiply(system._replace(mass=np.zeros(slaves)), None, -square, vector, right)
        pull(
            links.back_start, links.back_master, back, stress, np.zeros(slaves), np.float32(-ahead), vector, force, system.parts
        )  # (10)
        right += force
        contacts = self._contacts(walls, dt)
        self.contact_count = len(contacts.first)
        change = self._array("change", (slaves, 4), np.float32)
        change[...] = 0.0
        body = state.live("body")
        volumes = state.live("volume")
        mu, lam = self.table[body, law.MU] * volumes, self.table[body, law.LAMBDA] * volumes
        speed = max(float(np.abs(start).max()), dt * float(np.linalg.norm(self.gravity)), 1.0e-9)
        inverse = self._array("inverse", (slaves, 6), np.float32)
        springs, pressing = None, None
        if len(contacts.first):
            both = np.concatenate([contacts.first, contacts.second[contacts.second >= 0]])
            springs = Springs(touch(both, links, row), links, row, contacts.first, contacts.second, contacts.normal, square)
            pressing = Pressing(contacts, springs, start, dt, self.settings[0].implicitness)
        self.iterations = 0
        for _ in range(ROUNDS):
            whole = right.copy()
            own = np.zeros((slaves, 6))
            if pressing is not None and springs is not None:
                pressing.prepare(whole)
                springs.add_blocks(own)
            blocks(links.back_start, links.back_master, back, mu, lam, mass, square, own, inverse)
            self.iterations += self._solver.solve(
                system, springs, square, inverse, whole, change, _TOLERANCE * speed, _MOST_ITERATIONS
            )
            self._keep_momentum(change, pressing)
            watch.poll()
            if pressing is None or pressing.settled(change):
                break
        self._remember(pressing)
        result = self._array("result", (slaves, 4))
        np.add(start, change, out=result)
        return result

    def _keep_momentum(self, change: np.ndarray, pressing: Pressing | None) -> None:
        """Gives each body exactly the momentum that its contacts gave it: internal forces move no centre of mass, whatever the
        solver's tolerance."""
        count, mass = len(self.members), self._room["mass"]
        own, body = self.state.slaves.live("body"), self.state.live("body")
        owed = np.stack([-np.bincount(own, mass * change[:, axis], count) for axis in range(3)], axis=1)
        if pressing is not None:
            contacts, impulse = pressing.contacts, pressing.impulse(change)
            np.add.at(owed, body[contacts.first], impulse)
            paired = contacts.second >= 0
            np.add.at(owed, body[contacts.second[paired]], -impulse[paired])
        change[:, :3] += (owed / np.maximum(np.bincount(own, mass, count), 1.0e-30)[:, None])[own]

    def _remember(self, pressing: Pressing | None) -> None:
        """What the next step has to know of this one's contacts: how far springs are drawn, and who is glued."""
        state = self.state
        self.wall_forces = {}
        held = np.zeros(state.count, np.int32)
        if pressing is None:
            state.live("grip")[...] = 0.0
        else:
            contacts = pressing.contacts
            state.live("grip")[...] = pressing.memory(state.count)
            slid = pressing.presses & ~pressing.holds & (contacts.collider >= 0)
            held[contacts.first[slid]] = SLID
            held[contacts.first[contacts.glued]] = 1 + contacts.collider[contacts.glued]
            for number in np.unique(contacts.collider[contacts.collider >= 0]):
                self.wall_forces[int(number)] = pressing.force[contacts.collider == number].sum(axis=0)
        state.live("held")[...] = held

    def _advect(
        self, links: Links, back: np.ndarray, centre: np.ndarray, place: np.ndarray, velocity: np.ndarray, before: np.ndarray,
        moving: np.ndarray, dt: float,
    ) -> None:  # fmt: skip
        """Step 10: slaves move with the momentum of their masters (21), or with their own in a body that remembers its shape."""
        state = self.state
        own = self._remembers[state.slaves.live("body")]
        carry = velocity
        if not own.all():
            carried, mass = self._room["carried"], self._array("moved_mass", (len(place),))
            carry = self._array("carry", (len(place), 4))
            # the shares belong to the places at the start of the step
            start = state["position"] - dt * moving
            load_masters(start, moving, state["gradient"], state["mass"], centre, state.count, carried)
            to_slaves(carried, links.back_start, links.back_master, back, place, mass, carry)
            carry[own] = velocity[own]
        state.slaves.live("velocity")[...] = (before + (velocity - before) / self.settings[0].implicitness)[:, :3].T
        advance_slaves(state.slaves["position"], carry, dt, state.slaves.count)

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
        return [Matter(live("position"), live("velocity"), live("mass"), live("volume"), self.spacing, sound=self.sound)]

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


__all__ = ["SolidSolver", "material_row"]
