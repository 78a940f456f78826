"""A star nozzle squeezes a ribbon of whipped cream into a rosette."""

import numpy as np

from examples.look import Look
from examples.shapes import cylinder, prism
from solvers import Collider, ColliderParams, Emitter, EmitterParams, Mesh, Scene, SurfaceParams, WorldParams
from solvers.materials.foam_params import PRESETS

TITLE = "A star nozzle squeezes whipped cream into a rosette"
LOOK = Look(
    frame=110,
    camera=(-0.13, -0.25, 0.17),
    target=(0.0, 0.0, 0.016),
    lens=70.0,
    materials={"Plate": "clay"},
)
FPS = 24.0
SPEED, SECONDS = 0.10, 4.1
"""Of the cream in the nozzle [m/s], and how long it is squeezed."""
OUTER, CLEARANCE, RISE = 0.026, 0.013, 0.024
"""Radius of the first turn, height of the nozzle over the plate, and how far it rises [m]."""


def star(outer: float, inner: float, points: int) -> np.ndarray:
    """Corners of a star (2 × points, 2) [m]."""
    angle = np.arange(2 * points) * np.pi / points
    radius = np.where(np.arange(2 * points) % 2 == 0, outer, inner)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def nozzle_path(frames: int) -> np.ndarray:
    """Matrices of the nozzle: one full turn, then inwards and upwards, walked at the speed of the cream; then it is lifted."""
    turn = np.linspace(0.0, 1.0, 4001)
    inwards = np.clip((turn - 0.42) / 0.58, 0.0, 1.0)
    radius = OUTER * (1.0 - inwards)
    angle = 2.0 * np.pi * 2.7 * turn
    place = np.stack([radius * np.cos(angle), radius * np.sin(angle), CLEARANCE + RISE * inwards**1.2], axis=1)
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(place, axis=0), axis=1))])
    seconds = np.arange(frames) / FPS
    along = way[-1] * np.clip(seconds / SECONDS, 0.0, 1.0)
    motion = np.tile(np.eye(4), (frames, 1, 1))
    for axis in range(3):
        motion[:, axis, 3] = np.interp(along, way, place[:, axis])
    motion[:, 2, 3] += 0.06 * np.clip(seconds - SECONDS, 0.0, None)
    return motion


def scene(quick: bool = False) -> Scene:
    """A plate of 14 cm under a nozzle of 2 cm: 8 000 particles at the end."""
    frames = 12 if quick else 110
    nozzle: Mesh = prism(star(0.0115, 0.0070, 7), 0.003)
    return Scene(
        "Whipped cream",
        colliders=(Collider("Plate", cylinder((0.0, 0.0, -0.004), 0.07, 0.008), ColliderParams(contact="stick")),),
        emitters=(
            Emitter(
                "Nozzle", "foam", nozzle, EmitterParams(speed=SPEED, end=SECONDS), PRESETS["whipped_cream"].params,
                motion=nozzle_path(frames),
            ),
        ),
        world=WorldParams(spacing=0.004 if quick else 0.0019, frames_per_second=FPS, frame_end=frames),
        surface=SurfaceParams(radius=1.8),
    )  # fmt: skip
