"""What tests of foam share."""

import numpy as np

from solvers import Body, Collider, Mesh, Scene, WorldParams
from solvers.materials.foam_params import FoamParams
from solvers.mpm.foam import FoamSolver
from solvers.scene import ColliderParams
from solvers.state import State
from solvers.walls import Walls
from solvers.watch import Silent
from solvers.world import World

FPS = 50.0


def moving(frames: int, velocity: tuple[float, float, float]) -> np.ndarray:
    """Matrices of a steady translation, one per frame."""
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, :3, 3] = np.arange(frames)[:, None] / FPS * np.array(velocity)
    return motion


def solver_of(world: World) -> FoamSolver:
    solver = world._solvers["foam"]
    assert isinstance(solver, FoamSolver)
    return solver


def sheared_slab(params: FoamParams, speed: float, frames: int) -> tuple[FoamSolver, float, float]:
    """A slab between two plates that move apart along x; its solver, length and height."""
    spacing = 0.006
    height, length, width = 12 * spacing, 72 * spacing, 4 * spacing
    stick, slip = ColliderParams(contact="stick"), ColliderParams(contact="slip")
    plate = ((-length, -width), (2 * length, 2 * width))
    top = Mesh.box((*plate[0], height), (*plate[1], height + 0.03))
    bottom = Mesh.box((*plate[0], -0.03), (*plate[1], 0.0))
    left = Mesh.box((-2 * length, -0.03, -height), (3 * length, 0.0, 2 * height))
    right = Mesh.box((-2 * length, width, -height), (3 * length, width + 0.03, 2 * height))
    scene = Scene(
        "Couette",
        bodies=(Body("Slab", "foam", Mesh.box((0, 0, 0), (length, width, height)), params),),
        colliders=(
            Collider("Top", top, stick, motion=moving(frames, (speed, 0, 0))),
            Collider("Bottom", bottom, stick, motion=moving(frames, (-speed, 0, 0))),
            Collider("Left", left, slip),
            Collider("Right", right, slip),
        ),
        world=WorldParams(spacing=spacing, gravity=(0, 0, 0), frames_per_second=FPS, frame_end=frames),
    )
    world = World(scene)
    world.start()
    for frame in range(2, frames + 1):
        world.advance(frame)
    return solver_of(world), length, height


def pulled_rod(tearing: bool, frames: int = 24) -> tuple[FoamSolver, float]:
    """A rod glued between plates that go apart; its solver and the widest stretch of its axis without whole foam [m]."""
    params = FoamParams(
        density=200.0, firmness=290.0, yield_stress=31.9, thickness=2.0, thinning=0.5, volume_stiffness=10.0, tearing=tearing,
        stringiness=2.0,
    )  # fmt: skip
    stick = ColliderParams(contact="stick")
    scene = Scene(
        "Rod",
        bodies=(Body("Rod", "foam", Mesh.box((-0.02, -0.02, 0.0), (0.02, 0.02, 0.08)), params),),
        colliders=(
            Collider("Low", Mesh.box((-0.1, -0.1, -0.04), (0.1, 0.1, 0.0)), stick, motion=moving(frames, (0, 0, -0.1))),
            Collider("High", Mesh.box((-0.1, -0.1, 0.08), (0.1, 0.1, 0.12)), stick, motion=moving(frames, (0, 0, 0.1))),
        ),
        world=WorldParams(spacing=0.005, gravity=(0, 0, 0), frames_per_second=FPS, frame_end=frames),
    )
    world = World(scene)
    world.start()
    for frame in range(2, frames + 1):
        world.advance(frame)
    solver = solver_of(world)
    z = solver.state.live("position")[2][solver.state.live("torn") == 0.0]
    return solver, float(np.diff(np.sort(z)).max())


def no_walls(reach: float) -> Walls:
    return Walls([], reach=reach, frames_per_second=24.0, frame_start=1, watch=Silent())


def totals_of(state: State) -> tuple[np.ndarray, ...]:
    mass, volume = state.live("mass").astype(float), state.live("volume").astype(float)
    momentum = (mass * state.live("velocity").astype(float)).sum(axis=1)
    return np.array([mass.sum()]), momentum, np.array([volume.sum()]), np.array([(volume * state.live("jacobian")).sum()])
