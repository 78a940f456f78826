"""The report before a bake: the scene is exported as for a bake, looked at, and its beginning simulated by the worker.

The export and the checks take no longer than those of a bake; the forecast comes some seconds later from a process of its
own. The scene's bake folder is not touched.
"""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..solvers import job
from ..solvers.bake.files import free_bytes, readable_bytes
from ..solvers.bake.preflight import ERROR, INFO, WARNING, Finding, preflight
from ..solvers.bake.process import total_memory
from ..solvers.errors import TsubuError
from . import cache, worker
from .export import export
from .properties import units_of

_reports: dict[int, "Report"] = {}
_running: dict[int, "_Probe"] = {}
_EARTH = (0.0, 0.0, -9.81)


class Report(NamedTuple):
    """What is known about a scene before it is baked."""

    findings: tuple[Finding, ...]
    forecast: dict[str, Any] | None = None
    """As `solvers.bake.probe.Forecast`; None while it is being measured, {} if it cannot be."""
    metres: float = 1.0

    @property
    def measuring(self) -> bool:
        return self.forecast is None


class _Probe(NamedTuple):
    process: subprocess.Popen
    folder: Path


def report_of(scene: Any) -> Report | None:
    """The last report about `scene`, None if there is none."""
    return _reports.get(scene.session_uid)


def forget(scene: Any | None = None) -> None:
    """Drops the report of a scene, or of all of them, and ends what is being measured."""
    for key in list(_running) if scene is None else [scene.session_uid]:
        _end(key)
    if scene is None:
        _reports.clear()
    else:
        _reports.pop(scene.session_uid, None)


def begin(context: Any) -> Generator[float, None, None]:
    """Exports and checks the scene, then starts measuring; yields how much of the export is done."""
    scene = context.scene
    forget(scene)
    try:
        exported = yield from export(context)
    except TsubuError as error:
        _reports[scene.session_uid] = Report((Finding(ERROR, str(error), _named_in(str(error), scene)),), {})
        return
    told = [Finding(WARNING, text, _named_in(text, scene)) for text in exported.warnings if "not closed" not in text]
    found = [line._replace(owner=_holder(line.owner), other=_holder(line.other)) for line in preflight(exported.scene)]
    folder = Path(tempfile.mkdtemp(prefix="tsubu-preflight-"))
    try:
        job.write_checked(exported.scene, folder)
        process = worker.ask(folder, "probe", "--threads", str(scene.tsubu.threads))
    except TsubuError as error:
        shutil.rmtree(folder, ignore_errors=True)
        _reports[scene.session_uid] = Report((*found, *told, Finding(ERROR, str(error))), {}, exported.metres)
        return
    _running[scene.session_uid] = _Probe(process, folder)
    _reports[scene.session_uid] = Report((*found, *told), None, exported.metres)


def _named_in(text: str, scene: Any) -> str:
    """The object of the scene that a message speaks of, the longest name first."""
    names = sorted((item.name for item in scene.objects if item.name in text), key=len)
    return names[-1] if names else ""


def _holder(name: str) -> str:
    """ "Drops #3" is the third part that the object Drops makes."""
    head, mark, number = name.rpartition(" #")
    return head if mark and number.isdigit() else name


def poll(scene: Any) -> bool:
    """Whether the scene is still being measured; takes the result in when it is there."""
    probe = _running.get(scene.session_uid)
    if probe is None:
        return False
    if probe.process.poll() is None:
        return True
    said, wrong = probe.process.communicate()
    _end(scene.session_uid)
    report = _reports[scene.session_uid]
    try:
        forecast = json.loads(said.strip().splitlines()[-1])
    except (ValueError, IndexError):
        words = wrong.strip().splitlines()
        text = words[-1].removeprefix("tsubu: error: ") if words else "the worker ended without an answer"
        # an error that is known already, with its cure, is why nothing could be measured: it is not told twice
        known = any(finding.level == ERROR for finding in report.findings)
        refusal = () if known else (Finding(ERROR, text, _named_in(text, scene)),)
        report = report._replace(findings=(*refusal, *report.findings), forecast={})
    else:
        report = report._replace(forecast=forecast, findings=(*report.findings, *_limits(scene, forecast)))
    _reports[scene.session_uid] = report
    return False


def _end(key: int) -> None:
    probe = _running.pop(key, None)
    if probe is None:
        return
    if probe.process.poll() is None:
        probe.process.kill()
        probe.process.communicate()
    shutil.rmtree(probe.folder, ignore_errors=True)


def _limits(scene: Any, forecast: dict[str, Any]) -> list[Finding]:
    """What the machine does not have enough of."""
    found = []
    memory, free = total_memory(), free_bytes(_existing(cache.base_folder(scene)))
    if memory and forecast["memory"] > 0.9 * memory:
        text = f"needs {readable_bytes(forecast['memory'])} of memory; this machine has {readable_bytes(memory)}"
        found.append(Finding(WARNING, text, fix="spacing", value=_coarser(scene, forecast["memory"] / memory)))
    if free is not None and forecast["disk"] > free:
        text = f"needs {readable_bytes(forecast['disk'])} on disk; {readable_bytes(free)} are free. Choose another Cache Folder"
        found.append(Finding(WARNING, text, fix="spacing", value=_coarser(scene, forecast["disk"] / max(free, 1))))
    return found


def _existing(folder: Path) -> Path:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _coarser(scene: Any, factor: float) -> float:
    from .estimate import estimate

    return estimate(bpy.context).spacing * factor ** (1.0 / 3.0) * 1.1


def mend(context: Any, finding: Finding) -> str:
    """Does what a finding offers; returns what was done."""
    if finding.fix == "spacing":
        settings = context.scene.tsubu
        settings.sizing = "SPACING"
        settings.world.spacing = float(f"{finding.value / units_of(context.scene).metres:.3g}")
        return "Particle spacing set"
    if finding.fix == "scale":
        context.scene.tsubu.scale = float(f"{context.scene.tsubu.scale * finding.value:.2g}")
        return f"Scale set to {context.scene.tsubu.scale:g}"
    if finding.fix == "gravity":
        context.scene.tsubu.use_scene_gravity = False
        context.scene.tsubu.world.gravity = [part / units_of(context.scene).unit_scale for part in _EARTH]
        return "Gravity set to that of the Earth"
    item = context.scene.objects.get(finding.owner)
    if item is None or item.type != "MESH" or not item.is_editable:
        raise TsubuError(f"{finding.owner}: only a mesh of this file can be mended; correct it by hand.")
    if finding.fix == "grain":
        item.tsubu.grains.size = float(f"{finding.value / units_of(context.scene).metres:.2g}")
        return f"Grain size of {item.name} set"
    if finding.fix == "cut":
        return _cut_out(item, context.scene.objects.get(finding.other))
    return _mend_mesh(item, finding.fix)


def _cut_out(item: Any, other: Any) -> str:
    """A Boolean modifier takes the room of another object out of a mesh."""
    if other is None or other.type != "MESH":
        raise TsubuError(f"{item.name}: only a mesh can be cut out of it; move one of the two.")
    cut: Any = item.modifiers.new(f"Without {other.name}", "BOOLEAN")
    cut.operation, cut.object, cut.solver = "DIFFERENCE", other, "EXACT"
    return f"{other.name} is cut out of {item.name} by a modifier"


def _mend_mesh(item: Any, fix: str) -> str:
    import bmesh

    mesh = bmesh.new()
    mesh.from_mesh(item.data)
    try:
        if fix == "holes":
            bmesh.ops.remove_doubles(mesh, verts=mesh.verts, dist=1.0e-6)
            bmesh.ops.holes_fill(mesh, edges=mesh.edges, sides=0)
            bmesh.ops.recalc_face_normals(mesh, faces=mesh.faces)
        elif fix == "normals":
            bmesh.ops.recalc_face_normals(mesh, faces=mesh.faces)
        else:
            bmesh.ops.reverse_faces(mesh, faces=mesh.faces)
        mesh.to_mesh(item.data)
    finally:
        mesh.free()
    item.data.update()
    return {"holes": "Holes filled", "normals": "Normals recalculated"}.get(fix, "Normals flipped")


__all__ = ["ERROR", "INFO", "WARNING", "Report", "begin", "forget", "mend", "poll", "report_of"]
