"""The half of the benchmark `playback` that needs Blender: `python -m benchmarks.playback_inside FOLDER FRAMES TRIANGLES`.

FOLDER holds many/usdc and many/ply (point sequences) and bake (a bake with surfaces). Prints one JSON line, times in ms.
"""

import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import bpy

from examples.addon import NAME, load_addon, playback

_SLICE = 0.03
"""Seconds of export between two redraws, as in operators/bake.py."""


def milliseconds(begin: float) -> float:
    return (time.perf_counter() - begin) * 1e3


def show_time(folder: Path, kind: str, frames: int) -> float:
    """Best time to change to a frame that was not shown before and evaluate it (Blender keeps some files in memory)."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    loaded = playback().load_bake(bpy.context.scene, folder)
    for item in loaded.objects:
        item.hide_set(item["tsubu_kind"] != kind)
    times = []
    for frame in range(1, frames + 1):
        begin = time.perf_counter()
        bpy.context.scene.frame_set(frame)
        times.append(milliseconds(begin))
    return min(times[1:])


def build_scene(folder: Path, triangles: int, motion: str) -> None:
    """A cube of water over a sphere of so many triangles that stands still, moves or deforms; 24 frames."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_end = 24
    bpy.ops.mesh.primitive_cube_add(size=0.3, location=(0.0, 0.0, 1.5))
    bpy.context.object.tsubu.role = "WATER"
    rings = round((triangles / 4) ** 0.5)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=2 * rings, ring_count=rings + 1, radius=1.0)
    ball = bpy.context.object
    ball.tsubu.role = "COLLIDER"
    if motion == "moving":
        ball.keyframe_insert("location", frame=1)
        ball.location.x = 0.2
        ball.keyframe_insert("location", frame=24)
    elif motion == "deforming":
        ball.shape_key_add(name="Basis")
        key = ball.shape_key_add(name="Wide")
        for point in key.data:
            point.co = point.co * 1.1
        key.keyframe_insert("value", frame=1)
        key.value = 1.0
        key.keyframe_insert("value", frame=24)
    scene.tsubu.resolution = 12
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{motion}.blend"))


def standstill(bridge: Any) -> tuple[float, str]:
    """Longest call of the modal operator from pressing Bake to the running worker, and which one it was."""
    longest, where = 0.0, ""
    begun = None
    run = bridge("bake").begin(bpy.context, bridge("bake").Request())
    calls = 0
    while begun is None:
        begin = time.perf_counter()
        try:
            while time.perf_counter() < begin + _SLICE:
                part = next(run)
        except StopIteration as end:
            begun, part = end.value, 1.0
        calls += 1
        spent = milliseconds(begin)
        if spent > longest:
            longest, where = spent, "the last call: job and worker" if begun else f"call {calls} of the export, {part:.0%} done"
    return longest, where


def watching(bridge: Any) -> float:
    """Longest look at the bake that was just started, playback objects included."""
    scene, monitor, show = bpy.context.scene, bridge("monitor"), bridge("show")
    longest, last = 0.0, 0.0
    while True:
        begin = time.perf_counter()
        state = monitor.look(scene, now=True)
        if state.folder is not None and time.monotonic() - last > 2.0 and show.has_frames(state.folder):
            last = time.monotonic()
            show.show(scene, state.folder)
            bpy.context.view_layer.update()
        longest = max(longest, milliseconds(begin))
        if not state.running:
            if state.phase != "done":
                raise RuntimeError(f"The bake ended as {state.phase}: {state.message}")
            return longest
        time.sleep(0.05)


def main(folder: Path, frames: int, triangles: int) -> dict[str, Any]:
    load_addon().register()

    def bridge(name: str) -> Any:
        return importlib.import_module(f"{NAME}.bridge.{name}")

    seen: dict[str, Any] = {
        "usdc": show_time(folder / "many" / "usdc", "points", frames),
        "ply": show_time(folder / "many" / "ply", "points", frames),
        "surface": show_time(folder / "bake", "surface", 4),
    }
    worst = 0.0
    for motion in ("still", "moving", "deforming"):
        build_scene(folder, triangles, motion)
        seen[motion], where = standstill(bridge)
        if seen[motion] > worst:
            worst, seen["where"] = seen[motion], f"{motion} collider, {where}"
        if motion == "still":
            seen["look"] = watching(bridge)
        else:
            bpy.ops.tsubu.cancel()
    return seen


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))), flush=True)
    os._exit(0)  # Blender's module may hang when it is torn down with an extension registered
