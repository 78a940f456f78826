"""Two jellies fall on a plate: their own meshes wobble, with the materials they had."""

import numpy as np

from examples.look import Look
from examples.shapes import lathe
from solvers import Body, Collider, ColliderParams, Mesh, Scene, SurfaceParams, WorldParams
from solvers.materials.solid_params import SolidParams

TITLE = "Two jellies fall on a plate and on each other"
FLUTES = 14
LOOK = Look(
    frame=13,
    camera=(0.10, -0.40, 0.19),
    target=(0.0, 0.0, 0.038),
    lens=75.0,
    materials={"Raspberry": "raspberry jelly", "Lime": "lime jelly", "Plate": "porcelain"},
    backdrop=(0.16, 0.20, 0.24),
    clear_depth=0.05,
)
JELLY = SolidParams(density=1050.0, stiffness=7.0e3, squash=0.44, friction=0.2)


def pudding(height: float, base: float, top: float, lift: float) -> Mesh:
    """A pudding from a fluted mould that stands at z = `lift` [m]."""
    side = [(base + (top - base) * t + 0.06 * base * np.sin(np.pi * t), height * t) for t in np.linspace(0.0, 1.0, 28)]
    over = [(top * np.cos(a), height + 0.12 * top * np.sin(a)) for a in np.linspace(0.1, 1.45, 12)]
    under = [(base * s, 0.0) for s in np.linspace(0.15, 0.96, 8)]
    cap = (0.0, height + 0.12 * top)
    solid = lathe([(0.0, 0.0), *[(float(r), float(z)) for r, z in [*under, *side, *over]], cap], 168)
    x, y, z = solid.vertices.T
    angle, radius = np.arctan2(y, x), np.hypot(x, y)
    deep = 1.0 + 0.075 * np.cos(FLUTES * angle) * np.clip(radius / top, 0.0, 1.0) ** 3 * np.clip(
        (height * 1.05 - z) / (0.4 * height), 0.0, 1.0
    )
    return Mesh(np.stack([x * deep, y * deep, z + lift], axis=1), solid.triangles)


def plate() -> Mesh:
    """A shallow plate whose middle is at z = 0."""
    outside = [(0.05, -0.012), (0.096, -0.007), (0.116, 0.002), (0.1195, 0.0065), (0.1185, 0.0100)]
    inside = [(0.1150, 0.0112), (0.1115, 0.0102), (0.090, 0.0026), (0.07, 0.0)]
    return lathe([(0.0, -0.012), *outside, *inside, (0.0, 0.0)], 128)


def scene(quick: bool = False) -> Scene:
    """A raspberry pudding drops 4 cm on a plate, a lime cube after it on its top; 24 frames a second."""
    cube = pudding(0.026, 0.018, 0.015, 0.155)
    shifted = Mesh(cube.vertices + np.array([0.008, -0.004, 0.0]), cube.triangles)
    return Scene(
        "Jelly",
        bodies=(
            Body("Raspberry", "solid", pudding(0.06, 0.046, 0.031, 0.03), JELLY),
            Body("Lime", "solid", shifted, JELLY, spin=(0.0, 3.0, 0.0)),
        ),
        colliders=(Collider("Plate", plate(), ColliderParams(friction=0.4)),),
        world=WorldParams(spacing=0.006 if quick else 0.0028, frames_per_second=48.0, frame_end=8 if quick else 40),
        surface=SurfaceParams(enabled=False),
    )
