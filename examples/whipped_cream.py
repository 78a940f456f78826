"""A star nozzle squeezes a ribbon of whipped cream into a rosette."""

import numpy as np

from examples.look import Look
from examples.shapes import cylinder, prism
from solvers import Collider, ColliderParams, Emitter, EmitterParams, Mesh, Scene, WorldParams
from solvers.materials.foam_params import PRESETS

TITLE = "A star nozzle squeezes whipped cream into a rosette"
LOOK = Look(
    frame=84,
    camera=(-0.13, -0.25, 0.17),
    target=(0.0, 0.0, 0.016),
    lens=70.0,
    materials={"Plate": "clay"},
)
FPS = 24.0
SPEED, SECONDS, LIFT = 0.10, 2.9, 0.25
"""Of the cream in the nozzle [m/s], how long it is squeezed, and how long of that the nozzle is drawn away [s]."""
OUTER, INNER, TURNS = 0.021, 0.004, 2.7
"""Radius of the first turn and of the last [m], and how many there are."""
CLEARANCE, RISE, PEAK = 0.013, 0.022, 0.025
"""Height of the nozzle over the plate, how far it rises while it turns and while it is drawn away [m]."""


def star(outer: float, inner: float, points: int) -> np.ndarray:
    """Corners of a star (2 × points, 2) [m]."""
    angle = np.arange(2 * points) * np.pi / points
    radius = np.where(np.arange(2 * points) % 2 == 0, outer, inner)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def nozzle_path(frames: int) -> np.ndarray:
    """Matrices of the nozzle: a turn, then inwards and upwards at even speed; then it is drawn away while its mouth closes."""
    turn = np.linspace(0.0, 1.0, 4001)
    inwards = np.clip((TURNS * turn - 0.9) / (TURNS - 0.9), 0.0, 1.0)
    radius = OUTER + (INNER - OUTER) * inwards
    angle = 2.0 * np.pi * TURNS * turn
    place = np.stack([radius * np.cos(angle), radius * np.sin(angle), CLEARANCE + RISE * inwards], axis=1)
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(place, axis=0), axis=1))])
    seconds = np.arange(frames) / FPS
    along = way[-1] * np.clip(seconds / (SECONDS - LIFT), 0.0, 1.0)
    away = np.clip((seconds - SECONDS + LIFT) / LIFT, 0.0, 1.0)
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, :3, :3] *= (1.0 - 0.85 * away)[:, None, None]
    for axis in range(3):
        motion[:, axis, 3] = np.interp(along, way, place[:, axis])
    motion[:, :2, 3] *= (1.0 - away)[:, None]
    motion[:, 2, 3] += PEAK * away + 0.06 * np.clip(seconds - SECONDS, 0.0, None)
    return motion


def scene(quick: bool = False) -> Scene:
    """A plate of 12 cm under a nozzle of 2 cm: 100 000 particles at the end."""
    frames = 16 if quick else 84
    nozzle: Mesh = prism(star(0.0100, 0.0060, 6), 0.003)
    return Scene(
        "Whipped cream",
        colliders=(Collider("Plate", cylinder((0.0, 0.0, -0.004), 0.06, 0.008), ColliderParams(contact="stick")),),
        emitters=(
            Emitter(
                "Nozzle", "foam", nozzle, EmitterParams(speed=SPEED, end=SECONDS, inherit=1.0), PRESETS["whipped_cream"].params,
                motion=nozzle_path(frames),
            ),
        ),
        world=WorldParams(spacing=0.004 if quick else 0.0008, frames_per_second=FPS, frame_end=frames),
    )  # fmt: skip
