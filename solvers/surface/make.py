"""From particles to a surface."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidScene
from ..scene import SurfaceParams
from ..walls.ghosts import Ghosts, make_ghosts, no_ghosts
from ..watch import Watch
from .blocks import EDGE, MARGIN, Blocks, find_blocks
from .calibrate import Calibration, Setting, calibrate
from .cells import padded
from .contact_line import ROOM, meet_walls
from .distance import HALF_WIDTH, signed_distance
from .field import Cuts, density_volume, filter_of, gaussian_filter
from .particles import WALL_NEAR, Particles, farthest_reach, shaped_blobs, sort_particles, surface_particles
from .velocity import node_velocity
from .volume import SurfaceVolume

_CUT_BEHIND = 1.0
"""Voxels, beside those of the filter, between the depth at which the surface ends in a wall and that at which particles end."""
_STRETCH = 0.25
"""How much farther from a particle than its ball the surface may lie [spacings]."""
_COARSEST_VELOCITY = 1.01
"""Largest distance between velocity nodes [spacings], if voxels allow it."""
_CHUNK = 4096
"""Blocks between two looks at the watch."""


class _Frame(NamedTuple):
    """Local coordinates: in particle spacings from a corner of the voxel grid, so that all are positive and small."""

    voxel: float
    """Voxel edge [spacings]."""
    size: float
    """Voxel edge [m]."""
    first_block: np.ndarray
    """World index of the block at the local origin, int64 (3,)."""
    shape: np.ndarray
    """Blocks along each axis, int64 (3,)."""


def _checked(points: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray | None]:
    position = np.ascontiguousarray(points["position"], np.float32)
    bad = int((~np.isfinite(position).all(axis=1)).sum())
    if bad:
        raise InvalidScene(f"Surface: {bad} of {len(position)} particles have no finite position; the simulation has diverged.")
    velocity = points.get("velocity")
    return position, None if velocity is None else np.asarray(velocity, np.float32)


def _local(position: np.ndarray, spacing: float, voxel: float, reach: float) -> tuple[np.ndarray, _Frame]:
    """Positions in local coordinates, float32 (n, 3). `reach`: room to leave on all sides [spacings]."""
    edge = voxel * spacing * EDGE
    low, high = position.min(axis=0).astype(np.float64), position.max(axis=0).astype(np.float64)
    room = int(np.ceil(reach / (voxel * EDGE))) + MARGIN
    first = np.floor(low / edge).astype(np.int64) - room
    shape = np.floor(high / edge).astype(np.int64) - first + 1 + room
    local = ((position - first * edge) / spacing).astype(np.float32)
    return local, _Frame(voxel, voxel * spacing, first, shape)


def _chunks(blocks: Blocks, watch: Watch) -> Iterator[tuple[int, int]]:
    """Ranges of blocks, with a look at the watch before each."""
    for first in range(0, len(blocks.key), _CHUNK):
        watch.poll()
        yield first, min(first + _CHUNK, len(blocks.key))


def _clip(phi: np.ndarray, behind: np.ndarray, blocks: Blocks, frame: _Frame, walls: Any, overlap: float) -> None:
    """φ = max(φ, −(wall distance + overlap)): the surface ends at the same depth [m] in every wall.

    Inside a closed collider the walls know how deep a voxel is. Behind a sheet, which has no inside, only the particles know on
    which side of it they are: `behind`, see `density_volume`.
    """
    reach = np.float32((HALF_WIDTH + 1) * frame.voxel)
    place = np.flatnonzero((phi < HALF_WIDTH) & (behind[1] > 0.0) & (behind[0] < reach * behind[1]))
    block, voxel = np.divmod(place, EDGE**3)
    within = np.stack([voxel // (EDGE * EDGE), voxel // EDGE % EDGE, voxel % EDGE], axis=1)
    index = (blocks.index[block] + frame.first_block) * EDGE + within
    distance = walls.signed_distance((index * frame.size).astype(np.float32), (HALF_WIDTH + 1) * frame.size + overlap)
    seen = behind[0, place] / behind[1, place] * np.float32(frame.size / frame.voxel)
    distance = np.where(seen < 0.0, np.minimum(distance, seen), distance)
    depth = -(distance + np.float32(overlap)) / np.float32(frame.size)
    phi[place] = np.minimum(np.maximum(phi[place], depth), np.float32(HALF_WIDTH))


def _distance(
    particles: Particles, ghosts: Ghosts, blocks: Blocks, frame: _Frame, params: SurfaceParams, walls: Any, watch: Watch,
    weight: tuple[float, float, float] | None,
) -> np.ndarray:  # fmt: skip
    """Signed distance in voxels, float32 flat (b·512,)."""
    known = _calibration(params)
    blob = shaped_blobs(particles, ghosts, known, params.anisotropic, params.spray)
    watch.poll()
    smooth = filter_of(params.smoothing, params.voxel)
    cut = np.concatenate([ghosts.cut, ghosts.cut[ghosts.parent]])[particles.cells.order]
    depth = np.float32(params.wall_overlap + (_CUT_BEHIND + smooth.reach) * params.voxel)
    cuts = Cuts(cut, ghosts.plane, ghosts.count, ghosts.shape, depth)
    reach = np.float32(farthest_reach(particles, blob))
    volume = np.zeros(len(blocks.key) * EDGE**3, np.float32)
    behind = np.zeros((2, volume.size if walls is not None else 1), np.float32)
    for part in _chunks(blocks, watch):
        density_volume(particles.cells, blob, cuts, blocks, part, np.float32(params.voxel), reach, volume, behind)
    phi = np.empty_like(volume)
    for _ in range(smooth.passes if smooth.reach else 0):
        watch.poll()
        gaussian_filter(volume, blocks.beside, smooth.taps, phi)
        volume, phi = phi, volume
    for part in _chunks(blocks, watch):
        signed_distance(volume, blocks.beside, part, phi)
    if walls is not None:
        if weight is not None:
            watch.poll()
            overlap = params.wall_overlap * frame.size / frame.voxel
            meet_walls(phi, behind, blocks, frame.first_block, frame.voxel, frame.size, walls, overlap, weight)
        _clip(phi, behind, blocks, frame, walls, params.wall_overlap * frame.size / frame.voxel)
    return phi


def _velocity(
    particles: Particles, velocity: np.ndarray, ghosts: Ghosts, blocks: Blocks, phi: np.ndarray, frame: _Frame, watch: Watch
) -> tuple[np.ndarray, np.ndarray]:
    """Origins, int32 (c, 3), and node velocities, float32 (c, n, n, n, 3), of the blocks that have any."""
    cells, step = particles.cells, _velocity_step(frame.voxel)
    source = np.concatenate([np.arange(len(velocity)), ghosts.parent])[cells.order]
    speed = np.stack([padded(velocity[source, axis], 0.0) for axis in range(3)])
    radius = np.float32(max(float(cells.size), 0.7 + 1.75 * step * frame.voxel))  # reaches across a cell of nodes
    nodes = EDGE // step
    value = np.zeros((len(blocks.key), nodes**3, 3), np.float32)
    used = np.zeros((len(blocks.key), nodes**3), bool)
    for part in _chunks(blocks, watch):
        node_velocity(cells, speed, blocks, part, phi, np.float32(frame.voxel), step, radius, value, used)
    kept = used.any(axis=1)
    origin = ((blocks.index[kept] + frame.first_block) * nodes).astype(np.int32)
    return origin, value[kept].reshape(-1, nodes, nodes, nodes, 3)


def _velocity_step(voxel: float) -> int:
    return 2 if 2.0 * voxel <= _COARSEST_VELOCITY else 1


def _calibration(params: SurfaceParams) -> Calibration:
    return calibrate(Setting(params.radius, params.voxel, params.smoothing, params.anisotropic))


def _empty(size: float, with_velocity: bool, step: int) -> SurfaceVolume:
    nodes = EDGE // step
    origin = np.zeros((0, 3), np.int32)
    phi = np.zeros((0, EDGE, EDGE, EDGE), np.float32)
    if not with_velocity:
        return SurfaceVolume(size, origin, phi, HALF_WIDTH * size)
    return SurfaceVolume(size, origin, phi, HALF_WIDTH * size, step, origin, np.zeros((0, nodes, nodes, nodes, 3), np.float32))


def make_surface(
    points: Mapping[str, np.ndarray], spacing: float, params: SurfaceParams, walls: Any, watch: Watch,
    weight: tuple[float, float, float] | None = None,
) -> SurfaceVolume:  # fmt: skip
    """The surface of particles: `points` with position [m] and velocity [m/s], float32 (n, 3); `walls` may be None.

    The density volume φ = Σ w (1−q)² − 1 of droplets (3.14), filtered, as a narrow-band signed distance. `weight`: gravity ×
    density / surface tension [1/m²] of a liquid that wets walls and meets them at their contact angles.
    """
    position, velocity = _checked(points)
    size, step = params.voxel * spacing, _velocity_step(params.voxel)
    if len(position) == 0:
        return _empty(size, params.velocity and velocity is not None, step)
    known = _calibration(params)
    farthest = known.ball + _STRETCH if walls is None else max(known.ball + _STRETCH, WALL_NEAR + params.wall_overlap)
    beyond = filter_of(params.smoothing, params.voxel).reach * params.voxel
    reach = farthest + HALF_WIDTH * params.voxel + beyond + (ROOM if weight is not None else 0.0)
    local, frame = _local(position, spacing, params.voxel, reach + 2.0 * known.crowd_radius)
    watch.poll()
    mirrored = max(known.crowd_radius, beyond + 1.0)
    ghosts = no_ghosts(len(local)) if walls is None else make_ghosts(walls, position, local, spacing, mirrored)
    watch.poll()
    particles = sort_particles(local, ghosts, known)
    blocks = find_blocks(particles.cells, surface_particles(particles, ghosts, known), reach, params.voxel, frame.shape)
    phi = _distance(particles, ghosts, blocks, frame, params, walls, watch, weight)
    nodes: tuple[np.ndarray, np.ndarray] | tuple[None, None] = (None, None)
    if params.velocity and velocity is not None:
        nodes = _velocity(particles, velocity, ghosts, blocks, phi, frame, watch)
    phi = phi.reshape(-1, EDGE, EDGE, EDGE)
    kept = (np.abs(phi) < HALF_WIDTH).any(axis=(1, 2, 3))
    origin = ((blocks.index[kept] + frame.first_block) * EDGE).astype(np.int32)
    return SurfaceVolume(size, origin, phi[kept] * np.float32(size), HALF_WIDTH * size, step, *nodes)
