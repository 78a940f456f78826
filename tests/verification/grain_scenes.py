"""Small sets of grains, placed by hand."""

from typing import Any

import numpy as np

from solvers.dem.engine import REACH, Engine, Setting, make_stiffness
from solvers.dem.state import GrainState
from solvers.scene import Collider, ColliderParams, Mesh
from solvers.walls import Walls
from solvers.watch import Silent

RADIUS = 0.01
GRAVITY = np.array((0.0, 0.0, -9.81))
SAND = Setting(2650.0, 0.5, 0.5, 0.0, 0.0, 0.5)


def grains(
    position, velocity=None, *, setting: Setting = SAND, radius: Any = RADIUS, spin=None, stiffness: float = 4.0e6
) -> Engine:
    """An engine with grains at the given places (n, 3)."""
    place = np.atleast_2d(np.asarray(position, np.float64))
    count = len(place)
    sizes = np.broadcast_to(np.asarray(radius, np.float32), count).copy()
    state = GrainState()
    engine = Engine(
        state, [setting], make_stiffness(stiffness, [setting], float(sizes.min())), float(sizes.max()), float(sizes.min())
    )
    one = np.ones(count, np.float32)
    state.append(
        {
            "position": place.T,
            "velocity": np.zeros((3, count)) if velocity is None else np.broadcast_to(velocity, place.shape).T,
            "spin": np.zeros((3, count)) if spin is None else np.broadcast_to(spin, place.shape).T,
            "radius": sizes, "weight": one, "orientation": np.stack([one, 0 * one, 0 * one, 0 * one]),
            "wall_row": np.full(count, -1, np.int32),
        }
    )  # fmt: skip
    return engine


def walls_of(*colliders: Collider, radius: float = RADIUS) -> Walls:
    return Walls(colliders, reach=REACH * radius, frames_per_second=24.0, frame_start=1, watch=Silent())


def floor(friction: float = 0.5, half: float = 1.0) -> Collider:
    mesh = Mesh.rectangle((-half, -half, 0.0), (2 * half, 0.0, 0.0), (0.0, 2 * half, 0.0))
    return Collider("Floor", mesh, ColliderParams(friction=friction))


def run(engine: Engine, walls: Walls, seconds: float, gravity: np.ndarray = GRAVITY, wall_speed: float = 0.0) -> None:
    """Advance by `seconds`, walls standing still."""
    time = 0.0
    while time < seconds - 1.0e-12:
        dt = min(engine.stable_dt(wall_speed, float(np.linalg.norm(gravity))), seconds - time)
        engine.advance(walls, dt, gravity, wall_speed, Silent())
        time += dt


def close_packed(count: int, seed: int = 0, setting: Setting = SAND, gap: float = 1.0, spread: float = 0.2) -> Engine:
    """About count³ grains of mixed sizes on a shaken cubic lattice, `gap` of a diameter apart."""
    random = np.random.default_rng(seed)
    lattice = np.stack(np.meshgrid(*[np.arange(count)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    place = 2.0 * RADIUS * gap * (lattice + random.uniform(-0.1, 0.1, lattice.shape))
    radius = RADIUS * (1.0 + spread * random.uniform(-1.0, 1.0, len(place)))
    return grains(place, setting=setting, radius=radius)
