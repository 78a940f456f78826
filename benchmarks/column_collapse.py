"""Columns of grains collapse: how far do they run, for many aspect ratios, as a slab and in 3-D?

Experiment of 『ハイブリッドな粉粒体シミュレーション手法の開発』 (figures 4 to 6) with the laws of Lube et al.: plane (2005)
δd/d = α A for A < 1.8 and β A^γ for A > 2.8, round (2004) 1.24 A for A < 1.7 and 1.6 √A beyond; d is the column's width (radius)
and A its height over that. The heap ends where the farthest grain lies that is connected with it.
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.columns import SIZE, Heap, collapsed, end_of_layer, profile, quarter_cylinder, run_out, slab
from benchmarks.common import COLOURS, INK, new_figure, print_table, render_points, save_figure

TITLE = "Column collapse: run-out law over aspect ratios (experiment: alpha 1.2, beta 1.9, gamma 0.67)"
PUBLISHED = {"experiment (Lube et al.)": (1.2, 1.9, 0.67), "paper's hybrid": (1.45, 2.05, 0.67)}
SHORT = (0.6, 1.0, 1.5)
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


def slabs(ratios: tuple[float, ...], across: int, deep: int) -> dict[float, Heap]:
    """Heaps of plane columns by aspect ratio, with a table."""
    heaps, rows = {}, []
    for ratio in ratios:
        scene = slab(ratio, across, deep)
        heap = heaps[ratio] = collapsed(scene)
        layer = end_of_layer(heap.position, scene) / heap.width - 1.0
        wanted = float(law(np.array(ratio)))
        rows.append([f"{ratio:g}", len(heap.position), run_out(heap), layer, wanted, heap.time, heap.moving])
        print(f"{ratio:g}, {across} grains across: {len(heap.position)} grains, run-out {rows[-1][2]:.2f}", flush=True)
    heads = ["aspect ratio", "grains", "run-out", "half a layer", "experiment", "time / √(h/g)", "rolling on"]
    print_table(heads, rows, f"{TITLE}; {across} grains across")
    return heaps


def rounds(ratios: tuple[float, ...], across: int) -> dict[float, Heap]:
    """Heaps of round columns by aspect ratio, with a table."""
    heaps, rows = {}, []
    for ratio in ratios:
        heap = heaps[ratio] = collapsed(quarter_cylinder(ratio, across), radial=True)
        rows.append([f"{ratio:g}", len(heap.position), run_out(heap, radial=True), float(law(np.array(ratio), radial=True))])
        print(f"round, aspect ratio {ratio:g}: {len(heap.position)} grains, run-out {rows[-1][2]:.2f}", flush=True)
    print_table(["aspect ratio", "grains", "run-out", "experiment"], rows, f"Round columns; {across} grains in the radius")
    return heaps


def hybrid_distance(ratio: float, across: int, deep: int, out: Path) -> tuple[float, dict[str, float]]:
    """Area between the heaps of hybrid and single grains, in that of the latter; and both run-outs."""
    edges = np.arange(0.0, (3.0 + 3.0 * ratio) * across * SIZE, 4.0 * SIZE)
    figure, axes = new_figure("Heaps at rest", "distance / width", "height / width")
    lines, reach = [], {}
    for mode, label in (("all", "all grains"), ("hybrid", "hybrid")):
        heap = collapsed(slab(ratio, across, deep, mode))
        reach[label] = run_out(heap)
        lines.append(profile(heap.position, edges))
        axes.plot(0.5 * (edges[1:] + edges[:-1]) / heap.width, lines[-1] / heap.width, label=label, linewidth=1.8)
        print(f"{label}, aspect ratio {ratio:g}: run-out {reach[label]:.2f} after {heap.time:.2f} √(h/g)", flush=True)
    axes.legend(frameon=False)
    save_figure(figure, out / "column_collapse_hybrid.png")
    return float(np.abs(lines[1] - lines[0]).sum() / lines[0].sum()), reach


def draw(plane: dict[float, float], sizes: dict[int, dict[float, float]], solid: dict[float, float], out: Path) -> None:
    """Run-outs over aspect ratios beside the laws of the experiments."""
    figure, axes = new_figure("Run-out of collapsing columns", "height / width", "run-out / width")
    ratio = np.geomspace(min(plane), max(max(values) for values in (plane, *sizes.values())), 200)
    axes.plot(ratio, law(ratio), color=COLOURS[0], linewidth=2.0, label="plane, experiment")
    axes.plot(list(plane), list(plane.values()), "o", color=INK, markersize=5, label="plane, Tsubu")
    for across, values in sizes.items():
        axes.plot(list(values), list(values.values()), "_", markersize=9, markeredgewidth=2, label=f"{across} grains across")
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


def run(quick: bool, out: Path) -> dict[str, Any]:
    distance, pair = hybrid_distance(1.0, 12 if quick else 30, 6, out)
    across, deep = (8, 4) if quick else (16, 4)
    tall = (3.0, 4.2, 6.0) if quick else (3.0, 5.0, 8.0, 12.0)
    heaps = slabs((*SHORT, *tall), across, deep)
    reach = {ratio: run_out(heap) for ratio, heap in heaps.items()}
    sizes: dict[int, dict[float, float]] = {}
    for other in () if quick else (8, 24):
        sizes[other] = {ratio: run_out(heap) for ratio, heap in slabs((1.0, 1.5, 3.0), other, deep).items()}
    wide, ratios = (8, (1.0, 2.0, 3.0)) if quick else (14, (0.6, 1.0, 1.5, 2.0, 3.0, 5.0))
    solid = {ratio: run_out(heap, radial=True) for ratio, heap in rounds(ratios, wide).items()}
    alpha, beta, gamma = fitted(reach, LINEAR, POWER)
    round_alpha, round_beta, round_gamma = fitted(solid, 1.7, 1.7)
    rows = [[name, *values] for name, values in PUBLISHED.items()] + [["Tsubu, all grains", alpha, beta, gamma]]
    rows.append(["round: experiment (Lube et al.)", 1.24, 1.6, 0.5])
    rows.append(["round: Tsubu, all grains", round_alpha, round_beta, round_gamma])
    print_table(["source", "alpha", "beta", "gamma"], rows)
    draw(reach, sizes, solid, out)
    figure, axes = new_figure("Heaps at rest", "distance / width", "height / width")
    for ratio, heap in heaps.items():
        edges = np.arange(0.0, heap.position[:, 0].max() + 2.0 * SIZE, 2.0 * SIZE)
        axes.plot(0.5 * (edges[1:] + edges[:-1]) / heap.width, profile(heap.position, edges) / heap.width, label=f"{ratio:g}")
    axes.axvline(1.0, color=INK, linewidth=0.6)
    axes.set_aspect("equal")
    axes.legend(frameon=False, title="aspect")
    save_figure(figure, out / "column_collapse_heaps.png")
    shown = heaps[tall[0]]
    render_points(shown.position, out / "column_collapse_render.png", radius=0.5 * SIZE, values=shown.position[:, 2], quick=quick)
    figures: dict[str, Any] = {"alpha": alpha, "beta": beta, "gamma": gamma, "profile_distance": distance}
    figures |= {"round_alpha": round_alpha, "round_beta": round_beta, "round_gamma": round_gamma}
    figures |= {"run_out": {f"{key:g}": value for key, value in reach.items()}, "hybrid_run_out": pair}
    return figures | {"run_out_by_grains_across": {n: {f"{k:g}": v for k, v in part.items()} for n, part in sizes.items()}}
