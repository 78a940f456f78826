"""What Foam's main sliders do: firmness, yield, thickness, thinning, stringiness, each low, middle and high."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.foam_shapes import smooth_step
from benchmarks.strips import Shot, strip
from examples.shapes import cylinder, lathe
from solvers.materials.foam_params import PRESETS, FoamParams
from solvers.scene import Body, Collider, ColliderParams, Scene, WorldParams

TITLE = "Foam: strips of its main sliders"

FPS = 48.0
DOLLOP = [(0.0, 0.0), (0.026, 0.0), (0.027, 0.008), (0.022, 0.016), (0.023, 0.024), (0.016, 0.032), (0.010, 0.044), (0.0, 0.056)]
"""Radius and height [m] of a swirl of cream."""
STICK = ColliderParams(contact="stick")


def slump(params: FoamParams, seconds: float, spacing: float) -> Scene:
    """A dollop left to itself on a plate."""
    return Scene(
        "Slump",
        bodies=(Body("Dollop", "foam", lathe(DOLLOP, 48), params),),
        colliders=(Collider("Plate", cylinder((0.0, 0.0, -0.004), 0.075, 0.008), STICK),),
        world=WorldParams(spacing=spacing, frames_per_second=FPS, frame_end=round(seconds * FPS) + 1),
    )


def pull(params: FoamParams, seconds: float, spacing: float) -> Scene:
    """A short rod between two plates that go apart."""
    frames, height = round(seconds * FPS) + 1, 0.03
    motion = np.tile(np.eye(4), (frames, 1, 1))
    motion[:, 2, 3] = 0.06 * smooth_step(np.arange(frames) / (frames - 1))
    upper = Collider("Upper", cylinder((0.0, 0.0, height + 0.004), 0.03, 0.008), STICK, motion=motion)
    return Scene(
        "Pull",
        bodies=(Body("Rod", "foam", cylinder((0.0, 0.0, 0.5 * height), 0.022, height), params),),
        colliders=(Collider("Lower", cylinder((0.0, 0.0, -0.004), 0.03, 0.008), STICK), upper),
        world=WorldParams(spacing=spacing, frames_per_second=FPS, frame_end=frames),
    )


def shots(spacing: float) -> dict[str, list[Shot]]:
    """All shots by slider."""
    cream = PRESETS["whipped_cream"].params
    table = ((0.11, -0.24, 0.12), (0.0, 0.0, 0.018))
    side = ((0.09, -0.30, 0.09), (0.0, 0.0, 0.045))
    soft, thin = replace(cream, yield_stress=15.0), replace(cream, yield_stress=4.0, thickness=4.0)
    marshmallow = PRESETS["marshmallow"].params
    return {
        "firmness": [
            Shot(f"Firmness {value:g} Pa", slump(replace(cream, firmness=value), 0.8, spacing), table, ("clay",), 85.0)
            for value in (60.0, 250.0, 5000.0)
        ],
        "yield": [
            Shot(f"Yield {value:g} Pa", slump(replace(cream, yield_stress=value), 0.8, spacing), table, ("clay",), 85.0)
            for value in (4.0, 18.0, 120.0)
        ],
        "thickness": [
            Shot(f"Thickness {value:g} Pa·sᵐ, ¼ s", slump(replace(soft, thickness=value), 0.25, spacing), table, ("clay",), 85.0)
            for value in (1.0, 15.0, 100.0)
        ],
        "thinning": [
            Shot(f"Thinning {value:g}, ¼ s", slump(replace(thin, thinning=value), 0.25, spacing), table, ("clay",), 85.0)
            for value in (0.2, 0.6, 1.2)
        ],
        "stringiness": [
            Shot(f"Stringiness {value:g}", pull(replace(marshmallow, stringiness=value), 0.6, spacing), side, ("clay", "clay"))
            for value in (1.5, 4.0, 30.0)
        ],
    }


def run(quick: bool, out: Path) -> dict[str, Any]:
    found = shots(0.005 if quick else 0.0028)
    for name, strip_shots in found.items():
        strip(out / f"foam_strip_{name}.png", strip_shots[:1] if quick else strip_shots)
    return {"strips": len(found)}
