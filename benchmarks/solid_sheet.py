"""A sheet of small pictures of solids: panels rendered by `benchmarks.solid_picture`, side by side with titles."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import INK, ROOT, save_figure
from solvers.scene import Mesh

Point = tuple[float, float, float]


class Panel(NamedTuple):
    """One picture."""

    title: str
    points: np.ndarray
    """(n, 3) [m]."""
    shade: np.ndarray
    """0 … 1 (n,); the tone changes at one half."""
    spacing: float
    walls: Sequence[Mesh]
    low: Point
    high: Point
    """Box that is lit; the ground is at its foot [m]."""
    camera: Point
    target: Point


def render_sheet(panels: Sequence[Panel], columns: int, path: Path, size: tuple[int, int] = (400, 330)) -> Path:
    """Writes the panels, row by row."""
    from matplotlib import pyplot

    arrays: dict[str, Any] = {"size": np.array(size), "panels": len(panels)}
    for index, panel in enumerate(panels):
        arrays |= {
            f"points_{index}": panel.points, f"shade_{index}": panel.shade, f"spacing_{index}": panel.spacing,
            f"box_{index}": np.array([panel.low, panel.high]), f"camera_{index}": np.array([panel.camera, panel.target]),
        }  # fmt: skip
        for number, mesh in enumerate(panel.walls):
            arrays |= {f"vertices_{index}_{number}": mesh.at(0), f"triangles_{index}_{number}": mesh.triangles}
    rows = -(-len(panels) // columns)
    width, height = 0.007 * size[0] * columns, (0.007 * size[1] + 0.25) * rows
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "panels.npz"
        np.savez(job, **arrays)
        command = [sys.executable, "-m", "benchmarks.solid_picture", str(job), folder]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise RuntimeError(f"The pictures were not rendered:\n{(done.stdout + done.stderr)[-2000:]}")
        figure, axes = pyplot.subplots(rows, columns, figsize=(width, height), dpi=100, squeeze=False)
        for place in axes.flat:
            place.set_axis_off()
        for index, (place, panel) in enumerate(zip(axes.flat, panels, strict=False)):
            place.imshow(pyplot.imread(Path(folder) / f"{index}.png"))
            place.set_title(panel.title, color=INK, fontsize=9, loc="left")
    return save_figure(figure, path)
