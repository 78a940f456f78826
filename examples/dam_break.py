"""A column of water collapses in a tank and shoots over a ball."""

from examples.look import Look
from solvers import Body, Collider, Mesh, Scene, WorldParams

TITLE = "A column of water collapses and shoots over a ball"
LOOK = Look(
    frame=27,
    camera=(-0.28, -1.02, 0.50),
    target=(0.26, 0.12, 0.13),
    lens=56.0,
    materials={"Tank": "pane", "Ball": "clay"},
    clear_depth=0.14,
)


def scene(quick: bool = False) -> Scene:
    """Tank 50 × 25 × 40 cm, column 15 × 25 × 24 cm: 140 000 particles, 36 frames at 60 frames a second."""
    return Scene(
        "Dam break",
        bodies=(Body("Column", "water", Mesh.box((0.0, 0.0, 0.0), (0.15, 0.25, 0.24))),),
        colliders=(
            Collider("Tank", Mesh.open_box((0.0, 0.0, 0.0), (0.50, 0.25, 0.40))),
            Collider("Ball", Mesh.sphere((0.30, 0.125, 0.030), 0.045, subdivisions=4)),
        ),
        world=WorldParams(spacing=0.0125 if quick else 0.004, frames_per_second=60.0, frame_end=27 if quick else 36),
    )
