"""Points as binary little-endian PLY, for Blender builds without USD.

Properties: x y z vx vy vz pid radius, then the other attributes by name. A vector attribute `a` becomes a_x a_y a_z and is
announced by a comment line "vector a"; a quaternion becomes a_w a_x a_y a_z with a comment line "quaternion a".
"""

from pathlib import Path

import numpy as np

from ..errors import BakeFolderError

_VECTORS = {"position": ("x", "y", "z"), "velocity": ("vx", "vy", "vz")}
_TYPES = {"float": "<f4", "int": "<i4"}
_MAX_HEADER = 1 << 16


def _columns(name: str, count: int = 3) -> tuple[str, ...]:
    return _VECTORS.get(name) or tuple(f"{name}_{axis}" for axis in "wxyz"[-count:])


def _layout(points: dict[str, np.ndarray]) -> np.dtype:
    fields: list[tuple[str, str]] = []
    for name, array in points.items():
        kind = "<i4" if array.dtype == np.int32 else "<f4"
        if array.ndim == 2:
            fields += [(column, kind) for column in _columns(name, array.shape[1])]
        else:
            fields.append(("pid" if name == "id" else name, kind))
    return np.dtype(fields)


def write(path: Path, points: dict[str, np.ndarray]) -> None:
    """Writes arrays checked by `checked_points`."""
    layout = _layout(points)
    rows = np.empty(len(points["position"]), dtype=layout)
    for name, array in points.items():
        if array.ndim == 2:
            for axis, column in enumerate(_columns(name, array.shape[1])):
                rows[column] = array[:, axis]
        else:
            rows["pid" if name == "id" else name] = array
    lines = ["ply", "format binary_little_endian 1.0"]
    kinds = {3: "vector", 4: "quaternion"}
    further = {name: array.shape[1] for name, array in points.items() if array.ndim == 2 and name not in _VECTORS}
    lines += [f"comment {kinds[count]} {name}" for name, count in further.items()]
    lines.append(f"element vertex {len(rows)}")
    for column in layout.names or ():
        lines.append(f"property {'int' if layout[column].kind == 'i' else 'float'} {column}")
    lines.append("end_header\n")
    with open(path, "wb") as stream:
        stream.write("\n".join(lines).encode())
        stream.write(rows.tobytes())


def _header(path: Path) -> tuple[list[str], int]:
    """Header lines and the position of the first data byte."""
    with open(path, "rb") as stream:
        start = stream.read(_MAX_HEADER)
    end = start.find(b"end_header\n")
    if not start.startswith(b"ply\n") or end < 0:
        raise BakeFolderError(f"The point cache {path} is damaged: it has no PLY header. Bake again from this frame.")
    return start[:end].decode("utf-8", "replace").splitlines(), end + len(b"end_header\n")


def read(path: Path) -> dict[str, np.ndarray]:
    """Arrays as they were given to `write`."""
    lines, offset = _header(path)
    words = [line.split() for line in lines]
    count = next((int(word[2]) for word in words if word[:2] == ["element", "vertex"]), 0)
    fields = [(word[2], _TYPES[word[1]]) for word in words if word[:1] == ["property"]]
    rows = np.fromfile(path, dtype=np.dtype(fields), count=count, offset=offset)
    if len(rows) != count:
        raise BakeFolderError(f"The point cache {path} is truncated ({len(rows)} of {count} points). Bake again from this frame.")
    vectors = {name: _columns(name) for name in _VECTORS}
    vectors |= {word[2]: _columns(word[2]) for word in words if word[:2] == ["comment", "vector"]}
    vectors |= {word[2]: _columns(word[2], 4) for word in words if word[:2] == ["comment", "quaternion"]}
    points = {name: np.stack([rows[column] for column in columns], axis=1) for name, columns in vectors.items()}
    spread = {column for columns in vectors.values() for column in columns}
    for column, _ in fields:
        if column not in spread:
            points["id" if column == "pid" else column] = np.ascontiguousarray(rows[column])
    return points
