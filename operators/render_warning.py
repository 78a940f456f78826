"""Says before a render what would be rendered wrong."""

import bpy

from ..bridge.render_check import render_problems
from ..bridge.spoken import spoken


class TSUBU_OT_render_warning(bpy.types.Operator):
    """Show which frames of this scene's bakes are missing or damaged"""

    bl_idname = "tsubu.render_warning"
    bl_label = "Check Frames"
    bl_options = {"INTERNAL"}

    def invoke(self, context, event):
        self.problems = render_problems(context.scene)
        if not self.problems:
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self, width=640, title="Frames are missing")

    def draw(self, context):
        column = self.layout.column()
        column.label(text="The picture would show other frames than the scene asks for:", icon="ERROR")
        for text in self.problems:
            for line in _wrapped(spoken(text)):
                column.label(text=line)

    def execute(self, context):
        problems = render_problems(context.scene)
        for text in problems:
            self.report({"WARNING"}, spoken(text))
        if not problems:
            self.report({"INFO"}, "Every frame of this scene's range is baked")
        return {"FINISHED"}


def _wrapped(text: str, width: int = 100) -> list[str]:
    """Lines short enough for the dialog."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
