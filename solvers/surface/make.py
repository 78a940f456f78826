"""From particles to a surface."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidScene
from ..scene import SurfaceParams
from ..watch import Watch
from .blobs import EXTENT_X, EXTENT_Z, X, Z, make_blobs
from .blocks import EDGE, MARGIN, Blocks, find_blocks
from .calibrate import Calibration, Setting, calibrate
from .cells import Cells, padded, sort_into_cells
from .distance import HALF_WIDTH, signed_distance
from .field import FILTERS, Cuts, density_volume, gaussian_filter
from .ghosts import Ghosts, make_ghosts, no_ghosts
from .shape import crowding, smoothing_shift, spread
from .velocity import node_velocity
from .volume import SurfaceVolume

_WALL_NEAR = 0.9
"""A particle this close to a wall [spacings] makes the surface touch it."""
_CUT_BEHIND = 1.0
"""Voxels, beside those of the filter, between the depth at which the surface ends in a wall and that at which particles end."""
_SHIFT_MOST = 0.4
"""Farthest that smoothing moves a particle [spacings]."""


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
    local = ((position - (first * edge)) / spacing).astype(np.float32)
    return local, _Frame(voxel, voxel * spacing, first, shape)


def _mirrored(ghosts: Ghosts, place: np.ndarray, cells: Cells, vectors: np.ndarray) -> None:
    """Fills the images' columns of `vectors`, (3, n), from their particles. `place`: sorted place of each unsorted particle."""
    if len(ghosts.parent):
        real = len(place) - len(ghosts.parent)
        vectors[:, place[real:]] = np.einsum("gij,jg->ig", ghosts.turn, vectors[:, place[ghosts.parent]])


def _mirrored_axes(ghosts: Ghosts, place: np.ndarray, axes: np.ndarray) -> None:
    """The same for symmetric matrices: A → H A Hᵀ."""
    if len(ghosts.parent):
        full = axes[place[ghosts.parent]][:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)
        turned = np.einsum("gij,gjk,glk->gil", ghosts.turn, full, ghosts.turn)
        axes[place[len(place) - len(ghosts.parent) :]] = turned.reshape(-1, 9)[:, [0, 4, 8, 1, 2, 5]]


class _Particles(NamedTuple):
    """Particles and images in cell order."""

    cells: Cells
    parent: np.ndarray
    """−1 for a particle, else the unsorted index of the one it mirrors, int64 (n,)."""
    place: np.ndarray
    """Sorted place of each unsorted particle or image, int64 (n,)."""
    density: np.ndarray


def _sorted(local: np.ndarray, ghosts: Ghosts, radius: float) -> _Particles:
    everything = np.concatenate([local, ghosts.position]) if len(ghosts.position) else local
    cells = sort_into_cells(everything, radius)
    place = np.empty(len(everything), np.int64)
    place[cells.order] = np.arange(len(everything))
    parent = np.concatenate([np.full(len(local), -1, np.int64), ghosts.parent])[cells.order]
    density = crowding(cells, parent, radius)
    density[place[len(local) :]] = density[place[ghosts.parent]]
    return _Particles(cells, parent, place, density)


def _blobs(particles: _Particles, ghosts: Ghosts, known: Calibration, anisotropic: bool) -> np.ndarray:
    cells, parent, place, density = particles
    axes = np.zeros((len(density), 6), np.float32)
    axes[:, :3] = known.radius**2
    shift = np.zeros((3, len(density)), np.float32)
    if anisotropic:
        about = spread(cells, parent, density, known)
        about.deficit[place[len(place) - len(ghosts.parent) :]] = about.deficit[place[ghosts.parent]]
        _mirrored(ghosts, place, cells, about.pull)
        axes = about.axes
        _mirrored_axes(ghosts, place, axes)
        shift = smoothing_shift(cells, parent, about, known)
        _mirrored(ghosts, place, cells, shift)
    return make_blobs(cells, density, axes, shift, known.radius, known.weights)


def _marked(particles: _Particles, ghosts: Ghosts, known: Calibration) -> np.ndarray:
    """Particles that the surface is close to, bool (n,), in cell order."""
    marked = (particles.density < np.float32(known.shallow_density)) & (particles.parent < 0)
    real = len(ghosts.wall_distance)
    marked[particles.place[:real]] |= ghosts.wall_distance < _WALL_NEAR
    return marked


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


def _empty(size: float, with_velocity: bool, step: int) -> SurfaceVolume:
    nodes = EDGE // step
    origin = np.zeros((0, 3), np.int32)
    phi = np.zeros((0, EDGE, EDGE, EDGE), np.float32)
    if not with_velocity:
        return SurfaceVolume(size, origin, phi, HALF_WIDTH * size)
    return SurfaceVolume(size, origin, phi, HALF_WIDTH * size, step, origin, np.zeros((0, nodes, nodes, nodes, 3), np.float32))


def _velocity(
    particles: _Particles, velocity: np.ndarray, ghosts: Ghosts, blocks: Blocks, phi: np.ndarray, frame: _Frame, step: int
) -> tuple[np.ndarray, np.ndarray]:
    """Origins, int32 (c, 3), and node velocities, float32 (c, n, n, n, 3), of the blocks that have any."""
    cells = particles.cells
    source = np.concatenate([np.arange(len(velocity)), ghosts.parent])[cells.order]
    speed = np.stack([padded(velocity[source, axis], 0.0) for axis in range(3)])
    radius = np.float32(max(float(cells.size), 0.7 + 1.75 * step * frame.voxel))
    nodes = EDGE // step
    value = np.zeros((len(blocks.key), nodes**3, 3), np.float32)
    used = np.zeros((len(blocks.key), nodes**3), bool)
    node_velocity(cells, speed, blocks, phi, np.float32(frame.voxel), step, radius, value, used)
    kept = used.any(axis=1)
    origin = ((blocks.index[kept] + frame.first_block) * nodes).astype(np.int32)
    return origin, value[kept].reshape(-1, nodes, nodes, nodes, 3)


def make_surface(
    points: Mapping[str, np.ndarray], spacing: float, params: SurfaceParams, walls: Any, watch: Watch
) -> SurfaceVolume:
    """The surface of particles: `points` with position [m] and velocity [m/s], float32 (n, 3); `walls` may be None.

    The density volume φ = Σ w (1−q)² − 1 of droplets (3.14), filtered, as a narrow-band signed distance.
    """
    position, velocity = _checked(points)
    with_velocity = params.velocity and velocity is not None
    size = params.voxel * spacing
    step = 2 if params.voxel <= 0.505 else 1
    if len(position) == 0:
        return _empty(size, with_velocity, step)
    known = calibrate(Setting(params.radius, params.voxel, params.smoothing, params.anisotropic))
    halo = len(FILTERS[params.smoothing]) // 2
    reach = known.ball + 0.25 + (HALF_WIDTH + halo) * params.voxel
    if walls is not None:
        reach = max(reach, _WALL_NEAR + params.wall_overlap + (HALF_WIDTH + halo) * params.voxel)
    local, frame = _local(position, spacing, params.voxel, reach + 2.0 * known.crowd_radius)
    ghosts = no_ghosts(len(local)) if walls is None else make_ghosts(walls, position, local, spacing, known.crowd_radius)
    watch.poll()
    particles = _sorted(local, ghosts, known.crowd_radius)
    watch.poll()
    blob = _blobs(particles, ghosts, known, params.anisotropic)
    watch.poll()
    blocks = find_blocks(particles.cells, _marked(particles, ghosts, known), reach, params.voxel, frame.shape)
    if len(blocks.key) == 0:
        return _empty(size, with_velocity, step)
    cut = np.concatenate([ghosts.cut, ghosts.cut[ghosts.parent]])[particles.cells.order]
    depth = np.float32(params.wall_overlap + (_CUT_BEHIND + halo) * params.voxel)
    cuts = Cuts(cut, ghosts.plane, ghosts.count, ghosts.shape, depth)
    blob_reach = np.float32(blob[:, EXTENT_X : EXTENT_Z + 1].max() + _largest_shift(particles.cells, blob))
    volume = np.zeros(len(blocks.key) * EDGE**3, np.float32)
    behind = np.zeros((2, volume.size if walls is not None else 1), np.float32)
    density_volume(particles.cells, blob, cuts, blocks, np.float32(params.voxel), blob_reach, volume, behind)
    watch.poll()
    phi = np.empty_like(volume)
    if halo:
        gaussian_filter(volume, blocks.beside, np.array(FILTERS[params.smoothing], np.float32), phi)
        volume, phi = phi, volume
        watch.poll()
    signed_distance(volume, blocks.beside, phi)
    watch.poll()
    if walls is not None:
        _clip(phi, behind, blocks, frame, walls, spacing * params.wall_overlap)
        watch.poll()
    nodes = (None, None)
    if with_velocity and velocity is not None:
        nodes = _velocity(particles, velocity, ghosts, blocks, phi, frame, step)
    kept = (np.abs(phi.reshape(len(blocks.key), -1)) < HALF_WIDTH).any(axis=1)
    origin = ((blocks.index[kept] + frame.first_block) * EDGE).astype(np.int32)
    values = (phi.reshape(-1, EDGE, EDGE, EDGE)[kept]) * np.float32(size)
    return SurfaceVolume(size, origin, values, HALF_WIDTH * size, step, *nodes)


def _largest_shift(cells: Cells, blob: np.ndarray) -> float:
    """Farthest that smoothing moved a particle along an axis [spacings]."""
    axes = (cells.x, cells.y, cells.z)
    return max(float(np.abs(blob[:, X + axis] - axes[axis][: len(blob)]).max()) for axis in range(Z + 1))
