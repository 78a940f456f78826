"""Measures of a triangle mesh, and the checks that every mesh passes before anything is done with it."""

import numpy as np

from ..errors import InvalidScene
from ..scene import Mesh

_FLAT = 1.0e-14
"""A triangle whose area is below this part of the mesh's squared extent has no area."""


def bounds(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner [m] of the triangles, float64 (3,) each; of all frames if the mesh deforms."""
    used = mesh.vertices[..., np.unique(mesh.triangles), :].reshape(-1, 3)
    return used.min(axis=0), used.max(axis=0)


def corners_of(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Corner positions [m], float64 (m, 3 corners, 3 axes)."""
    return np.ascontiguousarray(np.asarray(vertices, dtype=np.float64)[np.asarray(triangles)])


def area_vectors(corners: np.ndarray) -> np.ndarray:
    """Normal times area [m²] of each triangle, float64 (m, 3)."""
    return 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Signed volume [m³]: the integral of the winding number of a closed mesh; negative if its normals point inwards."""
    corners = corners_of(vertices, triangles)
    if len(corners) == 0:
        return 0.0
    # About the middle of the mesh, so that neither a distant origin nor a small hole spoils the sum.
    middle = 0.5 * (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1)))
    return float(np.sum((corners[:, 0] - middle) * area_vectors(corners)) / 3.0)


def area(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Total area [m²]."""
    return float(np.linalg.norm(area_vectors(corners_of(vertices, triangles)), axis=1).sum())


def normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals, float64 (m, 3); zero for triangles without area."""
    vectors = area_vectors(corners_of(vertices, triangles))
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0.0)


def welded(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Triangles int64 (m, 3) in which vertices at exactly the same place share one index."""
    place = np.asarray(vertices, dtype=np.float64)
    order = np.lexsort(place.T)
    differs = np.any(np.diff(place[order], axis=0) != 0.0, axis=1)
    same = np.empty(len(place), dtype=np.int64)
    same[order] = np.concatenate([[0], np.cumsum(differs)])
    return same[np.asarray(triangles, dtype=np.int64)].reshape(-1, 3)


def _edges(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tail and head of the directed edge after every corner, and a number that both directions share, int64 (3 m,)."""
    start = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    tail, head = start.reshape(-1), np.roll(start, -1, axis=1).reshape(-1)
    return tail, head, np.minimum(tail, head) * (int(start.max(initial=0)) + 1) + np.maximum(tail, head)


def open_edges(triangles: np.ndarray) -> np.ndarray:
    """Directed edges that no opposite edge cancels, int64 (k, 2), repeated if several are missing; empty if closed."""
    tail, head, key = _edges(triangles)
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    net = np.bincount(group.reshape(-1), weights=np.sign(head - tail), minlength=len(first)).astype(np.int64)
    low, high = np.minimum(tail, head)[first], np.maximum(tail, head)[first]
    pairs = np.where((net > 0)[:, None], np.stack([low, high], axis=1), np.stack([high, low], axis=1))
    return np.repeat(pairs, np.abs(net), axis=0)


def is_closed(triangles: np.ndarray) -> bool:
    """Whether every edge is met by as many triangles from one side as from the other.

    Counts by index: pass `welded(vertices, triangles)` if vertices may be doubled along seams.
    """
    return len(open_edges(triangles)) == 0


def oriented(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """The same triangles, int64 (m, 3), with neighbours turned the same way wherever exactly two share an edge.

    A connected patch keeps the orientation that the larger part of its area had. A mesh whose neighbours agree
    already comes back unchanged, cavities included.
    """
    faces = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    tail, head, key = _edges(welded(vertices, faces))
    order = np.argsort(key, kind="stable")
    _, count = np.unique(key, return_counts=True)
    first = np.cumsum(count) - count
    pair = first[count == 2]
    one, two = order[pair], order[pair + 1]
    opposed = (tail[one] < head[one]) == (tail[two] < head[two])
    if not opposed.any():
        return faces
    turned = _agreed_turns(len(faces), one // 3, two // 3, opposed)
    size = np.linalg.norm(area_vectors(corners_of(vertices, faces)), axis=1)
    flip = turned[:, 1] == 1
    patches = int(turned[:, 0].max()) + 1
    balance = np.bincount(turned[:, 0], weights=np.where(flip, size, -size), minlength=patches)
    flip ^= balance[turned[:, 0]] > 0.0
    result = faces.copy()
    result[flip] = result[flip][:, ::-1]
    return result


def _agreed_turns(count: int, one: np.ndarray, two: np.ndarray, opposed: np.ndarray) -> np.ndarray:
    """Patch number and turn (0 or 1) of every triangle, int64 (count, 2), walking across the edges one–two."""
    source = np.concatenate([one, two])
    target = np.concatenate([two, one])
    differs = np.concatenate([opposed, opposed]).astype(np.int64)
    order = np.argsort(source, kind="stable")
    begin = np.searchsorted(source[order], np.arange(count + 1)).tolist()
    neighbours, flips = target[order].tolist(), differs[order].tolist()
    patch, turn = [-1] * count, [0] * count
    patches = 0
    for seed in range(count):
        if patch[seed] >= 0:
            continue
        patch[seed] = patches
        todo = [seed]
        while todo:
            here = todo.pop()
            for link in range(begin[here], begin[here + 1]):
                other = neighbours[link]
                if patch[other] < 0:
                    patch[other] = patches
                    turn[other] = turn[here] ^ flips[link]
                    todo.append(other)
        patches += 1
    return np.array([patch, turn], dtype=np.int64).T


def check_mesh(mesh: Mesh, owner: str) -> None:
    """Raise `InvalidScene` naming `owner` if the mesh is empty, not finite, badly indexed or has no area."""
    vertices, triangles = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    if vertices.ndim not in (2, 3) or vertices.shape[-1] != 3:
        raise InvalidScene(f"{owner}: vertices have the shape {vertices.shape}; give (n, 3), or (frames, n, 3) if deforming.")
    if triangles.size == 0 or vertices.size == 0:
        raise InvalidScene(f"{owner}: the mesh is empty ({triangles.size // 3} faces); give the object at least one face.")
    if triangles.ndim != 2 or triangles.shape[1] != 3 or not np.issubdtype(triangles.dtype, np.integer):
        raise InvalidScene(f"{owner}: triangles are {triangles.dtype} {triangles.shape}; give integers of the shape (m, 3).")
    _check_finite(vertices, owner)
    count = vertices.shape[-2]
    low, high = int(triangles.min()), int(triangles.max())
    if low < 0 or high >= count:
        wrong = low if low < 0 else high
        raise InvalidScene(f"{owner}: a triangle names vertex {wrong}, but the last one is {count - 1}; export the mesh again.")
    _check_area(vertices[0] if vertices.ndim == 3 else vertices, triangles, owner)


def _check_finite(vertices: np.ndarray, owner: str) -> None:
    finite = np.isfinite(vertices).all(axis=-1)
    if finite.all():
        return
    place = np.argwhere(~finite)[0]
    where = f"vertex {place[-1]}" + (f" in row {place[0]} of its frames" if vertices.ndim == 3 else "")
    value = ", ".join(f"{part:g}" for part in vertices[tuple(place)])
    raise InvalidScene(
        f"{owner}: {where} is at ({value}), {int((~finite).sum())} in all are not finite; "
        "look for a division by zero in its modifiers, drivers or transform."
    )


def _check_area(vertices: np.ndarray, triangles: np.ndarray, owner: str) -> None:
    corners = corners_of(vertices, triangles)
    extent = corners.max(axis=(0, 1)) - corners.min(axis=(0, 1))
    size = float(extent.max())
    if size == 0.0:
        raise InvalidScene(f"{owner}: all vertices lie at one point (size 0 m); is the object's scale zero? Set it to 1.")
    largest = float(np.linalg.norm(area_vectors(corners / size), axis=1).max())
    if largest <= _FLAT:
        raise InvalidScene(
            f"{owner}: no triangle has an area (size {extent[0]:g} × {extent[1]:g} × {extent[2]:g} m); "
            "is the scale zero along two axes? Set it to 1."
        )
