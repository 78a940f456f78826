"""Height of puddles against 2 κ⁻¹ sin(θ/2), and against the Young–Laplace equation for their volume."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, new_figure, print_table, save_figure
from benchmarks.drop_shapes import disc, profile, sessile, surface_of
from solvers.materials.drops_params import PRESETS
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Drops: height of puddles of three liquids"
LAYERS = 4.0
"""Particles over the height of a puddle."""
MOST = {1.0e-6: 12000, 1.0e-5: 40000}
"""Most particles of a puddle of this volume [m³]; a wide flat one then has fewer layers."""
STARTS = {"spreads": 1.3, "shrinks": 0.8}
"""Puddles begin as discs above and below the height where they belong: one has to wet the floor, the other to leave it.

The large ones only spread: what the two ways differ by shows in the small ones.
"""
STILL = 0.004
"""A puddle stands when its height changes by less than this in `LOOK` seconds, twice in a row."""
LOOK, LONGEST = 0.08, 1.6


def puddle(name: str, volume: float, particles: int, angle: float, start: float) -> Scene:
    """A disc of liquid of `start` times the height of its Young–Laplace shape."""
    liquid = PRESETS[name].params
    spacing = (volume / particles) ** (1.0 / 3.0)
    height = start * sessile(volume, angle, liquid)[0]
    mesh = disc(volume, height)
    side = 3.0 * float(np.ptp(mesh.vertices[:, 0]))
    floor = Mesh.rectangle((-0.5 * side, -0.5 * side, 0.0), (side, 0.0, 0.0), (0.0, side, 0.0))
    return Scene(
        "Puddle",
        bodies=(Body("Puddle", "drops", mesh, liquid),),
        colliders=(Collider("Floor", floor, ColliderParams(contact_angle=angle)),),
        world=WorldParams(
            spacing=spacing, gravity=(0.0, 0.0, -9.81), frames_per_second=1.0 / LOOK, frame_end=int(LONGEST / LOOK) + 1,
            jitter=0.3,
        ),
    )  # fmt: skip


def height_of(world: World) -> tuple[float, np.ndarray]:
    """Height [m] of the rendered puddle (median of its middle) and its outline."""
    outline = profile(surface_of(world))
    outline = outline[(outline < 3.0 * np.median(outline, axis=0)).all(axis=1)]  # without a particle that has flown off
    top = outline[outline[:, 0] < 0.25 * outline[:, 0].max()]
    return float(np.median(top[top[:, 1] > 0.5 * outline[:, 1].max(), 1])), outline


def measured(scene: Scene) -> tuple[float, np.ndarray, float]:
    """Height [m] and outline of a puddle that stands, and after how many seconds it did."""
    world = World(scene)
    world.start()
    last, still = np.inf, 0
    for frame in range(2, scene.world.frame_end + 1):
        world.advance(frame)
        height, outline = height_of(world)
        still = still + 1 if abs(height / last - 1.0) < STILL else 0
        last = height
        if still == 2:
            break
    return last, outline, scene.time_of(frame)


def run(quick: bool, out: Path) -> dict[str, Any]:
    liquids = (("water", 100.0), ("soapy_water", 60.0), ("mercury", 140.0))
    cases = [("water", 90.0, 1.0e-6)] if quick else [(*liquid, volume) for liquid in liquids for volume in (1.0e-6, 1.0e-5)]
    rows, lines = [], []
    for name, angle, volume in cases:
        liquid = PRESETS[name].params
        wide = 2.0 * liquid.capillary_length * np.sin(np.radians(angle) / 2.0)
        exact = sessile(volume, angle, liquid)[0]
        particles = int(min(volume / (exact / LAYERS) ** 3, MOST[volume]))
        for way, start in list(STARTS.items())[: 2 if volume < 5.0e-6 else 1]:
            scene = puddle(name, volume, particles, angle, start)
            height, outline, seconds = measured(scene)
            label = f"{PRESETS[name].label}, {1e6 * volume:g} mL, {way}"
            rows.append(
                [
                    label, particles, angle, 1e3 * height, 1e3 * exact, 1e3 * wide, height / exact - 1.0, height / wide - 1.0,
                    height / scene.world.spacing, seconds,
                ]
            )  # fmt: skip
            print(rows[-1], flush=True)
            lines.append(Line(label, 1e3 * outline[:, 0], 1e3 * outline[:, 1], dots=True))
    headings = [
        "Puddle", "particles", "angle [°]", "height [mm]", "Young–Laplace [mm]", "2κ⁻¹sin(θ/2) [mm]", "error",
        "error of the wide", "layers", "stands after [s]",
    ]  # fmt: skip
    print_table(headings, rows, TITLE)
    figure, axes = new_figure("Outlines of puddles", "radius [mm]", "height [mm]")
    for line in lines:
        axes.scatter(line.x, line.y, s=2, label=line.label)
    axes.legend(frameon=False, fontsize=7)
    save_figure(figure, out / "puddle.png")
    return {"error_max": max(abs(row[6]) for row in rows), "error_max_wide": max(abs(row[7]) for row in rows)}
