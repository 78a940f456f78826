"""A paddle swings at one end of a channel; waves run up a beach at the other."""

import math

import numpy as np

from examples.look import Look
from examples.shapes import wedge
from solvers import Body, Collider, Mesh, Scene, WorldParams

TITLE = "A paddle makes waves that run up a beach"
FRAMES_PER_SECOND = 30.0
LOOK = Look(
    frame=62,
    camera=(1.82, -1.06, 0.57),
    target=(0.66, 0.11, 0.095),
    lens=50.0,
    materials={"Channel": "pane", "Beach": "wood", "Paddle": "wood"},
    clear_depth=0.20,
    backdrop=(0.30, 0.33, 0.36),
)


def paddle_motion(frames: int) -> np.ndarray:
    """World matrices (frames, 4, 4) of a flap hinged on the floor at x = 0.12 m: it swings 14 degrees each way, once a second."""
    motion = np.tile(np.eye(4), (frames, 1, 1))
    time = np.arange(frames) / FRAMES_PER_SECOND
    angle = math.radians(14.0) * np.sin(2.0 * math.pi * time) * np.minimum(1.0, time / 0.4)
    c, s = np.cos(angle), np.sin(angle)
    motion[:, 0, 0], motion[:, 0, 2] = c, s
    motion[:, 2, 0], motion[:, 2, 2] = -s, c
    motion[:, 0, 3] = 0.12
    return motion


def scene(quick: bool = False) -> Scene:
    """A channel 120 × 24 × 36 cm, filled 14 cm deep between paddle and beach: 110 000 particles."""
    frame_end = 20 if quick else 75
    return Scene(
        "Wave maker",
        bodies=(Body("Water", "water", Mesh.box((0.132, 0.0, 0.0), (0.80, 0.24, 0.14))),),
        colliders=(
            Collider("Channel", Mesh.open_box((0.0, 0.0, 0.0), (1.20, 0.24, 0.36))),
            Collider("Beach", wedge((0.80, -0.01, -0.005), (1.21, 0.25, 0.22))),
            Collider("Paddle", Mesh.box((-0.012, 0.002, 0.004), (0.012, 0.238, 0.30)), motion=paddle_motion(frame_end)),
        ),
        world=WorldParams(spacing=0.015 if quick else 0.006, frames_per_second=FRAMES_PER_SECOND, frame_end=frame_end),
    )
