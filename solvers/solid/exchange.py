"""Between masters and slaves within a step: who sees whom, coefficients, masses and velocities, moving along (1, 10)."""

import numpy as np

from .bodies import Bodies
from .flesh import cut
from .inertia import carry_spread, spread_at_rest
from .links import Links, link
from .move import advance_slaves
from .rows import ENTRY, carry_rows, fill_rows, follow_slaves, sort_back
from .shape import shape_rows
from .spin import moments, rotation
from .state import SolidState
from .thin import in_one_layer
from .transfer import CARRIED, load_masters, to_slaves


class Room:
    """Arrays that are kept between steps; nothing in them outlives one."""

    def __init__(self) -> None:
        self.kept: dict[str, np.ndarray] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: type = np.float64) -> np.ndarray:
        """The array of this name, as the step before left it if its shape is the same."""
        known = self.kept.get(name)
        if known is None or known.shape != shape:
            known = self.kept[name] = np.zeros(shape, dtype)
        return known


class Exchange:
    """Links and coefficients of a state. Scratch: it follows from the state."""

    def __init__(self, state: SolidState, bodies: Bodies, room: Room) -> None:
        self.state, self.bodies, self._room = state, bodies, room
        self._links: Links | None = None
        self.rest_rows: np.ndarray | None = None
        """Rows at rest of the masters that remember it; None until they are needed."""
        self.rest_spread = np.empty((0, 6), np.float32)
        """m S at rest (see `inertia`), (n, 6); made with the rows at rest."""

    def forget(self) -> None:
        """Masters or slaves have come, gone, or have other neighbours."""
        self._links = self.rest_rows = None

    def links(self) -> Links:
        if self._links is None:
            state, slaves = self.state, self.state.slaves
            anchors, slave_anchors = (np.ascontiguousarray(part.live("anchor").T) for part in (state, slaves))
            body, roots = state.live("body"), slaves.live("root")
            found = link(anchors, body, slave_anchors, slaves.live("body"), self.bodies.reach)
            if roots.any():
                # ids rise with the masters' numbers
                of = np.where(roots > 0, np.searchsorted(state.live("id"), roots - 1), -1)
                found = cut(found, of, anchors, body, self.bodies.spacing)
            self._links = found
        return self._links

    def places(self) -> np.ndarray:
        """Places of the slaves, float64 (k, 4) [m]."""
        place = self._room.array("place", (self.state.slaves.count, 4))
        place[:, :3] = self.state.slaves.live("position").T
        return place

    def turned(self, place: np.ndarray, dt: float, ahead: float) -> tuple[np.ndarray, np.ndarray]:
        """Slaves at `place` (k, 4) [m] turned with their body by half of the step `dt`, and the velocity [m/s] of what is to be
        taken off for the turning until `ahead` [s] (see `spin`). Slaves of bodies without shape memory: as they are, zero."""
        turned, lag = place.copy(), np.zeros_like(place)
        slaves, found = self.state.slaves, moments(self.state, len(self.bodies.settings))
        for member in np.flatnonzero(self.bodies.remembers):
            own = np.flatnonzero(slaves.live("body") == member)
            arm, turning = place[own, :3] - found.middle[member], found.spin[member]
            turned[own, :3] = found.middle[member] + arm @ rotation(0.5 * dt * turning).T
            lag[own, :3] = (arm - arm @ rotation(ahead * turning).T) / ahead
        return turned, lag

    def whole(self) -> np.ndarray:
        """Masters that remember their rest shape, bool (n,)."""
        return self.bodies.remembers[self.state.live("body")]

    def rows(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coefficients of this step, by master and by slave, and the places they belong to (see `rows`)."""
        links, state, whole = self.links(), self.state, self.whole()
        shape = (len(links.slave), ENTRY)
        row, back = self._room.array("row", shape, np.float32), self._room.array("back", shape, np.float32)
        centre = self._room.array("centre", (state.count, 3))
        if whole.any():
            carry_rows(place, links.start, links.slave, whole, self._rows_at_rest(links, whole), state["elastic"], row)
        if not whole.all():
            fill_rows(state["position"], place, links.start, links.slave, links.weight, self._reaches(), whole, row, centre)
        sort_back(row, links.back_entry, back)
        return row, back, centre

    def _reaches(self) -> np.ndarray:
        """Kernel radius of every master [m], (n,)."""
        return self.bodies.reach[self.state.live("body")]

    def _rows_at_rest(self, links: Links, whole: np.ndarray) -> np.ndarray:
        """Rows of the masters that remember their rest shape: from anchors, made once."""
        if self.rest_rows is None:
            anchor = np.zeros((self.state.slaves.count, 4))
            anchor[:, :3] = self.state.slaves.live("anchor").T
            self.rest_rows = np.zeros((len(links.slave), ENTRY), np.float32)
            room = np.empty((2, len(links.slave)))
            shape_rows(
                self.state["anchor"], anchor, links.start, links.slave, self._reaches(), ~whole, room[0], room[1], self.rest_rows
            )
            flat = in_one_layer(np.ascontiguousarray(self.state.live("anchor").T), self.state.live("body"), self.bodies.spacing)
            self.rest_spread = spread_at_rest(
                links.start, links.slave, self.rest_rows, anchor, self.state["anchor"], self.state["mass"], whole, flat
            )
        return self.rest_rows

    def spread(self) -> np.ndarray:
        """m S of the masters in the present shape (see `inertia`), float32 (n, 6); after `rows`."""
        whole = self.whole()
        result = self._room.array("spread", (len(whole), 6), np.float32)
        if whole.any():
            carry_spread(self.state["elastic"], self.rest_spread, whole, result)
        else:
            result[...] = 0.0
        return result

    def to_slaves(self, back: np.ndarray, centre: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Step 1: mass (k,) [kg] and velocity (k, 4) [m/s] of the slaves. Those of bodies that remember their shape have one
        of their own, which lacks what `given` returns."""
        state, links, array = self.state, self.links(), self._room.array
        carried = array("carried", (state.count, CARRIED))
        mass, velocity = array("mass", (len(place),)), array("velocity", (len(place), 4))
        load_masters(state["position"], state["velocity"], state["gradient"], state["mass"], centre, state.count, carried)
        to_slaves(carried, links.back_start, links.back_master, back, place, mass, velocity)
        # a body that remembers its shape keeps the velocities of its slaves: nothing is lost in transfers
        own = self.bodies.remembers[state.slaves.live("body")]
        if own.any():
            velocity[own, :3] = state.slaves.live("velocity")[:, own].T
        return mass, velocity

    def given(self, back: np.ndarray, place: np.ndarray) -> np.ndarray | None:
        """Impulse [N s] that other kinds have given the slaves of bodies that remember their shape, by way of their masters,
        since the last step: float32 (k, 4), None where nothing was given."""
        state, links, array = self.state, self.links(), self._room.array
        change = state["velocity"] - state["told"]
        change[:, : state.count][:, ~self.whole()] = 0.0
        if not change.any():
            return None
        carried, mass = array("carried_given", (state.count, CARRIED)), array("given_mass", (len(place),))
        still, nowhere = np.zeros_like(state["gradient"]), np.zeros((state.count, 3))
        load_masters(state["position"], change, still, state["mass"], nowhere, state.count, carried)
        result = np.zeros((len(place), 4))
        to_slaves(carried, links.back_start, links.back_master, back, place, mass, result)
        return (result * mass[:, None]).astype(np.float32)

    def advect(
        self, back: np.ndarray, centre: np.ndarray, place: np.ndarray, velocity: np.ndarray, before: np.ndarray,
        moving: np.ndarray, dt: float,
    ) -> None:  # fmt: skip
        """Step 10: slaves move with the momentum of their masters (21), or with their own in a body that remembers its shape."""
        state, links, array = self.state, self.links(), self._room.array
        own = self.bodies.remembers[state.slaves.live("body")]
        carry = velocity
        if not own.all():
            carried, mass = array("carried", (state.count, CARRIED)), array("moved_mass", (len(place),))
            carry = array("carry", (len(place), 4))
            # the shares belong to the places at the start of the step
            start = state["position"] - dt * moving
            load_masters(start, moving, state["gradient"], state["mass"], centre, state.count, carried)
            to_slaves(carried, links.back_start, links.back_master, back, place, mass, carry)
            carry[own] = velocity[own]
        state.slaves.live("velocity")[...] = (before + (velocity - before) / self.bodies.implicitness)[:, :3].T
        advance_slaves(state.slaves["position"], carry, dt, state.slaves.count)

    def follow(self, row: np.ndarray) -> None:
        """Masters that remember their rest shape stand where their slaves say."""
        whole = self.whole()
        if whole.any():
            links = self.links()
            follow_slaves(self.places(), links.start, links.slave, whole, row, self.state["position"])
