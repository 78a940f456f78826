"""Water runs down a wooden chute and into a bowl: nothing sticks to a slope, nothing leaks at its round walls."""

import math

import numpy as np

from examples.look import Look
from examples.shapes import bowl, cylinder
from solvers import Body, Collider, ColliderParams, Mesh, Scene, WorldParams

TITLE = "Water runs down a chute into a bowl"
ANGLE = math.radians(20.0)
LENGTH, LIFT = 0.40, 0.13
"""Of the chute, and height of its lower end inside [m]."""
RADIUS, WALL = 0.032, 0.008
"""Of the chute inside, and its thickness [m]."""
POOL, BULK = 0.24, 0.019
"""Length and radius of the water at its upper end [m]."""
LOOK = Look(
    frame=31,
    camera=(0.75, -0.57, 0.39),
    target=(0.365, 0.0, 0.082),
    lens=46.0,
    materials={"Chute": "wood", "Bowl": "porcelain", "Posts": "steel", "Table": "hidden"},
    clear_depth=0.06,
    backdrop=(0.45, 0.40, 0.34),
)


def _tilted(mesh: Mesh) -> Mesh:
    """Turned about y so that x runs downhill; the lower end stands at z = LIFT."""
    c, s = math.cos(ANGLE), math.sin(ANGLE)
    x, y, z = mesh.vertices.T
    turned = np.stack([x * c + z * s, y, z * c - x * s + LIFT + LENGTH * s], axis=1)
    return Mesh(turned, mesh.triangles)


def _chute(steps: int = 48) -> Mesh:
    """Half a pipe along x from 0 to LENGTH that lies on z = 0 inside."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, steps)
    rings = [(r * np.sin(angle), RADIUS - r * np.cos(angle)) for r in (RADIUS + WALL, RADIUS)]
    vertices = np.concatenate([np.column_stack([np.full(steps, x), y, z]) for x in (0.0, LENGTH) for y, z in rings])
    outer, inner, far_outer, far_inner = (steps * np.arange(4)[:, None] + np.arange(steps)).tolist()
    quads = []
    for i in range(steps - 1):
        quads.append((outer[i], far_outer[i], far_outer[i + 1], outer[i + 1]))  # below
        quads.append((inner[i + 1], far_inner[i + 1], far_inner[i], inner[i]))  # above
        quads.append((outer[i + 1], inner[i + 1], inner[i], outer[i]))  # upper end
        quads.append((far_outer[i], far_inner[i], far_inner[i + 1], far_outer[i + 1]))  # lower end
    quads.append((inner[0], far_inner[0], far_outer[0], outer[0]))
    quads.append((outer[-1], far_outer[-1], far_inner[-1], inner[-1]))
    return Mesh(vertices, np.array([(q[0], q[a + 1], q[a]) for q in quads for a in (1, 2)], dtype=np.int32))


def _posts() -> Mesh:
    """Two posts that reach into the chute's wall from below."""
    parts = []
    for x in (0.06, 0.33):
        top = LIFT + (LENGTH - x / math.cos(ANGLE)) * math.sin(ANGLE) - 0.6 * WALL
        parts.append(cylinder((x, 0.0, 0.5 * top), 0.009, top, 32))
    first, second = parts
    return Mesh(np.concatenate([first.vertices, second.vertices]),
                np.concatenate([first.triangles, second.triangles + len(first.vertices)]))  # fmt: skip


def _water() -> Mesh:
    """A round bar that lies in the chute near its upper end."""
    bar = cylinder((0.0, 0.0, 0.0), BULK, POOL, 40)
    x, y, z = bar.vertices.T
    return Mesh(np.stack([z + 0.5 * POOL + 0.012, y, -x + BULK + 0.003], axis=1), bar.triangles)


def scene(quick: bool = False) -> Scene:
    """A quarter of a litre on a slope of 20 degrees, 44 frames at 60 a second: about 34 000 particles."""
    pot = bowl(0.07, 0.009)
    return Scene(
        "Chute",
        bodies=(Body("Water", "water", _tilted(_water())),),
        colliders=(
            Collider("Chute", _tilted(_chute()), ColliderParams(friction=0.0)),
            Collider("Posts", _posts()),
            Collider("Bowl", Mesh(pot.vertices + np.array([0.495, 0.0, 0.0]), pot.triangles)),
            Collider("Table", Mesh.rectangle((-0.6, -0.8, 0.0), (1.8, 0.0, 0.0), (0.0, 1.6, 0.0))),
        ),
        world=WorldParams(spacing=0.005 if quick else 0.002, frames_per_second=60.0, frame_end=22 if quick else 44),
    )
