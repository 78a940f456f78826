"""The six scenes of the slave-particle paper, at its steps, materials and particle counts.

The paper gives no sizes. A ball of 2 m in diameter (figure 5) holds its 4096 masters at 10 cm spacing; the block of figure 6
holds 15120 as 20 × 21 × 36; that of figures 7 and 8, of 5547, is 17 × 17 × 19 = 5491 here, thrown at obstacles. What obstacles
they were the paper does not say but for what they do: figure 7 splits the body, in figure 8 the parts join again, the later one
with the one that went ahead. A blade on a floor does the first, a roof above a funnel the second.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import Line, plot, print_table
from benchmarks.solid_sheet import Panel, render_sheet

TITLE = "Solid: the paper's six scenes at the paper's steps"

_APEX = 0.04
"""Where the edge of the roof of scene 8 stands [m]: not in the middle, so that one part goes ahead."""
_PULL, _PULL_SPEED = 0.06, 0.25
"""How long and how fast [s, m/s] the halves of scene 8 are pulled apart at the end."""


class Case(NamedTuple):
    """One row of the paper's table."""

    name: str
    dt: float
    squash: float
    stiffness: float
    stretch: float
    """θ_s, 0: elastic only."""
    squeeze: float
    shape: str


CASES = (
    Case("5a hard ball", 1.0e-3, 0.3, 6.9e7, 0.0, 0.0, "ball"),
    Case("5b soft ball", 1.0e-3, 0.4, 1.0e6, 0.0, 0.0, "ball"),
    Case("6a", 1.0e-3, 0.2, 1.4e5, 4.5e-3, 1.5e-2, "block"),
    Case("6b flows more", 1.0e-3, 0.2, 1.4e5, 7.5e-4, 2.5e-3, "block"),
    Case("7 splits", 5.0e-4, 0.35, 2.0e7, 7.5e-4, 2.5e-3, "blade"),
    Case("8 splits, rejoins", 5.0e-4, 0.4, 2.0e7, 7.5e-4, 2.5e-3, "roof"),
)


_SECONDS = {"ball": 1.5, "block": 1.0, "blade": 0.35, "roof": 0.9}
"""How long a scene is watched [s], by shape."""
_MOMENTS = {
    "ball": (0.30, 0.67, 0.72, 1.00),
    "block": (0.30, 0.50, 0.60, 1.00),
    "blade": (0.02, 0.08, 0.16, 0.35),
    "roof": (0.06, 0.12, 0.30, 0.90),
}
"""When the pictures are taken [s], by shape of the scene; the last one is the end."""


class Ran(NamedTuple):
    """What became of a scene."""

    masters: int
    slaves: int
    stable: bool
    heights: list[float]
    """Height of the centre of mass, by frame [m]."""
    parts: list[int]
    """Connected parts, by frame."""
    places: np.ndarray
    """(n, 3) at the end."""
    rest: np.ndarray
    walls: tuple[Any, ...]
    spacing: float
    plastic: float
    """Mean plastic strain."""
    iterations: float
    moments: dict[float, np.ndarray]
    """Places (n, 3) at the times of the pictures [s]."""
    left: float
    """Scene 8: how much of the speed at which its halves are pulled apart at the end is left after `_PULL` s; 1: two pieces."""


def scene(case: Case, quick: bool) -> Any:
    """Scene of one row; θ clamps volumes too, with the hardening of the snow paper that the energy is taken from (ξ = 10)."""
    from solvers.materials.solid_params import SolidParams
    from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, WorldParams

    plastic = case.stretch > 0.0
    coarse = 2.0 if quick else 1.0
    params = SolidParams(
        density=1000.0 if not plastic else 400.0, stiffness=case.stiffness, squash=case.squash, plastic=plastic,
        stretch_yield=case.stretch or 0.01, squeeze_yield=case.squeeze or 0.02, keep_volume=False, toughness=0.3,
        hardening=10.0 if plastic else 0.0, slave_spacing=1.0 if plastic else 2.0, drive_mesh=False,
    )  # fmt: skip
    floor = Collider("Floor", Mesh.box((-8.0, -8.0, -0.5), (8.0, 8.0, 0.0)), ColliderParams(friction=0.3))
    walls: tuple[Collider, ...] = (floor,)
    speed = 0.0
    if case.shape == "ball":
        spacing, mesh = 0.1, Mesh.sphere((0.0, 0.0, 3.0), 0.9925, 4)
    elif case.shape == "block":
        spacing, mesh = 0.05, Mesh.box((-0.5, -0.525, 1.0), (0.5, 0.525, 2.8))
    else:
        spacing, mesh = 0.05, Mesh.box((-0.425, -0.425, 1.6), (0.425, 0.425, 2.55))
        speed = -14.0
        if case.shape == "blade":
            walls += (Collider("Blade", Mesh.box((-0.05, -1.0, 0.9), (0.05, 1.0, 1.5)), ColliderParams(friction=0.1)),)
        else:  # a roof on which nothing rests parts the block, a funnel below brings the parts together again
            walls += (_prism("Roof", [(-0.16, 0.9), (0.16, 0.9), (_APEX, 1.5)]),)
            walls += (_prism("Right", [(0.25, 0.0), (1.2, 0.0), (1.2, 1.3), (0.75, 1.3)]),)
            walls += (_prism("Left", [(-0.25, 0.0), (-0.75, 1.3), (-1.2, 1.3), (-1.2, 0.0)]),)
    return Scene(
        case.name, (Body("Body", "solid", mesh, params, velocity=(0.0, 0.0, speed)),), walls,
        world=WorldParams(spacing=coarse * spacing, frame_end=2, frames_per_second=100.0),
    )  # fmt: skip


def _prism(name: str, profile: list[tuple[float, float]]) -> Any:
    """A slippery obstacle: the polygon `profile` (x, z) [m], counter-clockwise seen along y, from y = −1.5 to 1.5."""
    from solvers.scene import Collider, ColliderParams, Mesh

    count = len(profile)
    vertices = np.array([(x, y, z) for y in (-1.5, 1.5) for x, z in profile])
    triangles = [(0, k, k + 1) for k in range(1, count - 1)] + [(count, count + k + 1, count + k) for k in range(1, count - 1)]
    for k in range(count):
        n = (k + 1) % count
        triangles += [(k, count + k, n), (n, count + k, count + n)]
    return Collider(name, Mesh(vertices, np.array(triangles, np.int32)), ColliderParams(friction=0.05))


def parts_of(places: np.ndarray, reach: float, least: int) -> int:
    """Connected parts of at least `least` particles, linked within `reach` [m]."""
    from solvers.solid.links import within

    zeros = np.zeros(len(places), np.int32)
    start, index, _ = within(places, zeros, places, zeros, reach)
    first = np.repeat(np.arange(len(places)), np.diff(start))
    label = np.arange(len(places))
    while True:
        lower = label.copy()
        np.minimum.at(lower, first, label[index])
        lower = lower[lower]
        if np.array_equal(lower, label):
            return int((np.bincount(label) >= least).sum())
        label = lower


def play(case: Case, quick: bool) -> Ran:
    """Runs a scene at the paper's step; unstable is what gains energy, loses its place or ceases to be a number."""
    from solvers.watch import Silent
    from solvers.world import World

    setting = scene(case, quick)
    world = World(setting)
    world.start()
    solver: Any = world._solvers["solid"]
    state, spacing = solver.state, setting.world.spacing
    slaves, masters = state.slaves.count, state.count
    heights, parts, stable, iterations, moments = [], [], True, [], {}
    totals = world.totals()
    budget = totals["kinetic_energy"] + totals["potential_energy"]
    every = max(1, round(0.01 / case.dt))
    seconds = _SECONDS[case.shape]
    wanted = {round(when / case.dt): when for when in _MOMENTS[case.shape]}
    for step in range(round(seconds / case.dt)):
        world.walls.pose((step + 1) * case.dt, case.dt)
        solver.step(world.walls, case.dt, Silent())
        iterations.append(solver.iterations)
        if step + 1 in wanted:
            moments[wanted[step + 1]] = np.ascontiguousarray(state.live("position").T)
        if step % every == every - 1:
            totals = world.totals()
            energy = totals["kinetic_energy"] + totals["potential_energy"]
            stable = stable and bool(np.isfinite(energy)) and energy <= budget * 1.02
            if not np.isfinite(energy):
                break
            heights.append(totals["potential_energy"] / (totals["mass"] * 9.81))
            parts.append(parts_of(np.ascontiguousarray(state.live("position").T), 1.8 * spacing, masters // 20))
    places, plastic = np.ascontiguousarray(state.live("position").T), float(state.live("plastic").mean())
    walls, left = tuple(collider.mesh for collider in setting.colliders), pulled(solver, case.dt) if case.shape == "roof" else 0.0
    ran = Ran(
        masters, slaves, stable, heights, parts, places, state.live("rest").T.copy(), walls, spacing, plastic,
        float(np.mean(iterations)), moments, left,
    )  # fmt: skip
    return ran


def pulled(solver: Any, dt: float) -> float:
    """Whether halves that met carry load: without walls and weight each gets a velocity along x away from the other; how much of
    the difference is left after `_PULL` seconds. One half stood left of the apex, the other right of it."""
    from solvers.walls import Walls
    from solvers.watch import Silent

    state = solver.state
    solver.gravity[...] = 0.0
    right = state.live("rest")[0] > _APEX
    start = np.where(right, _PULL_SPEED, -_PULL_SPEED)
    state.live("velocity")[...], state.live("gradient")[...] = 0.0, 0.0
    state.live("velocity")[0] = start
    state.live("told")[...] = state.live("velocity")
    nothing = Walls((), reach=2.0 * solver.spacing, frames_per_second=24.0, frame_start=1, watch=Silent())
    for _ in range(round(_PULL / dt)):
        solver.step(nothing, dt, Silent())
    now = state.live("velocity")[0]
    return float((now[right].mean() - now[~right].mean()) / (2.0 * _PULL_SPEED))


def rebound(heights: list[float], radius: float = 1.0) -> float:
    """Height of the first bounce over the height of the fall, both of the centre above its place when it touches."""
    series = np.array(heights)
    low = int(np.argmin(series))
    return float((series[low:].max() - radius) / (series[0] - radius))


def sheet(results: dict[str, Ran], path: Path) -> Path:
    """A contact sheet: a row for each scene, its moments side by side, as skins."""
    panels = []
    for case in CASES:
        ran = results[case.name]
        low, far = {"ball": (0.9, 6.6), "block": (0.85, 6.0)}.get(case.shape, (1.0, 5.4))
        tint = ran.rest[:, 2] - ran.rest[:, 2].mean() if case.shape in ("ball", "block") else ran.rest[:, 0] - _APEX
        shade = np.clip(0.5 + 0.5 * tint / np.abs(tint).max(), 0.0, 1.0)
        for when, places in ran.moments.items():
            panels.append(
                Panel(
                    f"{case.name}, {when:g} s", places, shade, ran.spacing, ran.walls[1:], (-1.2, -1.2, 0.0), (1.2, 1.2, 2.4),
                    (0.28 * far, -far, low + 0.12 * far), (0.0, 0.0, low),
                )
            )  # fmt: skip
    return render_sheet(panels, 4, path)


def run(quick: bool, out: Path) -> dict[str, Any]:
    results = {case.name: play(case, quick) for case in CASES}
    sheet(results, out / "paper_solids_sheet.png")
    hard, soft = results[CASES[0].name], results[CASES[1].name]
    rows = [
        [name, r.masters, r.slaves, "yes" if r.stable else "NO", r.iterations, r.plastic, max(r.parts, default=0), r.parts[-1]]
        for name, r in results.items()
    ]
    print_table(
        ["Scene", "masters", "slaves", "stable", "iterations", "plastic strain", "most parts", "parts at end"], rows, TITLE
    )
    time = np.arange(len(hard.heights)) * 0.01
    plot(
        out / "paper_solids.png", [Line("5a hard", time, hard.heights), Line("5b soft", time, soft.heights)],
        title=TITLE, x="time [s]", y="height of the centre [m]",
    )  # fmt: skip
    return {
        "stable": sum(r.stable for r in results.values()),
        "bounce_hard": rebound(hard.heights),
        "bounce_soft": rebound(soft.heights),
        "plastic_6a": results["6a"].plastic,
        "plastic_6b": results["6b flows more"].plastic,
        "parts_split": max(results["7 splits"].parts),
        "parts_apart_8": max(results["8 splits, rejoins"].parts),
        "parts_rejoined": results["8 splits, rejoins"].parts[-1],
        "pull_left_8": results["8 splits, rejoins"].left,
        "masters": {name: r.masters for name, r in results.items()},
        "slaves": {name: r.slaves for name, r in results.items()},
    }
