"""Opens a .blend in a Blender without the extension and renders frames of it:

    python render_blend.py FILE.blend OUT.npz FRAME [FRAME ...]

OUT holds the pixels of each frame, float32 (height, width, 4), under "frame_N", and the names of add-ons under "addons".
"""

import os
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np


def pixels(frame: int, place: Path) -> np.ndarray:
    scene = bpy.context.scene
    scene.frame_set(frame)
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    scene.render.filepath = str(place / f"{frame}.exr")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    width, height = image.size
    values = np.empty(width * height * 4, dtype=np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(height, width, 4)[::-1]


def main(blend: str, out: str, *frames: str) -> None:
    bpy.ops.wm.open_mainfile(filepath=blend, use_scripts=False)
    with tempfile.TemporaryDirectory() as place:
        taken = {f"frame_{frame}": pixels(int(frame), Path(place)) for frame in frames}
    np.savez(out, addons=np.array(sorted(bpy.context.preferences.addons.keys())), **taken)  # type: ignore[arg-type]


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # Blender's module may hang when it is torn down after a render
