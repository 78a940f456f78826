"""Add › Tsubu Example: a scene that bakes and renders as it is."""

from typing import Any

import bpy

from ..bridge import example
from ..bridge.spoken import spoken
from ..solvers.errors import TsubuError

_items: list[tuple[str, str, str]] = []
"""Blender needs the texts of a callback's items to be kept alive."""


def example_items(_: Any, __: Any) -> list[tuple[str, str, str]]:
    if not _items:
        _items.extend((name, name.replace("_", " ").title(), title) for name, title in example.titles().items())
    return _items


class TSUBU_OT_add_example(bpy.types.Operator):
    """Add a scene with camera, light and materials that bakes and renders as it is"""

    bl_idname = "tsubu.add_example"
    bl_label = "Tsubu Example"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.EnumProperty(name="Example", description="Which scene", items=example_items)

    @classmethod
    def description(cls, context, properties):
        return example.titles().get(properties.name, "")

    def execute(self, context):
        try:
            scene = example.add_example(context, self.name)
        except TsubuError as error:
            self.report({"ERROR"}, spoken(str(error)))
            return {"CANCELLED"}
        self.report({"INFO"}, spoken(f"{scene.name} is a scene of its own: press Bake, then render"))
        return {"FINISHED"}
