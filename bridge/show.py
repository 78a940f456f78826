"""What a scene's own bake shows: playback objects and the motion of free bodies, made when the first frames exist, refreshed
when there are more."""

from pathlib import Path
from typing import Any

from . import cache, instancing, playback, rigid_motion
from .bake_folder import PlaybackError, sequences


def show(scene: Any, folder: Path) -> list[str]:
    """Makes or refreshes the objects that play `folder` in `scene`; returns warnings about missing frames.

    The files hold simulated metres; the objects are scaled back to Blender units.
    """
    owner = cache.read_owner(folder)
    factor = 1.0 / owner.metres if owner is not None and owner.metres > 0.0 else 1.0
    warnings = list(playback.load_bake(scene, folder, scale=factor).warnings)
    instancing.refresh(scene, playback.playing(scene, folder))
    return warnings + rigid_motion.show(scene, folder, factor, playback.collection_of(scene, folder))


def refresh_instances(scene: Any) -> None:
    """Objects in the place of grains as the bodies ask for them now, if their bake is played already."""
    folder = cache.found_folder(scene)
    if folder is not None:
        instancing.refresh(scene, playback.playing(scene, folder))


def remove(scene: Any, folder: Path) -> None:
    """Takes away all that `show` made."""
    rigid_motion.remove(scene)
    playback.remove_bake(folder)


def show_again(scene: Any, folder: Path) -> None:
    """Makes all objects anew, after one kind of files was deleted: points are seen where there is no surface any more."""
    remove(scene, folder)
    if has_frames(folder):
        show(scene, folder)


def has_frames(folder: Path) -> bool:
    """Whether there is anything to show yet."""
    try:
        return bool(sequences(folder))
    except PlaybackError:
        return False
