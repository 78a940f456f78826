"""Refuses free bodies that begin deep inside other colliders, where no wall is near enough to push them out."""

from collections.abc import Sequence

import numpy as np

from ..errors import InvalidScene
from ..mesh import is_closed, volume, welded, winding_number
from ..scene import Collider
from ..walls import Walls
from .contacts import ContactFinder, only


def refuse_deep_overlap(colliders: Sequence[Collider], finder: ContactFinder, walls: Walls) -> None:
    """Raise `InvalidScene` if a point of a free collider is deeper in a closed one than its walls can be felt, or the reverse."""
    for first, second in [(a, b) for a in range(len(colliders)) for b in range(len(colliders)) if a != b]:
        one, other = colliders[first], colliders[second]
        if not (finder.free[first] or finder.free[second]) or walls.is_deforming(first) or walls.is_deforming(second):
            continue
        place = walls.placed(first, finder.points[first].place)
        vertices, triangles = walls.placed(second, finder.rest[second]), other.mesh.triangles
        close = np.all((place > vertices.min(axis=0)) & (place < vertices.max(axis=0)), axis=1)
        if not close.any() or not is_closed(welded(vertices, triangles)) or volume(vertices, triangles) < 0.0:
            continue
        within = place[close][winding_number(vertices, triangles, place[close]) > 0.5]
        with only(walls, np.arange(len(colliders)) == second):
            deep = within[walls.signed_distance(within.astype(np.float32), walls.reach) >= walls.reach * (1.0 - 1.0e-6)]
        if len(deep):
            free, wall = (one, other) if finder.free[first] else (other, one)
            raise InvalidScene(
                f"Collider {free.name}: it is Free and begins deep inside {wall.name} (more than {walls.reach:.3g} m at "
                f"{deep[0, 0]:.3g}, {deep[0, 1]:.3g}, {deep[0, 2]:.3g}). Move them apart."
            )
