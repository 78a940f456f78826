"""Tsubu: grains, foam, drops, water and solids for Blender. This file registers the parts and does nothing else."""

from . import bridge, operators, panels


def register() -> None:
    bridge.register()
    operators.register()
    panels.register()


def unregister() -> None:
    panels.unregister()
    operators.unregister()
    bridge.unregister()
