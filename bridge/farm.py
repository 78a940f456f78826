"""A scene as a job of a render farm: Open Job Description (openjd.github.io, schema jobtemplate-2023-09), written as JSON.

Bake is one task: time has to be simulated in order. What follows is per frame and goes to as many machines as there are:

    Bake → Surface (frames) → Assemble → Render (frames)        and for wedges    Wedge (values) → Sheet

Bake, Surface and Assemble need a Blender with Tsubu on the machine; Render needs Blender alone. Every task may be repeated:
outputs appear whole or not at all, and a repeated bake continues from its checkpoint.
"""

import json
from pathlib import Path
from typing import Any

import bpy

from ..solvers.bake import files
from ..solvers.errors import InvalidScene
from . import cache
from .properties import frame_range

SPECIFICATION = "jobtemplate-2023-09"
_RENDER_SCRIPT = Path(__file__).with_name("render_frames.py")
_NAME_LIMIT = 64
"""Letters in a job's name, by the specification."""


def frame_job(scene: Any, place: Path, chunk: int = 4) -> dict[str, Any]:
    """The template that bakes, surfaces and renders the scene of the saved file.

    `place`: folder that the template is written to, from which its paths are seen; `chunk`: frames in one task.
    """
    blend = _saved(scene)
    first, last = frame_range(scene)
    if last < first:
        raise InvalidScene(f"The frame range is reversed: the last frame {last} comes before the first {first}. Swap them.")
    surfaces = scene.tsubu.surface.enabled
    staged = f"{{{{Param.CacheFolder}}}}/{staged_name(scene)}"
    steps = [_step("Bake", _tsubu(scene, "bake", "--unchanged", "--points-only", "--frames={{Param.Frames}}"))]
    if surfaces:
        words = _tsubu(scene, "surface", "--frames={{Task.Param.Frame}}")
        steps.append(_step("Surface", words, after="Bake", space=_frames()))
    words = _tsubu(scene, "assemble", "--frames={{Param.Frames}}", "--out", staged)
    steps.append(_step("Assemble", words, after=steps[-1]["name"]))
    steps.append(_render(staged))
    return {
        "specificationVersion": SPECIFICATION,
        "extensions": ["TASK_CHUNKING"],
        "name": _job_name(blend, scene),
        "description": "Written by Tsubu. Bake needs a Blender with Tsubu, rendering needs Blender alone.",
        "parameterDefinitions": [
            *_common_parameters(scene, blend, place),
            _text_parameter("Frames", f"{first}-{last}", "Frames to bake, surface and render"),
            {
                "name": "ChunkSize", "type": "INT", "default": chunk, "minValue": 1,
                "description": "Frames in one task of Surface and Render",
            },
            _path_parameter("Output", blend.parent / "render", place, "DIRECTORY", "OUT", "Where the pictures go"),
        ],
        "steps": steps,
    }  # fmt: skip


def wedge_job(scene: Any, place: Path, setting: str, values: list[str], frame: int) -> dict[str, Any]:
    """The template that bakes the scene once for each value of one setting, and lays pictures of `frame` side by side."""
    from .wedge import check_values, wedge_folder_name

    blend = _saved(scene)
    check_values(scene, setting, values)
    folder = f"{{{{Param.CacheFolder}}}}/{wedge_folder_name(scene, setting)}"
    given = ("--setting={{Param.Setting}}", "--value={{Task.Param.Value}}", "--frame={{Param.Frame}}")
    words = _tsubu(scene, "wedge", *given, "--folder", folder)
    space = {"taskParameterDefinitions": [{"name": "Value", "type": "STRING", "range": list(values)}]}
    return {
        "specificationVersion": SPECIFICATION,
        "name": f"{_job_name(blend, scene)[:40]} wedges",
        "description": f"Written by Tsubu: one bake for each value of {setting}, and a contact sheet.",
        "parameterDefinitions": [
            *_common_parameters(scene, blend, place),
            _text_parameter("Setting", setting, "What is varied"),
            {"name": "Frame", "type": "INT", "default": frame, "description": "Frame of the pictures"},
        ],
        "steps": [
            _step("Wedge", words, space=space),
            _step("Sheet", _tsubu(scene, "sheet", "--folder", folder), after="Wedge"),
        ],
    }


def write(template: dict[str, Any], path: Path) -> Path:
    """Writes a template as JSON."""
    with files.folder_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write_bytes(path, json.dumps(template, indent=1, ensure_ascii=False).encode() + b"\n")
    return path


def staged_name(scene: Any) -> str:
    """Name of the file that is rendered: the artist's, with the playback of the farm's bake."""
    return f"{cache.own_name(scene)}_farm.blend"


def _saved(scene: Any) -> Path:
    if not bpy.data.filepath:
        raise InvalidScene("The file was never saved: a farm opens it from disk. Save it first.")
    return Path(bpy.data.filepath)


def _job_name(blend: Path, scene: Any) -> str:
    return f"{blend.stem} {scene.name}"[:_NAME_LIMIT].strip()


def _common_parameters(scene: Any, blend: Path, place: Path) -> list[dict[str, Any]]:
    bakes = cache.base_folder(scene)
    return [
        _text_parameter("Blender", bpy.app.binary_path or "blender", "Blender on the machines of the farm"),
        _path_parameter("BlendFile", blend, place, "FILE", "IN", "The scene"),
        _path_parameter("CacheFolder", bakes, place, "DIRECTORY", "INOUT", "Folder of the bakes; all machines see it"),
    ]


def _text_parameter(name: str, default: str, about: str) -> dict[str, Any]:
    return {"name": name, "type": "STRING", "default": default, "description": about}


def _path_parameter(name: str, path: Path, place: Path, kind: str, flow: str, about: str) -> dict[str, Any]:
    """The specification allows as a default only what lies below the template; other paths are given at submission."""
    parameter = {"name": name, "type": "PATH", "objectType": kind, "dataFlow": flow}
    try:
        return parameter | {"default": path.relative_to(place).as_posix(), "description": about}
    except ValueError:
        return parameter | {"description": f"{about}: {path}"}


def paths_to_give(template: dict[str, Any]) -> list[str]:
    """Parameters without a default: whoever submits the job has to give them."""
    return [entry["name"] for entry in template["parameterDefinitions"] if "default" not in entry]


def _tsubu(scene: Any, command: str, *words: str) -> list[str]:
    """Arguments of Blender for one of Tsubu's commands on the scene."""
    common = ["--scene", scene.name, "--cache", "{{Param.CacheFolder}}", "--openjd"]
    return ["-b", "{{Param.BlendFile}}", "-c", "tsubu", command, *common, *words]


def _frames() -> dict[str, Any]:
    chunks = {"defaultTaskCount": "{{Param.ChunkSize}}", "targetRuntimeSeconds": 0, "rangeConstraint": "CONTIGUOUS"}
    frame = {"name": "Frame", "type": "CHUNK[INT]", "range": "{{Param.Frames}}", "chunks": chunks}
    return {"taskParameterDefinitions": [frame]}


def _step(name: str, words: list[str], *, after: str = "", space: dict[str, Any] | None = None) -> dict[str, Any]:
    # A cancelled bake saves a checkpoint; half a minute is plenty.
    gently = {"mode": "NOTIFY_THEN_TERMINATE", "notifyPeriodInSeconds": 30}
    step: dict[str, Any] = {"name": name}
    if after:
        step["dependencies"] = [{"dependsOn": after}]
    if space:
        step["parameterSpace"] = space
    step["script"] = {"actions": {"onRun": {"command": "{{Param.Blender}}", "args": words, "cancelation": gently}}}
    return step


def _render(staged: str) -> dict[str, Any]:
    words = ["-b", staged, "--python-exit-code", "1", "--python", "{{Task.File.Script}}"]
    step = _step("Render", [*words, "--", "{{Task.Param.Frame}}", "{{Param.Output}}"], after="Assemble", space=_frames())
    text = _RENDER_SCRIPT.read_text(encoding="utf-8")
    step["script"]["embeddedFiles"] = [{"name": "Script", "type": "TEXT", "filename": "render_frames.py", "data": text}]
    return step
