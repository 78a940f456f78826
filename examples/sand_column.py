"""A column of sand is let go and collapses into a heap."""

from examples.look import Look
from examples.shapes import cylinder
from solvers import Body, Collider, GrainsParams, Mesh, Scene, WorldParams
from solvers.scene import ColliderParams, SurfaceParams

TITLE = "A column of dry sand collapses into a heap"
LOOK = Look(
    frame=12,
    camera=(-0.30, -1.15, 0.42),
    target=(0.0, 0.0, 0.05),
    lens=84.0,
    materials={"Floor": "hidden"},
    preview=85,
    stones="SAND",
)


def scene(quick: bool = False) -> Scene:
    """Radius 8 cm, height 22 cm: about 14 000 grains of 7 mm (quick: 5 000 of 1 cm), 16 frames at 48 frames a second."""
    params = GrainsParams(mode="all", size=0.010 if quick else 0.007, friction_angle=32.0, rolling=0.15, restitution=0.2)
    floor = Collider("Floor", Mesh.rectangle((-0.6, -0.6, 0.0), (1.2, 0.0, 0.0), (0.0, 1.2, 0.0)), ColliderParams(friction=0.7))
    return Scene(
        "Sand column",
        bodies=(Body("Column", "grains", cylinder((0.0, 0.0, 0.11), 0.08, 0.22), params),),
        colliders=(floor,),
        world=WorldParams(spacing=0.01, frames_per_second=48.0, frame_end=12 if quick else 16),
        surface=SurfaceParams(enabled=False),
    )
