"""The paper's figures one by one, with its own model: particles and surface from the side, as a contact sheet."""

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import INK, new_figure, print_table, save_figure
from benchmarks.drop_shapes import angle_of_particles, seen_from_the_side, surface_of
from solvers.drops.paper import PAPER_SPACING
from solvers.errors import TsubuError
from solvers.materials.drops_params import DropsParams
from solvers.scene import Body, Collider, Mesh, Scene, SurfaceParams, WorldParams
from solvers.surface.volume import SurfaceVolume
from solvers.world import World

TITLE = "Drops: the paper's experiments with the paper's model"
FLOOR = Collider("Floor", Mesh.rectangle((-0.2, -0.2, 0.0), (0.4, 0.0, 0.0), (0.0, 0.4, 0.0)))
FALL = 10.0
"""Height above the floor at which a drop begins [spacings]: 3 cm, "several cm" of section 4.1."""
SECONDS = 0.25
"""Time after which the pictures are taken: it has fallen, spread and settled as far as it does."""
STEP = 3.0e-5


class Case(NamedTuple):
    """One picture of a figure."""

    figure: str
    label: str
    meshes: tuple[Mesh, ...]
    numbers: dict[str, Any]
    collider: Collider = FLOOR
    smoothing: str = "3"


class Outcome(NamedTuple):
    points: np.ndarray
    """Particles (n, 3) [m]."""
    surface: SurfaceVolume
    speed: float
    """Fastest [m/s]."""
    lost: int
    """Particles farther than 4 cm from the middle."""
    pace: float
    """Simulated seconds per second."""


def block(particles: int, x: float = 0.0, low: float = FALL) -> Mesh:
    """A cube of so many particles, `low` spacings above the floor."""
    side, base = particles ** (1.0 / 3.0) * PAPER_SPACING, low * PAPER_SPACING
    return Mesh.box((x - side / 2, -side / 2, base), (x + side / 2, side / 2, base + side))


def bowl() -> Collider:
    """The inner side of a sphere, as the paper's container."""
    ball = Mesh.sphere((0.0, 0.0, 0.05), 0.05, 4)
    low = np.all(ball.vertices[ball.triangles][:, :, 2] < 0.05, axis=1)
    return Collider("Bowl", Mesh(ball.vertices, np.ascontiguousarray(ball.triangles[low][:, ::-1])))


def dropped(case: Case, seconds: float) -> Outcome:
    """The drops of a case after some time."""
    params = DropsParams(scheme="paper", **case.numbers)
    bodies = tuple(Body(f"Drop {index}", "drops", mesh, params) for index, mesh in enumerate(case.meshes))
    world = World(
        Scene(
            "Paper",
            bodies,
            (case.collider,),
            world=WorldParams(spacing=PAPER_SPACING, frames_per_second=1.0 / seconds, frame_end=2, jitter=0.2),
        )
    )
    world.start()
    begin = time.perf_counter()
    world.advance(2)
    pace = seconds / (time.perf_counter() - begin)
    points = world.points("Drops")["position"].astype(np.float64)
    near = np.abs(points - np.median(points, axis=0)).max(axis=1) < 0.04
    solver: Any = world._solvers["drops"]
    if np.count_nonzero(~near) > 0.1 * len(points):
        raise TsubuError("the drop flew apart")
    surface = surface_of(world, SurfaceParams(smoothing=case.smoothing, voxel=0.25))
    return Outcome(points[near], surface, solver.fastest(), int(np.count_nonzero(~near)), pace)


def cases(quick: bool) -> list[Case]:
    one = (block(400, low=1.0 if quick else FALL),)
    usual = {"interfacial": 2.0, "threshold": 80, "time_step": 1.0e-4 if quick else STEP}
    strengths = (0.0, 6.0) if quick else (0.0, 1.0, 2.0, 6.0)
    angles = [Case("4.1", f"k_ift = {k:g}", one, usual | {"interfacial": k}) for k in strengths]
    if quick:
        return angles
    found = [*angles, *(Case("4.2", f"c = {c}", one, usual | {"threshold": c}) for c in (10, 20, 80))]
    found += [Case("4.3", f"filter {name}", one, usual, smoothing=name) for name in ("none", "3", "5")]
    found += [Case("4.4", f"Δt = {1e3 * dt:g} ms", one, usual | {"time_step": dt}) for dt in (3.0e-3, 3.0e-4, 3.0e-5)]
    for figure, k in (("4.7", 1.8), ("4.8", 5.2)):
        found += [Case(figure, f"{n} particles, k = {k}", (block(n),), usual | {"interfacial": k}) for n in (200, 400, 800)]
    found.append(Case("4.5", "two of 200 merge", (block(200, -0.011), block(200, 0.011)), usual))
    found.append(Case("4.6", "bowl", (block(400, 0.015, 10.0),), usual, bowl()))
    return found


def run(quick: bool, out: Path) -> dict[str, Any]:
    rows, shapes = [], []
    known: dict[str, Outcome] = {}
    for case in cases(quick):
        places = [mesh.vertices.tolist() for mesh in case.meshes]
        key = repr((case.numbers, places, case.collider.name, case.smoothing))
        if key not in known:
            try:
                known[key] = dropped(case, 0.15 if quick else SECONDS)
            except TsubuError as error:
                print(f"{case.figure} {case.label}: {error}", flush=True)
                rows.append([case.figure, case.label, "flies apart", "", "", "", "", ""])
                shapes.append((case, None))
                continue
        end = known[key]
        angle = angle_of_particles(end.points) if case.collider is FLOOR else float("nan")
        size = [end.points[:, 2].max() / PAPER_SPACING, np.ptp(end.points[:, 0]) / PAPER_SPACING]
        rows.append([case.figure, case.label, len(end.points), angle, *size, end.speed, end.pace])
        shapes.append((case, end))
        print(rows[-1], flush=True)
        draw(shapes, out / "paper_drops.png")
    headings = ["Figure", "Case", "particles", "angle [°]", "height [spacings]", "width [spacings]", "fastest [m/s]", "s per s"]
    print_table(headings, rows, TITLE)
    angles = {row[1]: row[3] for row in rows}
    return {f"angle_k{k}": angles[f"k_ift = {k}"] for k in ((0, 6) if quick else (0, 1, 2, 6))}


def draw(shapes: list[tuple[Case, Outcome | None]], path: Path) -> None:
    """Particles above, surface below, figure after figure."""
    figure, _ = new_figure("", "", "")
    figure.clf()
    columns = min(7, len(shapes))
    lines = -(-len(shapes) // columns)
    figure.set_size_inches(1.85 * columns, 2.5 * lines)
    reach, top = 0.026, 0.034
    for index, (case, end) in enumerate(shapes):
        line, column = divmod(index, columns)
        for half in range(2):
            axes = figure.add_subplot(2 * lines, columns, (2 * line + half) * columns + column + 1)
            axes.set_xlim(-reach, reach)
            axes.set_ylim(-0.001, top)
            axes.set_aspect("equal")
            axes.axis("off")
            axes.axhline(0.0, color=INK, linewidth=0.6)
            if half == 0:
                axes.set_title(f"{case.figure}  {case.label}", fontsize=7, color=INK)
            if end is None:
                axes.text(0.0, 0.5 * top, "flies apart", ha="center", fontsize=7)
                continue
            middle = np.median(end.points[:, 0])
            if half == 0:
                x = end.points[np.argsort(-end.points[:, 1])]
                axes.scatter(x[:, 0] - middle, x[:, 2], c=x[:, 1], s=9, cmap="Blues_r", edgecolors=INK, linewidths=0.2)
            else:
                picture, (left, right, low, high) = seen_from_the_side(end.surface)
                axes.imshow(picture, extent=(left - middle, right - middle, low, high), origin="lower", interpolation="bilinear")
    save_figure(figure, path)
