"""Roles and settings of many objects at once."""

from collections.abc import Iterable
from typing import Any

from .appearance import dress
from .parts import can_be_marked
from .properties import COLLIDER, EMITTER, NONE, kind_of


def mark(item: Any, role: str) -> None:
    item.tsubu.role = role
    dress(item)


def mark_all(items: Iterable[Any], role: str) -> int:
    """Marks what has a surface and belongs to this file; returns how many."""
    chosen = [item for item in items if item.is_editable and (role == NONE or can_be_marked(item))]
    for item in chosen:
        mark(item, role)
    return len(chosen)


def copy_settings(source: Any, targets: Iterable[Any]) -> int:
    """Gives `targets` the role of `source` and the settings that belong to it; returns how many could take them."""
    role = source.tsubu.role
    names = {COLLIDER: ("collider",), EMITTER: ("emitter", source.tsubu.emitter_kind)}.get(role, (kind_of(role),))
    done = 0
    for item in targets:
        if not item.is_editable or not can_be_marked(item):
            continue
        if role == EMITTER:
            item.tsubu.emitter_kind = source.tsubu.emitter_kind
        for name in filter(None, names):
            _copy_group(getattr(source.tsubu, name), getattr(item.tsubu, name))
        item.tsubu.output = source.tsubu.output
        mark(item, role)
        done += 1
    return done


def _copy_group(source: Any, target: Any) -> None:
    for entry in source.bl_rna.properties:
        if not entry.is_readonly and entry.identifier != "name":
            setattr(target, entry.identifier, getattr(source, entry.identifier))
