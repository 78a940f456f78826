"""What benchmarks share: tables, plots in one style, pictures of particles."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from solvers.scene import Mesh

ROOT = Path(__file__).resolve().parents[1]
INK, PAPER, RULE = "#1d2a33", "#ffffff", "#d5dde2"
COLOURS = ("#1677b8", "#e07a1f", "#3a9d6e", "#b5476f", "#7a6bb5", "#8a8f94")


def shown(value: Any) -> str:
    """A number or text as it stands in a table."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return str(value)
    number = float(value)
    if not np.isfinite(number):
        return "–"
    if number == int(number) and abs(number) < 1e15:
        return f"{int(number):,}".replace(",", " ")
    return f"{number:.3g}" if abs(number) < 1000 else f"{number:,.0f}".replace(",", " ")


def print_table(headings: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "") -> None:
    """Prints a table: the first column to the left, the others to the right."""
    cells = [[shown(value) for value in row] for row in rows]
    widths = [max(len(line[column]) for line in [list(headings), *cells]) for column in range(len(headings))]
    if title:
        print(f"\n{title}")

    def line(values: Sequence[str]) -> str:
        return "  ".join(v.ljust(w) if i == 0 else v.rjust(w) for i, (v, w) in enumerate(zip(values, widths, strict=True)))

    print(line(list(headings)))
    print("  ".join("-" * width for width in widths))
    for row in cells:
        print(line(row))
    sys.stdout.flush()


class Line(NamedTuple):
    """One curve of a plot."""

    label: str
    x: Sequence[float] | np.ndarray
    y: Sequence[float] | np.ndarray
    dots: bool = False
    """Measurements as dots instead of a line."""


def plot(
    path: Path,
    lines: Sequence[Line],
    *,
    title: str,
    x: str,
    y: str,
    log: bool = False,
    decorate: Callable[[Any], None] | None = None,
) -> Path:
    """Writes a line plot; `decorate(axes)` may add to it."""
    figure, axes = new_figure(title, x, y)
    for index, entry in enumerate(lines):
        style = {"marker": "o", "linestyle": "none", "markersize": 5} if entry.dots else {"linewidth": 2.0}
        if not entry.dots and len(entry.x) < 12:
            style |= {"marker": "o", "markersize": 4}
        colour = INK if entry.dots else COLOURS[index % len(COLOURS)]
        axes.plot(entry.x, entry.y, label=entry.label, color=colour, **style)
    if log:
        axes.set_xscale("log")
        axes.set_yscale("log")
    if decorate:
        decorate(axes)
    if len(lines) > 1:
        axes.legend(frameon=False)
    return save_figure(figure, path)


def bars(path: Path, values: Mapping[str, float], *, title: str, y: str) -> Path:
    """Writes a bar plot with the numbers on the bars."""
    figure, axes = new_figure(title, "", y)
    colours = [COLOURS[index % len(COLOURS)] for index in range(len(values))]
    drawn = axes.bar(list(values), list(values.values()), color=colours, width=0.6)
    axes.bar_label(drawn, labels=[shown(value) for value in values.values()], color=INK, padding=3)
    axes.grid(visible=False, axis="x")
    return save_figure(figure, path)


def new_figure(title: str, x: str, y: str) -> tuple[Any, Any]:
    """Figure and axes in the house's style."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.2, 4.4), dpi=150, facecolor=PAPER)
    axes.set_title(title, loc="left", color=INK, fontsize=12, fontweight="bold", pad=12)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.tick_params(colors=INK, length=0)
    axes.grid(color=RULE, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(RULE)
    return figure, axes


def side_views(path: Path, views: Mapping[str, Mapping[str, np.ndarray]]) -> Path:
    """A sheet of small views from the side, one for each title: places (3, n) [m] by name, every name in a colour of its own."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = list(dict.fromkeys(name for view in views.values() for name in view))
    columns = min(5, len(views))
    figure, axes = pyplot.subplots(
        -(-len(views) // columns), columns, figsize=(2.4 * columns, 2.6 * -(-len(views) // columns)), dpi=120, squeeze=False
    )
    for place in axes.flat:
        place.set_axis_off()
    for place, (title, view) in zip(axes.flat, views.items(), strict=False):
        place.set_title(title, color=INK, fontsize=9)
        place.set_aspect("equal")
        for name, points in view.items():
            place.scatter(points[0], points[2], s=6.0, color=COLOURS[names.index(name) % len(COLOURS)], linewidths=0)
    return save_figure(figure, path)


def save_figure(figure: Any, path: Path) -> Path:
    """Writes the figure and frees it."""
    from matplotlib import pyplot

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
    return path


def render_points(
    points: np.ndarray,
    path: Path,
    *,
    radius: float,
    values: np.ndarray | None = None,
    limits: tuple[float, float] | None = None,
    walls: Sequence[Mesh] = (),
    camera: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None,
    quick: bool = False,
    solids: Sequence[Mesh] = (),
    looks: Sequence[str] = (),
    portrait: bool = False,
    skin: Mesh | None = None,
    lens: float = 60.0,
    size: tuple[int, int] | None = None,
    look: str = "",
) -> Path:
    """A shaded picture of particles and walls, rendered by Cycles in a process of its own.

    points: positions [m] (n, 3); values: a number per particle that colours it from deep to light between `limits` (default:
    the least and the greatest); walls: meshes shown as pale glass, outlined; camera: place and target [m], default: a three-
    quarter view from the front that holds everything; quick: a small picture in a few seconds; solids: meshes shown as matte
    bodies, with `looks` of `studio.wall_material`; portrait: taller than wide; skin: the surface of foam (`benchmarks.skin`),
    shown instead of beads; lens: focal length [mm]; size: pixels; look: "water" for a skin of water instead of foam, "sand"
    for beads in the colours of sand.
    """
    coloured = np.zeros(len(points)) if values is None else np.asarray(values, dtype=np.float64)
    low, high = limits or (float(coloured.min(initial=0.0)), float(coloured.max(initial=1.0)))
    arrays: dict[str, np.ndarray] = {
        "points": np.asarray(points, dtype=np.float32),
        "shade": np.clip((coloured - low) / max(high - low, 1e-12), 0.0, 1.0).astype(np.float32),
        "radius": np.array(radius),
        "size": np.array((640, 360) if quick else (960, 540)),
        "samples": np.array(12 if quick else 32),
        "lens": np.array(lens),
        "looks": np.array(list(looks), dtype=np.str_),
        "look": np.array(look, dtype=np.str_),
    }
    if size is not None:
        arrays["size"] = np.array(size)
    if portrait:
        arrays["size"] = arrays["size"][::-1]
    if skin is not None:
        arrays |= {"skin_vertices": skin.vertices.astype(np.float32), "skin_triangles": skin.triangles}
    if camera is not None:
        arrays["camera"] = np.array(camera, dtype=np.float64)
    for name, meshes in (("wall", walls), ("solid", solids)):
        for index, mesh in enumerate(meshes):
            arrays[f"{name}_vertices_{index}"] = mesh.at(0)
            arrays[f"{name}_triangles_{index}"] = mesh.triangles
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "picture.npz"
        np.savez(job, **arrays)  # type: ignore[arg-type]
        command = [sys.executable, "-m", "benchmarks.picture", str(job), str(path.resolve())]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode or not path.exists():
        raise RuntimeError(f"The picture {path} was not rendered:\n{(done.stdout + done.stderr)[-2000:]}")
    return path
