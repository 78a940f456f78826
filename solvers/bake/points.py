"""Point caches: what is rendered of the particles of one output at one frame.

`points` is always a dict with position f32 (n, 3) [m], velocity f32 (n, 3) [m/s], id i32 (n,), radius f32 (n,) [m], and
further attributes as f32 (n,), f32 (n, 3), f32 (n, 4) or i32 (n,). Four numbers are a quaternion, w first.
USD and PLY hold the same numbers to the last bit.
"""

from pathlib import Path

import numpy as np

from ..errors import BakeFolderError
from . import ply

REQUIRED = ("position", "velocity", "id", "radius")


def checked_points(points: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Contiguous float32/int32 arrays of one length; required ones first, the rest by name."""
    count = len(points["position"])
    ordered = [*REQUIRED, *sorted(set(points) - set(REQUIRED))]
    result: dict[str, np.ndarray] = {}
    for name in ordered:
        array = np.asarray(points[name])
        kind = np.int32 if array.dtype.kind in "iub" else np.float32
        array = np.ascontiguousarray(array, dtype=kind)
        vector = name in ("position", "velocity")
        if len(array) != count or array.shape[1:] not in ((), (3,), (4,)) or (vector and array.shape != (count, 3)):
            raise ValueError(f"Point attribute {name!r} has shape {array.shape} for {count} particles.")
        if array.ndim == 2 and kind is np.int32:
            raise ValueError(f"Point attribute {name!r} is a vector of integers; only float vectors can be stored.")
        result[name] = array
    return result


def write_points(path: Path, points: dict[str, np.ndarray]) -> None:
    """Writes `points` in the format that the suffix of `path` names. Raises OSError if the disk refuses."""
    ready = checked_points(points)
    if path.suffix == ".ply":
        ply.write(path, ready)
    else:
        from . import usd

        usd.write(path, ready)


def read_points(path: Path) -> dict[str, np.ndarray]:
    """The points of one file of either format, as they were written."""
    if not path.is_file():
        raise BakeFolderError(f"The point cache {path} is missing. Bake again from this frame.")
    if path.suffix == ".ply":
        return ply.read(path)
    from . import usd

    return usd.read(path)
