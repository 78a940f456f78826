"""Contacts between masters: of two bodies, or of two far parts of one that springs back.

Bodies have slaves of their own, so nothing but this holds them apart. A body that flows needs no contact with itself: its parts
share slaves where they meet, and join. Pairs that press remember how far their spring across is drawn.
"""

import numpy as np

from ..state import State
from .contact import Contacts
from .facing import carried, outward, touching
from .flesh import share_slaves
from .links import Links, within

_NEIGHBOURS = 16
"""A master with fewer others within 1.6 spacings lies at the surface (18 in a full lattice)."""
_AROUND = 1.6
_FLESH = 2.5
"""Masters of one flesh that are closer than this at rest, in spacings, never push each other apart."""
_SKIN = 0.5
"""Pairs are listed this much farther than they touch, in spacings; the list holds until something has moved half of it."""


_LEAST = 1.0e-3
"""Pairs with a smaller share of a contact's stiffness are left out."""
_SHIFT = 32


def pair_keys(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One number for each pair of ids, int64 (p,): it rises with the pair."""
    return (first.astype(np.int64) << _SHIFT) | second.astype(np.int64)


def remember(
    touching: State, ids: np.ndarray, contacts: Contacts, grip: np.ndarray, presses: np.ndarray, slides: np.ndarray
) -> None:
    """Keeps the springs across, `grip` (c, 3), of the pairs among the contacts that press. `ids` (n,) of the masters."""
    kept = np.flatnonzero((contacts.second >= 0) & presses)
    touching.keep(np.zeros(touching.count, bool))
    if len(kept):
        touching.append(
            {
                "first": ids[contacts.first[kept]], "second": ids[contacts.second[kept]], "grip": grip[kept].T,
                "slid": slides[kept].astype(np.int32),
            }
        )  # fmt: skip


def _zeros(count: int) -> np.ndarray:
    return np.zeros(count, np.int32)


def _recalled(touching: State, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far the springs of pairs with these keys (c,) were drawn [m], (c, 3), zero for new ones, and which slid, bool (c,): new
    pairs do if one of their masters slid, so that what slides does not catch on everybody it comes to."""
    grip, slid = np.zeros((len(keys), 3)), np.zeros(len(keys), bool)
    if touching.count and len(keys):
        known = pair_keys(touching.live("first"), touching.live("second"))
        place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        found = known[place] == keys
        grip[found] = touching.live("grip").T[place[found]]
        before = touching.live("slid") != 0
        slid[found] = before[place[found]]
        sliding = np.union1d(touching.live("first")[before], touching.live("second")[before])
        new = np.flatnonzero(~found)
        slid[new] = np.isin(keys[new] >> _SHIFT, sliding) | np.isin(keys[new] & ((1 << _SHIFT) - 1), sliding)
    return grip, slid


class PairSearch:
    """Finds pairs of masters that touch. The list of candidates is scratch: it never changes a result."""

    def __init__(self, spacing: float) -> None:
        self.spacing = spacing
        self._surface: np.ndarray | None = None
        self._row, self._normal = np.empty(0, np.int64), np.empty((0, 3))
        self._pairs = np.empty((0, 3), np.int64)
        """First and second master, and whether they are two fleshes."""
        self._seen: np.ndarray | None = None

    def forget(self) -> None:
        """Masters have come, gone, or have other neighbours."""
        self._surface, self._seen = None, None

    def find(
        self, position: np.ndarray, anchor: np.ndarray, rest: np.ndarray, body: np.ndarray, remembers: np.ndarray,
        stiffness: np.ndarray, friction: np.ndarray, ids: np.ndarray, known: State, elastic: np.ndarray, links: Links,
    ) -> Contacts:  # fmt: skip
        """Contacts of masters at `position` (3, n). `remembers` (bodies,): bodies that touch themselves; `stiffness`, `friction`
        (bodies,); `ids` (n,), rising; `known`: the pairs that pressed in the step before; `elastic` (9, n): F of bodies that
        remember their shape; `links`: who is one flesh."""
        if self._surface is None:
            anchors = np.ascontiguousarray(anchor.T)
            start, index, _ = within(anchors, body, anchors, body, _AROUND * self.spacing)
            self._surface = np.flatnonzero(np.diff(start) - 1 < _NEIGHBOURS)
            self._row = np.full(len(anchors), -1, np.int64)
            self._row[self._surface] = np.arange(len(self._surface))
            self._normal = outward(start, index, anchors, self._surface, self.spacing)
        places = np.ascontiguousarray(position[:, self._surface].T)
        if self._seen is None or np.abs(places - self._seen).max(initial=0.0) > 0.5 * _SKIN * self.spacing / np.sqrt(3.0):
            self._list(places, rest, body, remembers, links)
        first, second, apart = self._pairs.T
        away = (position[:, first] - position[:, second]).T
        distance = np.linalg.norm(away, axis=1)
        near = (distance < (1.0 + 0.5 * _SKIN) * self.spacing) & (distance > 1.0e-6 * self.spacing)
        first, second, away, distance = first[near], second[near], away[near], distance[near]
        one, other = stiffness[body[first]], stiffness[body[second]]
        facing, back = (self._facing(masters, elastic, remembers[body[masters]]) for masters in (first, second))
        normal, distance, share = touching(away, first, second, facing, back, apart[near] != 0, self.spacing, len(ids))
        kept = share > _LEAST
        first, second, normal, distance, share = first[kept], second[kept], normal[kept], distance[kept], share[kept]
        one, other, count = one[kept], other[kept], int(kept.sum())
        grip, slid = _recalled(known, pair_keys(ids[first], ids[second]))
        grip -= normal * np.einsum("ij,ij->i", grip, normal)[:, None]
        return Contacts(
            first, second, normal, distance - self.spacing, np.zeros((count, 3)),
            np.minimum(friction[body[first]], friction[body[second]]), np.zeros(count), np.zeros(count, bool),
            grip, share * one * other / (one + other), np.full(count, -1, np.int64), slid,
        )  # fmt: skip

    def _facing(self, masters: np.ndarray, elastic: np.ndarray, remembers: np.ndarray) -> np.ndarray:
        """Normals of masters of the surface (p,), (p, 3); anchors of bodies that flow are those of the present shape."""
        normal = self._normal[self._row[masters]]
        normal[remembers] = carried(normal[remembers], elastic[:, masters[remembers]])
        return normal

    def _list(self, places: np.ndarray, rest: np.ndarray, body: np.ndarray, remembers: np.ndarray, links: Links) -> None:
        surface = self._surface
        assert surface is not None
        start, index, _ = within(places, _zeros(len(places)), places, _zeros(len(places)), (1.0 + _SKIN) * self.spacing)
        first, second = surface[np.repeat(np.arange(len(places)), np.diff(start))], surface[index]
        same = body[first] == body[second]
        kept = (first < second) & (~same | remembers[body[first]])
        first, second, flesh = first[kept], second[kept], same[kept]
        flesh[flesh] = share_slaves(links, first[flesh], second[flesh])
        kept = ~flesh | (np.linalg.norm(rest[:, first] - rest[:, second], axis=0) > _FLESH * self.spacing)
        pairs = np.stack([first[kept], second[kept], ~flesh[kept]], axis=1)
        # one order whenever the list was made: sums over it are always the same
        self._pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        self._seen = places
