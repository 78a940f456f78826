"""The paper's figures one by one, with its own model, as a contact sheet of side views."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import new_figure, print_table, save_figure
from benchmarks.drop_shapes import angle_of_particles
from solvers.drops.paper import PAPER_SPACING
from solvers.errors import TsubuError
from solvers.materials.drops_params import DropsParams
from solvers.scene import Body, Collider, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Drops: the paper's experiments with the paper's model"
FLOOR = Collider("Floor", Mesh.rectangle((-0.2, -0.2, 0.0), (0.4, 0.0, 0.0), (0.0, 0.4, 0.0)))


def block(particles: int, x: float = 0.0, low: float = 1.0) -> Mesh:
    """A cube of so many particles, `low` spacings above the floor."""
    side, base = particles ** (1.0 / 3.0) * PAPER_SPACING, low * PAPER_SPACING
    return Mesh.box((x - side / 2, -side / 2, base), (x + side / 2, side / 2, base + side))


def bowl() -> Collider:
    """The inner side of a sphere, as the paper's container."""
    ball = Mesh.sphere((0.0, 0.0, 0.05), 0.05, 4)
    low = np.all(ball.vertices[ball.triangles][:, :, 2] < 0.05, axis=1)
    return Collider("Bowl", Mesh(ball.vertices, np.ascontiguousarray(ball.triangles[low][:, ::-1])))


def dropped(meshes: list[Mesh], seconds: float, collider: Collider = FLOOR, **numbers: Any) -> tuple[np.ndarray, float]:
    """Particles [m] after some time, and their fastest speed [m/s]."""
    params = DropsParams(scheme="paper", **numbers)
    bodies = tuple(Body(f"Drop {index}", "drops", mesh, params) for index, mesh in enumerate(meshes))
    world = World(
        Scene(
            "Paper",
            bodies,
            (collider,),
            world=WorldParams(spacing=PAPER_SPACING, frames_per_second=1.0 / seconds, frame_end=2, jitter=0.2),
        )
    )
    world.start()
    world.advance(2)
    solver: Any = world._solvers["drops"]
    return world.points("Drops")["position"].astype(np.float64), solver.fastest()


def cases(quick: bool) -> dict[str, dict[str, Any]]:
    one, step = [block(400)], 1.0e-4
    found: dict[str, dict[str, Any]] = {
        f"k_ift = {k:g}": {"meshes": one, "interfacial": k, "time_step": step} for k in (0.0, 1.0, 2.0, 6.0)
    }
    if quick:
        return {name: found[name] for name in ("k_ift = 0", "k_ift = 6")}
    found |= {f"c = {c}": {"meshes": one, "threshold": c, "interfacial": 6.0, "time_step": step} for c in (10, 20, 80)}
    found |= {f"Δt = {1e3 * dt:g} ms": {"meshes": one, "time_step": dt} for dt in (3.0e-3, 3.0e-4, 3.0e-5)}
    for k in (1.8, 5.2):
        found |= {f"{n} particles, k = {k}": {"meshes": [block(n)], "interfacial": k, "time_step": step} for n in (200, 400, 800)}
    found["two of 200 merge"] = {"meshes": [block(200, -0.011), block(200, 0.011)], "time_step": step}
    found["bowl"] = {"meshes": [block(400, 0.015, 10.0)], "time_step": step, "collider": bowl()}
    return found


def run(quick: bool, out: Path) -> dict[str, Any]:
    rows, shapes = [], []
    for name, settings in cases(quick).items():
        try:
            points, speed = dropped(seconds=0.15 if quick else 0.3, **settings)
        except TsubuError as error:
            print(f"{name}: {error}", flush=True)
            rows.append([name, "flies apart", "", "", "", ""])
            continue
        angle = angle_of_particles(points) if name != "bowl" and np.isfinite(points).all() else float("nan")
        rows.append([name, len(points), angle, points[:, 2].max() / PAPER_SPACING, np.ptp(points[:, 0]) / PAPER_SPACING, speed])
        shapes.append((name, points))
        print(rows[-1], flush=True)
    print_table(["Case", "particles", "angle [°]", "height [spacings]", "width [spacings]", "fastest [m/s]"], rows, TITLE)
    figure, axes = new_figure("", "", "")
    figure.clf()
    columns = 4
    lines = -(-len(shapes) // columns)
    figure.set_size_inches(10.0, 1.9 * lines)
    for index, (name, points) in enumerate(shapes):
        axes = figure.add_subplot(lines, columns, index + 1)
        order = np.argsort(-points[:, 1])
        axes.scatter(
            points[order, 0], points[order, 2], c=points[order, 1], s=14, cmap="Blues_r", edgecolors="#1d2a33", linewidths=0.2
        )
        axes.set_xlim(-0.03, 0.03)
        axes.set_ylim(-0.001, 0.03)
        axes.set_aspect("equal")
        axes.set_title(name, fontsize=8)
        axes.axis("off")
    save_figure(figure, out / "paper_drops.png")
    angles = {row[0]: row[2] for row in rows}
    return {"angle_k0": angles["k_ift = 0"], "angle_k6": angles["k_ift = 6"]}
