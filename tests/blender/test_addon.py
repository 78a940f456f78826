"""The extension in Blender: it comes and goes without a trace."""

import sys
from typing import Any

import bpy
import pytest


def _trace() -> dict[str, Any]:
    """Everything that registering may leave behind."""
    handlers = {name: len(entry) for name in dir(bpy.app.handlers) if isinstance(entry := getattr(bpy.app.handlers, name), list)}
    return {
        "types": sorted(name for name in dir(bpy.types) if name.startswith("TSUBU")),
        "operators": sorted(dir(bpy.ops.tsubu)),
        "scene": sorted(bpy.types.Scene.bl_rna.properties.keys()),
        "object": sorted(bpy.types.Object.bl_rna.properties.keys()),
        "preferences": sorted(bpy.context.preferences.addons.keys()),
        "handlers": handlers,
    }


def _playback_handlers(trace: dict[str, Any]) -> dict[str, int]:
    """The handlers that run while frames change or are rendered."""
    words = ("frame_change", "depsgraph", "render_pre", "render_post", "render_write")
    return {name: count for name, count in trace["handlers"].items() if name.startswith(words)}


def test_registers_and_leaves_no_trace(addon: Any) -> None:
    """After unregister, types, operators, properties and handlers are what they were; registering again works."""
    before = _trace()
    for _ in range(2):
        addon.register()
        during = _trace()
        addon.unregister()
        assert during["types"] and "load_bake" in during["operators"]
        assert {"mark", "bake", "resume", "cancel", "free", "open_log"} <= set(during["operators"])
        assert _playback_handlers(during) == _playback_handlers(before), "playback must need no handlers"
        assert _trace() == before


def test_blenders_process_loads_no_numba(addon: Any) -> None:
    """Registering imports neither numba nor llvmlite: they clash with other add-ons inside Blender."""
    import subprocess

    code = (
        "import bpy, sys; from examples.addon import load_addon, playback; load_addon().register(); playback(); "
        "print(sorted(m for m in sys.modules if m.split('.')[0] in ('numba', 'llvmlite')), flush=True); "
        "import os; os._exit(0)"  # Blender 4.5's module hangs when it is torn down with add-ons registered
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"


@pytest.mark.parametrize("folder", ["operators", "panels"])
def test_every_class_is_listed(addon: Any, folder: str) -> None:
    """A class written in operators/ or panels/ but left out of CLASSES would silently not exist."""
    import importlib
    import pkgutil

    package = importlib.import_module(f"{addon.__name__}.{folder}")
    defined = set()
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        defined |= {value for name, value in vars(module).items() if name.startswith("TSUBU_") and isinstance(value, type)}
    assert defined == set(package.CLASSES)


def test_load_operator_reports_and_loads(addon: Any, synthetic_bake: Any, tmp_path: Any) -> None:
    """The button loads a bake, and names the folder when there is none."""
    bake = synthetic_bake()
    addon.register()
    try:
        assert bpy.ops.tsubu.load_bake(directory=str(bake.folder)) == {"FINISHED"}
        assert {item.name for item in bpy.context.scene.objects} == {"water points", "water surface"}
        assert bpy.ops.tsubu.reload_bake() == {"FINISHED"}
        with pytest.raises(RuntimeError, match="nowhere"):
            bpy.ops.tsubu.load_bake(directory=str(tmp_path / "nowhere"))
    finally:
        addon.unregister()
