"""Where a collider is at any time: rigid motion, deformation, and animated settings."""

import math
from typing import NamedTuple

import numpy as np

from ..errors import InvalidScene
from ..scene import Collider

_RIGID_ERROR = 1.0e-4


class RigidPose(NamedTuple):
    """world = rotation · (rest − start) + pivot."""

    rotation: np.ndarray
    """float64 (3, 3)."""
    pivot: np.ndarray
    """Place of the object's origin [m], float64 (3,)."""


def quaternion(rotation: np.ndarray) -> np.ndarray:
    """Unit quaternion (w, x, y, z) of a rotation matrix (3, 3)."""
    m = rotation
    four = np.array(
        [1 + m[0, 0] + m[1, 1] + m[2, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2],
         1 - m[0, 0] - m[1, 1] + m[2, 2]]
    )  # fmt: skip
    largest = int(np.argmax(four))
    w = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    s = m[1, 0] + m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2]
    rows = [(four[0], *w), (w[0], four[1], s[0], s[1]), (w[1], s[0], four[2], s[2]), (w[2], s[1], s[2], four[3])]
    q = np.array(rows[largest], dtype=np.float64)
    return q / np.linalg.norm(q)


def rotation_matrix(q: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _turn(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, float]:
    """Axis (3,) and angle [rad] of the shortest turn from one unit quaternion to another, in world space."""
    w = first @ second
    vector = first[0] * second[1:] - second[0] * first[1:] - np.cross(second[1:], first[1:])
    if w < 0.0:
        vector = -vector
    sine = float(np.linalg.norm(vector))
    if sine < 1.0e-15:
        return np.array([0.0, 0.0, 1.0]), 0.0
    return vector / sine, 2.0 * math.atan2(sine, abs(w))


def _rotated(axis: np.ndarray, angle: float, rotation: np.ndarray) -> np.ndarray:
    return rotation_matrix(np.concatenate([[math.cos(0.5 * angle)], math.sin(0.5 * angle) * axis])) @ rotation


class RigidTrack:
    """Rigid motion given frame by frame: straight lines between pivots, shortest turns between rotations."""

    def __init__(self, motion: np.ndarray):
        base = np.linalg.inv(motion[0, :3, :3])
        self.pivots = motion[:, :3, 3].copy()
        self.quaternions = np.array([quaternion(matrix @ base) for matrix in motion[:, :3, :3]])
        self.rotations = np.array([rotation_matrix(q) for q in self.quaternions])
        pairs = zip(self.quaternions[:-1], self.quaternions[1:], strict=True)
        self.turns = [_turn(first, second) for first, second in pairs]

    def pose(self, place: float) -> RigidPose:
        """Pose at a place on the frame axis (0: first frame); held before the first and after the last frame."""
        last = len(self.pivots) - 1
        place = min(max(place, 0.0), float(last))
        index = min(int(place), max(last - 1, 0))
        part = place - index
        if part == 0.0 or last == 0:
            return RigidPose(self.rotations[index], self.pivots[index])
        axis, angle = self.turns[index]
        pivot = (1.0 - part) * self.pivots[index] + part * self.pivots[index + 1]
        return RigidPose(_rotated(axis, part * angle, self.rotations[index]), pivot)

    def velocity(self, place: float, frames_per_second: float) -> tuple[np.ndarray, np.ndarray]:
        """Velocity of the pivot [m/s] and angular velocity [rad/s] between the two frames around `place`."""
        last = len(self.pivots) - 1
        if last == 0 or place < 0.0 or place > last:
            return np.zeros(3), np.zeros(3)
        index = min(int(place), last - 1)
        axis, angle = self.turns[index]
        return (self.pivots[index + 1] - self.pivots[index]) * frames_per_second, axis * angle * frames_per_second


def _checked_motion(collider: Collider) -> np.ndarray | None:
    if collider.motion is None:
        return None
    motion = np.asarray(collider.motion, dtype=np.float64)
    if motion.ndim != 3 or motion.shape[1:] != (4, 4) or len(motion) == 0:
        raise InvalidScene(f"Collider {collider.name}: motion has shape {motion.shape}; give one 4×4 matrix per frame.")
    bad = ~np.isfinite(motion).all(axis=(1, 2))
    if bad.any():
        raise InvalidScene(
            f"Collider {collider.name}: the transform of frame {int(np.argmax(bad)) + 1} of the range is not finite; "
            "check its drivers and constraints."
        )
    return motion


def _is_rigid(motion: np.ndarray) -> bool:
    if abs(np.linalg.det(motion[0, :3, :3])) < 1.0e-30:
        return False
    relative = motion[:, :3, :3] @ np.linalg.inv(motion[0, :3, :3])
    error = np.abs(np.swapaxes(relative, 1, 2) @ relative - np.eye(3)).max()
    return bool(error < _RIGID_ERROR and np.linalg.det(relative).min() > 0.0)


class Track:
    """Everything about a collider's animation.

    `rigid` is set if it moves rigidly, `deforming` if its shape changes; `changes` is true if anything does.
    """

    def __init__(self, collider: Collider):
        self.collider = collider
        self._motion = _checked_motion(collider)
        moves = self._motion is not None and len(self._motion) > 1 and bool(np.any(self._motion != self._motion[0]))
        shape_changes = collider.mesh.deforming and len(collider.mesh.vertices) > 1
        rigid = self._motion is not None and moves and not shape_changes and _is_rigid(self._motion)
        self.rigid = RigidTrack(self._motion) if rigid and self._motion is not None else None
        self.deforming = shape_changes or (moves and not rigid)
        self.changes = self.rigid is not None or self.deforming or len(collider.animated) > 0
        self.frames = 1
        if moves and self._motion is not None:
            self.frames = len(self._motion)
        if shape_changes:
            self.frames = max(self.frames, len(collider.mesh.vertices))

    def vertices(self, index: int) -> np.ndarray:
        """World vertices at a frame (0: first), float64 (n, 3)."""
        local = np.asarray(self.collider.mesh.at(index), dtype=np.float64)
        if self._motion is None:
            return local
        matrix = self._motion[min(max(index, 0), len(self._motion) - 1)]
        return local @ matrix[:3, :3].T + matrix[:3, 3]

    def setting(self, name: str, place: float) -> float:
        """Value of an animated setting at a place on the frame axis: numbers blend, switches hold."""
        values = self.collider.animated.get(name)
        if values is None or len(values) == 0:
            return float(getattr(self.collider.params, name))
        values = np.asarray(values, dtype=np.float64)
        if name == "enabled":
            return float(values[min(max(int(math.floor(place + 1.0e-9)), 0), len(values) - 1)])
        return float(np.interp(place, np.arange(len(values)), values))
