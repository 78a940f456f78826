"""The slope on which a drop begins to slide, against ρ g V sin α = k w γ (cos θ_r − cos θ_a)."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table
from benchmarks.drop_shapes import ball_on_plane, radius_of, run_world
from solvers.materials.drops_params import DropsParams
from solvers.world import World

TITLE = "Drops: angle at which a drop slides"
SHAPE = np.pi / 4.0
"""k for a round base around which cos θ goes from receding to advancing as a cosine: ∮ ½ (cos φ)² dφ over its width."""
ANGLE = 90.0


def slide_angle(volume: float, particles: int, hysteresis: float, tilts: np.ndarray) -> tuple[float, float]:
    """Tilt [°] at which the drop begins to run, and the width of its base [m].

    The slope gets steeper every 50 ms. The middle is taken between the last tilt at which the drop moves less than a third of its
    radius in that time and the first at which it moves more.
    """
    frames = len(tilts) + 6
    scene: dict[str, Any] = {"gravity": 9.81, "fps": 20.0, "frames": frames, "hysteresis": hysteresis}
    world = run_world(ball_on_plane(volume, particles, ANGLE, **{**scene, "frames": 4}))
    position = world.points("Drops")["position"]
    low = position[position[:, 2] < 1.5 * world.spacing]
    width = float(np.ptp(low[:, 1])) + world.spacing
    saved, frame = world.checkpoint(), 4
    for tilt in tilts:
        world = World(ball_on_plane(volume, particles, ANGLE, tilt=float(tilt), **scene))
        world.restore(saved, frame)
        before = world.points("Drops")["position"][:, 0].mean()
        frame += 1
        world.advance(frame)
        saved = world.checkpoint()
        if world.points("Drops")["position"][:, 0].mean() - before > radius_of(volume) / 3.0:
            return float(tilt - 0.5 * (tilts[1] - tilts[0])), width
    return 90.0, width


def run(quick: bool, out: Path) -> dict[str, Any]:
    liquid = DropsParams()
    volume = 2.0e-8
    tilts = np.arange(5.0, 91.0, 10.0 if quick else 5.0)
    rows = []
    for hysteresis in (30.0,) if quick else (0.0, 15.0, 30.0, 45.0):
        found, width = slide_angle(volume, 300 if quick else 600, hysteresis, tilts)
        difference = np.cos(np.radians(ANGLE - 0.5 * hysteresis)) - np.cos(np.radians(ANGLE + 0.5 * hysteresis))
        hold = SHAPE * width * liquid.surface_tension * difference / (liquid.density * 9.81 * volume)
        wanted = float(np.degrees(np.arcsin(min(hold, 1.0))))
        rows.append([f"{hysteresis:g}°", 1e3 * width, wanted, found, found - wanted])
        print(rows[-1], flush=True)
    print_table(
        ["Hysteresis", "base [mm]", "wanted [°]", "slides at [°]", "difference [°]"], rows, f"{TITLE}: 20 µL of water at 90°"
    )
    lines = [
        Line("wanted", [float(r[0][:-1]) for r in rows], [r[2] for r in rows]),
        Line("measured", [float(r[0][:-1]) for r in rows], [r[3] for r in rows]),
    ]
    plot(out / "hysteresis.png", lines, title="Slide angle", x="hysteresis [°]", y="slope [°]")
    return {"slide_angle_error_deg": max(abs(row[4]) for row in rows)}
