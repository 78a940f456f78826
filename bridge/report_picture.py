"""The story of a bake in one picture: particles, step size, energy and seconds of every frame, from its manifest, and what was
asked for against what came out, measured on its files.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..solvers import job
from ..solvers.bake import manifest
from ..solvers.bake.files import readable_bytes
from ..solvers.bake.measures import Measure, measured
from ..solvers.bake.prune import sizes
from ..solvers.errors import BakeFolderError, TsubuError
from .canvas import Canvas, Colour, text_width

REPORT = "report.png"
IMAGE = "Tsubu Report"
_WIDTH, _HEIGHT = 1280, 800
_ROW = 30
"""Pixels of a line of the table."""
_INK, _FAINT, _RULE, _PANEL = (0.92, 0.92, 0.93), (0.62, 0.63, 0.66), (0.24, 0.24, 0.26), (0.15, 0.15, 0.165)
_COLOURS: tuple[Colour, ...] = ((0.36, 0.68, 0.93), (0.95, 0.62, 0.27), (0.47, 0.80, 0.55), (0.90, 0.45, 0.55))


class Curve(NamedTuple):
    """One line of a plot."""

    label: str
    values: np.ndarray
    """One per frame, NaN where it is not known."""


class Plot(NamedTuple):
    title: str
    unit: str
    curves: tuple[Curve, ...]


def plots_of(frames: Sequence[dict[str, Any]], frame_rate: float) -> tuple[Plot, ...]:
    """What the picture shows, from the lines of the manifest in the order of the frames."""

    def series(name: str) -> np.ndarray:
        return np.array([float("nan") if entry.get(name) is None else float(entry[name]) for entry in frames])

    # Steps are counted from the beginning of the bake: a frame has as many as came since the one before.
    steps = np.diff(series("steps"), prepend=np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.where(steps > 0.0, 1000.0 / frame_rate / steps, np.nan)
    kinetic, potential = series("kinetic_energy"), series("potential_energy")
    potential = potential - np.nanmin(potential) if np.isfinite(potential).any() else potential
    energy = (Curve("kinetic", kinetic), Curve("potential, from its least", potential), Curve("sum", kinetic + potential))
    return (
        Plot("Particles", "", (Curve("", series("particles")),)),
        Plot("Step size", "ms", (Curve("", step),)),
        Plot("Energy", "J", energy),
        Plot("Time per frame", "s", (Curve("", series("seconds")),)),
    )


def draw_report(folder: Path) -> Path:
    """Draws the picture of the bake in `folder` and saves it there."""
    found = manifest.read(folder)
    if not found.frames:
        raise BakeFolderError(f"{folder} holds no baked frame, so there is nothing to report.")
    description = job.read_description(folder)
    numbers = sorted(found.frames)
    entries = [found.frames[number] for number in numbers]
    compared, trouble = _compared(folder)
    rows = len(compared) + (2 if compared or trouble else 0)
    canvas = Canvas(_WIDTH, _HEIGHT + _ROW * rows + (16 if rows else 0), (0.11, 0.11, 0.12))
    canvas.text(32, 46, str(description["name"]), 26.0, _INK)
    canvas.text(32, 72, _summary(description, found, entries, folder), 15.0, _FAINT)
    for index, plot in enumerate(plots_of(entries, float(description["world"]["frames_per_second"]))):
        x, y = 24 + index % 2 * 624, 96 + index // 2 * 348
        _draw_plot(canvas, (x, y, 608, 332), numbers, plot)
    if rows:
        _draw_table(canvas, _HEIGHT, compared, trouble)
    return canvas.save(folder / REPORT)


def _compared(folder: Path) -> tuple[list[Measure], str]:
    """What can be compared, or why nothing can: the report is worth having without it."""
    try:
        bpy.utils.expose_bundled_modules()
        return measured(folder), ""
    except TsubuError as error:
        return [], str(error)


def _draw_table(canvas: Canvas, top: int, compared: list[Measure], trouble: str) -> None:
    """Asked and measured, a line each."""
    canvas.box(24, top, _WIDTH - 48, _ROW * (len(compared) + 2) - 8, _PANEL)
    places = (42, 500, 640, 780, 820)
    canvas.text(places[0], top + _ROW, "Last frame", 17.0, _INK)
    for x, words in zip(places[1:4], ("asked", "measured", "off"), strict=True):
        canvas.text(x, top + _ROW, words, 14.0, _FAINT, anchor=1.0)
    if trouble:
        canvas.text(places[0], top + 2 * _ROW, trouble, 14.0, _FAINT)
    for row, entry in enumerate(compared):
        y = top + (row + 2) * _ROW
        canvas.box(42, y - 21, _WIDTH - 84, 1, _RULE)
        canvas.text(places[0], y, f"{entry.owner}: {entry.what}", 15.0, _INK)
        canvas.text(places[1], y, f"{entry.wanted:.4g} {entry.unit}", 15.0, _INK, anchor=1.0)
        canvas.text(places[2], y, f"{entry.found:.4g} {entry.unit}", 15.0, _COLOURS[0], anchor=1.0)
        off = entry.found - entry.wanted
        words = f"{off:+.1f} {entry.unit}" if entry.unit == "°" or not entry.wanted else f"{100.0 * off / entry.wanted:+.1f} %"
        canvas.text(places[3], y, words, 15.0, _FAINT, anchor=1.0)
        canvas.text(places[4], y, entry.note, 14.0, _FAINT)


def _summary(description: dict[str, Any], found: manifest.Manifest, entries: list[dict[str, Any]], folder: Path) -> str:
    seconds = sum(entry.get("seconds") or 0.0 for entry in entries)
    lost, swallowed = (int(entries[-1].get(name) or 0) for name in ("dropped", "swallowed"))
    parts = [
        f"{len(entries)} frames",
        f"{entries[-1].get('particles', 0):,} particles",
        f"spacing {description['world']['spacing']:.3g} m",
        f"{seconds:,.0f} s on {found.header.get('threads', '?')} threads",
        readable_bytes(sizes(folder).total),
    ]
    parts += [f"{swallowed:,} particles went down drains"] if swallowed else []
    return "   ·   ".join([*parts, *([f"{lost:,} particles left the world"] if lost else [])])


def nice_steps(low: float, high: float, count: int = 4, least: float = 0.0) -> np.ndarray:
    """About `count` round numbers from `low` to `high`, at least `least` apart."""
    if not high > low:
        return np.array([low])
    raw = max((high - low) / count, least)
    size = 10.0 ** math.floor(math.log10(raw))
    step = min((factor * size for factor in (1.0, 2.0, 2.5, 5.0, 10.0)), key=lambda value: abs(value - raw))
    return np.arange(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1) * step


def _draw_plot(canvas: Canvas, box: tuple[int, int, int, int], numbers: list[int], plot: Plot) -> None:
    x, y, width, height = box
    canvas.box(x, y, width, height, _PANEL)
    title = f"{plot.title} [{plot.unit}]" if plot.unit else plot.title
    canvas.text(x + 18, y + 30, title, 17.0, _INK)
    left, top, right, bottom = x + 78, y + 48, x + width - 22, y + height - 38
    values = np.concatenate([curve.values for curve in plot.curves])
    finite = values[np.isfinite(values)]
    if len(finite) == 0:
        canvas.text((left + right) / 2, (top + bottom) / 2, "not recorded", 15.0, _FAINT, anchor=0.5)
        return
    low, high = min(0.0, float(finite.min())), float(finite.max())
    high = high if high > low else low + 1.0
    high += 0.06 * (high - low)
    first, last = numbers[0], max(numbers[-1], numbers[0] + 1)

    def place(frame: np.ndarray, value: np.ndarray) -> np.ndarray:
        across = left + (frame - first) / (last - first) * (right - left)
        return np.stack([across, bottom - (value - low) / (high - low) * (bottom - top)], axis=1)

    for value in nice_steps(low, high):
        row = place(np.array([first]), np.array([value]))[0, 1]
        canvas.box(left, row, right - left, 1, _RULE)
        canvas.text(left - 8, row + 5, f"{value:,.4g}" if abs(value) < 1e5 else f"{value / 1e6:.3g} M", 13.0, _FAINT, anchor=1.0)
    for frame in nice_steps(first, last, 6, least=1.0):
        column = place(np.array([frame]), np.array([low]))[0, 0]
        canvas.text(column, bottom + 22, f"{frame:.0f}", 13.0, _FAINT, anchor=0.5)
    frames = np.array(numbers, dtype=np.float64)
    legend = float(right)
    for index, curve in reversed(list(enumerate(plot.curves))):
        colour = _COLOURS[index % len(_COLOURS)]
        points = place(frames, curve.values)
        canvas.line(points if len(points) > 1 else np.repeat(points, 2, axis=0), colour, 2.4)
        if curve.label:
            canvas.text(legend, y + 30, curve.label, 14.0, colour, anchor=1.0)
            legend -= text_width(curve.label, 14.0) + 18.0


def show_report(folder: Path) -> Any:
    """Draws the report and returns it as an image of Blender, loaded anew."""
    path = draw_report(folder)
    image = bpy.data.images.get(IMAGE)
    if image is None:
        image = bpy.data.images.load(str(path))
        image.name = IMAGE
    image.filepath = str(path)
    image.reload()
    return image
