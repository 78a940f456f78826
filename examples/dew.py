"""Dew on a leaf that is waxy in the middle: beads roll down the midrib, flat drops cling to the rim, one hangs from the tip."""

import numpy as np

from examples.look import Look
from solvers import Body, Collider, ColliderParams, Mesh, Scene, SurfaceParams, WorldParams
from solvers.materials.drops_params import PRESETS

TITLE = "Dew rolls on a leaf whose waxy middle is painted"
LENGTH, HALF_WIDTH = 0.044, 0.0105
"""Of the leaf [m]."""
LOOK = Look(
    frame=28,
    camera=(0.080, -0.058, 0.050),
    target=(0.0235, 0.0008, -0.0040),
    lens=95.0,
    materials={"Leaf": "leaf"},
    clear_depth=0.05,
    f_stop=20.0,
    exposure=0.55,
    backdrop=(0.005, 0.012, 0.003),
)


def _surface(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Points (…, 3) [m] of the leaf at u (0 stalk … 1 tip) along and v (−1 … 1) across it."""
    x = LENGTH * u
    half = HALF_WIDTH * np.sin(np.pi * np.clip(0.03 + 0.94 * u, 0.0, 1.0) ** 0.78) ** 0.85
    y = half * v
    ripple = 0.024 * half * np.sin(22.0 * u + 4.0 * np.abs(v)) * v * v
    gutter = 0.30 * (np.sqrt(y * y + 0.0012**2) - 0.0012)
    bend = -0.10 * x - 7.5 * x * x
    return np.stack([x, y, bend + gutter + ripple], axis=-1)


def leaf(along: int = 88, across: int = 32) -> tuple[Mesh, np.ndarray]:
    """The leaf and how waxy each vertex is, 0 … 1: wholly around the midrib, not at all at the rim."""
    u, v = np.meshgrid(np.linspace(0.0, 1.0, along + 1), np.linspace(-1.0, 1.0, across + 1), indexing="ij")
    at = np.arange(u.size).reshape(u.shape)
    a, b, c, d = at[:-1, :-1].ravel(), at[1:, :-1].ravel(), at[1:, 1:].ravel(), at[:-1, 1:].ravel()
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]).astype(np.int32)
    wax = np.clip((0.72 - np.abs(v)) / 0.25, 0.0, 1.0)
    return Mesh(_surface(u, v).reshape(-1, 3), triangles), wax.ravel()


def _beads(count: int, seed: int) -> Mesh:
    """Balls of many sizes that touch the leaf and not each other; one waits beneath the tip."""
    rng = np.random.default_rng(seed)
    sizes = np.sort(np.clip(7.2e-4 * np.exp(0.42 * rng.normal(size=count)), 5.0e-4, 1.75e-3))[::-1]
    centres: list[np.ndarray] = []
    radii: list[float] = []
    for radius in sizes:
        for _ in range(400):
            u, v = rng.uniform(0.06, 0.95), rng.uniform(-0.88, 0.88)
            here, ahead, aside = (_surface(np.array(p), np.array(q)) for p, q in ((u, v), (u + 1e-4, v), (u, v + 1e-4)))
            normal = np.cross(ahead - here, aside - here)
            normal /= np.linalg.norm(normal)
            centre = here + 1.02 * radius * normal
            clear = [np.linalg.norm(centre - other) > 1.25 * (radius + size) for other, size in zip(centres, radii, strict=True)]
            if all(clear):
                centres.append(centre)
                radii.append(float(radius))
                break
    parts = [Mesh.sphere((0.0, 0.0, 0.0), 1.0, 3 if radius > 8.0e-4 else 2) for radius in radii]
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    return Mesh(
        np.concatenate([part.vertices * radius + centre for part, radius, centre in zip(parts, radii, centres, strict=True)]),
        np.concatenate([part.triangles + start for part, start in zip(parts, starts, strict=False)]).astype(np.int32),
    )


def scene(quick: bool = False) -> Scene:
    """A leaf 44 mm long with 60 drops, 40 frames of a hundredth of a second: 14 000 particles."""
    mesh, wax = leaf()
    surface = ColliderParams(contact_angle=60.0, contact_angle_group="Wax", contact_angle_painted=150.0, hysteresis=14.0)
    return Scene(
        "Dew",
        bodies=(Body("Dew", "drops", _beads(12 if quick else 60, 5), PRESETS["water"].params),),
        colliders=(Collider("Leaf", mesh, surface, weights={"contact_angle": wax}),),
        world=WorldParams(
            spacing=4.4e-4 if quick else 2.2e-4,
            frames_per_second=100.0,
            frame_end=6 if quick else 40,
            jitter=0.3,
            world_limit=0.028,  # what has fallen off need not be followed: it would fall ever faster
        ),
        surface=SurfaceParams(voxel=0.4, smoothing="5"),
    )
