"""A silo with a narrow opening: single grains and the hybrid jam in it, a continuum runs through (the paper's figure 10)."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table
from benchmarks.silo import MODES, Silo, discharged

TITLE = "Clogging: mass that has left through an opening of two grains"
STOPPED = 2.0e-4
"""A silo that loses less than this part of its mass in a frame has clogged."""


def run(quick: bool, out: Path) -> dict[str, Any]:
    silo, frames = (Silo(14, 8, 26, 2.0), 10) if quick else (Silo(18, 8, 32, 2.0), 20)
    curves, rows, clogs = {}, [], {}
    for mode, label in MODES.items():
        curves[mode], saved = discharged(silo, mode, frames)
        last = float(np.diff(curves[mode])[-max(2, frames // 5) :].mean())
        clogs[mode] = last < STOPPED
        rows.append([label, float(curves[mode][-1]), last, "clogged" if clogs[mode] else "runs", saved])
    print_table(["method", "run out", "in the last frames", "", "grains saved"], rows, TITLE)
    plot(
        out / "clogging.png",
        [Line(MODES[mode], np.arange(frames) / 20.0, curve) for mode, curve in curves.items()],
        title="Narrow silo", x="time [s]", y="part of the mass that has left",
    )  # fmt: skip
    return {"dem_clogs": clogs["all"], "hybrid_clogs": clogs["hybrid"], "mpm_flows": not clogs["continuum"]}
