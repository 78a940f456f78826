"""How the advantage of the hybrid grows with the number of grains, when cells are refined more slowly than grains.

『ハイブリッドな粉粒体シミュレーション手法の開発』, section 3.5: with N cells along a side ∝ A^(1/4) for A effective grains
the ratio of costs goes to zero as A grows. In one and the same box, grains shrink as A^(-1/3) and cells as A^(-1/4): measured
in grains, cells grow as A^(1/12). Cells of two grains throughout, as in the paper's other experiments, stand beside it: its
law weighs a discrete layer as thick as cells against a continuum that costs as much as grains, and ours costs less.
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table
from benchmarks.hybrid_speed import Timed, effective_grains, timed
from solvers import Body, Collider, GrainsParams, Mesh, Scene, WorldParams
from solvers.hybrid import continuum

TITLE = "Scaling: speed of the hybrid over all grains, by the number of grains A with N ∝ A^¼ cells a side"
BOX = 0.4
"""Edge of the box [m]; sand fills it to three quarters and is stirred by a slow bar at its surface."""


def stirred_scene(size: float, mode: str, frames: int) -> Scene:
    """A box of sand of grains `size` [m]; a bar moves across just below the surface."""
    top, rate = 0.75 * BOX, 200.0
    motion = np.tile(np.eye(4), (frames + 1, 1, 1))
    motion[:, 0, 3] = 0.5 * np.arange(frames + 1) / rate
    bar = Collider("Bar", Mesh.box((0.18, 0.1, top - 0.02), (0.22, 0.3, top + 0.04)), motion=motion)
    params = GrainsParams(mode=mode, size=size)
    sand = Body("Sand", "grains", Mesh.box((0.0, 0.0, 0.0), (BOX, BOX, top)), params)
    box = Collider("Box", Mesh.open_box((0.0, 0.0, 0.0), (BOX, BOX, 1.2 * BOX)))
    return Scene("Stirred", (sand,), (box, bar), world=WorldParams(frames_per_second=rate, frame_end=frames + 1))


def hybrid_with_cells(size: float, cells: float, frames: int) -> Timed:
    """The hybrid with cells of so many grains."""
    usual = continuum.CELL
    continuum.CELL = cells
    try:
        return timed(stirred_scene(size, "hybrid", frames + 1), 1, frames)
    finally:
        continuum.CELL = usual


def run(quick: bool, out: Path) -> dict[str, Any]:
    sizes = (0.028, 0.020, 0.0145) if quick else (0.025, 0.0175, 0.0125, 0.0095, 0.0075)
    frames = 2 if quick else 4
    counts, ratios, plain, rows = [], [], [], []
    for size in sizes:
        cells = continuum.CELL * (sizes[0] / size) ** 0.25  # A ∝ size⁻³, A^(1/12) ∝ size^(-1/4)
        whole = timed(stirred_scene(size, "all", frames + 1), 1, frames)
        grown, two = hybrid_with_cells(size, cells, frames), hybrid_with_cells(size, continuum.CELL, frames)
        counts.append(effective_grains(whole.world))
        ratios.append(whole.seconds / grown.seconds)
        plain.append(whole.seconds / two.seconds)
        rows.append([counts[-1], BOX / (cells * size), cells, 100.0 * grown.saved, ratios[-1], 100.0 * two.saved, plain[-1]])
    headings = ["A", "N", "cell [grains]", "grains saved [%]", "speed-up", "saved, cells of two [%]", "speed-up, cells of two"]
    print_table(headings, rows, TITLE)
    lines = [Line("N ∝ A^¼", counts, ratios), Line("cells of two grains", counts, plain)]
    plot(out / "scaling.png", lines, title="Speed of the hybrid over all grains", x="A", y="ratio", log=True)
    return {"speedups": ratios, "speedups_cells_of_two": plain, "A": [int(part) for part in counts]}
