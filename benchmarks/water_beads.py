"""The contact angle that a drop of Water takes, requested and measured: a check of the table `PULLS` in `solvers/sph/tension.py`.

A ball set down on a plane comes from above (advancing), a flattened one from below (receding).
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table
from benchmarks.drop_shapes import angle_of_particles, angle_of_surface, ball_on_plane, radius_of, run_world, surface_of
from solvers.materials.water_params import WaterParams
from solvers.scene import Mesh, Scene

TITLE = "Water: contact angle of what a splash leaves"
VOLUME = 2.0e-8


def bead(angle: float, particles: int, flat: float = 1.0, frames: int = 20) -> Scene:
    """A drop of Water [20 µL] on a plane of a contact angle [°]; `flat`: height of the body over that of a ball."""
    scene = ball_on_plane(VOLUME, particles, angle, fps=200.0, frames=frames)
    radius = radius_of(VOLUME)
    unit = Mesh.sphere((0.0, 0.0, 0.0), 1.0, 4)
    wide = radius / np.sqrt(flat)
    mesh = Mesh(unit.vertices * [wide, wide, flat * radius] + [0.0, 0.0, flat * radius], unit.triangles)
    body = replace(scene.bodies[0], kind="water", mesh=mesh, params=WaterParams(tension="on"))
    return replace(scene, bodies=(body,))


def run(quick: bool, out: Path) -> dict[str, Any]:
    rows, lines = [], []
    angles = (60.0, 120.0) if quick else (20.0, 40.0, 60.0, 80.0, 100.0, 120.0, 140.0, 160.0)
    for particles, flat in ((900, 1.0),) if quick else ((900, 1.0), (900, 0.5), (300, 1.0)):
        found = []
        for angle in angles:
            world = run_world(bead(angle, particles, flat))
            points = world.points("Water")
            found.append(angle_of_surface(surface_of(world)))
            moments = angle_of_particles(points["position"].astype(float))
            rows.append([particles, "ball" if flat == 1.0 else "flat", angle, moments, found[-1], found[-1] - angle])
            print(rows[-1], flush=True)
        lines.append(Line(f"{particles} particles, {'from a ball' if flat == 1.0 else 'from a flat drop'}", list(angles), found))
    print_table(["Particles", "from", "requested [°]", "particles [°]", "surface [°]", "error [°]"], rows, TITLE)
    plot(out / "water_beads.png", lines, title=TITLE, x="requested [°]", y="measured [°]")
    within = [abs(row[5]) for row in rows if row[2] >= 50.0]
    return {"error_max_deg": float(max(within)), "error_mean_deg": float(np.mean(within))}
