"""Renders frames of the open file, one after the other, and tells a farm how far it is. Runs in a Blender without Tsubu.

    blender -b FILE.blend --python-exit-code 1 --python render_frames.py -- FRAMES FOLDER [PERCENT]

FRAMES is "7" or "1-4". A picture gets its name when it is whole, so a task that was killed can simply be repeated. The
text of this file is a part of every exported farm job.
"""

import os
import sys

import bpy


def frame_range(text):
    """"-5--1" → range(-5, 0)."""
    cut = text.find("-", 1)
    first, last = (text, text) if cut < 0 else (text[:cut], text[cut + 1 :])
    return range(int(first), int(last) + 1)


def main(words):
    frames, folder = frame_range(words[0]), words[1]
    scene = bpy.context.scene
    render = scene.render
    if len(words) > 2:
        render.resolution_percentage = int(words[2])
    if render.is_movie_format:
        if hasattr(render.image_settings, "media_type"):
            render.image_settings.media_type = "IMAGE"
        render.image_settings.file_format = "PNG"
    os.makedirs(folder, exist_ok=True)
    stem = os.path.splitext(os.path.basename(bpy.data.filepath))[0]
    for number, frame in enumerate(frames):
        print(f"openjd_status: frame {frame}", flush=True)
        scene.frame_set(frame)
        render.filepath = os.path.join(folder, stem + "_####")
        final = bpy.path.abspath(render.frame_path(frame=frame))
        head, tail = os.path.split(final)
        render.filepath = os.path.join(head, ".tmp-" + tail)
        bpy.ops.render.render(write_still=True)
        os.replace(render.filepath, final)
        print(f"tsubu: {final}\nopenjd_progress: {100.0 * (number + 1) / len(frames):.1f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :])
