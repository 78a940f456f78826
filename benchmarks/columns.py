"""Collapsing columns of grains: scenes, how long they run, and where the heap ends."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from solvers import Body, Collider, GrainsParams, Mesh, Scene, WorldParams
from solvers.jit import set_threads
from solvers.materials.grains_params import PRESETS
from solvers.scene import ColliderParams
from solvers.world import World

Job, Answer = TypeVar("Job"), TypeVar("Answer")
SIZE = 0.005
GRAVITY = 9.81
PLANE = 1.25
"""Thickness of a slab of a single layer, in grains: the plane collapse of the paper, which is two-dimensional."""
FILL = {True: 1.17, False: 1.10}
"""How much higher a body is filled than the column is to stand, single layers first: grains settle behind the gate."""
SETTLE = 6
"""Looks at the heap while the gate is shut."""
ROLLING = 0.2
"""Rolling resistance of a single layer, whose grains interlock less than those of a packing: chosen at A = 1."""
FALL = 8.0
"""Impacts that contacts are made stiff for are those of a fall from this part of the column: its grains fall together and never
hit each other at the speed of a single grain that falls from the top. Run-outs differ no more than two runs do, steps are three
times as long."""
PER_TIME = 4
"""Looks at the heap in a time of sqrt(height / g)."""
LEAST, MOST = 3.25, 8.0
"""Times of sqrt(height / g) that are run at least (the experiments end at 3.3) and at most; of the width where that is more."""
MOST_FRAMES = 2 + SETTLE + round(MOST * PER_TIME)
TOUCHING = 0.02
"""Gap of grains that count as connected, in mean diameters."""


def two_at_a_time(work: Callable[[Job], Answer], jobs: Sequence[Job]) -> Iterator[Answer]:
    """What `work` makes of each job, in processes with one thread each: small scenes gain more from that than from threads."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"), initializer=set_threads, initargs=(1,)) as pool:
        yield from pool.map(work, jobs)


class Heap(NamedTuple):
    """A collapsed column."""

    position: np.ndarray
    """[m], float64 (n, 3)."""
    radius: np.ndarray
    """[m], float64 (n,)."""
    width: float
    """Of the column at first (its radius in 3-D) [m]."""
    height: float
    """Of the settled column when the gate is taken away [m]."""
    time: float
    """How long it was run from then on, in sqrt(height / g)."""
    moving: float
    """Part of the grains that still are faster than a twentieth of sqrt(g d): they roll on alone ahead of the heap."""

    @property
    def aspect(self) -> float:
        return self.height / self.width


def sand(mode: str) -> GrainsParams:
    """Dry sand as an artist gets it."""
    entry = PRESETS["dry_sand"].params
    assert isinstance(entry, GrainsParams)
    return GrainsParams(**{**vars(entry), "mode": mode, "size": SIZE})


def _rate(height: float, width: float) -> float:
    return PER_TIME * float(np.sqrt(GRAVITY / max(height, width)))


def _sheet(corner: tuple[float, float, float], one: tuple[float, float, float], two: tuple[float, float, float]) -> Mesh:
    return Mesh.rectangle(corner, one, two)


def _gate(mesh: Mesh) -> Collider:
    """A smooth wall that is there for `SETTLE` looks, then gone."""
    shut = np.zeros(MOST_FRAMES)
    shut[:SETTLE] = 1.0
    return Collider("Gate", mesh, ColliderParams(friction=0.0), animated={"enabled": shut})


def slab(aspect: float, across: int, deep: float = PLANE, mode: str = "all", params: GrainsParams | None = None) -> Scene:
    """A column between a smooth wall and a gate and between smooth sides, `across` grains wide and `deep` thick.

    Dry sand (a single layer with `ROLLING`), or grains of `SIZE` with other settings.
    """
    params = params or (replace(sand(mode), rolling=ROLLING) if deep < 2.0 else sand(mode))
    width, depth = across * SIZE, deep * SIZE
    height, length = aspect * width, width * (4.0 + 4.0 * aspect)
    filled = FILL[deep < 2.0] * height
    rough, smooth = ColliderParams(friction=1.0), ColliderParams(friction=0.0)
    up, along = (0.0, 0.0, 1.2 * filled + 2.0 * width), (length, 0.0, 0.0)
    begin, low = -0.1 * length, -0.2 * width
    sides = [_sheet((begin, y, low), along, up) for y in (0.0, depth)]
    colliders = (
        Collider("Floor", _sheet((begin, -depth, 0.0), along, (0.0, 3.0 * depth, 0.0)), rough),
        Collider("Back", _sheet((0.0, -depth, low), (0.0, 3.0 * depth, 0.0), up), smooth),
        *(Collider(f"Side {k}", mesh, smooth) for k, mesh in enumerate(sides)),
        _gate(_sheet((width, 2.0 * depth, low), (0.0, -3.0 * depth, 0.0), up)),
    )
    body = Body("Column", "grains", Mesh.box((0.0, 0.0, 0.0), (width, depth, filled)), params)
    return Scene("Slab", (body,), colliders, world=WorldParams(frames_per_second=_rate(height, width), frame_end=MOST_FRAMES))


def _quarter(radius: float, height: float, sides: int = 24) -> Mesh:
    """A quarter of a cylinder with its axis at the origin."""
    angle = np.linspace(0.0, 0.5 * np.pi, sides + 1)
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.0 * angle], axis=1)
    outline = np.concatenate([np.zeros((1, 3)), ring])
    count = len(outline)
    fan = np.array([(0, k, k + 1) for k in range(1, count - 1)])
    wall = [(k, (k + 1) % count, (k + 1) % count + count) for k in range(count)]
    wall += [(k, (k + 1) % count + count, k + count) for k in range(count)]
    triangles = np.concatenate([fan[:, ::-1], fan + count, np.array(wall)])
    return Mesh(np.concatenate([outline, outline + [0.0, 0.0, height]]), triangles.astype(np.int32))


def _pipe(radius: float, height: float, low: float, sides: int = 48) -> Mesh:
    """The curved side of a quarter of a cylinder, a little beyond the quarter, as a sheet."""
    angle = np.linspace(-0.2, 0.5 * np.pi + 0.2, sides + 1)
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(len(angle), low)], axis=1)
    lower = np.arange(sides)
    upper = lower + sides + 1
    triangles = np.concatenate([np.stack([lower, lower + 1, upper + 1], 1), np.stack([lower, upper + 1, upper], 1)])
    return Mesh(np.concatenate([ring, ring + [0.0, 0.0, height - low]]), triangles.astype(np.int32))


def quarter_cylinder(aspect: float, across: int, mode: str = "all") -> Scene:
    """A quarter of a round column, its radius `across` grains, in the corner of two smooth walls: the collapse in 3-D."""
    radius = across * SIZE
    height, length = aspect * radius, radius * (4.0 + 3.0 * aspect)
    filled = FILL[False] * height
    rough, smooth = ColliderParams(friction=1.0), ColliderParams(friction=0.0)
    begin, low = -0.1 * length, -0.2 * radius
    top = 1.2 * filled + 2.0 * radius
    up = (0.0, 0.0, top)
    colliders = (
        Collider("Floor", _sheet((begin, begin, 0.0), (length, 0.0, 0.0), (0.0, length, 0.0)), rough),
        Collider("Left", _sheet((0.0, begin, low), (0.0, length, 0.0), up), smooth),
        Collider("Right", _sheet((begin, 0.0, low), (length, 0.0, 0.0), up), smooth),
        _gate(_pipe(radius, top, low)),
    )
    body = Body("Column", "grains", _quarter(radius, filled), sand(mode))
    world = WorldParams(frames_per_second=_rate(height, radius), frame_end=MOST_FRAMES)
    return Scene("Quarter", (body,), colliders, world=world)


def collapsed(scene: Scene, radial: bool = False) -> Heap:
    """Let the column settle, take the gate away, and run until most grains are at rest and the heap's end has stayed where it
    is for a time of sqrt(height / g).

    Grains that roll on alone do not keep the run going, nor does what a continuum still trembles: the heap is what counts.
    """
    slow = 0.05 * float(np.sqrt(GRAVITY * SIZE))
    world = World(scene)
    corners = scene.bodies[0].mesh.at(0)
    width, height = float(corners[:, 0].max()), float(corners[:, 2].max())
    solver: Any = world._solvers["grains"]
    if hasattr(solver, "engine"):  # single grains; a continuum has to carry the column's weight
        solver.engine = solver._engine(height / FALL, 0.0)
    world.start()
    for frame in range(2, 2 + SETTLE):
        world.advance(frame)
    height = _top(world.points("Grains")["position"].astype(np.float64), width, radial)
    ends: list[float] = []
    moving = np.ones(1, bool)
    for count in range(1, 1 + round(MOST * PER_TIME)):
        world.advance(1 + SETTLE + count)
        points = world.points("Grains")
        place, radius = points["position"].astype(np.float64), points["radius"].astype(np.float64)
        time = count / PER_TIME
        if time >= LEAST - 1.0:
            ends.append(end_of_layer(place, scene, radial))
        moving = np.linalg.norm(points["velocity"], axis=1) > slow
        if time >= LEAST and np.ptp(ends[-PER_TIME - 1 :]) < SIZE and moving.mean() < 0.5:
            break
    return Heap(place, radius, width, height, time, float(moving.mean()))


def _top(position: np.ndarray, width: float, radial: bool) -> float:
    """Mean height [m] of a column's surface: the top of the highest grain of every strip (square, in 3-D) two grains wide."""
    strip = np.floor(position[:, :2] / (2.0 * SIZE)).astype(np.int64) if radial else np.zeros((len(position), 2), np.int64)
    strip[:, 0] = np.floor(position[:, 0] / (2.0 * SIZE))
    tops: dict[tuple[int, int], float] = {}
    for (i, j), z in zip(strip.tolist(), position[:, 2].tolist(), strict=True):
        tops[i, j] = max(tops.get((i, j), 0.0), z)
    most = max(tops.values())
    # strips that the curved side only just touches hold no grain near the top
    return float(np.mean([top for top in tops.values() if top > 0.5 * most])) + 0.5 * SIZE


def end_of_layer(position: np.ndarray, scene: Scene, radial: bool = False) -> float:
    """Where less than half a layer covers the floor [m]: the end of the heap without looking at contacts."""
    depth = float(scene.bodies[0].mesh.at(0)[:, 1].max())
    along = np.sort(np.hypot(position[:, 0], position[:, 1]) if radial else position[:, 0])
    window = 2.0 * SIZE
    starts = np.arange(0.0, along[-1], 0.25 * SIZE)
    counts = np.searchsorted(along, starts + window) - np.searchsorted(along, starts)
    breadth = 0.5 * np.pi * (starts + 0.5 * window) if radial else depth
    bare = np.flatnonzero(counts < 0.5 * window * breadth / SIZE**2)
    return float(starts[bare[0]] + 0.5 * window if len(bare) else along[-1])


def touching(position: np.ndarray, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of grains with a gap below `TOUCHING`, two int arrays (m,)."""
    slack = TOUCHING * 2.0 * float(radius.mean())
    cell = np.floor((position - position.min(axis=0)) / (2.0 * radius.max() + slack)).astype(np.int64) + 1
    counts = cell.max(axis=0) + 2
    number = (cell[:, 0] * counts[1] + cell[:, 1]) * counts[2] + cell[:, 2]
    order = np.argsort(number, kind="stable")
    ordered = number[order]
    first, second = [], []
    for shift in ((a * counts[1] + b) * counts[2] + c for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)):
        low, high = (np.searchsorted(ordered, number + shift, side=side) for side in ("left", "right"))
        for step in range(int((high - low).max())):
            here = np.flatnonzero(low + step < high)
            there = order[low[here] + step]
            here, there = here[there > here], there[there > here]
            apart = np.linalg.norm(position[here] - position[there], axis=1)
            near = apart < radius[here] + radius[there] + slack
            first.append(here[near])
            second.append(there[near])
    return np.concatenate(first), np.concatenate(second)


def connected(position: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Which grains hang together with the heap by contacts, bool (n,): the largest connected part, by pointer jumping."""
    first, second = touching(position, radius)
    label = np.arange(len(position))
    while True:
        least = np.minimum(label[first], label[second])
        new = label.copy()
        np.minimum.at(new, first, least)
        np.minimum.at(new, second, least)
        new = new[new]
        if np.array_equal(new, label):
            return label == np.bincount(label).argmax()
        label = new


def run_out(heap: Heap, radial: bool = False, sectors: int = 6) -> float:
    """(d_f − d)/d with d_f where the farthest grain lies that is connected with the heap, as the paper measures it.

    In 3-D the mean over some sectors.
    """
    place = heap.position[connected(heap.position, heap.radius)]
    if not radial:
        return float(place[:, 0].max() / heap.width - 1.0)
    sector = np.minimum((np.arctan2(place[:, 1], place[:, 0]) / (0.5 * np.pi) * sectors).astype(int), sectors - 1)
    reach = np.hypot(place[:, 0], place[:, 1])
    ends = [reach[sector == k].max() for k in range(sectors) if (sector == k).any()]
    return float(np.mean(ends) / heap.width - 1.0)


def profile(position: np.ndarray, edges: np.ndarray, least: int = 5) -> np.ndarray:
    """Height [m] below which 95 % of the grains between two edges [m] lie, plus half a grain; 0 where there are not `least`."""
    bins = np.digitize(position[:, 0], edges) - 1
    parts = [position[bins == k, 2] for k in range(len(edges) - 1)]
    return np.array([np.quantile(part, 0.95) + 0.5 * SIZE if len(part) >= least else 0.0 for part in parts])
