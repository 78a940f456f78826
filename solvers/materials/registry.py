"""Which body kinds exist. Reading this needs no numba: kernels are imported when a bake starts."""

import sys
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import InvalidScene
from ..params import declarations
from ..scene import SurfaceParams
from . import drops_params, foam_params, grains_params, solid_params, water_params
from .preset import Preset

if TYPE_CHECKING:
    from ..world import Solver


@dataclass(frozen=True)
class Material:
    """One body kind as the interface and the world loop see it."""

    kind: str
    label: str
    help: str
    params: type
    """Parameter group, a frozen dataclass of `solvers.params.param` fields."""
    solver: str | Callable[..., "Solver"]
    """Class that simulates all bodies of this kind, or "module:Class" inside `solvers`, imported when first needed."""
    shared_surface: bool = True
    """Bodies of this kind flow into each other and share one surface unless the artist names outputs."""
    spacing: Callable[[Any, float], float] = lambda params, world_spacing: world_spacing
    """Edge [m] of the cube that one particle takes, from the kind's parameters and the world's particle spacing."""

    smoothing: str = "3"
    """What `SurfaceParams.smoothing` "kind" stands for."""
    turns: bool = False
    """Its points carry a rotation: objects can be shown in their place."""
    doubts: Callable[[Any], list[str]] = lambda params: []
    """What is allowed but probably not meant, in words for the artist, from the kind's parameters."""
    apart: Callable[[Any], Hashable] = lambda params: None
    """What sources must have in common to share a solver, from the parameters; those that differ meet like two kinds."""
    preset_keeps: tuple[str, ...] = ()
    """Parameters that no preset changes because they say how much is computed rather than what the material is."""

    @property
    def presets(self) -> Mapping[str, Preset]:
        """Named settings, by name: `PRESETS` of the file that declares the parameters."""
        return getattr(sys.modules[self.params.__module__], "PRESETS", {})

    def preset_values(self, name: str) -> dict[str, Any]:
        """What a preset sets, by parameter. Advanced values belong to the method and stay as they are."""
        chosen = self.presets[name].params
        names = (entry.name for entry in declarations(self.params) if not entry.advanced and entry.name not in self.preset_keeps)
        return {name: getattr(chosen, name) for name in names}

    def load(self) -> Callable[..., "Solver"]:
        if not isinstance(self.solver, str):
            return self.solver
        module, name = self.solver.split(":")
        solver: Any = getattr(import_module(module, __package__), name)
        return solver


MATERIALS: dict[str, Material] = {
    "water": Material(
        "water", "Water", "Splashing, pouring, filling", water_params.WaterParams, "..sph.water:WaterSolver",
        apart=lambda params: params.scheme,
    ),  # fmt: skip
    "grains": Material(
        "grains", "Grains", "Sand, gravel, sugar: pouring, piling, jamming", grains_params.GrainsParams,
        "..hybrid.grains:grain_solver", spacing=grains_params.grain_spacing, turns=True,
        preset_keeps=("mode", "size"),
    ),  # fmt: skip
    "drops": Material(
        "drops", "Drops", "Dew, puddles, drops that stick, slide and drip", drops_params.DropsParams,
        "..drops.paper:drops_solver", apart=lambda params: params,
    ),  # fmt: skip
    "foam": Material(
        "foam", "Foam", "Cream, paste, meringue", foam_params.FoamParams, "..mpm.foam:FoamSolver", smoothing="satin",
        doubts=foam_params.foam_doubts,
    ),  # fmt: skip
    "solid": Material(
        "solid", "Solid", "Rubber, jelly, dough, clay: bounces, dents, tears", solid_params.SolidParams,
        "..solid.solids:SolidSolver", shared_surface=False,
    ),  # fmt: skip
}


def find(kind: str, owner: str) -> Material:
    """The material called `kind`, or an error that names `owner`."""
    if kind not in MATERIALS:
        raise InvalidScene(f"{owner}: there is no body kind {kind!r}; known are {', '.join(MATERIALS)}.")
    return MATERIALS[kind]


def surface_of(kind: str, params: SurfaceParams) -> SurfaceParams:
    """The surface settings of one body kind: what the artist leaves to the material is filled in."""
    return replace(params, smoothing=MATERIALS[kind].smoothing) if params.smoothing == "kind" else params
