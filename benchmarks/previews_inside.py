"""Inside Blender, with the extension installed from its zip: one example, added by its menu, checked, baked and rendered.

python -m benchmarks.previews_inside NAME FOLDER ZIP          with BLENDER_USER_RESOURCES set
"""

import importlib
import json
import os
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Any

import bpy

from examples.blend import MODULE, install


def main(name: str, folder: Path, package: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    install(package)
    bpy.ops.wm.read_homefile(use_empty=True)
    other = bpy.context.scene
    bpy.ops.tsubu.add_example(name=name)
    bpy.data.scenes.remove(other)
    scene: Any = bpy.context.scene
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{name}.blend"))
    bpy.ops.tsubu.preflight()
    report: Any = importlib.import_module(f"{MODULE}.bridge.preflight").report_of(scene)
    worker = _Seen(folder)
    worker.start()
    bpy.ops.tsubu.bake()
    worker.over.set()
    worker.join()
    bpy.ops.wm.save_mainfile()
    begin = time.perf_counter()
    scene.render.filepath = str(folder / f"{name}.png")
    bpy.ops.render.render(write_still=True)
    render = time.perf_counter() - begin
    state = importlib.import_module(f"{MODULE}.bridge.monitor").look(scene, now=True)
    print(json.dumps({
        "folder": str(state.folder),
        "phase": state.phase,
        "render": render,
        "processor": worker.processor,
        "memory": worker.memory,
        "disk": sum(path.stat().st_size for part in ("points", "surface", "mesh") for path in (state.folder / part).glob("*")),
        "forecast": report.forecast,
        "findings": [f"{finding.level} {finding.owner}: {finding.text}" for finding in report.findings],
    }))  # fmt: skip


class _Seen(threading.Thread):
    """Looks at the worker that bakes below a folder, as Linux tells about processes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder, self.over = folder, threading.Event()
        self.processor = 0.0
        """Seconds since compiling ended, on all cores."""
        self.memory = 0
        """Most bytes."""

    def run(self) -> None:
        compiled = 0.0
        while not self.over.wait(0.05):
            for path in self.folder.glob("tsubu/*/status.json"):
                try:
                    values = json.loads(path.read_bytes())
                    place = Path("/proc") / str(values["pid"])
                    fields = (place / "stat").read_text().rpartition(")")[2].split()
                    lines = (place / "status").read_text().splitlines()
                except (OSError, ValueError):
                    continue
                used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                if values["phase"] in ("preparing", "compiling"):
                    compiled = used
                self.processor = used - compiled
                peak = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
                self.memory = max(self.memory, *(1024 * size for size in peak))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve())
    sys.stdout.flush()
    os._exit(0)
