"""Points as one binary USD file per frame: prim /pts, which Blender's Mesh Sequence Cache reads by itself.

position → points, velocity → velocities [per second], radius → widths (twice the radius), id → primvar pid;
everything else is a vertex primvar of its own name, four
numbers as a quaternion. 32 bytes a particle for position, velocity, id and radius at most.
"""

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import BakeFolderError, TsubuError
from .modules import usd_version

PRIM = "/pts"


def _require() -> None:
    if not usd_version():
        raise TsubuError("USD (module pxr) is missing in this Python; run with Blender's Python or set TSUBU_POINTS=ply.")


def write(path: Path, points: dict[str, np.ndarray]) -> None:
    """Writes arrays checked by `checked_points`."""
    _require()
    from pxr import Sdf, Tf, Usd, UsdGeom, Vt

    if not path.parent.is_dir():
        # USD would make the folder: a vanished one must not come back half-empty.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
    layer = Sdf.Layer.CreateAnonymous(".usdc")
    stage = Usd.Stage.Open(layer)
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    prim = UsdGeom.Points.Define(stage, PRIM)
    prim.GetPointsAttr().Set(Vt.Vec3fArray.FromNumpy(points["position"]))
    prim.GetVelocitiesAttr().Set(Vt.Vec3fArray.FromNumpy(points["velocity"]))
    prim.GetWidthsAttr().Set(Vt.FloatArray.FromNumpy(points["radius"] * np.float32(2.0)))
    primvars = UsdGeom.PrimvarsAPI(prim)
    types = Sdf.ValueTypeNames
    for name, array in points.items():
        if name in ("position", "velocity", "radius"):
            continue
        if array.dtype == np.int32:
            kind, values = types.IntArray, Vt.IntArray.FromNumpy(array)
        elif array.ndim == 2 and array.shape[1] == 4:
            # USD stores the imaginary part first.
            kind, values = types.QuatfArray, Vt.QuatfArray.FromNumpy(np.roll(array, -1, axis=1))
        elif array.ndim == 2:
            kind, values = types.Float3Array, Vt.Vec3fArray.FromNumpy(array)
        else:
            kind, values = types.FloatArray, Vt.FloatArray.FromNumpy(array)
        primvars.CreatePrimvar("pid" if name == "id" else name, kind, "vertex").Set(values)
    try:
        written = layer.Export(str(path))
    except Tf.ErrorException as error:
        raise _failure(error, path) from error
    if not written:
        raise OSError(errno.EIO, "USD could not write the file", str(path))


def _failure(error: Exception, path: Path) -> OSError:
    """USD tells the system's error only as text."""
    for number in (errno.ENOSPC, errno.EFBIG, errno.EACCES, errno.EROFS, errno.EPERM, errno.ENOENT):
        if os.strerror(number) in str(error):
            return OSError(number, os.strerror(number), str(path))
    return OSError(errno.EIO, str(error)[:300], str(path))


def read(path: Path) -> dict[str, np.ndarray]:
    """Arrays as they were given to `write`."""
    _require()
    from pxr import Sdf, Tf

    try:
        layer = Sdf.Layer.OpenAsAnonymous(str(path))
        prim = layer.GetPrimAtPath(PRIM) if layer else None
    except Tf.ErrorException as error:
        raise BakeFolderError(f"The point cache {path} is damaged. Bake again from this frame.") from error
    if prim is None:
        raise BakeFolderError(f"The point cache {path} is damaged: it holds no {PRIM}. Bake again from this frame.")
    values = {attribute.name: attribute.default for attribute in prim.attributes}
    count = len(values["points"])
    points = {
        "position": _array(values["points"], np.float32, (count, 3)),
        "velocity": _array(values["velocities"], np.float32, (count, 3)),
        "id": _array(values["primvars:pid"], np.int32, (count,)),
        "radius": _array(values["widths"], np.float32, (count,)) * np.float32(0.5),
    }
    for name, value in values.items():
        if name.startswith("primvars:") and name != "primvars:pid":
            kind = str(prim.attributes[name].typeName)
            if kind.startswith("quatf"):
                points[name.removeprefix("primvars:")] = _quaternions(value, count)
                continue
            dtype = np.int32 if kind.startswith("int") else np.float32
            points[name.removeprefix("primvars:")] = _array(value, dtype, (count, 3) if kind.startswith("float3") else (count,))
    return points


def _quaternions(value: Any, count: int) -> np.ndarray:
    """w, x, y, z, float32 (n, 4)."""
    imaginary_first = np.array(value, dtype=np.float32).reshape(count, 4)
    return np.ascontiguousarray(np.roll(imaginary_first, 1, axis=1))


def _array(value: object, dtype: type, shape: tuple[int, ...]) -> np.ndarray:
    return np.array(value, dtype=dtype).reshape(shape)
