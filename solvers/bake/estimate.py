"""How many particles and how much memory a scene needs, told before anything is sampled."""

from typing import NamedTuple

import numpy as np

from ..errors import InvalidScene
from ..groups import Source, params_of, sources_of
from ..materials import registry
from ..mesh.triangles import area, bounds, volume
from ..scene import Emitter, Mesh, Scene
from .files import readable_bytes
from .process import total_memory

BYTES_PER_PARTICLE = 400
"""State, neighbour lists and scratch of a solver that names no figure of its own (`bytes_per_particle`)."""
_BAND_CELLS = 12
"""Surface voxels kept across the narrow band and its working copies."""
_VOXEL_BYTES = 20
_BASE = 300_000_000
"""The interpreter, compiled kernels and libraries."""


def estimate(scene: Scene, *, load_solvers: bool = False) -> tuple[int, int]:
    """Most particles alive in the scene and the bytes of memory they need, roughly.

    `load_solvers` asks each solver for its own figure, which imports numba: not inside Blender.
    """
    shares = shares_of(scene)
    size = float(_BASE)
    for share in shares:
        size += share.count * _bytes_per_particle(share.source.kind, load_solvers)
        if scene.surface.enabled:
            size += _surface_bytes(share.area, share.spacing, scene)
    return sum(int(share.count) for share in shares), int(size)


class Share(NamedTuple):
    """What one body or emitter brings into a scene."""

    source: Source
    spacing: float
    """Edge of the cube that one particle takes [m]."""
    count: float
    """Most particles."""
    area: float
    """Of its surface [m²]."""


def shares_of(scene: Scene) -> list[Share]:
    """What every body and emitter brings, in the order of the scene."""
    found = []
    for source in sources_of(scene):
        material = registry.find(source.kind, source.name)
        spacing = material.spacing(params_of(source), scene.world.spacing)
        if isinstance(source, Emitter):
            filled = _poured_volume(source, scene)
            side = 6.0 * filled ** (2.0 / 3.0)
        else:
            filled, side = _filled_volume(source.mesh), area(source.mesh.vertices, source.mesh.triangles)
        found.append(Share(source, spacing, filled / spacing**3, side))
    return found


def _bytes_per_particle(kind: str, load: bool) -> float:
    material = registry.find(kind, "estimate")
    solver = material.load() if load else material.solver
    return float(getattr(solver, "bytes_per_particle", BYTES_PER_PARTICLE))


def _filled_volume(mesh: Mesh) -> float:
    """[m³]; an open or inside-out mesh counts at most as its bounding box."""
    low, high = bounds(mesh)
    return min(abs(volume(mesh.at(0), mesh.triangles)), float(np.prod(high - low)))


def _poured_volume(emitter: Emitter, scene: Scene) -> float:
    """[m³] that leaves the emitter before the last frame, at its greatest rate."""
    params = emitter.params
    last = scene.time_of(scene.world.frame_end)
    seconds = max(0.0, min(params.end, last) - params.start)
    rate = float(np.max(emitter.animated.get("rate", params.rate)))
    if params.source == "fill" or (params.source == "volume" and rate <= 0.0):
        return _filled_volume(emitter.mesh)  # at least: what has left makes room
    if rate <= 0.0 and params.source == "surface":
        rate = area(emitter.mesh.at(0), emitter.mesh.triangles) * float(np.max(emitter.animated.get("speed", params.speed)))
    if rate <= 0.0:
        # No rate given: the mesh's shadow along the flow (at most half its area) at full speed.
        rate = 0.5 * area(emitter.mesh.at(0), emitter.mesh.triangles) * float(np.max(emitter.animated.get("speed", params.speed)))
    return rate * seconds


def _surface_bytes(surface_area: float, spacing: float, scene: Scene) -> float:
    voxel = scene.surface.voxel * spacing
    return surface_area / voxel**2 * _BAND_CELLS * _VOXEL_BYTES


def refuse_too_large(scene: Scene, *, load_solvers: bool = False) -> tuple[int, int]:
    """`estimate`, or `InvalidScene` if the scene needs more memory than the machine has."""
    particles, needed = estimate(scene, load_solvers=load_solvers)
    available = total_memory()
    if available and needed > available:
        most = max(shares_of(scene), key=lambda share: share.count)
        whose, size = "World: Particle spacing (spacing)", scene.world.spacing
        if most.source.kind == "grains":  # their size is their own
            whose, size = f"{most.source.name}: Grain size (size)", params_of(most.source).size
        raise InvalidScene(
            f"{whose} {size:g} m makes about {int(most.count):,} particles of {most.source.name}; the scene needs about "
            f"{readable_bytes(needed)} of memory, this machine has {readable_bytes(available)}. "
            f"Use {size * (needed / available) ** (1.0 / 3.0) * 1.05:.2g} m or more, or a smaller scene."
        )
    return particles, needed
