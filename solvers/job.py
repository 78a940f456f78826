"""A scene as a folder: job.json holds every setting, geometry.npz every array.

The two say the same as a `Scene`: `read(folder)` after `write(scene, folder)` gives the checked scene back, bit for bit.
Reading and writing need no numba, so that Blender's own process may do it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .bake import files
from .bake.checks import checked
from .errors import BakeFolderError, InvalidScene
from .materials import registry
from .meet.pairs import MeetingParams
from .params import from_dict, to_dict
from .scene import Body, Collider, ColliderParams, Emitter, EmitterParams, Mesh, Scene, SurfaceParams, WorldParams

SCHEMA = 1
"""Version of the job file. Raise it when the meaning of a key changes; newer files are refused."""
JOB = "job.json"
GEOMETRY = "geometry.npz"
_KEYS = {"schema", "name", "world", "surface", "meeting", "bodies", "colliders", "emitters", "geometry"}


def write(scene: Scene, folder: str | Path) -> Path:
    """Checks `scene` and writes its job folder, which is made if need be. Refused while a bake runs there."""
    from .bake.lock import refuse_running

    complete = checked(scene)
    path = Path(folder)
    make_folder(path)
    refuse_running(path)
    write_checked(complete, path)
    return path


def make_folder(path: Path) -> None:
    """The bake folder and its parents, or an error that says why not."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise BakeFolderError(f"{path} cannot be a bake folder: a file of that name is in the way. Choose another.") from error
    except OSError as error:
        raise BakeFolderError(f"The bake folder {path} cannot be made ({error.strerror}). Choose another.") from error


def write_checked(scene: Scene, folder: Path) -> None:
    """Writes a scene that has passed `checked`; the caller holds the lock or knows that nobody bakes."""
    description, arrays = describe(scene)
    geometry = files.npz_bytes(arrays)
    description["geometry"] = {"bytes": len(geometry), "blake2b": files.checksum_of(geometry)}
    with files.folder_errors(folder, len(geometry)):
        # Geometry first: a job.json never points at geometry that is not there.
        files.write_bytes(folder / GEOMETRY, geometry)
        files.write_bytes(folder / JOB, files.json_bytes(description, indent=1))


def describe(scene: Scene) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Settings as plain values and arrays by name, of a scene that has passed `checked`."""
    arrays: dict[str, np.ndarray] = {}
    description: dict[str, Any] = {
        "schema": SCHEMA,
        "name": scene.name,
        "world": to_dict(scene.world),
        "surface": to_dict(scene.surface),
        "meeting": to_dict(scene.meeting),
        "bodies": [],
        "colliders": [],
        "emitters": [],
    }
    for group in ("bodies", "colliders", "emitters"):
        for index, entry in enumerate(getattr(scene, group)):
            stem = f"{group}/{index}"
            arrays[f"{stem}/vertices"] = entry.mesh.vertices
            arrays[f"{stem}/triangles"] = entry.mesh.triangles
            if not isinstance(entry, Body):
                if entry.motion is not None:
                    arrays[f"{stem}/motion"] = entry.motion
                for name, values in entry.animated.items():
                    arrays[f"{stem}/animated/{name}"] = values
            if not isinstance(entry, Body):
                for name, values in entry.weights.items():
                    arrays[f"{stem}/weights/{name}"] = values
            description[group].append(_plain(entry))
    return description, arrays


def _plain(entry: Body | Collider | Emitter) -> dict[str, Any]:
    if isinstance(entry, Body):
        return {
            "name": entry.name,
            "kind": entry.kind,
            "output": entry.output,
            "velocity": list(entry.velocity),
            "spin": list(entry.spin),
            "params": to_dict(entry.params),
        }
    moving = {"moving": entry.motion is not None, "animated": sorted(entry.animated)}
    if isinstance(entry, Collider):
        return {"name": entry.name, "params": to_dict(entry.params), **moving, "weights": sorted(entry.weights)}
    return {
        "name": entry.name,
        "kind": entry.kind,
        "output": entry.output,
        "params": to_dict(entry.params),
        "material": to_dict(entry.material),
        **moving,
        "weights": sorted(entry.weights),
    }


def read(folder: str | Path) -> Scene:
    """The scene of a job folder, checked. Errors name the key and the object."""
    path = Path(folder)
    description = read_description(path)
    declared = _keys(description["geometry"], {"bytes", "blake2b"}, "geometry")
    geometry = path / GEOMETRY
    if not geometry.is_file():
        raise BakeFolderError(f"{geometry} is missing; write the job again.")
    if geometry.stat().st_size != declared["bytes"] or files.checksum(geometry) != declared["blake2b"]:
        raise BakeFolderError(f"{geometry} is not the one written with {JOB} (altered or truncated). Write the job again.")
    arrays = files.read_npz(geometry)
    scene = Scene(
        _typed(description["name"], str, "job", "name"),
        tuple(_read_body(entry, f"bodies/{index}", arrays) for index, entry in _listed(description, "bodies")),
        tuple(_read_collider(entry, f"colliders/{index}", arrays) for index, entry in _listed(description, "colliders")),
        tuple(_read_emitter(entry, f"emitters/{index}", arrays) for index, entry in _listed(description, "emitters")),
        _read_group(WorldParams, description["world"], "World"),
        _read_group(SurfaceParams, description["surface"], "Surface"),
        _read_group(MeetingParams, description["meeting"], "Meeting"),
    )
    return checked(scene)


def read_description(folder: Path) -> dict[str, Any]:
    """The settings of job.json as plain values, with schema and top-level keys checked."""
    path = folder / JOB
    if not folder.is_dir():
        raise BakeFolderError(f"There is no folder {folder}. Write a job there first.")
    if not path.is_file():
        raise BakeFolderError(f"{folder} is no bake folder: it holds no {JOB}. Write a job there first.")
    try:
        description = json.loads(path.read_bytes())
    except (ValueError, UnicodeDecodeError) as error:
        raise InvalidScene(f"{path} is not valid JSON ({error}). Undo the edit or write the job again.") from error
    except OSError as error:
        raise files.explained(error, folder) from error
    if not isinstance(description, dict) or "schema" not in description:
        raise InvalidScene(f"{path} is no Tsubu job: it has no schema number.")
    schema = description["schema"]
    if isinstance(schema, int) and schema > SCHEMA:
        raise InvalidScene(
            f"{path} was written by a newer Tsubu (job schema {schema}; this one reads {SCHEMA}). Update Tsubu on this machine."
        )
    if schema != SCHEMA:
        raise InvalidScene(f"{path}: schema is {schema!r}; this Tsubu reads {SCHEMA}.")
    description.setdefault("meeting", {})  # jobs of the time when kinds did not meet
    return _keys(description, _KEYS, "job")


def _keys(values: Any, wanted: set[str], owner: str) -> dict[str, Any]:
    """`values` if it is an object with exactly the keys `wanted`."""
    if not isinstance(values, dict):
        raise InvalidScene(f"{JOB}: {owner} is {values!r}; it must be an object with {', '.join(sorted(wanted))}.")
    name = values.get("name")
    where = f"{owner} ({name!r})" if isinstance(name, str) and owner != "job" else owner
    if unknown := sorted(set(values) - wanted):
        raise InvalidScene(f"{JOB}: {where} has an unknown key {', '.join(unknown)}; known are {', '.join(sorted(wanted))}.")
    if missing := sorted(wanted - set(values)):
        raise InvalidScene(f"{JOB}: {where} lacks the key {', '.join(missing)}; write the job again.")
    return values


def _typed(value: Any, kind: type, owner: str, key: str) -> Any:
    if not isinstance(value, kind):
        raise InvalidScene(f"{JOB}: {owner}: {key} is {value!r}; it must be a {'text' if kind is str else kind.__name__}.")
    return value


def _listed(description: dict[str, Any], key: str) -> Any:
    return enumerate(_typed(description[key], list, "job", key))


def _read_group(group: type, values: Any, owner: str) -> Any:
    return from_dict(group, _typed(values, dict, owner, "params"), owner)


def _array(arrays: Mapping[str, np.ndarray], name: str, owner: str) -> np.ndarray:
    if name not in arrays:
        raise BakeFolderError(f"{GEOMETRY}: the array {name} of {owner} is missing; write the job again.")
    return arrays[name]


def _read_mesh(arrays: Mapping[str, np.ndarray], stem: str, owner: str) -> Mesh:
    return Mesh(_array(arrays, f"{stem}/vertices", owner), _array(arrays, f"{stem}/triangles", owner))


def _read_moving(entry: dict[str, Any], stem: str, arrays: Mapping[str, np.ndarray], owner: str) -> dict[str, Any]:
    moving = _typed(entry["moving"], bool, owner, "moving")
    names = _typed(entry["animated"], list, owner, "animated")
    return {
        "motion": _array(arrays, f"{stem}/motion", owner) if moving else None,
        "animated": {str(name): _array(arrays, f"{stem}/animated/{name}", owner) for name in names},
    }


def _params_of(values: dict[str, Any], owner: str) -> type:
    return registry.find(_typed(values["kind"], str, owner, "kind"), owner).params


def _read_body(entry: Any, stem: str, arrays: Mapping[str, np.ndarray]) -> Body:
    values = _keys(entry, {"name", "kind", "output", "velocity", "spin", "params"}, stem)
    owner = f"Body {values['name']!r}"
    params = _read_group(_params_of(values, owner), values["params"], owner)
    mesh = _read_mesh(arrays, stem, owner)
    return Body(values["name"], values["kind"], mesh, params, values["velocity"], values["spin"], values["output"])


def _read_collider(entry: Any, stem: str, arrays: Mapping[str, np.ndarray]) -> Collider:
    if isinstance(entry, dict):
        entry.setdefault("weights", [])  # jobs of the time when nothing was painted
    values = _keys(entry, {"name", "params", "moving", "animated", "weights"}, stem)
    owner = f"Collider {values['name']!r}"
    params = _read_group(ColliderParams, values["params"], owner)
    weights = _read_weights(values, stem, arrays, owner)
    moving = _read_moving(values, stem, arrays, owner)
    return Collider(values["name"], _read_mesh(arrays, stem, owner), params, **moving, weights=weights)


def _read_weights(values: dict[str, Any], stem: str, arrays: Mapping[str, np.ndarray], owner: str) -> dict[str, np.ndarray]:
    names = _typed(values["weights"], list, owner, "weights")
    return {str(name): _array(arrays, f"{stem}/weights/{name}", owner) for name in names}


def _read_emitter(entry: Any, stem: str, arrays: Mapping[str, np.ndarray]) -> Emitter:
    if isinstance(entry, dict):
        entry.setdefault("weights", [])
    values = _keys(entry, {"name", "kind", "output", "params", "material", "moving", "animated", "weights"}, stem)
    owner = f"Emitter {values['name']!r}"
    params = _read_group(EmitterParams, values["params"], owner)
    material = _read_group(_params_of(values, owner), values["material"], owner)
    return Emitter(
        values["name"],
        values["kind"],
        _read_mesh(arrays, stem, owner),
        params,
        material,
        **_read_moving(values, stem, arrays, owner),
        output=values["output"],
        weights=_read_weights(values, stem, arrays, owner),
    )
