"""Tsubu's engine: grains, foam, drops, water and solids from plain Python or from a job folder.

    from solvers import Body, Collider, Mesh, Scene, bake

    bake(Scene("Dam", bodies=(Body("Water", "water", Mesh.box((0, 0, 0), (1, 1, 1))),)), "cache/dam")

Importing this package does not import numba: Blender's own process reads declarations and writes jobs with it. The
function `bake` hides the subpackage of the same name as an attribute; import from it as `from solvers.bake.x import y`.
"""

__version__ = "0.1.0"

from .bake.start import bake
from .errors import BakeFolderError, Cancelled, InvalidScene, TsubuError
from .materials.grains_params import GrainsParams
from .materials.water_params import WaterParams
from .scene import (
    Body,
    Collider,
    ColliderParams,
    Emitter,
    EmitterParams,
    Mesh,
    Scene,
    SurfaceParams,
    WorldParams,
)

__all__ = [
    "BakeFolderError",
    "Body",
    "Cancelled",
    "Collider",
    "ColliderParams",
    "Emitter",
    "EmitterParams",
    "GrainsParams",
    "InvalidScene",
    "Mesh",
    "Scene",
    "SurfaceParams",
    "TsubuError",
    "WaterParams",
    "WorldParams",
    "bake",
]
