"""What was asked for against what a bake holds: volumes, slopes, contact angles, measured on the baked files alone.

No compiled code: Blender's own process draws the report.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import job
from ..groups import outputs_of, sources_of
from ..materials.registry import MATERIALS
from ..mesh.triangles import is_closed, volume
from ..scene import Body, Emitter, Scene
from . import manifest, pc2
from .modules import openvdb_version
from .points import read_points

_LITRE = 1000.0
_STILL = 0.02
"""Mean speed [m/s] above which a pile or a drop is told to be moving."""
_FEWEST = 60
"""Particles below which a drop is too coarse to be measured."""
_SURFACE = "surface"


class Measure(NamedTuple):
    """One line: a quantity, the value asked for and the one found."""

    owner: str
    what: str
    unit: str
    wanted: float
    found: float
    note: str = ""


class _Baked(NamedTuple):
    """A bake as it is read here."""

    folder: Path
    scene: Scene
    first: dict[str, Any]
    last: dict[str, Any]
    """Manifest lines of the first and the last frame."""

    def points(self, entry: dict[str, Any], output: str) -> dict[str, np.ndarray]:
        record = next(item for item in entry["files"] if item["role"] == "points" and item["output"] == output)
        return read_points(self.folder / record["path"])

    @property
    def down(self) -> np.ndarray:
        """Unit vector of gravity, or zero."""
        gravity = np.asarray(self.scene.world.gravity, dtype=np.float64)
        return gravity / (np.linalg.norm(gravity) or 1.0)


def measured(folder: Path) -> list[Measure]:
    """Every quantity that this bake lets one compare, in the order of its outputs."""
    found = manifest.read(folder)
    numbers = sorted(found.frames)
    if not numbers:
        return []
    baked = _Baked(folder, job.read(folder), found.frames[numbers[0]], found.frames[numbers[-1]])
    result: list[Measure] = []
    for output in found.header["outputs"]:
        result += _of_output(baked, output["name"], output["kind"])
    return result


def _of_output(baked: _Baked, output: str, kind: str) -> Iterator[Measure]:
    outputs = outputs_of(sources_of(baked.scene))
    sources = [source for source in sources_of(baked.scene) if outputs[source.name] == output]
    bodies = [source for source in sources if isinstance(source, Body)]
    emitters = [source for source in sources if isinstance(source, Emitter)]
    params = bodies[0].params if bodies else emitters[0].material
    cell = MATERIALS[kind].spacing(params, baked.scene.world.spacing) ** 3
    first, last = baked.points(baked.first, output), baked.points(baked.last, output)
    filled, now = len(first["position"]) * cell, len(last["position"]) * cell
    closed = bodies and all(is_closed(body.mesh.triangles) for body in bodies)
    if closed and kind != "solid" and filled:
        room = sum(abs(volume(body.mesh.at(0), body.mesh.triangles)) for body in bodies)
        yield Measure(output, "Volume filled", "l", _LITRE * room, _LITRE * filled, "less where colliders or other bodies are")
    yield from _poured(baked, output, emitters, (now - filled) + baked.last.get("dropped", 0) * cell)
    if kind in ("water", "drops", "foam") and len(last["position"]):
        enclosed = _surface_volume(baked, output)
        if enclosed is not None:
            yield Measure(output, "Volume inside the surface", "l", _LITRE * now, _LITRE * enclosed)
    moving = len(last["velocity"]) > 0 and float(np.linalg.norm(last["velocity"], axis=1).mean()) > _STILL
    note = "still moving in the last frame" if moving else ""
    if kind == "grains":
        slope = slope_of_pile(last["position"], last["radius"], baked.down)
        if slope is not None:
            yield Measure(output, "Slope of the pile", "°", float(params.friction_angle), slope, note)
    if kind == "drops":
        yield from _contact_angles(baked, output, last["position"], params, note)
    if kind == "solid":
        yield from _kept_volumes(baked, bodies)


def _poured(baked: _Baked, output: str, emitters: list[Emitter], found: float) -> Iterator[Measure]:
    """The volume of emitters with a flow rate; others pour what their cross-section lets through."""
    known = [emitter for emitter in emitters if emitter.params.rate > 0.0 and not {"rate", "enabled"} & set(emitter.animated)]
    if not emitters or len(known) < len(emitters):
        return
    end = baked.scene.time_of(baked.last["frame"])
    wanted = sum(
        emitter.params.rate * max(0.0, min(emitter.params.end, end) - emitter.params.start) for emitter in known
    )
    blocked = baked.last.get("blocked", 0)
    yield Measure(
        output, "Volume poured", "l", _LITRE * wanted, _LITRE * found, f"{blocked:,} particles found no room" if blocked else ""
    )


def _surface_volume(baked: _Baked, output: str) -> float | None:
    """Volume [m³] inside the level set of the last frame; None where there is none or it cannot be read."""
    records = [item for item in baked.last["files"] if item["role"] == "surface" and item["output"] == output]
    if not records or not openvdb_version():
        return None
    import openvdb

    grid = openvdb.read(str(baked.folder / records[0]["path"]), _SURFACE)
    low, high = grid.evalActiveVoxelBoundingBox()
    if any(end < begin for begin, end in zip(low, high, strict=True)):
        return None
    size, total = float(grid.transform.voxelSize()[0]), 0.0
    for i in range(low[0], high[0] + 1):
        layer = np.empty((1, high[1] - low[1] + 1, high[2] - low[2] + 1), dtype=np.float32)
        grid.copyToArray(layer, ijk=(i, low[1], low[2]))
        # A voxel that the surface cuts counts as far as it lies inside.
        total += float(np.clip(0.5 - layer.astype(np.float64) / size, 0.0, 1.0).sum())
    return total * size**3


def slope_of_pile(position: np.ndarray, radius: np.ndarray, down: np.ndarray) -> float | None:
    """Slope [°] of the flanks of a heap of grains, positions (n, 3) and radii (n,) [m]; None if it is no heap or too small.

    The heights of the topmost grains on a grid of two diameters, smoothed over three cells; the median of their gradient
    between a fifth and four fifths of the heap's height.
    """
    if len(position) < 200 or abs(down[2]) < 0.999:
        return None
    cell = 4.0 * float(np.median(radius))
    low = position[:, :2].min(axis=0) - 2.0 * cell
    index = ((position[:, :2] - low) / cell).astype(np.int64)
    shape = index.max(axis=0) + 3
    height = np.full(tuple(shape), -np.inf)
    np.maximum.at(height, (index[:, 0], index[:, 1]), -down[2] * position[:, 2] + radius)
    covered = np.isfinite(height)
    bottom = float((-down[2] * position[:, 2] - radius).min())
    tall = float(height[covered].max()) - bottom
    if tall < 3.0 * cell:
        return None
    height = np.where(covered, height, bottom)
    smooth, whole = np.zeros_like(height), np.ones_like(covered)
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            smooth += np.roll(height, (i, j), (0, 1)) / 9.0
            whole &= np.roll(covered, (i, j), (0, 1))
    rise = [(np.roll(smooth, -1, axis) - np.roll(smooth, 1, axis)) / (2.0 * cell) for axis in (0, 1)]
    flank = whole & (smooth > bottom + 0.2 * tall) & (smooth < bottom + 0.8 * tall)
    for axis in (0, 1):
        flank &= np.roll(whole, 1, axis) & np.roll(whole, -1, axis)
    if flank.sum() < 12:
        return None
    return float(np.degrees(np.arctan(np.median(np.hypot(rise[0][flank], rise[1][flank])))))


def separate(position: np.ndarray, reach: float) -> np.ndarray:
    """Number of the drop that each particle (n, 3) belongs to, int64 (n,): cells of edge `reach` that touch are one drop."""
    if len(position) == 0:
        return np.zeros(0, dtype=np.int64)
    index = np.floor((position - position.min(axis=0)) / reach).astype(np.int64)
    cells, cell_of = np.unique(index, axis=0, return_inverse=True)
    cell_of = cell_of.ravel()
    number = {tuple(cell): place for place, cell in enumerate(cells.tolist())}
    drop = np.full(len(cells), -1, dtype=np.int64)
    count = 0
    for seed in range(len(cells)):
        if drop[seed] >= 0:
            continue
        drop[seed], stack = count, [seed]
        while stack:
            i, j, k = cells[stack.pop()].tolist()
            for a in (i - 1, i, i + 1):
                for b in (j - 1, j, j + 1):
                    for c in (k - 1, k, k + 1):
                        other = number.get((a, b, c), -1)
                        if other >= 0 and drop[other] < 0:
                            drop[other] = count
                            stack.append(other)
        count += 1
    return drop[cell_of]


def cap_angle(middle: float, spread: float) -> float:
    """Angle [°] of the spherical cap whose centre of mass lies `middle` above its base while ⟨x² + y²⟩ = spread² [m]."""
    angle = np.radians(np.linspace(2.0, 178.0, 353))
    part = np.linspace(0.0, 1.0, 401)[None]
    height = part * (1.0 - np.cos(angle))[:, None]
    area = np.maximum(1.0 - (np.cos(angle)[:, None] + height) ** 2, 0.0)  # of the unit sphere cut at z = cos θ, over π
    mean = (area * height).sum(axis=1) / area.sum(axis=1)
    wide = np.sqrt(0.5 * (area * area).sum(axis=1) / area.sum(axis=1))
    return float(np.degrees(np.interp(middle / spread, mean / wide, angle)))


def _contact_angles(baked: _Baked, output: str, position: np.ndarray, params: Any, note: str) -> Iterator[Measure]:
    """The mean angle of drops that lie on level ground and are small enough to be caps of spheres."""
    colliders = baked.scene.colliders
    wanted = {float(collider.params.contact_angle) for collider in colliders}
    painted = any(getattr(collider, "weights", {}).get("contact_angle") is not None for collider in colliders)
    if len(wanted) != 1 or painted or abs(baked.down[2]) < 0.999:
        return
    spacing = baked.scene.world.spacing
    spring = (params.surface_tension / (params.density * float(np.linalg.norm(baked.scene.world.gravity)))) ** 0.5
    found = []
    for drop in np.split(np.argsort(numbers := separate(position, 1.5 * spacing)), np.cumsum(np.bincount(numbers))[:-1]):
        cap = position[drop].astype(np.float64)
        ball = (3.0 / (4.0 * np.pi) * len(cap)) ** (1.0 / 3.0) * spacing
        base = float(cap[:, 2].min()) - 0.5 * spacing
        on_ground = any(abs(float(collider.mesh.at(0)[:, 2].max()) - base) < spacing for collider in colliders)
        if len(cap) >= _FEWEST and ball < 0.6 * spring and on_ground:
            across = cap[:, :2] - cap[:, :2].mean(axis=0)
            found.append(cap_angle(float(cap[:, 2].mean()) - base, float(np.sqrt((across**2).sum(axis=1).mean()))))
    if found:
        words = [f"{len(found)} drops" if len(found) > 1 else "", note]
        yield Measure(output, "Contact angle", "°", wanted.pop(), float(np.mean(found)), ", ".join(filter(None, words)))


def _kept_volumes(baked: _Baked, bodies: list[Body]) -> Iterator[Measure]:
    """The volume inside a solid's own mesh: what it keeps."""
    for body in bodies:
        records = [item for item in baked.last["files"] if item["role"] == "mesh" and item["output"] == body.name]
        if records and is_closed(body.mesh.triangles):
            now = volume(pc2.read(baked.folder / records[0]["path"])[0].astype(np.float64), body.mesh.triangles)
            yield Measure(body.name, "Volume kept", "l", _LITRE * volume(body.mesh.at(0), body.mesh.triangles), _LITRE * now)
