"""Meshes to reconstructed walls: how long a collider takes to prepare, and what asking it costs.

The mesh is a knotted tube with ripples: curved everywhere, closed, with as many triangles as wanted. Times are the best of
a few runs, without compilation.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table, render_points
from solvers import Collider, Mesh
from solvers.walls import Walls, wall_density
from solvers.watch import Silent

TITLE = "Collider meshes to reconstructed walls: seconds to prepare, nanoseconds a particle to ask"

REACH = 0.02
"""Kernel radius [m]; voxels are half of it."""


def knot(along: int, around: int) -> Mesh:
    """A rippled tube along a trefoil knot about a metre across, 2 · along · around triangles, normals outwards."""
    t = np.linspace(0.0, 2.0 * np.pi, along, endpoint=False)[:, None]
    s = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)[None, :]

    def curve(u: np.ndarray) -> np.ndarray:
        return np.stack([np.sin(u) + 2 * np.sin(2 * u), np.cos(u) - 2 * np.cos(2 * u), -np.sin(3 * u)], axis=-1) * 0.16

    centre = curve(t[:, 0])
    tangent = curve(t[:, 0] + 1e-4) - curve(t[:, 0] - 1e-4)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    side = np.cross(tangent, centre + np.array([0.0, 0.0, 0.05]))
    side /= np.linalg.norm(side, axis=1)[:, None]
    up = np.cross(tangent, side)
    radius = 0.07 * (1.0 + 0.08 * np.sin(9 * t) * np.cos(3 * s))[..., None]
    ring = np.cos(s)[..., None] * side[:, None, :] + np.sin(s)[..., None] * up[:, None, :]
    vertices = (centre[:, None, :] + radius * ring).reshape(-1, 3)
    index = np.arange(along * around).reshape(along, around)
    a, b = index, np.roll(index, -1, axis=0)
    c, d = np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)
    triangles = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    return Mesh(vertices, np.ascontiguousarray(triangles, dtype=np.int32))


def best(task: Callable[[], Any], runs: int) -> tuple[float, Any]:
    """Shortest time of several runs [s] and the last result."""
    shortest, result = np.inf, None
    for _ in range(runs):
        start = time.perf_counter()
        result = task()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest, result


def walls_of(mesh: Mesh, motion: np.ndarray | None = None) -> Walls:
    collider = Collider("Mesh", mesh, motion=motion)
    return Walls([collider], reach=REACH, frames_per_second=24.0, frame_start=1, watch=Silent())


def sorted_by_cell(points: np.ndarray) -> np.ndarray:
    """Points in the order in which a solver keeps its particles."""
    cell = np.floor(points / REACH).astype(np.int64)
    return np.ascontiguousarray(points[np.lexsort((cell[:, 2], cell[:, 1], cell[:, 0]))], dtype=np.float32)


def particles_near(mesh: Mesh, count: int) -> np.ndarray:
    """Points within reach of the mesh, on the side of its normals."""
    rng = np.random.default_rng(0)
    triangle = rng.integers(0, len(mesh.triangles), count)
    weight = rng.dirichlet(np.ones(3), count)
    corners = mesh.vertices[mesh.triangles[triangle]]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    return sorted_by_cell(np.einsum("ij,ijk->ik", weight, corners) + normal * rng.uniform(0.0, REACH, (count, 1)))


def asking(count: int, runs: int) -> dict[str, float]:
    """Nanoseconds a particle takes near a flat wall, in a corner, near a curved wall, and far away."""
    rng = np.random.default_rng(1)
    tank = walls_of(Mesh.box((0, 0, 0), (1, 1, 1), inward=True))
    flat = rng.uniform([0.1, 0.1, 0.0], [0.9, 0.9, REACH], (count, 3))
    corner = rng.uniform([0.1, 0.0, 0.0], [0.9, REACH, REACH], (count, 3))
    curved = knot(500, 100)
    cases = {
        "flat wall": (tank, sorted_by_cell(flat)),
        "corner of two walls": (tank, sorted_by_cell(corner)),
        "curved wall": (walls_of(curved), particles_near(curved, count)),
        "far from walls": (tank, sorted_by_cell(rng.uniform(0.1, 0.9, (count, 3)))),
    }
    found = {}
    for name, (walls, points) in cases.items():
        walls.near(points)
        seconds, near = best(lambda walls=walls, points=points: walls.near(points), runs)
        found[name] = seconds / count * 1e9
        if name == "flat wall":
            wall_density(near, REACH)
            found["weight of a flat wall"] = best(lambda near=near: wall_density(near, REACH), runs)[0] / count * 1e9
    return found


def posing(runs: int) -> float:
    """Seconds to move a rigid collider of 100 000 triangles: no voxelisation."""
    motion = np.array([np.eye(4), np.eye(4)])
    motion[1, :3, :3] = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    walls = walls_of(knot(500, 100), motion)
    return best(lambda: walls.pose(0.02, 0.001), 20 * runs)[0]


def run(quick: bool, out: Path) -> dict[str, Any]:
    runs = 3 if quick else 5
    walls_of(knot(60, 12)).near(np.zeros((4, 3), dtype=np.float32))  # compiles
    sizes = [(100, 25), (250, 50), (500, 100)] if quick else [(100, 25), (250, 50), (500, 100), (1000, 200), (1500, 300)]
    rows, lines = [], {"triangles": [], "seconds": []}
    figures: dict[str, Any] = {}
    for along, around in sizes:
        mesh = knot(along, around)
        seconds, walls = best(lambda mesh=mesh: walls_of(mesh), runs)
        points = len(walls.table.triple)
        size = sum(array.nbytes for array in walls.table) / 1e6
        rows.append([len(mesh.triangles), points, seconds, size])
        lines["triangles"].append(len(mesh.triangles))
        lines["seconds"].append(seconds)
        if (along, around) == (500, 100):
            figures = {"triangles": len(mesh.triangles), "seconds": seconds, "boundary_points": points, "megabytes": size}
            shown = walls
    heads = ["triangles", "boundary points", "seconds", "memory [MB]"]
    print_table(heads, rows, f"Preparing a collider, reach {REACH * 100:g} cm")
    times = asking(100_000 if quick else 400_000, runs)
    pose = posing(runs)
    print_table(["particle", "ns"], [[name, value] for name, value in times.items()], "Asking for the walls (all cores)")
    print_table(["", "µs"], [["100 000 triangles, rigid", pose * 1e6]], "Moving a collider")
    figures["query_ns_per_particle"] = times["flat wall"]
    figures["query_corner_ns"] = times["corner of two walls"]
    figures["query_curved_ns"] = times["curved wall"]
    figures["query_far_ns"] = times["far from walls"]
    figures["pose_microseconds"] = pose * 1e6

    def from_zero(axes: Any) -> None:
        axes.set_xscale("log")
        axes.set_ylim(bottom=0.0)

    measured = [Line("seconds", lines["triangles"], lines["seconds"])]
    plot(out / "voxelise.png", measured, title="Preparing a collider", x="triangles", y="seconds", decorate=from_zero)
    triple = shown.table.triple
    place = triple[:, :3] + shown.table.frame[0, 9:12]
    render_points(
        place.astype(np.float32), out / "voxelise_boundary.png", radius=0.25 * REACH, values=triple[:, 6], limits=(-1.0, 1.0),
        quick=quick,
    )  # fmt: skip
    return figures
