"""Columns of grains collapse sideways: how far do they run, for many aspect ratios?

Experiment of 『ハイブリッドな粉粒体シミュレーション手法の開発』 (figures 4 and 5) with the laws of Lube et al. (2005):
run-out δd/d = α A for A < 1.8 and β A^γ for A > 2.8, with d the column's width and A its height over its width.
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import INK, Line, new_figure, plot, print_table, save_figure
from solvers import Body, Collider, GrainsParams, Mesh, Scene, WorldParams
from solvers.scene import ColliderParams
from solvers.world import World

TITLE = "Column collapse: run-out law over aspect ratios (experiment: alpha 1.2, beta 1.9, gamma 0.67)"
PUBLISHED = {"experiment (Lube)": (1.2, 1.9, 0.67), "paper's hybrid": (1.45, 2.05, 0.67)}
SMALL, TALL, QUICK_TALL = (0.6, 1.0, 1.5), (3.0, 5.0, 8.0), (3.0, 4.2, 6.0)
GRAVITY = 9.81


def collapsed(aspect: float, grains_across: int, grains_deep: int, mode: str = "all") -> tuple[np.ndarray, float, float]:
    """Grains (n, 3) at rest, the column's width and the grain size [m]. A slab between smooth sides."""
    size = 0.005
    width = grains_across * size
    height, depth = aspect * width, grains_deep * size
    params = GrainsParams(
        mode=mode, size=size, size_spread=0.2, friction_angle=27.0, rolling=0.1, restitution=0.4, wall_friction=0.6
    )
    length = width * (2.0 + 3.0 * aspect)
    rough = ColliderParams(friction=0.6)
    smooth = ColliderParams(friction=0.0)
    floor = Mesh.rectangle((-0.1 * length, -depth, 0.0), (1.2 * length, 0.0, 0.0), (0.0, 3.0 * depth, 0.0))
    back = Mesh.rectangle((0.0, -depth, -0.1 * height), (0.0, 3.0 * depth, 0.0), (0.0, 0.0, 1.3 * height))
    sides = [
        Mesh.rectangle((-0.1 * length, y, -0.1 * height), (1.2 * length, 0.0, 0.0), (0.0, 0.0, 1.3 * height))
        for y in (0.0, depth)
    ]
    scene = Scene(
        "Collapse",
        (Body("Column", "grains", Mesh.box((0.0, 0.0, 0.0), (width, depth, height)), params),),
        (
            Collider("Floor", floor, rough),
            Collider("Back", back, smooth),
            *(Collider(f"Side {k}", mesh, smooth) for k, mesh in enumerate(sides)),
        ),
        world=WorldParams(frames_per_second=20.0, gravity=(0.0, 0.0, -GRAVITY)),
    )
    world = World(scene)
    world.start()
    fall = np.sqrt(2.0 * height / GRAVITY)
    slow = 0.05 * np.sqrt(GRAVITY * size)
    for frame in range(2, 200):
        world.advance(frame)
        speed = np.linalg.norm(world.points("Grains")["velocity"], axis=1)
        # The heap is at rest; single grains may still roll far ahead of it.
        if world.scene.time_of(frame) > 2.5 * fall and np.quantile(speed, 0.95) < slow:
            break
    return world.points("Grains")["position"], width, size


def front(position: np.ndarray, size: float, depth: float) -> float:
    """Where the heap ends [m]: beyond it less than half a layer covers the floor; grains that rolled on alone do not count."""
    window = 2.0 * size
    layer = window * depth / size**2
    along = np.sort(position[:, 0])
    starts = np.arange(0.0, along[-1], 0.25 * size)
    counts = np.searchsorted(along, starts + window) - np.searchsorted(along, starts)
    bare = np.flatnonzero(counts < 0.5 * layer)
    return float(starts[bare[0]] + 0.5 * window if len(bare) else along[-1])


def profile(position: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Height of the heap [m] over x [m], in steps of two diameters."""
    edges = np.arange(0.0, position[:, 0].max() + 2.0 * size, 2.0 * size)
    bins = np.digitize(position[:, 0], edges) - 1
    heights = [position[bins == k, 2].max(initial=0.0) for k in range(len(edges) - 1)]
    return 0.5 * (edges[1:] + edges[:-1]), np.array(heights)


def smooth_profile(position: np.ndarray, size: float, edges: np.ndarray) -> np.ndarray:
    """Height [m] below which 95 % of the grains between two edges are, plus half a grain; 0 where there is hardly one."""
    bins = np.digitize(position[:, 0], edges) - 1
    enough = [position[bins == k, 2] for k in range(len(edges) - 1)]
    return np.array([np.quantile(part, 0.95) + 0.5 * size if len(part) > 4 else 0.0 for part in enough])


def profile_distance(aspect: float, across: int, deep: int, out: Path) -> float:
    """Area between the heaps of hybrid and single grains at rest, in that of the latter."""
    lines, heaps = [], []
    for mode, label in (("all", "all grains"), ("hybrid", "hybrid")):
        position, width, size = collapsed(aspect, across, deep, mode)
        edges = np.arange(0.0, (2.0 + 3.0 * aspect) * width, 4.0 * size)
        heaps.append(smooth_profile(position, size, edges))
        lines.append(Line(label, 0.5 * (edges[1:] + edges[:-1]) / width, heaps[-1] / width))
        print(f"{label}, aspect ratio {aspect:g}: run-out {(front(position, size, deep * size) - width) / width:.2f}", flush=True)
    plot(out / "column_collapse_hybrid.png", lines, title="Heaps at rest", x="distance / width", y="height / width")
    return float(np.abs(heaps[1] - heaps[0]).sum() / heaps[0].sum())


def run(quick: bool, out: Path) -> dict[str, Any]:
    distance = profile_distance(1.0 if quick else 1.5, 16 if quick else 30, 6, out)
    across, deep, large = (8, 4, QUICK_TALL) if quick else (20, 6, TALL)
    rows, reach, profiles = [], {}, []
    for aspect in (*SMALL, *large):
        position, width, size = collapsed(aspect, across, deep)
        reach[aspect] = (front(position, size, deep * size) - width) / width
        rows.append([f"{aspect:g}", len(position), reach[aspect]])
        print(f"aspect ratio {aspect:g}: {len(position)} grains, run-out {reach[aspect]:.2f}", flush=True)
        profiles.append((aspect, *(part / width for part in profile(position, size))))
    print_table(["aspect ratio", "grains", "run-out / width"], rows, TITLE)
    short, tall = np.array(SMALL), np.array(large)
    alpha = float((short * [reach[a] for a in SMALL]).sum() / (short**2).sum())
    gamma, offset = np.polyfit(np.log(tall), np.log([reach[a] for a in large]), 1)
    beta = float(np.exp(offset))
    print_table(
        ["source", "alpha", "beta", "gamma"],
        [*([name, *values] for name, values in PUBLISHED.items()), ["Tsubu, all grains", alpha, beta, float(gamma)]],
    )
    ratios = np.geomspace(min(SMALL), max(large), 60)
    law = np.where(ratios < 1.8, 1.2 * ratios, np.where(ratios > 2.8, 1.9 * ratios**0.67, np.nan))
    plot(
        out / "column_collapse.png",
        [Line("experiment (Lube et al.)", ratios, law), Line("Tsubu, all grains", list(reach), list(reach.values()), dots=True)],
        title="Run-out of collapsing columns", x="height / width", y="run-out / width", log=True,
    )  # fmt: skip
    figure, axes = new_figure("Heaps at rest", "distance / width", "height / width")
    for aspect, x, z in profiles:
        axes.plot(x, z, label=f"{aspect:g}", linewidth=1.6)
    axes.axvline(1.0, color=INK, linewidth=0.6)
    axes.set_aspect("equal")
    axes.legend(frameon=False, title="aspect")
    save_figure(figure, out / "column_collapse_heaps.png")
    found = {"alpha": alpha, "beta": beta, "gamma": float(gamma), "profile_distance": distance}
    return found | {"run_out": {f"{key:g}": value for key, value in reach.items()}}
