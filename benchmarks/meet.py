"""Every kind meets every other: momentum, overlap and energy of all pairs in small scenes, as one sheet."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import print_table, side_views
from solvers import Body, Collider, Mesh, Scene, WorldParams
from solvers.materials import MATERIALS
from solvers.materials.grains_params import GrainsParams
from solvers.world import World

TITLE = "Pairs of materials that meet: momentum, penetration, energy"
SPACING = 0.02
CELL = 2.0 * SPACING
_PARAMS: dict[str, Any] = {"grains": GrainsParams(mode="all", size=SPACING)}


def body(name: str, kind: str, low: tuple[float, ...], high: tuple[float, ...], velocity: tuple[float, float, float]) -> Body:
    return Body(name, kind, Mesh.box(low, high), _PARAMS.get(kind), velocity)  # type: ignore[arg-type]


def collision(one: str, other: str) -> float:
    """Largest change of the total momentum of two bodies that collide in empty space, over what one of them brings along."""
    size = 5 * SPACING
    first = body("One", one, (0.0, 0.0, 0.0), (size, size, size), (0.5, 0.1, 0.0))
    second = body("Other", other, (size + 0.01, 0.0, 0.0), (2 * size + 0.01, size, size), (-0.5, 0.0, 0.0))
    world = World(Scene("Collision", (first, second), world=WorldParams(spacing=SPACING, gravity=(0.0, 0.0, 0.0), frame_end=9)))
    world.start()
    before, own = np.array(world.totals()["momentum"]), np.array(world._solvers[one].totals()["momentum"])
    worst = 0.0
    for frame in range(2, 9):
        world.advance(frame)
        worst = max(worst, float(np.abs(np.array(world.totals()["momentum"]) - before).max() / np.abs(own).max()))
    return worst


def places(world: World, kind: str) -> np.ndarray:
    """Places of a kind's particles (3, n) [m]."""
    return np.concatenate([part.position for part in world._solvers[kind].matter()], axis=1)


def drop(low: str, high: str, seconds: float) -> tuple[float, float, dict[str, np.ndarray]]:
    """A block falls on a layer in a tank: how deep it ends below the layer's top where the layer still is [cells], energy that
    appeared, over that of everything lifted by 10 cm, and where everybody is at the end. Settling water gains a little alone."""
    edge = 8 * SPACING
    layer = body("Layer", low, (0.0, 0.0, 0.0), (edge, edge, 0.08), (0.0, 0.0, 0.0))
    block = body("Block", high, (0.04, 0.04, 0.1), (0.12, 0.12, 0.16), (0.0, 0.0, 0.0))
    tank = Collider("Tank", Mesh.box((0.0, 0.0, 0.0), (edge, edge, 0.5), inward=True))
    frames = round(24 * seconds)
    world = World(Scene("Drop", (layer, block), (tank,), world=WorldParams(spacing=SPACING, frame_end=frames + 1)))
    world.start()

    def energy() -> float:
        totals = world.totals()
        return totals["kinetic_energy"] + totals["potential_energy"]

    begin = energy()
    scale = world.totals()["mass"] * 9.81 * 0.1
    gain = 0.0
    for frame in range(2, frames + 2):
        world.advance(frame)
        gain = max(gain, (energy() - begin) / scale)
    return shared_depth(places(world, low), places(world, high)), gain, {kind: places(world, kind) for kind in (low, high)}


def shared_depth(one: np.ndarray, other: np.ndarray) -> float:
    """How far two sets of places (3, n) reach into each other [cells]: the thickness of the space that both fill.

    A column of cells is shared as far as both have at least three particles (of eight) in a cell.
    """
    low = np.minimum(one.min(axis=1), other.min(axis=1))
    shape = np.floor((np.maximum(one.max(axis=1), other.max(axis=1)) - low) / CELL).astype(int) + 1
    counts = []
    for points in (one, other):
        index = np.floor((points - low[:, None]) / CELL).astype(int)
        counts.append(np.bincount(np.ravel_multi_index(tuple(index), tuple(shape)), minlength=int(shape.prod())).reshape(shape))
    both = (counts[0] >= 5) & (counts[1] >= 5)
    return float(both.sum(axis=2).max())


def run(quick: bool, out: Path) -> dict[str, Any]:
    rows, views = [], {}
    for low, high in combinations(MATERIALS, 2):
        momentum = collision(low, high)
        depth, gain, where = drop(low, high, 0.5 if quick else 2.0)
        rows.append([f"{low} – {high}", momentum, depth, gain])
        views[f"{high} on {low}"] = where
    print_table(["pair", "momentum error", "shared cells", "energy gain"], rows, TITLE)
    side_views(out / "meet.png", views)
    return {
        "momentum_error_max": max(row[1] for row in rows),
        "penetration_max_cells": max(row[2] for row in rows),
        "energy_gain_max": max(row[3] for row in rows),
        "pairs": len(rows),
    }
