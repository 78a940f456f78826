"""Wedges: the same scene with another value of one setting. Any declared setting has an address:

    world.spacing    surface.voxel    Column.viscosity    Tank.friction

The part before the last dot is the world, the surface settings, or the name of a body, collider or emitter; an emitter
has its own settings and those of what it pours. Values are texts in the units of the job file (SI).
"""

from dataclasses import replace
from typing import Any

from .errors import InvalidScene
from .params import Declaration, checked_value, declarations
from .scene import Scene

_TRUE, _FALSE = ("true", "on", "yes", "1"), ("false", "off", "no", "0")


def parsed(text: str, declared: Declaration, owner: str) -> Any:
    """A value from its text, checked against the declaration: "0.5", "on", "0, 0, -9.81", a choice's name."""
    word = text.strip()
    value: Any = word
    if declared.kind == "bool":
        if word.lower() not in (*_TRUE, *_FALSE):
            raise InvalidScene(f"{owner}: {declared.label} ({declared.name}) is {text!r}; give on or off.")
        value = word.lower() in _TRUE
    elif declared.kind == "vector":
        value = word.replace(",", " ").split()
    return checked_value(value, declared, owner)


def split(setting: str) -> tuple[str, str]:
    """ "Cube.001.viscosity" → ("Cube.001", "viscosity")."""
    owner, dot, name = setting.rpartition(".")
    if not dot or not owner or not name:
        raise InvalidScene(f"{setting!r} names no setting; write OWNER.SETTING, such as world.spacing or Column.viscosity.")
    return owner, name


def varied(scene: Scene, setting: str, text: str) -> Scene:
    """`scene`, which has passed `checked`, with `setting` changed. An animated setting becomes constant.

    Raises `InvalidScene` that names what there is to choose from.
    """
    owner, name = split(setting)
    if owner in ("world", "surface"):
        return replace(scene, **{owner: _changed(getattr(scene, owner), name, text, owner)})
    for group, fields in (("bodies", ("params",)), ("colliders", ("params",)), ("emitters", ("params", "material"))):
        entries = list(getattr(scene, group))
        for index, entry in enumerate(entries):
            if entry.name != owner:
                continue
            field = next((f for f in fields if name in _names(getattr(entry, f))), fields[0])
            more = {field: _changed(getattr(entry, field), name, text, owner)}
            if group != "bodies" and field == "params":
                more["animated"] = {key: values for key, values in entry.animated.items() if key != name}
            entries[index] = replace(entry, **more)
            return replace(scene, **{group: tuple(entries)})
    known = ", ".join(entry.name for entry in (*scene.bodies, *scene.colliders, *scene.emitters))
    raise InvalidScene(f"{setting}: nothing in the scene is called {owner!r}; there are world, surface, {known}.")


def _names(group: Any) -> list[str]:
    return [entry.name for entry in declarations(type(group))]


def _changed(group: Any, name: str, text: str, owner: str) -> Any:
    for entry in declarations(type(group)):
        if entry.name == name:
            return replace(group, **{name: parsed(text, entry, owner)})
    raise InvalidScene(f"{owner} has no setting {name!r}; there are {', '.join(_names(group))}.")
