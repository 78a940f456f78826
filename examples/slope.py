"""The walls paper's slope: a cube of water runs down a plane of 15 degrees, and nothing sticks."""

import math

import numpy as np

from examples.look import Look
from solvers import Body, Collider, ColliderParams, Mesh, Scene, WorldParams

TITLE = "A cube of water runs down a slope of 15 degrees"
ANGLE = math.radians(15.0)
EDGE = 0.04
LOOK = Look(
    frame=15,
    camera=(-0.02, -0.66, 0.40),
    target=(0.17, 0.0, 0.05),
    lens=62.0,
    materials={"Slope": "stone"},
    clear_depth=0.05,
)


def _tilted(points: np.ndarray) -> np.ndarray:
    """Turns about y so that x runs downhill; the slope's foot stands at z = 0."""
    c, s = math.cos(ANGLE), math.sin(ANGLE)
    turned = np.stack([points[:, 0] * c + points[:, 2] * s, points[:, 1], points[:, 2] * c - points[:, 0] * s], axis=1)
    return turned + np.array([0.0, 0.0, 0.40 * s])


def scene(quick: bool = False) -> Scene:
    """A 4 cm cube near the top of a 40 cm slope, 0.65 s at 60 frames a second."""
    spacing = 0.004 if quick else 0.0013
    cube = Mesh.box((0.02, -0.5 * EDGE, 0.0), (0.02 + EDGE, 0.5 * EDGE, EDGE))
    slab = Mesh.box((0.0, -0.14, -0.01), (0.40, 0.14, 0.0))
    return Scene(
        "Slope",
        bodies=(Body("Cube", "water", Mesh(_tilted(cube.vertices), cube.triangles)),),
        colliders=(Collider("Slope", Mesh(_tilted(slab.vertices), slab.triangles), ColliderParams(friction=0.0)),),
        world=WorldParams(spacing=spacing, frames_per_second=60.0, frame_end=22 if quick else 40),
    )
