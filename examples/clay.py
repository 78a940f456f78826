"""A star is stamped into a slab of clay and lifted: the clay keeps the mark."""

from dataclasses import replace

import numpy as np

from examples.look import Look
from examples.shapes import cylinder, lathe, prism
from examples.whipped_cream import star
from solvers import Body, Collider, ColliderParams, Mesh, Scene, SurfaceParams, WorldParams
from solvers.materials.solid_params import PRESETS

TITLE = "A stamp leaves a star in a slab of clay"
FPS, FRAMES = 24.0, 44
HEIGHT, DEEP = 0.024, 0.011
"""Of the slab, and how deep the stamp goes [m]."""
LOOK = Look(
    frame=FRAMES,
    camera=(0.04, -0.21, 0.36),
    target=(0.012, 0.010, 0.012),
    lens=70.0,
    materials={"Clay": "clay", "Stamp": "steel", "Board": "wood"},
    exposure=-0.9,
)
CLAY = replace(PRESETS["clay"].params, stiffness=1.0e5, squeeze_yield=0.02, stretch_yield=0.02, toughness=2.0)
"""Softer than the preset, as if it had been kneaded."""


def _slab() -> Mesh:
    """A round slab with a soft edge that stands at z = 0."""
    edge = [(0.046 + 0.006 * np.cos(a), 0.5 * HEIGHT + 0.5 * HEIGHT * np.sin(a)) for a in np.linspace(-1.35, 1.35, 13)]
    return lathe([(0.0, 0.0), *[(float(r), float(z)) for r, z in edge], (0.0, HEIGHT)], 96)


def _stamp() -> Mesh:
    """A star with five points; its face is at z = 0."""
    body = prism(star(0.027, 0.0125, 5), 0.02)
    return Mesh(body.vertices + np.array([0.0, 0.0, 0.01]), body.triangles)


def _motion() -> np.ndarray:
    """Matrices of the stamp: down into the clay, a short rest, up and to the side."""
    frame = np.arange(FRAMES)
    down, rest, up = 16, 20, 30
    height = np.interp(frame, [0, down, rest, up, FRAMES - 1], [0.004, -DEEP, -DEEP, 0.012, 0.055])
    side = np.interp(frame, [0, up, FRAMES - 1], [0.0, 0.0, 0.045])
    motion = np.tile(np.eye(4), (FRAMES, 1, 1))
    motion[:, 0, 3], motion[:, 1, 3], motion[:, 2, 3] = side, 0.9 * side, HEIGHT + height
    turn = 0.35 * side / 0.045
    motion[:, 0, 0], motion[:, 0, 2], motion[:, 2, 0], motion[:, 2, 2] = np.cos(turn), np.sin(turn), -np.sin(turn), np.cos(turn)
    return motion


def scene(quick: bool = False) -> Scene:
    """A slab of 10 cm: 23 000 particles of 2 mm."""
    return Scene(
        "Clay",
        bodies=(Body("Clay", "solid", _slab(), CLAY),),
        colliders=(
            Collider("Board", cylinder((0.0, 0.0, -0.006), 0.085, 0.012, 96), ColliderParams(friction=0.8)),
            Collider("Stamp", _stamp(), ColliderParams(friction=0.1), motion=_motion()),
        ),
        world=WorldParams(spacing=0.004 if quick else 0.0021, frames_per_second=FPS, frame_end=FRAMES),
        surface=SurfaceParams(radius=1.6, voxel=0.4),
    )
