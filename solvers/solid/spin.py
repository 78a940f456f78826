"""Turning of bodies as wholes.

The solve is linear. A body that turns by ω Δt in a step grows in it, is pulled back in the next one, and loses its spin: a ball
that turns once a second had lost most of it after two. So stress is reckoned where a body that remembers its shape will have
turned to, and what the solve bends is only the motion beside that turning:

    x* = c + R(½ ω Δt) (x − c)         half a step: a centripetal force there brakes nobody
    v_θ + (x − c − R(θ ω Δt) (x − c)) / (θ Δt)         what the derivative at x* is applied to

(Places foreseen with the body's strain, too, let what swings far gain energy.)
"""

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from .state import SolidState


class Moments(NamedTuple):
    """Of every body, b rows."""

    middle: np.ndarray
    """Centre of mass [m], (b, 3)."""
    spin: np.ndarray
    """Angular velocity [1/s], (b, 3); zero about an axis without inertia."""


@kernel
def _add_up(position, velocity, mass, body, count, out):
    for m in range(count):
        o, w = out[body[m]], mass[m]
        x, y, z = position[0, m], position[1, m], position[2, m]
        u, v, s = w * velocity[0, m], w * velocity[1, m], w * velocity[2, m]
        o[0] += w
        o[1] += w * x
        o[2] += w * y
        o[3] += w * z
        o[4] += u
        o[5] += v
        o[6] += s
        o[7] += y * s - z * v
        o[8] += z * u - x * s
        o[9] += x * v - y * u
        o[10] += w * x * x
        o[11] += w * y * y
        o[12] += w * z * z
        o[13] += w * x * y
        o[14] += w * x * z
        o[15] += w * y * z


def moments(state: SolidState, bodies: int) -> Moments:
    """Of the masters as they are."""
    sums = np.zeros((bodies, 16))
    _add_up(state["position"], state["velocity"], state["mass"], state["body"], state.count, sums)
    mass = np.maximum(sums[:, 0], 1.0e-300)[:, None]
    middle = sums[:, 1:4] / mass
    angular = sums[:, 7:10] - np.cross(middle, sums[:, 4:7])
    second = sums[:, [10, 13, 14, 13, 11, 15, 14, 15, 12]].reshape(-1, 3, 3)
    second -= mass[:, :, None] * middle[:, :, None] * middle[:, None]
    inertia = np.eye(3) * np.trace(second, axis1=1, axis2=2)[:, None, None] - second
    spin = np.einsum("bij,bj->bi", np.linalg.pinv(inertia, rcond=1.0e-9, hermitian=True), angular)
    return Moments(middle, spin)


def rotation(angle: np.ndarray) -> np.ndarray:
    """Matrix (3, 3) of the turn about the vector `angle` [rad] (Rodrigues)."""
    size = float(np.linalg.norm(angle))
    x, y, z = angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    # sin a / a and (1 − cos a) / a²
    return np.eye(3) + np.sinc(size / np.pi) * cross + 0.5 * np.sinc(0.5 * size / np.pi) ** 2 * (cross @ cross)
