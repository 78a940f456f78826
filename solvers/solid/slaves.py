"""Slaves of the members: first layout, covering of what is new, adding and deleting (step 11)."""

from collections.abc import Sequence

import numpy as np

from . import layout
from .flesh import parted
from .links import link, within
from .state import SolidState


def rigid_motion(place: np.ndarray, velocity: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Middle [m], mean velocity [m/s] and spin [1/s] of the rigid motion nearest to `velocity` (n, 3) of points at `place` (n,
    3)."""
    middle, mean = place.mean(axis=0), velocity.mean(axis=0)
    arm, speed = place - middle, velocity - mean
    inertia = np.eye(3) * (arm**2).sum() - arm.T @ arm
    spin = np.linalg.lstsq(inertia, np.cross(arm, speed).sum(axis=0), rcond=1.0e-9)[0]
    return middle, mean, spin


class Slaves:
    """Where slaves are put and taken away; they live in the state."""

    def __init__(self, spacing: float, slave_spacing: np.ndarray, reach: np.ndarray, rules: Sequence[str]) -> None:
        """Particle spacing [m]; by member: distance between slaves [m], kernel radius [m] and rule ("cover" or "paper")."""
        self.spacing, self.slave_spacing, self.reach, self.rules = spacing, slave_spacing, reach, tuple(rules)

    def first(self, state: SolidState, member: int, masters: np.ndarray, velocity: np.ndarray, remembers: bool) -> None:
        """The layout of a new body with `masters` (n, 3). One that remembers its shape has them less far out, and none that joins
        what no material does."""
        rim = layout.RIM if remembers else 1.0
        near = rim * float(self.reach[member])
        new = layout.first_layout(masters, self.spacing, float(self.slave_spacing[member]), near)
        if not remembers:
            self._add(state, member, new, masters, velocity)
            return
        site, root = parted(new, masters, self.spacing, float(self.reach[member]), near)
        ids = state.live("id")[state.live("body") == member]
        self._add(state, member, new[site], masters, velocity, np.where(root < 0, 0, 1 + ids[root]))

    def cover(self, state: SolidState, member: int, masters: np.ndarray, velocity: np.ndarray, present: np.ndarray) -> None:
        """Slaves around new `masters` (n, 3) where none of the `present` ones (k, 3) is."""
        new = layout.uncovered(masters, present, float(self.slave_spacing[member]), float(self.reach[member]))
        self._add(state, member, new, masters, velocity)

    def _add(
        self, state: SolidState, member: int, places: np.ndarray, masters: np.ndarray, velocity: np.ndarray,
        root: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        """New slaves at `places` (k, 3) with the velocity of the rigid motion that fits `masters` (n, 3) best."""
        if len(places):
            body = np.full(len(places), member, np.int32)
            middle, mean, spin = rigid_motion(masters, velocity)
            speed = mean + np.cross(spin, places - middle)
            carries = np.zeros(len(places), np.int32) if root is None else root
            state.slaves.append({"position": places.T, "velocity": speed.T, "anchor": places.T, "body": body, "root": carries})

    def forget_lonely(self, state: SolidState) -> None:
        """Deletes slaves that no master of their body sees."""
        slaves, keep = state.slaves, np.zeros(state.slaves.count, bool)
        for member, reach in enumerate(self.reach):
            own, masters = np.flatnonzero(slaves.live("body") == member), state.live("body") == member
            both = slaves.live("position")[:, own], state.live("position")[:, masters]
            places = [np.ascontiguousarray(part.T) for part in both]
            if len(places[0]) and len(places[1]):
                zeros = np.zeros(max(map(len, places)), np.int32)
                start = within(places[0], zeros[: len(places[0])], places[1], zeros[: len(places[1])], float(reach))[0]
                keep[own] = np.diff(start) > 0
        slaves.keep(keep)

    def resample(self, state: SolidState, member: int) -> None:
        """Deletes crowded slaves and those that no master sees, adds where they are missing."""
        own = state.live("body") == member
        masters = np.ascontiguousarray(state.live("position")[:, own].T)
        if len(masters) == 0:
            return
        slaves, reach = state.slaves, float(self.reach[member])
        mine = np.flatnonzero(slaves.live("body") == member)
        places = np.ascontiguousarray(slaves.live("position")[:, mine].T)
        paper = self.rules[member] == "paper"
        keep = layout.uncrowded(places, (layout.CLOSEST if paper else layout.CROWDED) * reach)
        zeros = np.zeros(max(len(places), len(masters)), np.int32)
        start, _, _ = within(places, zeros[: len(places)], masters, zeros[: len(masters)], reach)
        keep &= np.diff(start) > 0
        if paper:
            new = self._after_separation(state, member, own, mine, masters, places)
        else:
            new = layout.uncovered(masters, places[keep], float(self.slave_spacing[member]), reach)
        if not keep.all():
            mask = np.ones(slaves.count, bool)
            mask[mine[~keep]] = False
            slaves.keep(mask)
        self._add(state, member, new, masters, state.live("velocity")[:, own].T)

    def _after_separation(
        self, state: SolidState, member: int, own: np.ndarray, mine: np.ndarray, masters: np.ndarray, places: np.ndarray
    ) -> np.ndarray:
        """New slaves by the paper's rule (§ 4.2), (k, 3), for masters `own` and slaves `mine` of a member."""
        reach = float(self.reach[member])
        rest = np.ascontiguousarray(state.live("rest")[:, own].T)
        anchors, slave_anchors = state.live("anchor")[:, own].T, state.slaves.live("anchor")[:, mine].T
        before = link(anchors, np.zeros(len(rest), np.int32), slave_anchors, np.zeros(len(mine), np.int32), np.array([reach]))
        pairs = layout.separated(rest, masters, 0.5 * self.spacing, 2.0 * reach)
        return layout.after_separation(pairs, masters, places, before.start, before.slave, reach)
