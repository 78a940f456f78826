"""Weights that put the surface where the liquid is.

Four arrangements fix the weight of a blob as a function of how crowded its particle is: alone, in a thread, in a sheet, at the
flat surface of a resting lattice. In each the surface must enclose one cubic spacing for every particle: a ball of radius 0.62,
a thread of radius 0.56, a sheet one spacing thick, a surface half a spacing above the outermost layer. All are measured with
the blobs and the filter in use, so blend radius, voxel size, filter and anisotropy change the look and not the volume.
Lengths are in particle spacings.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from .blobs import TABLE_SIZE, WEIGHT, XX, XY, XZ, YY, YZ, ZZ, WeightTable, X, Y, Z, make_blobs
from .cells import sort_into_cells
from .field import filter_of
from .shape import AXIS_RATIO, crowding, smoothing_shift, spread

_BALL = (3.0 / (4.0 * np.pi)) ** (1.0 / 3.0)
_THREAD = (1.0 / np.pi) ** 0.5
_SHALLOW = 0.15
"""A particle that lacks this part of the bulk density lies at the surface."""
_CROWD_RADIUS = {False: 2.0, True: 3.0}
"""Least neighbourhood without and with anisotropic blobs: enough to tell a sheet from a bulk, and a bump from a wave."""
_FINEST_TAPS = 0.35
"""Least distance between the points at which "satin" is measured."""
_FINE = 0.25
"""Distance between sample points."""


class Setting(NamedTuple):
    """What the weights depend on."""

    radius: float
    voxel: float
    smoothing: str
    anisotropic: bool


class Calibration(NamedTuple):
    """Everything the kernels need to know about one setting."""

    radius: float
    """Reach of an isotropic blob, large enough for the voxels."""
    crowd_radius: float
    """Reach of the neighbourhood that says how crowded a particle is."""
    bulk_density: float
    """Σ(1−q)² in a full lattice."""
    shallow_density: float
    """Below it a particle lies at the surface."""
    least_deficit: float
    """Missing part of the density from which positions are smoothed."""
    weights: WeightTable
    ball: float
    """Radius at which a lone particle is shown."""
    flattest: float
    """Least squared axis of a blob over the squared radius."""


class _Taps(NamedTuple):
    """The 3-D filter as points, float (t, 3), with weights, float (t,)."""

    offset: np.ndarray
    weight: np.ndarray


def _taps(setting: Setting) -> _Taps:
    # The Gaussian whose width does not hang on the voxels is measured on coarser ones: they need not be as fine as the file's.
    voxel = max(setting.voxel, _FINEST_TAPS) if setting.smoothing == "satin" else setting.voxel
    line = filter_of(setting.smoothing, voxel).whole
    steps = (np.arange(len(line)) - len(line) // 2) * voxel
    return _Taps(np.array(list(product(steps, repeat=3))), np.array([a * b * c for a, b, c in product(line, repeat=3)]))


def lattice_density(radius: float) -> float:
    """Σ(1−q)² over a full cubic lattice."""
    reach = int(np.ceil(radius))
    offset = np.array(list(product(range(-reach, reach + 1), repeat=3)), np.float64)
    return float((np.maximum(0.0, 1.0 - np.linalg.norm(offset, axis=1) / radius) ** 2).sum())


def _middle_of_lattice(shape: tuple[int, int, int], known: Calibration, anisotropic: bool) -> tuple[np.ndarray, np.ndarray]:
    """Densities, (layers,), and unweighted blobs, (layers, 16), of the middle column of a lattice, seen from its top particle."""
    position = np.array(list(product(*(range(side) for side in shape))), np.float32)
    cells = sort_into_cells(position, known.crowd_radius)
    parent = np.full(len(position), -1, np.int64)
    density = crowding(cells, parent, known.crowd_radius)
    axes = np.zeros((len(position), 6), np.float32)
    axes[:, :3] = known.radius**2
    shift = np.zeros((3, len(position)), np.float32)
    if anisotropic:
        about = spread(cells, parent, density, known)
        axes = about.axes
        shift = smoothing_shift(cells, parent, about, known)
    blob = make_blobs(cells, density, axes, shift, known.radius, known.weights).astype(np.float64)
    middle = np.array([shape[0] // 2, shape[1] // 2])
    column = np.flatnonzero((cells.x[: len(position)] == middle[0]) & (cells.y[: len(position)] == middle[1]))
    column = column[np.argsort(-cells.z[column], kind="stable")]
    if shape[2] > 1 and shape[0] == 1:  # a thread along z: its middle particle stands for all
        column = column[shape[2] // 2 : shape[2] // 2 + 1]
    chosen = blob[column]
    chosen[:, [X, Y, Z]] -= [*middle, cells.z[column[0]]]
    return density[column].astype(np.float64), chosen


def _sampled(blob: np.ndarray, points: np.ndarray, taps: _Taps) -> np.ndarray:
    """Filtered value of each blob, (k, 16), summed over points, (p, 3): float (k,)."""
    total = np.zeros(len(blob))
    for offset, weight in zip(taps.offset, taps.weight, strict=True):
        for number, row in enumerate(blob):
            dx, dy, dz = (points + offset - row[[X, Y, Z]]).T
            q2 = row[XX] * dx * dx + row[YY] * dy * dy + row[ZZ] * dz * dz
            q2 = q2 + row[XY] * dx * dy + row[XZ] * dx * dz + row[YZ] * dy * dz
            total[number] += weight * row[WEIGHT] * (np.maximum(0.0, 1.0 - np.sqrt(np.maximum(q2, 0.0))) ** 2).sum()
    return total


class _Layers(NamedTuple):
    """Of every layer of a lattice: density and unweighted share in F at the surface."""

    density: np.ndarray
    share: np.ndarray

    def value(self, table: WeightTable) -> float:
        """F at the surface."""
        place = np.log(np.maximum(self.density, 1.0)) * table.per_log
        weight = np.interp(place, np.arange(TABLE_SIZE), table.value)
        return float((self.share * weight).sum())


def _flat(layers: int, known: Calibration, setting: Setting) -> _Layers:
    """A flat lattice and its surface half a spacing above the top.

    One particle stands for its layer: summing it over many points is summing the layer over the points of one cell.
    Filtering along the layer changes nothing, so only the taps along z count.
    """
    side = 2 * int(np.ceil(2.0 * known.crowd_radius)) + 3
    density, blob = _middle_of_lattice((side, side, layers), known, setting.anisotropic)
    reach = 1.5 * known.radius + 1.0
    line = np.arange(-reach, reach, _FINE) + 0.5 * _FINE
    points = np.array([(x, y, 0.5) for x in line for y in line])
    taps = _taps(setting)
    heights, at = np.unique(taps.offset[:, 2], return_inverse=True)
    along = np.stack([np.zeros_like(heights), np.zeros_like(heights), heights], axis=1)
    shares = _sampled(blob, points, _Taps(along, np.bincount(at.ravel(), weights=taps.weight)))
    return _Layers(density, shares * _FINE**2)


def _thread(known: Calibration, setting: Setting) -> _Layers:
    """A thread of particles one spacing apart and its surface."""
    length = 2 * int(np.ceil(2.0 * known.crowd_radius)) + 3
    density, blob = _middle_of_lattice((1, 1, length), known, setting.anisotropic)
    reach = 1.5 * known.radius + 1.0
    line = np.arange(-reach, reach, _FINE) + 0.5 * _FINE
    radius = max(_THREAD, known.ball * _THREAD / _BALL)
    angles = np.pi * np.arange(4) / 8.0
    points = np.array([(radius * np.cos(a), radius * np.sin(a), z) for a in angles for z in line])
    value = _sampled(blob, points, _taps(setting))
    return _Layers(density, value * _FINE / len(angles))


def _lone_value(known: Calibration, setting: Setting) -> float:
    """Filtered blob at the surface of a lone particle, averaged over directions."""
    corners = np.array([d for d in product((-1.0, 0.0, 1.0), repeat=3) if any(d)])
    points = known.ball * corners / np.linalg.norm(corners, axis=1)[:, None]
    blob = np.zeros((1, 16))
    blob[0, [XX, YY, ZZ]] = known.radius**-2.0
    blob[0, WEIGHT] = 1.0
    return float(_sampled(blob, points, _taps(setting))[0] / len(points))


def _weight_table(anchors: list[tuple[float, float]], power: float, most: float) -> WeightTable:
    """log weight over log density, straight between the anchors and falling with `power` beyond the last."""
    crowd = np.log([anchor[0] for anchor in anchors])
    weight = np.log([anchor[1] for anchor in anchors])
    line = np.linspace(0.0, np.log(most), TABLE_SIZE)
    value = np.interp(line, crowd, weight) - power * np.maximum(0.0, line - crowd[-1])
    per_log = np.float32((TABLE_SIZE - 1) / np.log(most))
    return WeightTable(np.exp(value).astype(np.float32), per_log)


def _falling_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function is 1, by bisection; the nearer end if it is nowhere."""
    for _ in range(40):
        middle = 0.5 * (low + high)
        if function(middle) > 1.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _solved(lone: float, known: Calibration, setting: Setting) -> WeightTable:
    """The table for which all four arrangements have F = 1 at their surface."""
    thread, sheet = _thread(known, setting), _flat(1, known, setting)
    bulk = _flat(int(np.ceil(known.radius + known.crowd_radius)) + 1, known, setting)
    anchors = [(1.0, 1.0 / lone)] + [(float(single.density[0]), 1.0 / float(single.share[0])) for single in (thread, sheet)]

    def table(power: float) -> WeightTable:
        return _weight_table(anchors, power, 4.0 * known.bulk_density)

    return table(_falling_root(lambda power: bulk.value(table(power)), -8.0, 16.0))


@lru_cache(maxsize=16)
def calibrate(setting: Setting) -> Calibration:
    """Solves for the weights of a setting."""
    radius = max(setting.radius, 1.25 * setting.voxel)
    crowd_radius = max(radius, _CROWD_RADIUS[setting.anisotropic])
    ball = min(max(_BALL, 0.87 * setting.voxel), 0.8 * radius)  # no ball may slip between the voxels
    bulk = lattice_density(crowd_radius)
    flattest = min(max(1.0 / AXIS_RATIO**2, (1.25 * setting.voxel / radius) ** 2), 1.0)  # nor a flat blob
    unit = WeightTable(np.ones(TABLE_SIZE, np.float32), np.float32(1.0))
    known = Calibration(radius, crowd_radius, bulk, (1.0 - _SHALLOW) * bulk, 0.5 * _SHALLOW, unit, ball, flattest)
    return known._replace(weights=_solved(_lone_value(known, setting), known, setting))
