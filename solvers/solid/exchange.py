"""Between masters and slaves within a step: who sees whom, coefficients, masses and velocities, moving along (1, 10)."""

import numpy as np

from .bodies import Bodies
from .links import Links, link
from .move import advance_slaves
from .rows import ENTRY, carry_rows, fill_rows, follow_slaves, sort_back
from .shape import shape_rows
from .state import SolidState
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

    def forget(self) -> None:
        """Masters or slaves have come, gone, or have other neighbours."""
        self._links = self.rest_rows = None

    def links(self) -> Links:
        if self._links is None:
            state, slaves = self.state, self.state.slaves
            anchors, slave_anchors = (np.ascontiguousarray(part.live("anchor").T) for part in (state, slaves))
            self._links = link(anchors, state.live("body"), slave_anchors, slaves.live("body"), self.bodies.reach)
        return self._links

    def places(self) -> np.ndarray:
        """Places of the slaves, float64 (k, 4) [m]."""
        place = self._room.array("place", (self.state.slaves.count, 4))
        place[:, :3] = self.state.slaves.live("position").T
        return place

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
        return self.rest_rows

    def to_slaves(self, back: np.ndarray, centre: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Step 1: mass (k,) [kg] and velocity (k, 4) [m/s] of the slaves."""
        state, links, array = self.state, self.links(), self._room.array
        carried = array("carried", (state.count, CARRIED))
        mass, velocity = array("mass", (len(place),)), array("velocity", (len(place), 4))
        load_masters(state["position"], state["velocity"], state["gradient"], state["mass"], centre, state.count, carried)
        to_slaves(carried, links.back_start, links.back_master, back, place, mass, velocity)
        # a body that remembers its shape keeps the velocities of its slaves: nothing is lost in transfers
        own = self.bodies.remembers[state.slaves.live("body")]
        if own.any():
            velocity[own, :3] = state.slaves.live("velocity")[:, own].T + self._given(links, back, place)[own, :3]
        return mass, velocity

    def _given(self, links: Links, back: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Change of the slaves' velocities (k, 4) by what other kinds have given their masters since the last step."""
        state, array = self.state, self._room.array
        result = array("given", (len(place), 4))
        change = state["velocity"] - state["told"]
        if not change.any():
            result[...] = 0.0
            return result
        carried, mass = array("carried_given", (state.count, CARRIED)), array("given_mass", (len(place),))
        still, nowhere = np.zeros_like(state["gradient"]), np.zeros((state.count, 3))
        load_masters(state["position"], change, still, state["mass"], nowhere, state.count, carried)
        to_slaves(carried, links.back_start, links.back_master, back, place, mass, result)
        return result

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
