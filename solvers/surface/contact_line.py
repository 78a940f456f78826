"""The surface of a liquid at rest on its walls: smooth, and at its contact angle where it meets them.

Particles lie in layers beside a wall, and mirror images behind it make the density volume symmetric there. Left alone, a flat
drop would have terraces and every drop would end in a rounded edge at 90°. So near walls the level set is led a little way down
its own energy, as surface tension would lead the liquid: it moves with its mean curvature, less what the weight of the liquid
holds up, and keeps the volume of every connected body. The end of that way is the Young–Laplace shape; waves of up to about six
spacings get there, wider ones stay as the simulation made them.

The wall's part of that energy is the contact angle: before each step φ is continued into the wall along straight lines that
lean by the angle. With hysteresis any angle between the receding and the advancing one is right, and the surface above decides. A
step is a Gaussian filter of the signed distance, which moves it by curvature × σ²/2, and new distances.
"""

from typing import Any, NamedTuple

import numpy as np

from ..jit import inlined, kernel, parallel_kernel, prange
from .blocks import EDGE, Blocks
from .distance import HALF_WIDTH, signed_distance
from .field import gaussian_filter

_TIME = 2.0
"""How far the way down is followed: Σ σ²/2 [spacings²]."""
_WIDTH = 2.0**0.5
"""σ of a step's Gaussian [voxels]."""
_MOST_STEPS = 32
_FULL, _END = 2.5, 4.0
"""Wall distances up to which the surface moves freely, and from which it stays [spacings]; less if the walls reach less far."""
_RISE = np.float32(1.75)
"""Height of the place from which φ is taken over the place that gets it [voxels]: known already, however the wall is tilted."""
_FARTHEST = np.float32(6.0)
"""Longest way from the one to the other [voxels]: it ends, with what is read around it, in a neighbouring block."""
_DEPTH = 4.5
"""How deep φ is continued into the wall beside its overlap [voxels]: as far as the filter sees."""
_FLATTEST = np.float32(np.radians(8.0))
_MOST_TURNED = np.float32(np.radians(30.0))
"""The surface turns by no more than that between `_RISE` and the wall."""
_AROUND = 6.0
"""How far from its liquid a body reaches, along the axes [spacings]: no surface moves farther."""
ROOM = 2.5
"""How far the foot of a flat drop may be led outwards along a wall [spacings]: so far there must be blocks."""
_FILM = 1.3
"""Liquid thinner than that [spacings] is a film that a drop has left, which the wall holds, if none is thicker near by."""
_THICK, _THICK_BESIDE_FILMS = 11.0, 4.0
"""How near, along the axes [spacings]: the foot of a flat drop reaches so far beyond its second layer; less beside films."""
_FILM_ANGLE = np.float32(np.radians(20.0))
"""Receding angle below which they do."""
_LEAST, _WHOLE = 8.0, 16.0
"""Bodies of liquid smaller than this stay as they are, larger ones than that are wholly led [spacings³]."""
_IN_SIGHT = 0.125
"""A voxel farther than this before a wall, as the particles around it see it, knows which side is meant [spacings]."""
_MOST_MOVED = 0.5
"""Farthest that weight or volume move the surface in a step [voxels]."""
_MISSING = np.float32(1.0e6)


class _Beside(NamedTuple):
    """Voxels beside walls, in order of falling height."""

    place: np.ndarray
    """Flat index, int64 (n,)."""
    normal: np.ndarray
    """Of the wall, float32 (n, 3)."""
    height: np.ndarray
    """Above the wall [voxels], float32 (n,)."""
    least: np.ndarray
    most: np.ndarray
    """Range of the contact angle [rad], float32 (n,)."""


@inlined
def _value(phi, beside, b, x, y, z):
    """φ between the voxels at x, y, z [voxels from the first of block b], `_MISSING` where a neighbour is not stored."""
    i, j, k = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
    u, v, w = x - np.float32(i), y - np.float32(j), z - np.float32(k)
    total = np.float32(0.0)
    for corner in range(8):
        di, dj, dk = corner >> 2, corner >> 1 & 1, corner & 1
        part = u if di else np.float32(1.0) - u
        part *= v if dj else np.float32(1.0) - v
        part *= w if dk else np.float32(1.0) - w
        if part > np.float32(0.0):
            vi, vj, vk = i + di, j + dj, k + dk
            if min(vi, vj, vk) < -EDGE or max(vi, vj, vk) >= 2 * EDGE:
                return _MISSING
            source = beside[b, (((vi + EDGE) // EDGE) * 3 + (vj + EDGE) // EDGE) * 3 + (vk + EDGE) // EDGE]
            if source < 0:
                return _MISSING
            total += part * phi[((source * EDGE + (vi & 7)) * EDGE + (vj & 7)) * EDGE + (vk & 7)]
    return total


@inlined
def _gradient(phi, beside, b, x, y, z):
    """Twice the gradient of φ."""
    one = np.float32(1.0)
    return (
        _value(phi, beside, b, x + one, y, z) - _value(phi, beside, b, x - one, y, z),
        _value(phi, beside, b, x, y + one, z) - _value(phi, beside, b, x, y - one, z),
        _value(phi, beside, b, x, y, z + one) - _value(phi, beside, b, x, y, z - one),
    )


@inlined
def _cotangent(angle):
    angle = min(max(angle, _FLATTEST), np.float32(np.pi) - _FLATTEST)
    return np.cos(angle) / np.sin(angle)


@kernel
def _continue(phi, before, beside, place, normal, height, least, most):
    """φ of voxels at or below the wall, in order of falling height, from what lies above."""
    one = np.float32(1.0)
    for m in range(place.size):
        if height[m] > np.float32(0.0):
            continue
        b, voxel = place[m] // (EDGE * EDGE * EDGE), place[m] % (EDGE * EDGE * EDGE)
        x, y, z = np.float32(voxel // (EDGE * EDGE)), np.float32(voxel // EDGE % EDGE), np.float32(voxel % EDGE)
        nx, ny, nz = normal[m, 0], normal[m, 1], normal[m, 2]
        if _value(phi, beside, b, x + _RISE * nx, y + _RISE * ny, z + _RISE * nz) < np.float32(0.01 - HALF_WIDTH):
            phi[place[m]] = np.float32(-HALF_WIDTH)
            continue
        gx, gy, gz = _gradient(phi, beside, b, x + _RISE * nx, y + _RISE * ny, z + _RISE * nz)
        up = gx * nx + gy * ny + gz * nz
        tx, ty, tz = gx - up * nx, gy - up * ny, gz - up * nz
        along = np.sqrt(tx * tx + ty * ty + tz * tz)
        if along < np.float32(0.05):  # too far up from a flat edge: as it was here
            gx, gy, gz = _gradient(before, beside, b, x, y, z)
            up = gx * nx + gy * ny + gz * nz
            tx, ty, tz = gx - up * nx, gy - up * ny, gz - up * nz
            along = np.sqrt(tx * tx + ty * ty + tz * tz)
        if abs(up) > np.float32(1.0e3) or along > np.float32(1.0e3):
            continue
        shift, rise = np.float32(0.0), _RISE
        if along > np.float32(0.05):
            above = np.arctan2(along, up)
            angle = min(max(above, least[m]), most[m])
            # straight within the wall; before it the surface turns from the angle above to that of the wall
            turning = angle + np.float32(0.5) * min(max(above - angle, -_MOST_TURNED), _MOST_TURNED)
            share = min(max(np.float32(1.0) + height[m] / _RISE, np.float32(0.0)), np.float32(1.0))
            lean = share * _cotangent(turning) + (np.float32(1.0) - share) * _cotangent(angle)
            rise = min(_RISE, _FARTHEST / np.sqrt(one + lean * lean))
            shift = rise * lean / along
        found = _value(phi, beside, b, x + rise * nx - shift * tx, y + rise * ny - shift * ty, z + rise * nz - shift * tz)
        if found < _MISSING * np.float32(0.01):
            phi[place[m]] = found


@inlined
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def _label(phi, open_share, beside, parent):
    """Joins voxels of liquid with their neighbours along the axes: parent becomes one voxel of each body, −1 elsewhere."""
    count = phi.size
    for v in range(count):
        parent[v] = v if phi[v] < np.float32(0.0) and open_share[v] > np.float32(0.0) else -1
    for v in range(count):
        if parent[v] < 0:
            continue
        b, voxel = v // (EDGE * EDGE * EDGE), v % (EDGE * EDGE * EDGE)
        i, j, k = voxel // (EDGE * EDGE), voxel // EDGE % EDGE, voxel % EDGE
        for axis in range(3):
            ni, nj, nk = i + (axis == 0), j + (axis == 1), k + (axis == 2)
            source = beside[b, ((ni // EDGE + 1) * 3 + nj // EDGE + 1) * 3 + nk // EDGE + 1]
            if source >= 0:
                other = ((source * EDGE + (ni & 7)) * EDGE + (nj & 7)) * EDGE + (nk & 7)
                if parent[other] >= 0:
                    a, c = _root(parent, v), _root(parent, other)
                    parent[max(a, c)] = min(a, c)
    for v in range(count):
        if parent[v] >= 0:
            parent[v] = _root(parent, v)


@parallel_kernel
def _spread_labels(label, beside, result):
    """A voxel without a label takes the largest one beside it along the axes."""
    for v in prange(label.size):
        best = label[v]
        if best < 0:
            b, voxel = v // (EDGE * EDGE * EDGE), v % (EDGE * EDGE * EDGE)
            i, j, k = voxel // (EDGE * EDGE), voxel // EDGE % EDGE, voxel % EDGE
            for side in range(6):
                step = 1 - 2 * (side & 1)
                ni, nj, nk = i + step * (side // 2 == 0), j + step * (side // 2 == 1), k + step * (side // 2 == 2)
                source = beside[b, ((ni // EDGE + 1) * 3 + nj // EDGE + 1) * 3 + nk // EDGE + 1]
                if source >= 0:
                    best = max(best, label[((source * EDGE + (ni & 7)) * EDGE + (nj & 7)) * EDGE + (nk & 7)])
        result[v] = best


def _around(label: np.ndarray, beside: np.ndarray, voxel: float) -> np.ndarray:
    """Labels, int64 (n,), and where there is none (−1) that of a voxel near by."""
    label, other = label.copy(), np.empty_like(label)
    for _ in range(int(np.ceil(_AROUND / voxel))):
        _spread_labels(label, beside, other)
        label, other = other, label
    return label


def _labelled(phi: np.ndarray, open_share: np.ndarray, beside: np.ndarray, voxel: float) -> tuple[np.ndarray, int]:
    """Number of the body of liquid that each voxel belongs or is next to, int64 (n,), −1 far from all; and how many there are."""
    label = np.empty(phi.size, np.int64)
    _label(phi, open_share, beside, label)
    roots, numbers = np.unique(label[label >= 0], return_inverse=True)
    label[label >= 0] = numbers
    return _around(label, beside, voxel), len(roots)


def _contact_blocks(phi: np.ndarray, behind: np.ndarray, blocks: Blocks, voxel: float) -> np.ndarray:
    """Blocks in and around which a surface comes near a wall."""
    seen = (behind[1] > 0.0) & (behind[0] < np.float32(_END) * behind[1])
    # what is cut off within the wall is no surface of the liquid
    near = seen & (np.abs(phi) < 1.0) & (behind[0] > np.float32(-0.5) * behind[1])
    chosen = near.reshape(len(blocks.key), -1).any(axis=1)
    for _ in range(int(np.ceil(ROOM / (EDGE * voxel)))):
        beside = blocks.beside[chosen]
        chosen[beside[beside >= 0]] = True
    return np.flatnonzero(chosen)


def _near_walls(
    behind: np.ndarray, beside: np.ndarray, point: np.ndarray, voxel: float, size: float, walls: Any
) -> tuple[_Beside, np.ndarray]:
    """Voxels beside walls, and the height [voxels] of all of them, +inf far from walls. point: (n, 3) [m]."""
    near = walls.near(point)
    at = np.flatnonzero(near.row >= 0)
    at = at[near.count[near.row[at]] > 0]
    row = near.row[at]
    plane, collider = near.plane[row, 0], near.collider[row, 0]
    angle = walls.setting_at("contact_angle", near, point)[row, 0]
    height = np.full(len(point), np.inf, np.float32)
    normal = np.zeros((len(point), 3), np.float32)
    height[at], normal[at] = plane[:, 3] / np.float32(size), plane[:, :3]
    # What lies behind a sheet or a thin plate belongs to the liquid before it: ask a voxel in that liquid's sight.
    sees = np.flatnonzero(behind[0] > np.float32(_IN_SIGHT) * behind[1])
    sees = sees[np.isfinite(height[sees])]
    witness = np.full(len(point), -1, np.int64)
    witness[sees] = sees
    witness = _around(witness, beside, voxel)
    back = np.flatnonzero((witness >= 0) & np.isfinite(height))
    back = back[np.einsum("ij,ij->i", normal[witness[back]], normal[back]) < -0.5]
    seen_by = witness[back]
    turned = normal[seen_by]
    away = np.einsum("ij,ij->i", (point[back] - point[seen_by]) / np.float32(size), turned)
    height[back], normal[back] = height[seen_by] + away, turned
    order = np.argsort(-height[at], kind="stable")
    half = 0.5 * walls.setting("hysteresis")[collider]
    least, most = (np.radians(np.clip(angle + sign * half, 0.0, 180.0)).astype(np.float32)[order] for sign in (-1.0, 1.0))
    return _Beside(at[order], normal[at][order], height[at][order], least, most), height


def _frozen(height: np.ndarray, voxel: float, reach: float) -> np.ndarray:
    """How freely voxels at a height [voxels] move: 1 near walls, 0 from `_END` on."""
    end = min(_END, 0.98 * reach) / voxel
    return np.clip((end - height) / ((1.0 - _FULL / _END) * end), 0.0, 1.0).astype(np.float32)


def _beside_thick(phi: np.ndarray, height: np.ndarray, near: _Beside, voxel: float, beside: np.ndarray) -> np.ndarray:
    """1 where liquid thicker than a film is near by, 0 farther off: films stay as they are, float32 (n,)."""
    label = np.where((phi < 0.0) & (height > _FILM / voxel), 0, -1).astype(np.int64)
    most = int(np.ceil(_THICK / voxel))
    other, steps = np.empty_like(label), np.full(phi.size, most, np.float32)
    for step in range(most):
        steps[label >= 0] = np.minimum(steps[label >= 0], step)
        _spread_labels(label, beside, other)
        label, other = other, label
    reach = np.full(phi.size, _THICK / voxel, np.float32)
    reach[near.place[(near.most > near.least) & (near.least < _FILM_ANGLE)]] = _THICK_BESIDE_FILMS / voxel
    return np.clip((reach - steps) / (0.3 * reach), 0.0, 1.0)


class _Bodies(NamedTuple):
    """Which voxels belong to which body of liquid, to keep the volume of each."""

    known: np.ndarray
    """bool (n,): the voxel is in or near one."""
    index: np.ndarray
    """Of the known ones, int64 (k,)."""
    count: int
    open_share: np.ndarray
    """Part of each known voxel that lies outside the walls, float32 (k,)."""

    def volume(self, phi: np.ndarray) -> np.ndarray:
        """[voxels]."""
        inside = np.clip(0.5 - phi[self.known], 0.0, 1.0) * self.open_share
        return np.bincount(self.index, inside.astype(np.float64), self.count)

    def over_surface(self, phi: np.ndarray, what: np.ndarray) -> np.ndarray:
        """Σ of a field over the open surface of each body; 1 gives its area [voxels]."""
        passes = (np.abs(phi[self.known]) < 0.5) * self.open_share * what[self.known]
        return np.bincount(self.index, passes.astype(np.float64), self.count)


def _step(phi: np.ndarray, blurred: np.ndarray, share: np.ndarray, rest: np.ndarray, bodies: _Bodies, first: np.ndarray) -> None:
    """Moves the surface by the difference between its curvature and that of rest, and gives each body its `first` volume back."""
    one = np.ones_like(phi)
    mean = bodies.over_surface(phi, rest) / np.maximum(bodies.over_surface(phi, one), 1.0)
    asked = np.zeros_like(phi)
    asked[bodies.known] = rest[bodies.known] - mean.astype(np.float32)[bodies.index]
    phi += share * (blurred - phi - np.clip(np.float32(0.5 * _WIDTH**2) * asked, -_MOST_MOVED, _MOST_MOVED))
    _give_back(phi, share, bodies, first)


def _give_back(phi: np.ndarray, share: np.ndarray, bodies: _Bodies, first: np.ndarray) -> None:
    """Moves the surface of each body outwards or inwards until it has its `first` volume."""
    grown = (first - bodies.volume(phi)) / np.maximum(bodies.over_surface(phi, share), 1.0)
    back = np.clip(grown, -_MOST_MOVED, _MOST_MOVED).astype(np.float32)
    phi[bodies.known] -= share[bodies.known] * back[bodies.index]


def meet_walls(
    phi: np.ndarray, behind: np.ndarray, blocks: Blocks, first_block: np.ndarray, voxel: float, size: float, walls: Any,
    overlap: float, weight: tuple[float, float, float],
) -> None:  # fmt: skip
    """Leads the surface φ [voxels], float32 flat (b·512,), towards its rest on the walls.

    `behind`: see `density_volume`. Edge of a voxel: `voxel` [spacings], `size` [m]. `overlap`: depth at which the surface ends
    in a wall [m]. `weight`: gravity × density / surface tension [1/m²].
    """
    chosen = _contact_blocks(phi, behind, blocks, voxel)
    if not len(chosen):
        return
    number = np.full(len(blocks.key) + 1, -1, np.int32)  # the last for −1
    number[chosen] = np.arange(len(chosen))
    beside = np.ascontiguousarray(number[blocks.beside[chosen]])
    start = phi.reshape(len(blocks.key), -1)[chosen].ravel()
    hidden = behind.reshape(2, len(blocks.key), -1)[:, chosen].reshape(2, -1)
    grid = np.stack(np.meshgrid(*(np.arange(EDGE),) * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    point = ((((blocks.index[chosen] + first_block) * EDGE)[:, None, :] + grid).reshape(-1, 3) * size).astype(np.float32)
    near, height = _near_walls(hidden, beside, point, voxel, size, walls)
    open_share = np.clip(height + 0.5, 0.0, 1.0).astype(np.float32)
    body, count = _labelled(start, open_share, beside, voxel)
    known = body >= 0
    bodies = _Bodies(known, body[known], count, open_share[known])
    first = bodies.volume(start)
    share = _frozen(height, voxel, walls.reach / size * voxel) * _beside_thick(start, height, near, voxel, beside)
    share[known] *= np.clip((first * voxel**3 - _LEAST) / (_WHOLE - _LEAST), 0.0, 1.0).astype(np.float32)[bodies.index]
    deepest = -(overlap / size + _DEPTH)
    share[~known | (height <= deepest)] = 0.0
    continued = (near.height <= 0.0) & (share[near.place] > 0.0)
    solid = _Beside(*(field[continued] for field in near))
    rest = (point.astype(np.float64) @ np.asarray(weight) * size).astype(np.float32)  # curvature [1/voxel] but for a constant
    place = np.arange(-5, 6)
    taps = np.exp(-0.5 * (place / _WIDTH) ** 2)
    taps = (taps / taps.sum()).astype(np.float32)
    part, blurred = start.copy(), np.empty_like(start)
    for _ in range(min(max(round(2.0 * _TIME / (_WIDTH * voxel) ** 2), 2), _MOST_STEPS)):
        _continue(part, part.copy(), beside, *solid)
        gaussian_filter(part, beside, taps, blurred)
        _step(part, blurred, share, rest, bodies, first)
        straight = np.square(np.float32(1.0) - part / np.float32(2 * HALF_WIDTH))
        signed_distance(straight, beside, (0, len(chosen)), blurred)
        part = np.where(share > 0.0, blurred, part)
    _give_back(part, share, bodies, first)
    _continue(part, part.copy(), beside, *solid)
    depth = -(height + np.float32(overlap / size))
    part = np.where(share > 0.0, np.minimum(np.maximum(part, depth), np.float32(HALF_WIDTH)), start)
    phi.reshape(len(blocks.key), -1)[chosen] = part.reshape(len(chosen), -1)


def use_kernels() -> None:
    """Uses every kernel of this file once, on one empty block."""
    phi, beside = np.full(EDGE**3, np.float32(HALF_WIDTH)), np.full((1, 27), -1, np.int32)
    line = np.zeros(1, np.float32)
    _continue(phi, phi.copy(), beside, np.zeros(1, np.int64), np.zeros((1, 3), np.float32), line, line, line)
    _labelled(phi, phi, beside, 1.0)
