"""What panels draw, seen without a window."""

from typing import Any

import bpy

from tests.blender.artist import part


class Layout:
    """Stands for bpy.types.UILayout: remembers what is drawn, refuses what does not exist."""

    def __init__(self, log: list[tuple[str, Any]] | None = None) -> None:
        self.log = [] if log is None else log

    def _nested(self, *_: Any, **__: Any) -> "Layout":
        return Layout(self.log)

    row = column = box = grid_flow = split = _nested

    def panel(self, identifier: str, default_closed: bool = False) -> "tuple[Layout, Layout | None]":
        assert identifier and isinstance(default_closed, bool)
        return self._nested(), self._nested()

    def prop(self, group: Any, name: str, **_: Any) -> None:
        assert name in group.bl_rna.properties, f"{group} has no {name}"
        self.log.append(("prop", name))

    def prop_search(self, group: Any, name: str, data: Any, among: str, **_: Any) -> None:
        assert among in data.bl_rna.properties, f"{data} has no {among}"
        self.prop(group, name)

    def operator(self, name: str, **more: Any) -> Any:
        kind, identifier = name.split(".")
        assert identifier in dir(getattr(bpy.ops, kind)), name
        self.log.append(("operator", name))

        class Given:
            pass

        return Given()

    def operator_menu_enum(self, name: str, property: str, text: str = "", **_: Any) -> None:
        kind, identifier = name.split(".")
        assert property in getattr(getattr(bpy.ops, kind), identifier).get_rna_type().properties, name
        self.log.append(("menu", f"{name}: {text}"))

    def menu(self, name: str, text: str = "", **_: Any) -> None:
        assert hasattr(bpy.types, name), name
        self.log.append(("menu", f"{name}: {text}"))

    def label(self, text: str = "", **_: Any) -> None:
        self.log.append(("label", text))

    def progress(self, factor: float = 0.0, text: str = "", type: str = "") -> None:
        assert 0.0 <= factor <= 1.0
        self.log.append(("progress", text))

    def texts(self) -> str:
        return "\n".join(str(value) for _, value in self.log)


class Context:
    """bpy.context with a region, which a background Blender does not have."""

    region = type("Region", (), {"width": 300})

    def __getattr__(self, name: str) -> Any:
        return getattr(bpy.context, name)


def drawn(name: str) -> Layout:
    """What the panel `name` draws now, in the sidebar and under Physics alike."""
    layouts = []
    for place in ("sidebar", "physics"):
        panel: Any = getattr(part(f"panels.{place}"), f"TSUBU_PT_{place}_{name}")
        layout = Layout()
        fake = type("Fake", (), {"layout": layout})()
        panel.draw(fake, Context())
        layouts.append(layout)
    assert layouts[0].log == layouts[1].log
    return layouts[0]
