"""A cherry drops into whipped cream on a raspberry jelly: a free body, foam and a solid that carry each other."""

import numpy as np

from examples.jelly import plate, pudding
from examples.look import Look
from examples.shapes import lathe
from solvers import Body, Collider, ColliderParams, Mesh, Scene, SurfaceParams, WorldParams
from solvers.materials.foam_params import PRESETS
from solvers.materials.solid_params import SolidParams

TITLE = "A cherry drops into whipped cream on a jelly"
LOOK = Look(
    frame=30,
    camera=(0.09, -0.42, 0.21),
    target=(0.0, 0.0, 0.044),
    lens=66.0,
    materials={"Jelly": "raspberry jelly", "Plate": "porcelain", "Cherry": "cherry"},
    backdrop=(0.16, 0.20, 0.24),
    clear_depth=0.05,
)
JELLY = SolidParams(density=1050.0, stiffness=1.2e4, squash=0.44, friction=0.3)
HEIGHT = 0.05
"""Of the jelly [m]."""


def swirl(radius: float, height: float, lobes: int, turns: float) -> Mesh:
    """A dollop from a star nozzle that stands on z = 0: a fluted dome whose flutes wind upwards, with a hollow on its top."""
    steps = np.linspace(0.0, 1.0, 32)
    side = [(radius * (1.0 - 0.5 * s * s), height * s) for s in steps]
    over = [(0.40 * radius, 1.04 * height), (0.30 * radius, 0.98 * height), (0.15 * radius, 0.84 * height)]
    profile = [(0.0, 0.0), (0.5 * radius, 0.0), *side, *over, (0.0, 0.78 * height)]
    solid = lathe([(float(r), float(z)) for r, z in profile], 120)
    x, y, z = solid.vertices.T
    angle = np.arctan2(y, x) - 2.0 * np.pi * turns * z / height
    deep = 1.0 + 0.14 * np.cos(lobes * angle)
    return Mesh(np.stack([x * deep, y * deep, z], axis=1), solid.triangles)


def cherry(radius: float) -> Mesh:
    """A cherry with its stem about z = 0, closed: a dented ball, and a thin stalk out of the dent."""
    angle = np.linspace(0.12, 2.72, 28)
    ball = [(radius * np.sin(a), -radius * np.cos(a) * (0.94 - 0.04 * np.cos(a))) for a in angle]
    dent = [(0.22 * radius, 0.74 * radius), (0.09 * radius, 0.66 * radius)]
    stem = [(0.075 * radius, radius * h) for h in (0.9, 1.4, 2.0, 2.6)] + [(0.12 * radius, 2.9 * radius)]
    profile = [(0.0, -0.9 * radius), *ball, *dent, *stem, (0.0, 2.95 * radius)]
    solid = lathe([(float(r), float(z)) for r, z in profile], 64)
    bent = solid.vertices.copy()
    bent[:, 0] += 0.16 * np.clip(bent[:, 2] - 0.7 * radius, 0.0, None) ** 2 / radius
    return Mesh(bent, solid.triangles)


def scene(quick: bool = False) -> Scene:
    """A jelly 9 cm wide, a dollop of cream 5 cm wide just above it, a cherry of 2 cm over that; two seconds at half speed."""
    cream, fruit = swirl(0.027, 0.024, 7, 0.25), cherry(0.0105)
    over = HEIGHT + 0.0075
    return Scene(
        "Dessert",
        bodies=(
            Body("Jelly", "solid", pudding(HEIGHT, 0.046, 0.033, 0.0005), JELLY),
            Body("Cream", "foam", Mesh(cream.vertices + (0.0, 0.0, over), cream.triangles), PRESETS["whipped_cream"].params),
        ),
        colliders=(
            Collider("Plate", plate(), ColliderParams(friction=0.5)),
            Collider(
                "Cherry", Mesh(fruit.vertices + (0.0008, 0.0, over + 0.04), fruit.triangles),
                ColliderParams(free=True, density=1050.0, friction=0.8, spin=(0.0, 0.3, 0.0)),
            ),
        ),
        world=WorldParams(spacing=0.005 if quick else 0.0027, frames_per_second=48.0, frame_end=8 if quick else 40),
        surface=SurfaceParams(radius=1.8),
    )  # fmt: skip
