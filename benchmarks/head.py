"""A head built by script: blended ellipsoids and capsules, carved, as a closed mesh."""

from functools import lru_cache
from typing import Any

import numpy as np

from solvers.bake.modules import blender_modules
from solvers.scene import Mesh

_CELLS = 72
"""Voxels over the height of the head."""


def _ellipsoid(at: np.ndarray, centre: tuple[float, ...], axes: tuple[float, ...], turn: float = 0.0) -> np.ndarray:
    """Nearly the distance to an ellipsoid turned about y by `turn` degrees."""
    local = at - np.array(centre)
    if turn:
        cosine, sine = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        x, z = local[..., 0].copy(), local[..., 2].copy()
        local[..., 0], local[..., 2] = cosine * x + sine * z, cosine * z - sine * x
    scaled = local / np.array(axes)
    near = np.linalg.norm(scaled, axis=-1)
    steep = np.linalg.norm(scaled / np.array(axes), axis=-1)
    return near * (near - 1.0) / np.maximum(steep, 1.0e-9)


def _capsule(at: np.ndarray, a: tuple[float, ...], b: tuple[float, ...], first: float, last: float) -> np.ndarray:
    """Distance to a rod from a to b whose radius goes from `first` to `last`."""
    start, way = np.array(a), np.array(b) - np.array(a)
    along = np.clip(((at - start) @ way) / (way @ way), 0.0, 1.0)
    return np.linalg.norm(at - start - along[..., None] * way, axis=-1) - (first + (last - first) * along)


def _joined(a: np.ndarray, b: np.ndarray, soft: float) -> np.ndarray:
    """Union with a fillet."""
    blend = np.maximum(soft - np.abs(a - b), 0.0) / soft
    return np.minimum(a, b) - 0.25 * soft * blend * blend


def _carved(a: np.ndarray, b: np.ndarray, soft: float) -> np.ndarray:
    """a without b, with a rounded edge."""
    return -_joined(-a, b, soft)


def _head_field(at: np.ndarray) -> np.ndarray:
    """Signed distance, nearly, of a head that looks along −x: chin at z = −0.5, crown at 0.5."""
    side = at.copy()
    side[..., 1] = np.abs(side[..., 1])  # both halves alike
    shape = _ellipsoid(at, (0.07, 0.0, 0.14), (0.42, 0.315, 0.36))  # skull
    shape = _joined(shape, _ellipsoid(at, (-0.14, 0.0, -0.08), (0.21, 0.225, 0.33)), 0.12)  # face
    shape = _joined(shape, _ellipsoid(at, (-0.16, 0.0, -0.33), (0.17, 0.15, 0.13)), 0.12)  # jaw
    shape = _joined(shape, _ellipsoid(at, (-0.285, 0.0, -0.41), (0.065, 0.075, 0.062)), 0.09)  # chin
    shape = _joined(shape, _ellipsoid(side, (-0.24, 0.165, -0.09), (0.085, 0.075, 0.075)), 0.10)  # cheekbones
    shape = _joined(shape, _capsule(side, (-0.335, 0.0, 0.105), (-0.27, 0.17, 0.115), 0.028, 0.022), 0.07)  # brows
    shape = _carved(shape, _ellipsoid(side, (-0.375, 0.125, 0.03), (0.085, 0.082, 0.055)), 0.06)  # eye sockets
    shape = _joined(shape, _ellipsoid(side, (-0.262, 0.122, 0.028), (0.062, 0.062, 0.056)), 0.012)  # eyes
    shape = _joined(shape, _capsule(side, (-0.30, 0.075, 0.045), (-0.285, 0.175, 0.04), 0.016, 0.012), 0.015)  # upper lids
    shape = _joined(shape, _capsule(at, (-0.335, 0.0, 0.07), (-0.425, 0.0, -0.10), 0.034, 0.046), 0.05)  # bridge of the nose
    shape = _joined(shape, _ellipsoid(at, (-0.445, 0.0, -0.118), (0.056, 0.054, 0.047)), 0.04)  # its tip
    shape = _joined(shape, _ellipsoid(side, (-0.39, 0.058, -0.128), (0.047, 0.032, 0.036)), 0.03)  # its wings
    shape = _carved(shape, _ellipsoid(side, (-0.425, 0.027, -0.168), (0.026, 0.014, 0.022)), 0.012)  # nostrils
    shape = _joined(shape, _ellipsoid(at, (-0.325, 0.0, -0.235), (0.055, 0.10, 0.05)), 0.07)  # mouth
    shape = _joined(shape, _ellipsoid(at, (-0.368, 0.0, -0.232), (0.028, 0.082, 0.021)), 0.02)  # upper lip
    shape = _joined(shape, _ellipsoid(at, (-0.36, 0.0, -0.283), (0.030, 0.070, 0.024)), 0.02)  # lower lip
    shape = _carved(shape, _ellipsoid(at, (-0.395, 0.0, -0.257), (0.04, 0.095, 0.006)), 0.012)  # between the lips
    shape = _carved(shape, _ellipsoid(at, (-0.375, 0.0, -0.345), (0.03, 0.07, 0.022)), 0.04)  # above the chin
    ear = _ellipsoid(side, (0.06, 0.315, -0.01), (0.085, 0.032, 0.135), -12.0)
    ear = _carved(ear, _ellipsoid(side, (0.048, 0.352, 0.005), (0.050, 0.030, 0.090), -12.0), 0.02)
    shape = _joined(shape, ear, 0.03)
    neck = _capsule(at, (0.05, 0.0, -0.25), (0.12, 0.0, -0.72), 0.165, 0.175)
    shape = _joined(shape, neck, 0.10)
    trunk = _ellipsoid(at, (0.14, 0.0, -0.90), (0.28, 0.62, 0.24))
    shape = _joined(shape, trunk, 0.20)
    return np.maximum(shape, -0.86 - at[..., 2])  # a bust that stands


def head_distance(points: np.ndarray, size: float) -> np.ndarray:
    """Distance [m] of points (n, 3) to the head of this size, nearly; negative inside."""
    return size * _head_field(points / size)


@lru_cache(maxsize=2)
def head_mesh(size: float) -> Mesh:
    """A head with neck and shoulders that looks along −x; `size` is the head's height [m], its middle the origin."""
    blender_modules()
    import openvdb

    step = 1.0 / _CELLS
    low, high = np.array([-0.56, -0.74, -0.90]), np.array([0.56, 0.74, 0.56])
    count = np.ceil((high - low) / step).astype(int) + 1
    axes = [low[axis] + step * np.arange(count[axis]) for axis in range(3)]
    field = _head_field(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)).astype(np.float32)
    grid: Any = openvdb.FloatGrid(1.0)
    grid.copyFromArray(field)
    points, quads = grid.convertToQuads(isovalue=0.0)
    triangles = quads[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    return Mesh(size * (low + step * points.astype(np.float64)), triangles.astype(np.int32))
