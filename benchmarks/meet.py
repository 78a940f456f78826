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
_DROPS_SCALE = 0.05
"""Scenes with drops are this much smaller: at 2 cm a drop would fall to pieces under its own weight."""
Places = dict[str, np.ndarray]


def body(
    name: str, kind: str, low: tuple[float, ...], high: tuple[float, ...], velocity: tuple[float, ...], scale: float = 1.0
) -> Body:
    """A box of a kind; lengths and speeds are made smaller by `scale`, gravity seems the same if speeds go with its root."""
    params = GrainsParams(mode="all", size=SPACING * scale) if kind == "grains" else None
    corners = (tuple(scale * part for part in corner) for corner in (low, high))
    return Body(name, kind, Mesh.box(*corners), params, tuple(scale**0.5 * part for part in velocity))  # type: ignore[arg-type]


def scale_of(*kinds: str) -> float:
    return _DROPS_SCALE if "drops" in kinds else 1.0


def collision(one: str, other: str) -> float:
    """Largest change of the total momentum of two bodies that collide in empty space, over what one of them brings along."""
    size, scale = 5 * SPACING, scale_of(one, other)
    first = body("One", one, (0.0, 0.0, 0.0), (size, size, size), (0.5, 0.1, 0.0), scale)
    second = body("Other", other, (size + 0.01, 0.0, 0.0), (2 * size + 0.01, size, size), (-0.5, 0.0, 0.0), scale)
    nowhere = WorldParams(spacing=SPACING * scale, gravity=(0.0, 0.0, 0.0), frame_end=9)
    world = World(Scene("Collision", (first, second), world=nowhere))
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


def drop(low: str, high: str, seconds: float) -> tuple[float, float, float, Places]:
    """A block falls on a layer in a tank: how deep it ends below the layer's top where the layer still is [cells]; the most
    energy that the scene ever had above that of its beginning, and the most that the exchanges ever gave, both over that of
    everything lifted by 10 cm (to scale); and where everybody is at the end."""
    edge, scale = 8 * SPACING, scale_of(low, high)
    layer = body("Layer", low, (0.0, 0.0, 0.0), (edge, edge, 0.08), (0.0, 0.0, 0.0), scale)
    block = body("Block", high, (0.04, 0.04, 0.1), (0.12, 0.12, 0.16), (0.0, 0.0, 0.0), scale)
    tank = Collider("Tank", Mesh.box((0.0, 0.0, 0.0), (scale * edge, scale * edge, scale * 0.5), inward=True))
    rate = 24.0 / scale**0.5
    frames = round(rate * seconds * scale**0.5)
    settings = WorldParams(spacing=SPACING * scale, frame_end=frames + 1, frames_per_second=rate)
    world = World(Scene("Drop", (layer, block), (tank,), world=settings))
    world.start()

    def energy() -> float:
        totals = world.totals()
        return totals["kinetic_energy"] + totals["potential_energy"]

    begin = energy()
    unit = world.totals()["mass"] * 9.81 * 0.1 * scale
    gain = given = 0.0
    for frame in range(2, frames + 2):
        world.advance(frame)
        gain = max(gain, (energy() - begin) / unit)
        given = max(given, world.company.meeting.record.work / unit)
    found = {kind: places(world, kind) / scale for kind in (low, high)}
    return shared_depth(found[low], found[high]), gain, given, found


def shared_depth(one: np.ndarray, other: np.ndarray) -> float:
    """How far two sets of places (3, n) of particles `SPACING` apart reach into each other [cells]: the thickness of both.

    A column of cells is shared as far as both have at least three particles (of eight) in a cell.
    """
    low = np.minimum(one.min(axis=1), other.min(axis=1))
    shape = np.floor((np.maximum(one.max(axis=1), other.max(axis=1)) - low) / 2.0 * SPACING).astype(int) + 1
    counts = []
    for points in (one, other):
        index = np.floor((points - low[:, None]) / 2.0 * SPACING).astype(int)
        counts.append(np.bincount(np.ravel_multi_index(tuple(index), tuple(shape)), minlength=int(shape.prod())).reshape(shape))
    both = (counts[0] >= 5) & (counts[1] >= 5)
    return float(both.sum(axis=2).max())


def run(quick: bool, out: Path) -> dict[str, Any]:
    rows, views = [], {}
    for low, high in combinations(MATERIALS, 2):
        momentum = collision(low, high)
        depth, gain, given, where = drop(low, high, 0.5 if quick else 2.0)
        rows.append([f"{low} – {high}", momentum, depth, gain, given])
        views[f"{high} on {low}"] = where
    print_table(["pair", "momentum error", "shared cells", "gain of the scene", "gain by exchanges"], rows, TITLE)
    side_views(out / "meet.png", views)
    return {
        "momentum_error_max": max(row[1] for row in rows),
        "penetration_max_cells": max(row[2] for row in rows),
        "scene_gain_max": max(row[3] for row in rows),
        "energy_gain_max": max(row[4] for row in rows),
        "pairs": len(rows),
    }
