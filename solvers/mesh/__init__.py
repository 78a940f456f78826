"""Meshes: measures and checks, inside and outside, and points in, on and across them.

Measures and checks need numpy only: Blender's own process validates scenes with them. What is compiled is imported when
first asked for; filling is `from solvers.mesh.fill import fill`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .triangles import area, bounds, check_mesh, is_closed, normals, oriented, volume, welded

if TYPE_CHECKING:
    from .emit import footprint, painted, surface_points
    from .winding import Solid, inside, make_solid, winding_number

_COMPILED = {
    "Solid": ".winding",
    "footprint": ".emit",
    "inside": ".winding",
    "make_solid": ".winding",
    "painted": ".emit",
    "surface_points": ".emit",
    "winding_number": ".winding",
}

__all__ = [
    "Solid",
    "area",
    "bounds",
    "check_mesh",
    "footprint",
    "inside",
    "is_closed",
    "make_solid",
    "normals",
    "oriented",
    "painted",
    "surface_points",
    "volume",
    "welded",
    "winding_number",
]


def __getattr__(name: str) -> Any:
    if name not in _COMPILED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_COMPILED[name], __name__), name)
