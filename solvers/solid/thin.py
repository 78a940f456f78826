"""Is a body thick enough for its particles?"""

import numpy as np

from ..errors import InvalidScene
from ..mesh.triangles import area, volume
from ..scene import Mesh
from .links import within

_AROUND = 1.6
_FLAT = 0.02
"""Smallest spread of a master's neighbours, in squared spacings, below which they lie in one layer."""
_MOST = 0.1
"""Part of the masters that may lie in one layer: the tip of a cone, a thin rim."""


def refuse_thin(masters: np.ndarray, spacing: float, mesh: Mesh, owner: str) -> None:
    """Raises `InvalidScene` if many masters (n, 3) have neighbours in one layer only: such a body has no stiffness in bending."""
    zeros = np.zeros(len(masters), np.int32)
    start, index, _ = within(masters, zeros, masters, zeros, _AROUND * spacing)
    which = np.repeat(np.arange(len(masters)), np.diff(start))
    away = masters[index] - masters[which]
    spread = np.zeros((len(masters), 3, 3))
    np.add.at(spread, which, away[:, :, None] * away[:, None, :])
    spread /= np.maximum(np.diff(start), 1)[:, None, None] * spacing**2
    flat = np.linalg.eigvalsh(spread)[:, 0] < _FLAT
    if flat.mean() <= _MOST:
        return
    surface = area(mesh.at(0), mesh.triangles)
    thickness = 2.0 * abs(volume(mesh.at(0), mesh.triangles)) / surface  # of a plate or shell
    raise InvalidScene(
        f"{owner}: {100.0 * flat.mean():.0f} % of it is thinner than two particles (about {thickness:.2g} m, the spacing is "
        f"{spacing:g} m), so it could not bend; use a particle spacing of {0.5 * thickness:.2g} m or less, "
        "or thicken it (Solidify)."
    )
