"""What the contact angle of a collider does: one drop of water at 30°, 90° and 150°."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.drop_calibration import rest_time
from benchmarks.drop_shapes import ball_on_plane
from benchmarks.strips import Shot, strip
from examples.shapes import cylinder
from solvers.materials.drops_params import DropsParams
from solvers.scene import ColliderParams, Scene

TITLE = "Drops: strip of the contact angle"
VOLUME = 1.0e-8
ANGLES = (30.0, 90.0, 150.0)
_CAMERA = ((0.0, -0.0122, 0.0034), (0.0, 0.0, 0.0010))


def drop(angle: float, particles: int) -> Scene:
    """10 µL of water set down on a disc of this contact angle [°], at rest."""
    seconds = rest_time(VOLUME, particles, DropsParams())
    scene = ball_on_plane(VOLUME, particles, angle, gravity=9.81, fps=4.0 / seconds, frames=5)
    disc = replace(
        scene.colliders[0], mesh=cylinder((0.0, 0.0, -2.5e-4), 5.0e-3, 5.0e-4, 96), params=ColliderParams(contact_angle=angle)
    )
    return replace(scene, colliders=(disc,))


def run(quick: bool, out: Path) -> dict[str, Any]:
    particles = 300 if quick else 900
    shots = [
        Shot(f"Contact angle {angle:g}°", drop(angle, particles), _CAMERA, ("clay",), 62.0, output="Drops", look="water")
        for angle in ANGLES
    ]
    strip(out / "drop_strip_angle.png", shots[:1] if quick else shots)
    return {"strips": 1}
