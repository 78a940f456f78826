"""Contact springs of a step as a part of the linear system: few masters, each felt through its slaves."""

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from .links import Links


class Touch(NamedTuple):
    """The masters that touch something and the slaves behind them."""

    master: np.ndarray
    """Masters, int64 (t,), each once."""
    slave: np.ndarray
    """Slaves behind them, int64 (k,), each once."""
    start: np.ndarray
    """First entry of each of these slaves, int64 (k + 1,)."""
    which: np.ndarray
    """Row of `master` of each entry, int64."""
    share: np.ndarray
    """N of each entry, float32."""


def touch(masters: np.ndarray, links: Links, row: np.ndarray) -> Touch:
    """Lists for the given masters (may repeat)."""
    unique = np.unique(masters)
    entries = [np.arange(links.start[m], links.start[m + 1]) for m in unique]
    which = np.repeat(np.arange(len(unique)), [len(part) for part in entries])
    entry = np.concatenate(entries) if entries else np.empty(0, np.int64)
    behind = links.slave[entry]
    order = np.argsort(behind, kind="stable")
    slave, first = np.unique(behind[order], return_index=True)
    start = np.append(first, len(order)).astype(np.int64)
    return Touch(unique, slave.astype(np.int64), start, which[order], row[entry[order], 3].copy())


@kernel
def gather(links, row, master, vector, out):
    """Σ N vector (k, 4) at each of the masters (t,), float64 (t, 3)."""
    for t in range(len(master)):
        m = master[t]
        x, y, z = 0.0, 0.0, 0.0
        for k in range(links.start[m], links.start[m + 1]):
            s, share = links.slave[k], row[k, 3]
            x += share * vector[s, 0]
            y += share * vector[s, 1]
            z += share * vector[s, 2]
        out[t, 0], out[t, 1], out[t, 2] = x, y, z


@kernel
def stretch(first, second, normal, along, across, speed, force):
    """Adds k (n·v) n + k_t v_t of every contact to the force (t, 3) of its masters, v being the relative `speed` (t, 3)."""
    for c in range(len(first)):
        i, j = first[c], second[c]
        v0, v1, v2 = speed[i, 0], speed[i, 1], speed[i, 2]
        if j >= 0:
            v0, v1, v2 = v0 - speed[j, 0], v1 - speed[j, 1], v2 - speed[j, 2]
        n0, n1, n2 = normal[c, 0], normal[c, 1], normal[c, 2]
        extra = (along[c] - across[c]) * (v0 * n0 + v1 * n1 + v2 * n2)
        f0, f1, f2 = across[c] * v0 + extra * n0, across[c] * v1 + extra * n1, across[c] * v2 + extra * n2
        force[i, 0] += f0
        force[i, 1] += f1
        force[i, 2] += f2
        if j >= 0:
            force[j, 0] -= f0
            force[j, 1] -= f1
            force[j, 2] -= f2


@kernel
def hand_on(slave, start, which, share, force, scale, vector, out):
    """out += scale Σ N force at the slaves behind; returns the change of vector · out."""
    total = 0.0
    for t in range(len(slave)):
        x, y, z = 0.0, 0.0, 0.0
        for k in range(start[t], start[t + 1]):
            w = which[k]
            x += share[k] * force[w, 0]
            y += share[k] * force[w, 1]
            z += share[k] * force[w, 2]
        s = slave[t]
        out[s, 0] += scale * x
        out[s, 1] += scale * y
        out[s, 2] += scale * z
        total += scale * (x * vector[s, 0] + y * vector[s, 1] + z * vector[s, 2])
    return total


@kernel
def spring_blocks(first, second, normal, along, across, slave, start, which, share, scale, width, out):
    """Adds the springs' share of each slave's own 3×3 block, (k, 6): xx, yy, zz, xy, xz, yz."""
    own = np.zeros((width, 6))
    for c in range(len(first)):
        for side in range(2):
            t = first[c] if side == 0 else second[c]
            if t < 0:
                continue
            n0, n1, n2 = normal[c, 0], normal[c, 1], normal[c, 2]
            extra = along[c] - across[c]
            own[t, 0] += across[c] + extra * n0 * n0
            own[t, 1] += across[c] + extra * n1 * n1
            own[t, 2] += across[c] + extra * n2 * n2
            own[t, 3] += extra * n0 * n1
            own[t, 4] += extra * n0 * n2
            own[t, 5] += extra * n1 * n2
    for t in range(len(slave)):
        for k in range(start[t], start[t + 1]):
            square = scale * share[k] * share[k]
            for part in range(6):
                out[slave[t], part] += square * own[which[k], part]


class Springs:
    """Springs along and across contacts, ready for products with velocities of slaves."""

    def __init__(self, touched: Touch, links: Links, row: np.ndarray, first: np.ndarray, second: np.ndarray, normal: np.ndarray,
                 scale: float) -> None:  # fmt: skip
        """`first`, `second`: masters of each contact (c,), -1 where the other side is a wall; `normal` (c, 3); `scale`:
        θ Δt² [s²]."""
        self.touched, self._links, self._row, self.normal = touched, links, row, normal
        self.first = np.searchsorted(touched.master, first)
        self.second = np.where(second >= 0, np.searchsorted(touched.master, second), -1)
        self._scale = scale
        self.along = np.zeros(len(first))
        self.across = np.zeros(len(first))
        """Stiffness [N/m] of each contact along and across its normal, zero where it does not act."""
        self._speed, self._force = np.zeros((len(touched.master), 3)), np.zeros((len(touched.master), 3))

    def relative(self, vector: np.ndarray) -> np.ndarray:
        """Relative velocity at every contact, float64 (c, 3), of slave velocities (k, 4)."""
        gather(self._links, self._row, self.touched.master, vector, self._speed)
        return self._speed[self.first] - np.where(self.second >= 0, 1.0, 0.0)[:, None] * self._speed[self.second]

    def add(self, vector: np.ndarray, out: np.ndarray) -> float:
        """out += θ Δt² k vector; returns the change of vector · out."""
        gather(self._links, self._row, self.touched.master, vector, self._speed)
        self._force[...] = 0.0
        stretch(self.first, self.second, self.normal, self.along, self.across, self._speed, self._force)
        part = self.touched
        return float(hand_on(part.slave, part.start, part.which, part.share, self._force, self._scale, vector, out))

    def add_impulse(self, impulse: np.ndarray, out: np.ndarray) -> None:
        """out += impulses (c, 3) [N s] of the contacts on their first masters, and their opposites on the second ones."""
        self._force[...] = 0.0
        np.add.at(self._force, self.first, impulse)
        paired = self.second >= 0
        np.add.at(self._force, self.second[paired], -impulse[paired])
        part = self.touched
        hand_on(part.slave, part.start, part.which, part.share, self._force, 1.0, out, out)

    def add_blocks(self, out: np.ndarray) -> None:
        """out (k, 6) += the springs' part of the diagonal blocks."""
        part = self.touched
        width = len(part.master)
        spring_blocks(
            self.first, self.second, self.normal, self.along, self.across, part.slave, part.start, part.which, part.share,
            self._scale, width, out,
        )  # fmt: skip
