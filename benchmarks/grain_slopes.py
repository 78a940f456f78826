"""What slope do grains keep, for which friction angle and rolling resistance? A table for artists.

A slab of grains loses one of its sides; what has not run out keeps a slope. Its angle is that of a line through the surface
between a quarter and three quarters of the height that is left at the wall.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.columns import SIZE, Heap, collapsed, profile, slab, two_at_a_time
from benchmarks.common import Line, plot, print_table
from solvers.materials.grains_params import PRESETS, GrainsParams

TITLE = "Slope that grains keep, by friction angle and rolling resistance"
ASPECT = 0.5
"""Half as high as wide: part of the top stays where it was, so that the flank has come to rest rather than run out."""
ANGLES, ROLLING = (10.0, 20.0, 30.0, 40.0), (0.0, 0.1, 0.3)


def slope(heap: Heap) -> float:
    """Angle [°] of the heap's surface between a quarter and three quarters of its height at the wall."""
    edges = np.arange(0.0, heap.position[:, 0].max() + 1.5 * SIZE, 1.5 * SIZE)
    height, middle = profile(heap.position, edges), 0.5 * (edges[1:] + edges[:-1])
    top = height[:3].max()
    chosen = (height > 0.25 * top) & (height < 0.75 * top)
    if np.count_nonzero(chosen) < 2:
        return float(np.degrees(np.arctan2(top, middle[np.flatnonzero(height > 0.25 * top)[-1]])))
    return float(np.degrees(np.arctan(-np.polyfit(middle[chosen], height[chosen], 1)[0])))


class Case(NamedTuple):
    """What is measured once."""

    params: GrainsParams
    across: int
    deep: int
    seed: int


def slope_of(case: Case) -> float:
    """Angle [°] that a slab keeps."""
    scene = slab(ASPECT, case.across, case.deep, params=case.params)
    return slope(collapsed(replace(scene, world=replace(scene.world, seed=case.seed))))


def run(quick: bool, out: Path) -> dict[str, Any]:
    across, deep, seeds = (24, 4, 1) if quick else (40, 5, 2)
    settings: dict[tuple[str, float, float], GrainsParams] = {
        ("", rolling, angle): GrainsParams(mode="all", size=SIZE, friction_angle=angle, rolling=rolling)
        for rolling in ROLLING for angle in ANGLES
    }  # fmt: skip
    for name, entry in PRESETS.items():
        assert isinstance(entry.params, GrainsParams)
        if entry.params.cohesion == 0.0:
            settings[name, 0.0, 0.0] = replace(entry.params, mode="all", size=SIZE)
    cases = [Case(params, across, deep, seed) for params in settings.values() for seed in range(seeds)]
    angles = np.array(list(two_at_a_time(slope_of, cases))).reshape(len(settings), seeds)
    mean = dict(zip(settings, angles.mean(axis=1).tolist(), strict=True))
    found = {rolling: [mean["", rolling, angle] for angle in ANGLES] for rolling in ROLLING}
    presets = {name: value for (name, _, _), value in mean.items() if name}
    apart = float(np.ptp(angles, axis=1).mean())
    print_table(["friction angle", *(f"rolling {r:g}" for r in ROLLING)], [
        [f"{angle:g}°", *(f"{found[r][k]:.0f}°" for r in ROLLING)] for k, angle in enumerate(ANGLES)
    ], f"{TITLE}; two runs differ by {apart:.1f}° on the mean" if seeds > 1 else TITLE)  # fmt: skip
    print_table(["preset", "slope"], [[PRESETS[name].label, f"{value:.0f}°"] for name, value in presets.items()])
    lines = [Line(f"rolling {rolling:g}", ANGLES, values) for rolling, values in found.items()]
    plot(out / "grain_slopes.png", lines, title="Slope that grains keep", x="friction angle [°]", y="slope [°]")
    return {
        "slopes": {f"{r:g}": dict(zip((f"{a:g}" for a in ANGLES), v, strict=True)) for r, v in found.items()},
        "presets": presets,
        "runs_differ": apart,
    }
