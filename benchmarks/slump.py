"""Concrete out of a slump cone, against the classical theory of the slump test."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import print_table
from examples.shapes import lathe
from solvers.materials.foam_params import PRESETS, in_shear
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Foam: the slump of a cone of concrete"

HEIGHT, RADIUS, TOP = 0.30, 0.10, 0.05
"""Abrams' cone [m]."""
SECONDS = 1.5


def theory(strength: float, density: float) -> float:
    """Slump [m] of a cone of material that yields at a shear stress of `strength` [Pa].

    A slice of height z below the top carries ρ g times the volume above it over its area. Where the Mises stress of that
    exceeds √3 τ_y it spreads until it does not (Schowalter, Christensen: Toward a rationalization of the slump test for fresh
    concrete, 1998, with Mises for Tresca; the top is half as wide as the base).
    """
    share = np.sqrt(3.0) * strength / (density * 9.81 * HEIGHT)
    depth = np.linspace(1.0e-4, 1.0, 20001)
    # volume above over area, in heights: ((1 + d)³ − 1)/(3 (1 + d)²)
    stress = ((1.0 + depth) ** 3 - 1.0) / (3.0 * (1.0 + depth) ** 2)
    spread = np.maximum(stress / share, 1.0)
    return float(HEIGHT * np.mean(1.0 - 1.0 / spread))


def slump(strength: float, spacing: float) -> tuple[float, float]:
    """Slump and diameter [m] when all has come to rest."""
    params = replace(PRESETS["wet_concrete"].params, **in_shear(strength, 40.0, 1.0))
    floor = Mesh.box((-0.6, -0.6, -0.1), (0.6, 0.6, 0.0))
    scene = Scene(
        "Slump",
        bodies=(Body("Concrete", "foam", lathe([(0.0, 0.0), (RADIUS, 0.0), (TOP, HEIGHT), (0.0, HEIGHT)], 48), params),),
        colliders=(Collider("Floor", floor, ColliderParams(contact="stick")),),
        world=WorldParams(spacing=spacing, frames_per_second=10.0, frame_end=round(10 * SECONDS) + 1),
    )
    world = World(scene)
    world.start()
    place = world._solvers["foam"].state
    top = float(place.live("position")[2].max())
    for frame in range(2, scene.world.frame_end + 1):
        world.advance(frame)
    x, y, z = place.live("position")
    return top - float(z.max()), 2.0 * float(np.quantile(np.hypot(x, y), 0.995))


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacing = 0.0125 if quick else 0.008
    density = PRESETS["wet_concrete"].params.density
    rows, worst = [], 0.0
    for strength in (600.0, 900.0, 1228.0):
        wanted, (found, width) = theory(strength, density), slump(strength, spacing)
        worst = max(worst, abs(found - wanted))
        rows.append([f"{strength:g} Pa", 1e3 * wanted, 1e3 * found, 1e3 * width, 300.0 - 347.0 / density * (strength - 212.0)])
    headings = ["Yield in shear", "slump by theory [mm]", "slump [mm]", "diameter [mm]", "concretes of this yield in a rheometer"]
    print_table(headings, rows, TITLE)
    return {"error_mm": 1e3 * worst}
