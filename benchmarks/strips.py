"""Strips of small renders side by side: what one slider does, from low to high."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.common import INK, PAPER, render_points
from benchmarks.skin import world_skin
from solvers.scene import Scene
from solvers.world import World

WIDTH, HEIGHT, CAPTION = 320, 260, 30
"""Of one picture and of the words below it [pixels]."""


class Shot(NamedTuple):
    """One picture of a strip: the last frame of a scene."""

    caption: str
    scene: Scene
    camera: tuple[tuple[float, float, float], tuple[float, float, float]]
    """Place and target [m]."""
    looks: tuple[str, ...] = ()
    """What the colliders look like, see `examples.studio.wall_material`."""
    lens: float = 60.0
    output: str = "Foam"
    look: str = ""
    """"water" or "sand"; else foam."""
    beads: bool = False
    """Every particle as a ball of its own size, as grains are."""


def shoot(shot: Shot, path: Path) -> Path:
    """Simulates a scene to its end and renders the surface with its colliders where they are then."""
    world = World(shot.scene)
    world.start()
    for frame in range(shot.scene.world.frame_start + 1, shot.scene.world.frame_end + 1):
        world.advance(frame)
    skin = None if shot.beads else world_skin(world, shot.output)
    points = world.points(shot.output)
    rank = np.modf(points["id"] * 0.6180339887)[0]
    last = shot.scene.frame_count - 1
    solids = []
    for collider in shot.scene.colliders:
        matrix = None if collider.motion is None else collider.motion[min(last, len(collider.motion) - 1)]
        vertices = collider.mesh.at(last)
        moved = vertices if matrix is None else vertices @ matrix[:3, :3].T + matrix[:3, 3]
        solids.append(type(collider.mesh)(moved, collider.mesh.triangles))
    return render_points(
        points["position"], path, radius=float(points["radius"].mean()) if shot.beads else 0.5 * shot.scene.world.spacing,
        skin=skin, look=shot.look, values=rank, camera=shot.camera, lens=shot.lens, solids=solids,
        looks=shot.looks, size=(WIDTH, HEIGHT), quick=True,
    )  # fmt: skip


def strip(path: Path, shots: Sequence[Shot]) -> Path:
    """Writes the pictures of all shots side by side with their captions."""
    from matplotlib import font_manager
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.truetype(font_manager.findfont("DejaVu Sans"), 15)
    sheet = Image.new("RGB", (WIDTH * len(shots), HEIGHT + CAPTION), PAPER)
    draw = ImageDraw.Draw(sheet)
    with tempfile.TemporaryDirectory() as folder:
        for index, shot in enumerate(shots):
            with Image.open(shoot(shot, Path(folder) / f"{index}.png")) as picture:
                sheet.paste(picture.convert("RGB"), (WIDTH * index, 0))
            middle = WIDTH * index + 0.5 * (WIDTH - draw.textlength(shot.caption, font=font))
            draw.text((middle, HEIGHT + 6), shot.caption, fill=INK, font=font)
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path, optimize=True)
    return path
