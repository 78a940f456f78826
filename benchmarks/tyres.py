"""Driven wheels on a bed: heavier ones sink deeper, faster ones throw more, and the hybrid against single grains.

Experiment of 『ハイブリッドな粉粒体シミュレーション手法の開発』, section 3.4 (figure 12): tyres with prescribed
spin whose place is solved; 822 956 effective grains, 3.43 times as fast. Sizes are ours, for the paper tells none. Speed is
compared over a few frames of 1/250 s of the same phase, with the wheels turning in the bed; how deep they sink and how much they
throw is told by a smaller scene over a longer time.
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import print_table, render_points
from benchmarks.hybrid_speed import HEADINGS, effective_grains, method_row, timed
from examples.solids import tyre
from solvers import Body, Collider, GrainsParams, Mesh, Scene, WorldParams
from solvers.scene import ColliderParams
from solvers.world import World

TITLE = "Tyres: weight and sinking, spin and spray; hybrid against all grains"
SIZE, RATE, SHORT = 0.01, 50.0, 250.0
"""Grain size [m]; frames per second where behaviour, and where speed is looked at."""


Bed = tuple[float, float, float]
"""Length, width and depth [m]."""


def tyre_scene(
    bed: Bed, wheels: list[tuple[float, float]], radius: float, mode: str, frames: int, rate: float = RATE
) -> Scene:
    """A bed of gravel and wheels of (density [kg/m³], spin [rad/s]) side by side near its end."""
    length, width, depth = bed
    params = GrainsParams(mode=mode, size=SIZE, friction_angle=32.0, restitution=0.2, rolling=0.2)
    tray = Mesh.open_box((0.0, 0.0, 0.0), (length, width, depth + 6.0 * radius))
    colliders = [Collider("Tray", tray, ColliderParams(friction=0.7))]
    for number, (density, spin) in enumerate(wheels):
        lane = width * (number + 0.5) / len(wheels)
        free = ColliderParams(free=True, density=density, spin=(0.0, spin, 0.0), driven=True, friction=0.9, bounce=0.0)
        colliders.append(Collider(f"Wheel {number}", tyre((1.6 * radius, lane, depth + radius), radius, 0.8 * radius), free))
    body = Body("Gravel", "grains", Mesh.box((0.0, 0.0, 0.0), (length, width, depth)), params)
    return Scene("Tyres", (body,), tuple(colliders), world=WorldParams(frames_per_second=rate, frame_end=frames + 1))


def behaviour(frames: int) -> dict[str, Any]:
    """Two pairs of wheels on single grains: (light, heavy) at one spin, and (slow, fast) at one weight."""
    bed, radius = (0.30, 0.22, 0.06), 0.05
    heights, world = {}, None
    for name, wheels in {"weight": [(300.0, 12.0), (6000.0, 12.0)], "spin": [(1500.0, 6.0), (1500.0, 40.0)]}.items():
        world = World(tyre_scene(bed, wheels, radius, "all", frames))
        world.start()
        thrown = np.zeros(2)
        for frame in range(2, frames + 2):
            world.advance(frame)
            place = world.points("Grains")["position"]
            above = place[:, 2] > bed[2] + 1.5 * SIZE
            left = place[:, 1] < 0.5 * bed[1]
            thrown = np.maximum(thrown, [np.count_nonzero(above & left), np.count_nonzero(above & ~left)])
        assert world.rigid is not None
        heights[name] = (bed[2] + radius - world.rigid.state[:, 2], world.rigid.state[:, 0] - 1.6 * radius, thrown)
    sunk, way, _ = heights["weight"]
    thrown = heights["spin"][2]
    rows = [["light", sunk[0] / SIZE, way[0], "–"], ["heavy", sunk[1] / SIZE, way[1], "–"]]
    rows += [["slow", "–", heights["spin"][1][0], thrown[0]], ["fast", "–", heights["spin"][1][1], thrown[1]]]
    print_table(["wheel", "sunk [grains]", "way [m]", "grains in the air"], rows, f"After {frames / RATE:.2f} s")
    return {
        "heavier_sinks_deeper_by_grains": float((sunk[1] - sunk[0]) / SIZE),
        "faster_throws_more": float(thrown[1] / max(thrown[0], 1.0)),
        "moves_forward_m": float(way.min()),
    }


def run(quick: bool, out: Path) -> dict[str, Any]:
    figures = behaviour(8 if quick else 30)
    bed, radius, warm, frames = ((0.30, 0.16, 0.20), 0.05, 2, 3) if quick else ((1.1, 0.7, 0.46), 0.12, 2, 4)
    wheels = [(1500.0, 20.0)] if quick else [(400.0, 20.0), (3000.0, 20.0), (1500.0, 40.0)]
    scenes = {mode: tyre_scene(bed, wheels, radius, mode, warm + frames, SHORT) for mode in ("all", "hybrid")}
    runs = {mode: timed(scene, warm, frames) for mode, scene in scenes.items()}
    print_table(HEADINGS, [method_row("All grains", runs["all"]), method_row("Hybrid", runs["hybrid"])], TITLE)
    speedup = runs["all"].seconds / runs["hybrid"].seconds
    print(f"{speedup:.2f} times as fast (paper 3.43)")
    shown = runs["hybrid"].world
    points = shown.points("Grains")
    meshes = [shown.scene.colliders[shape.number].mesh for shape in shown.rigid.shapes] if shown.rigid else []
    placed = [_moved(mesh, pose) for mesh, pose in zip(meshes, shown.rigid.poses().values() if shown.rigid else (), strict=True)]
    render_points(
        points["position"], out / "tyres.png", radius=0.5 * SIZE, values=points["zone"].astype(float), limits=(0.0, 2.0),
        solids=placed, quick=quick,
    )  # fmt: skip
    count = effective_grains(runs["all"].world)
    return {"speedup": speedup, "grains_saved": runs["hybrid"].saved, "effective_grains": count, **figures}


def _moved(mesh: Mesh, pose: list[float]) -> Mesh:
    """A mesh carried by translation and quaternion."""
    from solvers.walls.motion import rotation_matrix

    return Mesh(mesh.at(0) @ rotation_matrix(np.array(pose[3:])).T + np.array(pose[:3]), mesh.triangles)
