"""The artist's mesh in the body: every vertex follows the masters around it.

x = Σ c x_m with the shape functions of moving least squares at rest: constants, found once. Affine motion of the masters carries
over exactly, also to vertices half a spacing outside of them.
"""

import numpy as np

from ..jit import parallel_kernel, prange
from .flesh import connected
from .links import within
from .shape import shape_at

_REACH = 2.3
"""How far a vertex sees masters, in spacings; farther where it sees too few."""
_FEWEST = 12
_WIDER = 1.5
_TRIES = 6


@parallel_kernel
def _coefficients(vertices, masters, start, index, reach, out):
    for v in prange(len(vertices)):
        shape_at(vertices[v, 0], vertices[v, 1], vertices[v, 2], masters, start[v], start[v + 1], index, reach[v], out)


@parallel_kernel
def _follow(start, index, coefficient, position, out):
    for v in prange(len(out)):
        x, y, z = 0.0, 0.0, 0.0
        for k in range(start[v], start[v + 1]):
            m, c = index[k], coefficient[k]
            x += c * position[0, m]
            y += c * position[1, m]
            z += c * position[2, m]
        out[v, 0], out[v, 1], out[v, 2] = x, y, z


class Embedding:
    """A mesh in one body. Scratch: it follows from the vertices and the masters' places at rest."""

    def __init__(self, vertices: np.ndarray, rest: np.ndarray, spacing: float) -> None:
        """`vertices` (v, 3) and masters at `rest` (n, 3), both of the first frame [m]."""
        self.count = len(rest)
        reach = np.full(len(vertices), _REACH * spacing)
        todo = np.arange(len(vertices))
        zeros = np.zeros(max(len(vertices), len(rest)), np.int32)
        found: dict[int, np.ndarray] = {}
        for attempt in range(_TRIES):
            wide = _REACH * spacing * _WIDER**attempt
            start, index, _ = within(vertices[todo], zeros[: len(todo)], rest, zeros[: len(rest)], wide)
            enough = (np.diff(start) >= min(_FEWEST, len(rest))) | (attempt == _TRIES - 1)
            for at in np.flatnonzero(enough):
                found[int(todo[at])] = index[start[at] : start[at + 1]]
                reach[todo[at]] = wide
            todo = todo[~enough]
            if len(todo) == 0:
                break
        parts = self._own(found, vertices, rest, spacing)
        self._start = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
        self._index = np.concatenate(parts).astype(np.int32)
        self._coefficient = np.zeros(len(self._index))
        places = np.zeros((len(rest), 4))
        places[:, :3] = rest
        _coefficients(np.ascontiguousarray(vertices), places, self._start, self._index, reach, self._coefficient)

    @staticmethod
    def _own(found: dict[int, np.ndarray], vertices: np.ndarray, rest: np.ndarray, spacing: float) -> list[np.ndarray]:
        """The masters of each vertex without those beyond a gap: it goes with the piece of its nearest one."""
        parts = [found[v] for v in range(len(vertices))]
        start = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
        nearest = [part[np.argmin(((rest[part] - at) ** 2).sum(axis=1))] for part, at in zip(parts, vertices, strict=True)]
        index = np.concatenate(parts).astype(np.int32)
        kept = connected(start, index, np.array(nearest, np.int64), rest, np.zeros(len(rest), np.int32), spacing)
        return [part[kept[a:b]] for part, a, b in zip(parts, start[:-1], start[1:], strict=True)]

    def follow(self, position: np.ndarray) -> np.ndarray:
        """Vertices [m], float32 (v, 3), for masters at `position` (3, n)."""
        out = np.empty((len(self._start) - 1, 3), np.float32)
        _follow(self._start, self._index, self._coefficient, np.ascontiguousarray(position), out)
        return out
