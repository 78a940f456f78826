"""The Bake panel: the check before, buttons and progress during, outcome, report and disk space after."""

from typing import Any

from bpy.app.translations import pgettext_iface as tr

from ..operators import view
from .drawing import wrapped

_PHASES = {
    "exporting": "Reading the scene",
    "preparing": "Preparing",
    "compiling": "Compiling",
    "simulating": "Simulating",
    "surfacing": "Surfacing",
    "cancelling": "Cancelling",
    "done": "Done",
    "cancelled": "Cancelled",
    "failed": "Failed",
    "stopped": "Stopped",
}


def draw_bake(layout: Any, context: Any) -> None:
    """Buttons, progress, errors."""
    state = view.bake_state(context.scene)
    column = layout.column(align=True)
    if state.running:
        _draw_progress(column, state)
        row = column.row(align=True)
        row.operator("tsubu.cancel", icon="CANCEL")
        row.operator("tsubu.reset", text="", icon="LOOP_BACK")
    else:
        big = column.row(align=True)
        big.scale_y = 1.4
        # Frames that exist are not deleted without a question.
        again = state.phase in ("done", "cancelled", "failed", "stopped") and state.finished >= state.frame_start
        big.operator("tsubu.bake_again" if again else "tsubu.bake", text="Bake", icon="RENDER_ANIMATION")
        row = column.row(align=True)
        row.operator("tsubu.resume", icon="PLAY")
        row.operator("tsubu.extend", text="Extend", icon="TRACKING_FORWARDS").frames = view.extension(context.scene)
        row = column.row(align=True)
        words = tr("Redo from Frame {frame}").format(frame=context.scene.frame_current)
        row.operator("tsubu.redo", text=words, icon="LOOP_FORWARDS")
        row = column.row(align=True)
        row.operator("tsubu.free", icon="TRASH")
        row.operator("tsubu.reset", icon="LOOP_BACK")
        draw_preflight(layout, context)
    _draw_outcome(layout, context, state)


_LEVELS = {"error": "ERROR", "warning": "ERROR", "info": "INFO"}
_FIXES = {
    "normals": "Fix Normals",
    "flip": "Flip Normals",
    "holes": "Fill Holes",
    "spacing": "Set Spacing",
    "scale": "Set Scale",
    "grain": "Set Grain Size",
    "cut": "Cut Out",
    "gravity": "Earth's Gravity",
}


def draw_preflight(layout: Any, context: Any) -> None:
    """The button, and what it found: a line with a button to select and one to mend."""
    layout.operator("tsubu.preflight", icon="CHECKMARK")
    report = view.report_of(context.scene)
    if report is None:
        return
    box = layout.box()
    for index, finding in enumerate(report.findings):
        column = box.column(align=True)
        column.alert = finding.level == "error"
        text = view.spoken(finding.text)
        wrapped(column, context, f"{finding.owner}: {text}" if finding.owner else text, _LEVELS[finding.level])
        row = column.row(align=True)
        if finding.owner:
            row.operator("tsubu.preflight_select", text="Select", icon="RESTRICT_SELECT_OFF").name = finding.owner
        if finding.fix:
            row.operator("tsubu.preflight_fix", text=_FIXES[finding.fix], icon="TOOL_SETTINGS").index = index
    if report.measuring:
        box.label(text="Measuring a few steps ...", icon="TIME")
    elif report.forecast:
        _draw_forecast(box, context, report.forecast)
    elif not report.findings:
        box.label(text="Nothing found", icon="CHECKMARK")


def _draw_forecast(layout: Any, context: Any, forecast: dict[str, Any]) -> None:
    column = layout.column(align=True)
    column.scale_y = 0.85
    time = forecast["seconds"]
    unknown = tr("not known: emitters fill it later")
    soon = unknown if time is None else tr("about {time}").format(time=time_text(time))
    rows = (
        (tr("Particles"), f"{forecast['particles']:,}"),
        (tr("Time"), soon),
        (tr("Memory"), view.readable_bytes(forecast["memory"])),
        (tr("Disk"), view.readable_bytes(forecast["disk"])),
    )
    for name, text in rows:
        row = column.split(factor=0.4)
        row.label(text=name)
        row.label(text=text)
    if forecast["compiling"]:
        wrapped(layout, context, "The first bake also compiles the solver, once", "INFO")


def _draw_progress(layout: Any, state: Any) -> None:
    phase = _PHASES.get(state.phase, state.phase.capitalize())
    frame = f"  {state.frame} / {state.frame_end}" if state.frame_end else ""
    layout.progress(factor=min(max(state.progress, 0.0), 1.0), text=f"{tr(phase)}{frame}", type="BAR")
    facts = []
    if state.particles:
        facts.append(tr("{count:,} particles").format(count=state.particles))
    if state.seconds_left is not None:
        facts.append(tr("{time} left").format(time=time_text(state.seconds_left)))
    message = state.message.replace("Voxelising", tr("Measuring"))
    layout.label(text=", ".join(facts) if facts else view.spoken(message) or " ")


def _draw_cache(layout: Any, context: Any) -> None:
    """The report, what the bake takes on disk, and buttons that make it smaller."""
    layout.operator("tsubu.report", icon="GRAPH")
    found = view.cache_sizes(context.scene)
    if found is None:
        return
    column = layout.column(align=True)
    rows = (
        (tr("Points"), found.points, ""),
        (tr("Surfaces"), found.surface, "SURFACES"),
        (tr("Checkpoints"), found.state, "STATES"),
    )
    for name, size, what in rows:
        if size:
            row = column.row(align=True)
            row.label(text=name, icon="BLANK1")
            row.label(text=view.readable_bytes(size))
            if what:
                row.operator("tsubu.prune", text="", icon="TRASH").what = what
            else:
                row.label(text="", icon="BLANK1")


def lost_texts(lost: tuple[int, ...]) -> list[str]:
    """What became of the particles that are not there; `lost` as in `BakeState`."""
    swallowed, dropped, blocked = lost
    texts = []
    if swallowed:
        texts.append(tr("{count:,} particles went down drains").format(count=swallowed))
    if dropped:
        texts.append(tr("{count:,} particles left the world").format(count=dropped))
    if blocked:
        texts.append(tr("{count:,} particles found no room to leave their emitters").format(count=blocked))
    return texts


def time_text(seconds: float) -> str:
    """4000 → "1 h 07 min"."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def _draw_outcome(layout: Any, context: Any, state: Any) -> None:
    if state.running:
        if state.phase == "compiling":
            wrapped(layout, context, "The first bake compiles the solver, which takes a minute or two. Later ones do not", "INFO")
        return
    if state.phase in ("failed", "stopped"):
        box = layout.box()
        box.alert = True
        wrapped(box, context, state.message or "The bake failed", "ERROR")
        box.operator("tsubu.open_log", icon="TEXT")
    elif state.phase in ("done", "cancelled"):
        row = layout.row()
        wrapped(row, context, state.message, "CHECKMARK" if state.phase == "done" else "PAUSE")
        row.operator("tsubu.open_log", text="", icon="TEXT")
        for text in lost_texts(state.lost):
            wrapped(layout, context, text, "INFO")
        _draw_cache(layout, context)
    if state.foreign:
        box = layout.box()
        wrapped(box, context, f"{view.spoken(state.foreign)}. {tr('Bake gets a folder of its own')}", "QUESTION")
        box.operator("tsubu.take_over", icon="FILE_TICK")
    for text in view.range_problems(context.scene):
        box = layout.box()
        box.alert = True
        wrapped(box, context, text, "ERROR")
    for text in dict.fromkeys((*state.notes, *view.left_out(context.scene, context.view_layer))):
        wrapped(layout, context, text, "INFO")
    wrapped(layout, context, view.folder_text(context.scene), "FILE_FOLDER")
