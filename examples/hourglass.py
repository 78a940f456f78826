"""Sand runs through the neck of an hourglass: a crater above, a heap below, nothing leaks."""

import numpy as np

from examples.look import Look
from examples.shapes import lathe
from solvers import Body, Collider, ColliderParams, GrainsParams, Mesh, Scene, SurfaceParams, WorldParams

TITLE = "Sand runs through the neck of an hourglass"
RADIUS, HALF, NECK, GLASS = 0.032, 0.062, 0.0085, 0.0025
"""Of a bulb inside, height of one, radius of the neck inside, thickness of the glass [m]."""
WIDEST = 0.60
"""Part of a bulb's height at which it is widest."""
LEVEL = 0.66
"""Part of the upper bulb's height up to which it is filled."""
PLATE, OVERHANG = 0.010, 0.011
"""Thickness of the stand's plates, and how far they stand out beyond the glass [m]."""
LOOK = Look(
    frame=20,
    camera=(-0.16, -0.50, 0.185),
    target=(0.0, 0.0, 0.0745),
    lens=62.0,
    materials={"Glass": "glass", "Stand": "wood"},
    exposure=0.35,
    backdrop=(0.60, 0.55, 0.49),
    preview=85,
    stones="SAND",
)


def _bulb(height: np.ndarray, wider: float = 0.0) -> np.ndarray:
    """Radius [m] of the bulbs inside at a height above or below the neck [m]; `wider`: that much farther out [m]."""
    half, widest = HALF + wider, RADIUS + wider
    part = np.clip(np.abs(height) / half, 0.0, 1.0)
    funnel = NECK + wider + (RADIUS - NECK) * 0.5 * (1.0 - np.cos(np.pi * np.minimum(part / WIDEST, 1.0)))
    dome = widest * np.sqrt(np.clip(1.0 - (np.maximum(part - WIDEST, 0.0) / (1.0 - WIDEST)) ** 2, 0.0, 1.0))
    return np.where(part < WIDEST, funnel, dome)


def _turned(low: float, high: float, wider: float, steps: int, segments: int = 64) -> Mesh:
    """The bulbs between two heights from the neck [m] as a solid around the middle of the hourglass."""
    # steps close together near the ends, where a dome turns over
    height = low + (high - low) * 0.5 * (1.0 - np.cos(np.linspace(0.0, np.pi, steps)))
    rings = [(float(r), float(z)) for r, z in zip(_bulb(height, wider), height, strict=True) if r > 1.0e-6]
    return lathe([(0.0, float(low)), *rings, (0.0, float(high))], segments)


def glass() -> Mesh:
    """The glass: a solid with a hollow inside it."""
    outer, inner = (_turned(-HALF - wider, HALF + wider, wider, 72) for wider in (GLASS, 0.0))
    hollow = inner.triangles[:, ::-1] + len(outer.vertices)
    return Mesh(np.concatenate([outer.vertices, inner.vertices]), np.concatenate([outer.triangles, hollow]))


def stand() -> Mesh:
    """Two round plates with three turned pillars between them."""
    outside, reach = HALF + GLASS, RADIUS + GLASS + OVERHANG
    parts = []
    for side in (-1.0, 1.0):
        low, high = sorted((side * (outside - 0.001), side * (outside + PLATE)))
        bevel = 0.0015
        profile = [(reach - bevel, low), (reach, low + bevel), (reach, high - bevel), (reach - bevel, high)]
        parts.append(lathe([(0.0, low), *profile, (0.0, high)], 96))
    height = np.linspace(-outside, outside, 49)
    radius = 0.0030 + 0.0012 * np.cos(np.pi * height / outside) ** 2 * np.cos(6.0 * np.pi * height / outside)
    pillar = lathe([(0.0, -outside), *[(float(r), float(z)) for r, z in zip(radius, height, strict=True)], (0.0, outside)], 24)
    for angle in np.radians((90.0, 210.0, 330.0)):
        foot = (reach - 0.0065) * np.array([np.cos(angle), np.sin(angle), 0.0])
        parts.append(Mesh(pillar.vertices + foot, pillar.triangles))
    starts = np.cumsum([0, *[len(part.vertices) for part in parts]])
    triangles = [part.triangles + start for part, start in zip(parts, starts, strict=False)]
    return Mesh(np.concatenate([part.vertices for part in parts]), np.concatenate(triangles))


def _lifted(mesh: Mesh) -> Mesh:
    """Stood on z = 0."""
    return Mesh(mesh.vertices + np.array([0.0, 0.0, HALF + GLASS + PLATE]), mesh.triangles)


def scene(quick: bool = False) -> Scene:
    """A glass of 13 cm, a neck of 17 mm: about 2 400 grains of 3 mm (quick: 900 of 4.2 mm), 24 frames."""
    size = 0.0042 if quick else 0.0030
    sand = GrainsParams(
        mode="all", size=size, size_spread=0.2, friction_angle=28.0, rolling=0.08, restitution=0.2, wall_friction=0.3
    )
    filling = _turned(0.35 * NECK, LEVEL * HALF, -0.3 * size, 40)
    return Scene(
        "Hourglass",
        bodies=(Body("Sand", "grains", _lifted(filling), sand),),
        colliders=(
            Collider("Glass", _lifted(glass()), ColliderParams(friction=0.2)),
            Collider("Stand", _lifted(stand()), ColliderParams(friction=0.5)),
        ),
        world=WorldParams(spacing=0.003, frames_per_second=24.0, frame_end=10 if quick else 24),
        surface=SurfaceParams(enabled=False),
    )
