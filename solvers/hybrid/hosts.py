"""Which grains of a scene may turn into a continuum, when there are several sizes or methods.

One grid fits one size of grains. So all bodies and emitters with Method *Hybrid* that share grain size, size spread and wall
friction with the one that has the most grains may turn; the grains of all others stay single, and so do those around them.
Plain Python: Blender's own process asks too.
"""

from collections.abc import Sequence
from typing import Any

from ..errors import InvalidScene
from ..materials.grains_params import GrainsParams, grain_volume
from ..mesh.triangles import volume
from ..scene import Body, Scene

_ALIKE = (("size", "Grain size"), ("size_spread", "Size spread"), ("wall_friction", "Wall friction"))
"""What the grains of one continuum have in common."""


def likeness(params: GrainsParams) -> tuple[float, ...]:
    """Members of equal likeness fit one grid."""
    return tuple(getattr(params, name) for name, _ in _ALIKE)


def turning(settings: Sequence[GrainsParams], counts: Sequence[float]) -> list[bool]:
    """Which members may turn into a continuum, from how many grains each begins with; none if none asks for it."""
    asking = [entry.mode == "hybrid" for entry in settings]
    sums: dict[tuple[float, ...], float] = {}
    for entry, count, asks in zip(settings, counts, asking, strict=True):
        if asks:
            sums[likeness(entry)] = sums.get(likeness(entry), 0.0) + count
    if not sums:
        return asking
    host = max(sums, key=lambda key: sums[key])  # of equal ones the first
    return [asks and likeness(entry) == host for entry, asks in zip(settings, asking, strict=True)]


def members_of(scene: Scene) -> tuple[list[str], list[GrainsParams], list[float]]:
    """Names and settings of the grains of a scene, and how many grains each begins with, in the order of their solver."""
    sources = [source for source in (*scene.bodies, *scene.emitters) if source.kind == "grains"]
    settings: list[Any] = [source.params if isinstance(source, Body) else source.material for source in sources]
    settings = [GrainsParams() if entry is None else entry for entry in settings]
    counts = [
        abs(volume(source.mesh.at(0), source.mesh.triangles)) / grain_volume(entry) if isinstance(source, Body) else 0.0
        for source, entry in zip(sources, settings, strict=True)
    ]
    return [source.name for source in sources], settings, counts


def kept_single(scene: Scene) -> list[tuple[str, str]]:
    """Members that ask for Method Hybrid in vain: name, and why, in words for the artist."""
    names, settings, counts = members_of(scene)
    turns = turning(settings, counts)
    if not any(turns):
        return []
    host = turns.index(True)
    found = []
    for name, entry, turn in zip(names, settings, turns, strict=True):
        if entry.mode == "hybrid" and not turn:
            label = next(label for key, label in _ALIKE if getattr(entry, key) != getattr(settings[host], key))
            text = (
                f"{label} differs from {names[host]}: all its grains stay single, only those of {names[host]} become a continuum"
            )
            found.append((name, text))
    return found


def refuse_mixture(names: Sequence[str], settings: Sequence[GrainsParams]) -> None:
    """Continuum only: all members on one grid."""
    first = settings[0]
    for name, entry in zip(names, settings, strict=True):
        if (entry.mode == "continuum") != (first.mode == "continuum"):
            raise InvalidScene(
                f"{name}: Method (mode) is {entry.mode!r}, but {names[0]} has {first.mode!r}; Continuum only does not mix with "
                "the others. Choose 'hybrid' or 'all' (All grains) for all grains of the scene."
            )
    if first.mode != "continuum":
        return
    for name, entry in zip(names, settings, strict=True):
        for key, label in _ALIKE:
            if getattr(entry, key) != getattr(first, key):
                raise InvalidScene(
                    f"{name}: {label} is {getattr(entry, key):g}, but {names[0]} has {getattr(first, key):g}; with Method "
                    "'continuum' all grains of a scene need the same. Choose 'hybrid' or 'all' (All grains) to mix them."
                )
