"""The product's own surface of simulated points as a mesh, for pictures."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from solvers.bake.modules import blender_modules
from solvers.materials.registry import surface_of
from solvers.scene import Mesh, SurfaceParams
from solvers.surface import make_surface
from solvers.surface.vdb import surface_grid
from solvers.watch import Silent


def skin(
    points: Mapping[str, np.ndarray], spacing: float, kind: str, walls: Any = None,
    weight: tuple[float, float, float] | None = None, **settings: Any,
) -> Mesh:  # fmt: skip
    """What *Volume to Mesh* makes of the level set that a bake writes: default settings of the kind but for `settings`."""
    blender_modules()
    import openvdb

    params = surface_of(kind, SurfaceParams(velocity=False, **settings))
    volume = make_surface(points, spacing, params, walls, Silent(), weight)
    vertices, quads = surface_grid(openvdb, volume).convertToQuads(isovalue=0.0)
    # OpenVDB's faces look inwards.
    triangles = quads[:, ::-1][:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    return Mesh(vertices.astype(np.float64), np.ascontiguousarray(triangles, np.int32))


def world_skin(world: Any, output: str = "Foam", **settings: Any) -> Mesh:
    """The surface of an output of a world at its present frame, with its walls."""
    found = next(entry for entry in world.outputs if entry.name == output)
    return skin(world.points(output), found.spacing, found.kind, world.walls, found.weight, **settings)
