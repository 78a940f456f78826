"""Scenes of solids for tests."""

from typing import Any

import numpy as np

from solvers.materials.solid_params import SolidParams
from solvers.scene import Body, Collider, Mesh, Scene, WorldParams
from solvers.world import World

SPACING = 0.05


def world_of(*bodies: Body, colliders: tuple[Collider, ...] = (), gravity: float = 0.0, rate: float = 50.0, **more: Any) -> World:
    settings = {"spacing": SPACING, "gravity": (0.0, 0.0, -gravity), "frames_per_second": rate, "frame_end": 1000, **more}
    made = World(Scene("Test", bodies, colliders, world=WorldParams(**settings)))
    made.start()
    return made


def run(world: World, frames: int) -> Any:
    for frame in range(world.frame + 1, world.frame + frames + 1):
        world.advance(frame)
    return solver_of(world)


def solver_of(world: World) -> Any:
    return world._solvers["solid"]


def cube(
    name: str = "Cube", low: float = 0.0, high: float = 0.4, shift: tuple[float, ...] = (0.0, 0.0, 0.0), **more: Any
) -> Body:
    motion = {key: more.pop(key) for key in ("velocity", "spin") if key in more}
    mesh = Mesh.box(tuple(low + s for s in shift), tuple(high + s for s in shift))  # type: ignore[arg-type]
    return Body(name, "solid", mesh, SolidParams(**{"stiffness": 1.0e5, **more}), **motion)


def strain(solver: Any) -> float:
    """Largest deviation of a singular value of F_E from 1."""
    return float(np.abs(np.linalg.svd(solver.state.live("elastic").T.reshape(-1, 3, 3), compute_uv=False) - 1.0).max())


def energy_of(solver: Any) -> tuple[float, float]:
    """Energy of motion, by the solver's own inertia, and of strain [J]."""
    from solvers.solid import law
    from solvers.solid.solve import Solver, empty_system

    exchange, state = solver.exchange, solver.state
    place, links = exchange.places(), exchange.links()
    row, back, centre = exchange.rows(place)
    mass, velocity = exchange.to_slaves(back, centre, place)
    _, curve = solver._stress()
    out = np.zeros((len(mass), 4), np.float32)
    system = empty_system(links, row, back, curve, mass, exchange.spread())
    kinetic = 0.5 * Solver().multiply(system, None, 0.0, velocity.astype(np.float32), out)
    values = np.linalg.svd(state.live("elastic").T.reshape(-1, 3, 3), compute_uv=False)
    mu, lam = solver.bodies.table[0, law.MU], solver.bodies.table[0, law.LAMBDA]
    density = mu * ((values - 1.0) ** 2).sum(axis=1) + 0.5 * lam * (values.prod(axis=1) - 1.0) ** 2
    return kinetic, float(state.live("volume") @ density)
