"""The door of the engine: a scene that passes `checked` can be written, read back exactly, and baked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ..errors import InvalidScene
from ..materials import registry
from ..meet.pairs import MeetingParams
from ..mesh.triangles import bounds, check_mesh, is_closed, welded
from ..params import checked_value, declarations, validated
from ..scene import (
    PAINTABLE,
    PAINTED_FLOW,
    Body,
    Collider,
    ColliderParams,
    Emitter,
    EmitterParams,
    Mesh,
    Scene,
    SurfaceParams,
    WorldParams,
)

Vector = tuple[float, float, float]
Named = TypeVar("Named", Body, Collider, Emitter)
_FLAT = 1.0e-9
"""A body thinner than this part of its length has no volume."""


def checked(scene: Scene) -> Scene:
    """The same scene, complete and in its exact stored form: defaults filled in, arrays float64/int32 and contiguous.

    Raises `InvalidScene` naming the object, the value and the cure.
    """
    world = _group(scene.world, WorldParams, "World")
    surface = _group(scene.surface, SurfaceParams, "Surface")
    meeting = _group(scene.meeting, MeetingParams, "Meeting")
    if world.frame_end < world.frame_start:
        raise InvalidScene(
            f"World: the frame range is reversed: the last frame {world.frame_end} comes before the first {world.frame_start}. "
            "Swap them."
        )
    frames = world.frame_end - world.frame_start + 1
    bodies = tuple(_body(body) for body in _distinct(scene.bodies, "Body"))
    colliders = tuple(_collider(collider, frames) for collider in _distinct(scene.colliders, "Collider"))
    emitters = tuple(_emitter(emitter, frames) for emitter in _distinct(scene.emitters, "Emitter"))
    if not bodies and not any(_ever_enabled(emitter) for emitter in emitters):
        raise InvalidScene(f"Scene {scene.name!r} has no body and no active emitter: mark at least one mesh as Water or such.")
    return Scene(_text(scene.name, "Scene", "name"), bodies, colliders, emitters, world, surface, meeting)


def _distinct(objects: Sequence[Named], what: str) -> Sequence[Named]:
    seen: set[str] = set()
    for entry in objects:
        if not isinstance(entry.name, str) or not entry.name:
            raise InvalidScene(f"{what}: its name is {entry.name!r}; give it a name.")
        if entry.name in seen:
            raise InvalidScene(f"{what} {entry.name!r} exists twice; rename one of them.")
        seen.add(entry.name)
    return objects


def _text(value: Any, owner: str, key: str) -> str:
    if not isinstance(value, str) or any(ord(letter) < 32 for letter in value):
        raise InvalidScene(f"{owner}: {key} is {value!r}; give a plain text.")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidScene(f"{owner}: {key} is {value!r}, which is not valid Unicode; rename it.") from error
    return value


def _group(values: Any, kind: type, owner: str) -> Any:
    if not isinstance(values, kind):
        raise InvalidScene(f"{owner}: its settings are a {type(values).__name__}; give a {kind.__name__}.")
    return validated(values, owner)


def _material(values: Any, kind: str, owner: str) -> Any:
    material = registry.find(kind, owner)
    return _group(material.params() if values is None else values, material.params, owner)


def _vector(value: Any, owner: str, key: str) -> Vector:
    try:
        parts = tuple(float(part) for part in value)
    except (TypeError, ValueError) as error:
        raise InvalidScene(f"{owner}: {key} is {value!r}; give three numbers.") from error
    if len(parts) != 3 or not np.isfinite(parts).all():
        raise InvalidScene(f"{owner}: {key} is {value!r}; give three finite numbers.")
    return parts  # type: ignore[return-value]


def _mesh(mesh: Mesh, owner: str, frames: int | None) -> Mesh:
    """`frames`: how many the scene has if the mesh may deform, None if it may not."""
    if not isinstance(mesh, Mesh):
        raise InvalidScene(f"{owner}: its mesh is a {type(mesh).__name__}; give a Mesh.")
    check_mesh(mesh, owner)
    if mesh.deforming and frames is None:
        raise InvalidScene(f"{owner}: a body is filled at the first frame only; give the vertices of that frame, (n, 3).")
    if mesh.deforming and frames is not None and len(mesh.vertices) < frames:
        given = len(mesh.vertices)
        raise InvalidScene(f"{owner}: its mesh has vertices for {given} frames, the scene has {frames}; export it again.")
    return Mesh(np.ascontiguousarray(mesh.vertices, dtype=np.float64), np.ascontiguousarray(mesh.triangles, dtype=np.int32))


def _motion(motion: Any, frames: int, owner: str) -> np.ndarray | None:
    if motion is None:
        return None
    matrices = np.ascontiguousarray(motion, dtype=np.float64)
    if matrices.ndim != 3 or matrices.shape[1:] != (4, 4):
        raise InvalidScene(f"{owner}: its motion has shape {matrices.shape}; give one 4 × 4 matrix per frame.")
    if len(matrices) < frames:
        raise InvalidScene(f"{owner}: its motion has {len(matrices)} matrices, the scene has {frames} frames; export it again.")
    finite = np.isfinite(matrices).all(axis=(1, 2))
    if not finite.all():
        row = int(np.argmin(finite)) + 1
        raise InvalidScene(f"{owner}: its transform in frame {row} of the range is not finite; correct its animation.")
    axes = matrices[:, :3, :3]
    length = np.linalg.norm(axes, axis=1)
    # A scale is zero if the axes span no volume, measured against their own length.
    flat = np.abs(np.linalg.det(axes)) <= 1.0e-12 * length.max(axis=1) ** 3
    if flat.any():
        row = int(np.argmax(flat)) + 1
        raise InvalidScene(f"{owner}: its scale in frame {row} of the range is zero along an axis; give it a size.")
    return matrices


def _animated(animated: Mapping[str, Any], group: type, frames: int, owner: str) -> dict[str, np.ndarray]:
    declared = {entry.name: entry for entry in declarations(group)}
    result: dict[str, np.ndarray] = {}
    for name in sorted(animated):
        if name not in declared or not declared[name].animatable:
            known = ", ".join(entry.name for entry in declared.values() if entry.animatable)
            raise InvalidScene(f"{owner}: {name} cannot be animated; what can is {known}.")
        entry = declared[name]
        values = np.ascontiguousarray(animated[name], dtype=np.float64)
        wanted = (3,) if entry.kind == "vector" else ()
        if values.ndim == 0 or values.shape[1:] != wanted or len(values) < frames:
            shape = f"({frames}, 3)" if wanted else f"({frames},)"
            raise InvalidScene(f"{owner}: the animation of {name} has shape {values.shape}; give one value per frame, {shape}.")
        for row, value in enumerate(values.tolist()):
            checked_value(value != 0.0 if entry.kind == "bool" else value, entry, f"{owner} (frame {row + 1} of the range)")
        result[name] = values
    return result


def _weights(weights: Mapping[str, Any], paintable: tuple[str, ...], vertices: int, owner: str) -> dict[str, np.ndarray]:
    result: dict[str, np.ndarray] = {}
    for name in sorted(weights):
        if name not in paintable:
            raise InvalidScene(f"{owner}: {name} cannot be painted; what can is {', '.join(paintable)}.")
        values = np.ascontiguousarray(weights[name], dtype=np.float64)
        if values.shape != (vertices,):
            raise InvalidScene(f"{owner}: the weights of {name} have shape {values.shape}; give one per vertex, ({vertices},).")
        outside = ~((values >= 0.0) & (values <= 1.0))
        if outside.any():
            vertex = int(np.argmax(outside))
            raise InvalidScene(f"{owner}: the weight of {name} at vertex {vertex} is {values[vertex]}; it must be 0 to 1.")
        result[name] = values
    return result


def _body(body: Body) -> Body:
    owner = f"Body {body.name!r}"
    mesh = _mesh(body.mesh, owner, None)
    low, high = bounds(mesh)
    size = high - low
    if size.min() <= _FLAT * size.max():
        axis = "xyz"[int(np.argmin(size))]
        raise InvalidScene(
            f"{owner}: it is flat along {axis} ({size[0]:g} × {size[1]:g} × {size[2]:g} m), so nothing can fill it; "
            "is its scale zero? Give it a thickness."
        )
    return replace(
        body,
        name=_text(body.name, owner, "name"),
        mesh=mesh,
        params=_material(body.params, body.kind, owner),
        velocity=_vector(body.velocity, owner, "velocity"),
        spin=_vector(body.spin, owner, "spin"),
        output=_text(body.output, owner, "output"),
    )


def _collider(collider: Collider, frames: int) -> Collider:
    owner = f"Collider {collider.name!r}"
    mesh, params = _mesh(collider.mesh, owner, frames), _group(collider.params, ColliderParams, owner)
    if params.drain and params.free:
        raise InvalidScene(f"{owner}: it is Free and a Drain at once; turn one of them off.")
    if params.drain and not is_closed(welded(mesh.at(0), mesh.triangles)):
        raise InvalidScene(f"{owner}: it is a Drain, but its mesh is open and has no inside; close it, or turn Drain off.")
    return replace(
        collider,
        name=_text(collider.name, owner, "name"),
        mesh=mesh,
        params=params,
        motion=_motion(collider.motion, frames, owner),
        animated=_animated(collider.animated, ColliderParams, frames, owner),
        weights=_weights(collider.weights, PAINTABLE, collider.mesh.vertices.shape[-2], owner),
    )


def _emitter(emitter: Emitter, frames: int) -> Emitter:
    owner = f"Emitter {emitter.name!r}"
    params = _group(emitter.params, EmitterParams, owner)
    if params.end < params.start:
        raise InvalidScene(f"{owner}: it ends at {params.end:g} s, before it starts at {params.start:g} s. Swap them.")
    if not any(params.direction) and "direction" not in emitter.animated:
        raise InvalidScene(f"{owner}: its direction is (0, 0, 0); point it somewhere.")
    return replace(
        emitter,
        name=_text(emitter.name, owner, "name"),
        mesh=_mesh(emitter.mesh, owner, frames),
        params=params,
        material=_material(emitter.material, emitter.kind, owner),
        motion=_motion(emitter.motion, frames, owner),
        animated=_animated(emitter.animated, EmitterParams, frames, owner),
        output=_text(emitter.output, owner, "output"),
        weights=_weights(emitter.weights, PAINTED_FLOW, emitter.mesh.vertices.shape[-2], owner),
    )


def _ever_enabled(emitter: Emitter) -> bool:
    if "enabled" in emitter.animated:
        return bool(np.any(emitter.animated["enabled"]))
    return emitter.params.enabled
