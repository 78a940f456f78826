"""The interface in Japanese: what Blender shows in English on the left, what it shows instead on the right.

One table for labels, help texts, buttons and messages, in files by what they are about. A test names every text that is shown
and missing here; `messages` holds those with names and values in them.
"""

from . import bake, materials, objects, presets, scene

TABLE: dict[str, str] = {**objects.TABLE, **materials.TABLE, **presets.TABLE, **scene.TABLE, **bake.TABLE}

BUTTONS: dict[str, str] = {"Free": "解放"}
"""Names of buttons that mean something else than the same word elsewhere."""
