"""Surfaces of one cloud of particles by Tsubu and by splashsurf, at the same particle and voxel size.

Compared is the time from positions in memory to a surface in memory. splashsurf gives a triangle mesh; Tsubu gives a
narrow-band level set, which Blender turns into a mesh by itself, and needs no voxels deep inside the liquid. So that nobody is
fooled, the way to a written file and the way to a mesh (by OpenVDB) are timed as well.

The peer runs this same file in its own Python: `python surface_speed.py CLOUD.npy RADIUS LOOK`.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

TITLE = "Surface of a splashing pool beside splashsurf, same particles and voxels"
RADIUS = 0.002
"""Particle radius [m]: half the spacing."""
CUBE = 0.75
"""Voxel edge in radii."""
REACH = 4.0
"""Reach of a particle in radii: splashsurf's smoothing length 2.0 stands for half of it."""


def cloud(count: int, seed: int = 3) -> np.ndarray:
    """A wavy pool on a jittered lattice with 5 % of the particles in droplets above it [m], float32 (count, 3)."""
    random = np.random.default_rng(seed)
    side = round((count * 0.95 / 0.3) ** (1.0 / 3.0) * 1.15)
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3).astype(np.float32)
    waves = np.sin(12.6 * grid[:, 0] / side) * np.cos(9.45 * grid[:, 1] / side)
    pool = grid[grid[:, 2] < 0.3 * side * (1.0 + 0.35 * waves)]
    pool = pool[np.argsort(pool[:, 2], kind="stable")[: int(count * 0.95)]]
    missing = count - len(pool)
    centre = random.uniform([0.0, 0.0, 0.5 * side], [side, side, side], (max(1, missing // 30), 3))
    drops = centre[random.integers(0, len(centre), missing)] + random.normal(0.0, 1.2, (missing, 3))
    points = np.concatenate([pool, drops]).astype(np.float32)
    points += random.uniform(-0.2, 0.2, points.shape).astype(np.float32)
    return np.ascontiguousarray(points * np.float32(2.0 * RADIUS))


class Spent(NamedTuple):
    """What a piece of work took."""

    wall: float
    """[s] by the clock."""
    cpu: float
    """[s] of all threads together: says the same on a busy machine."""


def best(work: Callable[[], Any], rounds: int) -> Spent:
    """Least of several runs: anything else on the machine only ever slows one down."""
    wall, cpu = [], []
    for _ in range(rounds):
        start, start_cpu = time.perf_counter(), time.process_time()
        work()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - start_cpu)
    return Spent(min(wall), min(cpu))


def peer_main(path: str, radius: float, look: str) -> None:
    """One warm-up and two timed reconstructions by splashsurf; prints seconds and the size of the mesh."""
    import pysplashsurf

    points = np.load(path)
    smooth: dict[str, Any] = {}
    if look == "smooth":
        smooth = {"mesh_smoothing_iters": 25, "mesh_smoothing_weights": True, "mesh_cleanup": True, "decimate_barnacles": True}
        smooth |= {"compute_normals": True, "normals_smoothing_iters": 10}

    def reconstruct() -> Any:
        return pysplashsurf.reconstruction_pipeline(
            points, particle_radius=radius, smoothing_length=REACH / 2.0, cube_size=CUBE, iso_surface_threshold=0.6, **smooth
        )

    triangles = len(reconstruct()[0].mesh.triangles)
    print(json.dumps({"seconds": best(reconstruct, 2), "triangles": triangles}))


def run(quick: bool, out: Path) -> dict[str, Any]:
    """Times both in turns, so that a busy moment of the machine hits both."""
    import tempfile

    from benchmarks import peers
    from benchmarks.common import bars, print_table
    from solvers.scene import SurfaceParams
    from solvers.surface import make_surface, write_vdb
    from solvers.watch import Silent

    count, rounds = (40_000, 2) if quick else (200_000, 4)
    points = cloud(count)
    given = {"position": points, "velocity": np.zeros_like(points)}
    voxel, blend = CUBE / 2.0, REACH / 2.0
    looks = {
        "plain": SurfaceParams(voxel=voxel, radius=blend, smoothing="none", anisotropic=False, velocity=False),
        "smooth": SurfaceParams(voxel=voxel, radius=blend, smoothing="3", anisotropic=True, velocity=False),
        "full": SurfaceParams(voxel=voxel, radius=blend, smoothing="3", anisotropic=True, velocity=True),
    }
    volumes = {look: make_surface(given, 2.0 * RADIUS, looks[look], None, Silent()) for look in looks}
    seconds: dict[str, list[Spent]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cloud.npy"
        np.save(path, points)
        python = peers.splashsurf()
        triangles = {}
        for _ in range(rounds):
            for look in ("plain", "smooth"):
                theirs = peers.run_peer(python, Path(__file__), str(path), str(RADIUS), look)
                triangles[look] = theirs["triangles"]
                seconds.setdefault(f"splashsurf {look}", []).append(Spent(*theirs["seconds"]))
            for look, params in looks.items():
                spent = best(lambda params=params: make_surface(given, 2.0 * RADIUS, params, None, Silent()), 2)
                seconds.setdefault(f"tsubu {look}", []).append(spent)
            for look in ("plain", "full"):
                target = Path(folder) / f"{look}.vdb"
                seconds.setdefault(f"write {look}", []).append(best(lambda at=target, v=volumes[look]: write_vdb(at, v), 1))
            seconds.setdefault("mesh", []).append(_meshing(Path(folder) / "plain.vdb"))
        sizes = {look: (Path(folder) / f"{look}.vdb").stat().st_size for look in ("plain", "full")}
    least = {name: min(value.wall for value in values) for name, values in seconds.items()}
    cpu = {name: min(value.cpu for value in values) for name, values in seconds.items()}
    figures = _report(least, cpu, count, out, bars, print_table)
    figures |= {"splashsurf_triangles": triangles["plain"], "blocks": len(volumes["plain"].phi)}
    figures |= {"memory_mb": volumes["full"].memory / 1e6, "file_mb": sizes["full"] / 1e6}
    return figures


def _meshing(path: Path) -> Spent:
    """Time OpenVDB takes to mesh the surface of a file, reading not counted."""
    import openvdb

    grid = openvdb.read(str(path), "surface")
    return best(grid.convertToPolygons, 1)


def _report(least: dict[str, float], cpu: dict[str, float], count: int, out: Path, bars: Any, print_table: Any) -> dict[str, Any]:
    written, meshed = least["tsubu plain"] + least["write plain"], least["tsubu plain"] + least["write plain"] + least["mesh"]
    plain, smooth = least["splashsurf plain"], least["splashsurf smooth"]
    complete = least["tsubu full"] + least["write full"]
    rows = [
        ("splashsurf, reconstruction (mesh)", plain, 1.0),
        ("Tsubu, plain field (level set)", least["tsubu plain"], plain / least["tsubu plain"]),
        ("   + OpenVDB file", written, plain / written),
        ("   + mesh by OpenVDB", meshed, plain / meshed),
        ("splashsurf, with 25 smoothings and clean-up", smooth, 1.0),
        ("Tsubu, anisotropic + filter 3", least["tsubu smooth"], smooth / least["tsubu smooth"]),
        ("   + velocity grid", least["tsubu full"], smooth / least["tsubu full"]),
        ("   + velocity grid + OpenVDB file", complete, smooth / complete),
    ]
    print_table(("surface of " + f"{count:,} particles".replace(",", " "), "seconds", "times faster"), rows)
    shown = {"splashsurf": plain, "Tsubu": least["tsubu plain"], "Tsubu\n+ file": written}
    shown |= {"splashsurf\nsmooth": smooth, "Tsubu\nsmooth": least["tsubu smooth"]}
    shown |= {"Tsubu smooth\n+ velocity\n+ file": complete}
    bars(out / "surface_speed.png", shown, title=f"Surface of {count} particles", y="seconds")
    ratio_cpu = cpu["splashsurf plain"] / cpu["tsubu plain"]
    ratio_cpu_smooth = cpu["splashsurf smooth"] / cpu["tsubu smooth"]
    print(f"By processor time (all threads): plain {ratio_cpu:.2f} times less, smooth {ratio_cpu_smooth:.2f} times less.")
    if plain > 0.8 * smooth:
        print("splashsurf's plain run took as long as its smooth one: the machine was busy, trust the processor time.")
    return {
        "particles": count,
        "ratio_splashsurf": plain / least["tsubu plain"],
        "ratio_with_file": plain / written,
        "ratio_with_mesh": plain / meshed,
        "ratio_cpu": ratio_cpu,
        "ratio_cpu_smooth": ratio_cpu_smooth,
        "ratio_smooth": smooth / least["tsubu smooth"],
        "ratio_smooth_with_velocity_and_file": smooth / complete,
        "seconds": least["tsubu plain"],
        "seconds_smooth": least["tsubu smooth"],
        "seconds_splashsurf": plain,
        "seconds_splashsurf_smooth": smooth,
    }


if __name__ == "__main__":
    peer_main(sys.argv[1], float(sys.argv[2]), sys.argv[3])
