"""Columns of grains collapse: how far do they run, for many aspect ratios, as a slab and in 3-D?

Experiment of 『ハイブリッドな粉粒体シミュレーション手法の開発』 (figures 4 to 6) with the laws of Lube et al.: plane (2005)
δd/d = α A for A < 1.8 and β A^γ for A > 2.8, round (2004) 1.24 A for A < 1.7 and 1.6 √A beyond; d is the column's width (radius)
and A its height over that. The heap ends where the farthest grain lies that is connected with it. Columns settle behind a
gate, which is then taken away: A is that of the settled column. The plane ones are a single layer of grains between smooth
sides, as two-dimensional as the paper's, of as many grains each, run with several seeds; the hybrid, whose continuum needs
depth, is compared on a thicker slab.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.columns import PLANE, SIZE, Heap, collapsed, profile, quarter_cylinder, run_out, slab, two_at_a_time
from benchmarks.common import COLOURS, INK, new_figure, print_table, render_points, save_figure

TITLE = "Column collapse: run-out law over aspect ratios (experiment: alpha 1.2, beta 1.9, gamma 0.67)"
PUBLISHED = {"experiment (Lube et al.)": (1.2, 1.9, 0.67), "paper's hybrid": (1.45, 2.05, 0.67)}
KINDS = {"plane": "single layer", "round": "quarter of a round column", "all": "slab, all grains", "hybrid": "slab, hybrid"}
DEEP = 6
"""Thickness in grains of the slab that the hybrid is compared on."""
LINEAR, POWER = 1.8, 2.8
"""Below the one and above the other aspect ratio the experiments fit their laws."""


def law(ratio: np.ndarray, radial: bool = False) -> np.ndarray:
    """Run-out of the experiments over the aspect ratio; nan between their laws."""
    if radial:
        return np.where(ratio < 1.7, 1.24 * ratio, 1.6 * np.sqrt(ratio))
    return np.where(ratio < LINEAR, 1.2 * ratio, np.where(ratio > POWER, 1.9 * ratio**0.67, np.nan))


def fitted(reach: dict[float, float], low: float, high: float) -> tuple[float, float, float]:
    """α through the origin below `low`, and β, γ by least squares of the logarithms above `high`."""
    ratio, value = np.array(list(reach)), np.array(list(reach.values()))
    short, tall = ratio < low, ratio > high
    gamma, offset = np.polyfit(np.log(ratio[tall]), np.log(value[tall]), 1)
    return float((ratio * value)[short].sum() / (ratio[short] ** 2).sum()), float(np.exp(offset)), float(gamma)


class Column(NamedTuple):
    """What is to collapse."""

    kind: str
    """A key of `KINDS`."""
    ratio: float
    across: int
    seed: int = 0


def plane_columns(ratios: Sequence[float], grains: int, seeds: int) -> list[Column]:
    """Plane columns of as many grains each: low ones are wider, and the end of every heap is as thick in grains."""
    return [Column("plane", ratio, round(np.sqrt(grains / ratio)), seed) for ratio in ratios for seed in range(seeds)]


def heap_of(column: Column) -> Heap:
    """The heap of one column."""
    if column.kind == "round":
        scene = quarter_cylinder(column.ratio, column.across)
    elif column.kind == "plane":
        scene = slab(column.ratio, column.across, PLANE)
    else:
        scene = slab(column.ratio, column.across, DEEP, column.kind)
    return collapsed(replace(scene, world=replace(scene.world, seed=column.seed)), radial=column.kind == "round")


def heaps_of(columns: Sequence[Column]) -> dict[Column, Heap]:
    """The heaps of all columns, two at a time, the longest first; what was found is printed at once."""
    work = {column: (column.ratio * column.across**2) ** 2 * (1.0 if column.kind == "plane" else 6.0) for column in columns}
    order = sorted(columns, key=lambda column: -work[column])
    heaps = {}
    for column, heap in zip(order, two_at_a_time(heap_of, order), strict=True):
        heaps[column] = heap
        print(
            f"{KINDS[column.kind]}, {column.across} across, A {heap.aspect:.2f}: {len(heap.position)} grains, run-out "
            f"{run_out(heap, column.kind == 'round'):.2f} after {heap.time:.2f} √(h/g)", flush=True,
        )  # fmt: skip
    return {column: heaps[column] for column in columns}


def reaches(heaps: dict[Column, Heap], columns: Sequence[Column]) -> dict[float, float]:
    """Run-outs by settled aspect ratios, means over the runs of a column."""
    found: dict[float, float] = {}
    for ratio in dict.fromkeys(column.ratio for column in columns):
        runs = [(heaps[column], column.kind == "round") for column in columns if column.ratio == ratio]
        found[float(np.mean([heap.aspect for heap, _ in runs]))] = float(
            np.mean([run_out(heap, radial) for heap, radial in runs])
        )
    return found


def show(heaps: dict[Column, Heap]) -> None:
    """A table of all columns."""
    rows = []
    for column, heap in heaps.items():
        radial = column.kind == "round"
        wanted = float(law(np.array(heap.aspect), radial))
        found = run_out(heap, radial)
        rows.append([KINDS[column.kind], column.across, heap.aspect, len(heap.position), found, wanted, heap.time, heap.moving])
    heads = ["column", "grains across", "A", "grains", "run-out", "experiment", "time / √(h/g)", "rolling on"]
    print_table(heads, rows, TITLE)


def hybrid_distance(heaps: dict[Column, Heap], out: Path) -> tuple[float, dict[str, float]]:
    """Area between the heaps of hybrid and single grains, in that of the latter; and both run-outs."""
    figure, axes = new_figure("Heaps at rest", "distance / width", "height / width")
    both = {column.kind: heap for column, heap in heaps.items() if column.kind in ("all", "hybrid")}
    edges = np.arange(0.0, max(heap.position[:, 0].max() for heap in both.values()) + 4.0 * SIZE, 4.0 * SIZE)
    lines, reach = {}, {}
    for mode, heap in both.items():
        reach[mode] = run_out(heap)
        lines[mode] = profile(heap.position, edges)
        axes.plot(0.5 * (edges[1:] + edges[:-1]) / heap.width, lines[mode] / heap.width, label=KINDS[mode], linewidth=1.8)
    axes.legend(frameon=False)
    save_figure(figure, out / "column_collapse_hybrid.png")
    return float(np.abs(lines["hybrid"] - lines["all"]).sum() / lines["all"].sum()), reach


def draw(plane: dict[float, float], sizes: dict[int, dict[float, float]], solid: dict[float, float], out: Path) -> None:
    """Run-outs over aspect ratios beside the laws of the experiments."""
    figure, axes = new_figure("Run-out of collapsing columns", "height / width", "run-out / width")
    ratio = np.geomspace(min(plane), max(max(values) for values in (plane, *sizes.values())), 200)
    axes.plot(ratio, law(ratio), color=COLOURS[0], linewidth=2.0, label="plane, experiment")
    axes.plot(list(plane), list(plane.values()), "o", color=INK, markersize=5, label="plane, Tsubu")
    for count, values in sizes.items():
        axes.plot(list(values), list(values.values()), "_", markersize=9, markeredgewidth=2, label=f"{count} grains")
    around = np.geomspace(min(solid), max(solid), 100)
    axes.plot(around, law(around, radial=True), color=COLOURS[1], linewidth=2.0, label="round, experiment")
    axes.plot(list(solid), list(solid.values()), "s", color=COLOURS[3], markersize=5, label="round, Tsubu")
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis, ticks in ((axes.xaxis, (0.6, 1, 1.5, 2, 3, 5, 8, 12)), (axes.yaxis, (0.4, 0.6, 1, 2, 4, 6, 10))):
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.set_ticks([], minor=True)
    axes.legend(frameon=False)
    save_figure(figure, out / "column_collapse.png")


def draw_heaps(heaps: dict[Column, Heap], out: Path) -> None:
    """Outlines of the plane heaps."""
    figure, axes = new_figure("Heaps at rest", "distance / width", "height / width")
    for heap in heaps.values():
        edges = np.arange(0.0, heap.position[:, 0].max() + 2.0 * SIZE, 2.0 * SIZE)
        middle = 0.5 * (edges[1:] + edges[:-1])
        axes.plot(middle / heap.width, profile(heap.position, edges, 1) / heap.width, label=f"{heap.aspect:.1f}")
    axes.axvline(1.0, color=INK, linewidth=0.6)
    axes.set_aspect("equal")
    axes.legend(frameon=False, title="aspect")
    save_figure(figure, out / "column_collapse_heaps.png")


def run(quick: bool, out: Path) -> dict[str, Any]:
    wide, thick = (6, 12) if quick else (10, 24)
    ratios = (0.6, 1.0, 1.5, 3.0, 4.5, 6.5) if quick else (0.6, 1.0, 1.5, 3.0, 4.5, 6.5, 9.0)
    plane = plane_columns(ratios, *((600, 2) if quick else (1300, 3)))
    solid = [Column("round", ratio, wide) for ratio in ((1.0, 2.0, 3.0) if quick else (0.6, 1.0, 1.5, 2.0, 3.0, 5.0))]
    others = {} if quick else {600: plane_columns((1.0, 3.0, 6.5), 600, 3), 2700: plane_columns((1.0, 3.0), 2700, 1)}
    heaps = heaps_of([*plane, *sum(others.values(), []), *solid, Column("all", 1.0, thick), Column("hybrid", 1.0, thick)])
    show(heaps)
    distance, pair = hybrid_distance(heaps, out)
    reach, around = reaches(heaps, plane), reaches(heaps, solid)
    sizes = {count: reaches(heaps, columns) for count, columns in others.items()}
    alpha, beta, gamma = fitted(reach, LINEAR, POWER)
    round_alpha, round_beta, round_gamma = fitted(around, 1.7, 1.7)
    rows = [[name, *values] for name, values in PUBLISHED.items()] + [["Tsubu, all grains", alpha, beta, gamma]]
    rows.append(["round: experiment (Lube et al.)", 1.24, 1.6, 0.5])
    rows.append(["round: Tsubu, all grains", round_alpha, round_beta, round_gamma])
    print_table(["source", "alpha", "beta", "gamma"], rows)
    draw(reach, sizes, around, out)
    draw_heaps({column: heaps[column] for column in plane if column.seed == 0}, out)
    shown = heaps[solid[-1]]
    render_points(shown.position, out / "column_collapse_render.png", radius=0.5 * SIZE, values=shown.position[:, 2], quick=quick)
    figures: dict[str, Any] = {"alpha": alpha, "beta": beta, "gamma": gamma, "profile_distance": distance}
    figures |= {"round_alpha": round_alpha, "round_beta": round_beta, "round_gamma": round_gamma}
    figures |= {"run_out": {f"{key:.2f}": value for key, value in reach.items()}, "hybrid_run_out": pair}
    return figures | {"run_out_by_grains": {n: {f"{k:.2f}": v for k, v in part.items()} for n, part in sizes.items()}}
