"""How an example is photographed. Plain data: the scene scripts need no Blender."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Look:
    """Camera, moment and materials of one picture."""

    frame: int
    """Frame that is rendered."""
    camera: Point
    """Place of the camera [m]."""
    target: Point
    """What it looks at [m]."""
    lens: float = 60.0
    """Focal length [mm]."""
    materials: Mapping[str, str] = field(default_factory=dict)
    """Collider or solid body → "pane" (glass with drawn edges), "clay", "stone", "steel", "rubber", "porcelain", "glass", "wood",
    "raspberry jelly", "lime jelly", "cherry", "leaf" or "hidden". Other colliders are stone."""
    clear_depth: float = 0.25
    """Way through water [m] after which its colour is full."""
    f_stop: float = 0.0
    """Aperture for depth of field, focused on the target; 0: all is sharp."""
    exposure: float = 0.0
    """Of the picture, in stops."""
    backdrop: Point = (0.70, 0.72, 0.73)
    """Colour of the ground."""
    preview: int = 50
    """Part of the detail that Add › Tsubu Example begins with [%]. Grains get larger by it, too: at half of it few are left."""
    stones: str = ""
    """Tone of the stones that stand on every grain, "SAND", "GRAVEL" or "WHITE"; "": round grains."""
