"""Particles where the foam needs them: new ones in voids that flow has opened, one for two where they crowd.

Section 5 of the foam paper. A void is a place inside the foam with no particle within `EMPTY` spacings. Candidates are thrown
around particles that have flowed, as in Poisson-disk sampling, and kept if they are empty, apart from each other and
*inside*: a ball of `DEPTH` spacings around the candidate must lie within the union of balls of `REACH` spacings around whole
particles, that is, the signed distance of that union must be below −DEPTH. Cavities and gaps wider than about two cells, the
outside, and torn material are never filled.

A new particle takes equal shares of mass, volume and momentum from those around it; of two mutual nearest neighbours closer
than `CROWDED` spacings the heavier one takes everything. A torn particle that has stopped opening heals onto the whole one it
touches, and one left alone goes into a whole one nearby. Totals change by rounding only.
"""

import numpy as np

from ..jit import inlined, kernel, parallel_kernel, prange
from ..state import State
from ..walls.borrow import borrowed
from .cloud import Cloud, cell_at, nearest_to, span
from .tiles import Tiles

EMPTY = 1.05
THROW = 1.1
"""Distance of candidates from the particle they are thrown from, in spacings."""
REACH, DEPTH = 1.3, 0.8
DONORS = 1.7
"""New particles take from those within this many spacings."""
CROWDED = 0.45
_MOST_MASS = 2.2
"""Heaviest result of a merge, in particles."""
RETRACT = 2.0
"""Torn particles that are left alone go into a whole one within this many spacings, as a torn film draws back."""
_ALONE = 0.7
"""Density around a torn particle, in that of the foam, below which it counts as alone."""
TOUCH = 1.5
"""A torn particle that no longer opens heals onto a whole one within this many spacings."""
BEYOND = 2.0
"""It must have nothing whole on its other side, as far as the grid carries forces: within twice this many spacings."""
_LEAST_MASS = 0.2
"""Lightest donor, in particles."""
_FLOWED = 0.25
"""Plastic strain from which on particles look for voids: what has not flowed has none."""
_SHARE = 3
"""One eligible particle in 2^… looks in each round; which one changes as it flows."""
_MOST_DONORS = 24
_SPHERE = np.array(
    [[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if abs(x) + abs(y) + abs(z) in (1, 3)], np.float64
)
_SPHERE32 = (_SPHERE / np.linalg.norm(_SPHERE, axis=1)[:, None]).astype(np.float32)


@inlined
def _inside(cloud, tile, x, y, z, spacing, sphere):
    """Whether the ball of DEPTH spacings around a place lies within the union of balls around whole particles."""
    depth, reach = np.float32(DEPTH) * spacing, np.float32(REACH) * spacing
    for d in range(len(sphere)):
        at = (x + depth * sphere[d, 0], y + depth * sphere[d, 1], z + depth * sphere[d, 2])
        if nearest_to(cloud, tile, at[0], at[1], at[2], reach, np.int64(-1), True) < 0:
            return False
    return True


@inlined
def _scrambled(number):
    """A well-mixed 64-bit number (the finaliser of splitmix64)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@inlined
def _unit(number):
    """A float32 in [0, 1) from the top bits."""
    return np.float32(number >> np.uint64(40)) * np.float32(2.0**-24)


@parallel_kernel
def _throw(all_cloud, spacing, sphere, wanted, candidate):
    """Find at most one void beside each particle: `wanted` (n,) says whether, `candidate` (n, 3) where."""
    for tile in prange(len(all_cloud.start) - 1):
        cloud = borrowed(all_cloud)
        empty, away = np.float32(EMPTY) * spacing, np.float32(THROW) * spacing
        for p in range(cloud.start[tile], cloud.start[tile + 1]):
            wanted[p] = False
            if cloud.torn[p] > np.float32(0.5) or cloud.plastic[p] < np.float32(_FLOWED):
                continue
            seed = np.uint64(cloud.id[p]) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(cloud.plastic[p] * np.float32(1.0e6))
            random = _scrambled(seed)
            if random & np.uint64((1 << _SHARE) - 1):
                continue
            for _ in range(6):
                random = _scrambled(random + np.uint64(0x9E3779B97F4A7C15))
                cosine = np.float32(2.0) * _unit(random) - np.float32(1.0)
                random = _scrambled(random + np.uint64(0x9E3779B97F4A7C15))
                turn = np.float32(2.0 * np.pi) * _unit(random)
                across = np.sqrt(np.float32(1.0) - cosine * cosine)
                x = cloud.position[0, p] + away * across * np.cos(turn)
                y = cloud.position[1, p] + away * across * np.sin(turn)
                z = cloud.position[2, p] + away * cosine
                free = nearest_to(cloud, tile, x, y, z, empty, np.int64(-1), False) < 0
                if free and _inside(cloud, tile, x, y, z, spacing, sphere):
                    wanted[p] = True
                    candidate[p, 0], candidate[p, 1], candidate[p, 2] = x, y, z
                    break


@kernel
def _apart(places, distance, keep):
    """Keep places (n, 3) in order, each at least `distance` from those kept before."""
    size = 64
    while size < 4 * len(places):
        size *= 2
    head, link = np.full(size, -1, np.int64), np.full(len(places), -1, np.int64)
    for p in range(len(places)):
        i0 = np.int64(np.floor(places[p, 0] / distance))
        j0 = np.int64(np.floor(places[p, 1] / distance))
        k0 = np.int64(np.floor(places[p, 2] / distance))
        keep[p] = True
        for n in range(27):
            i, j, k = i0 + n // 9 - 1, j0 + n // 3 % 3 - 1, k0 + n % 3 - 1
            q = head[(i * 73856093 ^ j * 19349663 ^ k * 83492791) & (size - 1)]
            while q >= 0:
                gap = 0.0
                for a in range(3):
                    gap += (places[p, a] - places[q, a]) ** 2
                if gap < distance * distance:
                    keep[p] = False
                q = link[q]
        if keep[p]:
            slot = (i0 * 73856093 ^ j0 * 19349663 ^ k0 * 83492791) & (size - 1)
            link[p], head[slot] = head[slot], p


@kernel
def _donors(cloud, tile, place, radius, body, least_mass, found):
    """Whole particles of one body within `radius` of a place, as many as `found` has room for; returns how many."""
    count = 0
    i0, i1 = span(place[0], radius, cloud)
    j0, j1 = span(place[1], radius, cloud)
    k0, k1 = span(place[2], radius, cloud)
    for i in range(i0, i1 + 1):
        for j in range(j0, j1 + 1):
            for k in range(k0, k1 + 1):
                cell = cell_at(cloud, tile, np.int32(i), np.int32(j), np.int32(k))
                if cell < 0:
                    continue
                for q in range(cloud.cell[cell], cloud.cell[cell + 1]):
                    gap = np.float32(0.0)
                    for a in range(3):
                        gap += (cloud.position[a, q] - place[a]) ** 2
                    mine = cloud.body[q] == body and cloud.torn[q] < np.float32(0.5) and cloud.mass[q] > least_mass
                    if gap < radius * radius and mine and count < len(found):
                        found[count] = q
                        count += 1
    return count


@kernel
def _give(cloud, tile, parent, places, radius, least_mass, volume, mixed, born):
    """Take shares for each place from its donors. `mixed` holds what is averaged by mass, (components, n); `born` (m, …)
    gets the new particles' rows: mass, volume, mixed. Rows without donors keep mass 0."""
    found = np.empty(_MOST_DONORS, np.int64)
    for b in range(len(places)):
        count = _donors(cloud, tile[b], places[b], radius, cloud.body[parent[b]], least_mass[cloud.body[parent[b]]], found)
        born[b, :] = 0.0
        if count < 4:
            continue
        for d in range(count):
            q = found[d]
            mass, space = cloud.mass[q] / np.float32(count + 1), volume[q] / np.float32(count + 1)
            before, space_before = np.float64(cloud.mass[q]), np.float64(volume[q])
            cloud.mass[q] -= mass
            volume[q] -= space
            # what the donor lost after rounding is what the new particle gains
            given = before - np.float64(cloud.mass[q])
            born[b, 0] += given
            born[b, 1] += space_before - np.float64(volume[q])
            for c in range(len(mixed)):
                born[b, 2 + c] += given * np.float64(mixed[c, q])
        for c in range(len(mixed)):
            born[b, 2 + c] /= born[b, 0]


@parallel_kernel
def _closest(all_cloud, radius, torn, nearest):
    """Nearest whole particle within `radius` of each whole (`torn` 0) or torn (1) particle, or −1, int64 (n,)."""
    for tile in prange(len(all_cloud.start) - 1):
        cloud = borrowed(all_cloud)
        for p in range(cloud.start[tile], cloud.start[tile + 1]):
            nearest[p] = -1
            if (cloud.torn[p] > np.float32(0.5)) == (torn == 1):
                x, y, z = cloud.position[0, p], cloud.position[1, p], cloud.position[2, p]
                nearest[p] = nearest_to(cloud, tile, x, y, z, radius, np.int64(p), True)


@parallel_kernel
def _between(all_cloud, reach, nearest, between):
    """Whether a torn particle whose nearest whole one is `nearest` has another whole one on its other side, bool (n,)."""
    for tile in prange(len(all_cloud.start) - 1):
        cloud = borrowed(all_cloud)
        for p in range(cloud.start[tile], cloud.start[tile + 1]):
            between[p] = False
            q = nearest[p]
            if q < 0:
                continue
            x, y, z = cloud.position[0, p], cloud.position[1, p], cloud.position[2, p]
            dx, dy, dz = x - cloud.position[0, q], y - cloud.position[1, q], z - cloud.position[2, q]
            scale = reach / max(np.sqrt(dx * dx + dy * dy + dz * dz), np.float32(1.0e-12))
            other = nearest_to(cloud, tile, x + scale * dx, y + scale * dy, z + scale * dz, reach, np.int64(-1), True)
            between[p] = other >= 0


_MIXED = ("velocity", "affine", "elastic", "jacobian", "plastic", "stretch", "age", "density", "stress")
"""Averaged by mass where particles are born or merged (position, too, in a merge)."""


class Resampler:
    """Adds and merges particles of a foam state."""

    def __init__(self, spacing: float, mass: np.ndarray) -> None:
        """`mass`: of an ordinary particle of each body [kg]."""
        self.spacing = np.float32(spacing)
        self.mass = np.asarray(mass, np.float64)

    def _cloud(self, state: State, tiles: Tiles, cell: float, half: float) -> Cloud:
        return Cloud(
            state["position"], state["torn"], state["plastic"], state["body"], state["id"], state["mass"],
            tiles.origin, tiles.start, tiles.cell, tiles.around, np.float32(1.0 / cell), np.float32(half),
        )  # fmt: skip

    def run(self, state: State, tiles: Tiles, cell: float, half: float) -> bool:
        """Resample a state that `tiles` has just sorted; True if particles were added or removed (then sort again)."""
        cloud = self._cloud(state, tiles, cell, half)
        self._reconnect(state, cloud)
        born = self._insert(state, cloud)
        merged = self._merge(state, cloud)
        if merged is not None:
            state.keep(merged)
        if born is not None:
            state.append(born)
        return merged is not None or born is not None

    def _insert(self, state: State, cloud: Cloud) -> dict[str, np.ndarray] | None:
        """Take from the donors; the new particles for `State.append`, or None."""
        count = state.count
        wanted, candidate = np.zeros(count, bool), np.empty((count, 3), np.float32)
        _throw(cloud, self.spacing, _SPHERE32, wanted, candidate)
        parent = np.flatnonzero(wanted)
        keep = np.zeros(len(parent), bool)
        _apart(candidate[parent], np.float32(EMPTY) * self.spacing, keep)
        parent = parent[keep]
        if len(parent) == 0:
            return None
        places = candidate[parent]
        tile = np.searchsorted(cloud.start, parent, side="right") - 1
        mixed = np.concatenate([state[name].reshape(-1, state[name].shape[-1]) for name in _MIXED])
        born = np.empty((len(parent), 2 + len(mixed)))
        least = (_LEAST_MASS * self.mass).astype(np.float32)
        _give(cloud, tile, parent, places, np.float32(DONORS) * self.spacing, least, state["volume"], mixed, born)
        alive = born[:, 0] > 0.0
        if not alive.any():
            return None
        values = self._split(state, born[alive, 2:].T)
        values |= {"position": places[alive].T, "mass": born[alive, 0].astype(np.float32)}
        values |= {"volume": born[alive, 1].astype(np.float32), "body": cloud.body[parent[alive]]}
        return values

    def _split(self, state: State, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Rows of `_MIXED` back to named arrays; b̄ gets determinant 1 again."""
        values, first = {}, 0
        for name in _MIXED:
            components = state.layout[name][1]
            part = rows[first : first + components].astype(np.float32)
            values[name] = part if components > 1 else part[0]
            first += components
        values["elastic"] = _unimodular(values["elastic"])
        return values

    def _reconnect(self, state: State, cloud: Cloud) -> None:
        """Heal torn particles at the side to which they belong, in place: the parted pieces have left each other, and what lies
        on one of them moves along with it. What is still between two pieces only heals where they are pressed together."""
        torn = np.flatnonzero(state.live("torn") > 0.5)
        if len(torn) == 0:
            return
        nearest = np.empty(state.count, np.int64)
        _closest(cloud, np.float32(TOUCH) * self.spacing, 1, nearest)
        between = np.zeros(state.count, bool)
        _between(cloud, np.float32(BEYOND) * self.spacing, nearest, between)
        beside = nearest[torn]
        gradient, body = state.live("affine"), state.live("body")
        opens = gradient[0, torn] + gradient[4, torn] + gradient[8, torn] > 0.0
        offset = state.live("position")[:, torn] - state.live("position")[:, beside]
        away = ((state.live("velocity")[:, torn] - state.live("velocity")[:, beside]) * offset).sum(axis=0) > 0.0
        healed = torn[(beside >= 0) & (body[torn] == body[beside]) & ~opens & ~away & ~between[torn]]
        state["torn"][healed] = state["stretch"][healed] = 0.0
        state["jacobian"][healed] = 1.0
        state["elastic"][:, healed] = np.array([[1.0], [1.0], [1.0], [0.0], [0.0], [0.0]], np.float32)
        state["stress"][:, healed] = 0.0

    def _retracting(self, state: State, cloud: Cloud, taken: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Torn particles left alone, and a whole one for each to go into; nobody twice, none of those `taken`."""
        torn = state.live("torn") > 0.5
        if not torn.any():
            return np.empty(0, np.int64), np.empty(0, np.int64)
        nearest = np.empty(state.count, np.int64)
        _closest(cloud, np.float32(RETRACT) * self.spacing, 1, nearest)
        mass, body, density = state.live("mass"), state.live("body"), state.live("density")
        rest = (self.mass / float(self.spacing) ** 3)[body]
        dust = np.flatnonzero(torn & (nearest >= 0) & (density < _ALONE * rest))
        host = nearest[dust]
        fits = (body[dust] == body[host]) & ~taken[host] & (mass[dust] + mass[host] <= _MOST_MASS * self.mass[body[dust]])
        dust, host = dust[fits], host[fits]
        _, once = np.unique(host, return_index=True)
        return dust[once], host[once]

    def _merge(self, state: State, cloud: Cloud) -> np.ndarray | None:
        """Merge mutual nearest neighbours in place; the mask of survivors, or None if nobody merged."""
        count = state.count
        nearest = np.empty(count, np.int64)
        _closest(cloud, np.float32(CROWDED) * self.spacing, 0, nearest)
        first = np.flatnonzero((nearest >= 0) & (nearest[np.maximum(nearest, 0)] == np.arange(count)))
        first = first[first < nearest[first]]
        second = nearest[first]
        mass, body, ids = state["mass"], state["body"], state["id"]
        both = mass[first].astype(np.float64) + mass[second]
        fits = (body[first] == body[second]) & (both <= _MOST_MASS * self.mass[body[first]])
        first, second = first[fits], second[fits]
        swap = (mass[second] > mass[first]) | ((mass[second] == mass[first]) & (ids[second] < ids[first]))
        winner, loser = np.where(swap, second, first), np.where(swap, first, second)
        taken = np.zeros(count, bool)
        taken[winner] = taken[loser] = True
        dust, host = self._retracting(state, cloud, taken)
        winner, loser = np.concatenate([winner, host]), np.concatenate([loser, dust])
        if len(winner) == 0:
            return None
        both = mass[winner].astype(np.float64) + mass[loser]
        share = mass[loser] / both
        for name in ("position", *_MIXED):
            array = state[name]
            mean = array[..., winner] * (1.0 - share) + array[..., loser] * share
            array[..., winner] = _unimodular(mean) if name == "elastic" else mean
        mass[winner] = both
        state["volume"][winner] += state["volume"][loser]
        survivors = np.ones(count, bool)
        survivors[loser] = False
        return survivors


def _unimodular(b: np.ndarray) -> np.ndarray:
    """b̄ (6, n) with determinant 1."""
    xx, yy, zz, xy, xz, yz = b.astype(np.float64)
    determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    return (b / np.cbrt(determinant)).astype(np.float32)
