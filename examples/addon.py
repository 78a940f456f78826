"""Import the repository as Blender would: as an extension package, not as loose folders."""

import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NAME = "bl_ext.user_default.tsubu"


def load_addon() -> Any:
    """The extension's module. Registers nothing."""
    if NAME in sys.modules:
        return sys.modules[NAME]
    for parent in ("bl_ext", "bl_ext.user_default"):
        if parent not in sys.modules:
            package = types.ModuleType(parent)
            package.__path__ = []
            sys.modules[parent] = package
    spec = importlib.util.spec_from_file_location(NAME, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    if spec is None or spec.loader is None:
        raise ImportError(f"{ROOT} is not a package")
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)
    return module


def playback() -> Any:
    """The extension's bridge/playback module."""
    load_addon()
    return importlib.import_module(f"{NAME}.bridge.playback")
