"""Makes the table of `solvers/drops/wetting.py`: the contact angle that each setting of a wall's forces leads to."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table
from benchmarks.drop_shapes import ball_on_plane, settle
from solvers.drops import law, wetting
from solvers.materials.drops_params import DropsParams

TITLE = "Drops: calibration of the contact angle"
VOLUME = 4.2e-9
PATH = (
    # pull, dislike, tail: along this path the angle rises
    (1.0, 0.5, 0.04), (1.0, 0.65, 0.04), (1.0, 0.8, 0.04), (1.0, 1.0, 0.04), (1.0, 1.25, 0.04), (1.0, 1.5, 0.04),
    (0.65, 0.0, 0.0), (0.55, 0.0, 0.0), (0.45, 0.0, 0.0), (0.35, 0.0, 0.0), (0.28, 0.0, 0.0), (0.23, 0.0, 0.0), (0.19, 0.0, 0.0),
    (0.16, 0.0, 0.0),
)  # fmt: skip
COOLED = 1100.0
"""Time until a drop has spread, cooled and stands, in units of spacing over speed."""


def rest_time(volume: float, particles: int, liquid: DropsParams) -> float:
    """Seconds until a drop of so many particles stands still."""
    spacing = (volume / particles) ** (1.0 / 3.0)
    return COOLED * float(np.sqrt(liquid.density * spacing**3 * law.TENSION_SHARE / liquid.surface_tension))


def measured(strength: tuple[float, float, float], particles: int) -> dict[str, Any]:
    """A ball set down on a wall with these forces."""
    kept = wetting.strengths
    wetting.strengths = lambda angle: np.tile(np.array(strength, np.float32), (len(angle), 1))
    try:
        seconds = rest_time(VOLUME, particles, DropsParams())
        return settle(ball_on_plane(VOLUME, particles, 90.0, fps=10.0 / seconds, frames=11))[1]
    finally:
        wetting.strengths = kept


def run(quick: bool, out: Path) -> dict[str, Any]:
    sizes = (500,) if quick else (600, 1000, 1500)
    path = PATH[1::6] if quick else PATH
    rows, lines = [], []
    for particles in sizes:
        found = []
        for strength in path:
            result = measured(strength, particles)
            found.append(result["angle_vdb"])
            rows.append([particles, *strength, result["angle"], result["angle_vdb"], result["wall"]])
            print(rows[-1], flush=True)
        lines.append(Line(f"{particles} particles", list(range(len(path))), found))
    print_table(["Particles", "pull", "dislike", "tail", "moments [°]", "surface [°]", "slope at the wall [°]"], rows, TITLE)
    plot(out / "drop_calibration.png", lines, title="Contact angle along the path", x="step of the path", y="angle [°]")
    return {"angle_least": float(min(row[5] for row in rows)), "angle_most": float(max(row[5] for row in rows))}
