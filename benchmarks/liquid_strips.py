"""What the main sliders of Water and Grains do, each low, middle and high.

ONLY="rolling cohesion" names some of the strips, SPACING=0.007 makes their particles and grains larger [m].
"""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.strips import Shot, strip
from examples.shapes import cylinder
from solvers.materials.grains_params import GrainsParams
from solvers.materials.water_params import WaterParams
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams

TITLE = "Water and Grains: strips of their main sliders"

_TABLE = ((0.16, -0.46, 0.24), (0.0, 0.0, 0.025))


def _floor(friction: float) -> Collider:
    return Collider("Floor", cylinder((0.0, 0.0, -0.005), 0.14, 0.01, 96), ColliderParams(friction=friction))


def puddle(viscosity: float, spacing: float) -> Scene:
    """A block of liquid let go on a plate, a sixth of a second later."""
    params = WaterParams(viscosity=viscosity)
    return Scene(
        "Puddle",
        bodies=(Body("Block", "water", Mesh.box((-0.03, -0.03, 0.0), (0.03, 0.03, 0.06)), params),),
        colliders=(_floor(0.3),),
        world=WorldParams(spacing=spacing, frames_per_second=48.0, frame_end=9),
    )


def heap(spacing: float, **settings: float) -> Scene:
    """A short column of grains let go, 0.4 s later: low enough to slump instead of scattering."""
    params = replace(GrainsParams(mode="all", size=spacing, friction_angle=30.0, rolling=0.1), **settings)
    return Scene(
        "Heap",
        bodies=(Body("Column", "grains", cylinder((0.0, 0.0, 0.031), 0.038, 0.06), params),),
        colliders=(_floor(0.8),),
        world=WorldParams(spacing=spacing, frames_per_second=24.0, frame_end=11),
    )


def shots(spacing: float) -> dict[str, list[Shot]]:
    """All shots by slider."""

    def wet(caption: str, scene: Scene) -> Shot:
        return Shot(caption, scene, _TABLE, ("clay",), 62.0, output="Water", look="water")

    def dry(caption: str, scene: Scene) -> Shot:
        return Shot(caption, scene, _TABLE, ("clay",), 62.0, output="Grains", look="sand", beads=True)

    return {
        "viscosity": [wet(f"Viscosity {value:g} Pa·s", puddle(value, spacing)) for value in (0.001, 3.0, 60.0)],
        "detail": [wet(f"{round(0.06 / size)} across", puddle(0.001, size)) for size in (0.01, 0.006, spacing)],
        "friction": [dry(f"Friction angle {value:g}°", heap(spacing, friction_angle=value)) for value in (10.0, 28.0, 42.0)],
        "rolling": [dry(f"Rolling resistance {value:g}", heap(spacing, rolling=value)) for value in (0.0, 0.1, 0.5)],
        "size": [dry(f"Grain size {1000 * size:g} mm", heap(size)) for size in (0.009, 0.006, 0.7 * spacing)],
        "cohesion": [dry(f"Cohesion {value:g} Pa", heap(spacing, cohesion=value)) for value in (0.0, 300.0, 2000.0)],
    }


def run(quick: bool, out: Path) -> dict[str, Any]:
    found = shots(0.008 if quick else float(os.environ.get("SPACING", "0.005")))
    for name in os.environ.get("ONLY", "").split() or found:
        strip_shots = found[name]
        strip(out / f"{name}_strip.png", strip_shots[:1] if quick else strip_shots)
    return {"strips": len(found)}
