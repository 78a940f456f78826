"""What a bake costs to keep, to play and to start: bytes a particle, time to show a frame, time that Blender stands still."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, bars, print_table
from solvers import Body, Collider, Mesh, Scene, SurfaceParams, WorldParams, job
from solvers.bake.modules import blender_modules
from solvers.bake.points import read_points, write_points
from solvers.jit import cache_root

TITLE = "Bytes a particle and frame, milliseconds to show a frame of a million points, longest standstill of the interface"
POINTS = 1_000_000


def run_module(*words: str, **environment: str) -> str:
    """Output of `python -m …` in a process of its own: Blender and numba do not share one."""
    command = [sys.executable, "-m", *words]
    place = {"cwd": ROOT, "env": os.environ | environment, "stdin": subprocess.DEVNULL}
    done = subprocess.run(command, capture_output=True, text=True, **place)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)} failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def bake_water(folder: Path, quick: bool) -> dict[str, float]:
    """A falling column of real water; bytes of its points and of its surface for each particle and frame."""
    world = WorldParams(spacing=0.02 if quick else 0.01, frame_end=4)
    column = Body("Column", "water", Mesh.box((0.0, 0.0, 0.0), (0.3, 0.3, 0.4)))
    tank = Collider("Tank", Mesh.open_box((0.0, 0.0, 0.0), (0.8, 0.3, 0.6)))
    job.write(Scene("Bytes", (column,), (tank,), (), world, SurfaceParams(enabled=True)), folder)
    run_module("solvers", "bake", str(folder))
    frames = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines() if '"frame"' in line]
    lines = [line for line in frames if "frame" in line]
    particles = sum(line["particles"] for line in lines)
    size = {role: sum(f["bytes"] for line in lines for f in line["files"] if f["role"] == role) for role in ("points", "surface")}
    return {role: size[role] / particles for role in size}


def tile(sample: dict[str, np.ndarray], count: int, frame: int) -> dict[str, np.ndarray]:
    """`count` particles with the attributes of real ones, spread over a cube, different in every frame."""
    random = np.random.default_rng(frame)
    points = {name: np.resize(array, (count, *array.shape[1:])) for name, array in sample.items()}
    points["position"] = random.random((count, 3), dtype=np.float32)
    points["id"] = np.arange(count, dtype=np.int32)
    return points


def write_sequences(sample: dict[str, np.ndarray], folder: Path, count: int, frames: int) -> None:
    for suffix in ("usdc", "ply"):
        place = folder / suffix / "points"
        place.mkdir(parents=True)
        for frame in range(1, frames + 1):
            write_points(place / f"water_{frame:04d}.{suffix}", tile(sample, count, frame))


def run(quick: bool, out: Path) -> dict[str, Any]:
    modules = blender_modules()
    if not (modules.usd and modules.openvdb):
        raise RuntimeError("; ".join(modules.missing))
    count, frames = (POINTS // 10 if quick else POINTS), (3 if quick else 6)
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        size = bake_water(place / "bake", quick)
        sample = read_points(next((place / "bake" / "points").glob("*_0004.usdc")))
        write_sequences(sample, place / "many", count, frames)
        folders = {"BLENDER_USER_RESOURCES": temporary, "TSUBU_JIT_CACHE": str(cache_root())}
        told = run_module("benchmarks.playback_inside", str(place), str(frames), str(100_000), **folders)
    seen = json.loads(told.splitlines()[-1])
    per_million = POINTS / count
    rows = [
        ["points, bytes a particle and frame", size["points"]],
        ["surface, bytes a particle and frame", size["surface"]],
        [f"USD, {count // 1000} 000 points, ms a frame", seen["usdc"]],
        [f"PLY, {count // 1000} 000 points, ms a frame", seen["ply"]],
        ["surface, ms a frame", seen["surface"]],
        ["longest standstill, still collider, ms", seen["still"]],
        ["longest standstill, moving collider, ms", seen["moving"]],
        ["longest standstill, deforming collider, ms", seen["deforming"]],
        ["longest look at a running bake, ms", seen["look"]],
    ]
    print_table(["", ""], rows)
    print(f"Longest part of the standstill: {seen['where']}")
    stills = {"still": seen["still"], "moving": seen["moving"], "deforming": seen["deforming"], "watching": seen["look"]}
    bars(out / "playback.png", stills, title="Longest time Blender stands still, collider of 100 000 triangles", y="ms")
    return {
        "bytes_per_particle_frame": size["points"],
        "surface_bytes_per_particle_frame": size["surface"],
        "ms_per_frame_1m": seen["usdc"] * per_million,
        "ms_per_frame_1m_ply": seen["ply"] * per_million,
        "ui_block_ms": max(seen["still"], seen["moving"], seen["look"]),
        "ui_block_deforming_ms": seen["deforming"],
    }
