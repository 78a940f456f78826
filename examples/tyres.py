"""Two driven wheels on gravel, one light and one heavy: tracks, spray, and a deeper rut under the heavy one."""

from examples.look import Look
from examples.shapes import tray
from examples.solids import tyre
from solvers import Body, Collider, GrainsParams, Mesh, Scene, WorldParams
from solvers.scene import ColliderParams, SurfaceParams

TITLE = "Two driven wheels dig through gravel; the heavy one sinks deeper"
LOOK = Look(
    frame=20,
    camera=(-0.66, -0.98, 0.66),
    target=(0.38, 0.0, 0.075),
    lens=50.0,
    materials={"Tray": "wood", "Table": "hidden", "Light wheel": "rubber", "Heavy wheel": "rubber"},
    preview=85,
    stones="GRAVEL",
)
BED, DEPTH = (0.0, -0.26, 0.80, 0.26), 0.066
"""Bed of gravel: x and y from, x and y to; and its depth [m]."""
THICK = 0.025
"""Of the tray [m]."""


def scene(quick: bool = False) -> Scene:
    """Wheels of 26 cm on a bed 80 × 52 × 6.6 cm: about 6 300 stones of 1.6 cm (quick: 3 700 of 2 cm), 24 frames."""
    x, y, far, side = BED
    size = 0.020 if quick else 0.016
    gravel = GrainsParams(
        mode="all", size=size, size_spread=0.35, density=2700.0, friction_angle=36.0, restitution=0.25, rolling=0.3,
        wall_friction=0.6,
    )  # fmt: skip
    wheels = {"Light wheel": (-0.13, 5.0), "Heavy wheel": (0.13, 40.0)}
    table = Mesh.rectangle((-1.5, -1.5, -THICK), (3.5, 0.0, 0.0), (0.0, 3.0, 0.0))
    colliders = [
        Collider("Tray", tray((x, y, 0.0), (far, side, DEPTH + 0.012), THICK), ColliderParams(friction=0.8)),
        Collider("Table", table, ColliderParams(friction=0.8)),
    ]
    for name, (lane, mass) in wheels.items():
        driven = ColliderParams(free=True, mass=mass, spin=(0.0, 14.0, 0.0), driven=True, friction=0.9, bounce=0.0)
        mesh = tyre((0.16, lane, DEPTH + 0.13 + size), 0.13, 0.10, lugs=18)
        colliders.append(Collider(name, mesh, driven))
    return Scene(
        "Tyres",
        bodies=(Body("Gravel", "grains", Mesh.box((x, y, 0.0), (far, side, DEPTH)), gravel),),
        colliders=tuple(colliders),
        world=WorldParams(spacing=0.01, frames_per_second=48.0, frame_end=10 if quick else 24),
        surface=SurfaceParams(enabled=False),
    )
