"""Height of puddles against 2 κ⁻¹ sin(θ/2), and against the Young–Laplace equation for their volume."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, new_figure, print_table, save_figure
from benchmarks.drop_shapes import ball_on_plane, profile, run_world, sessile, surface_of
from solvers.materials.drops_params import PRESETS

TITLE = "Drops: height of puddles of three liquids"


def measured(name: str, volume: float, particles: int, angle: float, seconds: float) -> tuple[float, np.ndarray, float]:
    """Height [m] of the rendered puddle (mean of its middle), its outline, and the spacing [m]."""
    liquid = PRESETS[name].params
    world = run_world(ball_on_plane(volume, particles, angle, gravity=9.81, liquid=liquid, fps=10.0 / seconds, frames=11))
    outline = profile(surface_of(world))
    top = outline[outline[:, 0] < 0.25 * outline[:, 0].max()]
    return float(np.median(top[top[:, 1] > 0.5 * outline[:, 1].max(), 1])), outline, world.spacing


def run(quick: bool, out: Path) -> dict[str, Any]:
    cases = (
        [("water", 1.0e-6, 90.0, 800)] if quick
        else [(name, volume, angle, 1500 if volume < 5e-6 else 4000)
              for name, angle in (("water", 100.0), ("soapy_water", 60.0), ("mercury", 140.0)) for volume in (1.0e-6, 1.0e-5)]
    )  # fmt: skip
    rows, lines, worst = [], [], 0.0
    for name, volume, angle, particles in cases:
        liquid = PRESETS[name].params
        height, outline, spacing = measured(name, volume, particles, angle, 1.0)
        wide = 2.0 * liquid.capillary_length * np.sin(np.radians(angle) / 2.0)
        exact = sessile(volume, angle, liquid)[0]
        error = height / exact - 1.0
        worst = max(worst, abs(error))
        rows.append(
            [
                liquid_label(name, volume),
                angle,
                1e3 * height,
                1e3 * exact,
                1e3 * wide,
                error,
                height / wide - 1.0,
                height / spacing,
            ]
        )
        print(rows[-1], flush=True)
        lines.append(Line(liquid_label(name, volume), 1e3 * outline[:, 0], 1e3 * outline[:, 1], dots=True))
    headings = [
        "Puddle",
        "angle [°]",
        "height [mm]",
        "Young–Laplace [mm]",
        "2κ⁻¹sin(θ/2) [mm]",
        "error",
        "error of the wide",
        "layers",
    ]
    print_table(headings, rows, TITLE)
    figure, axes = new_figure("Outlines of puddles", "radius [mm]", "height [mm]")
    for line in lines:
        axes.scatter(line.x, line.y, s=2, label=line.label)
    axes.legend(frameon=False)
    save_figure(figure, out / "puddle.png")
    return {"error_max": worst, "error_max_wide": max(abs(row[6]) for row in rows)}


def liquid_label(name: str, volume: float) -> str:
    return f"{PRESETS[name].label}, {1e6 * volume:g} mL"
