"""Requested contact angle against the one that a drop takes, on its particles and on its rendered surface."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, new_figure, plot, print_table, save_figure
from benchmarks.drop_calibration import rest_time
from benchmarks.drop_shapes import angle_in_bowl, ball_in_bowl, ball_on_plane, profile, radius_of, run_world, settle, surface_of
from solvers.materials.drops_params import DropsParams

TITLE = "Drops: requested and measured contact angle"


BOWL = 2.5
"""Radius of the bowl, in radii of the ball of liquid that is put into it."""


def in_a_bowl(angles: tuple[float, ...], particles: int, liquid: DropsParams) -> list[list[float]]:
    """Requested and measured angle [°] inside a hollow sphere: no scene of this kind made the table of strengths."""
    volume, rows = 4.0e-9, []
    bowl = BOWL * radius_of(volume)
    for angle in angles:
        seconds = rest_time(volume, particles, liquid)
        world = run_world(ball_in_bowl(volume, particles, angle, bowl, 11, 10.0 / seconds))
        rows.append([angle, angle_in_bowl(surface_of(world), bowl, 1.5 * world.spacing)])
        print("bowl", rows[-1], flush=True)
    return rows


def run(quick: bool, out: Path) -> dict[str, Any]:
    """Balls are set down without gravity, so that caps are spherical and the whole outline measures the angle."""
    angles = (40.0, 90.0, 140.0) if quick else tuple(np.arange(20.0, 161.0, 20.0))
    volumes = (4.0e-9,) if quick else (1.0e-9, 2.0e-8)
    sizes = (400,) if quick else (900, 2500)
    liquid = DropsParams()
    rows, lines, outlines = [], [], []
    for volume in volumes:
        for particles in sizes:
            found = []
            for angle in angles:
                seconds = rest_time(volume, particles, liquid)
                world, result = settle(
                    ball_on_plane(volume, particles, float(angle), fps=10.0 / seconds, frames=11, liquid=liquid)
                )
                found.append(result["angle_vdb"])
                rows.append(
                    [f"{1e9 * volume:g} µL", result["particles"], angle, result["angle"], result["angle_vdb"], result["wall"]]
                )
                print(rows[-1], flush=True)
                if volume == volumes[0] and particles == sizes[-1]:
                    outlines.append((angle, profile(surface_of(world)) / world.spacing))
            lines.append(Line(f"{1e9 * volume:g} µL, {particles} particles", angles, found))
    bowl = in_a_bowl((90.0,) if quick else (40.0, 70.0, 110.0, 140.0), sizes[0], liquid)
    print_table(["wanted [°]", "surface [°]"], bowl, "In a bowl")
    headings = ["Volume", "particles", "wanted [°]", "moments [°]", "surface [°]", "slope at the wall [°]"]
    print_table(headings, rows, TITLE)
    lines.append(Line("wanted", angles, angles))
    plot(out / "contact_angle.png", lines, title="Contact angle", x="requested [°]", y="measured on the surface [°]")
    figure, axes = new_figure("Outlines of the rendered surfaces", "radius [spacings]", "height [spacings]")
    for index, (angle, line) in enumerate(outlines):
        axes.scatter(line[:, 0] + 22.0 * index, line[:, 1], s=1.0, label=f"{angle:g}°")
    axes.set_aspect("equal")
    axes.legend(frameon=False, ncols=4, fontsize=7)
    save_figure(figure, out / "contact_angle_outlines.png")
    errors = [abs(row[3] - row[2]) for row in rows]
    errors_vdb = [abs(row[4] - row[2]) for row in rows]
    return {
        "error_max_deg": max(errors),
        "error_max_deg_vdb": max(errors_vdb),
        "error_max_deg_wall": max(abs(row[5] - row[2]) for row in rows),
        "error_mean_deg": float(np.mean(errors)),
        "error_max_deg_bowl": max(abs(found - wanted) for wanted, found in bowl),
    }
