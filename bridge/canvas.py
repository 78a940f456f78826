"""Pictures drawn without a window: rectangles, lines and other pictures by numpy, letters by Blender's own font.

Neither a graphics card nor a plotting library is needed, so that a farm can draw them too. Row 0 is the top.
"""

import struct
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import blf
import bpy
import imbuf
import numpy as np

from ..solvers.bake import files

Colour = tuple[float, float, float]
_FONT = 0
"""Blender's interface font, which has the letters of every language Blender speaks."""


class _Label(NamedTuple):
    x: float
    y: float
    text: str
    size: float
    colour: Colour
    anchor: float


class Canvas:
    """A picture in the making."""

    def __init__(self, width: int, height: int, colour: Colour = (0.11, 0.11, 0.12)) -> None:
        self.pixels = np.empty((height, width, 3), dtype=np.float32)
        """0 to 1 as they are shown, float32 (rows, columns, 3)."""
        self.pixels[:] = colour
        self._labels: list[_Label] = []

    def box(self, x: float, y: float, width: float, height: float, colour: Colour) -> None:
        """A filled rectangle, its top left corner at (x, y)."""
        self.pixels[max(0, round(y)) : max(0, round(y + height)), max(0, round(x)) : max(0, round(x + width))] = colour

    def line(self, points: np.ndarray, colour: Colour, thickness: float = 2.0) -> None:
        """A smooth polyline through `points` (n, 2); not finite points leave gaps."""
        path = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        cover = np.zeros(self.pixels.shape[:2], dtype=np.float32)
        for begin, end in zip(path[:-1], path[1:], strict=True):
            if np.isfinite(begin).all() and np.isfinite(end).all():
                _cover_segment(cover, begin, end, 0.5 * thickness)
        self.pixels += cover[:, :, None] * (np.array(colour, dtype=np.float32) - self.pixels)

    def paste(self, picture: np.ndarray, x: int, y: int) -> None:
        """Another picture, float (rows, columns, 3 or more), its top left corner at (x, y)."""
        rows, columns = min(picture.shape[0], self.pixels.shape[0] - y), min(picture.shape[1], self.pixels.shape[1] - x)
        self.pixels[y : y + rows, x : x + columns] = picture[:rows, :columns, :3]

    def text(
        self, x: float, y: float, text: str, size: float = 14.0, colour: Colour = (0.9, 0.9, 0.9), anchor: float = 0.0
    ) -> None:
        """Letters whose baseline begins at (x, y); anchor 0.5 centres them there, 1 ends them there."""
        self._labels.append(_Label(x, y, text, size, colour, anchor))

    def save(self, path: Path) -> Path:
        """Writes a PNG, whole or not at all."""
        plain = np.clip(self.pixels * 255.0 + 0.5, 0.0, 255.0).astype(np.uint8)
        with files.folder_errors(path.parent), files.replacing(path) as temporary:
            temporary.write_bytes(png_bytes(plain))
            if self._labels:
                self._write_labels(temporary)
        return path

    def _write_labels(self, path: Path) -> None:
        picture = imbuf.load(str(path))
        height = self.pixels.shape[0]
        with blf.bind_imbuf(_FONT, picture):
            for label in self._labels:
                blf.color(_FONT, *label.colour, 1.0)
                width = text_width(label.text, label.size)
                blf.position(_FONT, label.x - label.anchor * width, height - label.y, 0.0)
                blf.draw_buffer(_FONT, label.text)
        imbuf.write(picture, filepath=str(path))


def text_width(text: str, size: float) -> float:
    """Pixels that `text` takes in a line."""
    blf.size(_FONT, size)
    return float(blf.dimensions(_FONT, text)[0])


def _cover_segment(cover: np.ndarray, begin: np.ndarray, end: np.ndarray, radius: float) -> None:
    """How much of each pixel a round-ended stroke covers; the larger of that and what is there."""
    low = np.maximum(np.floor(np.minimum(begin, end) - radius - 1.0).astype(int), 0)
    high = np.minimum(np.ceil(np.maximum(begin, end) + radius + 2.0).astype(int), cover.shape[::-1])
    if (high <= low).any():
        return
    y, x = np.mgrid[low[1] : high[1], low[0] : high[0]] + 0.5
    way = end - begin
    along = ((x - begin[0]) * way[0] + (y - begin[1]) * way[1]) / max(float(way @ way), 1.0e-12)
    along = np.clip(along, 0.0, 1.0)
    distance = np.hypot(x - begin[0] - along * way[0], y - begin[1] - along * way[1])
    part = cover[low[1] : high[1], low[0] : high[0]]
    np.maximum(part, np.clip(radius + 0.5 - distance, 0.0, 1.0), out=part)


def png_bytes(pixels: np.ndarray) -> bytes:
    """A PNG of uint8 (rows, columns, 3)."""
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), dtype=np.uint8), pixels.reshape(height, -1)], axis=1)  # filter 0: none

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def read_picture(path: Path) -> np.ndarray:
    """The pixels of a picture file as they are shown, float32 (rows, columns, 4), row 0 on top."""
    image: Any = bpy.data.images.load(str(path))
    try:
        pixels = np.empty(image.size[0] * image.size[1] * 4, dtype=np.float32)
        image.pixels.foreach_get(pixels)
        return pixels.reshape(image.size[1], image.size[0], 4)[::-1].copy()
    finally:
        bpy.data.images.remove(image)
