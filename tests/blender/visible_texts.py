"""Every text that the interface shows, gathered from the registered classes and from the sources of the panels."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

from examples.addon import ROOT
from tests.blender.artist import part

_SPOKEN = {"label", "operator", "prop", "menu", "operator_menu_enum", "column", "row"}
"""Methods of a layout whose `text` or `heading` is shown."""
_TRANSLATING = {"tr": 0, "wrapped": 2, "poll_message_set": 0}
"""Functions that show one of their arguments: which."""
_FILE_DIALOG = {"filepath", "check_existing", "directory", "filter_glob", "filter_folder"}
"""Properties of Blender's own file dialog, which Blender translates."""


def declared_texts() -> set[str]:
    """Labels, help and choices of all parameters, and the names of the body kinds."""
    registry, scene, label_of = part("solvers.materials.registry"), part("solvers.scene"), part("bridge.generated").label_of
    groups = [scene.ColliderParams, scene.EmitterParams, scene.WorldParams, scene.SurfaceParams]
    found: set[str] = set()
    for material in registry.MATERIALS.values():
        found |= {material.label, material.help}
        groups.append(material.params)
    for group in groups:
        for entry in part("solvers.params").declarations(group):
            found |= {label_of(entry), entry.help}
            for choice in entry.choices:
                found |= {choice.label, choice.help}
    return {text for text in found if text}


def class_texts() -> set[str]:
    """Labels and descriptions of operators, panels, menus and of the properties written by hand."""
    found: set[str] = set()
    for package in ("operators", "panels"):
        for item in part(package).CLASSES:
            found.add(item.bl_label)
            if issubclass(item, (bpy.types.Operator, bpy.types.Menu)):
                found.add((item.__doc__ or "").strip())
            if issubclass(item, bpy.types.Operator):
                found |= _properties(getattr(bpy.ops.tsubu, item.bl_idname.partition(".")[2]).get_rna_type())
    for owner in (bpy.types.Scene.bl_rna.properties["tsubu"].fixed_type, bpy.types.Object.bl_rna.properties["tsubu"].fixed_type):
        found |= _properties(owner)
    return {text for text in found if text}


def _properties(rna: Any) -> set[str]:
    found: set[str] = set()
    for entry in rna.properties:
        if entry.identifier in ("rna_type", "name", "bl_idname") or entry.is_hidden or entry.type == "POINTER":
            continue
        if entry.identifier in _FILE_DIALOG:
            continue
        found |= {entry.name, entry.description}
        for choice in getattr(entry, "enum_items_static", ()):
            found |= {choice.name, choice.description}
    return found


def source_texts() -> set[str]:
    """Literals that panels draw, and the reasons of buttons that are off."""
    found: set[str] = set()
    for folder in ("panels", "operators"):
        for path in sorted((ROOT / folder).glob("*.py")):
            found |= _literals(path)
    return {text for text in found if any(letter.isalpha() for letter in text)}


def _literals(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in _SPOKEN:
                given = [word.value for word in node.keywords if word.arg in ("text", "heading")]
            elif name in _TRANSLATING:
                given = node.args[_TRANSLATING[name] :][:1]
            elif name == "report":
                given = node.args[1:]
            elif name == "invoke_confirm":
                given = [word.value for word in node.keywords if word.arg in ("title", "message", "confirm_text")]
            else:
                continue
            for entry in given:
                found |= {part.value for part in _plain(entry)}
        elif isinstance(node, ast.Assign) and any(getattr(t, "id", "") in ("_PHASES", "_FIXES") for t in node.targets):
            if isinstance(node.value, ast.Dict):
                found |= {str(value.value) for value in node.value.values if isinstance(value, ast.Constant)}
    return {text for text in found if isinstance(text, str)}


def _plain(node: ast.AST) -> Iterator[Any]:
    """Whole literals, also those on both sides of a choice; pieces of f-strings cannot be translated."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    elif isinstance(node, ast.IfExp):
        yield from _plain(node.body)
        yield from _plain(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _plain(value)


def untranslatable() -> list[str]:
    """f-strings with words in them that are shown: nobody can translate them."""
    found = []
    for path in sorted((ROOT / "panels").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") not in _SPOKEN:
                continue
            for word in node.keywords:
                if word.arg == "text" and isinstance(word.value, ast.JoinedStr):
                    words = "".join(str(part.value) for part in word.value.values if isinstance(part, ast.Constant))
                    if any(letter.isalpha() for letter in words):
                        found.append(f"{path.name}:{node.lineno}: {words}")
    return found
